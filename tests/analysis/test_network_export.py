import io
import re
import xml.etree.ElementTree as ET

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import mrwtd
from mrwtd.analysis.edges import score_pairs, tie_values
from mrwtd.analysis.network_export import edge_data, edge_table


@pytest.fixture(scope="module", params=["florentine", "monastery", "airports"])
def exported(request: pytest.FixtureRequest):
    data = mrwtd.load_dataset(request.param)
    train, test = data.split(train=0.5, seed=0)
    model = mrwtd.MrWTD(rank=2, lam=1.0, max_iter=30).fit(train)
    relation = data.relations[0].name
    pairs = score_pairs(model, train, test, relation, tie_from=next(iter(tie_values(data, relation).values())))
    return data, model, relation, pairs.edges(pairs.threshold_for(0.2))


def test_the_table_has_every_edge_with_its_own_score(exported) -> None:
    data, model, relation, edges = exported
    table = edge_table(model, data, relation, edges)
    assert len(table) == len(edges)
    scores = {
        (data.objects[i], data.objects[j]): s for i, j, s in zip(edges["i"], edges["j"], edges["score"], strict=True)
    }
    for row in table.itertuples():
        assert row.score == pytest.approx(scores[row.source, row.target])
    assert table["score"].is_monotonic_decreasing
    assert (
        table["outcome"].value_counts().to_dict() == edges["outcome"].value_counts()[lambda count: count > 0].to_dict()
    )


@pytest.mark.parametrize("kind", ["graphml", "gexf"])
def test_networkx_opens_what_is_written(exported, kind: str) -> None:
    data, _, relation, edges = exported
    file = io.BytesIO()
    mrwtd.write(edge_data(data, {relation: edges}), file, format=kind)
    file.seek(0)
    graph = nx.read_graphml(file) if kind == "graphml" else nx.read_gexf(file, version="1.3")
    assert set(graph.nodes) == set(data.objects)
    assert graph.number_of_edges() == len(edges)
    outcomes = [attributes["relation"].rpartition(": ")[2] for _, _, attributes in graph.edges(data=True)]
    assert sorted(outcomes) == sorted(edges["outcome"].astype(str))
    values = [float(attributes["value"]) for _, _, attributes in graph.edges(data=True)]
    assert np.sort(values) == pytest.approx(np.sort(edges["score"]))


GEXF = "{http://gexf.net/1.3}"
SPELLINGS = {
    "string": ".*",
    "boolean": "true|false",
    "long": r"-?\d+",
    "double": r"-?\d+(\.\d+)?(e[+-]?\d+)?",
}
"""How the values of each type of attribute have to be spelled for a program in Java to read them."""


def complaints(file: bytes) -> list[str]:
    """What Gephi's importer of GEXF 1.3 would report: its rules, written down apart from our writer."""
    root = ET.fromstring(file)
    problems = [] if root.tag == GEXF + "gexf" and root.get("version") == "1.3" else ["not GEXF 1.3"]
    (graph,) = root.iter(GEXF + "graph")
    order = [child.tag.removeprefix(GEXF) for child in graph]
    if order != sorted(order, key=["attributes", "nodes", "edges"].index):
        problems.append("attributes have to be declared before they are used")
    types: dict[tuple[str, str], str] = {}
    for group in graph.iter(GEXF + "attributes"):
        for element in group:
            key = (group.get("class", ""), element.get("id", "").lower())
            problems += [f"attribute {key} twice"] if key in types else []
            problems += [f"class {key[0]}"] if key[0] not in ("node", "edge") else []
            types[key] = element.get("type", "")
    ids = {kind: [element.get("id", "") for element in graph.iter(GEXF + kind)] for kind in ("node", "edge")}
    problems += [
        f"{kind}s without an id of their own" for kind, item in ids.items() if len({*item} - {""}) != len(item)
    ]
    for kind in ids:
        for element in graph.iter(GEXF + kind):
            for value in element.iter(GEXF + "attvalue"):
                spelled = SPELLINGS.get(types.get((kind, value.get("for", "").lower()), ""), "(?!)")
                if not re.fullmatch(spelled, value.get("value", ""), re.DOTALL):
                    problems.append(f"{kind} {element.get('id')}: {value.attrib}")
    nodes, pairs = set(ids["node"]), set()
    for edge in graph.iter(GEXF + "edge"):
        ends = (edge.get("source"), edge.get("target"))
        problems += [f"an edge of nobody: {ends}"] if not {*ends} <= nodes else []
        problems += [f"type {edge.get('type')}"] if edge.get("type") not in ("directed", "undirected") else []
        problems += ["a weight that is not above 0"] if float(edge.get("weight", 1)) <= 0 else []
        # Gephi merges edges between the same two nodes unless their kinds differ.
        pair = (edge.get("kind"), ends if edge.get("type") == "directed" else frozenset(ends))
        problems += [f"{pair} twice"] if pair in pairs else []
        pairs.add(pair)
    return problems


def test_gephi_has_nothing_to_complain_about(exported) -> None:
    data, _, relation, edges = exported
    upwards = edges[edges["i"] < edges["j"]]
    others = {item.name: upwards.assign(score=-upwards["score"]) for item in data.relations if item.name != relation}
    file = io.BytesIO()
    mrwtd.write(edge_data(data, {relation: edges, **others}), file, format="gexf")
    assert complaints(file.getvalue()) == []
    assert file.getvalue().count(b"<edge ") == len(edges) + len(upwards) * len(others)


def test_gephi_opens_odd_names_and_gaps_in_attributes() -> None:
    names = ["<b>\"a\"</b> & 'b'", "a|b", "漢字 ✈", " spaced ", "-1"]
    attributes = pd.DataFrame(
        {
            "on": [True, False, True, False, True],
            "n": pd.array([1, None, 3, 4, 5], "Int64"),
            "x": [0.5, np.nan, 1e-9, -2, 3],
        },
        index=names,
    )
    relations = [
        mrwtd.Relation('<i>"likes"</i>', "real", directed=True),
        mrwtd.Relation("near", "real", directed=False),
    ]
    data = mrwtd.RelationalData(
        names, relations, [0, 1, 2, 0, 1], [1, 0, 2, 3, 2], [0, 0, 0, 1, 1], [-1.5, 2e-7, 0.0, 1e20, 3.0],
        attributes=attributes,
    )  # fmt: skip
    file = io.BytesIO()
    mrwtd.write(data, file, format="gexf")
    assert complaints(file.getvalue()) == []


def test_the_rules_of_gephi_find_what_is_wrong() -> None:
    file = io.BytesIO()
    mrwtd.write(mrwtd.load_dataset("florentine"), file, format="gexf")
    fine = file.getvalue().decode()
    assert complaints(fine.encode()) == []
    for wrong in (
        fine.replace('id="1"', 'id="0"'),
        fine.replace(' type="undirected"', ' type="both"', 1),
        fine.replace('for="relation"', 'for="relations"', 1),
        fine.replace('target="Medici"', 'target="Nobody"', 1),
        re.sub(r' kind="[^"]*"', "", fine),
        fine.replace('value="1.0"', 'value="inf"', 1),
    ):
        assert complaints(wrong.encode())


def test_what_is_written_can_be_read_again(exported) -> None:
    data, _, relation, edges = exported
    written = edge_data(data, {relation: edges})
    file = io.BytesIO()
    mrwtd.write(written, file, format="gexf")
    file.seek(0)
    assert mrwtd.read(file) == written


def test_no_edges_are_a_network_all_the_same(exported) -> None:
    data, model, relation, edges = exported
    nothing = edges.iloc[:0]
    assert edge_data(data, {relation: nothing}).objects == data.objects
    assert edge_table(model, data, relation, nothing).empty
