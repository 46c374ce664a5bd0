"""The Data page for tests: opening it, and what stands in its menus and its address."""

from __future__ import annotations

import pandas as pd
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard.state import current_user, keys
from mrwtd.dashboard.state.settings import UPLOAD_PREFIX
from mrwtd.data.datasets.samples import dataset_info
from tests.dashboard.pages.opening import open_page

PAGE = "pages/1_Data.py"


SHOWN = [name for name in mrwtd.list_datasets() if not dataset_info(name).needs_folder]


def start(**address: str) -> AppTest:
    return open_page(PAGE, **address)


def menu(at: AppTest, field: str):
    return at.selectbox(key=keys.PICK + field)


def address(at: AppTest) -> dict[str, str]:
    return {name: value[0] if isinstance(value, list) else value for name, value in at.query_params.items()}


GOOD = "source,relation,target,value\nann,likes,bob,1\nbob,likes,cat,0\nann,calls,cat,12\n"


def drop(at: AppTest, *files: tuple[str, bytes], field: str = keys.FILE) -> AppTest:
    uploader = next(one for one in at.file_uploader if one.key.startswith(f"{field}-"))
    return uploader.set_value([(name, content, "text/csv") for name, content in files]).run()


def use(at: AppTest) -> AppTest:
    return next(button for button in at.button if button.label == "Use this data").click().run()


def told(at: AppTest) -> dict[str, object]:
    return current_user.workspace_of(at.session_state[keys.USER]).datasets()[own_of(at).removeprefix(UPLOAD_PREFIX)]


def own_of(at: AppTest) -> str:
    return at.session_state[keys.SETTINGS].data


def pick(at: AppTest, label: str):
    return next(one for one in at.selectbox if one.label.startswith(label))


def back(at: AppTest) -> AppTest:
    return menu(at, "data").select("florentine").run()


def can_use(at: AppTest) -> bool:
    return "Use this data" in [button.label for button in at.button]


def guessed(at: AppTest) -> pd.DataFrame:
    return next(frame.value for frame in at.dataframe if "why" in frame.value)


def captions(at: AppTest) -> list[str]:
    return [plain_text(text.value) for text in at.caption]


def notes(at: AppTest) -> list[str]:
    (shown,) = [fold for fold in at.expander if fold.label.startswith("How it was read")]
    return str(shown.code[0].value).splitlines()


def plain_text(text: str) -> str:
    return text.replace("\\", "")
