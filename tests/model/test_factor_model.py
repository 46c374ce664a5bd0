"""Methods of a fitted model: best pairs, explanations, new objects, saving and loading."""

import io

import numpy as np
import pandas as pd
import pytest

import mrwtd
from mrwtd import DataError, MrWTD, RelationalData
from mrwtd.data.possible_pairs import PossiblePairs
from mrwtd.model import rank_pairs


@pytest.fixture(scope="module")
def data() -> RelationalData:
    return mrwtd.load_dataset("bankwiring")


@pytest.fixture(scope="module")
def model(data) -> MrWTD:
    return MrWTD(rank=3, lam=1.0, tol=0, max_iter=2000).fit(data)


@pytest.mark.parametrize("cells", [rank_pairs.CELLS, 40])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("top", [1, 7, 10_000])
def test_best_pairs_equal_those_of_the_full_matrix(directed, top, cells, monkeypatch):
    monkeypatch.setattr(rank_pairs, "CELLS", cells)
    rng = np.random.default_rng(top)
    n = 23
    A, R = rng.normal(size=(n, 4)) * rng.gamma(1, size=(n, 1)), rng.normal(size=(4, 4))
    R = R if directed else R + R.T
    i, j = (indices.astype(np.int32) for indices in rng.integers(0, n, (2, 60)))
    X = A @ R @ A.T
    X[np.diag_indices(n)] = X[i, j] = -np.inf
    if not directed:
        X[j, i] = -np.inf
        X[np.tril_indices(n)] = -np.inf
    expected = np.sort(X[np.isfinite(X)])[::-1][:top]
    a, b, score = rank_pairs.best_pairs(A, R, PossiblePairs(len(A), directed), top, (i, j))
    assert score == pytest.approx(expected)
    assert X[a, b] == pytest.approx(score)


def test_rank_pairs_leaves_out_what_is_known_and_agrees_with_decision_function(data):
    train, _ = data.split(train=0.5, seed=0)
    for options in ({}, {"ensemble": 3}):
        model = MrWTD(rank=3, lam=0.5, **options).fit(train)
        for relation in (
            "friendship" if "friendship" in model.losses_ else data.relations[0].name,
            data.relations[1].name,
        ):
            k = data.relation_index(relation)
            best = model.rank_pairs(relation, top=5, exclude=train)
            assert best["score"].is_monotonic_decreasing
            known = {
                (data.objects[a], data.objects[b])
                for a, b in zip(*rank_pairs.known_pairs(train, relation), strict=True)
            }
            assert not known & set(zip(best["source"], best["target"], strict=True))
            x, part = model.decision_function(data), data.slice(k)
            free = [
                score
                for score, a, b in zip(x[part], data.i[part], data.j[part], strict=True)
                if a != b and (data.objects[a], data.objects[b]) not in known
            ]
            assert best["score"].to_numpy() == pytest.approx(np.sort(free)[::-1][:5])


def test_explanations_add_up_by_factors_and_by_known_entries(model, data):
    for k, relation in enumerate(data.relations):
        why = model.explain(data.objects[0], data.objects[3], relation.name)
        x = model.A_[0] @ model.R_[k] @ model.A_[3] + model.b_[k]
        assert why.x == pytest.approx(x)
        assert why.bias + why.factors["contribution"].sum() == pytest.approx(x)
        for entries, left in zip((why.source_entries, why.target_entries), why.left_over, strict=True):
            assert why.bias + entries["contribution"].sum() + left == pytest.approx(x)
            assert abs(left) < 0.02 * max(1, abs(x)), "at the minimum the known entries account for all"
        assert (why.source_entries[["source", "target"]] == data.objects[0]).any(axis=1).all()


def test_explaining_an_unknown_object_names_it(model):
    with pytest.raises(DataError, match="the object 'W11'"):
        model.explain("W11", "W1", model.relations_[0].name)
    with pytest.raises(DataError, match="the relation 'love'"):
        model.explain(model.objects_[0], model.objects_[1], "love")


def test_folding_in_a_known_object_recovers_its_factors(data, model):
    last = data.n_objects - 1
    its = (data.i == last) | (data.j == last)
    frame = data.subset(its).to_frame()
    frame = frame.assign(**{c: frame[c].astype(str).replace(data.objects[last], "new") for c in ("source", "target")})
    wider = model.fold_in(frame)
    assert wider.objects_ == (*data.objects, "new")
    assert len(model.objects_) == data.n_objects, "the model itself stays as it is"
    assert wider.A_[-1] == pytest.approx(model.A_[last], abs=0.05)
    assert np.array_equal(wider.A_[:-1], model.A_)
    best = wider.rank_pairs(data.relations[0].name, top=200)
    assert "new" in set(best["source"]) | set(best["target"])


@pytest.mark.parametrize("ensemble", [1, 2])
def test_new_objects_do_not_change_the_default_rank(data, ensemble):
    model = MrWTD(lam=1.0, ensemble=ensemble).fit(data)
    name, target = data.relations[0].name, data.objects[0]
    new = [(f"new {number}", name, target, 1.0) for number in range(30)]
    wider = model.fold_in(pd.DataFrame(new, columns=["source", "relation", "target", "value"]))
    assert MrWTD().rank_for(len(wider.objects_)) > model.rank_
    assert wider.A_.shape == (data.n_objects + 30, model.rank_)


def test_folding_in_bad_entries_raises_an_error(model, data):
    def row(source, relation, target):
        return pd.DataFrame({"source": [source], "relation": [relation], "target": [target], "value": [1.0]})

    a, b = data.objects[:2]
    with pytest.raises(DataError, match="no new object"):
        model.fold_in(row(a, data.relations[0].name, b))
    with pytest.raises(DataError, match="the relation 'love'"):
        model.fold_in(row("new", "love", b))
    with pytest.raises(DataError, match="two known objects"):
        model.fold_in(pd.concat([row("new", data.relations[0].name, b), row(a, data.relations[0].name, b)]))


def test_a_model_survives_saving_and_loading(tmp_path, data):
    model = MrWTD(rank=2, ensemble=2, snapshots=3, loss={data.relations[0].name: "quadratic"}).fit(data)
    model.save(tmp_path / "run.npz")
    again = mrwtd.load_model(tmp_path / "run.npz")
    assert again.get_params() == model.get_params()
    assert np.array_equal(again.predict(data), model.predict(data))
    assert np.array_equal(again.predict_std(data), model.predict_std(data), equal_nan=True)
    assert again.relations_ == model.relations_
    assert again.messages_ == model.messages_
    pd.testing.assert_frame_equal(again.trace_, model.trace_)
    pd.testing.assert_frame_equal(again.lam_path_, model.lam_path_)
    assert [s.iteration for s in again.snapshots_] == [s.iteration for s in model.snapshots_]
    a, b = (fitted.explain(data.objects[0], data.objects[1], data.relations[0].name) for fitted in (model, again))
    pd.testing.assert_frame_equal(a.source_entries, b.source_entries)


def test_foreign_files_are_refused_clearly(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("hello")
    arrays = tmp_path / "arrays.npz"
    np.savez(arrays, A=np.ones(3))
    pickled = tmp_path / "pickled.npz"
    np.savez(pickled, mrwtd=np.array([{"a": 1}], dtype=object), allow_pickle=True)
    newer = io.BytesIO()
    header = np.frombuffer(b'{"format": 99, "class": "MrWTD"}', dtype=np.uint8)
    np.savez(newer, mrwtd=header)
    for file, message in (
        (text, "notes.txt: found a file of another kind"),
        (arrays, "a file of another kind"),
        (pickled, "a file of another kind"),
        (tmp_path / "nowhere.npz", "No such file"),
        (io.BytesIO(newer.getvalue()), "format 99"),
    ):
        with pytest.raises(DataError, match=message):
            mrwtd.load_model(file)
    with pytest.raises(AttributeError, match="not fitted"):
        MrWTD().save(tmp_path / "unfitted.npz")
