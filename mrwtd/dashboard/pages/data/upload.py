"""A visitor's own files: a preview of what they hold, what is made of it, and then the data set.

Nothing is taken before the visitor says so, and what he had stays until then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

import mrwtd

from ....data.readers import list_formats
from ....data.table import Table
from ...shell import page
from ...state import keys, session, user_datasets
from ...widgets import lazy_expander
from ...widgets.formatting import dataset_size, escape_markdown, pluralize, summarize_names
from . import schema_editor, upload_reader

TEMPLATE = """source,relation,target,value
ann,friends,bob,1
ann,friends,cat,0
bob,calls,cat,12
cat,rating,ann,3.5
"""

PREVIEWED = 8
"""Rows of a preview."""

DUPLICATES = {
    "error": "is refused",
    "mean": "gets their mean",
    "max": "gets the largest (max)",
    "last": "gets the last",
}
"""What can become of a pair that is listed with different values, in the words of the page."""


def section() -> None:
    """Drop files, look at what they hold, change what was guessed, and use them."""
    own = key(keys.FILE)
    there = bool(st.session_state.get(own)) or own in st.session_state.get(keys.DROPPED, {})
    begin = there or session.settings().get("data.upload") is not None
    with lazy_expander.lazy_expander("Upload your own", "upload", icon=":material/upload_file:", expanded=begin):
        _upload()


def key(name: str) -> str:
    """The key of a widget of uploads, which begins anew after each that was taken."""
    return f"{name}-{st.session_state.get(keys.UPLOADS, 0)}"


def begin_anew(fold: str) -> None:
    """Empty all fields for uploads and forget what was chosen with them, once they have served."""
    st.session_state[keys.UPLOADS] = st.session_state.get(keys.UPLOADS, 0) + 1
    for name in (keys.CHOICES, keys.CHANGES, keys.DROPPED):
        st.session_state.pop(name, None)
    lazy_expander.reset(fold)


def _upload() -> None:
    files, attributes = _fields()
    if not files:
        return
    remedy = "Mend the file and drop it again."
    try:
        if attributes is None:
            files, attributes = upload_reader.apart(files)
        wanted = _format(upload_reader.detected(files))
        remedy = "Mend what is told and drop it again, or choose another format."
        table = upload_reader.table(files, wanted)
        _preview(table)
        how: dict[str, Any] = ({"format": wanted} if wanted else {}) | schema_editor.choose(table)
        how |= _duplicates(upload_reader.contradictions(files, wanted, how.get("directed")))
        remedy = "Choose otherwise above, or mend the file and drop it again."
        data, lonely, beside = upload_reader.build_data(files, wanted, attributes, how)
        for note in beside:
            st.caption(escape_markdown(note))
        _hint(lonely)
        if st.button("Use this data", type="primary", icon=":material/check:"):
            _use(data, files, how | ({} if attributes is None else {"attributes": attributes.name}))
    except mrwtd.DataError as error:
        page.show_data_error(_of(error, files))
        st.caption(f"{remedy} The data set that you had is still in use.")


def _fields() -> tuple[list[Any], Any]:
    """The files that were dropped: those with relations, and the one with attributes."""
    says, takes = st.columns([3, 1], vertical_alignment="bottom")
    says.caption("CSV, TSV, Excel, Parquet, MATLAB, NumPy, GraphML, GEXF, GML, Pajek, UCINET, multinet; also zipped.")
    takes.download_button(
        "Template (CSV)", TEMPLATE, "template.csv", "text/csv", icon=":material/download:", type="tertiary",
        on_click="ignore", help="Four rows that show how a file can look: a row a pair, a column for the relation",
    )  # fmt: skip
    left, right = st.columns([3, 2])
    # Of any ending: what is wrong with a file, and what would be right, our own message says better than Streamlit's.
    with left:
        own = key(keys.FILE)
        dropped = _held(
            own,
            st.file_uploader(
                "Relations: one file, or one a relation", accept_multiple_files=True, key=own,
                on_change=_let_go, args=(own,),
            ),
        )  # fmt: skip
    with right:
        own = key(keys.ATTRIBUTES)
        attributes = _held(
            own,
            st.file_uploader(
                "Attributes of the objects (optional)", type=["csv", "tsv", "txt", "xlsx", "gz"], key=own,
                help="A CSV, or an Excel sheet: the object first, then group, role or what else is known, to colour "
                "and order", on_change=_let_go, args=(own,),
            ),
        )  # fmt: skip
    files = {file.name: file for file in dropped or ()}  # a mended file takes its old one's place
    if len(files) < len(dropped or ()):
        names = [file.name for file in dropped]
        twice = [name for name in files if names.count(name) > 1]
        st.caption(f"Dropped more than once: {escape_markdown(', '.join(twice))}. The last one is read.")
    return list(files.values()), attributes


def _held(field: str, given: Any) -> Any:
    """What a field holds, or what it held when the visitor went to another page, which empties it."""
    held = st.session_state.setdefault(keys.DROPPED, {})
    if given:
        held[field] = given
    elif field in held:
        names = [file.name for file in (held[field] if isinstance(held[field], list) else [held[field]])]
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(
                f"Still here: {escape_markdown(summarize_names(names))}. A new drop replaces "
                f"{'it' if len(names) == 1 else 'them'}."
            )
            st.button("Remove", key=f"remove-{field}", type="tertiary", on_click=_let_go, args=(field,))
    return given or held.get(field)


def _let_go(field: str) -> None:
    st.session_state.get(keys.DROPPED, {}).pop(field, None)


def _format(found: str | None) -> str | None:
    """The menu of formats, with the one that was found first; None leaves it at that."""
    about = list_formats()
    words = {"": f"Found: {about[found]}" if found else "No known format"} | about
    return _menu("Format", "format", words) or None


def _duplicates(rows: int) -> dict[str, str]:
    if not rows:
        return {}
    label = f"A pair that is listed more than once with different values ({pluralize(rows, 'row')})"
    chosen = _menu(label, "duplicates", DUPLICATES)
    return {} if chosen == "error" else {"duplicates": chosen}


def _menu(label: str, name: str, words: Mapping[str, str]) -> str:
    """A menu that begins with the first of its options, and whose choice outlives a file that cannot be read."""
    own, choices = key(f"{keys.CHOICES}-{name}"), st.session_state.setdefault(keys.CHOICES, {})
    st.session_state[own] = choices.get(name, next(iter(words)))

    def take() -> None:
        choices[name] = st.session_state[own]

    st.selectbox(label, list(words), format_func=lambda one: words[one], key=own, on_change=take)
    return str(st.session_state[own])


def _preview(found: Table) -> None:
    st.markdown(f"{dataset_size(len(found.objects), len(found.relations))}, {pluralize(len(found.i), 'row')}.")
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
    first = "The first row, as it was" if len(shown) == 1 else f"The first {len(shown)} rows, as they were"
    with st.expander(f"{first} understood", expanded=len(found.relations) <= 4):
        st.dataframe(
            shown,
            hide_index=True,
            height="content",
            column_config={
                "value": st.column_config.NumberColumn(help="As it was understood, in the unit of the file"),
                "weight": st.column_config.NumberColumn(help="How much the entry counts in training: 1 is the usual"),
            },
            alt="The first rows of the file",
        )
        for note in found.notes:
            st.caption(escape_markdown(note))


def _hint(lonely: Sequence[str]) -> None:
    if lonely:
        st.info(
            f"Nothing but ties is listed in {escape_markdown(summarize_names(lonely))}. With nothing known of "
            "the other pairs there is "
            "little to learn from: say in the table what a pair means that is not listed.",
            icon=":material/lightbulb:",
        )


def _of(error: mrwtd.DataError, files: Sequence[Any]) -> mrwtd.DataError:
    """The error with the names of the files in place of the zip that they were put into."""
    if error.file != user_datasets.ZIP:
        return error
    return mrwtd.DataError(error.problems, file=summarize_names([file.name for file in files]), total=error.total)


def _use(data: mrwtd.RelationalData, files: Sequence[Any], how: Mapping[str, Any]) -> None:
    notes = schema_editor.notes(how, [relation.name for relation in data.relations])
    if "duplicates" in how:
        notes.append(f"A pair that is listed more than once {DUPLICATES[how['duplicates']]}, as you chose.")
    use(user_datasets.save(data, [file.name for file in files], notes=notes, **how), data, "upload")


def use(name: str, data: mrwtd.RelationalData, fold: str) -> None:
    """Go over to a data set that was just kept, and draw the page anew with empty fields."""
    session.change(**{"data": name, "data.upload": ""})
    session.add_message(
        f"In use now: {user_datasets.display_name(name)}, {dataset_size(data.n_objects, data.n_relations)}.",
        success=True,
    )
    begin_anew(fold)
    st.rerun()
