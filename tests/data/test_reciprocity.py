"""How mutual relations are, and which of them are held out pair by pair."""

import numpy as np
import pytest

import mrwtd
from mrwtd import Relation, RelationalData
from mrwtd.data.splitting import SPLIT_BY, describe_split, split_units
from mrwtd.model.validation_splits import validation_splits


def of_pairs(pairs, kind="binary", weights=None):
    """One directed relation from (value one way, value the other way); None where a direction is not known."""
    rows = [
        (2 * pair + side, 2 * pair + 1 - side, value)
        for pair, values in enumerate(pairs)
        for side, value in enumerate(values)
        if value is not None
    ]
    i, j, y = (np.array(column) for column in zip(*rows, strict=True))
    levels = (1, 5, 9) if kind == "ordinal" else ()
    names = [str(number) for number in range(2 * len(pairs))]
    return RelationalData(names, [Relation("r", kind, True, levels)], i, j, i * 0, y, weights)


def of(data):
    return data.describe()["reciprocity"].iloc[0]


@pytest.mark.parametrize(
    ("mutual", "single", "share", "way"),
    [(1, 0, 1.0, "pair"), (2, 1, 0.8, "pair"), (7, 4, 14 / 18, "entry"), (0, 3, 0.0, "entry"), (40, 20, 0.8, "pair")],
)
def test_of_a_binary_relation_it_is_the_fraction_of_mutual_ties(mutual, single, share, way):
    data = of_pairs([(1, 1)] * mutual + [(1, -1)] * single + [(-1, -1)] * 5)
    assert of(data) == pytest.approx(share)
    assert split_units(data, "auto") == {"r": way}


def test_pairs_known_in_one_direction_and_self_pairs_do_not_count():
    data = of_pairs([(1, 1), (1, -1), (-1, -1)])
    more = of_pairs([(1, 1), (1, -1), (-1, -1), *[(1, None)] * 9, *[(None, -1)] * 9])
    assert of(data) == of(more) == pytest.approx(2 / 3)
    selves = np.arange(6)
    i, j = np.append(data.i, selves), np.append(data.j, selves)
    with_selves = RelationalData(data.objects, data.relations, i, j, i * 0, np.append(data.y, np.ones(6)))
    assert of(with_selves) == of(data)


def test_an_entry_of_weight_0_is_not_known():
    pairs = [(1, 1)] * 3 + [(1, -1)] * 2
    assert split_units(of_pairs(pairs), "auto") == {"r": "entry"}
    # Ties without a return are masked, so that all remaining ones are mutual.
    weights = [1] * 6 + [0, 1, 1, 0]
    data = of_pairs(pairs, weights=weights)
    assert of(data) == 1
    assert split_units(data, "auto") == {"r": "pair"}
    # The reverse: the mutual ties are masked.
    assert of(of_pairs(pairs, weights=[0, 1] * 3 + [1] * 4)) == 0


@pytest.mark.parametrize("kind", ["count", "real", "ordinal"])
def test_of_other_kinds_it_is_the_correlation_of_the_two_directions(kind):
    assert of(of_pairs([(0, 0), (1, 1), (2, 2)], kind)) == pytest.approx(1)
    assert of(of_pairs([(0, 2), (0, 2), (2, 0)], kind)) == pytest.approx(-1)
    pairs = [(0, 0), (0, 1), (2, 2), (2, 1), (1, 1), (2, 2)]
    both = np.array(pairs + [pair[::-1] for pair in pairs])
    data = of_pairs(pairs, kind)
    assert of(data) == pytest.approx(np.corrcoef(both.T)[0, 1])
    assert split_units(data, "auto") == {"r": "entry"}
    assert split_units(of_pairs([*pairs, *[(0, 0), (2, 2)] * 9], kind), "auto") == {"r": "pair"}


def test_huge_numbers_do_not_overflow():
    assert of(of_pairs([(1e150, 1e150), (-1e150, -1e150), (3e149, 1e149)], "real")) > 0.9


@pytest.mark.parametrize(
    "data",
    [
        of_pairs([(1, None), (-1, None)]),
        of_pairs([(-1, -1), (-1, -1)]),
        of_pairs([(0.1, 0.1), (0.1, 0.1)], "real"),
        mrwtd.load_dataset("florentine"),
    ],
    ids=["one direction", "no tie", "one value", "undirected"],
)
def test_without_known_reverse_entries_it_is_missing_and_entries_are_held_out(data):
    assert data.describe()["reciprocity"].isna().all()
    assert set(split_units(data, "auto").values()) == {"entry"}


def test_by_pair_applies_to_every_directed_relation_and_by_entry_to_none():
    data = mrwtd.load_dataset("bankwiring")
    directed = {relation.name: relation.directed for relation in data.relations}
    assert 0 < sum(directed.values()) < len(directed)
    assert split_units(data, "pair") == {
        name: "pair" if is_directed else "entry" for name, is_directed in directed.items()
    }
    assert set(split_units(data, "entry").values()) == {"entry"}


@pytest.mark.parametrize(
    ("name", "by_pair", "directed"),
    [("airports", 1, 1), ("nations", 18, 55), ("kinship", 5, 23), ("monastery", 0, 10), ("aucs", 0, 0)],
)
def test_the_sentence_counts_the_relations_of_the_samples(name, by_pair, directed):
    data = mrwtd.load_dataset(name)
    assert list(split_units(data, "auto").values()).count("pair") == by_pair
    sentence = describe_split(data, "auto")
    assert ("both directions" in sentence) == (by_pair > 0)
    assert (f"{by_pair} of {directed} " in sentence) == (0 < by_pair < directed)


def test_the_sentences_of_all_ways_differ():
    data = of_pairs([(1, 1), (1, -1)])
    assert describe_split(data, "pair") != describe_split(data, "entry") == describe_split(data, "auto")
    assert set(SPLIT_BY) == {"entry", "pair", "auto"}


def test_a_relation_with_one_mutual_pair_is_in_train():
    data = of_pairs([(1, 1)])
    assert {len(data.split(train=0.5, seed=seed, by="pair")[0]) for seed in range(8)} == {2}


def test_a_mapping_sets_some_relations_and_the_others_are_automatic():
    data = mrwtd.load_dataset("airports")
    assert split_units(data, {"flights": "entry"})["flights"] == "entry"
    assert split_units(data, {})["flights"] == "pair"
    assert data.split(train=0.5, seed=3, by={"flights": "pair"})[0] == data.split(train=0.5, seed=3, by="pair")[0]
    with pytest.raises(mrwtd.DataError, match="flights"):
        data.split(by={"flights": "row"})


@pytest.mark.parametrize(("by", "split_pairs"), [("entry", True), ("pair", False), (None, False)])
def test_hold_outs_are_split_like_the_test_entries(by, split_pairs):
    data = mrwtd.load_dataset("airports").select_relations(["flights"])
    train = data if by is None else data.split(train=0.5, seed=0, by=by)[0]
    for part in validation_splits(train, seed=0):
        fitted = set(zip(part.fitted.i.tolist(), part.fitted.j.tolist(), strict=True))
        reverse = set(zip(part.held.j.tolist(), part.held.i.tolist(), strict=True))
        assert bool(fitted & reverse) == split_pairs
