"""Ranking: how high the ties among the test entries rank among all objects, by method and relation."""

import numpy as np
import pandas as pd
import streamlit as st

from ....analysis.interpretation import format_score
from ....data.possible_pairs import possible_pairs
from ....data.published_training import CLOSED
from ....evaluation.ranking import FREQUENCIES, evaluate_ranking
from ....model.cancellation import Cancelled
from ....model.cost import Cost
from ...jobs import Job, on_demand
from ...state.current_run import Result
from ...widgets import figures, inputs
from ...widgets.formatting import escape_markdown
from . import compare_texts as texts
from .table import BEST, show

METRICS = {"mrr": "MRR", "hits@1": "Hits@1", "hits@3": "Hits@3", "hits@10": "Hits@10"}
SIDES = {"both": "both", "tail": "targets", "head": "sources"}
ALL = "All relations"

NOTEWORTHY = 0.05
"""From this fraction of trained negatives on, the page warns that ranks are optimistic."""

SECONDS_PER_SCORE = {"Bayesian": 1e-6, "ensemble": 2e-6}
"""By family of methods: those that average many draws take longer than the others."""
OTHERS = 3e-8


def render(result: Result) -> None:
    """Draw the scores of all relations together, and those of each relation."""
    n_ties = count_ties(result)
    if not n_ties:
        st.info(texts.NO_RANKING)
        return
    st.caption(texts.HOW_RANKED.format(objects=result.data.n_objects, ties=n_ties))
    frame = _ranking(result, n_ties)
    if frame is None:
        return
    if held_out_are_negatives(result):
        st.caption(CLOSED)
    elif (share := trained_negatives(result)) >= NOTEWORTHY:
        st.warning(texts.TRAINED_NEGATIVES.format(share=share), icon=":material/info:")
    left, right = st.columns(2)
    with left:
        side = inputs.choose("Ranked objects", "compare.ends", SIDES, style="buttons", help=texts.ENDS_HELP)
    rows = frame[frame["side"] == side]
    overall = rows[(rows["relation"] == "") & (rows["frequency"] == "")]
    _table(wide(overall.replace({"metric": METRICS}), "metric"), texts.RANKING_ALT)
    if rows["relation"].nunique() > 2:  # all together and a single relation would repeat the table
        with right:
            metric = inputs.choose("Score by relation", "compare.ranked", METRICS, style="buttons")
        alt = texts.RANKING_BY_RELATION_ALT.format(metric=METRICS[metric])
        _table(by_relation(rows[rows["metric"] == metric]), alt)
    figures.download_buttons("ranking", frame, caption=texts.RANKING_CAPTION)


def count_ties(result: Result) -> int:
    """The number of ties of binary relations among the test entries."""
    binary = np.array([relation.kind == "binary" for relation in result.scored.relations])
    return int(np.count_nonzero(binary[result.scored.k] & (result.scored.y > 0)))


def held_out_are_negatives(result: Result) -> bool:
    """Whether the methods learned from the test ties as negatives, like from all other unlisted pairs."""
    return len(result.fitted_entries) > len(result.train)


def trained_negatives(result: Result) -> float:
    """The fraction of all candidate pairs of the binary relations that are training entries without a tie."""
    train = result.train
    negatives = np.bincount(train.k[train.y < 0], minlength=train.n_relations)
    trained = candidates = 0
    for k, relation in enumerate(train.relations):
        if relation.kind == "binary":
            pairs = possible_pairs(train, k)
            candidates += pairs.source_positions.size * pairs.target_positions.size
            trained += int(negatives[k]) * (1 if relation.directed else 2)
    return trained / max(candidates, 1)


def _ranking(result: Result, n_ties: int) -> pd.DataFrame | None:
    """The rows of `evaluate_ranking` of each method, or None until they are computed."""

    def work(job: Job) -> pd.DataFrame | None:
        frames = []
        for number, (label, model) in enumerate(result.models.items()):

            def progress(done: int, total: int, number: int = number, label: str = label) -> None:
                job.report((number + done / total) / len(result.models), label)

            try:
                frames.append(evaluate_ranking(model, result.scored, result.data, progress).assign(method=label))
            except Cancelled:
                return None
        return pd.concat(frames, ignore_index=True)

    n_scores = 2 * n_ties * result.data.n_objects
    seconds = n_scores * sum(SECONDS_PER_SCORE.get(model.family, OTHERS) for model in result.models.values())
    cost = Cost(seconds, 0.0)
    return on_demand.compute((result.key, "ranking"), "Ranking", work, cost, "Rank the ties", texts.RANK_FIRST)


def wide(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """Scores as text, with one row for each value of a column and one column per method; the best is marked.

    >>> rows = pd.DataFrame({"metric": "MRR", "method": ["CP", "RESCAL"], "value": [0.5, 0.25]})
    >>> wide(rows, "metric").loc["MRR"].tolist()
    ['0.500 ●', '0.250']
    """
    values = rows.pivot_table(index=name, columns="method", values="value", dropna=False)
    values = values.loc[rows[name].unique(), rows["method"].unique()]
    best = values.eq(values.max(axis=1), axis=0)
    return (values.map(format_score) + best.replace({True: BEST, False: ""})).rename_axis("Score")


def by_relation(rows: pd.DataFrame) -> pd.DataFrame:
    """The scores of all relations, of the thirds by frequency, and of each relation, with the number of ranks."""
    thirds = {name: f"{name.capitalize()} relations" for name in FREQUENCIES}
    names = rows["relation"].where(rows["relation"] != "", rows["frequency"].map(thirds).fillna(ALL))
    # A relation can have any name, also that of a third.
    row = rows["relation"].where(rows["relation"] != "", "\0" + rows["frequency"])
    table = wide(rows.assign(row=row), "row")
    labels, counts = (dict(zip(row, column, strict=True)) for column in (names, rows["count"]))
    table.insert(0, "Ranks", [f"{counts[key]:,}" for key in table.index])
    return table.set_axis([labels[key] for key in table.index]).rename_axis("Relation")


def _table(table: pd.DataFrame, alt: str) -> None:
    helps = {name: texts.RANKED_METHOD_HELP.format(escape_markdown(name)) for name in table.columns}
    show(table, helps | ({"Ranks": texts.RANKS_HELP} if "Ranks" in helps else {}), alt)
