import io
import re
import xml.etree.ElementTree as ET

import networkx as nx
import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

import mrwtd
from mrwtd.analysis import edges as module
from mrwtd.analysis.edges import OUTCOMES, edge_data, edge_table, score_pairs, tie_values
from mrwtd.model.method import Method


class Tabled(Method):
    """A method with given scores: the score of (i, j) is table[i, j]."""

    table: npt.NDArray[np.float64]

    def __init__(self, table: object = None):
        self.table = np.asarray(table)

    def _fit(self, train: mrwtd.RelationalData, callback: object) -> None:
        self.trace_ = pd.DataFrame()

    def _reconstruct(self, entries: mrwtd.RelationalData, relations: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
        return self.table[entries.i, entries.j].astype(float)


# Hidden from the registry of methods, because only these tests use it.
Method.kinds = {name: kind for name, kind in Method.kinds.items() if kind is not Tabled}


def data(rows: list[tuple[int, int, float]], *, directed: bool = True, kind: str = "binary") -> mrwtd.RelationalData:
    i, j, y = zip(*rows, strict=True)
    return mrwtd.RelationalData("abcd", [mrwtd.Relation("r", kind, directed)], i, j, [0] * len(rows), y)


SCORES = np.array([[9, 5, 1, 4], [2, 9, 6, 0], [3, 0, 9, 7], [8, 0, 0, 9]], dtype=float)
TRAIN = data([(0, 1, 1), (0, 2, -1), (1, 0, 1)])
TEST = data([(0, 3, 1), (1, 2, -1), (2, 0, 1), (2, 3, 1)])


def named(edges: pd.DataFrame) -> dict[str, set[str]]:
    result: dict[str, set[str]] = {}
    for i, j, outcome in zip(edges["i"], edges["j"], edges["outcome"], strict=True):
        result.setdefault(outcome, set()).add("abcd"[i] + "abcd"[j])
    return result


def fixed_model(table: npt.ArrayLike = SCORES) -> Tabled:
    return Tabled(table).fit(TRAIN)


def test_every_pair_has_its_outcome() -> None:
    assert named(score_pairs(fixed_model(), TRAIN, TEST, "r").edges(4.0)) == {
        "hit": {"ad", "cd"},
        "false alarm": {"bc"},
        "missed": {"ca"},
        "known": {"ab", "ba"},  # also at a score below the threshold: it is known
        "unchecked": {"da"},
    }


def test_a_threshold_above_all_scores_predicts_nothing() -> None:
    result = named(score_pairs(fixed_model(), TRAIN, TEST, "r").edges(100.0))
    assert result == {"missed": {"ad", "ca", "cd"}, "known": {"ab", "ba"}}


def test_counts_and_edges_agree_at_every_threshold() -> None:
    pairs = score_pairs(fixed_model(), TRAIN, TEST, "r")
    for threshold in np.arange(0, 10, 0.5):
        result, edges = pairs.counts(threshold), pairs.edges(threshold)["outcome"]
        assert (result.hits, result.false_alarms, result.misses) == tuple(
            int((edges == outcome).sum()) for outcome in ("hit", "false alarm", "missed")
        )


def test_the_curve_passes_through_the_point_of_each_threshold() -> None:
    pairs = score_pairs(fixed_model(), TRAIN, TEST, "r")
    curve = pairs.curve().set_index("threshold")
    assert list(curve.index) == [7.0, 6.0, 4.0, 3.0]
    assert curve["precision"].tolist() == [1, 0.5, 2 / 3, 3 / 4]
    assert curve["recall"].tolist() == pytest.approx([1 / 3, 1 / 3, 2 / 3, 1])
    assert pairs.counts(5.9).recall == curve["recall"][6.0]


def test_a_long_curve_is_thinned_and_keeps_its_ends() -> None:
    pairs = score_pairs(fixed_model(), TRAIN, TEST, "r")
    assert pairs.curve(points=2)["threshold"].tolist() == [7.0, 3.0]


def test_the_predicted_fraction_gives_the_threshold() -> None:
    pairs = score_pairs(fixed_model(), TRAIN, TEST, "r")
    assert pairs.threshold_for(0.5) == 6.0
    assert pairs.fraction_above(pairs.threshold_for(0.5)) == 0.5
    assert pairs.fraction_above(pairs.threshold_for(0.0)) == 0.0
    assert pairs.fraction_above(pairs.threshold_for(1.0)) == 1.0


def test_the_training_fraction_counts_ties() -> None:
    assert score_pairs(fixed_model(), TRAIN, TEST, "r").train_tie_fraction == pytest.approx(2 / 3)


def test_self_pairs_are_not_edges_but_are_counted() -> None:
    test = data([(0, 0, 1), (0, 3, -1)])
    pairs = score_pairs(fixed_model(), TRAIN, test, "r")
    assert pairs.counts(8.0).hits == 1
    assert "hit" not in named(pairs.edges(8.0))


def test_undirected_pairs_are_listed_once() -> None:
    train, test = data([(0, 1, 1)], directed=False), data([(0, 2, -1)], directed=False)
    edges = score_pairs(fixed_model(np.ones((4, 4))), train, test, "r").edges(0.0)
    assert len(edges) == 6  # all pairs of four objects
    assert (edges["i"] < edges["j"]).all()


def test_entries_of_weight_0_are_not_known() -> None:
    test = mrwtd.RelationalData("abcd", TEST.relations, TEST.i, TEST.j, TEST.k, TEST.y, w=[0, 1, 1, 1])
    assert named(score_pairs(fixed_model(), TRAIN, test, "r").edges(4.0))["unchecked"] == {"da", "ad"}


def test_values_become_ties_from_the_given_threshold() -> None:
    train, test = data([(0, 1, 3), (0, 2, 1)], kind="count"), data([(0, 3, 3), (2, 3, 1)], kind="count")
    assert named(score_pairs(fixed_model(), train, test, "r", tie_from=2).edges(6.5))["false alarm"] == {"cd"}
    assert named(score_pairs(fixed_model(), train, test, "r", tie_from=1).edges(6.5))["hit"] == {"cd"}


def test_with_many_objects_only_the_best_predictions_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    model = mrwtd.MrWTD(rank=2, lam=0.1).fit(TRAIN)
    every = named(score_pairs(model, TRAIN, TEST, "r").edges(-100.0))
    monkeypatch.setattr(module, "MAX_OBJECTS_FOR_ALL_PAIRS", 3)
    monkeypatch.setattr(module, "TOP_UNKNOWN_PAIRS", 1)
    best = named(score_pairs(model, TRAIN, TEST, "r").edges(-100.0))
    assert len(best.pop("unchecked")) == 1 < len(every.pop("unchecked"))
    assert best == every


def test_a_method_without_factors_does_not_score_all_pairs_of_many_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_OBJECTS_FOR_ALL_PAIRS", 3)
    pairs = score_pairs(fixed_model(), TRAIN, TEST, "r")
    assert not pairs.ranked
    assert named(pairs.edges(4.0)) == {
        "hit": {"ad", "cd"},
        "false alarm": {"bc"},
        "missed": {"ca"},
        "known": {"ab", "ba"},
    }


def test_a_model_with_factors_ranks_any_number_of_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    data = mrwtd.load_dataset("florentine").select_relations(["marriage"])
    train, rest = data.split(train=0.5, seed=0)
    test = rest.subset(np.arange(10))
    model = mrwtd.MrWTD(rank=2, lam=1.0).fit(train)
    slow = score_pairs(model, train, test, "marriage")
    monkeypatch.setattr(module, "MAX_OBJECTS_FOR_ALL_PAIRS", 3)
    monkeypatch.setattr(module, "TOP_UNKNOWN_PAIRS", 20)
    fast = score_pairs(model, train, test, "marriage")
    assert fast.ranked
    best = [
        set(map(tuple, edges.edges(-9.0).query("outcome == 'unchecked'")[["i", "j"]].to_numpy()))
        for edges in (slow, fast)
    ]
    assert len(best[1]) == 20
    assert best[1] < best[0]


def test_every_relation_of_every_kind_has_a_default_threshold() -> None:
    for name in ("florentine", "monastery", "airports", "synth-kinds"):
        sample = mrwtd.load_dataset(name)
        for relation in sample.relations:
            values = tie_values(sample, relation.name)
            first = next(iter(values.values()))
            k = sample.relation_index(relation.name)
            share = np.mean(sample.original_values(k) >= first)
            assert 0 < share < 1, (name, relation)


def test_edges_work_without_held_out_entries() -> None:
    pairs = score_pairs(fixed_model(), TRAIN, TEST.subset(np.zeros(4, dtype=bool)), "r")
    assert pairs.curve().empty
    assert np.isnan(pairs.average_precision())
    assert set(named(pairs.edges(pairs.threshold_for(0.2)))) <= set(OUTCOMES)


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
"""How Java reads the values of each type of attribute."""


def complaints(file: bytes) -> list[str]:
    """The errors that Gephi's importer of GEXF 1.3 would report: its rules, independent of our writer."""
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
    problems += [f"{kind}s without a unique id" for kind, item in ids.items() if len({*item} - {""}) != len(item)]
    for kind in ids:
        for element in graph.iter(GEXF + kind):
            for value in element.iter(GEXF + "attvalue"):
                spelled = SPELLINGS.get(types.get((kind, value.get("for", "").lower()), ""), "(?!)")
                if not re.fullmatch(spelled, value.get("value", ""), re.DOTALL):
                    problems.append(f"{kind} {element.get('id')}: {value.attrib}")
    nodes, pairs = set(ids["node"]), set()
    for edge in graph.iter(GEXF + "edge"):
        ends = (edge.get("source"), edge.get("target"))
        problems += [f"an edge of unknown nodes: {ends}"] if not {*ends} <= nodes else []
        problems += [f"type {edge.get('type')}"] if edge.get("type") not in ("directed", "undirected") else []
        problems += ["a weight that is not above 0"] if float(edge.get("weight", 1)) <= 0 else []
        # Gephi merges edges between the same two nodes unless their kinds differ.
        pair = (edge.get("kind"), ends if edge.get("type") == "directed" else frozenset(ends))
        problems += [f"{pair} twice"] if pair in pairs else []
        pairs.add(pair)
    return problems


def test_files_follow_the_rules_of_gephi(exported) -> None:
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


def test_the_rules_of_gephi_detect_invalid_files() -> None:
    file = io.BytesIO()
    mrwtd.write(mrwtd.load_dataset("florentine"), file, format="gexf")
    fine = file.getvalue().decode()
    assert complaints(fine.encode()) == []
    for wrong in (
        fine.replace('id="1"', 'id="0"'),
        fine.replace(' type="undirected"', ' type="both"', 1),
        fine.replace('for="relation"', 'for="relations"', 1),
        fine.replace('target="Medici"', 'target="Unknown"', 1),
        re.sub(r' kind="[^"]*"', "", fine),
        fine.replace('value="1.0"', 'value="inf"', 1),
    ):
        assert complaints(wrong.encode())


def test_written_files_can_be_read(exported) -> None:
    data, _, relation, edges = exported
    written = edge_data(data, {relation: edges})
    file = io.BytesIO()
    mrwtd.write(written, file, format="gexf")
    file.seek(0)
    assert mrwtd.read(file) == written


def test_a_network_without_edges_can_be_written(exported) -> None:
    data, model, relation, edges = exported
    nothing = edges.iloc[:0]
    assert edge_data(data, {relation: nothing}).objects == data.objects
    assert edge_table(model, data, relation, nothing).empty
