"""What a visitor has uploaded: a list from which he can remove it, and the field for the sets that he has to bring."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

import mrwtd

from ....data.datasets.samples import dataset_info, load_dataset
from ....runs import Damaged
from ...jobs import job_status
from ...shell import page
from ...state import keys, session, user_datasets
from ...state.settings import UPLOAD_PREFIX, Settings
from ...widgets.formatting import escape_markdown, pluralize
from ...widgets.lazy_expander import lazy_expander
from . import upload, upload_reader

MIT = ("reality-mining", "social-evolution")


def section() -> None:
    """The visitor's own data sets, each of which he can remove; nothing where he has none."""
    own, broken = [name for name in user_datasets.names() if user_datasets.is_uploaded(name)], user_datasets.damaged()
    if not own and not broken:
        return
    with st.expander(f"Your data sets ({len(own) + len(broken)})", icon=":material/folder:"):
        for item in broken:
            _damaged(item)
        for name in own:
            _own(name)


def _damaged(item: Damaged) -> None:
    """A data set that cannot be opened: all that can be done is to delete it."""
    says, does = st.columns([4, 1], vertical_alignment="center")
    says.markdown(f"**{escape_markdown(item.name or item.id[:12])}** · damaged  \n{escape_markdown(item.reason)}")
    runs = len(user_datasets.runs_of(UPLOAD_PREFIX + item.id))
    lost = f"Deletes the {pluralize(runs, 'run')} made from it, too" if runs else None
    does.button(
        "Delete", key=f"remove-{UPLOAD_PREFIX}{item.id}", type="tertiary", help=lost, on_click=_delete, args=(item,)
    )


def _delete(item: Damaged) -> None:
    user_datasets.delete(UPLOAD_PREFIX + item.id)
    session.add_message(f"Deleted: {item.name or item.id[:12]}.", success=True)


def _own(name: str) -> None:
    told, runs, called = (
        user_datasets.upload_info(name),
        user_datasets.runs_of(name),
        escape_markdown(user_datasets.display_name(name)),
    )
    made = pluralize(len(runs), "run")
    says, does = st.columns([4, 1], vertical_alignment="center")
    facts = [
        *([str(told["size"])] if "size" in told else []),
        *([f"uploaded {datetime.fromisoformat(told['kept']):%d %B %Y, %H:%M} UTC"] if "kept" in told else []),
        made,
    ]
    mark = " · in use" if name == session.settings().data else ""
    says.markdown(f"**{called}**{mark}  \n{escape_markdown(', '.join(facts))}")
    with does.popover("", icon=":material/delete:", type="tertiary", help=f"Remove {called}"):
        if job_status.active_job(subject=name) is not None:
            st.markdown("A training on it goes on. Let it end, or cancel it, before you remove the data set.")
            return
        lost = (
            f" So {'is' if len(runs) == 1 else 'are'} the {made} made from it, which cannot be opened without it. "
            "Export from the history first what you want to keep: an exported run has its data in it."
            if runs
            else ""
        )
        st.markdown(f"**{called}** is removed from this server for good.{lost}")
        button = f"Remove it and {made}" if runs else "Remove it"
        st.button(button, key=f"remove-{name}", type="primary", on_click=_remove, args=(name,))


def _remove(name: str) -> None:
    called = user_datasets.display_name(name)
    user_datasets.delete(name)
    if session.settings().data == name:
        session.change(data=Settings.data)
    session.add_message(f"Removed: {called}.", success=True)


def mit_section() -> None:
    """The paper's two sets that may not be passed on: where to get them, and the upload that takes them."""
    with lazy_expander("MIT Reality Mining and Social Evolution", "mit", icon=":material/school:") as open_:
        if open_:
            _mit()


def _mit() -> None:
    for name in MIT:
        told = dataset_info(name)
        st.markdown(f"**{escape_markdown(told.title)}**. {told.question}")
        st.caption(
            f"{escape_markdown(told.citation)} Their terms forbid passing the files on: apply for them at "
            "[realitycommons.media.mit.edu](http://realitycommons.media.mit.edu), and drop the zip, or its files, here."
        )
        files = st.file_uploader(f"Files of {told.title}", accept_multiple_files=True, key=upload.key(keys.MIT + name))
        if files and st.button(f"Use {told.title}", key=f"use-{name}"):
            try:
                data = load_dataset(name, folder=upload_reader.joined(files))
            except mrwtd.DataError as error:
                page.show_data_error(error)
                st.caption("The data set that you had is still in use.")
                continue
            upload.use(user_datasets.save(data, [file.name for file in files], dataset=name), data, "mit")
