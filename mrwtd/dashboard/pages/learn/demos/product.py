"""The decomposition on live numbers: one entry of X_k multiplied out, and the part of the model around it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .....data.relational import RelationalData
from .....model.explanation import factor_frame, member_terms
from .....model.factor_model import FactorModel
from .....model.method import Method
from .....typing import Array

MOST_OBJECTS = 10
"""How many objects the picture has room for."""


@dataclass(frozen=True)
class Product:
    """x = a_i R_k a_jᵀ + b_k for one pair.

    Attributes:
        source, target, relation: which entry.
        a_i, R, a_j, bias: what is multiplied, and what is added.
        halfway: a_i R_k, the first of the two products.
        terms: a frame of a_i[f] R[f, g] a_j[g], strongest first: source_factor, target_factor, contribution.
        x: the result.
        predicted: φ(x), in the unit of the data.
        probability: P(tie), where the loss gives one, else NaN.
        trained, held: the value of the pair among the training and the held-out entries, None where it is not there.
    """

    source: str
    target: str
    relation: str
    a_i: Array
    R: Array
    a_j: Array
    bias: float
    halfway: Array
    terms: list[tuple[int, int, float]]
    x: float
    predicted: float
    probability: float
    trained: float | None
    held: float | None

    @property
    def product(self) -> float:
        """a_i R_k a_jᵀ, without the bias."""
        return self.x - self.bias


@dataclass(frozen=True)
class Window:
    """As much of a model as a picture has room for.

    Attributes:
        objects: their names.
        A: a row each.
        R: of the relation.
        bias: of the relation.
        known: the training values of all pairs of them, NaN where there is none; 1 and 0 in binary relations.
        x: what the model reconstructs for all pairs of them.
    """

    objects: tuple[str, ...]
    A: Array
    R: Array
    bias: float
    known: Array
    x: Array


def drawable(models: dict[str, Method], first: str) -> str | None:
    """The label of the model to take apart: the one asked for, else the first with factors A and R_k.

    >>> drawable({}, "MrWTD") is None
    True
    """
    order = [label for label in (first, *models) if isinstance(models.get(label), FactorModel)]
    return order[0] if order else None


def multiply(
    model: FactorModel,
    relation: str,
    source: str,
    target: str,
    train: RelationalData,
    test: RelationalData | None = None,
) -> Product:
    """One entry, multiplied out.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> found = multiply(mrwtd.MrWTD(rank=2, lam=1.0).fit(data), "marriage", "Medici", "Ridolfi", data)
    >>> bool(np.isclose(found.halfway @ found.a_j + found.bias, found.x)), found.trained
    (True, 1.0)
    """
    i, j, k = model.objects_.index(source), model.objects_.index(target), train.relation_index(relation)
    a_i, R, a_j, bias = model.A_[i], model.R_[k], model.A_[j], float(model.b_[k])
    halfway = a_i @ R
    entry = _pair(model, k, i, j)
    terms = factor_frame(member_terms(model.A_, R, model.A_, i, j))
    return Product(
        source,
        target,
        relation,
        a_i,
        R,
        a_j,
        bias,
        halfway,
        [(int(f), int(g), float(term)) for f, g, term in terms.to_numpy()],
        float(halfway @ a_j) + bias,
        float(model.predict(entry)[0]),
        float(model.predict_proba(entry)[0]),
        value_at(train, k, i, j),
        None if test is None else value_at(test, k, i, j),
    )


def strongest_factors(product: Product, most: int) -> list[int]:
    """The factors with the largest terms in a product, in their own order; all of them where there are no more.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> model = mrwtd.MrWTD(rank=4, lam=1.0).fit(data)
    >>> len(strongest_factors(multiply(model, "marriage", "Medici", "Ridolfi", data), most=3))
    3
    """
    seen: dict[int, None] = {}
    for f, g, _ in product.terms:
        for one in (f, g):
            if len(seen) < most:
                seen.setdefault(one)
    return sorted(seen)


def around(model: FactorModel, relation: str, train: RelationalData, include: tuple[str, ...] = ()) -> Window:
    """The objects with most known ties in a relation, and those that must be there, in the order of the data.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> around(mrwtd.MrWTD(rank=2, lam=1.0).fit(data), "marriage", data).known.shape
    (10, 10)
    """
    k = train.relation_index(relation)
    at, y = train.slice(k), train.original_values(k)
    ties = y > 0 if train.relations[k].kind == "binary" else y != 0
    i, j = train.i[at], train.j[at]
    degree = np.bincount(np.concatenate([i[ties], j[ties]]), minlength=train.n_objects)
    must = [train.objects.index(name) for name in dict.fromkeys(include) if name in train.objects]
    rest = [int(one) for one in np.argsort(-degree, kind="stable")[: MOST_OBJECTS + len(must)] if one not in must]
    chosen = np.sort(np.array([*must, *rest][:MOST_OBJECTS]))
    place = np.full(train.n_objects, -1)
    place[chosen] = np.arange(chosen.size)
    inside = (place[i] >= 0) & (place[j] >= 0)
    known = np.full((chosen.size, chosen.size), np.nan)
    values = ties.astype(np.float64) if train.relations[k].kind == "binary" else y
    known[place[i[inside]], place[j[inside]]] = values[inside]
    if not train.relations[k].directed:
        known[place[j[inside]], place[i[inside]]] = values[inside]
    A, bias = model.A_[chosen], float(model.b_[k])
    names = tuple(train.objects[one] for one in chosen)
    return Window(names, A, model.R_[k], bias, known, A @ model.R_[k] @ A.T + bias)


def first_tie(window: Window) -> tuple[int, int]:
    """The place of a known tie between two objects, or of the first pair where there is none.

    >>> known = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> first_tie(Window(("a", "b"), np.ones((2, 1)), np.ones((1, 1)), 0.0, known, known))
    (1, 0)
    """
    ties = np.argwhere(np.nan_to_num(window.known) > 0)
    apart = ties[ties[:, 0] != ties[:, 1]]
    return (int(apart[0, 0]), int(apart[0, 1])) if len(apart) else (0, min(1, len(window.objects) - 1))


def value_at(data: RelationalData, k: int, i: int, j: int) -> float | None:
    """The known value of a pair, in the unit of people, or None.

    >>> import mrwtd
    >>> value_at(mrwtd.load_dataset("florentine"), 0, 0, 1)
    -1.0
    """
    at = data.slice(k)
    if not data.relations[k].directed and i > j:
        i, j = j, i
    found = np.flatnonzero((data.i[at] == i) & (data.j[at] == j))
    return float(data.original_values(k)[found[0]]) if found.size else None


def _pair(model: FactorModel, k: int, i: int, j: int) -> RelationalData:
    relation = model.relations_[k]
    if not relation.directed and i > j:
        i, j = j, i
    value = 1.0 if relation.kind == "binary" else 0.0
    return RelationalData(model.objects_, (relation,), [i], [j], [0], [value])
