#!/usr/bin/env python3
"""Two hosts, as two network namespaces with a cable between them: tests/net/two_hosts.py TRIREME

A job runs over the cable; over a slow one; and when it is cut each node names the other, in time. Skipped aloud
(exit code 77) where namespaces cannot be made."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
SECRET = "a secret of the tests"
DEADLINE = 3  # seconds of one exchange
PATIENCE = 60  # far longer than anything here takes


def ip(*words, check=True):
    return subprocess.run(["ip", *words], check=check, capture_output=True, text=True, timeout=PATIENCE)


class Cable:
    """Two namespaces and the two ends of a virtual cable in them; gone when the test is over."""

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
            ip("netns", "del", host, check=False)

    def cut(self):
        ip("-n", self.hosts[0], "link", "set", self.ends[0], "down")

    def slow_down(self):
        """Not every kernel knows every way."""
        add = ["tc", "-n", self.hosts[0], "qdisc", "add", "dev", self.ends[0], "root"]
        for way in ("netem delay 5ms rate 50mbit", "tbf rate 50mbit burst 32kbit latency 400ms"):
            if subprocess.run([*add, *way.split()], capture_output=True, timeout=PATIENCE).returncode == 0:
                return True
        return False


class Job:
    """One node on each host, both timing exchanges."""

    def __init__(self, cable, trireme, *flags):
        self.nodes = []
        for rank, host in enumerate(cable.hosts):
            variables = {
                "TRIREME_RANK": str(rank),
                "TRIREME_SIZE": "2",
                "TRIREME_MEET": "10.77.0.1:5000",
                "TRIREME_SECRET": SECRET,
                "TRIREME_TIMEOUT": str(DEADLINE if "--max-bytes" not in flags else PATIENCE),
            }
            command = ["ip", "netns", "exec", host, trireme, "bench", "allreduce", "--wire", "tcp", *flags]
            output = tempfile.TemporaryFile("w+")
            process = subprocess.Popen(
                command,
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


def runs_over_the_cable(cable, trireme):
    results = Job(cable, trireme, "--max-bytes", "65536").wait()
    require(all(code == 0 for code, _ in results), "two hosts exchange", results)
    require("65,536" in results[0][1], "rank 0 reports the times", results)


def runs_over_a_slow_cable(cable, trireme):
    if not cable.slow_down():
        print("skipped: cables cannot be slowed down here")
        return
    results = Job(cable, trireme, "--max-bytes", "16384").wait()
    require(all(code == 0 for code, _ in results), "two hosts exchange over a slow cable", results)


def names_the_other_when_cut(cable, trireme):
    job = Job(cable, trireme)
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
        require("after 3." in text, f"rank {rank} says how long it waited", results)
    require(seconds < PATIENCE / 2, f"{seconds:.1f} s are long enough to notice", results)


def main():
    trireme = os.path.abspath(sys.argv[1])
    with Cable() as cable:
        for test in (runs_over_the_cable, runs_over_a_slow_cable, names_the_other_when_cut):
            print(test.__name__, flush=True)
            test(cable, trireme)


main()
