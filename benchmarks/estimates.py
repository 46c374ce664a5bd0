"""How far the estimated time of a training is from the real one.

    python -m benchmarks.estimates [--data-sets florentine aucs kinship umls synth-binary]

Each data set is trained as the dashboard does it, with every family of methods, on one thread. Seconds are those of the
processor, so other programs do not count. A ratio of 2 means that the training takes twice the estimate.
"""

import time

import mrwtd
from benchmarks.measure import argument_parser, report
from mrwtd.dashboard.jobs import estimates
from mrwtd.dashboard.jobs.training import spec_of
from mrwtd.dashboard.state.settings import Settings
from mrwtd.model.threads import limit_threads
from mrwtd.runs import execute

CASES: dict[str, dict[str, object]] = {
    "florentine": {},
    "aucs": {"methods": ("MrWTD", "BPTF", "MrWTD-B")},
    "monastery": {"methods": ("MrWTD-B",)},
    "kinship": {"rank": 20},
    "umls": {"rank": 20, "methods": ("MrWTD",)},
    "airports": {},
    "nations": {"rank": 20},
    "synth-binary": {"rank": 10, "methods": ("MrWTD", "MMMF+")},
}
"""Settings of each data set, besides the defaults."""


def measure(name: str) -> dict[str, object]:
    """Estimated and real seconds of a training."""
    data, settings = mrwtd.load_dataset(name), Settings(name, **CASES[name])
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
    parser.add_argument("--data-sets", nargs="*", default=list(CASES))
    options = parser.parse_args()
    mrwtd.MrWTD(rank=2, lam=1.0).fit(mrwtd.load_dataset("florentine"))
    report("estimates", [measure(name) for name in options.data_sets])
