"""Starts one contestant and brings back what it printed, or says why there is nothing."""

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
            process_group=0,  # not a session: kernels may share the cores out among sessions, not processes
            env=os.environ | {"TMPDIR": str(folder)},
        )
    except OSError as error:
        raise Failed(f"cannot start {words[0]}: {error.strerror}") from error


def finish(process, timeout):
    """Waits for the end, which it brings about itself when time is up or the user interrupts."""
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
    """Asks first: a launcher ends its own ranks, which may be outside its process group."""
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
    """The JSON that was printed; nothing when it is none."""
    try:
        return json.loads(out)
    except ValueError:
        return None


def how_it_ended(code):
    return f"ended by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def first_lines(text):
    """What was complained about first; launchers frame it in rules and add general advice after it."""
    lines = [line.strip() for line in text.splitlines() if any(map(str.isalpha, line))]
    return " ".join(lines[:3])
