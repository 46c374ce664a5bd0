"""What the attributes of an edge mean, by their names, as with the columns of a list: relation, value, weight."""

from __future__ import annotations

from collections.abc import Sequence

from .headers import role


def named(names: Sequence[str], part: str) -> str | None:
    """The attribute that plays a part best by its name, if any does.

    >>> named(["Weight", "Label", "Layer"], "relation")
    'Layer'
    """
    known = [(found[1], name) for name in names if (found := role(name)) and found[0] == part]
    return min(known, default=(0, None), key=lambda pair: pair[0])[1]


def value_and_weight(numeric: Sequence[str]) -> tuple[str | None, str | None]:
    """Which numeric attribute is the value and which the weight; a weight beside no value is the value.

    >>> value_and_weight(["weight"]), value_and_weight(["weight", "value"]), value_and_weight(["rank"])
    (('weight', None), ('value', 'weight'), ('rank', None))
    """
    value, weight = named(numeric, "value"), named(numeric, "weight")
    if value is None and len(others := [name for name in numeric if name != weight]) == 1:
        value = others[0]
    return (weight, None) if value is None else (value, weight)
