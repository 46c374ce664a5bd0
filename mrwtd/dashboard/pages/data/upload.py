"""Upload your data: choose files, check a preview and the guessed schema, and use them.

Nothing is stored before the user clicks "Use this data". Until then the previous data set stays in use.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

import mrwtd

from ....data.readers import list_formats
from ....data.readers.source import ARCHIVE
from ....hosting.upload_worker import Preview
from ...shell import page
from ...state import keys, session, user_datasets
from ...widgets import figures, lazy_expander
from ...widgets.formatting import dataset_size, escape_markdown, pluralize, summarize_names
from ...widgets.waiting import Waiting
from . import column_chooser, schema_editor, typed_network, upload_reader
from . import data_texts as texts

TEMPLATE = """source,relation,target,value
ann,friends,bob,1
ann,friends,cat,0
bob,calls,cat,12
cat,rating,ann,3.5
"""

MAX_PERIODS = 100
"""The largest number of periods that the page offers: more relations are not readable on a page."""


def render() -> bool:
    """Draw the section, opened if it holds files or if a link asks for it. Returns whether it holds files."""
    field = widget_key(keys.FILE)
    has_files = bool(st.session_state.get(field)) or field in st.session_state.get(keys.DROPPED, {})
    opened = has_files or session.settings().get("data.upload") is not None
    with lazy_expander.lazy_expander(texts.UPLOAD_TITLE, "upload", icon=":material/upload_file:", expanded=opened):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            way = st.segmented_control(
                "Data", (texts.UPLOAD_FILES, texts.TYPE_TITLE), default=texts.UPLOAD_FILES, required=True,
                key=widget_key("way"), label_visibility="collapsed", persist_state="session",
            )  # fmt: skip
            is_typed = way == texts.TYPE_TITLE
            if not is_typed:
                figures.download("Template (CSV)", TEMPLATE, "template.csv", "text/csv", help=texts.TEMPLATE_HELP)
        files, attributes = (typed_network.render(widget_key("table")), None) if is_typed else _files()
        if files and (chosen := read_files(files, attributes)) is not None:
            _save(files, attributes, chosen)
    return bool(files)


def widget_key(name: str) -> str:
    """The key of an upload widget. It changes after each upload that is used, which empties the widget."""
    return f"{name}-{st.session_state.get(keys.UPLOADS, 0)}"


def _files() -> tuple[list[Any], Any]:
    """The uploaded files with relations, and the one with attributes."""
    left, right = st.columns([3, 2])
    with left:  # any suffix: our messages explain better than Streamlit's what is wrong with a file
        uploaded = file_field(keys.FILE, texts.RELATIONS_LABEL, accept_multiple_files=True) or []
    with right:
        attributes = _attributes(frozenset(file.name for file in uploaded))
    if not uploaded:
        st.caption(texts.FORMATS)
    repeated = [name for name, count in Counter(file.name for file in uploaded).items() if count > 1]
    if repeated:
        st.caption(f"Uploaded more than once: {escape_markdown(', '.join(repeated))}. The last one is read.")
    return list({file.name: file for file in uploaded}.values()), attributes


def _attributes(names: frozenset[str]) -> Any:
    """The file with attributes. The field empties when other files replace those that it was uploaded for.

    Attributes would join other objects by equal numbers. A file of the same name is the same one, perhaps fixed.
    """
    described, count = st.session_state.get(keys.DESCRIBED, (frozenset(), 0))
    if names and described and described.isdisjoint(names):
        described, count = names, count + 1
    attributes = attributes_field(f"{keys.ATTRIBUTES}-{count}")
    st.session_state[keys.DESCRIBED] = (names if attributes is None else described or names), count
    return attributes


def attributes_field(name: str) -> Any:
    """The file uploader for attributes of the objects."""
    suffixes = ["csv", "tsv", "txt", "xlsx", "gz"]
    return file_field(name, texts.ATTRIBUTES_LABEL, type=suffixes, help=texts.ATTRIBUTES_HELP)


def file_field(name: str, label: str, **options: Any) -> Any:
    """A file uploader that keeps its files while the user visits another page, which empties Streamlit's."""
    field, stored = widget_key(name), st.session_state.setdefault(keys.DROPPED, {})
    files = st.file_uploader(label, key=field, on_change=_forget_files, args=(field,), **options)
    if files:
        stored[field] = files
    elif field in stored:
        names = [file.name for file in (stored[field] if isinstance(stored[field], list) else [stored[field]])]
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"Still here: {escape_markdown(summarize_names(names))}. A new upload replaces this.")
            st.button("Remove", key=f"remove-{field}", type="tertiary", on_click=_forget_files, args=(field,))
    return stored.get(field)


def _forget_files(field: str) -> None:
    upload_reader.close()  # its process may be at work or hold the rows of a large file
    st.session_state.get(keys.DROPPED, {}).pop(field, None)


@dataclass(frozen=True)
class Chosen:
    """Data that the user has chosen to use, and the options of `mrwtd.read` for it."""

    data: mrwtd.RelationalData
    options: Mapping[str, Any]


def read_files(
    files: Sequence[Any], attributes: Any, before: Mapping[str, Any] | None = None, store: str = keys.CHANGES
) -> Chosen | None:
    """Draw the format, the preview and the schema of files, and the button that uses them.

    Args:
        files: files with relations, as Streamlit gives them.
        attributes: a file with attributes, or None.
        before: how the files are read now, if they are already in use.
        store: the key of the changes of the schema.

    Returns:
        The data if the user has clicked the button.
    """
    fix, waiting, is_typed = texts.FIX_FILE, Waiting(), isinstance(files[0], typed_network.TypedFile)
    earlier = before or {}
    try:
        reader = upload_reader.reader(files, attributes, waiting)
        detected = reader.detected
        if detected.only_attributes and not is_typed:
            st.info(texts.LOOKS_LIKE_ATTRIBUTES.format(escape_markdown(files[0].name)), icon=":material/lightbulb:")
        row = st.container(horizontal=True, vertical_alignment="bottom", key=f"reading-options-{store}")
        if is_typed:
            chosen, columns = None, files[0].columns
        else:
            formats = list_formats()
            first = f"Detected: {formats[detected.format]}" if detected.format else "No known format"
            with row:
                chosen = _menu("Format", "format", {"": first} | formats, store, earlier.get("format", "")) or None
            fix = texts.FIX_FILE_OR_FORMAT
            in_use = earlier.get("columns")
            columns = column_chooser.render(reader, detected.format, row, in_use) if chosen is None else None
        if columns is not None and not column_chooser.is_complete(columns):
            waiting.clear()
            st.caption(f"{texts.NO_ENDS} {texts.STILL_IN_USE}")
            return None
        preview = reader.preview(chosen, None, columns)
        below = st.container(horizontal=True, vertical_alignment="bottom")
        with row if columns is None or is_typed else below:
            periods = _periods(store, earlier.get("periods", 1)) if preview.has_times else None
            pairs = _pairs(preview, store, earlier)
        preview = reader.preview(chosen, periods, columns, pairs)
        with below:
            _preview(preview, "row" if columns is None else "tie")
        options = schema_editor.render(preview.schema, store=store) | pairs
        options |= {"columns": columns} if columns else {}
        options |= {"periods": periods} if periods else {}
        if rows := reader.contradictions(chosen, options):
            label = f"Pairs listed more than once with different values ({pluralize(rows, 'row')})"
            duplicates = _menu(label, "duplicates", texts.DUPLICATES, store, earlier.get("duplicates", "error"))
            options |= {} if duplicates == "error" else {"duplicates": duplicates}
        fix = texts.FIX_FILE_OR_OPTIONS
        built = reader.build(chosen, options)
        waiting.clear()
        with st.container(horizontal=True, vertical_alignment="center"):
            label = texts.USE if before is None else texts.APPLY
            is_used = st.button(label, key=f"use-{store}", type="primary", icon=":material/check:")
            if built.ties_only:
                names = escape_markdown(summarize_names(built.ties_only))
                st.info(texts.ONLY_TIES.format(names), icon=":material/lightbulb:")
        if is_used:
            options |= {"format": chosen} if chosen else {}
            options |= {"attributes": attributes.name} if attributes is not None else {}
            return Chosen(built.data, options)
    except mrwtd.DataError as error:
        waiting.clear()
        if is_typed:
            error, fix = typed_network.in_rows(error), texts.FIX_ROWS
        file = summarize_names([file.name for file in files]) if error.file == ARCHIVE else error.file
        page.show_data_error(mrwtd.DataError(error.problems, file=file, total=error.total))
        st.caption(f"{fix} {texts.STILL_IN_USE}")
    return None


def _save(files: Sequence[Any], attributes: Any, chosen: Chosen) -> None:
    """Store the data with its files, and use it."""
    names, upload = [file.name for file in files], upload_reader.as_upload(files, attributes)
    use(user_datasets.save(chosen.data, names, upload=upload, **chosen.options), chosen.data, "upload")


def _menu(label: str, name: str, labels: Mapping[str, str], store: str, default: str, width: Any = "stretch") -> str:
    """A menu that starts with a default. The choice survives a file that cannot be read."""
    key, options = widget_key(f"{keys.CHOICES}-{store}-{name}"), list(labels)
    index = options.index(default) if default in options else 0
    chosen = st.selectbox(label, options, index, labels.__getitem__, key=key, persist_state="session", width=width)
    return str(chosen)


def _periods(store: str, default: int) -> int | None:
    """The number of periods to cut the time into, or None for the whole time."""
    key = widget_key(f"{keys.CHOICES}-{store}-periods")
    periods = st.number_input(
        "Periods", 1, MAX_PERIODS, default, key=key, help=texts.PERIODS_HELP, persist_state="session", width=200
    )
    return int(periods) if periods > 1 else None


def _pairs(preview: Preview, store: str, before: Mapping[str, Any]) -> dict[str, Any]:
    """Draw menus for self-pairs and two-mode data where the files have them; the choices for `mrwtd.read`."""
    options: dict[str, Any] = {}
    if preview.has_self_pairs:
        chosen = _menu("Self-pairs", "self-pairs", texts.SELF_PAIRS, store, before.get("self_pairs", "auto"), 260)
        options |= {} if chosen == "auto" else {"self_pairs": chosen}
    if preview.may_be_two_mode:
        earlier = {None: "auto", True: "yes", False: "no"}[before.get("two_mode")]
        labels = {"auto": texts.DETECTED_TYPES[preview.has_types]} | texts.TWO_MODE
        chosen = _menu("Objects", "two-mode", labels, store, earlier, 340)
        options |= {} if chosen == "auto" else {"two_mode": chosen == "yes"}
    return options


def _preview(preview: Preview, noun: str) -> None:
    """The size of the data in rows or ties, and on request the first rows and notes on how they were read."""
    with st.container(horizontal=True, vertical_alignment="center", width="content"):
        size = dataset_size(preview.n_objects, preview.n_relations)
        count = preview.n_ties if noun == "tie" else preview.n_rows
        st.markdown(f"{size}, {pluralize(count, noun)}.", width="content")
        with st.popover(f"Preview of {pluralize(len(preview.rows), 'row')}", icon=":material/table:"):
            config = {"weight": st.column_config.NumberColumn(help=texts.WEIGHT_HELP)}
            alt = "The first rows of the file"
            st.dataframe(preview.rows, hide_index=True, height="content", column_config=config, alt=alt)
            for note in preview.notes:
                st.caption(escape_markdown(note))


def use(name: str, data: mrwtd.RelationalData, section: str) -> None:
    """Switch to a data set that was just stored, empty all upload fields, and draw the page again."""
    session.change(**{"data": name, "data.upload": ""})
    size = dataset_size(data.n_objects, data.n_relations)
    session.add_message(f"In use now: {user_datasets.display_name(name)}, {size}.", success=True)
    st.session_state[keys.UPLOADS] = st.session_state.get(keys.UPLOADS, 0) + 1
    upload_reader.close()
    for key in (keys.CHANGES, keys.DROPPED, keys.COLUMNS, keys.TYPED, keys.DESCRIBED):
        st.session_state.pop(key, None)
    lazy_expander.reset(section)
    st.rerun()
