"""The texts of the Compare page. Braces are filled in by `str.format`."""

import pandas as pd

from ....analysis.interpretation import format_score
from ....evaluation.standings import MEAN
from ....metrics import METRICS, Metric
from ...widgets.formatting import escape_markdown, join_names

# Shared by sections
RELATION_HELP = "The relation whose test entries are shown"
METHOD_HELP = "The method whose predictions are shown or marked"
THRESHOLD_HELP = "Pairs with a score x of at least this are predicted to be ties, in every section of this page."
PRECISION_HELP = "The fraction of predicted ties that are true"
RECALL_HELP = "The fraction of true ties that are predicted"
F1_HELP = "Harmonic mean of precision and recall"
BASE_RATE_HELP = "The fraction of ties among all test pairs: the precision of guessing"
PREDICTED_TIES = "Predicted ties: {predicted:,.0f} of {entries:,.0f} test pairs. True ties: {ties:,.0f}."
SPLITS_HELP = (
    "Splits: fit every method again on other random splits of the same size, to see how much the scores vary by "
    "chance. Folds: divide the entries into parts of equal size and hold out each part once, so that every entry is "
    "tested once (cross-validation)."
)
SPLITS_EXPLANATION = "{methods} methods will be fitted on {splits} random splits like this one, with the same settings."
FOLDS_EXPLANATION = (
    "{methods} methods will be fitted {splits} times with the same settings, each time on {fraction:.0%} of the "
    "entries, and tested on the others. Every entry is tested once."
)
STORED_SPLITS = (
    "The stored example: the table and the mean curves are from {splits} random splits, everything else from the first."
)
SPLITS_CANCELLED = "Stopped early: {done} of {splits} are shown."
FIT_MAIN_FIRST = "This run has no MrWTD. One with the rank and λ of the run is fitted first."
MAIN_FITTED = "This run has no MrWTD, so one with its rank, λ and seed was fitted to the same training entries."

# PR curves
NO_CURVES = "PR curves need a binary relation with ties and non-ties among the test entries. The table has all scores."
HOW_TO_READ_CURVES = (
    "Pairs with a score above the threshold are predicted to be ties. **Precision** is the fraction of predicted ties "
    "that are true, **recall** the fraction of true ties that are predicted. A lower threshold moves right along the "
    "curve. The area under it is the AUPRC. The dotted line is the precision of guessing: the base rate."
)
PANELS_CAPTION = (
    "One panel per relation: recall to the right, precision upwards, both from 0 to 1. The number is the best AUPRC "
    "(area under a curve). Marked: {method} at the threshold {threshold}."
)
CURVES_CAPTION = "The legend shows the area under each curve (AUPRC) and the base rate."
MEAN_CURVES_CAPTION = "Mean precision over {splits} ± one standard deviation. Numbers on the right: this split."

# Table
ONE_SPLIT = (
    "● best; ○ not clearly worse: the difference is within 1.96 standard errors by a paired jackknife over the test "
    "entries. This covers chance in the test entries only; choose several splits to include chance in the split."
)
MANY_SPLITS = (
    "Mean ± standard deviation over the splits. ● best; ○ not clearly worse: a two-sample t-test finds no difference "
    "at 0.05, as in the paper. Time and λ are medians."
)
MANY_FOLDS = (
    "Mean ± standard deviation over the folds: how much the score varies from fold to fold, not the error of the mean. "
    "● best; ○ not clearly worse: folds share training entries, so a t-test corrected for that (Nadeau and Bengio) is "
    "applied to the differences by fold, and finds none at 0.05."
)
METHOD_COLUMN_HELP = "Scores of {method} on the test entries. ● best, ○ not clearly worse"
LAMBDA_HELP = "**λ**: the strength of the regularization, – for a method without one."
METRIC_HELP = "The score that the bands show"
BANDS_CAPTION = "Means over {splits}, with one standard deviation on either side."

# Ranking
NO_RANKING = "Only ties of binary relations can be ranked, and there are none among the test entries of this run."
ONLY_RANKED = (
    "The test entries are all ties, so precision cannot be measured. See how high they rank among all objects."
)
HOW_RANKED = (
    "For each of the {ties:,} ties among the test entries, all {objects:,} objects are ranked as its target and as its "
    "source, without those that have another known tie there (filtered). MRR is the mean of 1 ÷ rank of the right "
    "object, and Hits@10 how often it is among the first 10. Only binary relations are ranked, and only objects of the "
    "types that a relation connects."
)
TRAINED_NEGATIVES = (
    "{share:.0%} of all pairs were training entries without a tie. Methods have learned that these are wrong answers, "
    "so the right one stands out: the ranks are better than those of methods that do not know the non-ties."
)
ENDS_HELP = "Whether the right target, the right source, or both are looked for. Undirected ties have no order"
RANK_FIRST = "Each method scores all objects for both ends of every tie."
RANKS_HELP = "The number of ranks in the mean: one per tie and end"
RANKED_METHOD_HELP = "Scores of {} among all objects; 1 is perfect. ● best"
RANKING_CAPTION = (
    "● best. Of objects with equal scores, the rank is the mean of the best and the worst possible one. Rare, medium "
    "and frequent relations are thirds of the relations, by their number of known ties."
)
RANKING_ALT = "Ranking scores of all relations by method"
RANKING_BY_RELATION_ALT = "{metric} by relation and method"

# Compare two runs
ONE_RUN = "There is only one run of this data set so far. Train another one to compare it with."
RUN_HELP = {"a": "The run to start from", "b": "The run to compare with it"}
SCORED_HELP = "The method of this run whose scores are compared"
SAME_SETTINGS = "None: both runs have the same settings."
DIFFERENT_DATA = "The runs use different data sets. Relations are matched by name."
DIFFERENT_SPLITS = "The runs have different test entries, so small changes may be due to chance."
NO_COMMON_RELATION = "The two runs have no scored relation in common."

# Loss lab
NO_LOSS_LAB = "The loss lab is for binary relations, and this run has none that can be scored."
LAB_HELP = "The same λ has a different effect with each loss. A search for each loss is fairer but takes longer"
LOSS_EXPLANATIONS = {
    "quadratic": "Pulls ties to +1 and non-ties to −1: scores beyond the margin cost as much as those short of it.",
    "smooth-hinge": "Pushes scores across the margin, then stops: beyond it nothing is gained or lost.",
    "logistic": "Keeps pushing, ever more gently: x is the log-odds of a tie and gives a probability.",
}
FIT_LOSSES = "MrWTD will be fitted to this split once for each loss."
MARGINS = (
    "Blue: test pairs with a tie, orange: without. The outermost bars include everything further out. Shaded: the "
    "margin, |x| < 1. A good ranking has the blue to the right of the orange, wherever 0 is."
)
SIDES_ALT = "Fractions of ties and non-ties on the wrong side, inside the margin and beyond it, by loss"
SIDE_HELP = "The fraction of {pairs} with x on the wrong side of 0, right but inside the margin, or beyond it"

# Missing vs. zero
FIT_ZEROS = "MrWTD will be fitted once more, to data in which every unknown pair counts as a pair without a tie."
MISSING_SCORES = "Scores on the same test entries. "
MISSING_MEANS = "{score} **{a}** with missing as zero, **{b}** with missing as missing"
PREDICTED_FRACTION = "predicts a tie for {predicted:.1%} of the pairs; {truth:.1%} really have one"
PULLED_LEFT = (
    "Blue: test pairs with a tie, orange: without. Zeros for unknown pairs tend to move ties to the left. Here they "
    "{do}: the mean score of ties is {zero} with missing as zero and {missing} with missing as missing."
)

# Calibration and errors
NO_TEST_ENTRIES = "This relation has no test entries."
CONFUSION_ALT = (
    "{counts.hits:.0f} hits, {counts.misses:.0f} missed, {counts.false_alarms:.0f} false alarms, others rejected"
)
CONFUSION_CAPTION = "Test entries at the threshold. The deeper the blue, the larger the fraction of the row."
NO_PROBABILITIES = "{missing} of a tie for this relation. MrWTD with the logistic loss does."
CALIBRATION_CAPTION = (
    "On the dotted line, predicted probabilities match the observed fractions. Brier score (mean squared error of the "
    "probability, lower is better): {scores}; always predicting the base rate: {constant:.4f}."
)
LEVELS_CAPTION = "Test entries by true and predicted level, coloured by fraction of the row. The diagonal is right."
VALUES_CAPTION = "One point per test entry; on the dotted line the prediction is right."
WORSE = "worse than the mean"
NO_ERRORS = "No test entry is predicted wrongly."
TRUTH_HELP = "Whether the pair is a tie in the data"
SCORE_HELP = "The method ranks pairs by this number. At or above the threshold, a tie is predicted"
PROBABILITY_HELP = "Probability of a tie; for an ensemble or a sampler the mean of its probabilities"
BINARY_ERROR_HELP = "Distance of the score from the threshold"
ERROR_HELP = "Prediction minus truth. {unit}"
BINARY_OUTCOME_HELP = "False alarm: predicted and not true. Missed: true and not predicted"
OUTCOME_HELP = "Whether the prediction is above or below the truth"
ERRORS_CAPTION = "Largest first. Look here for errors in the data, and for what the model cannot explain."


def scores_help() -> str:
    """The tooltip of comparisons: what each score means."""
    metrics = [metric for metric in METRICS.values() if metric.main_for or metric.shown_for]
    return "\n\n".join(f"**{metric.title}**: {metric.help}." for metric in metrics)


def mean_scores(changes: pd.DataFrame, template: str) -> str:
    """The means of the scores A and B over the relations, one clause per metric."""
    clauses = []
    for name, rows in changes.groupby("metric", sort=False):
        metric, a, b = METRICS[str(name)], format_score(rows["A"].mean()), format_score(rows["B"].mean())
        clauses.append(template.format(score=metric.mean_label(len(rows)), a=a, b=b))
    return "; ".join(clauses)


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
        sentences += [ranking(means, f"{metric.mean_label(n)} of {relations}"), *_worse_than_constant(means, metric)]
    return (
        f"{where} {' '.join(sentences)}" if sentences else f"No test entry of this run can be scored{_why(standings)}."
    )


def _why(standings: pd.DataFrame) -> str:
    """The most frequent reason why a relation has no score.

    >>> _why(pd.DataFrame({"reason": ["", "no ties", "one class", "one class"]}))
    ': one class'
    """
    reasons = standings["reason"][standings["reason"] != ""].value_counts()
    return f": {escape_markdown(str(reasons.index[0]))}" if len(reasons) else ""


def ranking(scores: pd.DataFrame, score: str) -> str:
    """A sentence that names the best method of sorted standings, those tied with it, and the next one."""
    best, others = scores.iloc[0], scores.iloc[1:]
    method, value = escape_markdown(str(best.method)), format_score(best.value)
    if others.empty:
        return f"**{method}** scores **{value}** ({score})."
    sentence = f"**{method}** has the best {score}: **{value}**"
    equal = others["tied_with_best"] | others["best"]
    tied, behind = others[equal], others[~equal]
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
