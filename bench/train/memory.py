"""Memory: the peak of the proportional set size of one of four workers, compared with a plain loop.

Each process counts its share of the pages that it shares with others, above all libtorch's. So four plain loops run
side by side when they are measured; a single one would use more, and allow more."""

from functools import partial

from contestants import MODELS, PLAIN, STEPS, TIMEOUT_SECONDS, fill, trireme
from rounds import run_rounds
from tables import MIB, aligned
from watch import peak_pss

WORKERS = 4
STRATEGIES = ("ring", "direct", "all-to-all", "parameter-server")
WITH_BUCKETS = ("all-to-all", "parameter-server")  # may have one more bucket for each worker
PLAIN_LOOPS, ONE_PLAIN_LOOP = "plain", "plain alone"
STARTS = len(MODELS) * (len(STRATEGIES) + 2)

GRADIENT_BYTES = {"mlp": 4 * 535_818, "cnn": 4 * 421_642}
BUCKET_BYTES = 4 << 20  # the default of exchange.bucket_bytes: each model fits into one
ALLOWANCE = 64 * MIB


def measure_all(options, turn, progress):
    rows = []
    for model in MODELS:
        what = f"memory, {model}"
        runs, failures = run_rounds(ways(model, options), 1, turn, partial(progress.complain, what))
        rows += [row(model, name, runs[name], failures.get(name)) for name in runs]
        progress.report(what, len(runs))
    return rows


def ways(model, options):
    steps = options.steps or STEPS[model, WORKERS]
    plain = PLAIN.words(model, 1, steps, options.trireme)
    ways = {name: (fill(trireme(name), model, WORKERS, steps, options.trireme), 1) for name in STRATEGIES}
    ways[PLAIN_LOOPS] = (side_by_side(plain), WORKERS)
    ways[ONE_PLAIN_LOOP] = (plain, 1)
    return {name: partial(peak_pss, words, count, TIMEOUT_SECONDS) for name, (words, count) in ways.items()}


def side_by_side(words):
    return ["sh", "-c", f'for i in $(seq {WORKERS}); do "$@" & done; wait', "sh", *words]


def row(model, name, runs, failure):
    head = {"model": model, "workers": WORKERS, "contestant": name}
    if failure:
        return head | {"peak_pss_bytes": None, "peak_pss_bytes_of_job": None, "failure": failure}
    return head | {"peak_pss_bytes": runs[0]["worker"], "peak_pss_bytes_of_job": runs[0]["job"]}


def allowed(model, strategy, plain):
    """The memory that a worker may use if a plain loop uses so much."""
    bucket = min(BUCKET_BYTES, GRADIENT_BYTES[model])
    return plain + GRADIENT_BYTES[model] + ALLOWANCE + (WORKERS * bucket if strategy in WITH_BUCKETS else 0)


def table(rows):
    cells = [["", *(row["contestant"] for row in rows if row["model"] == MODELS[0])]]
    for model in MODELS:
        own = [row for row in rows if row["model"] == model]
        cells.append([f"{model}, a worker", *(mebibytes(row["peak_pss_bytes"]) for row in own)])
        cells.append([f"{model}, the job", *(mebibytes(row["peak_pss_bytes_of_job"]) for row in own)])
    title = f"Peak memory of {WORKERS} workers (proportional set size), MiB"
    return f"{title}\n\n{aligned(cells, left=(0,))}"


def mebibytes(count):
    return "–" if count is None else f"{count / MIB:.1f}"
