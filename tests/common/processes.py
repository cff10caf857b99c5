"""Processes of this host, for tests that look at them and send them signals."""

import os


def content(path):
    """The content of a file; empty if the file is gone."""
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
    """The value in its environment when its program began."""
    return dict(entry.partition("=")[::2] for entry in content(f"/proc/{process}/environ").split("\0"))


def runs(process, program):
    """Whether it runs the program of this path, links resolved."""
    try:
        return os.path.realpath(f"/proc/{process}/exe") == program
    except OSError:
        return False


def state_of(process):
    """Its state letter in /proc, or None if it does not exist; a zombie counts as not existing."""
    text = content(f"/proc/{process}/stat")
    state = text[text.rindex(")") + 2] if ")" in text else ""
    return "" if state in "ZX" else state


def is_there(process):
    return state_of(process) != ""


def signalled(process, number):
    """Whether it still existed to get the signal."""
    try:
        os.kill(process, number)
    except ProcessLookupError:
        return False
    return True
