"""Loss lab: the same split with one loss after another, and where each puts ties and non-ties."""

import pandas as pd
import streamlit as st

from ....analysis.interpretation import format_parameter
from ....analysis.loss_comparison import binary_losses, margin_fractions, refit_with_loss
from ....evaluation.standings import standings_on_split
from ....metrics import main_metric
from ....model.losses import LOSSES
from ....model.mrwtd import MrWTD
from ....plots.calibration import shared_range
from ...jobs import Job, on_demand
from ...state.caches import Keyed, cached_data
from ...state.current_run import Result
from ...widgets import figures, inputs
from . import compare_cache, compare_controls
from . import compare_texts as texts

LAMBDAS = {"run": "As in the run", "auto": "Searched for each"}
TRUTHS = {"true": ("Ties", "test ties"), "false": ("No ties", "test pairs without a tie")}
SIDES = {"wrong": "wrong", "inside": "in the margin", "beyond": "beyond"}


def render(result: Result) -> None:
    """Draw one column per loss: its score, its curve, and where it puts the test entries."""
    names = compare_cache.binary_relations(result)
    if not names:
        st.info(texts.NO_LOSS_LAB, icon=":material/info:")
        return
    with st.container(horizontal=True):
        relation = compare_controls.choose_relation(result, names)
        lam = inputs.choose("Regularization λ", "compare.lam", LAMBDAS, style="buttons", help=texts.LAB_HELP)
    models = _fits(result, lam)
    if models is None:
        return
    metric, standings = main_metric("binary"), _standings(result, Keyed(lam, models))
    standings = standings[(standings["relation"] == relation) & (standings["metric"] == metric.name)]
    standings = standings.sort_values(["best", "value"], ascending=False)
    st.markdown(f"On this relation, {texts.ranking(standings, metric.label)}", help=metric.help)
    scores = standings.set_index("method")["value"]
    test = result.scored.select_relations([relation])
    for column, (loss, model) in zip(st.columns(len(models), gap="medium"), models.items(), strict=True):
        with column:
            value, formula = scores[loss], LOSSES[loss].formula
            st.markdown(f"**{loss}** · {metric.label} **{value:.3f}** · λ {format_parameter(model.lam_)}", help=formula)
            x = model.decision_function(test)
            compare_controls.show_distributions(test, x, shared_range([x]), f"loss-{loss}", loss=loss, height=330)
            st.caption(texts.LOSS_EXPLANATIONS.get(loss, f"ℓ = {formula}"))
    st.caption(texts.MARGINS)
    _numbers(margin_fractions(models, result.scored, relation), scores)


def _fits(result: Result, lam: str) -> dict[str, MrWTD] | None:
    losses = binary_losses()
    base = compare_cache.main_model(result)
    if base is None:
        return None

    def work(job: Job) -> dict[str, MrWTD] | None:
        fitted = {}
        for number, loss in enumerate(losses):
            job.report(number / len(losses), f"{loss} loss")
            search = "auto" if lam == "auto" else None
            fitted[loss] = refit_with_loss(base, result.fitted_entries, loss, search, lambda _: job.cancelled)
            if job.cancelled:
                return None
        return fitted

    key, button = (result.key, "losses", lam), f"Fit with {len(losses)} losses"
    cost = compare_cache.fit_cost(result, base, searched=lam == "auto", fits=len(losses))
    return on_demand.compute(key, "Fitting the losses", work, cost, button, texts.FIT_LOSSES)


@cached_data(max_entries=20)
def _standings(result: Result, models: Keyed[dict[str, MrWTD]]) -> pd.DataFrame:
    return standings_on_split(models.value, result.scored)


def _numbers(fractions: pd.DataFrame, scores: pd.Series) -> None:
    """The fractions of ties and non-ties on each side of the margin, as a table."""
    metric = main_metric("binary")
    columns = {metric.label: scores}
    config = {metric.label: st.column_config.NumberColumn(format="%.3f", help=metric.help)}
    for truth, (label, pairs) in TRUTHS.items():
        rows = fractions[fractions["truth"] == truth].set_index("method")
        for side, words in SIDES.items() if len(rows) else ():
            name = f"{label}: {words}"
            columns[name] = 100 * rows[side]
            config[name] = st.column_config.NumberColumn(format="%.1f%%", help=texts.SIDE_HELP.format(pairs=pairs))
    table = pd.DataFrame(columns).reindex(fractions["method"].unique()).rename_axis("Loss")
    with st.expander("The same in numbers", icon=":material/table:"):
        st.dataframe(table, column_config=config, alt=texts.SIDES_ALT)
        figures.download_buttons("loss-lab", table.reset_index())
