"""The panel beside the map: an object with its factors, neighbours and predictions, or a group of objects."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from ....analysis.groups import distinguishing_features
from ....analysis.interpretation import format_number
from ....analysis.latent_factors import LatentFactors
from ....analysis.objects import DEGREE_LABELS, nearest_objects, strongest_unknown
from ....plots.matrices import factor_bars, factor_table
from ....typing import IndexArray
from ...state import keys, session
from ...state.caches import Keyed, cached_data
from ...state.current_run import Result
from ...widgets import figures
from ...widgets.formatting import encode_list, escape_markdown
from . import embedding_texts as texts
from . import factor_data

MAX_NETWORK = 60
"""Objects of a group that the Network page shows at most: more would be unreadable."""

MAX_NAMED = 30
"""Members of a group that are named at most; the download has all of them."""

MAX_RELATIONS = 60
"""Relations that are searched for the strongest predictions at most."""


def show_object(result: Result, label: str, relation: str, factors: Keyed[LatentFactors], row: int) -> None:
    """Draw what is known and predicted about one object."""
    data = result.data
    name = data.objects[row]
    facts = [f"{column}: {value}" for column, value in data.attributes.iloc[row].dropna().items()]
    degree = factor_data.degrees(result, relation)[row]
    kind = data.relations[data.relation_index(relation)].kind
    facts.append(f"{DEGREE_LABELS[kind]} in {relation}: " + ("unknown" if np.isnan(degree) else format_number(degree)))
    st.markdown(f"#### {escape_markdown(name)}")
    st.caption(" · ".join(escape_markdown(fact) for fact in facts))
    predicted, neighbours, bars = st.tabs(["Predicted", "Neighbours", "Factors"])
    with predicted:
        _predictions(result, label, relation, name)
    with neighbours:
        table = nearest_objects(factors.value.A, row, top=10)
        table["object"] = [data.objects[other] for other in table["object"]]
        config = {"distance": st.column_config.NumberColumn(format="%.3f", help=texts.DISTANCE_HELP)}
        alt = f"The objects nearest to {name}"
        st.dataframe(table, hide_index=True, height="content", column_config=config, alt=alt)
    with bars:
        points = factor_data.principal_points(factors)
        figure, numbers = factor_bars(points[row], points, dark=figures.dark()), factor_table(points[row], points)
        alt, caption = f"The factors of {name} on principal axes", "Grey: the middle half of all objects."
        figures.show(figure, "factors-of-an-object", alt=alt, height=220, data=numbers, caption=caption)


def _predictions(result: Result, label: str, relation: str, name: str) -> None:
    """The strongest predicted relationships that are not in the training entries."""
    relations = {other.name: other for other in result.data.relations}
    names = dict.fromkeys([relation, *relations])
    rows = _strongest(result, label, name, tuple(names)[:MAX_RELATIONS])
    outward = rows["source"] == name
    directed = rows["relation"].map({other: relations[other].directed for other in names})
    binary = rows["relation"].map({other: relations[other].kind == "binary" for other in names}).astype(bool)
    arrows = np.where(directed, np.where(outward, "to ", "from "), "")
    table = pd.DataFrame(
        {
            "relation": rows["relation"],
            "with": arrows + np.where(outward, rows["target"], rows["source"]).astype(object),
            "probability": 100 * rows["probability"],
            "prediction": rows["prediction"],
        }
    )
    if table["probability"].isna().all():
        table = table.drop(columns="probability")
    elif binary.all():
        table = table.drop(columns="prediction")
    else:
        table["prediction"] = table["prediction"].mask(binary)
    config = {
        "probability": st.column_config.ProgressColumn(
            format="%.0f%%", min_value=0, max_value=100, help=texts.TIE_HELP
        ),
        "prediction": st.column_config.NumberColumn(help=texts.VALUE_HELP),
    }
    alt = f"The strongest predicted relationships of {name}"
    shown = table.style.format({"prediction": partial(format_number, digits=4), "probability": "{:.0f}%"}, na_rep="–")
    st.dataframe(shown, hide_index=True, height=282, column_config=config, placeholder="–", alt=alt)


@cached_data(max_entries=200)
def _strongest(result: Result, label: str, name: str, relations: tuple[str, ...]) -> pd.DataFrame:
    return strongest_unknown(result.models[label], name, result.train, top=3, relations=relations)


def show_group(result: Result, factors: Keyed[LatentFactors], members: IndexArray) -> None:
    """Draw the members of a group and what distinguishes it."""
    data = result.data
    names = [data.objects[row] for row in members]
    st.markdown(f"#### {len(names):,} objects")
    rest = f" and {len(names) - MAX_NAMED:,} more" if len(names) > MAX_NAMED else ""
    st.caption(", ".join(escape_markdown(name) for name in names[:MAX_NAMED]) + rest)
    left, right = st.columns(2)
    if left.button("Show in Network", type="primary", icon=":material/hub:", width="stretch", help=texts.NETWORK_HELP):
        session.go("network", **{"network.group": encode_list(names[:MAX_NETWORK])})
    clear = partial(st.session_state.pop, keys.GROUP, None)
    right.button("Clear selection", icon=":material/close:", width="stretch", on_click=clear)
    if len(names) > MAX_NETWORK:
        st.caption(f"The network shows the first {MAX_NETWORK} of them.")
    st.markdown("**What distinguishes them**")
    findings = distinguishing_features(data, factor_data.principal_points(factors), members)["description"]
    st.markdown("\n".join(f"- {escape_markdown(finding)}" for finding in findings) or texts.NOTHING_DISTINGUISHES)
    table = data.attributes.iloc[members].reset_index(drop=True)
    table.insert(0, "object", names, allow_duplicates=True)
    figures.download_buttons("group", table)
