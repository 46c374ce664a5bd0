"""The Network page: what is known, predicted and held out of one relation, on one layout."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from ....analysis.edges import tie_values
from ....analysis.interpretation import format_number
from ....plots.score_parts import operating_points
from ....runs import sampled_entries
from ....typing import Array
from ...state import current_run, keys, run_cache, session, user_datasets
from ...state.current_run import Result, split_description
from ...widgets import explanation_panel, figures, inputs, pickers
from ...widgets.formatting import decode_list, escape_markdown
from . import picture as drawing
from .selection import View, chosen_edge

NONE = "nothing"
"""No second method."""

KINDS = {"ordinal": "a scale of levels", "count": "a count", "real": "a number"}
"""What the values of each kind of relation are, where they are not just yes and no."""

NAMES: dict[str, bool | None] = {"if few": None, "always": True, "never": False}
"""Whether names are written; None leaves it to their number."""


def render() -> None:
    """Draw the page."""
    st.title("Network")
    result = current_run.current()
    relation, labels, focus = _controls(result)
    picture, side = st.columns([7, 3], gap="medium")
    with side:
        tie_from = _tie(result, relation)
        thresholds = _threshold(result, relation, labels, tie_from)
        view = View(result, relation, tie_from, labels, thresholds, *focus)
        _curve(view)
    with picture:
        _focus_line(view)
        drawing.draw(view)
    _why(view)


def _controls(
    result: Result,
) -> tuple[str, tuple[str, ...], tuple[tuple[str, ...], tuple[int, ...], bool, int, str, bool | None]]:
    """The row of menus on top."""
    data = result.data
    _meet_group()
    which, how, second, who, more = st.columns([2, 2, 2, 2.4, 1.3], vertical_alignment="bottom")
    within = user_datasets.choices(result.data_name)
    with which:
        relation = inputs.choose("Relation", "relation", within.relations, index=within.default_relation)
    with how:
        label = inputs.choose("Method", "method", list(result.models))
    others = [NONE, *(one for one in result.models if one != label)]
    with second:
        beside = inputs.choose(
            "Beside it",
            "network.second",
            others,
            help="A second method or loss, on the same layout: places can be compared.",
        )
    with who:
        centre = pickers.object_picker(
            "Around", "network.object", data.objects,
            help="An object and those it has edges with. A click on a node does the same.",
        )  # fmt: skip
    with more, st.popover("Options", width="stretch"):
        options = _options(result, relation, label)
    depth, layout, names, overlaid = options
    centres = (centre,) if centre is not None else _group(data.objects)
    labels = (label,) if beside == NONE else (label, beside)
    return relation, labels, (overlaid, centres, centre is None, depth, layout, names)


def _tie(result: Result, relation: str) -> float:
    """From which value on a relationship is a tie: asked where the relation has values."""
    ties = tie_values(result.data, relation)
    if len(ties) == 1:
        return next(iter(ties.values()))
    kind = result.data.relations[result.data.relation_index(relation)].kind
    chosen = inputs.choose(
        "Counts as a tie", "network.tie", list(ties),
        format_func=lambda one: f"{one}: {format_number(ties[one])} or more" if one.startswith("upper") else one,
        help=f"This relation is {KINDS[kind]}: a pair with such a value is an edge, and predicted to be one where its "
        "score is high.",
    )  # fmt: skip
    return ties[chosen]


def _options(result: Result, relation: str, label: str) -> tuple[int, str, bool | None, tuple[str, ...]]:
    depth = inputs.choose(
        "Steps around an object", "network.depth", ("1", "2"), style="buttons",
        help="1: it and its neighbours. 2: their neighbours too.",
    )  # fmt: skip
    layout = inputs.choose(
        "Layout", "network.layout", run_cache.layouts(result, label, relation),
        help="Spring: ties pull. Spectral: by the eigenvectors of the ties. Embedding: by the factors of the model.",
    )  # fmt: skip
    names = inputs.choose(
        "Names", "network.names", tuple(NAMES), style="buttons",
        help="Whether the names of objects are written beside their nodes.",
    )  # fmt: skip
    others = [own.name for own in result.data.relations if own.name != relation]
    overlaid = pickers.multi_picker(
        "Overlay relations", "network.overlay", others,
        help="Draw further relations in colours of their own, each at its usual threshold.",
    )  # fmt: skip
    return int(depth), layout, NAMES[names], tuple(overlaid)


def _meet_group() -> None:
    """A group that another page has sent takes the place of the object that was looked at before."""
    group = str(session.settings().get("network.group") or "")
    if group != st.session_state.get(keys.SENT, ""):
        st.session_state[keys.SENT] = group
        if group:
            session.change(**{"network.object": ""})


def _group(objects: tuple[str, ...]) -> tuple[int, ...]:
    """The group that another page sent here."""
    wanted = str(session.settings().get("network.group") or "")
    at = {name: position for position, name in enumerate(objects)} if wanted else {}
    return tuple(at[name] for name in decode_list(wanted) if name in at)


def _threshold(result: Result, relation: str, labels: tuple[str, ...], tie_from: float) -> tuple[float, ...]:
    """The slider, in the score of the first method; a second one predicts as many of the held-out pairs."""
    own = run_cache.scored_pairs(result, labels[0], relation, tie_from)
    low, high, step = _scale(own.score)
    begin = min(max(round(own.threshold_for(own.train_tie_fraction) / step) * step, low), high)
    threshold = inputs.slider(
        "Threshold", "network.threshold", low, high, step, begin,
        help="A pair with at least this score is predicted to be a tie. It begins where as large a share is predicted "
        "as are ties in training.",
    )  # fmt: skip
    share = own.fraction_above(threshold)
    rest = [run_cache.scored_pairs(result, label, relation, tie_from).threshold_for(share) for label in labels[1:]]
    return (threshold, *rest)


def _scale(scores: Array) -> tuple[float, float, float]:
    """Ends and step of a slider over scores, in round numbers.

    >>> import numpy as np
    >>> _scale(np.array([-1.234, 2.5]))
    (-1.24, 2.52, 0.02)
    """
    low, high = (float(scores.min()), float(scores.max())) if scores.size else (0.0, 1.0)
    step = 10.0 ** math.floor(math.log10(max(high - low, 1e-6) / 200))
    step = next(step * by for by in (1, 2, 5, 10) if (high - low) / (step * by) <= 250)
    digits = max(0, -math.floor(math.log10(step)))
    first, last = math.floor(low / step) * step, (math.floor(high / step) + 1) * step
    return round(first, digits), round(last, digits), round(step, digits)


def _curve(view: View) -> None:
    """Precision and recall at the threshold, as a point on the curve, and the counts behind it."""
    curves, scores, points, lines = [], {}, {}, []
    base_rate = math.nan
    for label, threshold in zip(view.labels, view.thresholds, strict=True):
        pairs = view.pairs(label)
        found = pairs.counts(threshold)
        base_rate = found.base_rate
        curves.append(pairs.curve().assign(method=label))
        scores[label] = pairs.average_precision()
        points[label] = (found.recall, found.precision)
        name = f"**{escape_markdown(label)}** " if len(view.labels) > 1 else ""
        lines.append(
            f"{name}{_count(found.hits, 'hit')}, {_count(found.false_alarms, 'false alarm')}, {found.misses:,} missed: "
            f"precision {f'{found.precision:.0%}' if found.hits + found.false_alarms else '–'}, "
            f"recall {found.recall:.0%}."
        )
    if not 0 < base_rate < 1:
        st.info("The held-out pairs are all of one kind: there is no curve to draw.", icon=":material/info:")
        return
    drawn = pd.concat(curves)
    figures.show(
        lambda: operating_points(drawn, base_rate, scores, points, dark=figures.dark()),
        "network-curve",
        cache_key=(view.result.key, view.relation, view.tie_from, view.labels, view.thresholds),
        alt=f"Precision and recall of {' and '.join(view.labels)} for {view.relation}, with the point at the threshold",
        height=250,
        data=drawn,
        caption="Legend: AUPRC, the area under the curve. Guessing: the share of ties."
        + (" Of all test entries: Train and Compare score a sample." if sampled_entries(view.result.scores) else ""),
    )
    st.markdown("  \n".join(lines), help="Precision: of the pairs called ties, the share that are. Recall: of the "
                "ties, the share that is called so.")  # fmt: skip
    st.caption(_words(view))


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _words(view: View) -> str:
    how = split_description(view.result.run)
    said = f"Of the held-out pairs. {how} The point moves along the curve with the threshold."
    chance = run_cache.probability(view.result, view.labels[0], view.relation, view.thresholds[0])
    if not math.isnan(chance):
        said += f" A score of {view.thresholds[0]:.2f} is a probability of {chance:.0%}."
    if len(view.labels) > 1:
        said += f" {view.labels[1]} predicts as many of them, at its own score {view.thresholds[1]:.2f}."
    return escape_markdown(said)


def _focus_line(view: View) -> None:
    """Whose neighbourhood is shown, and the way back."""
    if not view.centres:
        return
    objects = view.result.data.objects
    says, back = st.columns([4, 1.3], vertical_alignment="center")
    if not view.grouped:
        steps = "a step" if view.depth == 1 else "two steps"
        says.markdown(f"**{escape_markdown(objects[view.centres[0]])}** and what is within {steps} of it.")
        grouped = bool(session.settings().get("network.group"))
        if back.button("The group" if grouped else "Whole network", icon=":material/zoom_out_map:", width="stretch"):
            session.change(**{"network.object": ""})
            st.rerun()
    else:
        names = ", ".join(escape_markdown(objects[at]) for at in view.centres[:6]) + " …" * (len(view.centres) > 6)
        says.markdown(f"A group of {len(view.centres)} with its neighbourhood: {names}")
        if back.button("Clear the group", icon=":material/close:", width="stretch"):
            session.change(**{"network.group": ""})
            st.rerun()


def _why(view: View) -> None:
    """Why an edge that was clicked is there, or is not."""
    objects = view.result.data.objects
    chosen = chosen_edge(len(objects))
    if chosen is None:
        st.caption("Click an edge to see why it is predicted; click a node to see what is around it.")
        return
    own = view.result.data.relations[view.result.data.relation_index(view.relation)]
    source, target = (objects[at] for at in chosen)
    said, close = st.columns([6, 1], vertical_alignment="center")
    said.subheader(f"Why {explanation_panel.pair_text(own, source, target)}?", anchor=False)
    if close.button("Close", icon=":material/close:", type="tertiary"):
        session.change(**{"network.edge": ""})
        st.rerun()
    explanation_panel.section(view.result, view.labels[0], source, target, view.relation, "network")
