"""A visitor's own files: a preview of what they hold, what is made of it, and then the data set.

Nothing is taken before the visitor says so, and what he had stays until then.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from datetime import datetime
from typing import IO, Any

import pandas as pd
import streamlit as st

import mrwtd
from mrwtd.data.guessing import guess
from mrwtd.data.readers import formats, read, read_table, readers
from mrwtd.data.readers.attributes import describes_objects
from mrwtd.data.readers.source import Source
from mrwtd.data.relations import KINDS
from mrwtd.data.samples import about, load_dataset
from mrwtd.data.table import Table

from . import datasets, frame, keys, live, session
from .folds import fold
from .settings import Settings
from .words import counted, plain

MEANINGS: dict[str, str | int] = {
    "not known": "unobserved",
    "no tie, or 0": "negative",
    "no tie, a sample of 5 a tie": 5,
}
"""What a pair that a file does not list can mean, in the words of the page."""

TEMPLATE = """source,relation,target,value
ann,friends,bob,1
ann,friends,cat,0
bob,calls,cat,12
cat,rating,ann,3.5
"""

PREVIEWED = 8
"""Rows of a preview."""

MIT = ("reality-mining", "social-evolution")


def section() -> None:
    """Drop files, look at what they hold, change what was guessed, and use them."""
    asked = session.settings().get("data.upload") is not None
    with st.expander("Upload your own", icon=":material/upload_file:", expanded=asked):
        _upload()


def _upload() -> None:
    says, takes = st.columns([3, 1], vertical_alignment="bottom")
    says.caption("CSV, TSV, Excel, Parquet, MATLAB, NumPy, GraphML, GEXF, GML, Pajek, UCINET, multinet; also zipped.")
    takes.download_button(
        "Template (CSV)", TEMPLATE, "template.csv", "text/csv", icon=":material/download:", type="tertiary",
        on_click="ignore", help="Four rows that show how a file can look: a row a pair, a column for the relation",
    )  # fmt: skip
    endings = sorted({ending for reader in readers() for ending in reader.extensions} | {"gz"})
    left, right = st.columns([3, 2])
    files = left.file_uploader(
        "Relations: one file, or one a relation", type=endings, accept_multiple_files=True, key=keys.FILE
    )
    attributes = right.file_uploader(
        "Attributes of the objects (optional)", type=["csv", "tsv", "gz"], key=keys.ATTRIBUTES,
        help="A CSV with the object first, then group, role or whatever else is known: for colours and orders",
    )  # fmt: skip
    files = list({file.name: file for file in files or ()}.values())  # a mended file takes its old one's place
    if not files:
        return
    try:
        if attributes is None:
            files, attributes = apart(files)
        found = table(files)
        _preview(found)
        chosen = _choices(found)
        if st.button("Use this data", type="primary", icon=":material/check:"):
            _use(files, attributes, chosen)
    except mrwtd.DataError as error:
        frame.problem(error)
        st.caption("Mend the file and drop it again. The data set that you had is still in use.")


def table(files: Sequence[Any]) -> Table:
    """What the files say, read once."""
    return _table(tuple(file.file_id for file in files), joined(files))


@st.cache_resource(show_spinner="Reading …", max_entries=4)
def _table(ids: tuple[str, ...], _file: IO[bytes]) -> Table:  # noqa: ARG001
    return read_table(_file)


def apart(files: Sequence[Any]) -> tuple[list[Any], Any]:
    """Of several files those with ties, and the one that describes objects, where one was dropped along with them."""
    describing = [file for file in files if len(files) > 1 and describes_objects(Source(file.name, file.getvalue()))]
    if len(describing) != 1:
        return list(files), None
    st.caption(f"{plain(describing[0].name)} is read as attributes of the objects.")
    return [file for file in files if file is not describing[0]], describing[0]


def joined(files: Sequence[Any]) -> Any:
    """One file as it is; several as a zip of them, which is how formats of a file a relation come."""
    if len(files) == 1:
        files[0].seek(0)
        return files[0]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for file in files:
            archive.writestr(file.name, file.getvalue())
    buffer.seek(0)
    buffer.name = "files.zip"
    return buffer


def _preview(found: Table) -> None:
    st.markdown(
        f"**Found**: {plain(formats()[found.format])}. "
        f"{counted(len(found.objects), len(found.relations))}, {len(found.i):,} rows."
    )
    rows = slice(0, PREVIEWED)
    shown = pd.DataFrame(
        {
            "source": [found.objects[i] for i in found.i[rows]],
            "relation": [found.relations[k] for k in found.k[rows]],
            "target": [found.objects[j] for j in found.j[rows]],
        }
    )
    for name, column in (("value", found.values), ("weight", found.weights)):
        if column is not None:
            shown[name] = column[rows]
    with st.expander(f"The first {len(shown)} rows, as they were understood", expanded=len(found.relations) <= 4):
        st.dataframe(shown, hide_index=True, height="content", alt="The first rows of the file")
        for note in found.notes:
            st.caption(plain(note))


def _choices(found: Table) -> dict[str, Any]:
    """The table of what each relation is, with the guesses to change; gives what `mrwtd.read` takes."""
    guesses = guess(found)
    words = list(MEANINGS)
    listed = found.values is None or bool((found.values[~pd.isna(found.values)] != 0).all())
    rows = pd.DataFrame(
        {
            "kind": [one.kind for one in guesses],
            "directed": [one.directed for one in guesses],
            "absent": words[0],
            "why": [f"{one.kind_reason}; {one.directed_reason}" for one in guesses],
        },
        index=pd.Index([one.name for one in guesses], name="relation"),
    )
    edited = st.data_editor(
        rows,
        key=keys.GUESSES,
        height="content" if len(rows) <= 6 else 260,
        disabled=["relation", "why"],
        column_config={
            "kind": st.column_config.SelectboxColumn("kind", options=list(KINDS), required=True, width=90),
            "directed": st.column_config.CheckboxColumn("directed", help="Whether a → b differs from b → a", width=75),
            "absent": st.column_config.SelectboxColumn(
                "a pair not listed is", options=words, required=True, width=150,
                help="Never guessed: only you know whether a pair was left out because there is no tie",
            ),
            "why": st.column_config.TextColumn("why this guess"),
        },
        alt="What each relation is taken for",
    )  # fmt: skip
    if listed and set(edited["absent"]) == {words[0]}:
        st.info(
            "The file lists ties only. With nothing known of the other pairs there is little to learn from: say above "
            "what a pair means that is not listed.",
            icon=":material/lightbulb:",
        )
    return how(rows, edited)


def how(guessed: pd.DataFrame, chosen: pd.DataFrame) -> dict[str, Any]:
    """The arguments of `mrwtd.read` that make the table's choices: those that differ from the guesses.

    >>> rows = pd.DataFrame({"kind": ["binary"], "directed": [True], "absent": ["not known"]}, index=["likes"])
    >>> how(rows, rows.assign(directed=False, absent="no tie, or 0"))
    {'directed': {'likes': False}, 'absent': 'negative'}
    """
    arguments: dict[str, Any] = {}
    for argument, column in (("kinds", "kind"), ("directed", "directed")):
        changed = chosen[column][chosen[column] != guessed[column]]
        if len(changed):
            arguments[argument] = {str(name): value for name, value in changed.items()}
    if "directed" in arguments:
        arguments["directed"] = {name: bool(value) for name, value in arguments["directed"].items()}
    meanings = {str(name): MEANINGS[word] for name, word in chosen["absent"].items()}
    if len(set(meanings.values())) == 1:
        meaning = next(iter(meanings.values()))
        return arguments | ({} if meaning == "unobserved" else {"absent": meaning})
    return arguments | {"absent": {name: meaning for name, meaning in meanings.items() if meaning != "unobserved"}}


def _use(files: Sequence[Any], attributes: Any, chosen: dict[str, Any]) -> None:
    if attributes is not None:
        attributes.seek(0)
    data = read(joined(files), **chosen, attributes=attributes)
    told = dict(chosen) | ({} if attributes is None else {"attributes": attributes.name})
    name = datasets.keep(data, [file.name for file in files], **told)
    session.change(data=name)
    session.note(f"{datasets.title(name)} is in use now: {counted(data.n_objects, data.n_relations)}.")
    st.rerun()


def own_section() -> None:
    """The visitor's own data sets, each of which he can remove; nothing where he has none."""
    own = [name for name in datasets.names() if datasets.is_own(name)]
    if not own:
        return
    with st.expander(f"Your data sets ({len(own)})", icon=":material/folder:"):
        for name in own:
            _own(name)


def _own(name: str) -> None:
    told, runs = datasets.own(name), datasets.runs_of(name)
    says, does = st.columns([4, 1], vertical_alignment="center")
    when = f"uploaded {datetime.fromisoformat(told['kept']):%d %B %Y, %H:%M} UTC, " if "kept" in told else ""
    says.markdown(f"**{plain(datasets.files_of(told))}**  \n{when}{_number_of(len(runs))}")
    with does.popover("", icon=":material/delete:", type="tertiary", help=f"Remove {plain(datasets.files_of(told))}"):
        if live.busy(subject=name) is not None:
            st.markdown("A training on it goes on. Let it end, or cancel it, before you remove the data set.")
            return
        lost = (
            f" So are the {_number_of(len(runs))} made from it, which cannot be opened without it. Export from the "
            "history first what you want to keep: an exported run has its data in it."
            if runs
            else ""
        )
        st.markdown(f"**{plain(datasets.files_of(told))}** is removed from this server for good.{lost}")
        button = f"Remove it and {_number_of(len(runs))}" if runs else "Remove it"
        st.button(button, key=f"remove-{name}", type="primary", on_click=_remove, args=(name,))


def _number_of(runs: int) -> str:
    return f"{runs or 'no'} run{'' if runs == 1 else 's'}"


def _remove(name: str) -> None:
    file = datasets.own(name)["file"]
    datasets.remove(name)
    if session.settings().data == name:
        session.change(data=Settings.data)
    session.note(f"{file} was removed.")


def mit_section() -> None:
    """The paper's two sets that may not be passed on: where to get them, and the upload that takes them."""
    with fold("MIT Reality Mining and Social Evolution", "mit", icon=":material/school:") as open_:
        if open_:
            _mit()


def _mit() -> None:
    for name in MIT:
        told = about(name)
        st.markdown(f"**{plain(told.title)}**. {told.question}")
        st.caption(
            f"{plain(told.citation)} Their terms forbid passing the files on: apply for them at "
            "[realitycommons.media.mit.edu](http://realitycommons.media.mit.edu), and drop the zip, or its files, here."
        )
        files = st.file_uploader(f"Files of {told.title}", accept_multiple_files=True, key=keys.MIT + name)
        if files and st.button(f"Use {told.title}", key=f"use-{name}"):
            try:
                data = load_dataset(name, folder=joined(files))
            except mrwtd.DataError as error:
                frame.problem(error)
                st.caption("The data set that you had is still in use.")
                continue
            session.change(data=datasets.keep(data, [f"{name}.zip"]))
            st.rerun()
