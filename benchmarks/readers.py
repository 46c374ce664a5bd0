"""Time of `mrwtd.read` for lists, text formats and nested formats, relative to a parser.

python -m benchmarks.readers [--rows N] [--runs N] [--json FILE]

Both are timed in turns in one process, in CPU time of all threads; the result is the ratio of the least times: other
load only adds to them. Besides parsing, `mrwtd.read` factorizes names, infers kinds and directions, sorts, merges
duplicates and checks the data. There are three groups:

- columns: `pandas.read_csv` reads the same file. Lists have a million rows and 50,000 objects.
- text: a tie is no row of columns. pandas reads a CSV file with the same ties, or NetworkX the same file, if it can.
  These files have a twentieth of the rows.
- nested: the cheapest parser of the format reads the same file, such as `xml.etree` or `json`, which make no graph.
"""

import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any
from xml.etree import ElementTree as ET

import networkx as nx
import numpy as np
import pandas as pd

import mrwtd
from benchmarks.measure import argument_parser, report

MAX_RATIO = 3.0

GROUPS = ("columns", "text", "nested")

PARSERS: dict[str, tuple[str, str, Callable[[Path], object]]] = {
    "GEXF": ("nested", "xml.etree", ET.parse),
    "GML": ("nested", "networkx", nx.read_gml),
    "GraphML": ("nested", "xml.etree", ET.parse),
    "JSON": ("nested", "json", lambda path: json.loads(path.read_bytes())),
    "adjacency list": ("text", "networkx", nx.read_adjlist),
    "edge list of NetworkX": ("text", "networkx", nx.read_edgelist),
}
"""The group, and the parser that reads the same file, of forms that are not columns; pandas for the others."""

SEPARATORS = {"SNAP": "\t", "ratings": "\t", "wide": ","}
"""Those of forms that have no spaces between the columns."""


def columns(rows: int, n_objects: int, n_relations: int, entity: str, relation: str, seed: int) -> pd.DataFrame:
    """Random triples with numbered names."""
    rng = np.random.default_rng(seed)
    objects = np.array([entity.format(number) for number in range(n_objects)])
    relations = np.array([relation.format(number) for number in range(n_relations)])
    return pd.DataFrame(
        {
            "source": objects[rng.integers(n_objects, size=rows)],
            "relation": relations[rng.integers(n_relations, size=rows)],
            "target": objects[rng.integers(n_objects, size=rows)],
        }
    )


def write_files(folder: Path, rows: int, seed: int) -> dict[str, Path]:
    """Write the files to read, by description: 50,000 objects and 10 relations each."""
    plain = columns(rows, 50_000, 10, "object{}", "relation{}", seed)
    graph = columns(rows, 50_000, 10, "/m/0{:05x}", "/people/person/property_of_{}", seed)
    brief = columns(rows, 50_000, 10, "o{}", "r{}", seed)
    # A pair drawn twice would have two values, which is an error.
    valued = plain.drop_duplicates()
    valued = valued.assign(value=np.random.default_rng(seed).normal(size=len(valued)).round(4))
    frames = {
        "triples": plain,
        "triples with a value": valued,
        "triples as knowledge graphs name them": graph,
        "triples with the shortest names": brief,
    }
    paths = {}
    for number, (title, frame) in enumerate(frames.items()):
        paths[title] = folder / f"triples{number}.csv"
        frame.to_csv(paths[title], index=False)
    paths["triples without a header"] = folder / "headerless.csv"
    plain.to_csv(paths["triples without a header"], index=False, header=False)
    return paths


def write_forms(folder: Path, rows: int, seed: int) -> dict[str, tuple[Path, dict[str, Any]]]:
    """Write ties in published forms, by description, each with the options that pandas needs."""
    ends = np.sort(np.random.default_rng(seed).integers(1, 50_001, size=(rows, 2)), axis=1)
    ties = pd.DataFrame(ends[ends[:, 0] != ends[:, 1]], columns=["a", "b"]).drop_duplicates()
    ties = ties.sample(frac=1, random_state=seed)
    a, b = ties["a"].astype(str), ties["b"].astype(str)
    market = f"%%MatrixMarket matrix coordinate real general\n50000 50000 {len(ties)}\n"
    rng = np.random.default_rng(seed)
    time = pd.Series(np.sort(rng.integers(10**9, 2 * 10**9, len(ties))), ties.index).astype(str)
    layer = pd.Series(rng.integers(1, 4, len(ties)), ties.index).astype(str)
    person = pd.Series(rng.integers(1, 500, len(ties)), ties.index).astype(str)
    forms = {
        "multilayer .edges": ("club.edges", "", layer + " " + a + " " + b + " 1"),
        "contacts": ("contacts.txt", "", time + " " + person + " " + (person.astype(int) + 1).astype(str)),
        "ratings": ("u.data", "", a + "\t" + b + "\t" + layer + "\t" + time),
        "wide": ("wide.csv", "source,target,likes,calls\n", a + "," + b + ",1," + layer),
        "KONECT": ("out.club", "% sym unweighted\n", a + " " + b),
        "KONECT, two-mode": ("out.visits", "% bip unweighted\n", a + " " + b),
        "SNAP": ("club.txt", "# Directed graph: club\n", a + "\t" + b),
        "Matrix Market": ("club.mtx", market, a + " " + b + " 0.5"),
        "NCOL": ("club.ncol", "", "object" + a + " object" + b + " 0.5"),
        "SIF": ("club.sif", "", "object" + a + " knows object" + b),
        "N-Triples": ("club.nt", "", "<http://x.org/" + a + "> <http://y.org/knows> <http://x.org/" + b + "> ."),
        "DIMACS": ("club.gr", f"p sp 50000 {len(ties)}\n", "a " + a + " " + b + " 3"),
        "Pajek": ("club.net", "*Vertices 50000\n*Arcs\n", a + " " + b + " 1"),
        "VNA": ("club.vna", "*tie data\nfrom to knows\n", "object" + a + " object" + b + " 1"),
    }
    paths = {}
    for title, (name, head, lines) in forms.items():
        (folder / name).write_text(head + "\n".join(lines) + "\n")
        options = {"sep": SEPARATORS.get(title, " "), "header": None, "skiprows": head.count("\n")}
        paths[title] = folder / name, options
    return paths


def write_line_by_line(folder: Path, rows: int, seed: int) -> dict[str, tuple[Path, Path]]:
    """Write ties in formats that are not columns, by description, each with the same ties as CSV."""
    ends = np.random.default_rng(seed).integers(1, rows // 10, size=(rows, 2))
    ties = pd.DataFrame(ends[ends[:, 0] != ends[:, 1]], columns=["a", "b"]).drop_duplicates().astype(str)
    plain = folder / "plain.csv"
    ties.to_csv(plain, index=False)
    a, b = ties["a"], ties["b"]
    neighbours = ties.groupby("a", sort=False)["b"].agg(" ".join)
    nodes = sorted({*a, *b}, key=int)

    def block(start: str, each: Callable[[str], str], end: str = "") -> str:
        return start + "".join(map(each, nodes)) + end

    gml = block("graph [ directed 1\n", lambda node: f'node [ id {node} label "{node}" ]\n')
    graphml = block('<graphml><graph edgedefault="directed">\n', lambda node: f'<node id="{node}"/>\n')
    gexf = block('<gexf><graph defaultedgetype="directed"><nodes>\n', lambda node: f'<node id="{node}"/>\n', "</nodes>")
    links = [{"source": source, "target": target} for source, target in zip(a, b, strict=True)]
    forms: dict[str, tuple[str, str | Iterable[str], str]] = {
        "adjacency list": ("a.adjlist", neighbours.index + " " + neighbours, ""),
        "arrows": ("arrows.txt", a + " -> " + b, ""),
        "DL of UCINET": ("a.dl", a + " " + b, ""),
        "DOT": ("a.dot", "  " + a + " -> " + b + ";", "}"),
        "edge list of NetworkX": ("a.edgelist", a + " " + b + " {'weight': 3}", ""),
        "GDF": ("a.gdf", a + "," + b, ""),
        "GEXF": ("a.gexf", '<edge source="' + a + '" target="' + b + '"/>', "</edges></graph></gexf>"),
        "GML": ("a.gml", "edge [ source " + a + " target " + b + " ]", "]"),
        "GraphML": ("a.graphml", '<edge source="' + a + '" target="' + b + '"/>', "</graph></graphml>"),
        "JSON": (
            "a.json",
            [json.dumps({"directed": True, "nodes": [{"id": node} for node in nodes], "links": links})],
            "",
        ),
        "LGL": ("a.lgl", "# " + neighbours.index + "\n" + neighbours.str.replace(" ", "\n"), ""),
        "multinet": ("a.mpx", a + "," + b + ",likes", ""),
        "TGF": ("a.tgf", a + " " + b, ""),
    }
    heads = {
        "DOT": "digraph {",
        "GDF": block("nodedef>name VARCHAR\n", lambda node: f"{node}\n", "edgedef>node1 VARCHAR,node2 VARCHAR"),
        "GEXF": gexf + "<edges>",
        "GML": gml,
        "GraphML": graphml,
        "multinet": "#TYPE multiplex\n#LAYERS\nlikes,DIRECTED\n#EDGES",
        "TGF": block("", lambda node: f"{node} {node}\n", "#"),
        "DL of UCINET": f"dl n={len(nodes)} format=edgelist1\nlabels embedded\ndata:",
    }
    paths = {}
    for title, (name, lines, end) in forms.items():
        head = f"{heads[title]}\n" if title in heads else ""
        (folder / name).write_text(head + "\n".join(lines) + f"\n{end}\n" * bool(end), encoding="utf-8")
        paths[title] = folder / name, plain
    return paths


def compare(runs: int, parse: Callable[[], object], path: Path) -> dict[str, float]:
    """The least CPU times of a parser and of mrwtd in turns, and their ratio."""
    rounds = []
    for _ in range(runs + 1):
        began = process_time()
        parse()
        between = process_time()
        mrwtd.read(path)
        rounds.append((between - began, process_time() - between))
    other, ours = np.min(rounds[1:], axis=0).tolist()  # the first one includes late imports
    return {"parser s": other, "mrwtd s": ours, "ratio": ours / other}


def main() -> int:
    """Time all files, print one line per file, and fail if one in columns is too slow."""
    parser = argument_parser(__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    arguments = parser.parse_args()
    print(f"pandas {pd.__version__}, Python {platform.python_version()}, {os.cpu_count()} cores")
    results = []
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(1) as other:
        # Written in another process: memory left over from writing would favour one of the two.
        def write(function: Callable[..., Any], rows: int) -> Any:
            return other.submit(function, Path(folder), rows, 0).result()

        def add(title: str, group: str, name: str, parse: Callable[[], object], path: Path) -> None:
            times = compare(arguments.runs, parse, path)
            results.append({"file": title, "group": group, "parser": name, **times, "bytes": path.stat().st_size})
            print(f"{title:38s}", f"{name:10s}", *(f"{value:.4g}" for value in times.values()), flush=True)

        for title, path in write(write_files, arguments.rows).items():
            add(title, "columns", "pandas", partial(pd.read_csv, path), path)
        for title, (path, form) in write(write_forms, arguments.rows).items():
            add(title, "columns", "pandas", partial(pd.read_csv, path, **form), path)
        for title, (path, plain) in write(write_line_by_line, arguments.rows // 20).items():
            group, name, parse = PARSERS.get(title, ("text", "pandas", None))
            add(title, group, name, partial(pd.read_csv, plain) if parse is None else partial(parse, path), path)
    largest = {group: max(row["ratio"] for row in results if row["group"] == group) for group in GROUPS}
    report(
        "readers",
        [
            {name: f"{value:.3g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value
             for name, value in row.items()}
            for row in sorted(results, key=lambda row: GROUPS.index(row["group"]))
        ],
        f"CPU seconds, least of {arguments.runs}, pandas {pd.__version__}, NetworkX {nx.__version__}. Largest ratios: "
        f"{', '.join(f'{ratio:.2f} ({group})' for group, ratio in largest.items())}; the target in columns is "
        f"{MAX_RATIO:g}. Load average at the end: {os.getloadavg()[0]:.1f}.",
    )  # fmt: skip
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n")
    return int(largest["columns"] > MAX_RATIO)


if __name__ == "__main__":
    sys.exit(main())
