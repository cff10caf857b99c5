"""Watches a training from outside while it runs: when it takes its first step, and how much memory it uses."""

import os
import re
import tempfile
import time
from pathlib import Path

import child

STEP = re.compile(r"\bstep (\d+) of (\d+)")


def watch(words, look, every, timeout):
    """Runs a command and returns its standard output; raises child.Failed. Every so many seconds it calls
    look(process id, the content of standard error so far)."""
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        with open(folder / "out", "w") as out, open(folder / "err", "w") as err:
            process = child.start(words, folder, out, err)
        try:
            deadline = time.monotonic() + timeout
            while process.poll() is None:
                if time.monotonic() > deadline:
                    raise child.too_late(timeout)
                look(process.pid, read(folder / "err"))
                time.sleep(every)
        finally:
            child.end(process)
        look(process.pid, read(folder / "err"))  # a quick contestant may have finished since the last look
        child.check(process.returncode, read(folder / "err"))
        return read(folder / "out")


def read(file):
    return file.read_text(errors="replace")


def seconds_to_first_step(words, timeout):
    """The time from the start of the program to the line that says that step 1 is done."""
    begin, seconds = time.monotonic(), []

    def look(_, err):
        if not seconds and STEP.search(err):
            seconds.append(time.monotonic() - begin)

    watch(words, look, 0.002, timeout)
    if not seconds:
        raise child.Failed("it has ended before anybody saw its first step")
    return seconds[0]


def peak_pss(words, trainings, timeout):
    """The largest proportional set size, in bytes, while all trainings were between their first and last step:
    of one of its processes ("worker"), where the first process counts only if it is the only one, and of all of
    them together ("job")."""
    workers, jobs = [], []

    def look(pid, err):
        if is_training(err, trainings):
            first, others = pss(pid), [pss(other) for other in descendants(pid)]
            workers.append(max(others or [first]))
            jobs.append(first + sum(others))

    watch(words, look, 0.1, timeout)
    if not max(workers, default=0):
        raise child.Failed("it has ended before anybody could look at its memory; take more steps")
    return {"worker": max(workers), "job": max(jobs)}


def is_training(err, trainings):
    steps = [(int(step), int(last)) for step, last in STEP.findall(err)]
    begun = sum(step == 1 for step, _ in steps)
    ended = any(step == last for step, last in steps)
    return begun == trainings and not ended


def descendants(pid):
    children = {}
    for entry in os.listdir("/proc"):
        if entry.isdecimal():
            children.setdefault(parent_of(entry), []).append(int(entry))
    found, todo = [], [pid]
    while todo:
        found += (next_ones := children.get(todo.pop(), []))
        todo += next_ones
    return found


def parent_of(pid):
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:  # it has just ended
        return None
    return int(stat.rpartition(")")[2].split()[1])


def pss(pid):
    """0 for a process that has just ended."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    found = re.search(r"^Pss:\s+(\d+) kB", rollup, re.MULTILINE)
    return int(found[1]) * 1024 if found else 0
