"""Runs that their owners share by link: one file per link, beside the folders of the workspaces.

A link contains a secret token, and anyone who has it can see the run. The file of a link contains the name of the
workspace's folder and the id of the run, so a link gives access to nothing else. Files are named by a hash of the
token, so that a list of file names opens no run.
"""

import hmac
import json
import re
import secrets
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from ..runs.drafts import write_text
from ..runs.file_checks import file_state, is_id, read_json
from ..runs.quota import RUNS, names_in
from ..runs.storage_error import as_storage_error

FOLDER = ".shared"
"""The folder of the links, in the folder of the workspaces. Its name is hidden, as it is no workspace."""

TOKEN_BYTES = 24
"""Random bytes of a token. 16 would be enough that nobody can guess one."""

_TOKEN = re.compile(r"[A-Za-z0-9_-]{32}")
_WORKSPACE = re.compile(r"[A-Za-z0-9_-]{1,200}")


@dataclass(frozen=True)
class Publication:
    """A run that is shared by link.

    Attributes:
        token: the secret in the link.
        workspace: the name of the folder of the owner's workspace.
        run: the id of the run.
        with_data: whether readers may copy the data set, if it was uploaded.
    """

    token: str
    workspace: str
    run: str
    with_data: bool = False

    @property
    def is_valid(self) -> bool:
        """Whether all attributes have the form that `publish` gives them, so that they are safe as parts of paths."""
        patterns = ((_TOKEN, self.token), (_WORKSPACE, self.workspace))
        names = all(isinstance(text, str) and pattern.fullmatch(text) for pattern, text in patterns)
        return names and is_id(self.run) and isinstance(self.with_data, bool)


class Publications:
    """The shared runs of all workspaces in a folder.

    >>> import tempfile
    >>> publications = Publications(Path(tempfile.mkdtemp()))
    >>> token = publications.publish("5e88", "18f-2a").token
    >>> publications.find(token).run, publications.find("guessed"), len(token)
    ('18f-2a', None, 32)
    >>> publications.revoke("5e88", "18f-2a")
    >>> publications.find(token) is None
    True
    """

    def __init__(self, workspaces: Path):
        self.workspaces = workspaces
        self._folder = workspaces / FOLDER

    def publish(self, workspace: str, run: str, *, with_data: bool = False) -> Publication:
        """Share a run. One that is shared already keeps its link."""
        known = self.of_workspace(workspace).get(run)
        token = known.token if known else secrets.token_urlsafe(TOKEN_BYTES)
        publication = Publication(token, workspace, run, with_data)
        if not publication.is_valid:
            raise ValueError("not the name of a workspace, or not the id of a run")
        if publication != known:
            write_text(self._file(token), json.dumps(asdict(publication), indent=1))
        return publication

    def find(self, token: str) -> Publication | None:
        """The publication of a link, or None if there is none: a token that was never issued, or was revoked."""
        if not _TOKEN.fullmatch(token):
            return None
        publication = _read(self._file(token))
        return publication if publication and hmac.compare_digest(publication.token, token) else None

    def revoke(self, workspace: str, run: str) -> None:
        """Stop sharing a run. Its link cannot be used again."""
        for publication in self._all():
            if (publication.workspace, publication.run) == (workspace, run):
                self._delete(publication)

    def of_workspace(self, workspace: str) -> dict[str, Publication]:
        """The publications of a workspace, by the id of the run.

        >>> import tempfile
        >>> publications = Publications(Path(tempfile.mkdtemp()))
        >>> _ = publications.publish("5e88", "18f-2a", with_data=True)
        >>> _ = publications.publish("7d70", "18f-3b")
        >>> {run: publication.with_data for run, publication in publications.of_workspace("5e88").items()}
        {'18f-2a': True}
        """
        return {item.run: item for item in self._all() if item.workspace == workspace}

    def remove_stale(self) -> int:
        """Delete the links to runs that do not exist any more; return their number.

        >>> import tempfile
        >>> publications = Publications(Path(tempfile.mkdtemp()))
        >>> _ = publications.publish("5e88", "18f-2a")
        >>> publications.remove_stale(), publications.remove_stale()
        (1, 0)
        """
        stale = [item for item in self._all() if not (self.workspaces / item.workspace / RUNS / item.run).is_dir()]
        for publication in stale:
            self._delete(publication)
        return len(stale)

    def _all(self) -> list[Publication]:
        items = (_read(self._folder / name) for name in names_in(self._folder))
        return [item for item in items if item is not None]

    def _delete(self, publication: Publication) -> None:
        with as_storage_error():
            self._file(publication.token).unlink(missing_ok=True)

    def _file(self, token: str) -> Path:
        return self._folder / f"{sha256(token.encode()).hexdigest()}.json"


def _read(file: Path) -> Publication | None:
    """The publication in a file; None if there is none, or it is damaged."""
    state = file_state(str(file))
    return _read_once(file, state) if state else None


@lru_cache(maxsize=10_000)
def _read_once(file: Path, state: tuple[int, ...]) -> Publication | None:  # noqa: ARG001 - part of the cache key
    try:
        content = read_json(file)
        publication = Publication(**{item.name: content[item.name] for item in fields(Publication)})
    except (KeyError, ValueError):
        return None
    return publication if publication.is_valid else None
