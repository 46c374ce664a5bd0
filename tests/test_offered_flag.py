"""A parameter of type `Flag` that is offered: its option, its name in URLs and its widget."""

import click
import pytest
from click.testing import CliRunner
from streamlit.testing.v1 import AppTest

from mrwtd.cli.method_options import option
from mrwtd.dashboard.state import keys
from mrwtd.dashboard.state import settings as settings_module
from mrwtd.dashboard.state.settings import Choices, Settings, from_query
from mrwtd.model.parameters import Flag

SCALED = Flag("scaled", "Scaled values", "Whether values are scaled", "scaled", offered=True)


@pytest.fixture(autouse=True)
def offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(settings_module.PARAMETERS, "scaled", SCALED)
    monkeypatch.setitem(settings_module.DEFAULTS, "scaled", True)


@pytest.mark.parametrize(("words", "value"), [([], None), (["--scaled"], True), (["--no-scaled"], False)])
def test_the_option_is_a_switch(words: list[str], value: bool | None) -> None:
    values = []

    @click.command()
    @option(SCALED)
    def fit(scaled: bool | None) -> None:
        values.append(scaled)

    assert CliRunner().invoke(fit, words).exit_code == 0
    assert values == [value]
    assert "--scaled / --no-scaled" in CliRunner().invoke(fit, ["--help"]).output


def test_a_url_restores_it() -> None:
    query = Settings("aucs", scaled=False).to_query()
    assert query["scaled"] == "False"
    restored, messages = from_query(query, ["aucs"], lambda _: Choices(["work"], kinds=["binary"]))
    assert restored.scaled is False
    assert not messages
    restored, messages = from_query({"scaled": "maybe"}, ["aucs"], lambda _: Choices(["work"], kinds=["binary"]))
    assert restored.scaled is True
    assert "neither True nor False" in messages[0]


def _page() -> None:
    from mrwtd.dashboard.state import session
    from mrwtd.dashboard.state.settings import PARAMETERS
    from mrwtd.dashboard.widgets import inputs

    inputs.parameter_input(PARAMETERS["scaled"], session.settings().scaled)


def test_the_widget_is_a_switch_that_changes_the_settings() -> None:
    page = AppTest.from_function(_page).run()
    (switch,) = page.toggle
    assert (switch.label, switch.value) == ("Scaled values", True)
    switch.set_value(False).run()
    assert not page.exception
    assert page.session_state[keys.SETTINGS].scaled is False
    assert page.toggle[0].value is False
