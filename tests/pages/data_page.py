"""The Data page for tests: opening it, and what stands in its menus and its address."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard import keys
from mrwtd.data.samples import about
from tests.pages.opening import open_page

PAGE = "pages/1_Data.py"


SHOWN = [name for name in mrwtd.list_datasets() if not about(name).needs_folder]


def start(**address: str) -> AppTest:
    return open_page(PAGE, **address)


def menu(at: AppTest, field: str):
    return at.selectbox(key=keys.PICK + field)


def address(at: AppTest) -> dict[str, str]:
    return {name: value[0] if isinstance(value, list) else value for name, value in at.query_params.items()}


GOOD = "source,relation,target,value\nann,likes,bob,1\nbob,likes,cat,0\nann,calls,cat,12\n"
