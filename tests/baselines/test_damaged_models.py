"""Stored models with one value replaced: they are refused, or everything that pages do with them works."""

import io
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import mrwtd
from mrwtd import baselines
from mrwtd.analysis.latent_factors import latent_factors
from mrwtd.analysis.loss_comparison import with_parameters_of
from mrwtd.analysis.replay_frames import replay_frames
from mrwtd.dashboard.pages.train.train_texts import fix_label
from mrwtd.dashboard.state.settings import Settings
from mrwtd.errors import DataError
from mrwtd.model import MrWTD
from mrwtd.model.factor_model import FactorModel
from mrwtd.model.method import Method
from mrwtd.plots.embedding_map import Colouring
from mrwtd.plots.replay_figure import replay_figure
from mrwtd.plots.training_progress import progress_figure, search_figure

METHODS = [name for name in baselines.METHODS if name not in ("MrWTD-Q", "MrWTD-H", "MrWTD-L")]  # which are MrWTD

WITHIN = ("MrWTD", "BPTF")
"""Methods for which values inside nested values are replaced too."""

DRAWN = ("trace_", "snapshots_", "lam_")
"""Prefixes of the attributes that figures show."""

WRONG: dict[str, Any] = {
    "None": None,
    "text": "x",
    "number": 0.5,
    "negative": -1,
    "NaN": float("nan"),
    "empty list": [],
    "tuple": {"tuple": ["x", None]},
    "empty frame": {"frame": {"dict": []}},
    "frame": {"frame": {"dict": [["x", [1]]]}},
    "array of another shape": {"array": "wrong"},
}
"""Replacements of a value, as stored in files."""


@cache
def data() -> tuple[mrwtd.RelationalData, mrwtd.RelationalData]:
    """A few objects and one relation of each kind, split into training and test entries."""
    rng = np.random.default_rng(0)
    kinds = {"binary": (), "ordinal": (1, 2, 3), "count": (), "real": ()}
    i, j = np.nonzero(~np.eye(8, dtype=bool))
    values = [
        rng.choice([-1, 1], i.size),
        rng.integers(3, size=i.size),
        rng.poisson(2, i.size),
        rng.normal(size=i.size),
    ]
    relations = [mrwtd.Relation(f"is {kind}", kind, True, levels) for kind, levels in kinds.items()]
    k = np.repeat(np.arange(4), i.size)
    complete = mrwtd.RelationalData("abcdefgh", relations, np.tile(i, 4), np.tile(j, 4), k, np.concatenate(values))
    return complete.split(train=0.6, seed=0)


@cache
def stored(name: str) -> dict[str, np.ndarray]:
    """The arrays of the file of a fitted method, whose header is one of them."""
    method = mrwtd.make_method(name, rank=2, lam="auto" if name == "MrWTD" else 1.0)
    quick = {"sweeps": 4, "burn_in": 1, "snapshots": 2, "max_iter": 10, "ensemble": 2 if name == "MrWTD" else 1}
    method.set_params(**{param: value for param, value in quick.items() if param in method.get_params()})
    train, test = data()
    buffer = io.BytesIO()
    method.fit(train, held_out=test).save(buffer)
    with np.load(io.BytesIO(buffer.getvalue())) as arrays:
        return {key: arrays[key] for key in arrays.files}


def packed(arrays: dict[str, np.ndarray], header: dict[str, Any]) -> io.BytesIO:
    buffer = io.BytesIO()
    np.savez(buffer, **(arrays | {"mrwtd": np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)}))
    buffer.seek(0)
    return buffer


def alterations(name: str) -> Iterator[tuple[str, io.BytesIO]]:
    """The file with each parameter, learned attribute and array in turn replaced, omitted or damaged."""
    arrays = stored(name) | {"wrong": np.zeros((3, 1))}
    header = json.loads(arrays["mrwtd"].tobytes())
    for part in ("parameters", "learned"):
        fields = header[part]["dict"]
        for number, (field, value) in enumerate(fields):
            values = {
                f"{field} left out": [],
                **{f"{field}: {description}": [[field, bad]] for description, bad in WRONG.items()},
            }
            if name in WITHIN:
                values |= {f"{field}: {description}": [[field, inner]] for description, inner in inside(value)}
            for description, put in values.items():
                yield (
                    description,
                    packed(arrays, header | {part: {"dict": [*fields[:number], *put, *fields[number + 1 :]]}}),
                )
    for key in arrays.keys() - {"mrwtd", "wrong"}:
        damaged = {
            "NaN": np.full(arrays[key].shape, np.nan),
            "a row more": np.concatenate([arrays[key], arrays[key][:1]]),
            "text": arrays[key].astype(str),
        }
        for description, array in damaged.items():
            yield f"{key}: {description}", packed(arrays | {key: array}, header)


def inside(value: Any) -> Iterator[tuple[str, Any]]:
    """A stored value with the first item of each nested list replaced, omitted or repeated."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from ((f"{key}, {description}", value | {key: inner}) for description, inner in inside(item))
    elif isinstance(value, list) and value:
        for description in ("None", "text", "negative", "NaN"):
            yield f"first {description}", [WRONG[description], *value[1:]]
        yield "first left out", value[1:]
        yield "first repeated", [value[0], *value]
        for number in range(min(len(value), 3)):
            for description, inner in inside(value[number]):
                yield f"item {number}, {description}", [*value[:number], inner, *value[number + 1 :]]


def use(model: Method) -> None:
    """Everything that pages compute from a fitted method."""
    train, test = data()
    assert repr(model)
    if (model.objects_, model.relations_) != (test.objects, test.relations):
        return  # of other data: no run accepts it
    x, predicted, _ = model.predict_all(test)
    assert np.isfinite(x).all()
    assert np.isfinite(predicted).all()
    model.predict_std(test)
    for fact in model.diagnostics_:
        changes = fact.suggested_fix(Settings("florentine", lam=1.0))
        assert changes is None or fix_label(changes)
    assert "".join(model.messages_).encode() is not None
    for relation in test.relations:
        latent_factors(model, relation.name)
    if isinstance(model, FactorModel):
        model.rank_pairs("is count", top=3, exclude=train)
        model.explain("a", "b", "is ordinal", train=None)
    if isinstance(model, MrWTD):
        with_parameters_of(model, lam=model.lam_).check(train)


def draw(model: Method) -> None:
    """The figures of a fit on the pages."""
    test = data()[1]
    trace = model.trace_
    progress_figure({"it": (trace["objective"].tolist(), list(trace.get("score", [])))})
    path = getattr(model, "lam_path_", trace[:0])
    if len(path):
        path = path[~path["collapsed"].astype(bool)]
        search_figure(path["lam"].tolist(), path["score"].tolist(), float(model.lam_), name="λ")
    if isinstance(model, FactorModel) and model.snapshots_:
        film = replay_frames(model, test, "is binary")
        replay_figure(film, test.objects, Colouring("all", numbers=np.arange(float(test.n_objects))))


@pytest.mark.parametrize("name", METHODS)
def test_a_changed_model_is_refused_or_works(name: str) -> None:
    intact = mrwtd.load_model(packed(stored(name), json.loads(stored(name)["mrwtd"].tobytes())))
    use(intact)
    draw(intact)
    failures, refused = [], 0
    for description, file in alterations(name):
        try:
            model = mrwtd.load_model(file)
        except DataError:
            refused += 1
            continue
        try:
            use(model)
            if description.startswith(DRAWN):
                draw(model)
        except Exception as error:
            failures.append(f"{description}: {type(error).__name__}: {error}")
    assert failures == []
    assert refused > 100


@pytest.mark.parametrize("name", METHODS)
def test_a_model_from_before_a_parameter_was_added_has_its_default(name: str) -> None:
    header = json.loads(stored(name)["mrwtd"].tobytes())
    whole = mrwtd.load_model(packed(stored(name), header))
    fields = header["parameters"]["dict"]
    for place, (parameter, _) in enumerate(fields):
        if parameter == "burn_in":  # the default is longer than these chains
            continue
        older = header | {"parameters": {"dict": fields[:place] + fields[place + 1 :]}}
        model = mrwtd.load_model(packed(stored(name), older))
        assert model.get_params() == whole.get_params() | {parameter: type(whole).default(parameter)}
        np.testing.assert_array_equal(model.decision_function(data()[1]), whole.decision_function(data()[1]))
