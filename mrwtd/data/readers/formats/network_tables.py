"""Tables of nodes and ties in one text: GDF of GUESS and Gephi, and VNA of NetDraw.

nodedef>name VARCHAR,age DOUBLE                 *node data
ann,31                                          ID age
edgedef>node1 VARCHAR,node2 VARCHAR             ann 31
ann,bob                                         *tie data
                                                from to friends advice
                                                ann bob 1 3
"""

import csv
import re
from codecs import BOM_UTF8
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ....errors import DataError, Problem, Problems
from ....typing import BoolArray
from ...limits import ATTRIBUTES
from ...table import Table, parse_numbers
from ..parsing.headers import best_name, value_and_weight
from ..parsing.lines import Tie, Ties, checked_floats, numbered, quote, words
from ..parsing.plain_tail import load_rewritten, load_tail, one_relation
from ..source import Source, register_format

_STARTS = (b"nodedef>", b"*node data", b"*node properties", b"*tie data")

_TIES = re.compile(rb"^\*tie data[ \t]*\n([^\n]+)\n", re.IGNORECASE | re.MULTILINE)

_EDGES = re.compile(rb"^edgedef>([^\n\r]+)\n", re.IGNORECASE | re.MULTILINE)

Rows = list[tuple[int, list[str]]]


def _head(source: Source) -> bytes:
    return source.start[:64].removeprefix(BOM_UTF8).lstrip().lower()


def matches(source: Source) -> bool:
    """Whether the file has the extension, or starts with one of the tables."""
    return source.extension in ("gdf", "vna") or _head(source).startswith(_STARTS)


@register_format("network tables", "tables of nodes and ties in one text (GDF, VNA)", ("gdf", "vna"), matches, order=20)
def read(source: Source) -> Table:
    r"""The ties, with the nodes as objects. In VNA, each column of the ties is a relation.

    >>> read(Source("a.vna", b"*tie data\nfrom to friends advice\nann bob 1 3\n")).relations
    ('friends', 'advice')
    """
    is_gdf = _head(source).startswith(b"nodedef>")
    if (plain := _plain_gdf(source) if is_gdf else _plain_vna(source)) is not None:
        return plain
    nodes, edges = _gdf(source) if is_gdf else _vna(source)
    if len(edges) < 2:
        raise DataError(Problem("no ties", "a table of ties, with at least one row"))
    objects, attributes = _nodes(nodes)
    table = _ties(edges, source, is_gdf).table(objects=objects)
    if not is_gdf:
        table = replace(table, declared={})
    return replace(table, attributes=attributes)


def _plain_vna(source: Source) -> Table | None:
    """The table of a VNA file that ends in plain ties; None for other files."""
    header = _TIES.search(source.utf8)
    names = words(header[1].decode()) if header else []
    tail = load_tail(source, header.end(), (0, 1), (len(names),)) if header else None
    if header is None or tail is None or len(set(names)) < len(names):
        return None
    nodes, _ = _vna(Source(source.name, source.utf8[: header.start()]))
    objects, attributes = _nodes(nodes)
    if not objects and len(names) <= 3:
        name = names[2] if len(names) == 3 else source.stem
        return replace(one_relation(tail.ends((0, 1)), name, tail.numbers(2), tail.lines, False), declared={})
    ties = Ties()
    for position, name in enumerate(names[2:] or [source.stem], start=2):
        ties.extend(tail.ends((0, 1)), name, tail.numbers(position), tail.lines)
    return replace(ties.table(objects=objects), declared={}, attributes=attributes)


def _plain_gdf(source: Source) -> Table | None:
    """The table of a GDF file that ends in plain ties; None for other files."""
    header = _EDGES.search(source.utf8)
    if header is None:
        return None
    rest = bytes(source.utf8[header.end() :])
    names = [(part.split() or [""])[0] for part in header[1].decode().split(",")]
    if len(names) < 2 or len(set(names)) < len(names) or any(mark in rest for mark in (b" ", b"'", b"\t", b">")):
        return None
    relation, directed, value = _roles(names)
    texts = [position for position, name in enumerate(names) if position > 1 and name != value]
    tail = load_rewritten(source, header.end(), rest.replace(b",", b" "), (*texts, 0, 1), (len(names),))
    if tail is None:
        return None
    nodes, _ = _gdf(Source(source.name, source.utf8[: header.start()]))
    objects, attributes = _nodes(nodes)
    values = tail.numbers(len(names) if value is None else names.index(value))
    undirected: BoolArray | bool = True
    if directed is not None:
        column = tail.columns.factorized(names.index(directed))
        undirected = np.array([name.lower() != "true" for name in column.names], dtype=bool)[column.codes]
    kinds = source.stem if relation is None else tail.columns.factorized(names.index(relation))
    ties = Ties().extend(tail.ends((0, 1)), kinds, values, tail.lines, undirected)
    return replace(ties.table(objects=objects), attributes=attributes)


def _roles(names: Sequence[str]) -> tuple[str | None, str | None, str | None]:
    """The columns of ties in GDF that are the relation, the direction and the value."""
    rest = names[2:]
    relation, directed = best_name(rest, "relation"), next((n for n in rest if n.lower() == "directed"), None)
    return relation, directed, value_and_weight([name for name in rest if name not in (relation, directed)])[0]


def _gdf(source: Source) -> tuple[Rows, Rows]:
    """The rows of both tables; the first one has the names of the columns."""
    tables: dict[str, Rows] = {"nodedef": [], "edgedef": []}
    current = "nodedef"
    for number, line in numbered(source.text):
        text = line.strip()
        start, mark, rest = text.partition(">")
        if mark and start.lower() in tables:
            current = start.lower()
            names = [(part.split() or [""])[0] for part in rest.split(",")]
            tables[current].append((number, names))
        elif text:
            try:
                tables[current].append((number, [cell.strip().strip("'") for cell in next(csv.reader([text]))]))
            except csv.Error:
                raise DataError(Problem(quote(text), "cells separated by commas", number)) from None
    return tables["nodedef"], tables["edgedef"]


def _vna(source: Source) -> tuple[Rows, Rows]:
    tables: dict[str, Rows] = {}
    current: Rows = []
    for number, line in numbered(source.text):
        text = line.strip()
        if text.startswith("*"):
            current = tables.setdefault(" ".join(text[1:].lower().split()), [])
        elif text:
            current.append((number, words(text)))
    return tables.get("node data", []), tables.get("tie data", [])


def _nodes(rows: Rows) -> tuple[list[str], pd.DataFrame | None]:
    """The objects, and their attributes: numbers if all cells of a column are."""
    if not rows:
        return [], None
    (_, names), body, problems = rows[0], rows[1:], Problems()
    ATTRIBUTES.check(len(names) - 1, None)
    for number, cells in body:
        if len(cells) != len(names) or not cells[0]:
            problems.add(f"{len(cells)} cells", f"{len(names)}: {', '.join(map(quote, names[:10]))}", number)
    problems.check()
    columns = {}
    for position, name in enumerate(names[1:], start=1):
        texts = [cells[position] or None for _, cells in body]
        numbers, wrong = parse_numbers(texts)
        columns[name] = pd.array(texts, dtype="str") if wrong.any() else numbers
    objects = [cells[0] for _, cells in body]
    unique = list(dict.fromkeys(objects))
    if len(unique) < len(objects):
        raise DataError(Problem("a node twice", "each node once", body[0][0]))
    frame = pd.DataFrame(columns, index=pd.Index(objects, dtype="str")) if columns and objects else None
    return objects, frame


def _ties(rows: Rows, source: Source, is_gdf: bool) -> Ties:
    (line, names), body = rows[0], rows[1:]
    if len(names) < 2 or len(set(names)) < len(names):
        raise DataError(Problem(", ".join(map(quote, names[:10])), "two ends, and columns with different names", line))
    relation, directed, value = _roles(names)
    ties, problems = Ties(), Problems()
    for number, cells in body:
        if len(cells) != len(names) or not cells[0] or not cells[1]:
            problems.add(f"{len(cells)} cells", f"{len(names)}: {', '.join(map(quote, names[:10]))}", number)
            continue
        row = dict(zip(names, cells, strict=True))
        texts, undirected = {name: row.get(name, "1") for name in names[2:] or [source.stem]}, False
        if is_gdf:
            name = source.stem if relation is None else row[relation] or source.stem
            texts = {name: "1" if value is None else row[value]}
            undirected = directed is None or row[directed].lower() != "true"
        for name, text in texts.items():
            amount = float(checked_floats([text], number, problems)[0])
            ties.append(Tie(cells[0], name, cells[1], amount, 1.0, number, undirected))
    problems.check()
    return ties
