"""Start: how long 1 and 4 workers take until the end of their first step, and how long `trireme explain` takes.

Measured from outside: from the start of the program to its line about step 1. This includes the first step, of the
small model, and excludes what follows, such as the evaluation."""

import statistics
import time
from functools import partial

import child
from contestants import TIMEOUT_SECONDS, fill, trireme
from rounds import run_rounds
from tables import aligned, three_digits
from watch import seconds_to_first_step

ONE, FOUR, EXPLAIN = "1 worker", "4 workers", "explain"


def starts(options):
    return 3 * options.rounds


def measure_all(options, turn, progress):
    runs, failures = run_rounds(ways(options), options.rounds, turn, partial(progress.complain, "start"))
    progress.report("start", starts(options))
    return [row(name, runs[name], failures.get(name)) for name in runs]


def ways(options):
    def until_first_step(workers):
        words = fill(trireme("auto", steps=1), "mlp", workers, 1, options.trireme)
        return partial(seconds_to_first_step, words, TIMEOUT_SECONDS)

    explain = [str(options.trireme), *"explain ring --workers 4 --parameters 1000".split()]
    return {ONE: until_first_step(1), FOUR: until_first_step(4), EXPLAIN: partial(seconds_of, explain)}


def seconds_of(words):
    begin = time.monotonic()
    child.output_of(words, TIMEOUT_SECONDS)
    return time.monotonic() - begin


def row(name, runs, failure):
    if failure:
        return {"what": name, "seconds": None, "failure": failure}
    return {"what": name, "seconds": statistics.median(runs), "rounds": runs}


def table(rows):
    cells = [["", *(row["what"] for row in rows)], ["seconds", *(three_digits(row["seconds"]) for row in rows)]]
    return "Time to the end of the first step, and of trireme explain\n\n" + aligned(cells, left=(0,))
