"""Shared by the sections of the Embedding page: menus, factors, and the meaning of colours."""

import html

import numpy as np
import pandas as pd
import streamlit as st

from ....analysis import latent_factors
from ....analysis.clustering import Clusters, cluster
from ....analysis.interpretation import effects
from ....analysis.latent_factors import LatentFactors
from ....analysis.objects import DEGREE_LABELS, degree, held_out_error
from ....analysis.projection import Projection, Rotation, principal_axes, project
from ....data.relational import RelationalData
from ....plots.embedding_map import MAX_CLASSES, Colouring
from ....plots.embedding_map import legend as legend_entries
from ....plots.ordering import sortable_attributes
from ....typing import Array
from ...state import session
from ...state.caches import Keyed, cached_data
from ...state.current_run import Result
from ...widgets import inputs, pickers
from . import embedding_texts as texts

ATTRIBUTE = "attribute "
"""The prefix of a colour option that is an attribute of the data."""

COLOURS = {"degree": "degree", "error": "held-out error", "cluster": "cluster"}
"""Colour options that every data set has, with their labels."""

LEGEND_LETTERS = 110
"""Letters that fit into three lines of a legend in a small figure."""

MENUS_WIDTH = 600
"""Pixels of a row of two menus."""

MARKS = {"circle": "●", "diamond": "◆", "square": "■", "cross": "✚"}


def offer_training(message: str, button: str, icon: str) -> None:
    """Say why there is nothing to show, with a button that opens the Train page."""
    st.info(message, icon=icon)
    if st.button(button, type="primary"):
        session.go("train")


def methods_with_factors(result: Result) -> list[str]:
    """The methods of a run that have factors."""
    models, relation = result.models.items(), result.data.relations[0].name
    return [label for label, model in models if latent_factors.latent_factors(model, relation) is not None]


def choose_method(result: Result) -> str:
    """The menu of methods that have factors."""
    return inputs.choose("Method", "method", methods_with_factors(result))


def choose_relation(result: Result) -> str:
    """The menu of relations."""
    return pickers.relation_picker(result.data_name, help=texts.RELATION_HELP)


def choose_colour(result: Result) -> str:
    """The menu of colour options."""
    names = {f"{ATTRIBUTE}{name}": name for name in attributes(result.data)} | COLOURS
    if not result.is_tested:
        del names["error"]
    return inputs.choose("Colour by", "embedding.colour", names, help=texts.COLOUR_HELP)


def attributes(data: RelationalData) -> list[str]:
    """The attributes to colour by: first those with few classes, then numbers, then those with many classes.

    >>> import mrwtd
    >>> attributes(mrwtd.load_dataset("aucs"))
    ['group', 'role']
    """

    def priority(name: str) -> int:
        column = data.attributes[name]
        return 1 if pd.api.types.is_numeric_dtype(column) else 0 if column.nunique() <= MAX_CLASSES else 2

    return sorted(sortable_attributes(data), key=priority)


def factors(result: Result, label: str, relation: str) -> Keyed[LatentFactors]:
    """The factors of a method, with a key for caches that is the same for all relations that share A."""
    latent = latent_factors.latent_factors(result.models[label], relation)
    assert latent is not None  # menus list only methods with factors
    return Keyed((result.key, label, "" if latent.shared else relation), latent)


@cached_data(max_entries=60)
def rotation(factors: Keyed[LatentFactors]) -> Rotation:
    """The principal axes of the factors."""
    return principal_axes(factors.value.A)


def principal_points(factors: Keyed[LatentFactors]) -> Array:
    """The objects on the principal axes of their factors."""
    return rotation(factors).transform(factors.value.A)


def cells(factors: Keyed[LatentFactors], relation: str) -> tuple[Array, Array]:
    """The effect of each pair of factors in a relation, and the relation itself, both on principal axes."""
    R = rotation(factors).transform_relations(factors.value.R[relation])
    return effects(principal_points(factors), R), R


@cached_data(max_entries=60, show_spinner="Placing the objects …")
def projected(factors: Keyed[LatentFactors], how: str, dimensions: int, perplexity: float) -> Projection:
    """The rows of A as points in two or three dimensions."""
    return project(factors.value.A, how, dimensions, perplexity=perplexity)


@cached_data(max_entries=60, show_spinner="Looking for clusters …")
def clusters(factors: Keyed[LatentFactors]) -> Clusters:
    """The objects in clusters of similar factors."""
    return cluster(factors.value.A)


@cached_data(max_entries=60)
def degrees(result: Result, relation: str) -> Array:
    """The degree of each object in a relation."""
    return degree(result.data, relation)


def colouring(result: Result, label: str, relation: str, colour: str) -> Colouring:
    """The values that an option of `choose_colour` stands for."""
    if colour.startswith(ATTRIBUTE):
        name = colour.removeprefix(ATTRIBUTE)
        column = result.data.attributes[name]
        if pd.api.types.is_numeric_dtype(column):
            return Colouring(name, numbers=column.to_numpy(dtype=np.float64, na_value=np.nan))
        return Colouring(name, classes=[None if pd.isna(value) else str(value) for value in column])
    if colour == "degree":
        kind = result.data.relations[result.data.relation_index(relation)].kind
        return Colouring(f"{DEGREE_LABELS[kind]}, {relation}", numbers=degrees(result, relation))
    if colour == "error":
        return Colouring(f"held-out error, {relation}", numbers=_errors(result, label, relation))
    groups = clusters(factors(result, label, relation))
    names = [f"cluster {number + 1}" for number in range(groups.count)]
    return Colouring("k-means", classes=[names[number] for number in groups.labels], order=names)


@cached_data(max_entries=60)
def _errors(result: Result, label: str, relation: str) -> Array:
    return held_out_error(result.models[label], result.test, relation)


def legend(colouring: Colouring) -> None:
    """A legend outside of the figure, where it leaves more room for the points."""
    entries = [
        f'<span style="white-space: nowrap; margin-right: 1rem"><span style="color: {colour}" aria-hidden="true">'
        f"{MARKS[symbol]}</span> {html.escape(name)}</span>"
        for name, colour, symbol in legend_entries(colouring)
    ]
    if entries:
        st.html(" ".join(entries))


def legend_fits(colouring: Colouring) -> bool:
    """Whether there is a legend that fits into a small figure.

    >>> legend_fits(Colouring("team", classes=["red", "blue"])), legend_fits(Colouring("age", numbers=np.zeros(2)))
    (True, False)
    """
    return 0 < sum(len(name) + 6 for name, *_ in legend_entries(colouring)) <= LEGEND_LETTERS


def stacked(column: str, tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Tables below each other, with their names in a first column.

    >>> stacked("team", {"red": pd.DataFrame({"x": [1]}), "blue": pd.DataFrame({"x": [2]})}).to_numpy().tolist()
    [['red', 1], ['blue', 2]]
    """
    return pd.concat(tables, names=[column]).reset_index(level=0, allow_duplicates=True)
