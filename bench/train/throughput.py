"""Samples per second of every contestant: the median over interleaved rounds."""

import statistics
from functools import partial
from typing import NamedTuple

from busy import busy_processes
from contestants import MODELS, NAMES, RATIOS, STEPS, STEPS_BESIDE_BUSY, measure
from rounds import run_rounds
from tables import aligned, three_digits


class Place(NamedTuple):
    """The conditions under which contestants are compared."""

    model: str
    workers: int
    busy: int = 0  # processes beside the workers that only compute

    def __str__(self):
        beside = f", beside {self.busy} busy processes" if self.busy else ""
        return f"{self.model}, {self.workers} worker{'s' if self.workers > 1 else ''}{beside}"

    def steps(self):
        return STEPS_BESIDE_BUSY if self.busy else STEPS[self.model, self.workers]


BESIDE_BUSY = (Place("mlp", 2, 2), Place("mlp", 2, 4))
NAMES_BESIDE_BUSY = ("trireme", "limit", "ddp")


def cases(options):
    """(place, contestants that take part)"""
    found = []
    for model in MODELS:
        if model in options.cases:
            for workers in options.workers:
                found.append(
                    (Place(model, workers), [one for one in options.only if workers in one.only_workers])
                )
    if "busy" in options.cases:
        for place in BESIDE_BUSY:
            found.append((place, [one for one in options.only if one.name in NAMES_BESIDE_BUSY]))
    return found


def starts(options):
    return options.rounds * sum(len(contestants) for _, contestants in cases(options))


def measure_all(options, turn, progress):
    rows = []
    for place, contestants in cases(options):
        steps = options.steps or place.steps()
        ways = {
            one.name: partial(measure, one.words(place.model, place.workers, steps, options.trireme))
            for one in contestants
        }
        with busy_processes(place.busy):
            runs, failures = run_rounds(ways, options.rounds, turn, partial(progress.complain, str(place)))
        rows += [row(place, steps, name, runs[name], failures.get(name)) for name in runs]
        progress.report(str(place), options.rounds * len(contestants))
    return rows


def row(place, steps, name, runs, failure):
    head = place._asdict() | {"steps": steps, "contestant": name}
    if failure:
        return head | {"samples_per_s": None, "failure": failure}
    return head | {"samples_per_s": statistics.median(run["samples_per_s"] for run in runs), "rounds": runs}


def figures_of(rows):
    return {(place_of(row), row["contestant"]): row["samples_per_s"] for row in rows}


def place_of(row):
    return Place(*(row[field] for field in Place._fields))


def ratio_of(figures, place, own, peer):
    """How many times as fast; None if a figure is missing."""
    ours, theirs = figures.get((place, own)), figures.get((place, peer))
    return None if ours is None or theirs is None else ours / theirs


def all_ratios(rows):
    figures = figures_of(rows)
    return [
        place._asdict() | {"contestant": own, "peer": peer, "ratio": ratio}
        for place in places(figures)
        for own, peer in RATIOS
        if (ratio := ratio_of(figures, place, own, peer)) is not None
    ]


def places(figures):
    """Each value once, in order."""
    return list(dict.fromkeys(place for place, _ in figures))


def tables(rows):
    """Samples per second and ratios, as text. A dash marks a contestant that has failed."""
    figures = figures_of(rows)
    names = [name for name in NAMES if any(name == row["contestant"] for row in rows)]
    pairs = [pair for pair in RATIOS if set(pair) <= set(names)]
    speeds = [["", *names]]
    ratios = [["", *(f"{own} /" for own, _ in pairs)], ["", *(peer for _, peer in pairs)]]
    for place in places(figures):
        what = str(place)
        taking_part = [name for name in names if (place, name) in figures]
        speeds.append([what, *(cell(name in taking_part, figures.get((place, name))) for name in names)])
        ratios.append(
            [what, *(cell(set(pair) <= set(taking_part), ratio_of(figures, place, *pair)) for pair in pairs)]
        )
    text = f"Samples per second\n\n{aligned(speeds, left=(0,))}"
    if pairs:
        title = "Samples per second of the one above / those of the one below"
        text += f"\n\n{title}\n\n{aligned(ratios, left=(0,))}"
    return text


def cell(takes_part, number):
    return three_digits(number) if takes_part else ""
