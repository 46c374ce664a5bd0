import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import mrwtd
from mrwtd.experiments.published.turned import VIEWS, TurnedModels, turn


@pytest.fixture(scope="module")
def tensor():
    """Six objects and three directed relations, with two known entries that no symmetry maps to each other."""
    rng = np.random.default_rng(0)
    k, i, j = (part.ravel() for part in np.indices((3, 6, 6)))
    relations = [mrwtd.Relation(name, "binary", True) for name in ("a", "b", "c")]
    return mrwtd.RelationalData("uvwxyz", relations, i, j, k, np.where(rng.random(k.size) < 0.3, 1, -1))


@pytest.mark.parametrize("view", VIEWS[1:])
def test_every_entry_of_a_turned_tensor_is_one_of_the_original(tensor, view):
    turned = turn(tensor, view).to_frame()
    slices, rows = ("source", "target") if view == "source" else ("target", "source")
    expected = {tuple(row) for row in tensor.to_frame()[[slices, rows, "relation", "value"]].itertuples(index=False)}
    names = turned["source"].str.removeprefix("object "), turned["target"].str.removeprefix("relation ")
    assert set(zip(turned["relation"], *names, turned["value"], strict=True)) == expected
    assert len(turned) == len(tensor)


@pytest.mark.parametrize("views", [("source",), ("target",), VIEWS])
def test_scores_are_those_of_the_turned_models_in_the_order_of_the_entries(tensor, views):
    model = TurnedModels(lambda: mrwtd.MrWTD(rank=2, lam=0.1), views).fit(tensor)
    expected = np.zeros((3, 6, 6))
    for view in views:
        seen = turn(tensor, view)
        x = model.models_[view].decision_function(seen)
        if view == "relation":
            expected[seen.k, seen.i, seen.j] += x
        elif view == "source":
            expected[seen.j - 6, seen.k, seen.i] += x
        else:
            expected[seen.j - 6, seen.i, seen.k] += x
    some = tensor.subset(np.arange(0, len(tensor), 5))
    np.testing.assert_allclose(model.decision_function(some), expected[some.k, some.i, some.j] / len(views))
    tails = model.candidate_scores("b", np.array([0, 4]), "tail")
    np.testing.assert_allclose(tails, expected[1, [0, 4]] / len(views))
    heads = model.candidate_scores("c", np.array([1, 2]), "head")
    np.testing.assert_allclose(heads, expected[2][:, [1, 2]].T / len(views))


def test_only_binary_directed_relations_can_be_turned():
    with pytest.raises(mrwtd.DataError, match="directed"):
        turn(mrwtd.load_dataset("florentine"), "source")
    with pytest.raises(mrwtd.DataError, match="view"):
        turn(mrwtd.load_dataset("nations"), "object")


def test_relations_that_repeat_each_other_are_learned_from_each_other():
    """A relation without structure, and a copy of it of which a part is held out: only relations tell about it."""
    n, rng = 12, np.random.default_rng(1)
    k, i, j = (part.ravel() for part in np.indices((4, n, n)))
    base = rng.random((n, n)) < 0.3
    y = np.where(base[i, j] ^ (rng.random(k.size) < 0.02), 1.0, -1.0)
    relations = [mrwtd.Relation(f"copy {number}", "binary", True) for number in range(4)]
    data = mrwtd.RelationalData([str(number) for number in range(n)], relations, i, j, k, y)
    held = rng.random(len(data)) < 0.2

    def auc(model):
        test = data.subset(held)
        return roc_auc_score(test.y > 0, model.decision_function(test))

    def make():
        return mrwtd.MrWTD(rank=3, lam=0.3)

    train = data.subset(~held)
    assert auc(TurnedModels(make, ("source", "target")).fit(train)) > auc(make().fit(train)) + 0.05
