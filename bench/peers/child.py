"""Starts one contestant for one size and brings back its row, or says why there is none."""

import json
import os
import signal
import subprocess
import tempfile

TIMEOUT_SECONDS = 60
GRACE_SECONDS = 5


class Failed(Exception):
    """Why a contestant has no figure, in words."""


def run(words, size):
    """Runs a contestant's command line and returns its row for this size; raises Failed."""
    with tempfile.TemporaryDirectory(prefix="peers-") as folder:
        code, out, err = finish(start(words, folder))
    if code != 0:
        raise Failed(f"{how_it_ended(code)}: {first_lines(err) or 'nothing on stderr'}")
    return row_of(out, size)


def start(words, folder):
    try:
        return subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
            env=os.environ | {"TMPDIR": folder},
        )
    except OSError as error:
        raise Failed(f"cannot start {words[0]}: {error.strerror}") from error


def finish(process):
    """Waits for the end, which it brings about itself when time is up or the user interrupts."""
    with process:
        try:
            out, err = process.communicate(timeout=TIMEOUT_SECONDS)
            return process.returncode, out, err
        except subprocess.TimeoutExpired:
            raise Failed(f"no result after {TIMEOUT_SECONDS} s") from None
        finally:
            end(process)


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


def row_of(out, size):
    try:
        row = json.loads(out)["rows"][0]
        if row["bytes"] == size and row["median_us"] > 0:
            return row
    except (ValueError, LookupError, TypeError):
        pass
    raise Failed(f"no row for {size} bytes in its output: {out.strip()[:200]!r}")


def how_it_ended(code):
    return f"ended by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def first_lines(text):
    """What was complained about first; launchers frame it in rules and add general advice after it."""
    lines = [line.strip() for line in text.splitlines() if any(map(str.isalpha, line))]
    return " ".join(lines[:3])
