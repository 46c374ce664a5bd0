"""Runs that are shared by link: those of the user, and the one of another user that this session shows.

A reader has the token of a link, which is checked whenever a page is drawn. It gives access to one run and its data,
and to nothing else in the owner's workspace.
"""

from dataclasses import dataclass

import streamlit as st

from ...hosting.publications import Publication, Publications
from ...runs import Run, Workspace
from .. import navigation
from ..jobs.training import dataset_name
from . import current_user, keys
from .settings import Settings

NO_LINK = (
    "The link to a shared run does not work: the run is not shared any more, or a part of the link is missing. "
    "Ask its owner for a new link."
)
DELETED = "The shared run is not here any more: its owner has deleted it. Ask for a link to another run."
DAMAGED = "The shared run is damaged and cannot be opened. Ask its owner for a link to another run."


@dataclass(frozen=True)
class SharedRun:
    """A run that is shared by link.

    Attributes:
        run: the run, in the workspace of its owner.
        space: the workspace of the owner, of which pages show this run and its data only.
        with_data: whether readers may copy the data set.
    """

    run: Run
    space: Workspace
    with_data: bool

    @property
    def data(self) -> str:
        """The name of the data set in the dashboard."""
        return dataset_name(self.run.spec)

    @property
    def is_own(self) -> bool:
        """Whether the user has shared it, and looks at what readers see."""
        return self.space.folder == current_user.workspace().folder


def current() -> SharedRun | None:
    """The shared run that this session shows."""
    settings: Settings = st.session_state.get(keys.SETTINGS, Settings())
    return find(settings.shared) if settings.shared else None


def find(token: str) -> SharedRun | None:
    """The run behind a link, or None if it was deleted or is not shared; `problem` tells which."""
    publication = _publications().find(token)
    if publication is None:
        return None
    space = Workspace(_publications().workspaces / publication.workspace)
    run = space.run(publication.run)
    return None if run is None else SharedRun(run, space, publication.with_data)


def problem(token: str) -> str:
    """Why a link does not work; empty if it does."""
    if find(token) is not None:
        return ""
    return NO_LINK if _publications().find(token) is None else DELETED


def is_shown(run: Run) -> bool:
    """Whether a run is the shared one that this session shows."""
    shared = current()
    return shared is not None and shared.run.folder == run.folder


def own_publications() -> dict[str, Publication]:
    """The runs that the user shares, by id."""
    return _publications().of_workspace(_folder_name())


def publish(run_id: str, *, with_data: bool = False) -> None:
    """Share a run of the user by link, or change whether its data is shared too."""
    _publications().publish(_folder_name(), run_id, with_data=with_data)


def revoke(run_id: str) -> None:
    """Stop sharing a run of the user."""
    _publications().revoke(_folder_name(), run_id)


def link(publication: Publication) -> str:
    """The URL that opens a shared run, on the page with the results of the training."""
    return link_from(st.context.url or "", publication.token)


def link_from(url: str, token: str) -> str:
    """The URL that opens a shared run, from the URL of any page of the dashboard.

    >>> link_from("https://example.org/mrwtd/Compare", "token")
    'https://example.org/mrwtd/Train?shared=token'
    >>> link_from("https://example.org/mrwtd/", "token")
    'https://example.org/mrwtd/Train?shared=token'
    """
    pages, (base, _, last) = navigation.pages(), url.rstrip("/").rpartition("/")
    if last not in {page.url_path for page in pages.values()}:  # that of the first page
        base = url.rstrip("/")
    return f"{base}/{pages['train'].url_path}?shared={token}"


def _folder_name() -> str:
    return current_user.workspace().folder.name


def _publications() -> Publications:
    """The links of all users. On a server that stores nothing, they end with the sessions of their owners."""
    return Publications(current_user.workspace().folder.parent)
