"""DOT, the language of Graphviz: `digraph { ann -> bob [weight=2]; }`.

Nodes, edges and chains of edges are read. Subgraphs only group nodes for drawing; an edge to a whole subgraph is a
problem.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from .headers import best_name, value_and_weight
from .lines import floats, quote
from .text_graphs import Line, TextGraph, unique_labels

START = re.compile(r"\s*+(?:(?://|#|/\*)[^\n]*+\n\s*+)*+(?:strict\s++)?+(?:di)?graph\b[^\n{\[]*+\{", re.IGNORECASE)
"""The start of a file."""

_TOKEN = re.compile(
    r'"((?:[^"\\]|\\.)*+)"|(->|--)|([{}\[\];,=:])|(<[^<>]*+>)|(//.*|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|$))|(-?[^\s{}\[\];,=:"<>/-]++)|(\S)'
)
_WORDS = ("graph", "node", "edge")
"""Words before default attributes, which are not read."""


class Token(NamedTuple):
    """A token: its text, whether it can be a name, and its line."""

    text: str
    is_name: bool
    line: int


class Edge(NamedTuple):
    """An edge, with its line and its attributes."""

    source: str
    target: str
    undirected: bool
    line: int
    attributes: dict[str, str]


def dot(graph: TextGraph, lines: Sequence[Line]) -> None:
    """The edges of a file. Names are the labels of the nodes, if they are different."""
    labels, edges = statements(graph, lines)
    labels = unique_labels(labels)
    graph.objects = list(labels.values())
    for source, target, undirected, line, attributes in edges:
        value, relation = _value_and_relation(attributes)
        graph.add(labels[source], labels[target], value, relation, line=line, undirected=undirected)


def statements(graph: TextGraph, lines: Sequence[Line]) -> tuple[dict[str, str], list[Edge]]:
    """The label of each node, and the edges."""
    tokens = list(_tokens(graph, lines))
    start = next((position for position, token in enumerate(tokens) if token.text == "{"), None)
    if start is None:
        graph.problems.add("no {", "graph or digraph, and then { nodes and edges }", lines[0][0] if lines else 1)
        return {}, []
    labels: dict[str, str] = {}
    edges: list[Edge] = []
    position = start + 1
    while position < len(tokens):
        token, following = tokens[position], tokens[position + 1].text if position + 1 < len(tokens) else ""
        position += 1
        if token.is_name and token.text.lower() == "subgraph":
            position += following != "{"
        elif token.is_name and following == "=":
            position += 2
        elif token.is_name:
            chain, position = _chain(graph, tokens, position - 1)
            attributes, position = _attributes(tokens, position)
            if len(chain) == 1 and token.text.lower() in _WORDS:
                continue
            for name, _ in chain:
                labels.setdefault(name, name)
            if len(chain) == 1 and attributes.get("label", "\\N") not in ("", "\\N"):
                labels[token.text] = attributes["label"]
            edges += [Edge(a, b, undirected, token.line, attributes) for (a, _), (b, undirected) in pairwise(chain)]
        elif token.text not in "{};,":
            graph.problems.add(quote(token.text), "a node or an edge", token.line)
    return labels, edges


def _tokens(graph: TextGraph, lines: Sequence[Line]) -> Iterator[Token]:
    in_comment = False
    for number, line in lines:
        start = line.find("*/") + 2 if in_comment else 0
        if in_comment and start == 1:
            continue
        in_comment = False
        for match in _TOKEN.finditer(line, start):
            quoted, operator, mark, html, comment, word, other = match.groups()
            if other is not None:
                graph.problems.add(quote(other), "a name, in quotes if it has other characters", number)
            elif comment is not None:
                in_comment = comment.startswith("/*") and (len(comment) < 4 or not comment.endswith("*/"))
            else:
                name = quoted if quoted is not None else html or word
                yield Token(name or operator or mark or "", name is not None, number)


def _chain(graph: TextGraph, tokens: Sequence[Token], position: int) -> tuple[list[tuple[str, bool]], int]:
    """The nodes of a statement, each with whether the edge to it is undirected, and the position behind them."""
    chain, undirected = [], False
    while position < len(tokens) and tokens[position].is_name:
        chain.append((tokens[position].text, undirected))
        position += 1
        while position + 1 < len(tokens) and tokens[position].text == ":":  # a port
            position += 2
        if position == len(tokens) or tokens[position].text not in ("->", "--") or tokens[position].is_name:
            return chain, position
        undirected = tokens[position].text == "--"
        position += 1
    graph.problems.add("an edge without a second node", "the name of a node", tokens[position - 1].line)
    return chain, position


def _attributes(tokens: Sequence[Token], position: int) -> tuple[dict[str, str], int]:
    """The attributes in brackets, if there are any, and the position behind them."""
    attributes: dict[str, str] = {}
    while position < len(tokens) and tokens[position].text == "[" and not tokens[position].is_name:
        position += 1
        while position < len(tokens) and tokens[position].text != "]":
            if position + 2 < len(tokens) and tokens[position].is_name and tokens[position + 1].text == "=":
                attributes[tokens[position].text.lower()] = tokens[position + 2].text
                position += 2
            position += 1
        position += 1
    return attributes, position


def _value_and_relation(attributes: dict[str, str]) -> tuple[float, str]:
    """The value and the relation of an edge; a label that is a number is its value."""
    texts = list(attributes.values())
    numbers, wrong = floats(texts)
    numeric = {
        name: float(number) for name, number, is_wrong in zip(attributes, numbers, wrong, strict=True) if not is_wrong
    }
    value = value_and_weight(list(numeric))[0]
    relation = best_name([name for name in attributes if name not in numeric], "relation")
    return numeric.get("label" if value is None else value, 1.0), "" if relation is None else attributes[relation]
