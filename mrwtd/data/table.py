"""`Table`: the rows of a file, before kinds, directions and the meaning of unlisted pairs are decided.

Every reader returns a `Table`, and `build` turns it into `RelationalData`. A format does not deal with kinds,
duplicates or negatives.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..errors import DataError, Problem, Problems
from ..typing import Array, BoolArray, IndexArray, Int8Array, Int32Array, Int64Array
from .arguments import short_repr
from .factorized import Column, Factorized, positions
from .published import column_parts
from .relations import Relation
from .validation import entry_keys

WORDS = {
    "true": 1.0, "yes": 1.0, "y": 1.0, "t": 1.0,
    "false": 0.0, "no": 0.0, "n": 0.0, "f": 0.0,
}  # fmt: skip
"""Words for a binary value; case does not matter."""

MISSING_WORDS = ("", "na", "n/a", "nan", "null", "none", "?", ".", "-")
"""Words for an unknown value; case does not matter."""


NUMBER = "a finite number, or true or false"
"""The expected text of a value, for messages."""


REPRESENTS = "represents"
"""The column of files written by `mrwtd.write` with the number of pairs that each entry stands for."""


ROW_ARRAYS = ("i", "j", "k", "values", "weights", "times", "part", "represents")
"""The attributes of a table with one number per row."""


class Lines(Protocol):
    """The line of each row: an array, or an object that computes lines on demand."""

    def __getitem__(self, row: Any, /) -> Any: ...


@dataclass(frozen=True)
class ChosenLines:
    """The lines of some rows. The lines of all rows may be computed on demand, so none is computed in advance."""

    lines: Lines
    rows: IndexArray

    def __getitem__(self, row: Any) -> Any:
        return self.lines[self.rows[row]]


@dataclass(frozen=True)
class Table:
    """Rows of source, relation, target, value and weight, with positions in place of names.

    >>> table = Table.from_names(["ann", "bob"], ["likes", "likes"], ["bob", "cat"], values=[1, 0])
    >>> table.objects, table.relations, table.values
    (('ann', 'bob', 'cat'), ('likes',), array([1., 0.]))

    Attributes:
        objects, relations: names in order of first appearance, or in the order of a list in the file.
        i, j, k: the positions of source, target and relation of each row.
        values: numbers; NaN marks a pair as unobserved. None if the file lists ties without values.
        weights: numbers, or None if the file has none.
        times: the finite time of each row, which `periods.sum_over_time` replaces; None if rows have no times.
        time_span: the first and the last time of the rows that were summed over time, or None.
        lines: the line of each row in the file, for messages; None if rows have no lines.
        declared: properties of relations from the file: {"directed": bool, "kind": str, "levels": tuple,
            "types": pair}. With "kind_reason" or "directed_reason", the reader infers them for that reason.
        object_types: the types of objects, by name, if relations connect types.
        attributes: a frame indexed by object, or None.
        file: the name of the file, for messages.
        file_size: its size in bytes, which limits the entries made from unlisted pairs; None for data in memory.
        format: the name of the format.
        notes: sentences for the user on how the file was read.
        represents: the number of pairs that each row stands for, in data with sampled negatives; None if all are 1.
        named: whether the file names its relations; otherwise the only relation is named after the file.
        doubtful: whether the columns have no names and only numbers, so that their meaning is a guess.
        part: the published part of each row, as in `RelationalData`; None if the file has no published split.
        is_exact: whether the file was written by `mrwtd.write`, so that every row is an entry.
    """

    objects: tuple[str, ...]
    relations: tuple[str, ...]
    i: Int32Array
    j: Int32Array
    k: Int32Array
    values: Array | None = None
    weights: Array | None = None
    times: Array | None = None
    time_span: tuple[float, float] | None = None
    lines: Lines | None = None
    declared: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    object_types: Mapping[str, str] = field(default_factory=dict)
    attributes: pd.DataFrame | None = None
    file: str | None = None
    file_size: int | None = None
    format: str = "frame"
    notes: tuple[str, ...] = ()
    named: bool = True
    doubtful: bool = False
    part: Int8Array | None = None
    represents: Array | None = None
    is_exact: bool = False

    @classmethod
    def from_names(
        cls,
        source: Column,
        relation: Column,
        target: Column,
        values: npt.ArrayLike | None = None,
        weights: npt.ArrayLike | None = None,
        **rest: Any,
    ) -> Table:
        """A table from columns of names; the rest are arguments of `from_factorized`."""
        sources, relations, targets = map(Factorized.from_column, (source, relation, target))
        numbers = [None if column is None else np.asarray(column, dtype=np.float64) for column in (values, weights)]
        return cls.from_factorized(sources, relations, targets, *numbers, **rest)

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
        """A table from factorized columns, the fastest way to make one.

        Names in `objects` and `relations` come first, even if unused.

        >>> source = Factorized(np.array([0, 0], dtype=np.int32), ["ann"])
        >>> target = Factorized.from_column(["bob", "cat"])
        >>> Table.from_factorized(source, Factorized.from_column(["likes", "likes"]), target).j
        array([1, 2], dtype=int32)
        """
        (i, j), all_objects = positions([source, target], objects)
        (k,), all_relations = positions([relation], relations)
        return cls(all_objects, all_relations, i, j, k, values, weights, **rest)

    @cached_property
    def by_key(self) -> tuple[Int64Array | None, Int64Array]:
        """The rows sorted by (relation, source, target), in a stable order, and their sorted keys.

        The rows are None if the table has no column of numbers: equal rows are the same then.
        """
        return self.sorted_by(self.i, self.j)

    def sorted_by(self, i: Int32Array, j: Int32Array) -> tuple[Int64Array | None, Int64Array]:
        """`by_key` with other sources and targets, such as those of undirected pairs with i ≤ j."""
        key = entry_keys(i, j, self.k, len(self.objects))
        if self.values is None and self.weights is None and self.represents is None:
            key.sort()
            return None, key
        return sorted_keys(key)

    def line(self, row: int | np.integer[Any]) -> int | None:
        """The line of a row in the file, or None if rows have no lines.

        >>> Table.from_names(["a"], ["r"], ["b"], lines=np.array([7])).line(0)
        7
        """
        line = None if self.lines is None else self.lines[row]
        return None if line is None else int(line)

    def place(self, row: int | np.integer[Any]) -> tuple[int | None, str]:
        """The place of a row for `Problems.add`: its line or, without lines, its pair of objects."""
        line = self.line(row)
        return line, "" if line is not None else f"pair {self.objects[self.i[row]]!r} – {self.objects[self.j[row]]!r}"

    def take(self, rows: IndexArray) -> Table:
        """Some rows, in the given order.

        >>> table = Table.from_names(["ann", "bob"], ["likes"] * 2, ["bob", "cat"], lines=np.array([7, 9]))
        >>> table.take(np.array([1])).i, table.take(np.array([1])).line(0)
        (array([1], dtype=int32), 9)
        """
        columns = {name: getattr(self, name) for name in ROW_ARRAYS}
        taken = {name: column[rows] for name, column in columns.items() if column is not None}
        return replace(self, **taken, lines=None if self.lines is None else ChosenLines(self.lines, rows))

    @classmethod
    def from_frame(cls, frame: pd.DataFrame) -> Table:
        """A table from a frame with the columns source, relation, target, and what `to_frame` adds to them.

        >>> Table.from_frame(pd.DataFrame({"source": ["a"], "relation": ["r"], "target": ["b"]})).objects
        ('a', 'b')
        """
        if not isinstance(frame, pd.DataFrame):
            raise DataError(Problem(short_repr(frame), "a frame with the columns source, relation and target"))
        missing = [name for name in ("source", "relation", "target") if name not in frame.columns]
        if missing:
            actual = f"the columns {', '.join(map(repr, map(str, frame.columns)))}"
            raise DataError(Problem(actual, f"also the columns {', '.join(map(repr, missing))}"))
        problems = Problems()
        source, relation, target = (
            column_names(frame[name], name, problems) for name in ("source", "relation", "target")
        )
        values, weights, represents = (
            column_numbers(frame[name], name, problems) if name in frame.columns else None
            for name in ("value", "weight", REPRESENTS)
        )
        problems.check()
        schema = schema_arguments(frame.attrs.get("mrwtd", {}))
        part = column_parts(frame["part"]) if "part" in frame.columns else None
        rest = {"part": part, "represents": represents, **schema}
        return cls.from_factorized(source, relation, target, values, weights, **rest)


def column_names(column: pd.Series, name: str, problems: Problems) -> Factorized:
    """The names of a column of a frame; a row without a name is a problem."""
    for row in problems.first(np.flatnonzero(column.isna())):
        problems.add("no name", "a name in every row", where=f"row {row}, column {name!r}")
    return Factorized.from_column(column)


def column_numbers(column: pd.Series, name: str, problems: Problems) -> Array:
    """The numbers of a column of a frame; a cell that is no number is a problem."""
    numbers, wrong = parse_numbers(column)
    rows = problems.first(np.flatnonzero(wrong))
    for row, cell in zip(rows, column.iloc[rows].tolist(), strict=True):
        problems.add(short_repr(cell), NUMBER, where=f"row {row}, column {name!r}")
    return numbers


def schema_arguments(schema: Mapping[str, Any] | str, line: int | None = None) -> dict[str, Any]:
    """The content of `RelationalData.schema`, or its JSON in a line of a file, as arguments of `Table.from_names`.

    >>> relation = {"name": "likes", "kind": "binary", "directed": True, "levels": []}
    >>> schema_arguments({"objects": ["ann", "bob"], "relations": [relation]})["declared"]
    {'likes': {'kind': 'binary', 'directed': True, 'levels': ()}}
    """
    try:
        schema = dict(json.loads(schema)) if isinstance(schema, str) else schema
        if not schema:
            return {}
        objects = [str(name) for name in schema["objects"]]
        relations = [
            Relation(str(r["name"]), r["kind"], r["directed"], tuple(r["levels"]), r.get("types"))
            for r in schema["relations"]
        ]
        types = schema.get("object_types")
        object_types = dict(zip(objects, map(str, types), strict=True)) if types else {}
        attributes = schema.get("attributes") or {}
        frame = pd.DataFrame(attributes, index=pd.Index(objects, dtype="str")) if attributes else None
    except DataError as error:
        raise DataError([replace(problem, line=line) for problem in error.problems]) from None
    except Exception as error:  # a description edited by hand can contain anything
        actual = f"a damaged description of the data ({type(error).__name__}: {error})"
        expected = "objects, relations and attributes as written by mrwtd.write; write the file again"
        raise DataError(Problem(actual, expected, line)) from None
    declared = {relation.name: declarations(relation) for relation in relations}
    arguments = {"objects": objects, "relations": list(declared), "declared": declared, "attributes": frame}
    return arguments | {"object_types": object_types, "is_exact": True}


def declarations(relation: Relation) -> dict[str, Any]:
    """The properties of a relation as `Table.declared` has them.

    >>> declarations(Relation("likes", "binary", directed=True))
    {'kind': 'binary', 'directed': True, 'levels': ()}
    """
    declared: dict[str, Any] = {"kind": relation.kind, "directed": relation.directed, "levels": relation.levels}
    return declared | ({} if relation.types is None else {"types": relation.types})


def parse_numbers(column: Any) -> tuple[Array, BoolArray]:
    """The numbers of a column, NaN for unknown values, and a mask of cells that cannot be parsed.

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
    """A stable argsort of keys, and the sorted keys.

    >>> sorted_keys(np.array([7, 3, 7]))
    (array([1, 0, 2]), array([3, 7, 7]))
    """
    if not key.size or (key[1:] >= key[:-1]).all():
        return np.arange(key.size), key
    bits = int(key.size - 1).bit_length()
    if int(key.max()).bit_length() + bits > 63:
        order = np.argsort(key, kind="stable")
        return order, key[order]
    # Key and row in one number: sorting numbers is several times faster than argsort.
    both = np.sort((key << bits) | np.arange(key.size))
    return both & ((1 << bits) - 1), both >> bits
