"""Multilayer networks without column names: the number of a layer, source, target and weight, separated by spaces.

Each layer is a relation. Its name can be in a second file, and names and attributes of the objects in a third:

    friends_multiplex.edges   friends_layers.txt    friends_nodes.txt
    1 1 2 1                   layerID layerLabel    nodeID nodeLabel
    2 1 3 1                   1 advice              1 ann
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ...table import Table
from ..parsing.delimited import sniff, try_sniff
from ..parsing.headers import Roles
from ..parsing.lines import floats, whole_number
from ..source import Source, register_format
from . import long

WIDTH = 4
EXTENSION = "edges"


def matches(source: Source) -> bool:
    """Whether a text has four columns without names, and the first one has layers.

    That follows from an accompanying list of layers, from its extension, or from the numbers.
    """
    sheet = try_sniff(source)
    if sheet is None or sheet.schema is not None or sheet.comment or sheet.separator not in (" ", "\t"):
        return False
    rows = [cells for _, cells in sheet.records]
    if any(len(row) != WIDTH for row in rows) or floats([row[-1] for row in rows])[1].any():
        return False
    columns = list(zip(*rows, strict=True))
    layers = [whole_number(word) for word in columns[0]]
    if any(layer is None for layer in layers):
        return source.layers is not None
    return source.layers is not None or source.extension == EXTENSION or _has_layers(columns)


def _has_layers(columns: Sequence[Sequence[str]]) -> bool:
    """Whether the first column counts layers up from 0 or 1, has many pairs of objects in each, and no sources."""
    layers, sources, targets = ([whole_number(word) for word in column] for column in columns[:3])
    numbers = [layer for layer in layers if layer is not None]
    steps = {after - before for before, after in pairwise(numbers)}
    objects = {*sources, *targets}
    counts_up = numbers[0] in (0, 1) and steps <= {0, 1}
    return counts_up and None not in objects and 3 * len(set(numbers)) <= min(len(set(sources)), len(set(targets)))


@register_format(
    "multilayer",
    "a multilayer network without column names: layer, source, target, weight (.edges)",
    ("edges", "txt", "dat", "gz"),
    matches,
    order=40,
)
def read(source: Source) -> Table:
    r"""The rows of the list, with one relation per layer.

    >>> read(Source("friends.edges", b"1 1 2 1\n2 1 3 1\n")).relations
    ('1', '2')
    """
    sheet = sniff(source)
    layout = long.Layout((), sheet.records[0][0], WIDTH, Roles(1, 2, (0,), None, 3, ()))
    table = long.read_rows(source, sheet, layout)
    note = "The columns have no names and are read as layer, source, target and weight, in this order."
    hint = "" if source.layers else " A file with the names of the layers can be read together with this one."
    return replace(table, notes=(note + hint,))
