"""Loss lab: the same split with one loss after another, and where each puts true and false entries."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from ....analysis.interpretation import parameter
from ....analysis.loss_comparison import binary_losses, refit, sides
from ....evaluation.standings import one_split
from ....metrics import main_metric
from ....model.cost import Size
from ....model.losses import LOSSES
from ....model.mrwtd import MrWTD
from ....plots.distributions import score_distributions, shared_range
from ...jobs import Job, on_demand
from ...state import session
from ...state.caches import Keyed, cached_data
from ...state.current_run import Result
from ...widgets import figures, inputs
from . import compare_cache

LAMS = {"run": "As in the run", "auto": "Searched for each"}

REASONS = {
    "quadratic": "Pulls every tie to +1 and everything else to −1: a score beyond the margin costs as much as one that "
    "falls short of it.",
    "smooth-hinge": "Pushes scores across the margin and then lets go: beyond it nothing is lost and nothing gained.",
    "logistic": "Always pushes a little further, the less the surer it is: x becomes the log-odds of a tie, and gives "
    "a probability.",
}

SHARES = (
    "The share of the test ties whose x lies there: on the wrong side of 0, right but inside the margin, or beyond it",
    "The share of the test pairs without a tie whose x lies there: on the wrong side of 0, right but in the margin, "
    "or beyond it",
)
"""What the numbers of the table are, of ties and of pairs without one."""


def show(result: Result) -> None:
    """A column for each loss: its scores, its curve, and where it puts the test entries."""
    names = compare_cache.binary(result)
    if not names:
        st.info("The loss lab is about binary relations, and this run has none to score.", icon=":material/info:")
        return
    left, right = st.columns(2)
    with left:
        relation = compare_cache.choose_relation(result, names)
    with right:
        lam = inputs.choose(
            "Regularisation λ", "compare.lam", tuple(LAMS), show=LAMS.__getitem__, style="buttons",
            hint="One λ means something else to each loss: a search for each is fairer, and takes longer",
        )  # fmt: skip
    models = _fits(result, lam)
    if models is None:
        return
    standings = _standings(result, Keyed(lam, models))
    is_main = standings["metric"] == main_metric("binary").name
    own = standings[(standings["relation"] == relation) & is_main].set_index("method")
    st.markdown(_verdict(own), help=main_metric("binary").help)
    where = sides(models, result.scored, relation)
    test = result.scored.select_relations([relation])
    scores = {loss: model.decision_function(test) for loss, model in models.items()}
    for column, (loss, model) in zip(st.columns(len(models), gap="medium"), models.items(), strict=True):
        with column:
            said = (
                f"**{loss}** · {main_metric('binary').label} **{own['value'][loss]:.3f}** · λ {parameter(model.lam_)}"
            )
            st.markdown(said, help=LOSSES[loss].formula)
            figures.show(
                score_distributions(scores[loss], test.y, loss, shared_range([scores[loss]]), dark=figures.dark()),
                f"loss-{loss}",
                alt=f"Distribution of x for ties and no ties of {relation} with the {loss} loss, and the loss below",
                height=330,
                data=partial(compare_cache.scores_frame, test, scores[loss]),
            )
            st.caption(REASONS.get(loss, f"ℓ = {LOSSES[loss].formula}"))
    _words(where, own)


def _fits(result: Result, lam: str) -> dict[str, MrWTD] | None:
    losses = binary_losses()
    base = main_model(result)
    if base is None:
        return None

    def work(job: Job) -> dict[str, MrWTD] | None:
        fitted = {}
        for number, loss in enumerate(losses):
            job.report(number / len(losses), f"{loss} loss")
            fitted[loss] = refit(base, result.train, loss, "auto" if lam == "auto" else None, lambda _: job.cancelled)
            if job.cancelled:
                return None
        return fitted

    return on_demand.compute(
        (result.key, "losses", lam),
        "Fitting the losses",
        work,
        len(losses) * fit_seconds(result, base, searched=lam == "auto"),
        f"Fit with {len(losses)} losses",
        "MrWTD will be fitted to this split once for each loss.",
    )


def main_model(result: Result) -> MrWTD | None:
    """The first MrWTD of the run; where it has none, one with the run's rank and λ, or None until that is fitted."""
    for model in result.models.values():
        if type(model) is MrWTD:
            return model
    settings = session.settings_of_run(result.run)[0]
    model = MrWTD(rank=settings.rank, lam=settings.lam, seed=settings.seed)

    def work(job: Job) -> MrWTD | None:
        job.report(0.5, "MrWTD")
        model.fit(result.train, lambda _: job.cancelled)
        return None if job.cancelled else model

    fitted = on_demand.compute(
        (result.key, "main"),
        "Fitting MrWTD",
        work,
        fit_seconds(result, model, searched=settings.lam == "auto"),
        "Fit MrWTD",
        "This run has no MrWTD: one with its rank and λ will be fitted first.",
    )
    if fitted is not None:
        st.caption("This run has no MrWTD: one with its rank, λ and seed was fitted to its training entries for this.")
    return fitted


def fit_seconds(result: Result, base: MrWTD, *, searched: bool, entries: int | None = None) -> float:
    """About how long a fit takes, by the sizes; a search for λ is many."""
    share = 1.0 if entries is None else entries / max(len(result.train), 1)
    method = MrWTD(rank=base.rank, lam="auto" if searched else 1.0, ensemble=base.ensemble)
    return method.cost(Size.of(result.train, share)).seconds


@cached_data(max_entries=20)
def _standings(result: Result, models: Keyed[dict[str, MrWTD]]) -> pd.DataFrame:
    return one_split(models.value, result.scored)


def _verdict(own: pd.DataFrame) -> str:
    best = own.index[own["best"]][0]
    equal = own["tied_with_best"] | own["best"]
    tied = [str(name) for name in own.index[equal] if name != best]
    metric = main_metric("binary")
    behind = own[~equal].sort_values("value", ascending=metric.direction == "higher")
    if (own["value"] == own["value"].iloc[0]).all():
        return f"On this relation all losses rank alike: {metric.label} {own['value'][best]:.3f}."
    said = f"On this relation the **{best}** loss ranks best: {metric.label} {own['value'][best]:.3f}"
    if tied:
        said += f", tied with {' and '.join(tied)}"
    if len(behind):
        said += f", and {behind.index[0]} worst with {behind['value'].iloc[0]:.3f}"
    return said + "."


def _words(where: pd.DataFrame, own: pd.DataFrame) -> None:
    st.caption(
        "Blue: test pairs that are ties, orange: pairs that are none, each as shares of their class; the outermost "
        "bars hold what lies further out. x > 0 is called a tie. The shaded strip is the margin, |x| < 1; each loss "
        "has a scale of its own. What matters for the ranking is how much blue lies to the right of the orange, not "
        "where 0 is."
    )
    metric = main_metric("binary")
    table = where.pivot_table(index="method", columns="truth", values=["wrong", "inside", "beyond"])
    shown = pd.DataFrame(
        {
            metric.label: own["value"],
            **{
                f"{words}: {what}": 100 * table[(what_key, truth)]
                for truth, words in (("true", "Ties"), ("false", "No ties"))
                for what_key, what in (("wrong", "wrong"), ("inside", "in the margin"), ("beyond", "beyond"))
                if (what_key, truth) in table
            },
        }
    ).reindex(list(dict.fromkeys(where["method"])))
    shown.index.name = "Loss"
    with st.expander("The same in numbers", icon=":material/table:"):
        st.dataframe(
            shown,
            column_config={
                name: st.column_config.NumberColumn(format="%.3f", help=metric.help)
                if name == metric.label
                else st.column_config.NumberColumn(format="%.1f%%", help=SHARES[name.startswith("No")])
                for name in shown.columns
            },
            alt="Shares of ties and no ties on the wrong side, inside and beyond the margin, by loss",
        )
        figures.download("loss-lab", shown.reset_index())
