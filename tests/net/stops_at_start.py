#!/usr/bin/env python3
"""Nodes that are stopped while their job starts: tests/net/stops_at_start.py TRIREME AVERAGE [WIRES [STOPS [SEED]]]

A small job is started again and again, and each time one rank is stopped (SIGSTOP) at a random moment up to the end
of the first exchange. The job must end soon after the deadline, its last line and its JSON must name the rank that was
stopped, and nothing may be left over: no process, no file. A rank that is stopped after its job is done is
continued and counted separately.

WIRES: shm,tcp or hosts, where hosts means two that are both this one."""

import json
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

from processes import children_of, content, descendants_of, is_there, runs, signalled, state_of, variables_of

NODES = 4
TIMEOUT = 2.0  # seconds: the deadline of the job
LAST_WORD = 1.0  # how long after it the nodes wait for rank 0, if rank 0 is the one that is stopped
LEAVING = 5.0  # with several hosts: the time to end a stopped node on another host than the failing ones
SLACK = 10.0  # for a machine that is busy with other things
PATIENCE = 60.0  # far longer than anything here takes
SSH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli", "fake-ssh")


def nodes_of(launcher, average):
    """By rank, the processes that run their program. ssh and agents, which start them, have a rank too: of their host."""
    return {
        int(variables_of(process).get("TRIREME_RANK", -1)): process
        for process in descendants_of(launcher)
        if runs(process, average)
    }


def named_memory():
    return {name for name in os.listdir("/dev/shm") if "trireme" in name}


class Trial:
    """One job; its rank `victim` is stopped so many seconds after its process appears. None: it is not stopped."""

    def __init__(self, programs, wire, victim, after=None):
        self.programs, self.wire, self.victim, self.after = programs, wire, victim, after
        self.seconds = 0.0
        self.start = 0.0  # if nobody is stopped: from when the process is seen to the end of the first exchange

    def __str__(self):
        return f"{self.wire}: rank {self.victim}, stopped {1000 * self.after:.1f} ms after its start"

    def run(self):
        """Returns the result: "named" or "done"; anything else is a failure."""
        memory = named_memory()
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "tmp"))
            result = self.run_in(folder)
            left = os.listdir(os.path.join(folder, "tmp")) + sorted(named_memory() - memory)
        return f"files are left over: {left}" if left else result

    def command(self, folder):
        trireme, average = self.programs
        words = [trireme, "launch", "-n", str(NODES), "--timeout", f"{TIMEOUT}s", "--json"]
        if self.wire == "hosts":
            words += ["--hosts", f"a:1,b:{NODES - 1}", "--meet", "127.0.0.1:0", "--ssh", SSH]
        else:
            words += ["--wire", self.wire]
        return [*words, "--logs", os.path.join(folder, "logs"), "--", average]

    def run_in(self, folder):
        begin = time.monotonic()
        with subprocess.Popen(
            self.command(folder),
            env={**os.environ, "TMPDIR": os.path.join(folder, "tmp")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as launcher:
            victim = self.find_victim(launcher)
            stopped = self.stop(victim) if self.after is not None else self.measure_start(victim, folder)
            processes = descendants_of(launcher.pid)
            out, err = self.wait(launcher, victim)
        self.seconds = time.monotonic() - begin
        left = self.left_of(processes)
        if left:
            what = [f"{process} ({state_of(process)}): {content(f'/proc/{process}/cmdline')!r}" for process in left]
            return f"processes are left over: {what}"
        return self.judge(out, err, stopped)

    def left_of(self, processes):
        """With several hosts, agents end by themselves soon after the launcher."""
        end = time.monotonic() + (SLACK if self.wire == "hosts" else 0)
        while (left := [process for process in processes if is_there(process)]) and time.monotonic() < end:
            time.sleep(0.05)
        return left

    def find_victim(self, launcher):
        """Its process as soon as it exists, or None if the job has ended before."""
        while launcher.poll() is None:
            if self.wire == "hosts":
                victim = nodes_of(launcher.pid, self.programs[1]).get(self.victim)
            else:  # before it runs its program: nodes are forked in rank order
                victim = next(iter(children_of(launcher.pid)[self.victim :]), None)
            if victim is not None:
                return victim
            time.sleep(0.0002)
        return None

    def stop(self, victim):
        """Whether it still existed to be stopped."""
        time.sleep(self.after)
        return victim is not None and is_there(victim) and signalled(victim, signal.SIGSTOP)

    def measure_start(self, process, folder):
        """A node prints nothing before the exchange; afterwards it prints its result and ends."""
        begin = time.monotonic()
        logs = [os.path.join(folder, "logs", f"rank-{rank}.log") for rank in range(NODES)]
        while process is not None and is_there(process) and not any(map(content, logs)):
            time.sleep(0.0002)
        self.start = time.monotonic() - begin
        return False

    def wait(self, launcher, victim):
        """If only the victim is left for long, it was stopped while it ended: all others are done."""
        alone = 0
        for _ in range(int(PATIENCE / 0.1)):
            try:
                return launcher.communicate(timeout=0.1)
            except subprocess.TimeoutExpired:
                others = [process for process in nodes_of(launcher.pid, self.programs[1]).values() if process != victim]
                alone = 0 if others else alone + 1
            if alone == (100 if self.wire == "hosts" else 20):
                signalled(victim, signal.SIGCONT)
        launcher.kill()
        return launcher.communicate()

    def judge(self, out, err, stopped):
        try:
            document = json.loads(out)
        except ValueError:
            return f"there is no document: {out!r}\n{err}"
        if document["ok"]:
            return "done"
        last = err.strip().splitlines()[-1]
        if not stopped:
            return f"it failed although nobody was stopped: {last}"
        if self.seconds > TIMEOUT + LAST_WORD + SLACK + (LEAVING if self.wire == "hosts" else 0):
            return f"it took {self.seconds:.1f} s: {last}"
        if document["first_failure_rank"] != self.victim:
            return f"it blames rank {document['first_failure_rank']}: {last}"
        # With several hosts, a node that waits for it may be named together with it: "ranks 2 and 3 are not
        # connected".
        anywhere = rf"\branks? (\d+, |\d+ and )*{self.victim}\b"
        said = anywhere if self.wire == "hosts" else rf"first failure: rank {self.victim} \(process"
        return "named" if re.search(said, last) else f"the last line names another: {last}"


def time_to_start(programs, wire):
    """The quickest of some jobs in which nobody is stopped; or what went wrong in one."""
    trials = [Trial(programs, wire, 0) for _ in range(5)]
    failures = [result for trial in trials if (result := trial.run()) != "done"]
    return failures[0] if failures else min(trial.start for trial in trials)


def stop_some(programs, wire, stops, chance):
    start = time_to_start(programs, wire)
    if isinstance(start, str):
        return start
    counts, slowest = {"named": 0, "done": 0}, 0.0
    while counts["named"] < stops:
        trial = Trial(programs, wire, chance.randrange(NODES), chance.random() * start)
        result = trial.run()
        if result not in counts:
            return f"{trial}: {result}"
        counts[result] += 1
        if result == "named":
            slowest = max(slowest, trial.seconds)
        if counts["done"] > 20 + 20 * counts["named"]:
            return "hardly any job is stopped before it is done"
    print(
        f"{wire}: {stops} stops within {1000 * start:.0f} ms, all named; with a deadline of {TIMEOUT} s the slowest job "
        f"took {slowest:.1f} s; {counts['done']} more jobs were done before their rank was stopped",
        flush=True,
    )
    return None


def main():
    programs = [os.path.realpath(word) for word in sys.argv[1:3]]
    wires = sys.argv[3] if len(sys.argv) > 3 else "shm,tcp"
    stops = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    seed = sys.argv[5] if len(sys.argv) > 5 else "1"
    for wire in wires.split(","):
        if failure := stop_some(programs, wire, stops, random.Random(f"{wire} {seed}")):
            sys.exit(f"failed: {failure}")


main()
