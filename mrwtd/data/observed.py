"""`observed`: the entries without those of weight 0, which are unobserved, as in the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .validation import ONE, is_one

if TYPE_CHECKING:
    from .relational import RelationalData


def observed(data: RelationalData) -> RelationalData:
    """The entries of positive weight.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> observed(data) is data
    True
    >>> masked = mrwtd.RelationalData(data.objects, data.relations, data.i, data.j, data.k, data.y, data.y > 0)
    >>> observed(masked)
    RelationalData(15 objects, 2 relations, 35 entries)
    """
    if is_one(data.w) or (data.w > 0).all():
        return data
    known = data.subset(data.w > 0)
    if not (known.w == 1).all():
        return known
    # The same as if the other entries were not listed: fits without weights take a faster path.
    weights = np.broadcast_to(ONE, known.y.shape)
    return known._with_entries(known.relations, known.i, known.j, known.k, known.y, weights)
