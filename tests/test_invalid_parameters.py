"""Public functions with odd arguments: they work, or the error states what was found and expected."""

import inspect
import io
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import mrwtd
from mrwtd.data.datasets.samples import dataset_info
from mrwtd.data.relations import Relation
from mrwtd.errors import DataError

ODD = [
    None, -1, 0, 1.5, 2, True, "x", "", "0.5", b"a", 1j, 10**30, float("nan"), float("inf"), -float("inf"), 1e200, [],
    [1], ["x"], (), {}, {"a": 1}, {"marriage": []}, object(), np.array([1, 2]), np.array(["a"]), pd.DataFrame(),
    mrwtd.load_dataset("florentine"),
]  # fmt: skip


@cache
def parts() -> tuple[mrwtd.RelationalData, mrwtd.RelationalData, mrwtd.RelationalData, mrwtd.MrWTD]:
    data = mrwtd.load_dataset("florentine")
    train, test = data.split(train=0.5, seed=0)
    return data, train, test, mrwtd.MrWTD(rank=2, lam=1.0).fit(train)


@cache
def scores() -> pd.DataFrame:
    return mrwtd.compare(parts()[0], ["Degree"], [0.5], rank=2, runs=2, n_jobs=1)


def csv() -> io.StringIO:
    return io.StringIO("source,relation,target,value\nann,likes,bob,1\nbob,likes,ann,0\nann,calls,bob,12\n")


FRAME = pd.DataFrame({"source": ["a", "b"], "relation": "r", "target": ["b", "c"], "value": [1.0, 2.0]})
NEW = pd.DataFrame({"source": ["new"], "relation": ["marriage"], "target": ["Medici"], "value": [1.0]})
DATA = {
    "objects": ["a", "b"], "relations": [Relation("r", "real", True)], "i": [0], "j": [1], "k": [0], "y": [1.0],
    "w": None, "attributes": None, "notes": (),
}  # fmt: skip
SMALL = {"methods": ["Degree"], "train": [0.5], "rank": 2, "runs": 1, "n_jobs": 1, "lam": 1.0}


@cache
def calls() -> dict[str, Callable[[Any], object]]:
    """Each function with one free parameter, by the name of its test."""
    data, _, test, model = parts()
    functions: dict[str, Callable[[Any], object]] = {}

    def add(name: str, function: Callable[..., object], usual: dict[str, Any], options: tuple[str, ...]) -> None:
        for option in options:
            functions[f"{name} {option}"] = lambda odd, option=option: function(**(usual | {option: odd}))

    add("split", data.split, {"train": 0.5}, ("train", "seed", "validation", "stratify", "by"))
    # Not n_jobs, which would start processes; check_range has its own tests for infinite numbers.
    names = ("data", "methods", "train", "scheduler", "lam", "stratify", "progress", "save")
    add("compare", mrwtd.compare, SMALL | {"data": data}, names)
    for key in ("method", "max_iter", "nothing"):
        functions[f"compare a method's {key}"] = lambda odd, key=key: mrwtd.compare(
            data, **(SMALL | {"methods": {"a": {"method": "Degree"} | {key: odd}}})
        )
    functions["compare a method"] = lambda odd: mrwtd.compare(data, **(SMALL | {"methods": {"a": odd}}))
    add("summarize", mrwtd.summarize, {"frame": scores()}, ("frame", "correction", "per_relation"))
    functions["summarize value"] = lambda odd: mrwtd.summarize(scores().assign(value=[odd] * len(scores())))
    add("evaluate", mrwtd.evaluate, {"model": model, "test": test}, ("model", "test"))
    for name in ("synth-binary", "synth-mixed", "synth-kinds"):
        add(name, mrwtd.load_dataset, {"name": name, "n_objects": 10}, tuple(dataset_info(name).options))
    add("load_dataset", mrwtd.load_dataset, {"name": "florentine"}, ("name", "symmetric", "nothing"))
    for name in ("reality-mining", "social-evolution"):
        add(name, mrwtd.load_dataset, {"name": name, "folder": "nowhere"}, tuple(dataset_info(name).options))
    for option in list(inspect.signature(mrwtd.read).parameters)[1:]:
        functions[f"read {option}"] = lambda odd, option=option: mrwtd.read(csv(), **{option: odd})
    for option in ("kinds", "directed", "absent"):
        functions[f"read {option} of one"] = lambda odd, option=option: mrwtd.read(csv(), **{option: {"likes": odd}})
    functions["read seed of samples"] = lambda odd: mrwtd.read(csv(), absent=1, seed=odd)
    functions["read file"] = mrwtd.read
    add("from_frame", mrwtd.RelationalData.from_frame, {"frame": FRAME},
        ("frame", "kinds", "directed", "absent", "duplicates", "seed"))  # fmt: skip
    for column in FRAME.columns:
        functions[f"from_frame column {column}"] = lambda odd, column=column: mrwtd.RelationalData.from_frame(
            FRAME.assign(**{column: pd.Series([odd, odd], dtype=object)})
        )
    add("RelationalData", mrwtd.RelationalData, DATA, tuple(DATA))
    ordinal = {"name": "r", "kind": "ordinal", "directed": True, "levels": (0, 1)}
    add("Relation", Relation, ordinal, tuple(ordinal))
    functions["subset"], functions["select_relations"] = data.subset, data.select_relations
    add("rank_pairs", model.rank_pairs, {"relation": "marriage", "top": 3}, ("relation", "exclude"))
    add("explain", model.explain, {"source": "Medici", "target": "Pazzi", "relation": "marriage"},
        ("source", "target", "relation", "train", "axes"))  # fmt: skip
    add("evaluate_ranking", mrwtd.evaluate_ranking, {"model": model, "test": test, "known": data},
        ("model", "test", "known"))  # fmt: skip
    functions["write format"] = lambda odd: mrwtd.write(data, io.StringIO(), odd)
    functions["load_run"] = mrwtd.load_run
    functions["fold_in"] = model.fold_in
    for column in NEW.columns:
        functions[f"fold_in column {column}"] = lambda odd, column=column: model.fold_in(
            NEW.assign(**{column: pd.Series([odd], dtype=object)})
        )
    for name in ("decision_function", "predict", "predict_proba", "predict_std"):
        functions[name] = getattr(model, name)
    functions["make_method"] = mrwtd.make_method
    functions["make_method parameter"] = lambda odd: mrwtd.make_method("MrWTD", nothing=odd)
    for name in mrwtd.METHODS:
        for option in mrwtd.make_method(name).get_params():
            usual = {"rank": 2, "lam": 1.0, "sweeps": 3, "burn_in": 1, "ensemble": 1}
            known = {key: value for key, value in usual.items() if key in mrwtd.make_method(name).get_params()}
            if option not in ("max_iter", "samples", "sweeps"):  # numbers from 1 up, which would take too long
                functions[f"{name} {option}"] = lambda odd, name=name, option=option, known=known: mrwtd.make_method(
                    name, **(known | {option: odd})
                ).fit(parts()[1])
    functions["save"] = lambda odd: None if isinstance(odd, str) else model.save(odd)  # a text is a path
    functions["load_model"] = mrwtd.load_model
    return functions


@pytest.mark.parametrize("name", calls())
def test_odd_values_are_accepted_or_refused_with_found_and_expected(name):
    refused = []
    for odd in ODD:
        try:
            calls()[name](odd)
        except DataError as error:
            refused += error.problems
    # A comparison has a row with the reason, and methods ignore parameters that do not apply to them.
    takes_all = name.startswith(("compare a method's", "Degree", "Common neighbours"))
    assert refused or takes_all or name in ("BPTF lam", "BTF lam", "MrWTD-B lam")
    assert all(problem.found and problem.expected for problem in refused)
    assert max((len(problem.found) for problem in refused), default=0) < 200


@pytest.mark.parametrize("seed", [-1, 1.5, float("inf"), None, "x", True])
def test_a_seed_of_a_split_is_a_nonnegative_integer(seed):
    with pytest.raises(DataError, match=r"found seed = .*expected a whole number of at least 0"):
        parts()[0].split(seed=seed)
    first, second = (parts()[0].split(train=0.5, seed=seed)[0] for seed in (1, 1.0))
    assert first == second


@pytest.mark.parametrize("method", mrwtd.METHODS)
def test_a_damaged_model_is_read_or_refused(method):
    buffer, (_, train, test, _) = io.BytesIO(), parts()
    parameters = mrwtd.make_method(method).get_params()
    quick = {name: value for name, value in (("sweeps", 6), ("burn_in", 2)) if name in parameters}
    mrwtd.make_method(method, rank=2, lam=1.0, **quick).fit(train).save(buffer)
    content = buffer.getvalue()
    assert mrwtd.load_model(io.BytesIO(content)).predict(test).shape == (len(test),)
    for seed in range(60):
        rng = np.random.default_rng(seed)
        damaged = bytearray(content[: rng.integers(len(content))] if seed % 3 == 0 else content)
        for place in rng.integers(max(len(damaged), 1), size=seed % 3 * 4):
            damaged[place] = rng.integers(256)
        with suppress(DataError):
            mrwtd.load_model(io.BytesIO(bytes(damaged)))


@pytest.mark.parametrize("array", [np.zeros(0), np.zeros((2, 2)), np.array("x"), np.full(3, np.nan), np.array(1.0)])
def test_a_model_with_an_array_of_another_shape_is_refused(array):
    buffer, (_, _, test, model) = io.BytesIO(), parts()
    model.save(buffer)
    stored = dict(np.load(io.BytesIO(buffer.getvalue())))
    for name in set(stored) - {"mrwtd"}:
        changed = io.BytesIO()
        np.savez(changed, **(stored | {name: array}))
        changed.seek(0)
        with suppress(DataError):  # some arrays can have any shape, and a model without them can predict
            mrwtd.load_model(changed).predict(test)
