"""A user of the dashboard without a browser: the websocket protocol of Streamlit, as much as a load test needs."""

import asyncio
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect


@dataclass
class Client:
    """A user with a cookie and an open page.

    Attributes:
        url: the URL of the server.
        elements: the elements on the page, by their place.
        query: the query string of the page.
        errors: the texts of error boxes so far.
    """

    url: str
    elements: dict[tuple[int, ...], Element] = field(default_factory=dict)
    query: str = ""
    errors: list[str] = field(default_factory=list)
    page: str = ""
    _socket: WebSocketClientConnection | None = None
    _touched: set[tuple[int, ...]] = field(default_factory=set)
    _finished: asyncio.Event = field(default_factory=asyncio.Event)
    _timers: dict[str, tuple[float, asyncio.Task[None]]] = field(default_factory=dict)
    _page_hash: str = ""
    _is_drawing: bool = False
    _reading: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        """Get the cookie, and open the websocket."""
        answer = await AsyncHTTPClient().fetch(f"{self.url}/_stcore/health")
        cookies = SimpleCookie()
        for header in answer.headers.get_list("Set-Cookie"):
            cookies.load(header)
        self.cookies = {name: morsel.value for name, morsel in cookies.items()}
        token = self.cookies.get("_streamlit_xsrf", "PLACEHOLDER_AUTH_TOKEN")
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()), "Origin": self.url}
        request = HTTPRequest(f"{self.url.replace('http', 'ws', 1)}/_stcore/stream", headers=headers)
        self._socket = await websocket_connect(request, subprotocols=["streamlit", token], max_message_size=1 << 28)
        self._reading = asyncio.create_task(self._read())

    async def open(self, page: str = "", **query: str) -> float:
        """Open a page by its name in the URL; return the seconds until its script has ended."""
        self._stop(self._timers)
        self.elements.clear()
        self.page, self.query, self._page_hash = page, urlencode(query), ""
        return await self._run()

    async def click(self, label: str) -> float:
        """Click on the first button whose label starts with a text; return the seconds until the script has ended."""
        buttons = (e.button for e in self.elements.values() if e.WhichOneof("type") == "button")
        button = next(button for button in buttons if button.label.startswith(label))
        return await self._run(button.id)

    @property
    def is_training(self) -> bool:
        """Whether the page shows a job that waits or runs."""
        return any(text.startswith(("**Running**", "**Waiting**")) for text in self.texts())

    def texts(self) -> list[str]:
        """The texts on the page."""
        return [e.markdown.body for e in self.elements.values() if e.WhichOneof("type") == "markdown"]

    async def close(self) -> None:
        """Leave."""
        self._stop(self._timers)
        self._reading.cancel()
        self._socket.close()

    async def _run(self, clicked: str = "", fragment: str = "") -> float:
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.fragment_id, state.page_script_hash = self.query, fragment, self._page_hash
        state.page_name = "" if self._page_hash else self.page  # a browser sends the name with the first request only
        state.is_auto_rerun = bool(fragment)
        if clicked:
            widget = state.widget_states.widgets.add()
            widget.id, widget.trigger_value = clicked, True
        began = time.perf_counter()
        if not fragment:
            self._is_drawing = False
            self._finished.clear()
        await self._socket.write_message(message.SerializeToString(), binary=True)
        if not fragment:
            await asyncio.wait_for(self._finished.wait(), 120)
        return time.perf_counter() - began

    async def _read(self) -> None:
        while (data := await self._socket.read_message()) is not None:
            message = ForwardMsg.FromString(data)
            kind = message.WhichOneof("type")
            if kind == "new_session":
                self._touched.clear()
                self._page_hash = message.new_session.page_script_hash
                if not message.metadata.run.fragment_ids:  # the whole page is drawn, with the fragments that remain
                    self._stop(self._timers)
                    self._is_drawing = True
            elif kind == "navigation":
                self._page_hash = message.navigation.page_script_hash
            elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
                element = message.delta.new_element
                path = tuple(message.metadata.delta_path)
                self._touched.add(path)
                self.elements[path] = element
                if element.WhichOneof("type") == "alert" and element.alert.format == element.alert.ERROR:
                    self.errors.append(element.alert.body)
            elif kind == "page_info_changed":
                self.query = message.page_info_changed.query_string
            elif kind == "auto_rerun":
                self._repeat(message.auto_rerun.fragment_id, message.auto_rerun.interval)
            elif kind == "stop_auto_rerun":
                self._stop(message.stop_auto_rerun.fragment_ids)
            elif kind == "script_finished" and self._is_drawing:
                # Streamlit may drop the end of a page if a fragment is requested at that moment, and sends that of the
                # fragment. An end without a start belongs to what was on the page before.
                if message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                    self.elements = {path: self.elements[path] for path in self._touched if path in self.elements}
                if message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    self._finished.set()

    def _repeat(self, fragment: str, seconds: float) -> None:
        async def repeat() -> None:
            while True:
                await asyncio.sleep(seconds)
                await self._run(fragment=fragment)

        if self._timers.get(fragment, (0.0,))[0] != seconds:
            self._stop([fragment])
            self._timers[fragment] = seconds, asyncio.create_task(repeat())

    def _stop(self, fragments: Iterable[str]) -> None:
        for fragment in [*fragments]:
            if fragment in self._timers:
                self._timers.pop(fragment)[1].cancel()
