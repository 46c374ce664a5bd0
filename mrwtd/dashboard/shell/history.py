"""The user's runs and experiments in the sidebar: opened with a click, renamed, deleted, exported and imported."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime

import streamlit as st

import mrwtd

from ...analysis.interpretation import format_score
from ...runs import Damaged, Run
from ..jobs import job_status
from ..jobs.training import sample_note
from ..state import current_run, current_user, experiment_records, keys, session, user_datasets
from ..state.experiment_records import ExperimentRecord
from ..state.settings import UPLOAD_PREFIX
from ..widgets.formatting import escape_markdown
from ..widgets.lazy_expander import lazy_expander

SHOWN = 8
"""Runs that are listed at first."""

WHAT_TO_DO = {False: "Delete it; a run can be trained or imported again.", True: ""}
"""What can be done about an item that cannot be opened, by whether another version has made it."""

log = logging.getLogger(__name__)


def section() -> None:
    """The list of runs, the newest first."""
    runs = entries()
    now = current_run.selected()
    _damaged_items()
    with lazy_expander(f"History ({len(runs)})", "history", icon=":material/history:") as open_:
        if not open_:
            return
        if not runs:
            st.caption("Each training is kept here: one click brings its settings and results back.")
        for run in runs[:SHOWN]:
            _show(run, now)
        if len(runs) > SHOWN and st.toggle(f"{len(runs) - SHOWN} older ones"):
            for run in runs[SHOWN:]:
                _show(run, now)
        _import()


def entries() -> list[Run | ExperimentRecord]:
    """Runs and experiments, the newest first, and last the stored example."""
    runs = current_run.history()
    example = [run for run in runs if current_run.is_example(run)]
    own: list[Run | ExperimentRecord] = [
        *(run for run in runs if run not in example),
        *experiment_records.load_all(experiment_records.records_folder()),
    ]
    return [*sorted(own, key=lambda one: one.created, reverse=True), *example]


def _show(one: Run | ExperimentRecord, now: Run | None) -> None:
    if isinstance(one, ExperimentRecord):
        _experiment(one)
        return
    try:
        _entry(one, now is not None and one.id == now.id)
    except Exception:  # the list is on every page: a run that cannot be shown in it must not end them all
        log.exception("The run %s cannot be listed", one.id)
        current_run.skip_damaged(one, current_run.PAGE_FAILED)


def _damaged_items() -> None:
    """Runs, data sets and experiments that cannot be opened, on every page: they can only be deleted."""
    for item in current_run.damaged():
        _damaged("run", item, delete, item.id)
    for item in user_datasets.damaged():
        _damaged("data set", item, user_datasets.delete, UPLOAD_PREFIX + item.id)
    for item in experiment_records.damaged(experiment_records.records_folder()):
        _damaged("experiment", item, experiment_records.delete_file, item.id)


def _damaged(kind: str, item: Damaged, delete: Callable[[str], None], item_id: str) -> None:
    left, right = st.columns([4, 2], gap="xxsmall", vertical_alignment="center")
    state = f"{kind.capitalize()} of another version" if item.other_version else f"Damaged {kind}"
    name, reason = item.name or item.id[:12], f"{item.reason.rstrip('.')}. {WHAT_TO_DO[item.other_version]}"
    left.caption(f"**{state}**: {escape_markdown(name)}", help=escape_markdown(reason))
    right.button("Delete", key=f"damaged-{item_id}", type="tertiary", on_click=delete, args=(item_id,))


def _experiment(record: ExperimentRecord) -> None:
    left, right = st.columns([5, 1], gap="xxsmall", vertical_alignment="center")
    mark = f" ({record.done} of {record.total} fits)" if record.unfinished else ""
    when = datetime.fromisoformat(record.created).astimezone(UTC)
    if left.button(
        f"Experiment: {escape_markdown(record.title)}{mark}",
        key=f"study-{record.id}",
        icon=":material/science:",
        type="tertiary",
        help=escape_markdown(f"{when:%d %B %Y, %H:%M} UTC. {record.name}"),
        width="stretch",
    ):
        experiment_records.select(record)
        session.go("experiments")
    with right.popover("", icon=":material/more_vert:", help="Delete this experiment", type="tertiary"):
        st.caption("Its finished fits go with the last experiment of this kind in the list.")
        st.button(
            "Delete", icon=":material/delete:", key=f"delete-{record.id}",
            on_click=experiment_records.delete, args=(record,),
            disabled=job_status.active_job(experiment_records.KIND) is not None,
        )  # fmt: skip


def _entry(run: Run, now: bool) -> None:
    left, right = st.columns([5, 1], gap="xxsmall", vertical_alignment="center")
    left.button(
        f"{escape_markdown(run.title)}: {escape_markdown(run.display_name)}",
        key=f"restore-{run.id}",
        type="primary" if now else "tertiary",
        help=_told(run),
        on_click=session.restore,
        args=(run,),
        width="stretch",
    )
    with right.popover("", icon=":material/more_vert:", help="Rename, export or delete this run", type="tertiary"):
        if current_run.is_example(run):
            st.caption("This run comes with mrwtd. `python -m tools.build_example` rebuilds it.")
            return
        if not st.session_state.get(keys.RENAME + run.id):  # which Streamlit empties on a change of page
            st.session_state[keys.RENAME + run.id] = run.name
        st.text_input("Name", key=keys.RENAME + run.id, max_chars=120, on_change=_rename, args=(run,))
        space = current_user.workspace()  # asked here: the file is made when it is fetched, where no user is known
        st.download_button(
            "Export", data=lambda: space.export(run.id), file_name=f"mrwtd-run-{run.id}.zip",
            mime="application/zip", icon=":material/download:", key=f"export-{run.id}", on_click="ignore",
        )  # fmt: skip
        st.button("Delete", icon=":material/delete:", key=f"delete-{run.id}", on_click=delete, args=(run.id,))


def _told(run: Run) -> str:
    when = datetime.fromisoformat(run.created).astimezone(UTC)
    scores = ", ".join(f"{method} {format_score(value)}" for method, value in run.summary.items())
    note = "" if run.state == "finished" else sample_note(run.scores)
    return escape_markdown(f"{when:%d %B %Y, %H:%M} UTC, {run.seconds:.1f} s. {scores}{'. ' * bool(note)}{note}")


def _rename(run: Run) -> None:
    key = keys.RENAME + run.id
    renamed = current_user.workspace().rename(run.id, st.session_state[key])
    st.session_state[key] = run.name if renamed is None else renamed.name  # without needless spaces


def delete(run_id: str) -> None:
    """Delete a run, also a damaged one."""
    current_user.workspace().delete(run_id)
    if session.settings().run == run_id:
        session.change(run="")


def _import() -> None:
    with st.popover("Import a run", icon=":material/upload:", type="tertiary"):
        file = st.file_uploader(
            "A run: an export, or a zip of the folder that mrwtd fit --out has written", type="zip", key=keys.IMPORT
        )
        if file is not None and st.button("Import", type="primary"):
            try:
                run = current_run.import_run(file)
            except mrwtd.DataError as error:
                st.error(escape_markdown(str(error)))
                return
            session.restore(run)
            st.rerun()
