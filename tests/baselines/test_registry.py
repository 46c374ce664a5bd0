import subprocess
import sys

import pytest

import mrwtd
import mrwtd.baselines as baselines
from mrwtd import DataError
from mrwtd.baselines.heuristics import Degree
from mrwtd.model.cost import Size
from mrwtd.model.method import Method

DESIGN = (
    "MrWTD", "MrWTD-Q", "MrWTD-H", "MrWTD-L", "MrWTD-B", "MrWTD-E", "RESCAL", "RESCAL-signs", "MMMF", "MMMF+", "BPTF",
    "CP", "BTF", "Degree", "Common neighbours",
)  # fmt: skip


def test_the_registry_lists_the_documented_methods_in_order():
    assert tuple(mrwtd.METHODS) == DESIGN


def test_facts_about_a_method_are_attributes_of_its_class():
    styles = [method.style for method in mrwtd.METHODS.values()]
    assert len({(style.colour, style.dash) for style in styles}) == len(styles)
    assert {name for name, method in mrwtd.METHODS.items() if method.per_relation} == {"MMMF", "MMMF+"}
    families = {"factorization", "Bayesian", "ensemble", "heuristic"}
    assert {method.family for method in mrwtd.METHODS.values()} == families


@pytest.mark.parametrize("name", DESIGN)
def test_more_data_and_a_search_cost_more(name):
    small, large = Size(1e4, 100, 2, True), Size(1e7, 8_000, 2, True)
    quick = baselines.make_method(name, rank=10, lam=1.0)
    assert quick.cost(large).seconds > 3 * quick.cost(small).seconds
    searched = baselines.make_method(name, rank=10).cost(large).seconds
    assert searched > 3 * quick.cost(large).seconds or quick.family != "factorization"


def test_every_method_takes_rank_lam_and_seed():
    for name in baselines.METHODS:
        model = baselines.make_method(name, rank=3, lam=0.5, seed=4)
        assert isinstance(model, Method)
        assert (model.rank, model.lam, model.seed) == (3, 0.5, 4)


def test_a_new_class_is_a_new_method():
    @mrwtd.METHODS.register
    class Coin(Degree):
        name, order = "Coin", 50

    try:
        assert list(mrwtd.METHODS)[-1] == "Coin"
        assert isinstance(baselines.make_method("Coin"), Coin)
    finally:
        mrwtd.METHODS.unregister("Coin")
    assert "Coin" not in mrwtd.METHODS


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


def test_an_unknown_name_or_parameter_raises_an_error_with_the_choices():
    with pytest.raises(DataError, match="the method 'Rescal'; expected one of MrWTD, "):
        baselines.make_method("Rescal")
    with pytest.raises(DataError, match="the parameter 'ranks' of RESCAL; expected one of rank, lam"):
        baselines.make_method("RESCAL", ranks=3)


@pytest.mark.parametrize("heavy", ["numba", "sklearn", "polyagamma", "streamlit"])
def test_nothing_heavy_is_imported_for_the_names(heavy):
    code = f"import sys, mrwtd.baselines as b; list(b.METHODS); sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
