"""The texts of the Compare page. Braces are filled in by `str.format`."""

from __future__ import annotations

import pandas as pd

from ....analysis.interpretation import format_score
from ....evaluation.standings import MEAN
from ....metrics import METRICS, Metric
from ...widgets.formatting import escape_markdown, join_names

# Shared by sections
RELATION_HELP = "The relation whose test entries are shown"
MARKED_METHOD_HELP = "The method whose operating point is marked"
EXAMINED_METHOD_HELP = "The method whose predictions are shown"
THRESHOLD_HELP = (
    "Pairs with a score x of at least this are predicted to be ties, in every section of this page. At 0 a loss treats "
    "a tie and a non-tie alike."
)
PRECISION_HELP = "The fraction of predicted ties that are true"
RECALL_HELP = "The fraction of true ties that are predicted"
F1_HELP = "Harmonic mean of precision and recall"
BASE_RATE_HELP = "The fraction of ties among all test pairs: the precision of guessing"
PREDICTED_TIES = "Predicted ties: {predicted:,} of {entries:,} test pairs. True ties: {ties:,}."
SPLITS_HELP = "Fit every method again on other random splits of the same size, to see how much is due to chance"
SPLITS_EXPLANATION = "{methods} methods will be fitted on {splits} random splits like this one, with the same settings."
SPLITS_CANCELLED = "Stopped early: {done} of {splits} splits are shown."
FIT_MAIN_FIRST = "This run has no MrWTD. One with the rank and λ of the run is fitted first."
MAIN_FITTED = (
    "This run has no MrWTD, so one with the rank, λ and seed of the run was fitted to the same training entries."
)

# PR curves
NO_CURVES = (
    "Precision–recall curves are for binary relations with both ties and non-ties among the test entries. This run has "
    "none; the table has the scores of the other kinds."
)
HOW_TO_READ_CURVES = (
    "Sort all test pairs by score and predict a tie for those above a threshold. **Precision** is the fraction of "
    "predicted ties that are true, **recall** the fraction of true ties that are predicted. A lower threshold moves to "
    "the right along the curve. The area under the curve is the AUPRC. Guessing has the base rate as precision (dotted "
    "line)."
)
PANELS_ALT = "Precision against recall of {count} relations, one panel per relation and one line per method"
PANELS_CAPTION = (
    "One panel per relation: recall to the right, precision upwards, both from 0 to 1. The number is the best AUPRC, "
    "the area under a curve. Marked: {method} at the threshold {threshold:g}."
)
CURVES_ALT = "Precision against recall of {relation}, one line per method"
CURVES_CAPTION = "The legend shows the area under each curve (AUPRC) and the base rate."
MEAN_CURVES_ALT = "Mean precision against recall of {relation} over {splits} splits, one band per method"
MEAN_CURVES_CAPTION = (
    "Lines: mean precision over {splits} splits. Bands, and ± in the legend (AUPRC): one standard deviation. The "
    "numbers on the right are for this split."
)

# Table
ONE_SPLIT = (
    "● best; ○ not clearly worse: the difference is within 1.96 standard errors by a paired jackknife over the test "
    "entries. This covers chance in the test entries only; choose several splits to include chance in the split."
)
MANY_SPLITS = (
    "Mean ± standard deviation over the splits. ● best; ○ not clearly worse: a two-sample t-test finds no difference "
    "at 0.05, as in the paper. Seconds and λ are medians."
)
METHOD_COLUMN_HELP = "The scores of {method} on the test entries. ● best, ○ not clearly worse than the best"
LAMBDA_HELP = "**λ**: the strength of the regularisation, – for a method without one."
METRIC_HELP = "The score that the bands show"
TABLE_ALT = "Scores by relation and method, with the best and those statistically tied with it marked"
BANDS_ALT = "{metric} by relation, one line per method with a band of one standard deviation"
BANDS_CAPTION = "Means over {splits} splits, with one standard deviation on either side."

# Compare two runs
ONE_RUN = "There is only one run of this data set so far. Train another one to compare it with."
RUN_HELP = {"a": "The run to start from", "b": "The run to compare with it"}
RUN_METHOD_HELP = "The method of this run whose scores are compared"
SAME_SETTINGS = "None: both runs have the same settings."
SETTINGS_ALT = "The settings that differ between run A and run B"
DIFFERENT_DATA = "The runs are of different data: relations are matched by name."
DIFFERENT_SPLITS = "The runs have different test entries, so small changes may be due to chance."
NO_COMMON_RELATION = "The two runs have no scored relation in common."
RUNS_ALT = "{metric} of each relation in run A and in run B"

# Loss lab
NO_LOSS_LAB = "The loss lab is for binary relations, and this run has none that can be scored."
LAB_LAMBDA_HELP = "The same λ has a different effect with each loss: a search for each is fairer but takes longer"
LOSS_EXPLANATIONS = {
    "quadratic": "Pulls every tie to +1 and every non-tie to −1: a score beyond the margin costs as much as one short "
    "of it.",
    "smooth-hinge": "Pushes scores across the margin, then stops: beyond it nothing is gained or lost.",
    "logistic": "Keeps pushing, ever more gently as it becomes sure: x is the log-odds of a tie and gives a "
    "probability.",
}
LOSS_ALT = "Distribution of x for ties and non-ties of {relation} with the {loss} loss, and the loss below it"
FIT_LOSSES = "MrWTD will be fitted to this split once for each loss."
MARGINS = (
    "Blue: test pairs with a tie, orange: those without, each as a fraction of its class. The outermost bars include "
    "everything further out. x > 0 is predicted to be a tie. The shaded strip is the margin, |x| < 1; each loss has "
    "its own scale. What counts for the ranking is how much blue is to the right of the orange, not where 0 is."
)
SIDE_HELP = {
    "true": "The fraction of test ties with x there: on the wrong side of 0, right but inside the margin, or beyond it",
    "false": "The fraction of test pairs without a tie with x there: on the wrong side of 0, right but inside the "
    "margin, or beyond it",
}
SIDES_ALT = "Fractions of ties and non-ties on the wrong side, inside the margin and beyond it, by loss"

# Missing vs. zero
FIT_ZEROS = "MrWTD will be fitted once more, to data in which every unknown pair counts as a pair without a tie."
MISSING_ALT = "{metric} of each relation with missing as zero and with missing as missing"
MISSING_SCORES = "Scores on the same test entries. {direction} is better."
PREDICTED_FRACTION = "predicts a tie for {predicted:.1%} of the pairs; {truth:.1%} really have one"
MISSING_MARGINS_ALT = "Distribution of x for ties and non-ties of {relation}, {label}"
PULLED_LEFT = (
    "Test pairs by score x: blue with a tie, orange without. Learning from unknown pairs as zeros tends to pull ties "
    "left. {pulled}: their mean score is {missing:.2f} with missing as missing, {zero:.2f} with missing as zero."
)

# Calibration and errors
NO_TEST_ENTRIES = "This relation has no test entries."
CONFUSION_ALT = (
    "{counts.hits} hits, {counts.misses} missed, {counts.false_alarms} false alarms, {counts.rejections} correct "
    "rejections"
)
CONFUSION_CAPTION = "Test entries at the threshold. The deeper the blue, the larger the fraction of the row."
NO_PROBABILITIES = (
    "{missing} of a tie for this relation. Train MrWTD with the logistic loss, whose x is the log-odds of a tie, to "
    "see how reliable its probabilities are."
)
CALIBRATION_ALT = "Fraction of pairs of {relation} that are ties, by predicted probability"
CALIBRATION_CAPTION = (
    "On the dotted line, predicted probabilities match the observed fractions. Brier score (mean squared error of the "
    "probability, lower is better): {scores}; always predicting the base rate scores {constant:.4f}."
)
VALUES_ALT = "Predicted against true values of {relation}"
LEVELS_CAPTION = (
    "Numbers: test entries. Colours: their fraction of the row, which holds all entries of one true level. On the "
    "diagonal the level is right."
)
VALUES_CAPTION = "One point per test entry; on the dotted line the prediction is right."
WORSE = "worse than the mean"
NO_ERRORS = "No test entry is predicted wrongly."
TIE_VALUES = "1: tie, −1: no tie"
SCORE_HELP = "The method ranks pairs by this number; from the threshold on, a tie is predicted"
PROBABILITY_HELP = "Probability of a tie; for an ensemble or a sampler the mean of its probabilities"
BINARY_ERROR_HELP = "Distance of the score from the threshold"
ERROR_HELP = "Prediction minus truth. {unit}"
BINARY_OUTCOME_HELP = "False alarm: predicted and not true. Missed: true and not predicted"
OUTCOME_HELP = "Whether the prediction is above or below the truth"
ERRORS_ALT = "The {count} largest errors of {method} on the test entries of {relation}"
ERRORS_CAPTION = "Largest first. Look here for errors in the data, and for what the model cannot explain."


def scores_help() -> str:
    """The tooltip of comparisons: what each score means."""
    metrics = [metric for metric in METRICS.values() if metric.main_for or metric.shown_for]
    return "\n\n".join(f"**{metric.title}**: {metric.help}." for metric in metrics)


def verdict(standings: pd.DataFrame, where: str) -> str:
    """Sentences that start with `where` and name the best method on average, by kind of relation and metric."""
    sentences = []
    for (kind, name), scores in standings[standings["value"].notna()].groupby(["kind", "metric"], sort=False):
        metric, means = METRICS[str(name)], scores[scores["relation"] == MEAN]
        if means.empty:
            continue
        means = means.sort_values("value", ascending=metric.direction == "lower")
        # The mean is over the relations for which every method has a score.
        methods = scores[scores["relation"] != MEAN].groupby("relation")["method"].nunique()
        n = int((methods == len(means)).sum())
        relations = f"the {kind} relation" if n == 1 else f"{n} {kind} relations"
        sentences += [_ranking(means, f"{metric.mean_label(n)} of {relations}"), *_worse_than_constant(means, metric)]
    return f"{where} {' '.join(sentences)}" if sentences else "No test entry of this run can be scored."


def _ranking(means: pd.DataFrame, score: str) -> str:
    best, others = means.iloc[0], means.iloc[1:]
    method, value = escape_markdown(str(best.method)), format_score(best.value)
    if others.empty:
        return f"**{method}** scores **{value}** ({score})."
    sentence = f"**{method}** has the best {score}: **{value}**"
    tied, behind = others[others["tied_with_best"]], others[~others["tied_with_best"]]
    if len(tied):
        sentence += f", tied with {escape_markdown(join_names(tied['method']))}"
    if len(behind):
        texts = behind["value"].map(format_score)
        runners_up = behind.loc[texts == texts.iloc[0], "method"]
        verb = "next is" if len(runners_up) == 1 else "next are"
        sentence += f"; {verb} {escape_markdown(join_names(runners_up))} with {texts.iloc[0]}"
    return f"{sentence}."


def _worse_than_constant(means: pd.DataFrame, metric: Metric) -> list[str]:
    worse = list(means.loc[means["value"].astype(float).map(metric.worse_than_constant), "method"])
    if not worse:
        return []
    every = len(worse) == len(means)
    methods = "It" if len(means) == 1 else "Every method" if every else escape_markdown(join_names(worse))
    verb = "is" if len(worse) in (1, len(means)) else "are"
    return [f"{methods} {verb} {metric.worse_side}: worse than {metric.constant_predictor}."]
