"""The history in the sidebar: runs and experiments that can be opened, renamed, shared, deleted and exported."""

import logging
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import mrwtd

from ...analysis.interpretation import format_score
from ...data.splitting import NOTHING_HELD_OUT
from ...hosting.publications import Publication
from ...runs import Damaged, Run
from ...runs.pending import InterruptedRun, interrupted_runs
from ...runs.store import zip_run
from ..jobs import job_status
from ..jobs.training import sample_note
from ..state import current_run, current_user, experiment_records, keys, session, shared_run, storage, user_datasets
from ..state.experiment_records import ExperimentRecord
from ..state.settings import UPLOAD_PREFIX
from ..widgets.formatting import escape_markdown
from ..widgets.lazy_expander import lazy_expander
from ..widgets.waiting import Waiting
from . import sharing

MAX_SHOWN = 8
"""The number of entries that are listed at first."""

CUT_OFF = "This training was cut off before it had a result."
EXPERIMENT_CUT_OFF = "This experiment was cut off. Its finished fits are stored."

log = logging.getLogger(__name__)


def section() -> None:
    """The list of runs and experiments, newest first."""
    listed, selected = entries(), current_run.selected()
    _interrupted_trainings()
    _interrupted_experiments()
    _damaged_items()
    if note := storage.usage_note():
        st.caption(escape_markdown(note))
    with lazy_expander(f"History ({len(listed)})", "history", icon=":material/history:") as expanded:
        if not expanded:
            return
        if not listed:
            st.caption("Each training is saved here. One click restores its settings and results.")
        shared = shared_run.own_publications()
        for entry in listed[:MAX_SHOWN]:
            _show(entry, selected, shared)
        if len(listed) > MAX_SHOWN and st.toggle(f"{len(listed) - MAX_SHOWN} older ones"):
            for entry in listed[MAX_SHOWN:]:
                _show(entry, selected, shared)
        _import()
        if note := storage.retention_note():
            st.caption(note)


def entries() -> list[Run | ExperimentRecord]:
    """Runs and experiments, newest first, and the stored example last."""
    records = experiment_records.load_all(experiment_records.records_folder())
    listed: list[Run | ExperimentRecord] = [*current_run.history(), *records]
    listed.sort(key=lambda entry: entry.created, reverse=True)
    return sorted(listed, key=lambda entry: isinstance(entry, Run) and current_run.is_example(entry))


def _show(entry: Run | ExperimentRecord, selected: Run | None, shared: Mapping[str, Publication]) -> None:
    if isinstance(entry, ExperimentRecord):
        _experiment_entry(entry)
        return
    try:
        _run_entry(entry, selected is not None and entry.id == selected.id, shared.get(entry.id))
    except Exception:  # the list is on every page: a run that cannot be listed must not break them all
        log.exception("The run %s cannot be listed", entry.id)
        current_run.skip_damaged(entry, current_run.PAGE_FAILED)


def _interrupted_trainings() -> None:
    """Trainings that were cut off, with buttons to restart or delete them."""
    for run in interrupted_runs(current_user.workspace().folder):
        with _problem("Interrupted", f"{run.spec.data.title}: {run.name}", CUT_OFF):
            st.button("Restart", key=f"restart-{run.id}", type="tertiary", on_click=_restart, args=(run,))
            _delete_button(f"interrupted-{run.id}", InterruptedRun.delete, run)


def _interrupted_experiments() -> None:
    """Experiments that were cut off. Their finished fits are stored, so a restart continues them."""
    for record in experiment_records.interrupted(experiment_records.records_folder()):
        if job_status.active_job(experiment_records.KIND, record.experiment) is not None:
            continue  # it was started again
        with _problem("Interrupted", f"{record.title}: {record.name}", EXPERIMENT_CUT_OFF):
            if st.button("Restart", key=f"continue-{record.id}", type="tertiary"):
                storage.attempt(experiment_records.accept_interruption, record)
                experiment_records.select(record)
                st.session_state[keys.RESTARTED] = record.experiment
                session.go("experiments")
            _delete_button(f"interrupted-{record.id}", experiment_records.delete, record)


def _restart(run: InterruptedRun) -> None:
    """Submit the training of an interrupted run again."""
    session.restore(run)
    try:
        job_status.submit_training(session.settings(), run.name)
    except mrwtd.DataError as error:
        session.add_message(str(error))
        return
    storage.attempt(InterruptedRun.delete, run)


def _damaged_items() -> None:
    """Runs, data sets and experiments that cannot be opened, on every page. They can only be deleted."""
    _damaged("run", current_run.damaged(), delete)
    _damaged("data set", user_datasets.damaged(), user_datasets.delete, UPLOAD_PREFIX)
    records = experiment_records.damaged(experiment_records.records_folder())
    _damaged("experiment", records, experiment_records.delete_file)


def _damaged(kind: str, items: Iterable[Damaged], delete: Callable[[str], None], prefix: str = "") -> None:
    """The damaged items of a kind. `delete` takes their ids with a prefix."""
    for item in items:
        state = f"{kind.capitalize()} of another version" if item.other_version else f"Damaged {kind}"
        fix = "" if item.other_version else " Delete it; a run can be trained or imported again."
        with _problem(state, item.name or item.id[:12], f"{item.reason.rstrip('.')}.{fix}"):
            _delete_button(f"damaged-{prefix}{item.id}", delete, prefix + item.id)


def _problem(state: str, name: str, help_text: str) -> DeltaGenerator:
    """A row about something that cannot be opened. Returns the place for its buttons."""
    left, right = st.columns([4, 2], gap="xxsmall", vertical_alignment="center")
    left.caption(f"**{state}**: {escape_markdown(name)}", help=escape_markdown(help_text))
    return right.container(gap="xxsmall")


def _delete_button(key: str, delete: Callable[..., None], item: object) -> None:
    st.button("Delete", key=key, type="tertiary", on_click=storage.attempt, args=(delete, item))


def _experiment_entry(record: ExperimentRecord) -> None:
    left, right = st.columns([5, 1], gap="xxsmall", vertical_alignment="center")
    mark = f" ({record.done} of {record.total} fits)" if record.unfinished else ""
    if left.button(
        f"Experiment: {escape_markdown(record.title)}{mark}", key=f"study-{record.id}", icon=":material/science:",
        type="tertiary", help=escape_markdown(f"{_time(record.created)}. {record.name}"), width="stretch",
    ):  # fmt: skip
        experiment_records.select(record)
        session.go("experiments")
    with right.popover("", icon=":material/more_vert:", help="Delete this experiment", type="tertiary"):
        st.caption("Its finished fits are deleted with the last entry of this experiment.")
        st.button(
            "Delete", icon=":material/delete:", key=f"delete-{record.id}",
            on_click=storage.attempt, args=(experiment_records.delete, record),
            disabled=job_status.active_job(experiment_records.KIND) is not None,
        )  # fmt: skip


def _run_entry(run: Run, selected: bool, publication: Publication | None) -> None:
    left, right = st.columns([5, 1], gap="xxsmall", vertical_alignment="center")
    left.button(
        f"{escape_markdown(run.title)}: {escape_markdown(run.display_name)}", key=f"restore-{run.id}",
        type="primary" if selected else "tertiary", help=_summary(run), on_click=session.restore, args=(run,),
        width="stretch", icon=":material/link:" if publication else None,
    )  # fmt: skip
    help_text = "Rename, share, export or delete this run"
    with right.popover("", icon=":material/more_vert:", help=help_text, type="tertiary"):
        if current_run.is_example(run):
            st.caption("This run comes with mrwtd. `python -m tools.build_example` rebuilds it.")
            return
        if run.folder is None:
            st.caption("This run could not be saved. It is here until you leave.")
            _export_button(run, lambda: zip_run(run))
            return
        if not st.session_state.get(keys.RENAME + run.id):  # Streamlit clears it on a change of page
            st.session_state[keys.RENAME + run.id] = run.name
        st.text_input("Name", key=keys.RENAME + run.id, max_chars=120, on_change=_rename, args=(run,))
        space = current_user.workspace()  # outside of the lambda, which runs without a session
        _export_button(run, lambda: space.export(run.id))
        sharing.menu(run, publication)
        st.button("Delete", icon=":material/delete:", key=f"delete-{run.id}", on_click=delete, args=(run.id,))


def _export_button(run: Run, export: Callable[[], bytes]) -> None:
    st.download_button(
        "Export", data=export, file_name=f"mrwtd-run-{run.id}.zip", mime="application/zip",
        icon=":material/download:", key=f"export-{run.id}", on_click="ignore",
    )  # fmt: skip


def _summary(run: Run) -> str:
    """Time, duration and scores of a run, as a tooltip."""
    scores = ", ".join(f"{method} {format_score(value)}" for method, value in run.summary.items())
    note = "" if run.state == "finished" and not _has_sampled_pairs(run) else sample_note(run.scores)
    note = NOTHING_HELD_OUT if run.spec.split.train == 1 else note
    return escape_markdown(f"{_time(run.created)}, {run.seconds:.1f} s. {scores}{'. ' * bool(scores and note)}{note}")


def _has_sampled_pairs(run: Run) -> bool:
    """Whether a run is on data with sampled negatives; the scores of other runs need not be read."""
    return "sampled_pairs" in current_user.workspace().datasets().get(run.digest, {})


def _time(created: str) -> str:
    return f"{datetime.fromisoformat(created).astimezone(UTC):%d %B %Y, %H:%M} UTC"


def _rename(run: Run) -> None:
    name = st.session_state.pop(keys.RENAME + run.id)  # the field then has the name as it is stored
    with storage.errors_as_messages():
        current_user.workspace().rename(run.id, name)


def delete(run_id: str) -> None:
    """Delete a run, also a damaged one."""
    with storage.errors_as_messages():
        current_user.workspace().delete(run_id)
        if session.settings().run == run_id:
            session.change(run="")


def _import() -> None:
    with st.popover("Import a run", icon=":material/upload:", type="tertiary"):
        label = "A run: an export, or a zip of the folder that mrwtd fit --out has written"
        file = st.file_uploader(label, type="zip", key=keys.IMPORT)
        if file is not None and st.button("Import", type="primary"):
            waiting = Waiting()
            try:
                run = current_run.import_run(file, waiting)
            except mrwtd.DataError as error:
                waiting.clear()
                st.error(escape_markdown(str(error)))
                return
            session.restore(run)
            st.rerun()
