"""The Predict page: two objects, the best unknown pairs, and an object that is new."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from mrwtd.evaluation.answers import best_unknown, between, unanswered_pairs
from mrwtd.evaluation.trust import MEANING

from .. import asking, datasets, figures, inputs, reasons, scored, session
from ..caching import cached_data
from ..results import Result
from ..words import plain
from . import newcomers, wording

TOPS = ("50", "100", "500", "1000")


def sections(result: Result) -> None:
    """The page, below its title: one of its three questions."""
    views: dict[str, Callable[[Result, str, str], None]] = {
        "Two objects": _two,
        "Best unknown pairs": _best,
        "A new object": newcomers.section,
    }
    question, how, which = st.columns([5, 2, 2], vertical_alignment="bottom")
    with question:
        view = inputs.choose(
            "What do you want to know?", "predict.view", list(views), style="buttons",
            hint="How two objects relate, which ties are likely and not known, or how somebody new fits in.",
        )  # fmt: skip
    with how:
        label = inputs.choose("Method", "method", list(result.models))
    within = datasets.choices(result.data_name)
    with which:
        relation = inputs.choose("Relation", "relation", within.relations, begin=within.begin)
    views[view](result, label, relation)


def _two(result: Result, label: str, relation: str) -> None:
    """Every relation between two objects: prediction, what is known, and why."""
    objects = result.data.objects
    one, turn, other = st.columns([4, 1, 4], vertical_alignment="bottom")
    with one:
        source = asking.ask_object("From", "predict.source", objects, begin=objects[0])
    with other:
        target = asking.ask_object("To", "predict.target", objects, begin=objects[min(1, len(objects) - 1)])
    if source is None or target is None:
        return
    with turn:
        if st.button("Swap", icon=":material/swap_horiz:", width="stretch"):
            session.change(**{"predict.source": objects[target], "predict.target": objects[source]})
            st.rerun()
    if source == target:
        st.info("These are the same object: choose two different ones.", icon=":material/info:")
        return
    told = _between(result, label, source, target)
    table, why = st.columns([6, 5], gap="medium")
    with table:
        st.dataframe(
            wording.in_words(result.data, told),
            hide_index=True,
            height="content" if len(told) <= 10 else 388,
            column_config=wording.columns(),
            alt=f"What is predicted and known between {objects[source]} and {objects[target]}, a row a relation",
        )
        bars = wording.error_bars(label, result.models[label], told["spread"])
        figures.download("between", told, caption=bars)
        reasons.known_entries(result, label, objects[source], objects[target], relation)
    with why:
        own = result.data.relations[result.data.relation_index(relation)]
        st.markdown(f"**Why {reasons.pair(own, objects[source], objects[target])} in {plain(relation)}?**")
        reasons.factors(result, label, objects[source], objects[target], relation, "predict")
    wording.trust_note()


def _best(result: Result, label: str, relation: str) -> None:
    """The pairs that are likeliest and not known, to be filtered, sorted and taken away."""
    free = unanswered_pairs(result.data, relation)
    search, how_many, which, trusted = st.columns([3, 1.4, 3, 2], vertical_alignment="bottom")
    with search:
        text = inputs.write(
            "With",
            "predict.with",
            hint="Only pairs with an object whose name has this in it.",
            placeholder="Any object",
        )
    with how_many:
        top = int(inputs.choose("Best", "predict.top", TOPS, begin=1, hint="How many pairs to list."))
    with which:
        parts = ("training", "data")
        part = inputs.choose(
            "Pairs that are not in the …", "predict.part", parts, begin=1 if free else 0, style="buttons",
            show=lambda one: "training part" if one == "training" else "data at all",
            hint="Held-out pairs are in the data, so that their truth stands beside the prediction. "
            f"This relation has {free:,} pairs that the data does not answer.",
        )  # fmt: skip
    with trusted:
        sure = inputs.tick("Trusted only", "predict.sure", hint=MEANING)
    if part == "data" and not free:
        st.info("The data answers every pair of this relation. Look at those outside the training part.")
        return
    told = _unknown(result, label, relation, top, part == "data")
    chosen = told[_named(told, text) & ((told["doubt"] == "") | (not sure))]
    if chosen.empty:
        st.info("No pair is left: take fewer conditions, or more pairs.", icon=":material/filter_alt:")
        wording.trust_note()
        return
    own = result.data.relations[result.data.relation_index(relation)]
    shown = wording.in_words(result.data, chosen).drop(columns="relation")
    shown.insert(0, "from" if own.directed else "one", chosen["source"])
    shown.insert(1, "to" if own.directed else "other", chosen["target"])
    shown.insert(2, "score", chosen["score"])
    st.dataframe(
        shown,
        hide_index=True,
        height=400,
        column_config=wording.columns(),
        alt=f"The best pairs of {relation} that are not known, the likeliest first",
    )
    bars = wording.error_bars(label, result.models[label], told["spread"])
    figures.download(
        f"best-{relation}",
        chosen,
        caption=f"{len(chosen):,} of the best {len(told):,} pairs. Click a column to sort. {bars}",
    )
    wording.trust_note()


def _named(told: pd.DataFrame, text: str) -> pd.Series:
    """Which pairs have an object whose name has the text in it."""
    wanted = text.strip().casefold()
    found: pd.Series = told["source"].str.casefold().str.contains(wanted, regex=False) | told[
        "target"
    ].str.casefold().str.contains(wanted, regex=False)
    return found


@cached_data(max_entries=200)
def _between(result: Result, label: str, source: int, target: int) -> pd.DataFrame:
    trust = scored.trusted(result, label)
    return between(result.models[label], result.train, result.test, trust, source, target)


@cached_data(max_entries=60, show_spinner="Ranking the pairs …")
def _unknown(result: Result, label: str, relation: str, top: int, unanswered: bool) -> pd.DataFrame:
    trust = scored.trusted(result, label)
    return best_unknown(result.models[label], result.train, result.test, trust, relation, top, unanswered=unanswered)
