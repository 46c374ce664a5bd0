"""The cookie with the id of a user, set by the server, so that scripts of a page cannot read it.

A page asks for the health of the server before it opens its websocket, and the response sets the cookie. It is not set
with the page itself: browsers send no strict cookie with a request that comes from a link on another site, and the
server would replace the id of a known user.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from .config import config
from .identity import FORGOTTEN_DAYS, Identities, identities

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

HEALTH = "/_stcore/health"

FINGERPRINT = b"mrwtd-user"
"""The header that tells a page which id the browser has."""


class IdentityCookie:
    """ASGI middleware that sets the cookie of users who have none, or an invalid one, and renews that of others.

    Attributes:
        application: the application that answers.
        base_path: the path of the dashboard, such as "/mrwtd". Empty: the whole host.
        enabled: whether users are recognized by a cookie.
    """

    def __init__(self, application: Application, base_path: str = "", enabled: Callable[[], bool] = lambda: True):
        self.application, self.base_path, self.enabled = application, base_path.rstrip("/"), enabled

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or scope["path"] != self.base_path + HEALTH or not self.enabled():
            await self.application(scope, receive, send)
            return
        headers = self._headers(scope, identities())

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *headers]
            await send(message)

        await self.application(scope, receive, send_with_cookie)

    def _headers(self, scope: Message, identities: Identities) -> list[tuple[bytes, bytes]]:
        user = _cookies(scope).get(identities.cookie_name, "")
        known = identities.is_valid(user)
        cookie = set_cookie(
            identities.cookie_name,
            user if known else identities.issue(),
            path=self.base_path or "/",
            secure=scope.get("scheme") == "https" or _header(scope, b"x-forwarded-proto") == "https",
        )
        headers = [(b"set-cookie", cookie.encode())]
        return [*headers, (FINGERPRINT, identities.fingerprint(user).encode())] if known else headers


def set_cookie(name: str, value: str, *, path: str, secure: bool) -> str:
    """The header that stores a cookie for as long as an idle workspace is kept.

    >>> set_cookie("mrwtd_1", "abc", path="/", secure=True)
    'mrwtd_1=abc; Path=/; Max-Age=15552000; HttpOnly; SameSite=Strict; Secure'
    """
    days = min(config().workspaces.idle_days or FORGOTTEN_DAYS, FORGOTTEN_DAYS)
    attributes = [f"Path={path}", f"Max-Age={days * 86_400}", "HttpOnly", "SameSite=Strict", *["Secure"] * secure]
    return "; ".join([f"{name}={value}", *attributes])


def _cookies(scope: Message) -> dict[str, str]:
    # Python's own parser gives up at the first unusual cookie, which another application on the host may have set.
    pairs = (pair.partition("=") for pair in _header(scope, b"cookie").split(";"))
    return {name.strip(): value.strip() for name, _, value in pairs}


def _header(scope: Message, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")
