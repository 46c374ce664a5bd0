"""Multiplex networks as written by the package multinet (R, and uunet in Python): `.mpx`.

Sections start with `#` and a name; a file without sections is a list of ties:

    #TYPE multiplex
    #LAYERS              layer,DIRECTED or UNDIRECTED[,LOOPS]
    #ACTOR ATTRIBUTES    name,STRING or NUMERIC
    #EDGE ATTRIBUTES     layer,name,type for one layer; name,type for all
    #ACTORS              actor[,attribute…]
    #VERTICES            actor,layer[,attribute…]
    #EDGES               actor,actor,layer[,attributes of the layer…][,attributes of all layers…]

In a file with #TYPE multilayer, a layer is named twice, `layer,layer,DIRECTED`, and a tie is `actor,layer,actor,layer`.
"""

import csv
import re
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from ....errors import Problems
from ...limits import ATTRIBUTES
from ...table import MISSING_WORDS, Table, parse_numbers
from ..parsing.headers import value_and_weight
from ..parsing.lines import MAX_NAMED, Tie, Ties, checked_floats, enumeration, numbered, quote
from ..parsing.plain_tail import Tail, load_rewritten
from ..source import Source, register_format

_SECTIONS = {
    "VERSION": "version", "TYPE": "type", "LAYERS": "layers", "ACTORS": "actors", "EDGES": "edges",
    "ACTOR ATTRIBUTES": "actor attributes", "EDGE ATTRIBUTES": "edge attributes",
    "NODE ATTRIBUTES": "vertex attributes", "VERTEX ATTRIBUTES": "vertex attributes",
    "NODES": "vertices", "VERTICES": "vertices",
}  # fmt: skip
_TYPES = ("STRING", "NUMERIC", "NUMBER", "INTEGER", "DOUBLE")
_INLINE = re.compile(r"#(TYPE|VERSION)\b", re.IGNORECASE)
_EDGES = re.compile(rb"^#EDGES[ \t]*+\n", re.IGNORECASE | re.MULTILINE)
_START = re.compile(
    rb"\s*+(?:--[^\r\n]*+[\r\n]\s*+)*+#(VERSION|TYPE|LAYERS|ACTORS|EDGES|(ACTOR|NODE|VERTEX|EDGE) ATTRIBUTES)\b",
    re.IGNORECASE,
)

Lines = list[tuple[int, list[str]]]


class Attribute(NamedTuple):
    """An attribute of ties."""

    name: str
    is_number: bool


def matches(source: Source) -> bool:
    """Whether the file has the extension, or starts with a section."""
    return source.extension == "mpx" or _START.match(source.start[:4096]) is not None


@register_format(
    "multinet", "a multiplex network with layers, actors and ties, as written by multinet (.mpx)", ("mpx",), matches, 20
)
def read(source: Source) -> Table:
    r"""The layers as relations, the actors as objects.

    >>> read(Source("office.mpx", b"#LAYERS\nadvice,DIRECTED\n#EDGES\nann,bob,advice\n")).declared
    {'advice': {'directed': True}}
    """
    start = _EDGES.search(source.utf8)
    tail = None if start is None else _plain_ties(source, start.end())
    head = source if start is None or tail is None else Source(source.name, source.utf8[: start.end()])
    table = None if tail is None else _table(head, tail)
    return _table(source) if table is None else table  # type: ignore[return-value]


def _table(source: Source, tail: Tail | None = None) -> Table | None:
    """The table of a file, whose ties are in `tail` if they are alike; None if that does not work."""
    problems = Problems()
    sections = _sections(source, problems)
    multilayer = any("multilayer" in fields[0].lower() for _, fields in sections["type"])
    layers = _layers(sections["layers"], multilayer, problems)
    attributes_of = _edge_attributes(sections["edge attributes"], problems)
    if tail is None:
        ties, notes = _ties(sections["edges"], multilayer, layers, attributes_of, problems)
    else:
        has_attributes = any(attributes_of.values())
        plain = None if has_attributes or multilayer or sections["edges"] else _plain(tail, layers)
        if plain is None:
            return None
        ties, notes = plain, []
    objects, attributes = _actors(sections, problems)
    if tail is not None and problems.total:
        return None
    problems.check()
    if not layers:
        notes.append("The file does not declare its layers: all are undirected, the default of multinet.")
    table = ties.table(objects=objects, relations=list(layers), attributes=attributes, notes=notes)
    declared = {name: {"directed": directed} for name, directed in layers.items()}
    return replace(table, declared={**table.declared, **declared})


def _plain_ties(source: Source, start: int) -> Tail | None:
    """The ties at the end of a file if they have no attributes, and their lines are alike."""
    rest = bytes(source.utf8[start:])
    if any(mark in rest for mark in (b" ", b"\t", b"#", b"--")):
        return None
    return load_rewritten(source, start, rest.replace(b",", b" "), (2, 0, 1), (3,))


def _plain(tail: Tail, layers: dict[str, bool]) -> Ties | None:
    """The ties of all layers; None if a layer is not declared."""
    layer = tail.columns.factorized(2)
    if layers and not all(name in layers for name in layer.used_names()):
        return None
    undirected = np.array([not layers.get(name, False) for name in layer.names], dtype=bool)[layer.codes]
    return Ties().extend(tail.ends((0, 1)), layer, tail.numbers(3), tail.lines, undirected)


def _sections(source: Source, problems: Problems) -> dict[str, Lines]:
    sections: dict[str, Lines] = {name: [] for name in _SECTIONS.values()}
    current = "edges"
    for number, line in numbered(source.text):
        text = line.strip()
        if not text or text.startswith("--"):
            continue
        if text.startswith("#"):
            # These two sections can have their value in the same line.
            head, value = (*text[1:].split(None, 1), "")[:2] if _INLINE.match(text) else (text[1:], "")
            name = _SECTIONS.get(" ".join(head.upper().split()))
            if name is None:
                expected = f"one of {', '.join(f'#{name}' for name in _SECTIONS)}"
                problems.add(f"the section {quote(text)}", expected, number)
                continue
            current, text = name, value.strip()
            if not text:
                continue
        try:
            fields = [field.strip() for field in next(csv.reader([text], skipinitialspace=True))]
        except csv.Error as error:
            problems.add(f"{quote(text)} ({error})", "fields separated by commas", number)
            continue
        sections[current].append((number, fields))
    return sections


def _layers(lines: Lines, multilayer: bool, problems: Problems) -> dict[str, bool]:
    """Whether each layer is directed."""
    layers: dict[str, bool] = {}
    expected = "layer,layer,DIRECTED or UNDIRECTED" if multilayer else "layer,DIRECTED or UNDIRECTED"
    for number, fields in lines:
        direction = fields[1 + multilayer].upper() if len(fields) > 1 + multilayer else ""
        if direction not in ("DIRECTED", "UNDIRECTED") or not fields[0]:
            problems.add(quote(",".join(fields)), expected, number)
        elif multilayer and fields[0] != fields[1]:
            continue  # the direction of ties between layers, which are problems below
        elif fields[0] in layers:
            problems.add(f"the layer {quote(fields[0])} twice", "each layer once", number)
        else:
            layers[fields[0]] = direction == "DIRECTED"
    return layers


def _edge_attributes(lines: Lines, problems: Problems) -> dict[str, list[Attribute]]:
    """The attributes of the ties of each layer, and under "" those of all ties."""
    attributes: dict[str, list[Attribute]] = {"": []}
    for number, fields in lines:
        if len(fields) not in (2, 3) or fields[-1].upper() not in _TYPES:
            problems.add(quote(",".join(fields)), "layer,name,type or name,type with type STRING or NUMERIC", number)
            continue
        attribute = Attribute(fields[-2], fields[-1].upper() != "STRING")
        attributes.setdefault(fields[0] if len(fields) == 3 else "", []).append(attribute)
    return attributes


def _ties(
    lines: Lines,
    multilayer: bool,
    layers: dict[str, bool],
    attributes_of: dict[str, list[Attribute]],
    problems: Problems,
) -> tuple[Ties, list[str]]:
    ties, notes = Ties(), []
    form = ["actor", "layer", "actor", "layer"] if multilayer else ["actor", "actor", "layer"]
    first = len(form)
    known_layers = enumeration(list(layers))
    positions: dict[str, tuple[int | None, ...]] = {}
    for number, fields in lines:
        layer = fields[first - 1] if len(fields) >= first else ""
        parts = [attributes_of.get(layer, []) if layer else [], attributes_of[""]]
        if len(fields) != first + sum(map(len, parts)) or not all(fields[:first]):
            names = [attribute.name for part in parts for attribute in part[:MAX_NAMED]]
            problems.add(quote(",".join(fields)), ",".join(form + names), number)
        elif multilayer and fields[1] != fields[3]:
            problems.add(f"a tie from layer {quote(fields[1])} to {quote(fields[3])}", "ties within one layer", number)
        elif layers and layer not in layers:
            problems.add(f"the layer {quote(layer)}", f"one of {known_layers}", number)
        else:
            if layer not in positions:
                positions[layer], layer_notes = _value_positions([*parts[0], *parts[1]], first)
                notes += [f"{layer}: {note}" for note in layer_notes]
            numbers = ["1" if position is None else fields[position] for position in positions[layer]]
            value, weight = checked_floats(numbers, number, problems).tolist()
            target = fields[2 if multilayer else 1]
            ties.append(Tie(fields[0], layer, target, value, weight, number, not layers.get(layer, False)))
    return ties, notes


def _value_positions(attributes: list[Attribute], first: int) -> tuple[tuple[int | None, ...], list[str]]:
    """The positions of value and weight in a line, and notes on them."""
    roles = value_and_weight([attribute.name for attribute in attributes if attribute.is_number])
    names = [attribute.name for attribute in attributes]
    notes = [] if roles[0] is None else [f"the value is the attribute {roles[0]!r}"]
    unused = [name for name in names if name not in roles]
    if unused:
        notes.append(f"not used: {enumeration(unused)}")
    return tuple(None if name is None else first + names.index(name) for name in roles), notes


def _actors(sections: dict[str, Lines], problems: Problems) -> tuple[list[str], pd.DataFrame | None]:
    """The actors in the order of the file, and their attributes."""
    columns = [(fields[0], fields[-1].upper()) for _, fields in sections["actor attributes"] if fields]
    ATTRIBUTES.check(len(columns), None)
    rows: dict[str, list[str]] = {}
    for number, fields in sections["actors"]:
        if len(fields) not in (1, 1 + len(columns)) or not fields[0]:
            form = ",".join(["actor", *(name for name, _ in columns)])
            problems.add(quote(",".join(fields)), form, number)
        elif fields[0] in rows:
            problems.add(f"the actor {quote(fields[0])} twice", "each actor once", number)
        else:
            rows[fields[0]] = fields[1:] or [""] * len(columns)
    others = [fields[0] for _, fields in sections["vertices"] if fields[0] and fields[0] not in rows]
    objects = [*rows, *dict.fromkeys(others)]
    if not columns or not rows:
        return objects, None
    frame = pd.DataFrame(list(rows.values()), index=list(rows), columns=[name for name, _ in columns], dtype="str")
    for position, (_, kind) in enumerate(columns):
        column = frame.iloc[:, position]
        texts = column.where(~column.str.lower().isin(MISSING_WORDS))
        numbers, wrong = parse_numbers(texts)
        frame.isetitem(position, texts.array if kind == "STRING" or wrong.any() else numbers)
    return objects, frame
