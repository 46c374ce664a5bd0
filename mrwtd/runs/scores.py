"""The scores of a run on disk: the columns of scores.csv and their checks."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

import numpy as np
import pandas as pd

from ..data.negatives import estimated_from
from ..metrics import METRICS

SCORES = "scores.csv"


@dataclass(frozen=True)
class Column:
    """The type of a column.

    Attributes:
        type: the type of its values; missing texts are "", missing numbers NaN or NA.
        required: whether a run without it is refused.
        low: the smallest valid number.
    """

    type: Literal["str", "float64", "Int64", "int64"] = "str"
    required: bool = False
    low: float = -np.inf


COLUMNS = {
    "method": Column(required=True),
    "relation": Column(required=True),
    "kind": Column(required=True),
    "metric": Column(required=True),
    "value": Column("float64", required=True),
    "entries": Column("Int64", required=True, low=0),
    "positives": Column("Int64", low=0),
    "sampled_pairs": Column("Int64", low=0),
    "reason": Column(),
    "held_out": Column(),
    "lam": Column("float64", low=0),
    "seconds": Column("float64", low=0),
    "messages": Column(),
    "evaluations": Column("Int64", low=0),
    "test_entries": Column("Int64", low=0),
    "largest_rank": Column("Int64", low=0),
    "train": Column("float64"),
    "run": Column("int64"),
    "folds": Column("int64"),
    "rank": Column("int64"),
    "n_objects": Column("int64"),
}
"""All other columns are texts."""

CHECKS: dict[str, Callable[[pd.DataFrame], pd.Series]] = {
    "an unknown metric": lambda rows: rows["metric"].isin([*METRICS]),
    "a metric of another kind of relation": lambda rows: pd.Series(
        [kind in METRICS[metric].kinds for kind, metric in zip(rows["kind"], rows["metric"], strict=True)], dtype=bool
    ),
    "two values for one score": lambda rows: ~rows.duplicated(["method", "relation", "metric"]),
    "a score that does not say of how many entries": lambda rows: rows["entries"].notna(),
    "a score that does not say of how many positives": lambda rows: (
        (rows["kind"] != "binary") | (rows["positives"].notna() & (rows["positives"] <= rows["entries"]).fillna(False))
        if "positives" in rows
        else rows["kind"] != "binary"
    ),
}
"""The checks of rows with a score, by the problem that they find."""


def read_scores(file: Path) -> pd.DataFrame:
    """The scores of a run: one row per score of each method, and one row with the reason for a failed method."""
    try:
        scores = typed_scores(file)
    except FileNotFoundError:
        raise ValueError(f"{SCORES} is missing") from None
    missing = [name for name, column in COLUMNS.items() if column.required and name not in scores]
    if missing:
        raise ValueError(f"{SCORES} has no column {missing[0]!r}")
    measured = scores[scores["metric"] != ""].reset_index(drop=True)
    for problem, passes in CHECKS.items():
        if not passes(measured).all():
            raise ValueError(f"{SCORES} has {problem}")
    # Methods without λ leave it out.
    return scores if "lam" in scores else scores.assign(lam=np.nan)


def typed_scores(file: Path | IO[str]) -> pd.DataFrame:
    """A table of scores with the types of `COLUMNS`; numbers are exact to the last digit."""
    try:
        texts = pd.read_csv(file, keep_default_na=False, dtype="str")  # the name of a relation may be 01
    except FileNotFoundError:
        raise
    except (OSError, ValueError, OverflowError, MemoryError):
        raise ValueError(f"{SCORES} is damaged") from None
    return texts.assign(**{name: _typed(texts[name], name) for name in COLUMNS if name in texts})


def sampled_entries(scores: pd.DataFrame) -> tuple[int, int] | None:
    """The number of scored test entries and of all test entries, if only a sample was scored.

    >>> rows = pd.DataFrame({"method": "CP", "relation": ["likes", "knows"], "entries": [20, 30], "test_entries": 400})
    >>> sampled_entries(rows), sampled_entries(rows.assign(test_entries=50))
    ((50, 400), None)
    """
    rows = _of_first_method(scores, "entries", "test_entries")
    if rows.empty:
        return None
    scored, tested = int(rows["entries"].sum()), int(rows["test_entries"].iloc[0])
    return (scored, tested) if scored < tested else None


def sampled_pairs(scores: pd.DataFrame) -> int:
    """The number of sampled negatives among the scored test entries.

    >>> sampled_pairs(pd.DataFrame({"method": "CP", "relation": ["likes", "knows"], "sampled_pairs": [20, 30]}))
    50
    """
    return int(_of_first_method(scores, "sampled_pairs")["sampled_pairs"].sum())


def estimated_notes(scores: pd.DataFrame) -> tuple[str, ...]:
    """A sentence on the sampled negatives that scores are estimated from, in each split if there are several.

    >>> estimated_notes(pd.DataFrame({"metric": ["mse"] * 2, "run": [0, 1], "relation": "likes", "sampled_pairs": 20}))
    ('The scores are estimated from 20 sampled pairs in each split.',)
    """
    if "sampled_pairs" not in scores:
        return ()
    rows = scores[scores["metric"] != ""]
    splits = [name for name in ("data", "train", "run") if name in rows]
    first = rows.drop_duplicates([*splits, "relation"])
    counts = first.groupby([first[name] for name in splits] or "metric")["sampled_pairs"].sum()
    estimated = estimated_from(int(counts.max())) if len(counts) else ""
    return (f"The scores are {estimated}{' in each split' * bool(splits)}.",) if estimated else ()


def _of_first_method(scores: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Some columns of the scores of one method, one row per relation; none if no row has all of them."""
    rows = scores.reindex(columns=["method", "relation", *columns]).dropna()
    return rows[rows["method"] == rows["method"].iloc[0]].drop_duplicates("relation") if len(rows) else rows


def _typed(texts: pd.Series, name: str) -> pd.Series:
    """The values of a column."""
    column = COLUMNS[name]
    if column.type == "str":
        return texts
    try:
        numbers = np.array([text or "nan" for text in texts], dtype=np.float64)
        values = pd.Series(numbers, texts.index, dtype=column.type)  # refuses fractions in columns of whole numbers
    except (ValueError, TypeError, OverflowError):
        kind = "numbers" if column.type == "float64" else "whole numbers"
        raise ValueError(f"{SCORES} has values other than {kind} in {name!r}") from None
    if np.isinf(numbers).any() or (numbers < column.low).any():
        raise ValueError(f"{SCORES} has {name!r} out of range")
    return values
