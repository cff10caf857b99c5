"""The contestants, how each is started, and their versions. A new contestant is one more record."""

from dataclasses import dataclass
from pathlib import Path

import child
from versions import version

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
TIMEOUT_SECONDS = 300
WARM_UP_STEPS = 10  # not measured

# Enough for some seconds on two cores, and a little longer for the slowest.
STEPS = {
    ("mlp", 1): 800,
    ("mlp", 2): 600,
    ("mlp", 4): 300,
    ("cnn", 1): 80,
    ("cnn", 2): 60,
    ("cnn", 4): 40,
}
STEPS_BESIDE_BUSY = 100
MODELS = ("mlp", "cnn")
WORKERS = (1, 2, 4)


@dataclass(frozen=True)
class Contestant:
    """One way to train. Its command prints a JSON document with samples_per_s, of all workers together."""

    name: str
    what: str
    command: str  # words with {model}, {workers}, {steps}, {all_steps}, {trireme}, {programs}, {here}
    only_workers: tuple[int, ...] = WORKERS

    def words(self, model, workers, steps, trireme):
        return fill(self.command, model, workers, steps, trireme)


def fill(command, model, workers, steps, trireme):
    """A command line; each word is filled in separately, so that paths may contain spaces."""
    values = {
        "model": model,
        "workers": workers,
        "steps": steps,
        "all_steps": WARM_UP_STEPS + steps,
        "trireme": trireme,
        "programs": ROOT / "build" / "train",
        "here": HERE,
    }
    return [word.format(**values) for word in command.split()]


def trireme(strategy, steps="{all_steps}"):
    """Trains like all others: sgd without momentum, 64 samples and 1 thread per worker."""
    return (
        f"{{trireme}} train --json --workers {{workers}} --strategy {strategy} --steps {steps} "
        "--set model.kind={model} --set data.batch=64 --set train.threads=1 --set train.eval_every=0 "
        "--set optimizer.kind=sgd --set optimizer.rate=0.05"
    )


PLAIN = Contestant("plain", "a plain libtorch loop", "{programs}/plain_loop {model} {steps}", (1,))

CONTESTANTS = (
    Contestant("trireme", "Trireme, auto", trireme("auto")),
    Contestant("server", "Trireme, a share of the servers on each", trireme("parameter-server"), (2,)),
    Contestant("limit", "Trireme's workers without any exchange", trireme("none")),
    PLAIN,
    Contestant("ddp", "PyTorch DDP over Gloo", "{here}/ddp_fashion.py {model} {workers} {steps}"),
)
NAMES = tuple(contestant.name for contestant in CONTESTANTS)

# the tables show (samples/s of the first) / (samples/s of the second)
RATIOS = (
    ("trireme", "plain"),
    ("trireme", "limit"),
    ("trireme", "ddp"),
    ("server", "limit"),
    ("server", "ddp"),
)


def measure(words):
    """Runs a contestant's command line and returns its document; raises child.Failed."""
    return document_of(child.output_of(words, TIMEOUT_SECONDS))


def document_of(out):
    document = child.document_of(out)
    if isinstance(document, dict) and document.get("samples_per_s", 0) > 0:
        return document
    raise child.Failed(f"no samples_per_s in its output: {out.strip()[:200]!r}")


def versions(trireme):
    package = "dpkg-query --show --showformat=${Version}".split()
    return {
        "Trireme": version([str(trireme), "--version"], r"(\d\S*)"),
        "libtorch": version([*package, "libtorch-dev"]),
        "PyTorch": version([*package, "python3-torch"]),
        "Gloo": version([*package, "libgloo0"]),
        "BLAS": version(["readlink", "-f", "/usr/lib/x86_64-linux-gnu/libblas.so.3"]),
    }
