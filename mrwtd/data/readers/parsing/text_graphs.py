"""Small text formats of graphs, line by line: NCOL, LGL, TGF, SIF, DIMACS, METIS, adjacency lists, arrows, NetworkX.

Each dialect is a function from the numbered lines of a file to a `TextGraph`.
"""

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ....errors import DataError, Problem, Problems
from ...limits import UNLABELLED
from .headers import best_name, value_and_weight
from .lines import Tie, Ties, checked_floats, floats, numbered, quote, whole_number

ARROWS = {" <-> ": True, " -> ": False, " => ": False, " → ": False, " -- ": True}
"""Arrows between two objects, and whether the tie is undirected."""

Line = tuple[int, str]


@dataclass
class TextGraph:
    """The content of a file that was read so far: its name and size, the ties, the objects, and problems."""

    name: str
    size: int
    ties: Ties = field(default_factory=Ties)
    objects: list[str] = field(default_factory=list)
    problems: Problems = field(default_factory=Problems)
    declares_direction: bool = True
    """Whether the format says which ties are undirected."""
    has_values: bool = True
    """Whether ties can have values."""

    def add(self, source: str, target: str, value: float = 1.0, relation: str = "", **rest: int | bool) -> None:
        """Add a tie; without a relation it belongs to the one named after the file."""
        self.ties.append(Tie(source, relation or self.name, target, value, 1.0, **rest))  # type: ignore[arg-type]

    def number_objects(self, n: int) -> None:
        """Name the objects 1 to n, if the file may announce that many."""
        UNLABELLED.check(n, self.size)
        self.objects = [str(position) for position in range(1, n + 1)]


def _value(graph: TextGraph, text: str, line: int) -> float:
    return float(checked_floats([text], line, graph.problems)[0])


def _value_or_relation(text: str) -> tuple[float, str]:
    """The value of a tie, or its relation if the text is no number."""
    numbers, wrong = floats([text])
    return (1.0, text) if wrong[0] else (float(numbers[0]), "")


def unique_labels(labels: dict[str, str]) -> dict[str, str]:
    """The label of each node, or the id of each if labels are not unique.

    >>> unique_labels({"1": "ann", "2": "ann"})
    {'1': '1', '2': '2'}
    """
    return labels if len(set(labels.values())) == len(labels) else {key: key for key in labels}


def ncol(graph: TextGraph, lines: Sequence[Line]) -> None:
    """NCOL: two names and perhaps a weight."""
    graph.declares_direction = False
    for number, line in lines:
        words = line.split()
        if len(words) not in (2, 3):
            graph.problems.add(quote(line.strip()), "two names, and perhaps a weight", number)
            continue
        graph.add(words[0], words[1], _value(graph, words[2], number) if len(words) == 3 else 1.0, line=number)


def lgl(graph: TextGraph, lines: Sequence[Line]) -> None:
    """LGL: a line `# name`, then its neighbours, each with perhaps a weight."""
    source = None
    for number, line in lines:
        words = line.split()
        if words[0].startswith("#"):
            source = line.strip()[1:].strip()
            graph.objects.append(source)
        elif source is None or len(words) > 2:
            graph.problems.add(quote(line.strip()), "# and a name, or a neighbour and perhaps a weight", number)
        else:
            value = _value(graph, words[1], number) if len(words) == 2 else 1.0
            graph.add(source, words[0], value, line=number, undirected=True)


def tgf(graph: TextGraph, lines: Sequence[Line]) -> None:
    """TGF: one node per line, id and label, a line #, and one edge per line, with perhaps a value or a relation."""
    graph.declares_direction = False
    labels: dict[str, str] = {}
    edges: list[tuple[int, list[str]]] = []
    within_nodes = True
    for number, line in lines:
        words = line.split(None, 1 if within_nodes else 2)
        if words[0] == "#":
            within_nodes = False
        elif within_nodes:
            labels[words[0]] = words[1].strip() if len(words) > 1 else words[0]
        elif len(words) < 2:
            graph.problems.add(quote(line.strip()), "the ids of two nodes", number)
        else:
            edges.append((number, words))
    labels = unique_labels(labels)
    graph.objects = list(labels.values())
    for number, words in edges:
        unknown = [word for word in words[:2] if word not in labels]
        if unknown:
            graph.problems.add(f"the node {quote(unknown[0])}", "the id of a node listed above", number)
            continue
        value, relation = _value_or_relation(words[2].strip() if len(words) > 2 else "1")
        graph.add(labels[words[0]], labels[words[1]], value, relation, line=number)


def sif(graph: TextGraph, lines: Sequence[Line]) -> None:
    """SIF of Cytoscape: source, relation, targets; a single name is an object without ties."""
    graph.declares_direction = graph.has_values = False
    separator = "\t" if any("\t" in line for _, line in lines) else None
    for number, line in lines:
        words = [word.strip() for word in line.strip("\r\n ").split(separator) if word.strip()]
        if len(words) == 2:
            graph.problems.add(quote(line.strip()), "source, relation, and one or more targets", number)
        graph.objects.append(words[0])
        for target in words[2:]:
            graph.add(words[0], target, relation=words[1], line=number)


def dimacs(graph: TextGraph, lines: Sequence[Line]) -> None:
    """DIMACS: `p edge n m`, then edges `e 1 2` or arcs `a 1 2 5`."""
    for number, line in lines:
        kind, *words = line.split()
        if kind == "p":
            n = whole_number(words[1]) if len(words) > 2 else None
            if n is None or graph.objects:
                graph.problems.add(quote(line.strip()), "one line p edge, with the numbers of nodes and edges", number)
            else:
                graph.number_objects(n)
        elif kind in ("e", "a"):
            ends = [whole_number(word) for word in words[:2]]
            if len(words) not in (2, 3) or not all(end and end <= len(graph.objects) for end in ends):
                graph.problems.add(quote(line.strip()), f"two nodes from 1 to {len(graph.objects)}", number)
                continue
            value = _value(graph, words[2], number) if len(words) == 3 else 1.0
            graph.add(str(ends[0]), str(ends[1]), value, line=number, undirected=kind == "e")
        elif kind not in ("c", "n", "v", "d", "x"):
            graph.problems.add(quote(line.strip()), "a line that starts with c, p, e or a", number)


def metis(graph: TextGraph, lines: Sequence[Line]) -> None:
    """METIS: the numbers of nodes and edges, then one line per node with its neighbours, and perhaps weights."""
    header = next(((number, line.split()) for number, line in lines if line.strip()), (1, []))
    numbers = [whole_number(word) for word in header[1]]
    code = header[1][2].zfill(3) if len(header[1]) > 2 else "000"
    if not 2 <= len(numbers) <= 4 or None in numbers or not set(code) <= {"0", "1"} or len(code) != 3:
        expected = "the numbers of nodes and edges, and perhaps three digits"
        raise DataError(Problem(quote(" ".join(header[1])), expected, header[0]))
    n, skipped = numbers[0] or 0, (code[0] == "1") + (code[1] == "1") * ((numbers[3:] or [1])[0] or 0)
    graph.number_objects(n)
    rows = [(number, line) for number, line in lines if number > header[0]]
    while len(rows) > n and not rows[-1][1].strip():
        rows.pop()
    if len(rows) != n:
        graph.problems.add(f"{len(rows)} lines below the first", f"{n}, one per node", header[0])
        graph.problems.check()
    step = 1 + (code[2] == "1")
    for node, (number, line) in enumerate(rows, start=1):
        words = line.split()[skipped:]
        for position in range(0, len(words), step):
            target = whole_number(words[position])
            if not target or target > n or position + step > len(words):
                graph.problems.add(quote(" ".join(words)), f"neighbours from 1 to {n}", number)
                break
            if node <= target:  # both nodes list their edge
                value = _value(graph, words[position + 1], number) if step == 2 else 1.0
                graph.add(str(node), str(target), value, line=number, undirected=True)


def adjacency(graph: TextGraph, lines: Sequence[Line]) -> None:
    """Adjacency list: a node, then its neighbours."""
    graph.declares_direction = False
    for number, line in lines:
        source, *targets = line.split()
        graph.objects.append(source)
        for target in targets:
            graph.add(source, target, line=number)


def arrows(graph: TextGraph, lines: Sequence[Line]) -> None:
    """Arrows: `ann -> bob`, `ann -- bob`, `ann <-> bob`, and perhaps `: 3` for a value or `: likes` for a relation."""
    for number, line in lines:
        arrow = next((arrow for arrow in ARROWS if arrow in line), "")
        source, _, rest = line.partition(arrow or "\0")
        target, _, label = rest.partition(": ")
        source, target, label = source.strip(), target.strip().rstrip(";").strip(), label.strip()
        if not source or not target:
            graph.problems.add(quote(line.strip()), "source -> target", number)
            continue
        value, relation = _value_or_relation(label or "1")
        graph.add(source, target, value, relation, line=number, undirected=ARROWS[arrow])


def networkx(graph: TextGraph, lines: Sequence[Line]) -> None:
    """Edge list of NetworkX: two names and a dictionary, such as `ann bob {'weight': 3}`."""
    graph.declares_direction = False
    for number, line in lines:
        start, brace, inside = line.strip().partition("{")
        words = start.split()
        try:
            data = ast.literal_eval(brace + inside) if brace else {}
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            data = None
        if len(words) != 2 or not isinstance(data, dict):
            graph.problems.add(quote(line.strip()), "two names and {'attribute': value}", number)
            continue
        named = {str(name): value for name, value in data.items()}
        numeric = [name for name, value in named.items() if isinstance(value, (int, float))]
        value, relation = value_and_weight(numeric)[0], best_name(list(named), "relation")
        text = "1" if value is None else str(named[value])
        name = "" if relation is None else str(named[relation])
        graph.add(words[0], words[1], _value(graph, text, number), name, line=number)


Dialect = Callable[[TextGraph, Sequence[Line]], None]

BY_EXTENSION: dict[str, Dialect] = {
    "ncol": ncol, "lgl": lgl, "tgf": tgf, "sif": sif, "dimacs": dimacs, "col": dimacs, "gr": dimacs, "graph": metis,
    "metis": metis, "adjlist": adjacency,
}  # fmt: skip
"""The dialect of each file extension."""

COMMENTS: dict[Dialect, tuple[str, ...]] = {metis: ("%",), lgl: (), tgf: (), sif: ()}
"""The first characters of comments, where they are not # and %."""


def content_lines(text: str, dialect: Dialect) -> list[Line]:
    """The numbered lines of a text, without comments and, except where they are nodes, empty lines."""
    comments = COMMENTS.get(dialect, ("#", "%"))
    is_metis = dialect is metis  # in which an empty line is a node without neighbours
    return [
        (number, line)
        for number, line in numbered(text)
        if (line.strip() or is_metis) and not line.startswith(comments)
    ]
