"""Interleaved rounds: every contestant once per round, in rotating order, so that a slow minute of the machine
affects all of them."""

import child


def run_rounds(starts, rounds, turn, complain):
    """The results of each start in its rounds, and why some have failed. A start that fails is not repeated.

    `starts` are functions by name; `turn` counts the rounds of all cases, so that the order rotates by one."""
    runs, failures = {name: [] for name in starts}, {}
    for _ in range(rounds):
        for name in rotated(tuple(starts), next(turn)):
            if name in failures:
                continue
            try:
                runs[name].append(starts[name]())
            except child.Failed as failure:
                failures[name] = str(failure)
                complain(name, failure)
    return runs, failures


def rotated(items, places):
    places %= max(1, len(items))
    return items[places:] + items[:places]
