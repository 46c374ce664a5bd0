"""New objects after training: their rows of A from their known entries, with everything else fixed."""

from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.optimize import minimize

from ..data.build import build
from ..data.relational import RelationalData
from ..data.relations import Relation
from ..data.table import Table, declarations
from ..errors import DataError, Problem
from ..typing import Array
from .layout import Factors
from .objective import Objective


def as_entries(
    entries: RelationalData | pd.DataFrame,
    objects: tuple[str, ...],
    relations: tuple[Relation, ...],
    object_types: tuple[str, ...] | None = None,
) -> RelationalData:
    """The entries of new objects as data of the known objects, in their order, and then the new ones."""
    frame = entries.to_frame() if isinstance(entries, RelationalData) else entries
    columns = [c for c in ("source", "relation", "target") if isinstance(frame, pd.DataFrame) and c in frame.columns]
    table = Table.from_frame(frame.assign(**{c: frame[c].astype(object) for c in columns}) if columns else frame)
    known = {relation.name: relation for relation in relations}
    unknown = [name for name in table.relations if name not in known]
    if unknown:
        raise DataError(Problem(f"the relation {unknown[0]!r}", f"one of {', '.join(map(repr, known))}"))
    known_objects = set(objects)
    names = np.array(table.objects, dtype=object)
    new = [name for name in table.objects if name not in known_objects]
    if not new:
        raise DataError(Problem("no new object", "entries of at least one object that was not in the training data"))
    is_new = np.array([name not in known_objects for name in table.objects])
    useless = np.flatnonzero(~(is_new[table.i] | is_new[table.j]))
    if useless.size:
        row = int(useless[0])
        pair = f"{names[table.i[row]]!r} – {names[table.j[row]]!r}"
        raise DataError(Problem(f"an entry of two known objects ({pair})", "entries with at least one new object"))
    wide = Table.from_names(
        names[table.i],
        [table.relations[k] for k in table.k],
        names[table.j],
        table.values,
        table.weights,
        objects=objects,
        relations=list(known),
        declared={relation.name: declarations(relation) for relation in relations},
    )
    if object_types is not None:
        wide = replace(wide, object_types=_types_of_all(wide, relations, dict(zip(objects, object_types, strict=True))))
    return build(wide).observed()


def _types_of_all(table: Table, relations: tuple[Relation, ...], known: dict[str, str]) -> dict[str, str]:
    """The types of the known objects, and of the new ones by the ends of the relations at which they are."""
    types = dict(known)
    for i, j, k in zip(table.i.tolist(), table.j.tolist(), table.k.tolist(), strict=True):
        for end, kind in zip((i, j), relations[k].types or (), strict=False):
            types.setdefault(table.objects[end], kind)
    return types


def fold_in(objective: Objective, factors: Factors) -> Factors:
    """The factors with additional rows for the new objects in the data of the objective."""
    n_known, rank = factors.A.shape
    n_new = objective.data.n_objects - n_known
    theta = objective.layout.pack(Factors(np.vstack([factors.A, np.zeros((n_new, rank))]), factors.R, factors.extras))
    new = slice(n_known * rank, (n_known + n_new) * rank)

    def value_and_gradient(rows: Array) -> tuple[float, Array]:
        theta[new] = rows
        value, gradient = objective(theta)
        return value, gradient[new]

    # From the mean object: at zero the entries among new objects have no gradient.
    start = np.tile(factors.A.mean(axis=0), n_new)
    result = minimize(value_and_gradient, start, jac=True, method="L-BFGS-B", options={"maxiter": 200})
    A = np.vstack([factors.A, result.x.reshape(n_new, rank)])
    return Factors(A, factors.R, factors.extras)
