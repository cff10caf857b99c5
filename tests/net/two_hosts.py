#!/usr/bin/env python3
"""Two hosts, as two network namespaces with a cable between them: tests/net/two_hosts.py TRIREME AVERAGE

A job runs over the cable; over a slow one; and with two nodes on each host, which find each other's memory. When the
cable is cut, each node names the other in time. Skipped with a message (exit code 77) if namespaces cannot be made."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
SECRET = "a secret of the tests"
DEADLINE = 3  # seconds for one exchange
PATIENCE = 60  # far longer than anything here takes


def ip(*words, check=True):
    return subprocess.run(["ip", *words], check=check, capture_output=True, text=True, timeout=PATIENCE)


class Cable:
    """Two namespaces and the two ends of a virtual cable in them; removed when the test is over."""

    def __init__(self):
        self.hosts = [f"trireme-{os.getpid()}-{name}" for name in "ab"]
        self.ends = [f"tri{os.getpid() % 100000}{name}" for name in "ab"]

    def __enter__(self):
        try:
            for host in self.hosts:
                ip("netns", "add", host)
            ip("link", "add", self.ends[0], "type", "veth", "peer", "name", self.ends[1])
            for number, (host, end) in enumerate(zip(self.hosts, self.ends), 1):
                ip("link", "set", end, "netns", host)
                ip("-n", host, "addr", "add", f"10.77.0.{number}/24", "dev", end)
                ip("-n", host, "link", "set", "lo", "up")
                ip("-n", host, "link", "set", end, "up")
        except (OSError, subprocess.SubprocessError) as error:
            self.__exit__()
            print(f"skipped: network namespaces cannot be made here: {getattr(error, 'stderr', error)}")
            sys.exit(SKIPPED)
        return self

    def __exit__(self, *_):
        for host in self.hosts:
            with contextlib.suppress(OSError):
                ip("netns", "del", host, check=False)

    def cut(self):
        ip("-n", self.hosts[0], "link", "set", self.ends[0], "down")

    def slow_down(self):
        """Not every kernel supports every way."""
        add = ["tc", "-n", self.hosts[0], "qdisc", "add", "dev", self.ends[0], "root"]
        for way in ("netem delay 5ms rate 50mbit", "tbf rate 50mbit burst 32kbit latency 400ms"):
            if subprocess.run([*add, *way.split()], capture_output=True, timeout=PATIENCE).returncode == 0:
                return True
        return False


class Job:
    """A command on each host; {rank} in it is the number of the host."""

    def __init__(self, cable, size, timeout, *command):
        variables = {
            "TRIREME_SIZE": str(size),
            "TRIREME_MEET": "10.77.0.1:5000",
            "TRIREME_SECRET": SECRET,
            "TRIREME_TIMEOUT": str(timeout),
        }
        self.nodes = []
        for rank, host in enumerate(cable.hosts):
            output = tempfile.TemporaryFile("w+")
            process = subprocess.Popen(
                ["ip", "netns", "exec", host, *(word.replace("{rank}", str(rank)) for word in command)],
                env={**os.environ, **variables},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
            self.nodes.append((process, output))

    def wait(self):
        end = time.monotonic() + PATIENCE
        results = []
        for process, output in self.nodes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.1, end - time.monotonic()))
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                process.wait()
            output.seek(0)
            results.append((process.returncode, output.read()))
        return results

    def is_at_work(self):
        output = self.nodes[0][1]
        output.seek(0)
        return "trireme bench:" in output.read()


def require(condition, sentence, results):
    if condition:
        return
    print(f"failed: {sentence}")
    for rank, (code, text) in enumerate(results):
        print(f"--- rank {rank}, exit code {code}\n{text}")
    sys.exit(1)


def bench(cable, trireme, timeout, *flags):
    """One node on each host, both timing exchanges."""
    words = [trireme, "bench", "allreduce", "--wire", "tcp", *flags]
    return Job(cable, 2, timeout, "env", "TRIREME_RANK={rank}", *words)


def runs_over_the_cable(cable, trireme, _):
    results = bench(cable, trireme, PATIENCE, "--max-bytes", "65536").wait()
    require(all(code == 0 for code, _ in results), "two hosts exchange", results)
    require("65,536" in results[0][1], "rank 0 reports the times", results)


def shares_memory_inside_a_host(cable, _, average):
    """Processes of another namespace cannot be seen, as on another host."""
    nodes = f"TRIREME_RANK=$((2*{{rank}})) {average} & TRIREME_RANK=$((2*{{rank}}+1)) {average}; first=$?; wait $!"
    apart = ["unshare", "--pid", "--fork", "--mount-proc", "sh", "-c", nodes + " && exit $first"]
    results = Job(cable, 4, PATIENCE, *apart).wait()
    require(all(code == 0 for code, _ in results), "four nodes on two hosts exchange", results)
    words = "4 nodes on 2 hosts, through shared memory inside and by TCP between them"
    require(words in results[0][1], "rank 0 says how", results)
    require("rank 3 of 4 holds 15 16 17 18 19 20" in results[1][1], "the average is right", results)


def runs_over_a_slow_cable(cable, trireme, _):
    if not cable.slow_down():
        print("skipped: cables cannot be slowed down here")
        return
    results = bench(cable, trireme, PATIENCE, "--max-bytes", "16384").wait()
    require(all(code == 0 for code, _ in results), "two hosts exchange over a slow cable", results)


def names_the_other_when_cut(cable, trireme, _):
    job = bench(cable, trireme, DEADLINE)
    end = time.monotonic() + PATIENCE
    while not job.is_at_work() and time.monotonic() < end:
        time.sleep(0.05)
    cable.cut()
    start = time.monotonic()
    results = job.wait()
    seconds = time.monotonic() - start
    for rank, (code, text) in enumerate(results):
        require(code == 1, f"rank {rank} fails", results)
        require(f"rank {1 - rank} has not" in text, f"rank {rank} names the other", results)
        require(re.search(r"after \d+\.\d+ s", text), f"rank {rank} says how long it waited", results)
    require(seconds < PATIENCE / 2, f"{seconds:.1f} s are long enough to notice", results)


def main():
    programs = [os.path.abspath(word) for word in sys.argv[1:3]]
    tests = (
        runs_over_the_cable,
        shares_memory_inside_a_host,
        runs_over_a_slow_cable,
        names_the_other_when_cut,
    )
    with Cable() as cable:
        for test in tests:
            print(test.__name__, flush=True)
            test(cable, *programs)


main()
