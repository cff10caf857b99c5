"""Processes of this host, for tests that look at them and send them signals."""

import os


def content(path):
    """Of a file that may be gone; then it is empty."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def children_of(process):
    return [int(word) for word in content(f"/proc/{process}/task/{process}/children").split()]


def descendants_of(process):
    children = children_of(process)
    return children + [one for child in children for one in descendants_of(child)]


def variables_of(process):
    """Of its environment, as it was when its program began."""
    return dict(entry.partition("=")[::2] for entry in content(f"/proc/{process}/environ").split("\0"))


def runs(process, program):
    """Whether it runs the program of this path, links resolved."""
    try:
        return os.path.realpath(f"/proc/{process}/exe") == program
    except OSError:
        return False


def state_of(process):
    """Its letter in /proc, or nothing when it is not there; a zombie counts as not there."""
    text = content(f"/proc/{process}/stat")
    state = text[text.rindex(")") + 2] if ")" in text else ""
    return "" if state in "ZX" else state


def is_there(process):
    return state_of(process) != ""


def signalled(process, number):
    """Whether it was still there to get the signal."""
    try:
        os.kill(process, number)
    except ProcessLookupError:
        return False
    return True
