"""Helpers for tests of the Data page: opening it, uploading files, and reading its menus and its URL."""

from typing import Any

import pandas as pd
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard.state import current_user, keys
from mrwtd.dashboard.state.settings import UPLOAD_PREFIX
from mrwtd.data.datasets.samples import dataset_info
from tests.dashboard.pages.open_pages import open_page

PAGE = "pages/1_Data.py"

SAMPLES = [name for name in mrwtd.list_datasets() if not dataset_info(name).needs_folder]

GOOD = "source,relation,target,value\nann,likes,bob,1\nbob,likes,cat,0\nann,calls,cat,12\n"


def open_data(**query: str) -> AppTest:
    return open_page(PAGE, **query)


def menu(app: AppTest, field: str):
    return app.selectbox(key=keys.PICK + field)


def menu_labelled(app: AppTest, label: str):
    return next(box for box in app.selectbox if box.label.startswith(label))


def query_params(app: AppTest) -> dict[str, str]:
    return {name: value[0] if isinstance(value, list) else value for name, value in app.query_params.items()}


def upload(app: AppTest, *files: tuple[str, bytes], field: str = keys.FILE) -> AppTest:
    uploader = next(widget for widget in app.file_uploader if widget.key.startswith(f"{field}-"))
    return uploader.set_value([(name, content, "text/csv") for name, content in files]).run()


def use(app: AppTest) -> AppTest:
    return next(button for button in app.button if button.label == "Use this data").click().run()


def can_use(app: AppTest) -> bool:
    return "Use this data" in [button.label for button in app.button]


def chosen_data(app: AppTest) -> str:
    return app.session_state[keys.SETTINGS].data


def stored_info(app: AppTest) -> dict[str, Any]:
    """What is stored about the upload in use."""
    return current_user.workspace_of(app.session_state[keys.USER]).datasets()[
        chosen_data(app).removeprefix(UPLOAD_PREFIX)
    ]


def stored_data(app: AppTest) -> mrwtd.RelationalData:
    """The upload in use."""
    space = current_user.workspace_of(app.session_state[keys.USER])
    data = space.data(chosen_data(app).removeprefix(UPLOAD_PREFIX))
    assert data is not None
    return data


def choose_sample(app: AppTest) -> AppTest:
    return menu(app, "data").select("florentine").run()


def schema(app: AppTest) -> pd.DataFrame:
    return next(frame.value for frame in app.dataframe if "why" in frame.value)


def relations(app: AppTest) -> list[str]:
    """The relations of the data set in use, from its table."""
    return list(next(frame.value for frame in app.dataframe if "missing" in frame.value).index)


def captions(app: AppTest) -> list[str]:
    return [unescaped(text.value) for text in app.caption]


def notes(app: AppTest) -> list[str]:
    (expander,) = [expander for expander in app.expander if expander.label.startswith("How it was read")]
    return str(expander.code[0].value).splitlines()


def unescaped(text: str) -> str:
    return text.replace("\\", "")
