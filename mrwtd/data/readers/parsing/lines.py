"""Parsing of formats tie by tie: numbered lines, quoted words, numbers, default names, and a `Table` of the ties."""

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from ....errors import DataError, Problem, Problems
from ....typing import Array, BoolArray, Int32Array, Int64Array
from ...factorized import Factorized
from ...table import MISSING_WORDS, WORDS, Table
from ..source import Source

MAX_NAMED = 20
"""Maximum number of names in a sentence."""

_WORD = re.compile(r'"([^"]*)"|([^\s,]+)')


def numbered(text: str) -> Iterator[tuple[int, str]]:
    r"""The lines of a text with their numbers, from 1.

    >>> list(numbered("a\r\nb"))
    [(1, 'a'), (2, 'b')]
    """
    return enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1)


def words(line: str) -> list[str]:
    """The words of a line, separated by spaces or commas; a quoted text is one word.

    >>> words('1 "Humpty Dumpty", 0.5')
    ['1', 'Humpty Dumpty', '0.5']
    """
    return [match[2] if match[2] is not None else match[1] for match in _WORD.finditer(line)]


def floats(words: Sequence[Any]) -> tuple[Array, BoolArray]:
    """The numbers of words, and a mask of words that are none, as `parse_numbers`, but faster for few words.

    >>> floats(["1", "yes", "NA", "x"])
    (array([ 1.,  1., nan, nan]), array([False, False, False,  True]))
    """
    try:
        numbers = np.array(words, dtype=np.float64)
        wrong = np.zeros(len(words), dtype=bool)
    except (ValueError, TypeError, OverflowError):
        parsed = [_number(str(word)) for word in words]
        numbers = np.array([np.nan if number is None else number for number in parsed])
        wrong = np.array([number is None for number in parsed])
    return numbers, wrong | np.isinf(numbers)


def checked_floats(words: Sequence[str], line: int, problems: Problems) -> Array:
    """The numbers of the words of a line; a word that is no finite number is a problem."""
    numbers, wrong = floats(words)
    for word in compress(words, wrong):
        problems.add(quote(word), "a finite number", line)
    return numbers


def _number(word: str) -> float | None:
    text = word.strip().lower().replace("−", "-")
    if text in MISSING_WORDS:
        return np.nan
    if text in WORDS:
        return WORDS[text]
    try:
        return float(text)
    except ValueError:
        return None


def whole_number(word: str) -> int | None:
    """The whole number of a word, or None.

    >>> whole_number("12"), whole_number("1.5"), whole_number("²")
    (12, None, None)
    """
    return int(word) if word.isascii() and word.isdigit() and len(word) < 19 else None


def quote(word: str) -> str:
    """A word for a message: in quotes, and truncated if it is long.

    >>> quote("abc")
    "'abc'"
    """
    return repr(word if len(word) <= 60 else word[:59] + "…")


def enumeration(names: Sequence[str]) -> str:
    """Names for a sentence: in quotes, and only the first ones of many.

    >>> enumeration(["a", "b"]), enumeration(["a"] * 100)[-19:]
    ("'a', 'b'", "'a', … (100 in all)")
    """
    more = f", … ({len(names):,} in all)" if len(names) > MAX_NAMED else ""
    return ", ".join(map(quote, names[:MAX_NAMED])) + more


def repeated(words: Iterable[str]) -> list[str]:
    """The words that occur more than once.

    >>> repeated(["a", "b", "a"])
    ['a']
    """
    return [word for word, count in Counter(words).items() if count > 1]


def relation_names(n: int, names: list[str], source: Source) -> list[str]:
    """The given names, with default names for the rest: the name of the file for one relation, otherwise numbers.

    >>> relation_names(2, ["advice"], Source("a.dl", b"")), relation_names(1, [], Source("a.dl", b""))
    (['advice', 'relation 2'], ['a'])
    """
    defaults = [source.stem] if n == 1 else [f"relation {k + 1}" for k in range(n)]
    return [*names, *defaults[len(names) :]]


class Tie(NamedTuple):
    """One tie; line 0 means that it has no line."""

    source: str | int
    relation: str | int
    target: str | int
    value: float = 1.0
    weight: float = 1.0
    line: int = 0
    undirected: bool = False


class Ties:
    """Ties, stored in columns: objects would take ten times the memory.

    A relation with undirected ties only is undirected, one with directed ties only is directed. In a relation with
    both, an undirected tie becomes one tie in each direction.

    >>> ties = Ties()
    >>> ties.append(Tie("ann", "likes", "bob"))
    >>> ties.append(Tie("bob", "meets", "cat", 2.0, undirected=True))
    >>> table = ties.table()
    >>> table.relations, table.values, table.declared["meets"]
    (('likes', 'meets'), array([1., 2.]), {'directed': False})
    """

    def __init__(self) -> None:
        self._names: list[dict[str | int, int]] = [{}, {}, {}]
        self._columns: list[array[Any]] = [array(code) for code in "iiiddqb"]

    def __len__(self) -> int:
        return len(self._columns[0])

    def append(self, tie: Tie) -> None:
        """Add a tie. Objects and relations are names, or numbers that `renamed` replaces."""
        sources, relations, targets = self._names
        columns = self._columns
        columns[0].append(sources.setdefault(tie[0], len(sources)))
        columns[1].append(relations.setdefault(tie[1], len(relations)))
        columns[2].append(targets.setdefault(tie[2], len(targets)))
        columns[3].append(tie[3])
        columns[4].append(tie[4])
        columns[5].append(tie[5])
        columns[6].append(tie[6])

    def extend(
        self,
        ends: tuple[Factorized, Factorized],
        relation: str | int | Factorized,
        values: Array,
        lines: Int64Array | int = 0,
        undirected: BoolArray | bool = False,
        weights: Array | float = 1.0,
    ) -> Self:
        """Add many ties, of one relation or with the relation of each; returns all ties."""
        rows = len(values)
        if not isinstance(relation, Factorized):
            relation = Factorized(np.zeros(rows, dtype=np.int32), [relation])  # type: ignore[list-item]
        codes = [
            self._codes(column, known) for column, known in zip((ends[0], relation, ends[1]), self._names, strict=True)
        ]
        for column, added in zip(self._columns, (*codes, values, weights, lines, undirected), strict=True):
            column.frombytes(np.full(rows, added, dtype=column.typecode).tobytes())
        return self

    @staticmethod
    def _codes(column: Factorized, known: dict[str | int, int]) -> Int32Array:
        """The codes of a column among the known names, to which its names are added in order of first appearance."""
        appearing = pd.unique(column.codes)
        codes = np.zeros(len(column.names), dtype=np.int32)
        codes[appearing] = [known.setdefault(column.names[code], len(known)) for code in appearing.tolist()]
        return codes[column.codes]

    def rename(
        self, objects: Mapping[Any, str], relations: Mapping[Any, str], targets: Mapping[Any, str] | None = None
    ) -> None:
        """Replace numbers of objects and relations by names, which must be different.

        In two-mode data, `objects` are only the sources.
        """
        for position, names in enumerate((objects, relations, objects if targets is None else targets)):
            self._names[position] = {names[key]: code for key, code in self._names[position].items()}

    @property
    def ends(self) -> tuple[list[Any], list[Any]]:
        """The sources and the targets that have ties."""
        return list(self._names[0]), list(self._names[2])

    @property
    def relations(self) -> list[Any]:
        """The relations that have ties."""
        return list(self._names[1])

    def table(self, *, relations: Sequence[str] = (), notes: Sequence[str] = (), **rest: Any) -> Table:
        """All ties as a table; the rest are arguments of `Table.from_factorized`."""
        if not len(self) and not relations:
            raise DataError(Problem("no ties", "at least one tie"))
        i, k, j, values, weights, lines, undirected = (np.array(column) for column in self._columns)
        sources, names, targets = (list(map(str, labels)) for labels in self._names)
        n_ties, n_undirected = (np.bincount(k, flags, len(names)) for flags in (None, undirected))
        is_mixed = (n_undirected > 0) & (n_undirected < n_ties)
        mixed = [name for name, both in zip(names, is_mixed, strict=True) if both]
        if (weights != 1).any():
            rest["weights"] = weights
        if lines.any():
            rest["lines"] = lines
        is_directed = (n_undirected < n_ties).tolist()
        rest["declared"] = {name: {"directed": value} for name, value in zip(names, is_directed, strict=True)}
        rest["notes"] = (*notes, *(f"{name}: each undirected tie becomes one tie in each direction" for name in mixed))
        ends = Factorized(i, sources), Factorized(j, targets)
        table = Table.from_factorized(ends[0], Factorized(k, names), ends[1], values, relations=relations, **rest)
        return in_both_directions(table, undirected != 0) if mixed else table


def in_both_directions(table: Table, undirected: BoolArray) -> Table:
    """The table with a second row for each undirected one, in relations that also have directed rows."""
    n_undirected, n_directed = (np.bincount(table.k, rows, len(table.relations)) for rows in (undirected, ~undirected))
    is_mixed = (n_undirected > 0) & (n_directed > 0)
    again = np.flatnonzero(undirected & is_mixed[table.k] & (table.i != table.j))
    i, j = np.append(table.i, table.j[again]), np.append(table.j, table.i[again])
    return replace(table.take(np.append(np.arange(table.k.size), again)), i=i, j=j)
