import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

import mrwtd
from mrwtd.plots.node_layout import LAYOUTS, MAX_SPRING_OBJECTS, node_positions, tie_matrix


def ties(graph: nx.Graph) -> csr_array:
    return csr_array(nx.to_scipy_sparse_array(graph, dtype=float))


def factors(n: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, 4))


@pytest.mark.parametrize("how", LAYOUTS)
@pytest.mark.parametrize(
    "graph",
    [
        nx.empty_graph(5),
        nx.empty_graph(1),
        nx.path_graph(2),
        nx.path_graph(3),
        nx.complete_graph(6),
        nx.star_graph(8),
        nx.disjoint_union(nx.complete_graph(5), nx.path_graph(4)),
        nx.disjoint_union(nx.path_graph(5), nx.empty_graph(30)),
    ],
    ids=str,
)
def test_positions_of_every_graph_are_finite_and_within_limits(how: str, graph: nx.Graph) -> None:
    places = node_positions(how, ties(graph), factors(len(graph)))
    assert places.shape == (len(graph), 2)
    assert np.isfinite(places).all()
    assert places.min() >= 0
    assert places.max() <= 1


@pytest.mark.parametrize("how", LAYOUTS)
def test_positions_are_deterministic(how: str) -> None:
    graph = ties(nx.karate_club_graph())
    assert np.array_equal(node_positions(how, graph, factors(34)), node_positions(how, graph, factors(34)))


@pytest.mark.parametrize("how", ["spring", "spectral"])
def test_tied_objects_are_close(how: str) -> None:
    graph = nx.disjoint_union_all([nx.complete_graph(8)] * 3)
    graph.add_edges_from([(0, 8), (8, 16)])
    places = node_positions(how, ties(graph))
    group = np.repeat([0, 1, 2], 8)
    far = np.linalg.norm(places[:, None] - places[None], axis=2)
    same = group[:, None] == group[None]
    assert far[same].mean() < 0.5 * far[~same].mean()


def test_the_spring_layout_separates_all_objects() -> None:
    places = node_positions("spring", ties(nx.complete_graph(12)))
    far = np.linalg.norm(places[:, None] - places[None], axis=2) + 9 * np.eye(12)
    assert far.min() > 0.02


def test_objects_without_ties_are_apart() -> None:
    graph = nx.disjoint_union(nx.complete_graph(6), nx.empty_graph(4))
    places = node_positions("spring", ties(graph))
    assert places[6:, 1].max() < places[:6, 1].min()
    assert len(np.unique(places[6:].round(6), axis=0)) == 4


def test_the_embedding_keeps_the_order_along_its_main_axis() -> None:
    A = np.column_stack([np.arange(20.0), np.zeros(20)])
    x = node_positions("embedding", ties(nx.empty_graph(20)), A)[:, 0]
    assert (np.diff(x) > 0).all() or (np.diff(x) < 0).all()


def test_many_objects_are_laid_out_without_springs() -> None:
    graph = ties(nx.gnm_random_graph(MAX_SPRING_OBJECTS + 500, 3 * MAX_SPRING_OBJECTS, seed=0))
    assert np.isfinite(node_positions("spring", graph)).all()


def test_ties_count_once_whatever_their_direction() -> None:
    relation = mrwtd.Relation("r", "binary", True)
    data = mrwtd.RelationalData("abc", [relation], [0, 1, 2, 2], [1, 0, 2, 0], [0] * 4, [1, 1, 1, -1])
    assert tie_matrix(data, "r").toarray().tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]


def test_values_from_a_threshold_on_are_ties() -> None:
    data = mrwtd.load_dataset("airports")
    k = data.relation_index("flights")
    few, many = (tie_matrix(data, "flights", value).nnz for value in (np.quantile(data.original_values(k), 0.9), 1.0))
    assert 0 < few < many


def test_invalid_layouts_raise() -> None:
    with pytest.raises(mrwtd.DataError, match="'round'"):
        node_positions("round", ties(nx.path_graph(3)))
    with pytest.raises(mrwtd.DataError, match="factors"):
        node_positions("embedding", ties(nx.path_graph(3)))
