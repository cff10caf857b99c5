"""Processes that only compute, beside those that are measured."""

import os
import subprocess
import sys
from contextlib import contextmanager

# Ends by itself when its parent is gone.
LOOP = """
import os, sys
while os.getppid() == int(sys.argv[1]):
    for _ in range(1_000_000):
        pass
"""


@contextmanager
def busy_processes(count):
    """Runs so many of them, at normal priority, until the block ends."""
    processes = []
    try:
        for _ in range(count):
            processes.append(subprocess.Popen([sys.executable, "-c", LOOP, str(os.getpid())]))
        yield [process.pid for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
