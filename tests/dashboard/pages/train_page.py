"""The Train page in tests."""

import re

from mrwtd.dashboard.state import keys
from mrwtd.dashboard.state.settings import Settings

PAGE = "pages/2_Train.py"


def settings(app) -> Settings:
    return app.session_state[keys.SETTINGS]


def methods_with_bars(app) -> list[str]:
    """The methods whose bars are drawn."""
    bars = " ".join(part.proto.body for part in app.get("html"))
    return re.findall(r'overflow-wrap: anywhere">([^<]+)<', bars)


def open_part(app, part: str):
    """Open a part of the results."""
    return app.button_group(key=keys.PICK + "train.part").set_value(part).run()
