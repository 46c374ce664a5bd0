"""Multiplex networks as the package multinet (R, and uunet in Python) writes them: `.mpx`.

Sections begin with `#` and a name; a file without sections is a list of ties:

    #TYPE multiplex
    #LAYERS              layer,DIRECTED or UNDIRECTED[,LOOPS]
    #ACTOR ATTRIBUTES    name,STRING or NUMERIC
    #EDGE ATTRIBUTES     layer,name,type for one layer; name,type for all
    #ACTORS              actor[,attribute…]
    #VERTICES            actor,layer[,attribute…]
    #EDGES               actor,actor,layer[,attributes of the layer…][,attributes of all layers…]

In a file of #TYPE multilayer a layer is named twice, `layer,layer,DIRECTED`, and a tie is `actor,layer,actor,layer`.
"""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from typing import NamedTuple

import pandas as pd

from ....errors import Problems
from ...table import MISSING_WORDS, Table, parse_numbers
from ..format import FORMATS, Reader
from ..parsing.edge_attributes import value_and_weight
from ..parsing.lines import floats, numbered, quote
from ..parsing.ties import Ties
from ..source import Source

_SECTIONS = {
    "VERSION": "version", "TYPE": "type", "LAYERS": "layers", "ACTORS": "actors", "EDGES": "edges",
    "ACTOR ATTRIBUTES": "actor attributes", "EDGE ATTRIBUTES": "edge attributes",
    "NODE ATTRIBUTES": "vertex attributes", "VERTEX ATTRIBUTES": "vertex attributes",
    "NODES": "vertices", "VERTICES": "vertices",
}  # fmt: skip
_TYPES = ("STRING", "NUMERIC", "NUMBER", "INTEGER", "DOUBLE")
_INLINE = re.compile(r"#(TYPE|VERSION)\b", re.IGNORECASE)
_START = re.compile(
    rb"\s*+(?:--[^\r\n]*+[\r\n]\s*+)*+#(VERSION|TYPE|LAYERS|ACTORS|EDGES|(ACTOR|NODE|VERTEX|EDGE) ATTRIBUTES)\b",
    re.IGNORECASE,
)

Lines = list[tuple[int, list[str]]]


class Attribute(NamedTuple):
    """What a tie carries besides its ends and its layer."""

    name: str
    is_number: bool


def matches(source: Source) -> bool:
    """Whether the name says so, or the file begins with a section."""
    return source.extension == "mpx" or _START.match(source.start[:4096]) is not None


def read(source: Source) -> Table:
    r"""The layers as relations, the actors as objects.

    >>> read(Source("office.mpx", b"#LAYERS\nadvice,DIRECTED\n#EDGES\nann,bob,advice\n")).declared
    {'advice': {'directed': True}}
    """
    problems = Problems(source.name)
    sections = _sections(source, problems)
    multilayer = any("multilayer" in fields[0].lower() for _, fields in sections["type"])
    ways = _layers(sections["layers"], multilayer, problems)
    local, shared = _edge_attributes(sections["edge attributes"], problems)
    ties, notes = _ties(sections["edges"], multilayer, ways, local, shared, problems)
    objects, attributes = _actors(sections, problems)
    problems.check()
    if not ways:
        notes.append("the file says nothing of its layers: all are undirected, as multinet has it")
    found = ties.table(objects=objects, relations=list(ways), attributes=attributes, notes=notes, file=source.name)
    known = {name: {"directed": way} for name, way in ways.items()}
    return replace(found, declared={**found.declared, **known})


def _sections(source: Source, problems: Problems) -> dict[str, Lines]:
    sections: dict[str, Lines] = {name: [] for name in _SECTIONS.values()}
    current = "edges"
    for number, line in numbered(source.text):
        text = line.strip()
        if not text or text.startswith("--"):
            continue
        if text.startswith("#"):
            # These two may have their value in the same line.
            head, value = (*text[1:].split(None, 1), "")[:2] if _INLINE.match(text) else (text[1:], "")
            name = _SECTIONS.get(" ".join(head.upper().split()))
            if name is None:
                problems.add(
                    f"the section {quote(text)}", f"one of {', '.join(f'#{name}' for name in _SECTIONS)}", number
                )
                continue
            current, text = name, value.strip()
            if not text:
                continue
        try:
            fields = [field.strip() for field in next(csv.reader([text], skipinitialspace=True))]
        except csv.Error as error:
            problems.add(f"{quote(text)} ({error})", "fields apart by commas", number)
            continue
        sections[current].append((number, fields))
    return sections


def _layers(lines: Lines, multilayer: bool, problems: Problems) -> dict[str, bool]:
    """Whether each layer is directed."""
    ways: dict[str, bool] = {}
    expected = "layer,layer,DIRECTED or UNDIRECTED" if multilayer else "layer,DIRECTED or UNDIRECTED"
    for number, fields in lines:
        way = fields[1 + multilayer].upper() if len(fields) > 1 + multilayer else ""
        if way not in ("DIRECTED", "UNDIRECTED") or not fields[0]:
            problems.add(quote(",".join(fields)), expected, number)
        elif multilayer and fields[0] != fields[1]:
            continue  # how ties between layers would be: such a tie is refused where it stands
        elif fields[0] in ways:
            problems.add(f"the layer {quote(fields[0])} again", "each layer once", number)
        else:
            ways[fields[0]] = way == "DIRECTED"
    return ways


def _edge_attributes(lines: Lines, problems: Problems) -> tuple[dict[str, list[Attribute]], list[Attribute]]:
    """The attributes of each layer's ties, and those of all ties."""
    local: dict[str, list[Attribute]] = {}
    shared: list[Attribute] = []
    for number, fields in lines:
        if len(fields) not in (2, 3) or fields[-1].upper() not in _TYPES:
            problems.add(quote(",".join(fields)), "layer,name,type or name,type with type STRING or NUMERIC", number)
            continue
        attribute = Attribute(fields[-2], fields[-1].upper() != "STRING")
        (local.setdefault(fields[0], []) if len(fields) == 3 else shared).append(attribute)
    return local, shared


def _ties(
    lines: Lines,
    multilayer: bool,
    ways: dict[str, bool],
    local: dict[str, list[Attribute]],
    shared: list[Attribute],
    problems: Problems,
) -> tuple[Ties, list[str]]:
    ties, notes = Ties(), []
    first = 4 if multilayer else 3
    places: dict[str, tuple[int | None, ...]] = {}
    for number, fields in lines:
        layer = fields[first - 1] if len(fields) >= first else ""
        carried = local.get(layer, []) + shared
        if len(fields) != first + len(carried) or not all(fields[:first]):
            form = ["actor", "layer", "actor", "layer"] if multilayer else ["actor", "actor", "layer"]
            problems.add(quote(",".join(fields)), ",".join(form + [attribute.name for attribute in carried]), number)
            continue
        if multilayer and fields[1] != fields[3]:
            problems.add(f"a tie from layer {quote(fields[1])} to {quote(fields[3])}", "ties within one layer", number)
            continue
        if ways and layer not in ways:
            problems.add(f"the layer {quote(layer)}", f"one of {', '.join(map(repr, list(ways)[:20]))}", number)
            continue
        if layer not in places:
            places[layer], said = _places(carried, first)
            notes += [f"{layer}: {sentence}" for sentence in said]
        numbers = [1.0 if at is None else _number(fields[at], number, problems) for at in places[layer]]
        ends = fields[0], fields[2 if multilayer else 1]
        ties.add(ends[0], layer, ends[1], *numbers, line=number, undirected=not ways.get(layer, False))
    return ties, notes


def _places(carried: list[Attribute], first: int) -> tuple[tuple[int | None, ...], list[str]]:
    """Where value and weight stand in a line, and what to tell of it."""
    roles = value_and_weight([attribute.name for attribute in carried if attribute.is_number])
    names = [attribute.name for attribute in carried]
    said = [] if roles[0] is None else [f"the value is the attribute {roles[0]!r}"]
    left_out = [repr(name) for name in names if name not in roles]
    if left_out:
        said.append(f"left out {', '.join(left_out)}")
    return tuple(None if name is None else first + names.index(name) for name in roles), said


def _number(text: str, line: int, problems: Problems) -> float:
    found, wrong = floats([text])
    if wrong[0]:
        problems.add(quote(text), "a finite number", line)
    return float(found[0])


def _actors(sections: dict[str, Lines], problems: Problems) -> tuple[list[str], pd.DataFrame | None]:
    """The actors in the order of the file, and what is said of them."""
    columns = [(fields[0], fields[-1].upper()) for _, fields in sections["actor attributes"] if fields]
    rows: dict[str, list[str]] = {}
    for number, fields in sections["actors"]:
        if len(fields) not in (1, 1 + len(columns)) or not fields[0]:
            form = ",".join(["actor", *(name for name, _ in columns)])
            problems.add(quote(",".join(fields)), form, number)
        elif fields[0] in rows:
            problems.add(f"the actor {quote(fields[0])} again", "each actor once", number)
        else:
            rows[fields[0]] = fields[1:] or [""] * len(columns)
    others = [fields[0] for _, fields in sections["vertices"] if fields[0] and fields[0] not in rows]
    objects = [*rows, *dict.fromkeys(others)]
    if not columns or not rows:
        return objects, None
    frame = pd.DataFrame(list(rows.values()), index=list(rows), columns=[name for name, _ in columns], dtype="str")
    for at, (_, kind) in enumerate(columns):
        texts = frame.iloc[:, at].where(~frame.iloc[:, at].str.lower().isin(MISSING_WORDS))
        numbers, wrong = parse_numbers(texts)
        frame.isetitem(at, texts.array if kind == "STRING" or wrong.any() else numbers)
    return objects, frame


READER = FORMATS.register(
    Reader(
        name="multinet",
        about="a multiplex network with layers, actors and ties, as multinet writes it (.mpx)",
        extensions=("mpx",),
        matches=matches,
        read=read,
        order=20,
    )
)
