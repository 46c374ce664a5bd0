from __future__ import annotations

import subprocess
import sys

import pytest

import mrwtd
import mrwtd.baselines as baselines
from mrwtd import DataError
from mrwtd.model.method import Method


def test_the_names_are_those_of_the_design_in_its_order():
    assert [name for name in baselines.METHODS if name in baselines.ORDER] == list(baselines.ORDER)
    assert set(baselines.METHODS[: len(baselines.ORDER)]) == set(baselines.ORDER)


def test_every_method_takes_rank_lam_and_seed():
    for name in baselines.METHODS:
        model = baselines.make_method(name, rank=3, lam=0.5, seed=4)
        assert isinstance(model, Method)
        assert (model.rank, model.lam, model.seed) == (3, 0.5, 4)


def test_a_new_file_is_a_new_method(monkeypatch, tmp_path):
    file = tmp_path / "coin.py"
    file.write_text("from mrwtd.baselines.floors import Degree\nMETHODS = {'Coin': Degree}\n", encoding="utf-8")
    monkeypatch.setattr(baselines, "__path__", [*baselines.__path__, str(tmp_path)])
    baselines.factories.cache_clear()
    try:
        assert baselines.METHODS[-1] == "Coin"
        assert isinstance(baselines.make_method("Coin"), Method)
    finally:
        baselines.factories.cache_clear()
        sys.modules.pop("mrwtd.baselines.coin", None)


@pytest.mark.parametrize(
    ("name", "losses"),
    [
        ("MrWTD-Q", ["quadratic"] * 4),
        ("MrWTD-H", ["smooth-hinge", "ordinal", "poisson", "quadratic"]),
        ("MrWTD-L", ["logistic", "ordinal", "poisson", "quadratic"]),
        ("MMMF", ["smooth-hinge", "ordinal", "poisson", "quadratic"]),
        ("MMMF+", ["logistic", "ordinal", "poisson", "quadratic"]),
    ],
)
def test_the_losses_of_the_variants(name, losses):
    data = mrwtd.load_dataset("synth-kinds", n_objects=10, rank=2)
    model = baselines.make_method(name, rank=1, lam=1.0, max_iter=2).fit(data)
    assert list(model.losses_.values()) == losses


def test_an_unknown_name_or_parameter_is_refused_with_those_there_are():
    with pytest.raises(DataError, match="the method 'Rescal'; expected one of MrWTD-Q, "):
        baselines.make_method("Rescal")
    with pytest.raises(DataError, match="the parameter 'ranks' of RESCAL; expected one of rank, lam"):
        baselines.make_method("RESCAL", ranks=3)
    with pytest.raises(AttributeError, match="NAMES"):
        _ = baselines.NAMES


@pytest.mark.parametrize("heavy", ["numba", "sklearn", "polyagamma", "streamlit"])
def test_nothing_heavy_is_imported_for_the_names(heavy):
    code = f"import sys, mrwtd.baselines as b; b.METHODS; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
