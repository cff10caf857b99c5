"""Which versions are compared: asked by a command, found in its answer."""

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
