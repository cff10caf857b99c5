"""Starts trainings for the benchmarks of servers, and reads what they leave."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "common"))
import child  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT = 300


def train(trireme, *words):
    """The summary of a training."""
    return child.document_of(child.output_of([str(trireme), "train", *words, "--json"], TIMEOUT))


def recorded(trireme, folder, *words):
    """The summary of a training that leaves its folder, and the lines of its metrics."""
    summary = train(trireme, *words, "--out", str(folder))
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return summary, lines
