"""The scores of the stored example on several random splits: one split alone can be a lucky one. No Streamlit here."""

from functools import lru_cache
from pathlib import Path

import pandas as pd

from ...comparison.jobs import COLUMNS
from ...comparison.repeats import RepeatedSplits
from ...errors import DataError
from ...runs import Run
from ...runs.file_checks import file_state
from ...runs.scores import typed_scores

SPLITS = "splits.csv"
CURVES = "curves.parquet"
"""The files in the folder of the run, besides those of every run."""


def write_splits(run: Run, repeated: RepeatedSplits) -> None:
    """Write the scores and curves of a run on several splits to its folder."""
    assert run.folder is not None
    repeated.scores.to_csv(run.folder / SPLITS, index=False)
    small = repeated.curves.astype({"recall": "float32", "precision": "float32"})
    small.astype({"method": "category", "relation": "category"}).to_parquet(run.folder / CURVES, index=False)


def read_splits(run: Run) -> RepeatedSplits | None:
    """The scores and curves of a run on several splits if they are stored with it, for the same methods.

    >>> from mrwtd.runs import DataRef, RunSpec, SplitSpec
    >>> read_splits(Run(RunSpec(DataRef("florentine"), SplitSpec(0.5), ()), "finished", 1.0, ())) is None
    True
    """
    if run.folder is None or not (run.folder / SPLITS).is_file():
        return None
    repeated = _read_once(run.folder, tuple(file_state(f"{run.folder}/{name}") for name in (SPLITS, CURVES)))
    if repeated is None or set(repeated.scores["method"]) != set(run.methods):
        return None
    return repeated


@lru_cache(maxsize=2)  # most pages show the example to a new user
def _read_once(folder: Path, state: tuple[object, ...]) -> RepeatedSplits | None:  # noqa: ARG001 - part of the cache key
    try:
        scores, curves = typed_scores(folder / SPLITS), pd.read_parquet(folder / CURVES)
        scores = scores[list(COLUMNS)]
        curves = curves.astype({"method": "str", "relation": "str", "recall": "float64", "precision": "float64"})
    except (OSError, ValueError, KeyError, DataError):
        return None  # the run is shown without them
    return RepeatedSplits(scores, curves)
