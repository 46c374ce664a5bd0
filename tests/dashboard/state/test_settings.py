import pytest
from hypothesis import given
from hypothesis import strategies as st

import mrwtd
from mrwtd.dashboard.state.settings import ORDERS, Choices, Settings, from_query
from mrwtd.model.losses import LOSSES

DATA = {
    "one": Choices(["a", "b c:&=", "λ"], ["group"], 1, ["binary", "count", "real"]),
    "aucs": Choices(["work"], kinds=["binary"]),
}


def read(query: dict[str, str]) -> tuple[Settings, tuple[str, ...]]:
    return from_query(query, list(DATA), DATA.__getitem__)


relations = st.sampled_from(DATA["one"].relations)


@given(
    relation=st.sampled_from(["", *DATA["one"].relations]),
    order=st.sampled_from([*ORDERS, "group"]),
    train=st.floats(0.01, 1.0).map(lambda share: round(share, 4)),
    by=st.sampled_from(["auto", "entry", "pair"]),
    rank=st.integers(1, 500),
    lam=st.one_of(st.just("auto"), st.floats(1e-3, 1e3).map(lambda lam: float(f"{lam:.4g}"))),
    methods=st.lists(st.sampled_from(list(mrwtd.METHODS)), min_size=1, unique=True).map(tuple),
    loss=st.dictionaries(relations, st.just("quadratic")),
    weight=st.dictionaries(st.just("a"), st.sampled_from([0.5, 2.0, 10.0])),
    views=st.dictionaries(st.sampled_from(["network.threshold", "learn.lesson"]), st.text(min_size=1)),
)
def test_a_url_restores_the_settings(**chosen: object) -> None:
    settings = Settings("one", **chosen)
    assert read(settings.to_query()) == (settings, ())


def test_a_positive_weight_is_for_binary_relations() -> None:
    settings, messages = read({"data": "one", "weight.a": "2", "weight.λ": "2"})
    assert settings.weight == {"a": 2.0}
    (message,) = messages
    assert "weight.λ = '2'" in message
    assert "λ holds real values: 1 is shown instead" in message


def test_an_invalid_hold_out_is_refused() -> None:
    settings, messages = read({"data": "one", "by": "row"})
    assert settings.by == "auto"
    assert "by = 'row'" in messages[0]


NAMES = [
    *(name for name in Settings.__dataclass_fields__),
    "utm_source",
    "loss.a",
    "weight.a",
    "loss.zzz",
    "page.x",
    ".",
]


@given(st.dictionaries(st.sampled_from(NAMES), st.text() | st.sampled_from(["one", "nan", "1e999", "-1", "0", "3"])))
def test_any_url_gives_valid_settings(query: dict[str, str]) -> None:
    settings, messages = read(query)
    assert settings.data in DATA
    assert all(isinstance(message, str) for message in messages)
    assert settings.relation in ("", *DATA[settings.data].relations)
    assert settings.rank is None or 1 <= settings.rank <= 500
    assert 0 < settings.train <= 1
    assert settings.lam == "auto" or 0 < settings.lam < 1e4
    assert set(settings.methods) <= set(mrwtd.METHODS)
    assert all(name in LOSSES for name in settings.loss.values())


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("relation", "zzz", "is not here"),
        ("order", "yyy", "is not here"),
        ("rank", "ten", "is not a number"),
        ("rank", "0", "between 1 and 500"),
        ("rank", "2.5", "is not a whole number"),
        ("lam", "-1", "between 0.001 and 1000"),
        ("train", "1.01", "between 0.01 and 1"),
        ("methods", "MrWTD,XYZ", "names 'XYZ', which is not a method"),
        ("method", "XYZ", "is not here: the first method is shown"),
        ("weight.nobody", "2", "names a relation that is not here."),
        ("start", "here", "is not here"),
        ("loss.a", "poisson", "is not for binary relations"),
        ("loss.a", "no-loss", "is not here"),
        ("loss.nobody", "logistic", "names a relation that is not here"),
        ("weight.a", "inf", "between"),
    ],
)
def test_every_bad_value_is_named(name: str, value: str, why: str) -> None:
    settings, messages = read({"data": "one", name: value})
    assert settings == Settings("one")
    assert len(messages) == 1
    assert name in messages[0]
    assert repr(value) in messages[0]
    assert why in messages[0]


def test_the_relation_shown_instead_is_named() -> None:
    assert "b c:&=" in read({"data": "one", "relation": "zzz"})[1][0]


def test_a_long_value_is_cut_in_the_message() -> None:
    _, messages = read({"data": "x" * 5000})
    assert len(messages[0]) < 200


def test_a_link_to_an_upload_of_another_user_shows_a_message() -> None:
    settings, messages = read({"data": "own-0123"})
    assert settings.data == "aucs"
    assert "uploaded file" in messages[0]


def test_unknown_parameters_are_ignored() -> None:
    assert read({"utm_source": "mail", "mc.cid": "7"}) == (Settings(), ())


def test_settings_of_a_data_set_are_dropped_with_it() -> None:
    first = Settings("one", relation="a", rank=7, loss={"a": "quadratic"}, run="1", views={"network.object": "ann"})
    assert first.change(data="aucs") == Settings("aucs", rank=7)


def test_a_typed_plus_in_a_url_is_part_of_the_method_name() -> None:
    settings, messages = read({"methods": "MMMF ,Common neighbours, Degree"})
    assert (settings.methods, messages) == (("MMMF+", "Common neighbours", "Degree"), ())


def test_the_default_comparison_has_the_bayesian_method_where_it_takes_seconds() -> None:
    for name, quick in (("florentine", True), ("aucs", True), ("nations", True), ("kinship", False), ("umls", False)):
        data = mrwtd.load_dataset(name)
        methods = Settings(name).resolved(data).methods
        assert ("MrWTD-B" in methods) == quick
        assert {"MrWTD", "RESCAL", "Degree"} <= {*methods}


def test_the_default_comparison_is_that_of_each_data_set() -> None:
    florentine, kinship = mrwtd.load_dataset("florentine"), mrwtd.load_dataset("kinship")
    resolved = Settings("florentine").resolved(florentine)
    assert "MrWTD-B" in resolved.methods
    again = resolved.with_default_methods(florentine)
    assert "MrWTD-B" not in again.change(data="kinship", rank=None).resolved(kinship).methods
    chosen = Settings("florentine", methods=("CP",))
    assert chosen.with_default_methods(florentine) == chosen == chosen.resolved(florentine).change(rank=None)


def test_an_automatic_rank_in_a_url() -> None:
    assert Settings("one", rank="auto").to_query()["rank"] == "auto"
    settings, messages = read({"data": "one", "rank": "auto"})
    assert (settings.rank, messages) == ("auto", ())


@pytest.mark.parametrize("name", ["florentine", "aucs", "monastery", "bankwiring", "airports", "nations"])
def test_the_default_comparison_of_small_samples_has_the_bayesian_method(name: str) -> None:
    assert "MrWTD-B" in Settings(name).default_methods(mrwtd.load_dataset(name))


def test_the_default_comparison_of_a_large_sample_is_quick() -> None:
    assert "MrWTD-B" not in Settings("umls").default_methods(mrwtd.load_dataset("umls"))
