"""The texts of the Train page."""

from collections.abc import Mapping, Sequence
from typing import Any

from ....baselines import METHODS
from ....data.relational import RelationalData
from ....model.lambda_grid import GRID
from ....model.parameters import AUTO, default_rank
from ....model.rank_search import possible_ranks
from ...jobs.training_process import WATCHED
from ...widgets.formatting import escape_markdown, join_names

LOSSES_ALT = "The relations, with a loss and a positive weight for each"
CURVE_HELP = "The loss for predictions x from −3 to 3, where the truth is a tie, 0, level 1 or a count of 3"
WEIGHT_HELP = "How much a tie counts compared with a pair without a tie. For binary relations only"
SUGGESTION_HELP = (
    "Logistic gives probabilities, ordinal learns where the levels begin, with Poisson the variance grows with the "
    "mean, and quadratic is the usual squared error."
)

TRAIN_HELP = (
    "The fraction of the entries to learn from. The rest is held out to test the predictions. With 100%, nothing is "
    "held out: there are no scores, and predictions use all that is known."
)
ALL_FOR_TRAINING = "Nothing is held out: the run will have predictions and no scores."
LAM_SEARCH = (
    f"λ, the strength of regularization, is searched from {GRID[-1]:g} to {GRID[0]:g} on training entries only."
)
METHODS_CAPTION = (
    "MrWTD uses the losses of the table. Its variants use one loss for all binary relations: -Q quadratic, -H smooth "
    "hinge, -L logistic. MrWTD-B is the Bayesian version, and MrWTD-E a weighted mean of these and others. The other "
    "methods are baselines."
)
SPLIT_HELP = (
    "The files came with a split. As published: the methods are tested on the entries of the test file, and learn from "
    "all others, also from those of the validation file. λ is chosen on training entries only. At random: the "
    "published parts are not used."
)
HOLD_OUTS = {"auto": "automatic", "entry": "entries", "pair": "pairs, both directions"}
SPLITS = {"published": "as published", **{by: f"at random: {text}" for by, text in HOLD_OUTS.items()}}
HOLD_OUT_HELP = (
    "How the test entries of directed relations are drawn. If most ties are mutual, the reverse of a test pair gives "
    "the answer away. Automatic: where at least 80% of the ties are mutual (see the Data page), both directions of a "
    "pair are held out together; elsewhere single entries are."
)
ESTIMATE_HELP = "Estimated from entries, rank and methods. Training does not start if there is too little memory"
STORED_SPLITS = (
    "The stored example was trained on {splits} splits. These scores are from all of them; everything else, on every "
    "page, is from the first."
)
RANK_CAPTION = (
    "Rank {} is suggested. The search starts at the default rank and moves on where the score rises by more than 1.5 "
    "standard errors of the difference. Bars: one standard error. The score is {}."
)
TRYING_RANKS = "Trying ranks on held-out training entries. The sidebar shows the progress."

NO_ITERATIONS = "None of these methods learns by iterations, so there is no objective to draw."
NOT_WATCHED = "None of these methods was scored while it learned: they learn in one step."
NOT_SCORED = "The test entries cannot be scored, because they are all alike. Compare ranks them if they are ties."
NO_SCORE = "There is no score to draw: the held-out entries are all alike, or they were not scored during the fit."
STOPPED_BEFORE_CURVE = "This training was stopped before there was a second iteration to draw."
STOPPED_BEFORE_SCORE = "This training was stopped before a fit was scored on held-out entries."
STOPPED_CODE = "This training was stopped. The code runs the same training to its end."
NO_LAM = "None of these methods has a λ to choose."
ALL_COLLAPSED = "Every λ of the search collapsed to zero, so there is nothing to draw."


def objective_caption(per_relation: Sequence[str], samplers: Sequence[str]) -> str:
    """How to read the curves of the objective."""
    text = "The objective is what a fit minimizes: it should fall and level off."
    if per_relation:
        names = escape_markdown(", ".join(per_relation))
        text += f" Methods that fit one relation after another ({names}) have curves that fall in steps."
    if samplers:
        text += (
            f" Methods that sample ({escape_markdown(', '.join(samplers))}) fluctuate, and their curves need not fall."
        )
    return text


def rank_search(methods: Sequence[str], data: RelationalData) -> str:
    """Which ranks are tried, and the methods that have no search."""
    ranks = possible_ranks(data.n_objects)
    text = f"The rank is searched from {ranks[0]} to {ranks[-1]} on training entries only."
    learning = [name for name in methods if METHODS[name].family != "heuristic"]
    if without := [name for name in learning if not METHODS[name].can_search("rank")]:
        verb = "has" if len(without) == 1 else "have"
        text += f" {join_names(without)} {verb} no such search: rank {default_rank(data.n_objects)} is used."
    return text


def score_caption(score: str, n_test: int, samplers: Sequence[str], ensemble: bool) -> str:
    """How to read the curves of the held-out score."""
    text = f"The score on held-out entries ({score}). The methods do not learn from them."
    if n_test > WATCHED:
        text += f" About {WATCHED:,} of them are scored."
    if samplers:
        text += f" For {escape_markdown(', '.join(samplers))} it is the score of the mean of the draws so far."
    return f"{text} For an ensemble it is the score of the first fit." if ensemble else text


def lam_caption(method: str, score: str, lowest_collapsed: float | None) -> str:
    """How to read the search for λ."""
    text = (
        f"{escape_markdown(method)}: each point is a fit to three quarters of the training entries, scored on the last "
        f"quarter ({score}). Among the best values of λ, the largest is chosen: it gives the simplest model."
    )
    if lowest_collapsed is not None:
        text += f" Fits with λ = {lowest_collapsed:g} or more collapsed to zero and are not drawn."
    return text


def rank_caption(method: str, score: str) -> str:
    """How to read the search for the rank."""
    return (
        f"{escape_markdown(method)}: each point is the best fit at a rank, scored on held-out training entries "
        f"({score}), with its standard error. The search starts at the default rank and moves on where the score rises "
        "by more than 1.5 standard errors of the difference."
    )


def fix_label(changes: Mapping[str, Any]) -> str:
    """The label of a button that applies a suggested fix.

    >>> [fix_label(changes) for changes in ({"lam": "auto"}, {"lam": 3.162}, {"rank": 11}, {"train": 0.6})]
    ['Search for λ', 'Use λ = 3.162', 'Use rank 11', 'Train on 60%']
    """
    ((name, value),) = changes.items()
    if name == "lam":
        return "Search for λ" if value == AUTO else f"Use λ = {value:g}"
    return f"Use rank {value}" if name == "rank" else f"Train on {value:.0%}"
