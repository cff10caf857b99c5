"""Shared by the comparisons: the command line and the terminal."""

import argparse
import signal
import sys
from pathlib import Path


def say(text):
    print(f"{Path(sys.argv[0]).name}: {text}", file=sys.stderr, flush=True)


def positive(text):
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"a positive whole number is needed, not {text!r}")
    return int(text)


def positive_list(text):
    return [positive(part) for part in text.split(",")]


def check_json_option(parser, file):
    """Checks the folder before measuring, not after it."""
    if file and not file.absolute().parent.is_dir():
        parser.error(f"--json: there is no folder {file.parent}")


def run_main(main):
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that a running contestant is ended too
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        say("interrupted")
        sys.exit(130)
