"""The targets, and whether the figures meet them: exactly, without an allowance for noise."""

import operator

import memory
import start
from tables import MIB, aligned
from throughput import Place, figures_of, ratio_of

# place, contestant, peer: the contestant must reach so many times the samples per second of the peer
RATIO_TARGETS = (
    (Place("mlp", 1), "trireme", "plain", 0.97),
    (Place("cnn", 1), "trireme", "plain", 0.97),
    (Place("mlp", 2), "trireme", "limit", 0.85),
    (Place("mlp", 2), "trireme", "ddp", 2.5),
    (Place("mlp", 4), "trireme", "ddp", 2.5),
    (Place("cnn", 2), "trireme", "limit", 0.95),
    (Place("cnn", 2), "trireme", "ddp", 1),
    (Place("mlp", 2, busy=2), "trireme", "ddp", 1.3),
    (Place("mlp", 2, busy=4), "trireme", "ddp", 1.3),
)
START_RATIO = 1.5
EXPLAIN_SECONDS = 0.05
ACCURACY = 0.9

RELATIONS = {"≥": operator.ge, "≤": operator.le, "<": operator.lt}


def judged(case, figure, measured, relation, bound):
    if measured is None or bound is None:
        verdict = "not measured"
    else:
        verdict = "met" if RELATIONS[relation](measured, bound) else "missed"
    return {
        "case": case,
        "figure": figure,
        "measured": measured,
        "relation": relation,
        "target": bound,
        "verdict": verdict,
    }


def judge_all(results):
    return [
        *judge_throughput(results.get("throughput", [])),
        *judge_start(results.get("start", [])),
        *judge_memory(results.get("memory", [])),
        *judge_accuracy(results.get("accuracy", [])),
    ]


def judge_throughput(rows):
    figures = figures_of(rows)
    measured = {place for place, _ in figures}
    return [
        judged(
            str(place),
            f"{own} / {peer}",
            ratio_of(figures, place, own, peer),
            "≥",
            factor,
        )
        for place, own, peer, factor in RATIO_TARGETS
        if place in measured
    ]


def judge_start(rows):
    seconds = {row["what"]: row["seconds"] for row in rows}
    if not seconds:
        return []
    one, four = seconds[start.ONE], seconds[start.FOUR]
    return [
        judged("start", "time of 4 workers / of 1", four / one if one and four else None, "<", START_RATIO),
        judged("explain", "seconds", seconds[start.EXPLAIN], "<", EXPLAIN_SECONDS),
    ]


def judge_memory(rows):
    peaks = {(row["model"], row["contestant"]): row["peak_pss_bytes"] for row in rows}
    verdicts = []
    for (model, name), peak in peaks.items():
        if name not in memory.STRATEGIES:
            continue
        plain = peaks[model, memory.PLAIN_LOOPS]
        bound = None if plain is None else memory.allowed(model, name, plain) / MIB
        verdicts.append(
            judged(f"memory, {model}, {name}", "MiB of a worker", peak and peak / MIB, "≤", bound)
        )
    return verdicts


def judge_accuracy(rows):
    case = "cnn, 4 workers, 5 epochs"
    return [judged(case, "test accuracy", row["test_accuracy"], "≥", ACCURACY) for row in rows]


def target_table(verdicts):
    rows = [["case", "figure", "target", "measured", "verdict"]]
    for one in verdicts:
        rows.append(
            [one["case"], one["figure"], bound_in_words(one), exact(one["measured"]), one["verdict"]]
        )
    return aligned(rows, left=(0, 1, 4))


def bound_in_words(one):
    bound = one["target"]
    if bound is None:
        return "–"
    return f"{one['relation']} {bound:g}" if bound < 10 else f"{one['relation']} {bound:.1f}"


def exact(number):
    """Enough digits to see whether the target is met."""
    return "–" if number is None else f"{number:.4f}" if number < 10 else f"{number:.1f}"
