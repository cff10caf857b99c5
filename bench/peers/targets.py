"""The targets against the peers, and whether the figures meet them."""

from dataclasses import dataclass

from contestants import OPERATIONS
from tables import KIB, MIB, aligned, size_in_words, three_digits

ALL_PEERS = ("openmpi", "mpich", "gloo")


@dataclass(frozen=True)
class Target:
    """From min_bytes to max_bytes: (time of the best peer) / (time of the contestant) is the factor or more."""

    ranks: int
    contestant: str
    peers: tuple[str, ...]
    factor: float
    min_bytes: int = 0
    max_bytes: int | None = None
    operation: str = "allreduce"
    floor: str | None = None  # a contestant that does nothing but what cannot be left out

    def in_words(self):
        peers = "any of " + ", ".join(self.peers) if len(self.peers) > 1 else self.peers[0]
        start = f" from {size_in_words(self.min_bytes)}" if self.min_bytes else ""
        end = f" to {size_in_words(self.max_bytes)}" if self.max_bytes else ""
        return f"{self.factor_in_words()} {peers}{start}{end}"

    def factor_in_words(self):
        if self.factor == 1:
            return "not slower than"
        if self.factor < 1:
            return f"at most {1 / self.factor:.3g} x the time of"
        return f"{self.factor:g} x"

    def covers(self, size):
        return self.min_bytes <= size and (self.max_bytes is None or size <= self.max_bytes)


TARGETS = (
    Target(2, "trireme", ALL_PEERS, 1),
    Target(2, "trireme", ("openmpi",), 4, 16 * KIB),
    Target(2, "private", ("openmpi",), 1),
    Target(4, "trireme", ("openmpi",), 1),
    Target(4, "trireme", ("openmpi",), 4, 64 * KIB),
    Target(4, "private", ("openmpi",), 1),
    Target(4, "ring", ("openmpi",), 1.5, MIB),
    Target(4, "parameter-server", ("openmpi",), 1.5, MIB),
    Target(2, "tcp", ("openmpi-tcp", "gloo"), 1),
    Target(2, "tcp", ("openmpi-tcp",), 2, max_bytes=64 * KIB),
    Target(2, "tcp", ("gloo",), 10, max_bytes=64 * KIB),
    Target(4, "tcp", ("openmpi-tcp", "gloo"), 1),
    Target(2, "mpi-ring", ("openmpi-ring",), 1 / 1.3, MIB),
    Target(4, "mpi-ring", ("openmpi-ring",), 1 / 1.3, MIB),
    *(
        Target(ranks, contestant, (peer,), 1, operation=operation, floor=floor)
        for operation in OPERATIONS
        if operation != "allreduce"
        for ranks in (2, 4)
        for contestant, peer, floor in (
            ("trireme", "openmpi", None),
            ("tcp", "openmpi-tcp", "sockets" if ranks == 2 else None),
        )
    ),
)


def allowance(ranks, size, cores):
    """The fraction of a target that is enough: machines are noisy, most of all for small calls on shared cores."""
    return 0.8 if size < KIB and ranks > cores else 0.9


ALLOWANCE_IN_WORDS = "0.9 of a target is enough; 0.8 below 1 KiB with more ranks than cores."


def ratio_at(target, contestant, size, figures):
    """How many times faster than the best peer; None if a figure is missing."""
    ours = figures.get((target.operation, target.ranks, size, contestant))
    theirs = [figures.get((target.operation, target.ranks, size, peer)) for peer in target.peers]
    return None if ours is None or None in theirs else min(theirs) / ours


def judge(target, sizes, figures, cores):
    """The target's verdict as plain data: "met", "missed", or "not measured" if a figure is missing."""
    points = []
    for size in filter(target.covers, sizes):
        enough = target.factor * allowance(target.ranks, size, cores)
        ratio = ratio_at(target, target.contestant, size, figures)
        point = {"bytes": size, "ratio": ratio, "met": None if ratio is None else ratio >= enough}
        if target.floor:
            floor = ratio_at(target, target.floor, size, figures)
            point["floor_met"] = None if floor is None else floor >= enough
        points.append(point)
    outcomes = {point["met"] for point in points}
    verdict = "missed" if False in outcomes else "met" if outcomes == {True} else "not measured"
    return {"target": target.in_words(), **vars(target), "verdict": verdict, "points": points}


def judge_all(operations, ranks, sizes_of, figures, cores):
    """The verdicts on the targets for these operations and ranks; `sizes_of` tells the sizes of both."""
    return [
        judge(target, sizes_of(target.operation, target.ranks), figures, cores)
        for target in TARGETS
        if target.operation in operations and target.ranks in ranks
    ]


def verdict_in_words(judged):
    missed = [point for point in judged["points"] if point["met"] is False]
    if not missed:
        return judged["verdict"]
    worst = min(missed, key=lambda point: point["ratio"])
    by = 1 - worst["ratio"] / judged["factor"]
    where = f"{len(missed)} of {len(judged['points'])} sizes"
    words = f"missed at {where}, by {by * 100:.0f} % at {size_in_words(worst['bytes'])}"
    floors = sum(point.get("floor_met") is False for point in missed)
    return f"{words}; {judged['floor']} miss it at {floors} of these" if floors else words


def lowest_ratio(judged):
    return min((point["ratio"] for point in judged["points"] if point["ratio"] is not None), default=None)


def target_table(judged_targets):
    rows = [["operation", "ranks", "contestant", "target", "lowest ratio", "verdict"]]
    for judged in judged_targets:
        rows.append(
            [
                judged["operation"],
                str(judged["ranks"]),
                judged["contestant"],
                judged["target"],
                three_digits(lowest_ratio(judged)),
                verdict_in_words(judged),
            ]
        )
    return aligned(rows, left=(0, 2, 3, 5))
