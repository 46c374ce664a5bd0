from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mrwtd.dashboard.settings import ORDERS, Choices, Settings, from_query

DATA = {"one": Choices(["a", "b"], ["group"]), "kinship": Choices(["term0"])}


def read(query: dict[str, str]) -> tuple[Settings, tuple[str, ...]]:
    return from_query(query, list(DATA), DATA.__getitem__)


@given(
    data=st.sampled_from(list(DATA)),
    relation=st.sampled_from(["", "a", "b", "term0"]),
    order=st.sampled_from([*ORDERS, "group"]),
)
def test_an_address_brings_the_settings_back(data: str, relation: str, order: str) -> None:
    within = DATA[data]
    settings = Settings(
        data, relation if relation in within.relations else "", order if order in within.attributes else ORDERS[0]
    )
    assert read(settings.to_query()) == (settings, ())


@given(st.dictionaries(st.sampled_from(["data", "relation", "order", "utm_source"]), st.text()))
def test_whatever_the_address_says_there_are_settings_to_show(query: dict[str, str]) -> None:
    settings, notes = read(query)
    assert settings.data in DATA
    assert all(isinstance(note, str) for note in notes)
    assert settings.relation in ("", *DATA[settings.data].relations)


def test_every_bad_value_is_named() -> None:
    settings, notes = read({"data": "one", "relation": "zzz", "order": "yyy"})
    assert settings == Settings("one")
    assert "'zzz'" in notes[0]
    assert "'yyy'" in notes[1]


def test_a_long_value_is_cut_in_the_note() -> None:
    _, notes = read({"data": "x" * 5000})
    assert len(notes[0]) < 200


def test_parameters_of_others_are_ignored() -> None:
    assert read({"utm_source": "mail"}) == (Settings(), ())
