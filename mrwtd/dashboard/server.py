"""The server of the dashboard: Streamlit's application, with a cookie for users and steps for its shutdown."""

import asyncio
import ctypes
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pyarrow as pa
import streamlit as st
from starlette.middleware import Middleware

from ..hosting.cookie import IdentityCookie
from ..hosting.shutdown import shut_down
from .state import recognition

GARBAGE_THRESHOLD = 10_000
"""New objects between two collections of garbage. A page makes more than Python's default of 700 many times."""

ARENAS, M_ARENA_MAX = 2, -8
"""The parts in which the C library of Linux manages memory, by default eight per core. What the thread of a session
frees is used again in its own part only, so with many parts the memory of a server grows for a long time."""


def options() -> dict[str, Any]:
    """The arguments of `streamlit.App` besides the script.

    >>> sorted(options())
    ['lifespan', 'middleware']
    """
    cookie = Middleware(IdentityCookie, base_path=recognition.base_path(), enabled=recognition.uses_cookie)
    return {"middleware": [cookie], "lifespan": _lifespan}


@asynccontextmanager
async def _lifespan(_: st.App) -> AsyncIterator[None]:
    gc.set_threshold(GARBAGE_THRESHOLD)
    with suppress(AttributeError, TypeError):  # other systems
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, ARENAS)
    pa.set_memory_pool(pa.system_memory_pool())  # its own one keeps memory for each thread that ever was
    yield
    # In a thread: it waits for trainings, which save what they have.
    await asyncio.to_thread(shut_down)
