"""Starts one contestant and returns its output, or says why there is none."""

import json
import os
import signal
import subprocess
import tempfile

GRACE_SECONDS = 5


class Failed(Exception):
    """Why a contestant has no figure, in words."""


def output_of(words, timeout):
    """Runs a contestant's command line and returns its standard output; raises Failed."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        code, out, err = finish(start(words, folder), timeout)
    check(code, err)
    return out


def start(words, folder, out=subprocess.PIPE, err=subprocess.PIPE):
    try:
        return subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            text=True,
            errors="replace",
            process_group=0,  # not a session: some kernels share the cores among sessions instead of processes
            env=os.environ | {"TMPDIR": str(folder)},
        )
    except OSError as error:
        raise Failed(f"cannot start {words[0]}: {error.strerror}") from error


def finish(process, timeout):
    """Waits for the process to end; ends it when time is up or the user interrupts."""
    with process:
        try:
            out, err = process.communicate(timeout=timeout)
            return process.returncode, out, err
        except subprocess.TimeoutExpired:
            raise too_late(timeout) from None
        finally:
            end(process)


def too_late(timeout):
    return Failed(f"no result after {timeout} s")


def end(process):
    """Sends SIGTERM first: a launcher ends its own ranks, which may be outside its process group."""
    for sent in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        os.killpg(process.pid, sent)
        try:
            process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            pass


def check(code, err):
    if code != 0:
        raise Failed(f"{how_it_ended(code)}: {first_lines(err) or 'nothing on stderr'}")


def document_of(out):
    """The JSON that was printed; None if it is not JSON."""
    try:
        return json.loads(out)
    except ValueError:
        return None


def how_it_ended(code):
    return f"ended by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def first_lines(text):
    """The first complaint; launchers print lines around it and add general advice after it."""
    lines = [line.strip() for line in text.splitlines() if any(map(str.isalpha, line))]
    return " ".join(lines[:3])
