"""Accuracy of the convolutional network after five epochs with the defaults and the ring strategy."""

import child

TIMEOUT_SECONDS = 1800
COMMAND = "train --json --workers 4 --strategy ring --epochs 5 --set model.kind=cnn"


def measure_all(options, progress):
    try:
        out = child.output_of([str(options.trireme), *COMMAND.split()], TIMEOUT_SECONDS)
        document = child.document_of(out)
        if not isinstance(document, dict) or "test_accuracy" not in document:
            raise child.Failed(f"no test_accuracy in its output: {out.strip()[:200]!r}")
        rows = [{"command": COMMAND, "test_accuracy": document["test_accuracy"], "rounds": [document]}]
    except child.Failed as failure:
        progress.complain("accuracy", "ring", failure)
        rows = [{"command": COMMAND, "test_accuracy": None, "failure": str(failure)}]
    progress.report("accuracy", 1)
    return rows
