from __future__ import annotations

import io

import networkx as nx
import numpy as np
import pytest

import mrwtd
from mrwtd.evaluation.exporting import edge_data, edge_table
from mrwtd.evaluation.outcomes import score_pairs, tie_values


@pytest.fixture(scope="module", params=["florentine", "monastery", "airports"])
def found(request: pytest.FixtureRequest):
    data = mrwtd.load_dataset(request.param)
    train, test = data.split(train=0.5, seed=0)
    model = mrwtd.MrWTD(rank=2, lam=1.0, max_iter=30).fit(train)
    relation = data.relations[0].name
    pairs = score_pairs(model, train, test, relation, tie_from=next(iter(tie_values(data, relation).values())))
    return data, model, relation, pairs.edges(pairs.threshold_for(0.2))


def test_the_table_has_every_edge_with_its_own_score(found) -> None:
    data, model, relation, edges = found
    told = edge_table(model, data, relation, edges)
    assert len(told) == len(edges)
    scores = {
        (data.objects[i], data.objects[j]): s for i, j, s in zip(edges["i"], edges["j"], edges["score"], strict=True)
    }
    for row in told.itertuples():
        assert row.score == pytest.approx(scores[row.source, row.target])
    assert told["score"].is_monotonic_decreasing
    assert (
        told["outcome"].value_counts().to_dict() == edges["outcome"].value_counts()[lambda count: count > 0].to_dict()
    )


@pytest.mark.parametrize("kind", ["graphml", "gexf"])
def test_networkx_opens_what_is_written(found, kind: str) -> None:
    data, _, relation, edges = found
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


def test_what_is_written_can_be_read_again(found) -> None:
    data, _, relation, edges = found
    written = edge_data(data, {relation: edges})
    file = io.BytesIO()
    mrwtd.write(written, file, format="gexf")
    file.seek(0)
    assert mrwtd.read(file) == written


def test_no_edges_are_a_network_all_the_same(found) -> None:
    data, model, relation, edges = found
    nothing = edges.iloc[:0]
    assert edge_data(data, {relation: nothing}).objects == data.objects
    assert edge_table(model, data, relation, nothing).empty
