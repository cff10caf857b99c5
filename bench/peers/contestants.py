"""The contestants, how each is started, and their versions. A new contestant is one more record."""

from dataclasses import dataclass
from pathlib import Path

import child
from tables import MIB
from versions import version

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "build" / "peers"
TIMEOUT_SECONDS = 60


# the names that `trireme bench` has for them
OPERATIONS = ("allreduce", "broadcast", "all-gather", "reduce-scatter", "all-to-all", "ping-pong")


def has_chunks(operation):
    """Whether each rank has its chunk of the buffer, which must be one float32 at least."""
    return operation not in ("allreduce", "broadcast", "ping-pong")


@dataclass(frozen=True)
class Contestant:
    """One way to do operations. Its command prints {"rows": [{"bytes": ..., "median_us": ..., ...}]}."""

    name: str
    what: str
    command: str  # words with {operation}, {ranks}, {bytes}, {oversubscribe}, {programs}, {trireme}
    only_ranks: tuple[int, ...] = ()  # empty: every number of ranks
    min_bytes: int = 0
    operations: tuple[str, ...] = ("allreduce",)

    def takes_part(self, operation, ranks, size):
        has_ranks = not self.only_ranks or ranks in self.only_ranks
        return operation in self.operations and has_ranks and size >= self.min_bytes

    def words(self, operation, ranks, size, cores, trireme):
        """The command line for one size; each word is filled in separately, so that paths may contain spaces."""
        values = {
            "operation": operation,
            "ranks": ranks,
            "bytes": size,
            "oversubscribe": "--oversubscribe" if ranks > cores else "",
            "programs": PROGRAMS,
            "trireme": trireme,
        }
        return [word for word in (word.format(**values) for word in self.command.split()) if word]


# Open MPI yields by itself when there are more ranks than cores; MPICH has no such setting and spins.
OPEN_MPI = "mpirun.openmpi --allow-run-as-root {oversubscribe} -n {ranks} --mca btl "
MPICH = "mpiexec.mpich -n {ranks} "
OPEN_MPI_PROGRAM = "{programs}/operations_openmpi {operation} {bytes}"
OPEN_MPI_RING = "--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_allreduce_algorithm 4 "


def trireme(wire):
    return (
        "{trireme} bench {operation} --json --workers {ranks} --min-bytes {bytes} --max-bytes {bytes} "
        f"--wire {wire} --strategy "
    )


TRIREME = trireme("shm")

CONTESTANTS = (
    Contestant(
        "openmpi",
        "Open MPI, shared memory",
        OPEN_MPI + "self,vader " + OPEN_MPI_PROGRAM,
        operations=OPERATIONS,
    ),
    Contestant("mpich", "MPICH, shared memory", MPICH + "{programs}/operations_mpich {operation} {bytes}"),
    Contestant("gloo", "Gloo, TCP on 127.0.0.1", "{programs}/allreduce_gloo {ranks} {bytes}"),
    Contestant("trireme", "Trireme, windows", TRIREME + "auto", operations=OPERATIONS),
    Contestant("private", "Trireme, private memory", TRIREME + "auto --private", operations=OPERATIONS),
    Contestant("ring", "Trireme, windows, ring", TRIREME + "ring", (4,), MIB),
    Contestant(
        "parameter-server", "Trireme, windows, parameter-server", TRIREME + "parameter-server", (4,), MIB
    ),
    Contestant("direct", "Trireme, windows, direct", TRIREME + "direct", (4,), MIB),
    Contestant(
        "openmpi-tcp",
        "Open MPI, TCP on loopback",
        OPEN_MPI + "self,tcp " + OPEN_MPI_PROGRAM,
        operations=OPERATIONS,
    ),
    Contestant(
        "sockets",
        "bare sockets, the floor of small TCP",
        "{programs}/operations_sockets {operation} {bytes}",
        (2,),
        operations=OPERATIONS,
    ),
    Contestant("tcp", "Trireme, TCP on loopback", trireme("tcp") + "auto", operations=OPERATIONS),
    Contestant(
        "openmpi-ring",
        "Open MPI, shared memory, its ring",
        OPEN_MPI + "self,vader " + OPEN_MPI_RING + OPEN_MPI_PROGRAM,
        min_bytes=MIB,
    ),
    Contestant("mpi-ring", "Trireme over Open MPI, ring", trireme("mpi") + "ring", min_bytes=MIB),
)
NAMES = tuple(contestant.name for contestant in CONTESTANTS)

# the tables show (time of the first) / (time of the second)
RATIOS = (
    ("openmpi", "trireme"),
    ("mpich", "trireme"),
    ("gloo", "trireme"),
    ("openmpi", "private"),
    ("mpich", "private"),
    ("gloo", "private"),
    ("openmpi", "ring"),
    ("openmpi", "parameter-server"),
    ("openmpi", "direct"),
    ("openmpi-tcp", "tcp"),
    ("gloo", "tcp"),
    ("sockets", "tcp"),
    ("openmpi-tcp", "sockets"),
    ("openmpi-ring", "mpi-ring"),
)

# the command that prints the version, and where the version is in its output
VERSIONS = {
    "Open MPI": ("mpirun.openmpi --version", r"\(OpenRTE\) (\S+)"),
    "MPICH": ("mpiexec.mpich --version", r"Version:\s+(\S+)"),
    "Gloo": ("dpkg-query --show --showformat=${{Version}} libgloo0", r"(\S+)"),
    "Trireme": ("{trireme} --version", r"(\d\S*)"),
}


def versions(trireme):
    return {
        name: version([word.format(trireme=trireme) for word in command.split()], pattern)
        for name, (command, pattern) in VERSIONS.items()
    }


def measure(words, size):
    """Runs a contestant's command line and returns its row for this size; raises child.Failed."""
    return row_of(child.output_of(words, TIMEOUT_SECONDS), size)


def row_of(out, size):
    try:
        row = child.document_of(out)["rows"][0]
        if row["bytes"] == size and row["median_us"] > 0:
            return row
    except (LookupError, TypeError):
        pass
    raise child.Failed(f"no row for {size} bytes in its output: {out.strip()[:200]!r}")
