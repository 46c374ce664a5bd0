"""One entry of X_k multiplied out, and the part of the model around it."""

from dataclasses import dataclass

import numpy as np

from .....data.relational import RelationalData
from .....evaluation.prediction_table import entries_to_predict
from .....model.explanation import factor_frame, member_terms
from .....model.factor_model import FactorModel
from .....typing import Array

MAX_OBJECTS = 10
"""The number of objects that a figure has room for."""


@dataclass(frozen=True)
class Product:
    """x = a_i R_k a_jᵀ + b_k for one pair.

    Attributes:
        source, target, relation: the entry.
        a_i, R, a_j, bias: the factors and the bias.
        terms: factor f, factor g and a_i[f] R[f, g] a_j[g], strongest first.
        x: the score.
        predicted: φ(x), in the unit of the data.
        probability: P(tie), NaN if the loss does not give one.
        trained, held_out: the value of the pair among the training and the held-out entries, None if it is not there.
    """

    source: str
    target: str
    relation: str
    a_i: Array
    R: Array
    a_j: Array
    bias: float
    terms: list[tuple[int, int, float]]
    x: float
    predicted: float
    probability: float
    trained: float | None
    held_out: float | None


@dataclass(frozen=True)
class Window:
    """The part of a model that a figure has room for.

    Attributes:
        objects: the names of the objects.
        A: their factors, one row per object.
        R: the table of the relation.
        known: the training values of all pairs, NaN where unknown; 1 and 0 in binary relations.
        x: the scores of all pairs.
    """

    objects: tuple[str, ...]
    A: Array
    R: Array
    known: Array
    x: Array


def multiply(
    model: FactorModel,
    relation: str,
    source: str,
    target: str,
    train: RelationalData,
    test: RelationalData | None = None,
) -> Product:
    """Multiply one entry out.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> entry = multiply(mrwtd.MrWTD(rank=2, lam=1.0).fit(data), "marriage", "Medici", "Ridolfi", data)
    >>> bool(np.isclose(entry.a_i @ entry.R @ entry.a_j + entry.bias, entry.x)), entry.trained
    (True, 1.0)
    """
    i, j, k = model.objects_.index(source), model.objects_.index(target), train.relation_index(relation)
    a_i, R, a_j, bias = model.A_[i], model.R_[k], model.A_[j], float(model.b_[k])
    entry = entries_to_predict(train, [i], [j], [k])
    frame = factor_frame(member_terms(model.A_, R, model.A_, i, j))
    terms = [(int(f), int(g), float(term)) for f, g, term in frame.to_numpy()]
    x = float(a_i @ R @ a_j) + bias
    predicted, probability = float(model.predict(entry)[0]), float(model.predict_proba(entry)[0])
    trained, held_out = known_value(train, entry), None if test is None else known_value(test, entry)
    return Product(source, target, relation, a_i, R, a_j, bias, terms, x, predicted, probability, trained, held_out)


def strongest_factors(product: Product, count: int) -> list[int]:
    """At most `count` factors with the largest terms in a product, in increasing order.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> model = mrwtd.MrWTD(rank=4, lam=1.0).fit(data)
    >>> len(strongest_factors(multiply(model, "marriage", "Medici", "Ridolfi", data), count=3))
    3
    """
    ranked = dict.fromkeys(factor for f, g, _ in product.terms for factor in (f, g))
    return sorted(list(ranked)[:count])


def window(model: FactorModel, relation: str, train: RelationalData, include: tuple[str, ...] = ()) -> Window:
    """The included objects and those with most known ties in a relation, in the order of the data.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> window(mrwtd.MrWTD(rank=2, lam=1.0).fit(data), "marriage", data).known.shape
    (10, 10)
    """
    k = train.relation_index(relation)
    entries, y, slice_ = train.slice(k), train.original_values(k), train.relations[k]
    ties = y > 0 if slice_.kind == "binary" else y != 0
    i, j = train.i[entries], train.j[entries]
    degree = np.bincount(np.concatenate([i[ties], j[ties]]), minlength=train.n_objects)
    included = [train.objects.index(name) for name in include if name in train.objects]
    ranked = dict.fromkeys([*included, *np.argsort(-degree, kind="stable").tolist()])
    chosen = np.sort(list(ranked)[:MAX_OBJECTS])
    inside = np.isin(i, chosen) & np.isin(j, chosen)
    rows, columns = np.searchsorted(chosen, i[inside]), np.searchsorted(chosen, j[inside])
    known = np.full((chosen.size, chosen.size), np.nan)
    known[rows, columns] = (ties if slice_.kind == "binary" else y)[inside]
    if not slice_.directed:
        known[columns, rows] = known[rows, columns]
    A = model.A_[chosen]
    names = tuple(train.objects[index] for index in chosen)
    return Window(names, A, model.R_[k], known, A @ model.R_[k] @ A.T + float(model.b_[k]))


def first_tie(window: Window) -> tuple[int, int]:
    """Row and column of a known tie between two objects, or of the first pair if there is none.

    >>> known = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> first_tie(Window(("a", "b"), np.ones((2, 1)), np.ones((1, 1)), known, known))
    (1, 0)
    """
    ties = np.argwhere(np.nan_to_num(window.known) > 0)
    ties = ties[ties[:, 0] != ties[:, 1]]
    return (int(ties[0, 0]), int(ties[0, 1])) if len(ties) else (0, min(1, len(window.objects) - 1))


def known_value(data: RelationalData, entry: RelationalData) -> float | None:
    """The known value of a pair, which is given as a single entry, in the unit of the data; or None.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> known_value(data, entries_to_predict(data, [1], [0], [0]))
    -1.0
    """
    k = int(entry.k[0])
    entries = data.slice(k)
    index = np.flatnonzero((data.i[entries] == entry.i) & (data.j[entries] == entry.j))
    return float(data.original_values(k)[index[0]]) if index.size else None
