"""Samples per second of every contestant: the median over interleaved rounds."""

import statistics
from functools import partial

from contestants import MODELS, NAMES, RATIOS, STEPS, measure
from rounds import run_rounds
from tables import aligned, three_digits


def cases(options):
    """(model, workers, those who take part)"""
    return [
        (model, workers, [one for one in options.only if workers in one.only_workers])
        for model in MODELS
        if model in options.cases
        for workers in options.workers
    ]


def starts(options):
    return options.rounds * sum(len(contestants) for _, _, contestants in cases(options))


def measure_all(options, turn, progress):
    rows = []
    for model, workers, contestants in cases(options):
        what = case_in_words(model, workers)
        steps = options.steps or STEPS[model, workers]
        ways = {
            one.name: partial(measure, one.words(model, workers, steps, options.trireme))
            for one in contestants
        }
        runs, failures = run_rounds(ways, options.rounds, turn, partial(progress.complain, what))
        rows += [row(model, workers, steps, name, runs[name], failures.get(name)) for name in runs]
        progress.report(what, options.rounds * len(contestants))
    return rows


def row(model, workers, steps, name, runs, failure):
    head = {"model": model, "workers": workers, "steps": steps, "contestant": name}
    if failure:
        return head | {"samples_per_s": None, "failure": failure}
    return head | {"samples_per_s": statistics.median(run["samples_per_s"] for run in runs), "rounds": runs}


def case_in_words(model, workers):
    return f"{model}, {workers} worker{'s' if workers > 1 else ''}"


def figures_of(rows):
    return {(row["model"], row["workers"], row["contestant"]): row["samples_per_s"] for row in rows}


def ratio_of(figures, model, workers, own, peer):
    """How many times as fast; nothing where a figure is missing."""
    ours, theirs = figures.get((model, workers, own)), figures.get((model, workers, peer))
    return None if ours is None or theirs is None else ours / theirs


def all_ratios(rows):
    figures = figures_of(rows)
    return [
        {"model": model, "workers": workers, "contestant": own, "peer": peer, "ratio": ratio}
        for model, workers in places(figures)
        for own, peer in RATIOS
        if (ratio := ratio_of(figures, model, workers, own, peer)) is not None
    ]


def places(figures):
    """Each model and number of workers once, in order."""
    return list(dict.fromkeys((model, workers) for model, workers, _ in figures))


def tables(rows):
    """Samples per second and ratios, as text. A dash is a contestant that has failed."""
    figures = figures_of(rows)
    names = [name for name in NAMES if any(name == row["contestant"] for row in rows)]
    pairs = [pair for pair in RATIOS if set(pair) <= set(names)]
    speeds = [["", *names]]
    ratios = [["", *(f"{own} /" for own, _ in pairs)], ["", *(peer for _, peer in pairs)]]
    for place in places(figures):
        what = case_in_words(*place)
        taking_part = [name for name in names if (*place, name) in figures]
        speeds.append([what, *(cell(name in taking_part, figures.get((*place, name))) for name in names)])
        ratios.append(
            [what, *(cell(set(pair) <= set(taking_part), ratio_of(figures, *place, *pair)) for pair in pairs)]
        )
    text = f"Samples per second\n\n{aligned(speeds, left=(0,))}"
    if pairs:
        title = "Samples per second of the one above / those of the one below"
        text += f"\n\n{title}\n\n{aligned(ratios, left=(0,))}"
    return text


def cell(takes_part, number):
    return three_digits(number) if takes_part else ""
