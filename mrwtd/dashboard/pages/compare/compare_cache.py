"""What the sections show, computed once for each run and kept."""

from __future__ import annotations

import pandas as pd

from ....analysis.interpretation import score_text
from ....data.relational import RelationalData
from ....evaluation.curves import calibration_bins, precision_recall_curve
from ....evaluation.standings import MEAN, one_split
from ....metrics import METRICS
from ....typing import Array
from ...state import user_datasets
from ...state.caches import cached_data, cached_resource
from ...state.current_run import Result
from ...widgets import inputs
from ...widgets.formatting import joined, plain

PANEL_POINTS, DETAIL_POINTS = 300, 1_000
"""Points kept of each curve of a small panel, and of a large one."""


def scores_help() -> str:
    """The tooltip of comparisons: what each score that they show is."""
    shown = [metric for metric in METRICS.values() if metric.main_for or metric.shown_for]
    return "\n\n".join(f"**{metric.title}**: {metric.help}." for metric in shown)


def binary(result: Result) -> list[str]:
    """The binary relations with ties and no ties among the test entries: those that have a curve."""
    rows = result.scores
    return list(dict.fromkeys(rows.loc[(rows["kind"] == "binary") & rows["value"].notna(), "relation"].astype(str)))


def choose_relation(result: Result, names: list[str]) -> str:
    """The relation that is looked at, of those given."""
    within = user_datasets.choices(result.data_name)
    first = within.relations[within.begin]
    begin = names.index(first) if first in names else 0
    return inputs.choose("Relation", "relation", names, begin=begin, hint="The relation whose test entries are shown")


def choose_method(result: Result, hint: str) -> str:
    """The method that is looked at."""
    return inputs.choose("Method", "method", tuple(result.models), hint=hint)


@cached_data(max_entries=20, show_spinner="Comparing the methods …")
def standings(result: Result) -> pd.DataFrame:
    """Scores of all methods by relation, with the best and its ties."""
    return one_split(result.models, result.scored, result.scores)


def answers(result: Result, method: str, relation: str) -> tuple[Array, Array]:
    """Truth and score of each test entry of a relation."""
    entries = result.scored.slice(result.scored.relation_index(relation))
    return result.scored.y[entries], _scores(result, method)[entries]


@cached_resource(max_entries=6)
def _scores(result: Result, method: str) -> Array:
    return result.models[method].decision_function(result.scored)


@cached_resource(max_entries=40, show_spinner="Drawing the curves …")
def curves(result: Result, relation: str = "", points: int = PANEL_POINTS) -> pd.DataFrame:
    """Precision and recall of every method: method, relation, threshold, precision, recall.

    Of one relation, or of all that are binary.
    """
    test = result.scored.select_relations([relation]) if relation else result.scored
    parts = [precision_recall_curve(model, test, points).assign(method=label) for label, model in result.models.items()]
    return pd.concat(parts, ignore_index=True)[["method", "relation", "threshold", "precision", "recall"]]


@cached_data(max_entries=40)
def bins(result: Result, relation: str) -> pd.DataFrame:
    """Predicted probabilities against what came true, of the methods that give any."""
    test = result.scored.select_relations([relation])
    parts = [calibration_bins(model, test).assign(method=label) for label, model in result.models.items()]
    return pd.concat(parts, ignore_index=True)


def base_rates(result: Result) -> dict[str, float]:
    """The share of ties among the test entries of each binary relation."""
    rows = result.scores[result.scores["kind"] == "binary"].drop_duplicates("relation")
    shares = rows["positives"] / rows["entries"]
    return dict(zip(rows["relation"].astype(str), shares.astype(float), strict=True))


def scores_frame(test: RelationalData, x: Array) -> pd.DataFrame:
    """Test entries with their scores, for a download."""
    return test.to_frame().drop(columns="weight").assign(score=x)


def verdict(found: pd.DataFrame, where: str) -> str:
    """Who is best on average, and by how much, in a sentence for each kind of score. They begin with `where`."""
    sentences = []
    for (kind, name), own in found[found["value"].notna()].groupby(["kind", "metric"], sort=False):
        metric, means = METRICS[str(name)], own[own["relation"] == MEAN]
        if means.empty:
            continue
        ranked = means.sort_values("value", ascending=metric.direction == "lower")
        best, rest = ranked.iloc[0], ranked.iloc[1:]
        # The mean is over the relations that every method has a score for.
        scored = own[own["relation"] != MEAN].groupby("relation")["method"].nunique()
        n = int((scored == len(means)).sum())
        over = f"the {kind} relation" if n == 1 else f"{n} {kind} relations"
        method, score, what = plain(str(best.method)), score_text(best.value), f"{metric.mean_label(n)} of {over}"
        said = f"**{method}** scores **{score}** ({what})"
        if len(rest):
            said = f"**{method}** has the best {what}: **{score}**"
            tied = rest.loc[rest["tied_with_best"], "method"]
            after = rest[~rest["tied_with_best"]]
            said += f", tied with {plain(joined(tied))}" if len(tied) else ""
            if len(after):
                level = after.loc[after["value"].map(score_text) == score_text(after.iloc[0].value), "method"]
                are = "next is" if len(level) == 1 else "next are"
                said += f"; {are} {plain(joined(level))} with {score_text(after.iloc[0].value)}"
        sentences.append(said + ".")
        values = ranked["value"].astype(float).tolist()
        worse = [
            str(method)
            for method, value in zip(ranked["method"], values, strict=True)
            if metric.worse_than_constant(value)
        ]
        if worse:
            which = "It" if len(ranked) == 1 else "Every method" if len(worse) == len(ranked) else joined(worse)
            verb = "is" if len(worse) in (1, len(ranked)) else "are"
            sentences.append(f"{which} {verb} {metric.worse_side}: worse than {metric.constant_predictor}.")
    return f"{where} {' '.join(sentences)}" if sentences else "No test entry of this run can be scored."
