"""What the views of the Embedding page share: the method, the relation, the factors, and what colours stand for."""

from __future__ import annotations

import html

import numpy as np
import pandas as pd
import streamlit as st

from ....analysis import latent_factors as evaluation
from ....analysis.clustering import Clusters, cluster
from ....analysis.objects import DEGREE_LABELS, degree, held_out_error
from ....analysis.projection import Projection, project
from ....analysis.rotation import Rotation, principal_axes
from ....plots.embedding_map import MAX_CLASSES, Colouring
from ....plots.embedding_map import legend as classes_of
from ....typing import Array
from ...state import user_datasets
from ...state.caches import Keyed, cached_data
from ...state.current_run import Result
from ...widgets import inputs

ATTRIBUTE = "attribute "
"""Begins the name of a colour that is an attribute of the data; the attribute's name follows."""

COLOURS = {"cluster": "cluster", "degree": "degree", "error": "held-out error"}
"""What objects can be coloured by whatever the data."""


MOST_LETTERS = 110
"""About so many letters are three lines of a legend in a small figure."""


def labels(result: Result) -> list[str]:
    """The methods of a run that have factors."""
    first = result.data.relations[0].name
    return [label for label, model in result.models.items() if evaluation.latent_factors(model, first) is not None]


def choose_method(result: Result) -> str:
    """The method whose factors are shown."""
    return inputs.choose("Method", "method", labels(result))


def choose_relation(result: Result) -> str:
    """The relation that degree, error and predictions are of."""
    names = [relation.name for relation in result.data.relations]
    begin = names.index(relation_of(result))
    return inputs.choose(
        "Relation", "relation", names, index=begin, help="Degree, error and predictions are of this one."
    )


def relation_of(result: Result) -> str:
    """The relation that is looked at: the one chosen, or the one that the data set begins with."""
    within = user_datasets.choices(result.data_name)
    return within.relations[within.default_relation]


def choose_colour(result: Result) -> str:
    """What the colours stand for."""
    options = (*(f"{ATTRIBUTE}{name}" for name in attributes(result.data.attributes)), "degree", "error", "cluster")
    return inputs.choose(
        "Colour by",
        "embedding.colour",
        options,
        format_func=lambda name: name.removeprefix(ATTRIBUTE) if name.startswith(ATTRIBUTE) else COLOURS[name],
        help="An attribute of the data, how much an object takes part in the relation, how badly its held-out entries "
        "are predicted, or groups of near objects (k-means, as many as the silhouette likes best).",
    )


def attributes(frame: pd.DataFrame) -> tuple[str, ...]:
    """The attributes worth colouring by: few classes first, then numbers, then classes that must share colours.

    Numbers have to vary, and classes to put at least two objects together.

    >>> attributes(pd.DataFrame({"age": [1.5, 2.0, 3.0], "name": ["a", "b", "c"], "team": ["x", "x", "y"], "one": 1}))
    ('team', 'age')
    """
    counts = frame.nunique()
    numbers = {name for name in frame.columns if pd.api.types.is_numeric_dtype(frame[name])}
    found = [name for name in frame.columns if counts[name] > 1 and (counts[name] < len(frame) or name in numbers)]
    found.sort(key=lambda name: 1 if name in numbers else 0 if counts[name] <= MAX_CLASSES else 2)
    return tuple(map(str, found))


def of(result: Result, label: str, relation: str) -> evaluation.LatentFactors | None:
    """The factors of a method; of one that learns each relation alone, those of the relation."""
    return evaluation.latent_factors(result.models[label], relation)


def factors(result: Result, label: str, relation: str, found: evaluation.LatentFactors) -> Keyed[Array]:
    """A, for the caches below: where relations share it, it is the same for all of them."""
    return Keyed((result.key, label, "" if found.shared else relation), found.A)


@cached_data(max_entries=60)
def rotation(factors: Keyed[Array]) -> Rotation:
    """The principal axes of the factors."""
    return principal_axes(factors.value)


@cached_data(max_entries=60, show_spinner="Placing the objects …")
def projected(factors: Keyed[Array], how: str, dimensions: int, perplexity: float) -> Projection:
    """The rows of A as points."""
    return project(factors.value, how, dimensions, perplexity=perplexity)


def colouring(result: Result, label: str, relation: str, colour: str) -> Colouring:
    """What one of the options of `choose_colour` stands for."""
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
    found = groups(result, label, relation)
    names = [f"cluster {number + 1}" for number in range(found.count)]
    return Colouring("k-means", classes=[names[own] for own in found.labels], order=names)


def groups(result: Result, label: str, relation: str) -> Clusters:
    """The objects in groups of near ones."""
    found = of(result, label, relation)
    assert found is not None  # only methods with factors are offered
    return _clusters(factors(result, label, relation, found))


def legend(colouring: Colouring) -> None:
    """The classes beside a figure, or for several: within them it would leave little room for the points."""
    marks = {"circle": "●", "diamond": "◆", "square": "■", "cross": "✚"}
    entries = [
        f'<span style="white-space: nowrap; margin-right: 1rem"><span style="color: {colour}" aria-hidden="true">'
        f"{marks[symbol]}</span> {html.escape(name)}</span>"
        for name, colour, symbol in classes_of(colouring)
    ]
    if entries:
        st.html(" ".join(entries))


def few(colouring: Colouring) -> bool:
    """Whether there are classes, and their legend finds room in each of several small figures.

    >>> few(Colouring("team", classes=["red", "blue"])), few(Colouring("age", numbers=np.zeros(2)))
    (True, False)
    """
    return 0 < sum(len(name) + 6 for name, *_ in classes_of(colouring)) <= MOST_LETTERS


def two_sided(result: Result, label: str) -> bool:
    """Whether an object of a method has factors as a source, and others as a target."""
    return hasattr(result.models[label], "U_")


@cached_data(max_entries=60)
def degrees(result: Result, relation: str) -> Array:
    """How much each object takes part in a relation."""
    return degree(result.data, relation)


@cached_data(max_entries=60)
def _errors(result: Result, label: str, relation: str) -> Array:
    return held_out_error(result.models[label], result.test, relation)


@cached_data(max_entries=60, show_spinner="Looking for groups …")
def _clusters(factors: Keyed[Array]) -> Clusters:
    return cluster(factors.value)
