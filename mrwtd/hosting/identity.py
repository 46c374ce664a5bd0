"""Ids of users: issued and signed by the server, and forgotten on request.

An id is a secret: anyone who has it can open the workspace. It contains the time of its issue and random letters, and a
signature with a key of this installation, so that an id that somebody else made up is refused. The key is stored in the
folder of the workspaces, and only in memory if that cannot be written.
"""

import base64
import hmac
import logging
import os
import re
import secrets
import time
from contextlib import suppress
from functools import cache, cached_property, partial
from hashlib import sha256
from pathlib import Path

from ..runs.drafts import draft
from ..runs.storage_error import StorageError
from .config import config

KEY, FORGOTTEN = "identity.key", "forgotten"
"""The file of the key, and the folder with one file per forgotten user, named as the folder of the user."""

KEY_BYTES = 32

FORGOTTEN_DAYS = 400
"""Browsers keep no cookie for longer, so a forgotten id cannot return after this time."""

log = logging.getLogger(__name__)


class Identities:
    """The ids of the users of one installation.

    >>> import tempfile
    >>> identities = Identities(Path(tempfile.mkdtemp()))
    >>> user = identities.issue()
    >>> identities.is_valid(user), identities.is_valid("an-id-that-somebody-made-up")
    (True, False)
    >>> identities.forget(user)
    >>> identities.is_valid(user)
    False

    Attributes:
        home: the folder of the key and of the forgotten ids.
    """

    def __init__(self, home: Path):
        self.home = home
        self._forgotten_here: set[str] = set()

    @cached_property
    def key(self) -> bytes:
        """The key of the signatures, the same for all servers on one folder."""
        return _stored_key(self.home / KEY)

    @cached_property
    def cookie_name(self) -> str:
        """The name of the cookie. It differs between installations, which may share a host name.

        >>> import tempfile
        >>> folders = [Path(tempfile.mkdtemp()) for _ in range(2)]
        >>> len({Identities(folder).cookie_name for folder in [*folders, *folders]})
        2
        """
        return f"mrwtd_{_digest(self.key, b'cookie name').hex()[:8]}"

    def issue(self) -> str:
        """A new id."""
        content = f"{int(time.time()):x}-{secrets.token_hex(16)}"
        return f"{content}.{self._signature(content)}"

    def is_valid(self, user: str) -> bool:
        """Whether an id was issued here and is not forgotten."""
        return self.is_issued(user) and not self.is_forgotten(user)

    def is_issued(self, user: str) -> bool:
        """Whether this installation has issued an id."""
        content, _, signature = user.partition(".")
        if not re.fullmatch(r"[0-9a-f]{1,12}-[0-9a-f]{32}", content, re.ASCII):
            return False
        return hmac.compare_digest(signature.encode("utf-8", "replace"), self._signature(content).encode())

    def age(self, user: str) -> float:
        """Seconds since an issued id was issued."""
        return time.time() - int(user.partition("-")[0], 16)

    def fingerprint(self, user: str) -> str:
        """A text by which two ids can be compared, and from which neither can be computed."""
        return _digest(self.key, f"fingerprint {user}".encode()).hex()[:16]

    def forget(self, user: str) -> None:
        """Refuse an id from now on."""
        self._forgotten_here.add(user)
        with suppress(OSError):  # until the server ends, it is refused anyway
            mark = self._mark(user)
            mark.parent.mkdir(parents=True, exist_ok=True)
            for old in mark.parent.iterdir():
                if time.time() - old.stat().st_mtime > FORGOTTEN_DAYS * 86_400:
                    old.unlink()
            mark.touch()

    def is_forgotten(self, user: str) -> bool:
        """Whether an id was forgotten, also by another server on this folder."""
        return user in self._forgotten_here or self._mark(user).exists()

    def _mark(self, user: str) -> Path:
        return self.home / FORGOTTEN / folder_name(user)

    def _signature(self, content: str) -> str:
        return base64.urlsafe_b64encode(_digest(self.key, f"id {content}".encode())).decode().rstrip("=")


_identities = cache(Identities)


def identities() -> Identities:
    """The ids of this installation."""
    return _identities(config().home)


def folder_name(user: str) -> str:
    """The name of the folder of a user, from which the id cannot be computed.

    >>> folder_name("ann")
    '49915e0d7d4b402e3017d010bc1c0e83'
    """
    return sha256(user.encode()).hexdigest()[:32]


def login_id(issuer: str, subject: str) -> str:
    """The id of a user who has logged in: the same for the same issuer and subject.

    >>> login_id("https://login.example.org", "ann") == login_id("https://login.example.org", "ann")
    True
    >>> login_id("https://login.example.org", "ann") == login_id("https://login.example.orga", "nn")
    False
    """
    return "login-" + sha256(f"{len(issuer)} {issuer} {subject}".encode()).hexdigest()


def _digest(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")


def _stored_key(path: Path) -> bytes:
    """The key in a file, which is created if it does not exist or is damaged."""
    if (key := _read_key(path)) is not None:
        return key
    key = secrets.token_bytes(KEY_BYTES)
    try:
        with draft(path.parent, partial(Path.touch, mode=0o600)) as file:
            file.write_bytes(key)
            if path.exists() and _read_key(path) is None:
                file.replace(path)
            else:
                with suppress(FileExistsError):  # another server was faster
                    os.link(file, path)
    except (OSError, StorageError) as error:
        log.warning("The key of user ids cannot be stored (%s). Users are not recognized after a restart.", error)
        return key
    return _read_key(path) or key


def _read_key(path: Path) -> bytes | None:
    """The key in a file, which other users of the computer may not read."""
    try:
        key = path.read_bytes()
    except OSError:
        return None
    with suppress(OSError):  # the file may belong to somebody else
        path.chmod(0o600)
    return key if len(key) == KEY_BYTES else None
