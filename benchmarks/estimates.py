"""How far the estimated time of a training is from the real one.

    python -m benchmarks.estimates [--data-sets florentine aucs kinship umls synth-binary]

Each data set is trained as the dashboard does it, with every family of methods, on one thread. Seconds are those of the
processor, so other programs hardly count; compiled code is loaded before. A ratio of 2 means that the training takes
twice the estimate. It fails if a ratio is not within a factor of 3.
"""

import sys
import time

import mrwtd
from benchmarks.measure import argument_parser, report
from mrwtd.dashboard.jobs import estimates
from mrwtd.dashboard.jobs.training import spec_of
from mrwtd.dashboard.state.settings import Settings
from mrwtd.model.threads import limit_threads
from mrwtd.runs import execute

CASES: tuple[tuple[str, dict[str, object]], ...] = (
    ("florentine", {}),
    ("florentine", {"methods": ("MrWTD-E",)}),
    ("aucs", {"methods": ("MrWTD", "BPTF", "MrWTD-B")}),
    ("aucs", {"rank": "auto", "methods": ("MrWTD",)}),
    ("aucs", {"methods": ("MrWTD-E",)}),
    ("monastery", {"methods": ("MrWTD-B",)}),
    ("monastery", {"methods": ("MrWTD-E",)}),
    ("kinship", {"rank": 20}),
    ("kinship", {"rank": 20, "methods": ("MrWTD-B",)}),
    ("kinship", {"rank": "auto", "methods": ("MrWTD",)}),
    ("umls", {"rank": 20, "methods": ("MrWTD",)}),
    ("airports", {}),
    ("airports", {"rank": "auto", "methods": ("MrWTD",)}),
    ("nations", {"rank": 20}),
    ("synth-binary", {"rank": 10, "methods": ("MrWTD", "MMMF+")}),
    ("synth-binary", {"rank": 10, "methods": ("MrWTD-B",)}),
)
"""Data sets and settings besides the defaults."""

WITHIN = 3.0


def warm_up() -> None:
    """Load the compiled code of all methods and likelihoods."""
    for name in ("florentine", "monastery", "airports"):
        for method in ("MrWTD", "MrWTD-B", "MMMF+", "RESCAL", "BPTF"):
            mrwtd.make_method(method, rank=2).fit(mrwtd.load_dataset(name))


def measure(name: str, chosen: dict[str, object]) -> dict[str, object]:
    """Estimated and real seconds of a training."""
    data, settings = mrwtd.load_dataset(name), Settings(name, **chosen)
    settings = settings.resolved(data)
    expected = estimates.estimate(settings, data).seconds
    with limit_threads(1):
        began = time.process_time()
        execute(spec_of(settings, data), data)
        seconds = time.process_time() - began
    return {
        "data": name, "methods": ", ".join(settings.methods), "rank": settings.rank, "estimate": round(expected, 1),
        "seconds": round(seconds, 1), "ratio": round(seconds / expected, 2),
    }  # fmt: skip


if __name__ == "__main__":
    parser = argument_parser(__doc__)
    parser.add_argument("--data-sets", nargs="*", default=[name for name, _ in CASES])
    options = parser.parse_args()
    warm_up()
    rows = []
    for case in CASES:
        if case[0] in options.data_sets:
            rows.append(measure(*case))
            print(rows[-1], flush=True)
    report("estimates", rows)
    failed = [row for row in rows if not 1 / WITHIN <= row["ratio"] <= WITHIN]
    sys.exit(f"failed: {failed}" if failed else 0)
