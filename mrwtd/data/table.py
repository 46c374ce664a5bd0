"""`Table`: what a reader found in a file, before kinds, directions and absent rows are decided.

Every reader ends in a `Table`, and `build` turns any `Table` into `RelationalData`: a new format needs to
know nothing of kinds, duplicates or negatives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from .errors import DataError, Problem
from .relations import Relation

WORDS = {
    "true": 1.0, "yes": 1.0, "y": 1.0, "t": 1.0,
    "false": 0.0, "no": 0.0, "n": 0.0, "f": 0.0,
}  # fmt: skip
"""Words for a binary value, in any case."""

MISSING_WORDS = ("", "na", "n/a", "nan", "null", "none", "?", ".", "-")
"""Words for a value that is not known, in any case."""


@dataclass(frozen=True)
class Table:
    """Rows of source, relation, target, value and weight, with names already turned into positions.

    >>> table = Table.from_names(["ann", "bob"], ["likes", "likes"], ["bob", "cat"], values=[1, 0])
    >>> table.objects, table.relations, table.values
    (('ann', 'bob', 'cat'), ('likes',), array([1., 0.]))

    Attributes:
        objects, relations: names in the order of their first appearance, or of the file's own list.
        i, j, k: positions of source, target and relation, a row each.
        values: numbers; NaN is a pair said to be unobserved. None: the file lists ties and gives no value.
        weights: numbers; None: the file gives none.
        lines: where each row stands in the file, for messages; None: rows have no lines.
        declared: what the file itself says of a relation: {"directed": bool, "kind": str, "levels": tuple}.
        attributes: a frame by object, or None.
        file: the name to use in messages.
        format: the name of the reader.
        notes: sentences for the user on how the file was understood.
    """

    objects: tuple[str, ...]
    relations: tuple[str, ...]
    i: npt.NDArray[np.int32]
    j: npt.NDArray[np.int32]
    k: npt.NDArray[np.int32]
    values: npt.NDArray[np.float64] | None = None
    weights: npt.NDArray[np.float64] | None = None
    lines: npt.NDArray[np.int64] | None = None
    declared: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    attributes: pd.DataFrame | None = None
    file: str | None = None
    format: str = "frame"
    notes: tuple[str, ...] = ()

    @classmethod
    def from_names(
        cls,
        source: Sequence[Any] | npt.NDArray[Any] | pd.Series,
        relation: Sequence[Any] | npt.NDArray[Any] | pd.Series,
        target: Sequence[Any] | npt.NDArray[Any] | pd.Series,
        values: npt.ArrayLike | None = None,
        weights: npt.ArrayLike | None = None,
        *,
        objects: Sequence[str] = (),
        relations: Sequence[str] = (),
        **rest: Any,
    ) -> Table:
        """A table from columns of names. `objects` and `relations` list names that come first, used or not."""
        i, j, all_objects = _positions([source, target], objects)
        k, all_relations = _positions([relation], relations)
        return cls(
            objects=all_objects,
            relations=all_relations,
            i=i,
            j=j,
            k=k,
            values=None if values is None else np.asarray(values, dtype=np.float64),
            weights=None if weights is None else np.asarray(weights, dtype=np.float64),
            **rest,
        )

    @classmethod
    def from_frame(cls, frame: pd.DataFrame) -> Table:
        """A table from a frame with the columns source, relation, target and, if any, value and weight.

        >>> Table.from_frame(pd.DataFrame({"source": ["a"], "relation": ["r"], "target": ["b"]})).objects
        ('a', 'b')
        """
        lacking = [name for name in ("source", "relation", "target") if name not in frame.columns]
        if lacking:
            found = f"the columns {', '.join(map(repr, map(str, frame.columns)))}"
            raise DataError(Problem(found, f"also {', '.join(map(repr, lacking))}"))
        for name in ("source", "relation", "target"):
            empty = np.flatnonzero(frame[name].isna())
            if empty.size:
                raise DataError(Problem("no name", "a name in every row", where=f"row {empty[0]}, column {name!r}"))
        columns: dict[str, npt.NDArray[np.float64] | None] = {}
        for name in ("value", "weight"):
            if name not in frame.columns:
                columns[name] = None
                continue
            numbers, wrong = parse_numbers(frame[name])
            if wrong.any():
                rows = np.flatnonzero(wrong)
                texts = frame[name].iloc[rows[:100]].tolist()
                problems = [
                    Problem(repr(text), "a number, or true/false", where=f"row {row}, column {name!r}")
                    for row, text in zip(rows, texts, strict=False)
                ]
                raise DataError(problems, total=rows.size)
            columns[name] = numbers
        schema = frame.attrs.get("mrwtd", {})
        return cls.from_names(
            frame["source"],
            frame["relation"],
            frame["target"],
            columns["value"],
            columns["weight"],
            **schema_arguments(schema),
        )


def schema_arguments(schema: Mapping[str, Any]) -> dict[str, Any]:
    """What `RelationalData.schema` says, as arguments of `Table.from_names`."""
    if not schema:
        return {}
    relations = [Relation(r["name"], r["kind"], r["directed"], tuple(r["levels"])) for r in schema["relations"]]
    attributes = schema.get("attributes") or {}
    return {
        "objects": schema["objects"],
        "relations": [relation.name for relation in relations],
        "declared": {
            relation.name: {"kind": relation.kind, "directed": relation.directed, "levels": relation.levels}
            for relation in relations
        },
        "attributes": pd.DataFrame(attributes, index=schema["objects"]) if attributes else None,
    }


def parse_numbers(column: Any) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Numbers of a column of numbers or words, and which could not be understood.

    >>> parse_numbers(["1", "yes", "", "2,5"])
    (array([ 1.,  1., nan, nan]), array([False, False, False,  True]))
    """
    series = pd.Series(column)
    if isinstance(series.dtype, pd.CategoricalDtype):
        numbers, wrong = parse_numbers(series.cat.categories)
        codes = series.cat.codes.to_numpy()
        return np.append(numbers, np.nan)[codes], np.append(wrong, False)[codes]
    if pd.api.types.is_bool_dtype(series.dtype) or pd.api.types.is_numeric_dtype(series.dtype):
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
        return values, np.isinf(values)
    texts = series.astype("str").str.strip().str.lower()
    numbers = pd.to_numeric(texts, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan).copy()
    unknown = np.isnan(numbers)
    if unknown.any():
        rest = texts[unknown]
        numbers[unknown] = rest.map(WORDS).to_numpy(dtype=np.float64)
        unknown[unknown] = np.isnan(numbers[unknown]) & ~(rest.isin(MISSING_WORDS) | rest.isna()).to_numpy()
    return numbers, unknown | np.isinf(numbers)


def _positions(columns: Sequence[Any], known: Sequence[str]) -> tuple[Any, ...]:
    """The position of each name of each column, and the names: the known first, then as they appear."""
    codes, names = [], pd.Index(list(map(str, known)), dtype="str")
    for column in columns:
        own, uniques = pd.factorize(column if isinstance(column, pd.Series) else pd.Series(column, dtype=object))
        own_names = pd.Index(pd.Series(uniques, dtype=object).map(str), dtype="str")
        at = names.get_indexer(own_names)
        new = at < 0
        fresh = own_names[new].unique()
        names = names.append(fresh)
        at = names.get_indexer(own_names)
        codes.append(at[own].astype(np.int32) if own.size else np.zeros(0, dtype=np.int32))
    return (*codes, tuple(map(str, names)))
