"""Compare two runs: which settings differ, and how the scores change."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from ....analysis.run_differences import score_differences, setting_differences
from ....data.splitting import NOTHING_HELD_OUT
from ....model.losses import default_loss
from ....runs import Run
from ...jobs.training import dataset_name, sample_note, settings_of
from ...state import current_run, session
from ...state.current_run import Result
from ...state.settings import PARAMETERS, PER_RELATION
from ...widgets import figures, inputs
from ...widgets.formatting import escape_markdown, pluralize
from . import compare_controls
from . import compare_texts as texts

LABELS = {"data": "data set", "train": "training fraction", "by": "hold out", "methods": "methods"}
LABELS |= {key: parameter.label.partition(",")[0].lower() for key, parameter in (PARAMETERS | PER_RELATION).items()}
"""Settings of a run as the table calls them; losses and weights are named with their relation."""


def render(result: Result) -> None:
    """Draw two menus of runs, the settings that differ, and the change in the score of each relation."""
    runs = {run.id: run for run in current_run.history()}
    runs = runs if result.run.id in runs else {result.run.id: result.run} | runs  # one that another user shares
    same_data = [id_ for id_, run in runs.items() if dataset_name(run.spec) == result.data_name]
    if len(runs) < 2 or (len(same_data) < 2 and not session.settings().get("compare.a")):
        st.info(texts.ONE_RUN, icon=":material/compare_arrows:")
        if st.button("Train another", type="primary", icon=":material/bolt:"):
            session.go("train")
        return
    # A starts as an older run of the same data set, if there is one, and B as the current run.
    first = next(id_ for id_ in (*same_data, *runs) if id_ != result.run.id)
    names, chosen = {id_: _name(run) for id_, run in runs.items()}, []
    for column, side, default in zip(st.columns(2), "ab", (first, result.run.id), strict=True):
        with column:
            label, help_ = f"Run {side.upper()}", texts.RUN_HELP[side]
            chosen.append(runs[inputs.choose(label, f"compare.{side}", names, default=default, help=help_)])
    left, right = st.columns([4, 6], gap="medium")
    with left:
        _settings(result, *chosen)
    with right:
        _scores(*chosen)


def _name(run: Run) -> str:
    """The name of a run with its data set, and with its state if it did not finish."""
    return f"{current_run.title(run)}: {run.display_name}"


def _settings(result: Result, run_a: Run, run_b: Run) -> None:
    st.markdown("##### Settings that differ")
    kinds = {relation.name: relation.kind for relation in result.data.relations}
    settings = [
        settings_of(run.spec, tuple(kinds)).request() | {"data": current_run.title(run)} for run in (run_a, run_b)
    ]
    defaults = {
        name: _default(name, kinds) for chosen in settings for name in chosen if name.startswith(("loss.", "weight."))
    }
    differences = setting_differences(defaults | settings[0], defaults | settings[1])
    if differences.empty:
        st.caption(texts.SAME_SETTINGS)
    else:
        differences["setting"] = [_label(name) for name in differences["setting"]]
        cells = differences.map(lambda text: escape_markdown(text.replace(",", ", ")))
        alt = "The settings that differ between run A and run B"
        st.table(cells.set_index("setting"), border="horizontal", alt=alt)
        names = pd.DataFrame([("run", _name(run_a), _name(run_b))], columns=differences.columns)
        figures.download_buttons("run-a-and-b-settings", pd.concat([names, differences]))
    if run_a.digest != run_b.digest:
        st.caption(texts.DIFFERENT_DATA)
    elif run_a.spec.split != run_b.spec.split:
        st.caption(texts.DIFFERENT_SPLITS)
    st.caption(f"Time: A {run_a.seconds:.1f} s, B {run_b.seconds:.1f} s.")


def _default(name: str, kinds: Mapping[str, str]) -> str:
    """The loss or weight of a relation for which none was chosen."""
    head, _, relation = name.partition(".")
    if head == "weight":
        return "1"
    return default_loss(kinds[relation]) if relation in kinds else "default"


def _label(name: str) -> str:
    head, _, relation = name.partition(".")
    return LABELS.get(head, head) + (f" of {relation}" if relation else "")


def _scores(run_a: Run, run_b: Run) -> None:
    st.markdown("##### Change in scores", help=texts.scores_help())
    # Start with a method of both runs, MrWTD if possible: else the change would be that of the method.
    shared = [name for name in run_a.methods if name in run_b.methods]
    default = min(shared, key=lambda name: not name.startswith("MrWTD"), default=run_a.methods[0])
    methods, scores = [], []
    for column, side, run in zip(st.columns(2), "ab", (run_a, run_b), strict=True):
        label, name, help_ = f"Method of {side.upper()}", f"compare.{side}-method", texts.SCORED_HELP
        with column:
            default = inputs.choose(label, name, run.methods, default=default, help=help_)
        methods.append(default)
        scores.append(run.scores[run.scores["method"] == default])
    for side, run in (("A", run_a), ("B", run_b)):
        if note := sample_note(run.scores):
            st.caption(f"Run {side}: {note}")
        elif run.spec.split.train == 1:
            st.caption(f"Run {side}: {NOTHING_HELD_OUT}")
    changes = score_differences(*scores)
    complete = changes.dropna(subset=["A", "B"])
    if complete.empty:
        st.info(texts.NO_COMMON_RELATION, icon=":material/info:")
        return
    st.markdown(_verdict(complete))
    names = {"run_a": _name(run_a), "method_a": methods[0], "run_b": _name(run_b), "method_b": methods[1]}
    labels = (f"A: {methods[0]}", f"B: {methods[1]}")
    compare_controls.show_changes(complete, changes.assign(**names), "run-a-and-b", labels)


def _verdict(changes: pd.DataFrame) -> str:
    better, worse = (int((changes["better"] == side).sum()) for side in "BA")
    head = "Neither run is better in any relation"
    if better or worse:
        head = f"B is better in {better} and worse in {worse} of {pluralize(len(changes), 'relation')}"
    return f"**{head}**; {texts.mean_scores(changes, '{score} {a} → {b}')}."
