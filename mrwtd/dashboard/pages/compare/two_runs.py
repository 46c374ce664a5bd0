"""Run A against run B: what differed in the settings, and what changed in the scores."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from ....analysis.interpretation import score_text
from ....analysis.run_differences import scores_apart, settings_apart
from ....metrics import METRICS
from ....model.losses import default_loss
from ....plots.score_bars import dumbbells
from ....runs import Run
from ...jobs.training import data_name, sample_note, settings_of
from ...state import current_run, session
from ...state.current_run import Result
from ...state.settings import PARAMETERS
from ...widgets import figures, inputs
from ...widgets.formatting import number_of, plain
from .compare_cache import scores_help

LABELS = {"data": "data set", "train": "training fraction", "by": "hold out", "methods": "methods"}
LABELS |= {key: parameter.label.partition(",")[0].lower() for key, parameter in PARAMETERS.items()}
"""The settings of a run in tables; losses and weights stand by the name of their relation."""


def show(result: Result) -> None:
    """Two menus of runs, the settings that differ, and the change of every relation's score."""
    runs = {run.id: run for run in current_run.history()}
    alike = [run for run in runs.values() if data_name(run.spec) == result.data_name]
    if len(runs) < 2 or (len(alike) < 2 and not session.settings().get("compare.a")):
        st.info(
            "There is one run of this data set so far; train another one to compare it with.",
            icon=":material/compare_arrows:",
        )
        if st.button("Train another", type="primary", icon=":material/bolt:"):
            session.go("pages/2_Train.py")
        return
    one, two = _choose(result, runs)
    left, right = st.columns([4, 6], gap="medium")
    with left:
        _settings(result, one, two)
    with right:
        _scores(one, two)


def name_of(run: Run) -> str:
    """A run's name, with its data set, and how it ended where that was not by itself."""
    return f"{run.title}: {run.display_name}"


def _choose(result: Result, runs: dict[str, Run]) -> tuple[Run, Run]:
    """A is an older run of the same data set where there is one, and B the one that is looked at."""
    ids = list(runs)
    alike = [id_ for id_ in ids if data_name(runs[id_].spec) == result.data_name]
    others = [id_ for id_ in (*alike, *ids) if id_ != result.run.id]

    def called(id_: str) -> str:
        return name_of(runs[id_])

    first, second = st.columns(2)
    with first:
        a = inputs.choose(
            "Run A", "compare.a", ids, begin=ids.index(others[0]), show=called, hint="The run to start from"
        )
    with second:
        b = inputs.choose(
            "Run B", "compare.b", ids, begin=ids.index(result.run.id), show=called, hint="The run to compare with it"
        )
    return runs[a], runs[b]


def _settings(result: Result, one: Run, two: Run) -> None:
    st.markdown("##### What was asked differently")
    kinds = {relation.name: relation.kind for relation in result.data.relations}
    settings = [settings_of(run.spec, tuple(kinds)).asked() | {"data": run.title} for run in (one, two)]
    usual = {name: _usual(name, kinds) for each in settings for name in each if name.startswith(("loss.", "weight."))}
    apart = settings_apart(usual | settings[0], usual | settings[1])
    if apart.empty:
        st.caption("Nothing: both runs were made with the same settings.")
    else:
        apart["setting"] = [_word(name) for name in apart["setting"]]
        words = apart.map(lambda text: plain(text.replace(",", ", ")))
        st.table(
            words.set_index("setting"), border="horizontal", alt="The settings that differ between run A and run B"
        )
        runs = pd.DataFrame([("run", name_of(one), name_of(two))], columns=apart.columns)
        figures.download("run-a-and-b-settings", pd.concat([runs, apart]))
    if one.digest != two.digest:
        st.caption("The runs are of different data: only relations of the same name stand side by side.")
    elif one.spec.split != two.spec.split:
        st.caption("The runs were tested on different entries, so small changes may be chance.")
    st.caption(f"Time: A {one.seconds:.1f} s, B {two.seconds:.1f} s.")


def _usual(name: str, kinds: Mapping[str, str]) -> str:
    """What a loss or a weight is that was not chosen."""
    head, _, relation = name.partition(".")
    if head == "weight":
        return "1"
    return default_loss(kinds[relation]) if relation in kinds else "usual"


def _word(name: str) -> str:
    head, _, relation = name.partition(".")
    if relation:
        return f"{'loss' if head == 'loss' else 'positive weight'} of {relation}"
    return LABELS.get(name, name)


def _scores(one: Run, two: Run) -> None:
    st.markdown("##### What changed in the scores", help=scores_help())
    # A method that both have, ours first: else the change would be that of the method.
    both = sorted(
        set(one.methods) & set(two.methods), key=lambda name: (not name.startswith("MrWTD"), one.methods.index(name))
    )
    first, second = st.columns(2)
    with first:
        begin = one.methods.index(both[0]) if both else 0
        a = inputs.choose(
            "Method of A", "compare.a-method", one.methods, begin=begin, hint="Whose scores stand for run A"
        )
    with second:
        begin = two.methods.index(a) if a in two.methods else 0
        b = inputs.choose("Method of B", "compare.b-method", two.methods, begin=begin, hint="Whose scores stand for B")
    for name, run in (("A", one), ("B", two)):
        if note := sample_note(run.scores):
            st.caption(f"Run {name}: {note}")
    rows = scores_apart(_of(one, a), _of(two, b))
    known = rows.dropna(subset=["A", "B"])
    if known.empty:
        st.info("The two have no relation with a score in common.", icon=":material/info:")
        return
    better, worse = int((known["better"] == "B").sum()), int((known["better"] == "A").sum())
    verdict = f"B is better at {better} and worse at {worse} of {number_of(len(known), 'relation')}"
    st.markdown(
        f"**{verdict if better or worse else 'Neither is better at any relation'}**; "
        + "; ".join(
            f"{METRICS[str(metric)].mean_label(len(own))} {score_text(own['A'].mean())} → {score_text(own['B'].mean())}"
            for metric, own in known.groupby("metric", sort=False)
        )
        + "."
    )
    for metric in known["metric"].unique():
        figures.show(
            dumbbells(known, metric, f"A: {a}", f"B: {b}", dark=figures.dark()),
            f"run-a-and-b-{metric}",
            alt=f"{METRICS[metric].label} of each relation in run A and in run B",
            data=rows[rows["metric"] == metric].assign(run_a=name_of(one), method_a=a, run_b=name_of(two), method_b=b),
            caption=f"{METRICS[metric].direction.capitalize()} is better.",
        )


def _of(run: Run, method: str) -> pd.DataFrame:
    scores = run.scores
    return scores[scores["method"] == method]
