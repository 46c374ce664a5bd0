"""`Table`: what a reader found in a file, before kinds, directions and absent rows are decided.

Every reader ends in a `Table`, and `build` turns any `Table` into `RelationalData`: a new format needs to
know nothing of kinds, duplicates or negatives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..errors import DataError, Problem
from ..typing import AnyArray, Array, BoolArray, Int32Array, Int64Array
from .arguments import short_repr
from .factorized import Factorized, positions
from .relations import Relation
from .validation import entry_keys

WORDS = {
    "true": 1.0, "yes": 1.0, "y": 1.0, "t": 1.0,
    "false": 0.0, "no": 0.0, "n": 0.0, "f": 0.0,
}  # fmt: skip
"""Words for a binary value, in any case."""

MISSING_WORDS = ("", "na", "n/a", "nan", "null", "none", "?", ".", "-")
"""Words for a value that is not known, in any case."""


class Lines(Protocol):
    """The line of each row: an array, or anything that finds a line when it is asked for one."""

    def __getitem__(self, row: Any, /) -> Any: ...


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
        named: whether the file names its relations; else a lone relation has the name of the file.
        declared: what the file itself says of a relation: {"directed": bool, "kind": str, "levels": tuple}.
        attributes: a frame by object, or None.
        file: the name to use in messages.
        format: the name of the reader.
        notes: sentences for the user on how the file was understood.
    """

    objects: tuple[str, ...]
    relations: tuple[str, ...]
    i: Int32Array
    j: Int32Array
    k: Int32Array
    values: Array | None = None
    weights: Array | None = None
    lines: Lines | None = None
    declared: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    attributes: pd.DataFrame | None = None
    file: str | None = None
    format: str = "frame"
    notes: tuple[str, ...] = ()
    named: bool = True

    @classmethod
    def from_names(
        cls,
        source: Sequence[Any] | AnyArray | pd.Series,
        relation: Sequence[Any] | AnyArray | pd.Series,
        target: Sequence[Any] | AnyArray | pd.Series,
        values: npt.ArrayLike | None = None,
        weights: npt.ArrayLike | None = None,
        *,
        objects: Sequence[str] = (),
        relations: Sequence[str] = (),
        **rest: Any,
    ) -> Table:
        """A table from columns of names. `objects` and `relations` list names that come first, used or not."""
        return cls.from_factorized(
            Factorized.from_column(source),
            Factorized.from_column(relation),
            Factorized.from_column(target),
            None if values is None else np.asarray(values, dtype=np.float64),
            None if weights is None else np.asarray(weights, dtype=np.float64),
            objects=objects,
            relations=relations,
            **rest,
        )

    @classmethod
    def from_factorized(
        cls,
        source: Factorized,
        relation: Factorized,
        target: Factorized,
        values: Array | None = None,
        weights: Array | None = None,
        *,
        objects: Sequence[str] = (),
        relations: Sequence[str] = (),
        **rest: Any,
    ) -> Table:
        """A table from columns whose names are already counted, which is the fast way in.

        >>> one, two = Factorized(np.array([0, 0], dtype=np.int32), ["ann"]), Factorized.from_column(["bob", "cat"])
        >>> Table.from_factorized(one, Factorized.from_column(["likes", "likes"]), two).j
        array([1, 2], dtype=int32)
        """
        (i, j), all_objects = positions([source, target], objects)
        (k,), all_relations = positions([relation], relations)
        return cls(all_objects, all_relations, i, j, k, values, weights, **rest)

    @cached_property
    def by_key(self) -> tuple[Int64Array | None, Int64Array]:
        """The rows in the order of (relation, source, target), equal ones as they come, and their keys.

        Where the table holds no numbers, equal rows are one and the same, and only the keys are given.
        """
        return self.in_order(self.i, self.j)

    def in_order(self, i: Int32Array, j: Int32Array) -> tuple[Int64Array | None, Int64Array]:
        """The same with other objects at the ends, as where pairs are turned."""
        key = entry_keys(i, j, self.k, len(self.objects))
        if self.values is None and self.weights is None:
            key.sort()
            return None, key
        return sorted_keys(key)

    def line(self, row: int | np.integer[Any]) -> int | None:
        """Where a row stands in the file, or None where rows have no lines.

        >>> Table.from_names(["a"], ["r"], ["b"], lines=np.array([7])).line(0)
        7
        """
        line = None if self.lines is None else self.lines[row]
        return None if line is None else int(line)

    @classmethod
    def from_frame(cls, frame: pd.DataFrame) -> Table:
        """A table from a frame with the columns source, relation, target and, if any, value and weight.

        >>> Table.from_frame(pd.DataFrame({"source": ["a"], "relation": ["r"], "target": ["b"]})).objects
        ('a', 'b')
        """
        if not isinstance(frame, pd.DataFrame):
            raise DataError(Problem(short_repr(frame), "a frame with the columns source, relation and target"))
        lacking = [name for name in ("source", "relation", "target") if name not in frame.columns]
        if lacking:
            found = f"the columns {', '.join(map(repr, map(str, frame.columns)))}"
            raise DataError(Problem(found, f"also {', '.join(map(repr, lacking))}"))
        for name in ("source", "relation", "target"):
            empty = np.flatnonzero(frame[name].isna())
            if empty.size:
                raise DataError(Problem("no name", "a name in every row", where=f"row {empty[0]}, column {name!r}"))
        columns: dict[str, Array | None] = {}
        for name in ("value", "weight"):
            if name not in frame.columns:
                columns[name] = None
                continue
            numbers, wrong = parse_numbers(frame[name])
            if wrong.any():
                rows = np.flatnonzero(wrong)
                texts = frame[name].iloc[rows[:100]].tolist()
                problems = [
                    Problem(repr(text), "a finite number, or true/false", where=f"row {row}, column {name!r}")
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
    """What `RelationalData.schema` says, as arguments of `Table.from_names`.

    >>> relation = {"name": "likes", "kind": "binary", "directed": True, "levels": []}
    >>> schema_arguments({"objects": ["ann", "bob"], "relations": [relation]})["declared"]
    {'likes': {'kind': 'binary', 'directed': True, 'levels': ()}}
    """
    if not schema:
        return {}
    try:
        objects = [str(name) for name in schema["objects"]]
        relations = [
            Relation(str(r["name"]), r["kind"], r["directed"], tuple(r["levels"])) for r in schema["relations"]
        ]
        attributes = schema.get("attributes") or {}
        frame = pd.DataFrame(attributes, index=pd.Index(objects, dtype="str")) if attributes else None
    except DataError:
        raise
    except Exception as error:  # a header that was edited by hand can hold anything
        found = f"a damaged description of the data ({type(error).__name__}: {error})"
        raise DataError(Problem(found, "objects, relations and attributes as mrwtd writes them")) from None
    return {
        "objects": objects,
        "relations": [relation.name for relation in relations],
        "declared": {
            relation.name: {"kind": relation.kind, "directed": relation.directed, "levels": relation.levels}
            for relation in relations
        },
        "attributes": frame,
    }


def parse_numbers(column: Any) -> tuple[Array, BoolArray]:
    """Numbers of a column of numbers or words, NaN for one not known, and which could not be understood.

    >>> parse_numbers(["1", "yes", "", "2,5"])
    (array([ 1.,  1., nan, nan]), array([False, False, False,  True]))
    """
    series = pd.Series(column)
    if isinstance(series.dtype, pd.CategoricalDtype):
        numbers, wrong = parse_numbers(series.cat.categories)
        codes = series.cat.codes.to_numpy()
        return np.append(numbers, np.nan)[codes], np.append(wrong, False)[codes]
    if pd.api.types.is_bool_dtype(series.dtype) or pd.api.types.is_numeric_dtype(series.dtype):
        if pd.api.types.is_complex_dtype(series.dtype):
            return np.full(series.size, np.nan), np.ones(series.size, dtype=bool)
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
        return values, np.isinf(values)
    texts = series.astype("str").str.strip().str.lower().str.replace("−", "-", regex=False)
    numbers = pd.to_numeric(texts, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan).copy()
    unknown = np.isnan(numbers)
    if unknown.any():
        rest = texts[unknown]
        numbers[unknown] = rest.map(WORDS).to_numpy(dtype=np.float64)
        unknown[unknown] = np.isnan(numbers[unknown]) & ~(rest.isin(MISSING_WORDS) | rest.isna()).to_numpy()
    return numbers, unknown | np.isinf(numbers)


def sorted_keys(key: Int64Array) -> tuple[Int64Array, Int64Array]:
    """The stable order of keys, and the keys in it.

    >>> sorted_keys(np.array([7, 3, 7]))
    (array([1, 0, 2]), array([3, 7, 7]))
    """
    if not key.size or (key[1:] >= key[:-1]).all():
        return np.arange(key.size), key
    bits = int(key.size - 1).bit_length()
    if int(key.max()).bit_length() + bits > 63:
        order = np.argsort(key, kind="stable")
        return order, key[order]
    # Key and row in one number: sorting numbers is several times faster than sorting positions by them.
    both = np.sort((key << bits) | np.arange(key.size))
    return both & ((1 << bits) - 1), both >> bits
