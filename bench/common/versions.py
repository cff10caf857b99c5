"""The versions that are compared: found in the output of a command."""

import re
import subprocess


def version(words, pattern=r"(\S+)"):
    try:
        answer = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    found = re.search(pattern, answer.stdout)
    return found[1] if found else "unknown"
