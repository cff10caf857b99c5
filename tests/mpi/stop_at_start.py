#!/usr/bin/env python3
"""Stops one process of a job under mpirun at a random moment of its start, again and again.

    stop_at_start.py MPIRUN PROGRAM [--stops N] [--seed N] [--processes N] [--timeout SECONDS]

PROGRAM prints "started" in each process when all of them have joined (mpi_started.cc). A job that was stopped
before that must end by itself soon after the deadline, must name the process that is stopped, and must leave no
process behind. Two cases are counted separately: stops that come later, which say nothing about the start, and jobs whose
processes have all ended while mpirun hangs: about one in a hundred, in PMIx_server_finalize (Open MPI 4.1.4, PMIx 4.2.2).
"""

import argparse
import collections
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "common"))

from processes import children_of, content, is_there, runs, signalled, variables_of

# Generous for slow machines: the test must only detect an end that ignores the deadline.
SLACK = 60.0
START_TAKES_MOST = 120.0
# How long mpirun may take to end when no process is left that it could wait for.
MPIRUN_TAKES = 10.0
FINE = {"named", "too late", "mpirun hung"}


def processes_of(mpirun, program):
    """The processes of the job that run the program, by rank.

    One that is still mpirun's own copy is left alone: mpirun itself waits for it, without a deadline.
    """
    found = {process: variables_of(process) for process in children_of(mpirun) if runs(process, program)}
    return {int(of["PMIX_RANK"]): process for process, of in found.items() if "PMIX_RANK" in of}


class Job:
    def __init__(self, options, folder):
        self.program = os.path.realpath(options.program)
        self.output = os.path.join(folder, "output")
        with open(self.output, "wb") as output:
            self.mpirun = subprocess.Popen(
                [options.mpirun, "-n", str(options.processes), self.program],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=os.environ | {"TRIREME_TIMEOUT": f"{options.timeout}s"},
            )

    def wait_for_process(self, rank):
        end = time.monotonic() + START_TAKES_MOST
        while self.mpirun.poll() is None and time.monotonic() < end:
            process = processes_of(self.mpirun.pid, self.program).get(rank)
            if process:
                return process
            time.sleep(0.001)
        return None

    def has_started(self):
        return "started" in content(self.output)

    def wait(self, seconds):
        """Whether it has ended by then, or has started nevertheless."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.mpirun.poll() is not None or self.has_started():
                return True
            if not children_of(self.mpirun.pid):
                end = min(end, time.monotonic() + MPIRUN_TAKES)
            time.sleep(0.01)
        return False


def measure_start(options):
    """The time from when the first process is seen until all have started."""
    with tempfile.TemporaryDirectory() as folder:
        job = Job(options, folder)
        job.wait_for_process(0)
        begin = time.monotonic()
        job.wait(START_TAKES_MOST)
        took = time.monotonic() - begin
        if job.mpirun.wait(SLACK) != 0 or not job.has_started():
            sys.exit(f"the job fails without any stop:\n{content(job.output)}")
        return took


def stop_one(options, rank, delay):
    """The result: a word for the count, and the output of the job if it is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        job = Job(options, folder)
        stopped = job.wait_for_process(rank)
        time.sleep(delay)
        processes = processes_of(job.mpirun.pid, job.program).values()
        if stopped is None or not is_there(stopped) or job.has_started():
            status = job.mpirun.wait(SLACK)
            return ("too late", "") if status == 0 else ("failed by itself", content(job.output))
        if not signalled(stopped, signal.SIGSTOP):
            return "too late", ""
        ended = job.wait(options.timeout + SLACK)
        if job.has_started():
            signalled(stopped, signal.SIGCONT)
            job.mpirun.wait(SLACK)
            return "too late", ""
        said = content(job.output)
        left = [process for process in processes if is_there(process)]
        if not ended:
            job.mpirun.kill()
            job.mpirun.wait()
        for process in left:
            signalled(process, signal.SIGKILL)
        if left:
            return "left a process behind" if ended else "hung", said
        if job.mpirun.returncode == 0:
            return "ended as if nothing were wrong", said
        if not re.search(rf"rank {rank}\b.* (is stopped|has not sent; it is not in the exchange)", said):
            return "not named", said
        return "named" if ended else "mpirun hung", said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mpirun")
    parser.add_argument("program")
    parser.add_argument("--stops", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=1.0, help="TRIREME_TIMEOUT, in seconds")
    options = parser.parse_args()
    choice = random.Random(options.seed)
    start = measure_start(options)
    counts = collections.Counter()
    for number in range(options.stops):
        rank, delay = choice.randrange(options.processes), choice.uniform(0, start)
        end, said = stop_one(options, rank, delay)
        counts[end] += 1
        if end not in FINE:
            print(f"stop {number} of rank {rank} after {delay:.3f} s: {end}. The job said:\n{said}")
    print(", ".join(f"{count} {end}" for end, count in counts.items()))
    return 0 if set(counts) <= FINE else 1


if __name__ == "__main__":
    sys.exit(main())
