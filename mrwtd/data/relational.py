"""`RelationalData`: one set of objects, several relations among them, and the known entries.

Entries are parallel arrays: the value y of relation k between the objects i and j. An undirected entry is stored once,
with i ≤ j. They are sorted by (k, i, j): those of a relation are a slice, and equal data sets have equal arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..typing import Array, Int8Array, Int32Array, Int64Array
from . import content, description, published, splitting
from . import validation as checks
from .content import ENTRY_ARRAYS
from .negatives import AbsentMeaning
from .published_training import training_entries
from .relations import Relation
from .table import Table
from .validation import ONE, is_one


class RelationalData:
    """Objects, relations and the observed entries. Immutable, and validated when created.

    >>> likes = Relation("likes", "binary", directed=True)
    >>> data = RelationalData(["ann", "bob", "cat"], [likes], i=[0, 1], j=[1, 2], k=[0, 0], y=[1, -1])
    >>> data
    RelationalData(3 objects, 1 relation, 2 entries)
    >>> data.to_frame()
      source relation target  value  weight
    0    ann    likes    bob    1.0     1.0
    1    bob    likes    cat   -1.0     1.0

    Args:
        objects: unique names.
        relations: the relations, with unique names.
        i, j, k: source, target and relation of each entry, as positions in `objects` and `relations`.
        y: values, encoded by the kind of the relation (−1/+1, a level 0…L−1, a count, a real number).
        w: weights in [0, 1]; None means 1 everywhere and takes no memory.
        attributes: a frame with one row per object, or None.
        notes: sentences for the user on how the data were read.
        part: the published part of each entry: 0 for train, 1 for test, 2 for valid; None if none was published.
        represents: the number of pairs that each entry represents, more than 1 for sampled negatives; None means 1.
        object_types: the type of each object, such as "woman" or "event", if relations connect types; otherwise None.

    Attributes:
        bounds: the entries of relation k are those from `bounds[k]` to `bounds[k + 1]`.
        drawn_by: in a part of a split, by relation: "entry", or "pair" if both directions were drawn together.
    """

    __slots__ = ("_attributes", "bounds", "drawn_by", "notes", "object_types", "objects", "relations", *ENTRY_ARRAYS)

    objects: tuple[str, ...]
    relations: tuple[Relation, ...]
    i: Int32Array
    j: Int32Array
    k: Int32Array
    y: Array
    w: Array
    represents: Array
    notes: tuple[str, ...]
    part: Int8Array | None
    object_types: tuple[str, ...] | None
    bounds: Int64Array
    drawn_by: Mapping[str, str]
    _attributes: pd.DataFrame | None  # None, because a frame of many objects and no columns takes time to make

    def __init__(
        self,
        objects: Iterable[str],
        relations: Iterable[Relation],
        i: npt.ArrayLike,
        j: npt.ArrayLike,
        k: npt.ArrayLike,
        y: npt.ArrayLike,
        w: npt.ArrayLike | None = None,
        attributes: pd.DataFrame | None = None,
        notes: Iterable[str] = (),
        part: npt.ArrayLike | None = None,
        represents: npt.ArrayLike | None = None,
        object_types: Iterable[str] | None = None,
    ):
        checks.check_lists(objects=objects, relations=relations, notes=notes)
        objects, relations = tuple(map(str, objects)), tuple(relations)
        checks.check_names(objects, relations)
        entries = checks.sorted_entries(objects, relations, i, j, k, y, w, part, represents)
        state: dict[str, Any] = {"objects": objects, "relations": relations, "notes": tuple(notes), "drawn_by": {}}
        state["_attributes"] = None if attributes is None else checks.as_attributes(attributes, objects)
        state["object_types"] = checks.as_object_types(object_types, objects, relations)
        self.__setstate__(state | dict(zip(ENTRY_ARRAYS, entries, strict=True)))
        for position, relation in enumerate(relations):
            checks.check_values(relation, self.y[self.slice(position)])
            checks.check_types(self, position)

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        kinds: dict[str, str] | None = None,
        directed: bool | dict[str, bool] | None = None,
        absent: AbsentMeaning = "unobserved",
        *,
        duplicates: str = "error",
        seed: int = 0,
    ) -> RelationalData:
        """Data from a frame with the columns source, relation, target and optionally value and weight.

        Kinds and directions that are not given are inferred from the values, as `mrwtd.read` documents.

        >>> frame = pd.DataFrame({"source": ["ann", "bob"], "relation": "likes", "target": ["bob", "cat"]})
        >>> RelationalData.from_frame(frame, directed=True, absent="negative").y
        array([ 1., -1., -1.,  1., -1., -1.])
        """
        from .build import build

        table = Table.from_frame(frame)
        return build(table, kinds=kinds, directed=directed, absent=absent, duplicates=duplicates, seed=seed)

    def to_frame(self) -> pd.DataFrame:
        """The entries as a frame with the columns source, relation, target, value and weight.

        Data with sampled negatives has a column `represents`, too: the number of pairs that each entry stands for.
        Levels of ordinal relations become their original values. `frame.attrs` has the objects, kinds and
        directions, so `from_frame` restores the same data.

        >>> import mrwtd
        >>> mrwtd.load_dataset("florentine").to_frame().head(2)
               source relation      target  value  weight
        0  Acciaiuoli business     Albizzi   -1.0     1.0
        1  Acciaiuoli business   Barbadori   -1.0     1.0
        """
        return content.as_frame(self)

    @property
    def attributes(self) -> pd.DataFrame:
        """Attributes of the objects: a frame with one row per object, without columns if nothing is known.

        >>> import mrwtd
        >>> mrwtd.load_dataset("aucs").attributes.columns.tolist()
        ['group', 'role']
        """
        return checks.as_attributes(None, self.objects) if self._attributes is None else self._attributes.copy()

    @property
    def n_objects(self) -> int:
        """The number of objects."""
        return len(self.objects)

    @property
    def n_relations(self) -> int:
        """The number of relations."""
        return len(self.relations)

    def __len__(self) -> int:
        return int(self.y.size)

    def __repr__(self) -> str:
        m = self.n_relations
        return f"RelationalData({self.n_objects:,} objects, {m:,} relation{'s' * (m != 1)}, {len(self):,} entries)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RelationalData):
            return NotImplemented
        return content.are_equal(self, other)

    def __setattr__(self, name: str, value: object) -> None:
        if hasattr(self, name):
            raise AttributeError(f"RelationalData is immutable: cannot set {name}")
        object.__setattr__(self, name, value)

    def __getstate__(self) -> dict[str, Any]:
        state = {name: getattr(self, name) for name in self.__slots__}
        return state | {name: None for name in ("w", "represents") if is_one(state[name])}

    def __setstate__(self, state: dict[str, Any]) -> None:
        ones = np.broadcast_to(ONE, state["y"].shape)
        numbers = {name: ones if state[name] is None else state[name] for name in ("w", "represents")}
        bounds = np.searchsorted(state["k"], np.arange(len(state["relations"]) + 1, dtype=np.int32))
        for name, value in (state | numbers | {"bounds": bounds}).items():
            setattr(self, name, value)
        for array in (getattr(self, name) for name in ENTRY_ARRAYS):
            if array is not None:
                array.flags.writeable = False

    def slice(self, k: int) -> slice:
        """The slice of the entries of relation k.

        >>> import mrwtd
        >>> mrwtd.load_dataset("florentine").slice(1)
        slice(105, 210, None)
        """
        return slice(int(self.bounds[k]), int(self.bounds[k + 1]))

    def relation_index(self, name: str) -> int:
        """The position of a relation, by name.

        >>> import mrwtd
        >>> mrwtd.load_dataset("florentine").relation_index("marriage")
        1
        """
        return checks.relation_positions(self.relations, [name])[0]

    def subset(self, which: npt.ArrayLike) -> RelationalData:
        """The same objects and relations with a subset of the entries, given as a mask or positions.

        >>> import mrwtd
        >>> data = mrwtd.load_dataset("florentine")
        >>> data.subset(data.y > 0)
        RelationalData(15 objects, 2 relations, 35 entries)
        """
        return self._rows(checks.as_ascending_positions(which, len(self)))

    def observed(self) -> RelationalData:
        """The entries of positive weight; those of weight 0 are unobserved, as in the paper.

        >>> import mrwtd
        >>> data = mrwtd.load_dataset("florentine")
        >>> mrwtd.RelationalData(data.objects, data.relations, data.i, data.j, data.k, data.y, data.y > 0).observed()
        RelationalData(15 objects, 2 relations, 35 entries)
        """
        if is_one(self.w) or (self.w > 0).all():
            return self
        known = self.subset(self.w > 0)
        # The same as if the other entries were not listed: fits without weights take a faster path.
        return known._with(w=None) if (known.w == 1).all() else known

    def _rows(self, rows: Any, **changes: Any) -> RelationalData:
        """The entries at some positions, in ascending order, with other changes as in `_with`."""
        entries: dict[str, Any] = {name: getattr(self, name)[rows] for name in ("i", "j", "k", "y")}
        entries["part"] = None if self.part is None else self.part[rows]
        for name, array in (("w", self.w), ("represents", self.represents)):
            entries[name] = None if is_one(array) else array[rows]
        return self._with(**(entries | changes))

    def _with(self, **changes: Any) -> RelationalData:
        """The same data with other attributes, which are valid, sorted and not checked again; None means 1."""
        new = object.__new__(RelationalData)
        new.__setstate__(self.__getstate__() | changes)
        return new

    def select_relations(self, names: Sequence[str]) -> RelationalData:
        """The same objects with some of the relations, in the given order.

        >>> import mrwtd
        >>> mrwtd.load_dataset("florentine").select_relations(["marriage"])
        RelationalData(15 objects, 1 relation, 105 entries)
        """
        positions = checks.relation_positions(self.relations, names)
        slices = [self.slice(position) for position in positions]
        rows: Any = slices[0] if len(slices) == 1 else np.r_[(*slices, slice(0, 0))]  # a lone slice is not copied
        k = np.repeat(np.arange(len(slices), dtype=np.int32), [rows.stop - rows.start for rows in slices])
        relations = tuple(self.relations[position] for position in positions)
        return self._rows(rows, relations=relations, k=k)

    def split(
        self,
        train: float = splitting.TRAINING_FRACTION,
        seed: int = 0,
        validation: float = 0,
        stratify: bool = False,
        by: str | Mapping[str, str] = "entry",
    ) -> tuple[RelationalData, ...]:
        """Split each relation at random into training and test entries: `(train, test)`.

        Each part has all objects and relations. A relation with at least two entries has one or more in train and in
        test. With `train=1`, all entries are for training: nothing is held out. With `validation` > 0, this fraction of
        the *training* entries becomes a third part: `(train, test, validation)`. With `stratify`, each part has the
        same fraction of every class or level.

        In directed relations, `by="pair"` puts both directions of a pair into the same part, so the reverse of a test
        entry is never in train. `by="auto"` does so if most ties are mutual (the `reciprocity` of `describe`): at least
        80% of the ties between pairs known in both directions or, for other kinds, a correlation above 0.8. A mapping
        sets it per relation. Entries of weight 0 are unobserved and are in no part.

        >>> import mrwtd
        >>> [len(part) for part in mrwtd.load_dataset("florentine").split(train=0.4, validation=0.25)]
        [64, 126, 20]
        """
        known = self.observed()
        positions, drawn_by = splitting.split(known, train, seed, validation, stratify, by)
        return tuple(known._rows(part, drawn_by=drawn_by) for part in positions)

    def published_split(
        self, held_out: str = "auto", train_on_valid: bool = False
    ) -> tuple[RelationalData, RelationalData, RelationalData]:
        """The parts of the files called train, test and valid: `(train, test, valid)`, in the order of `split`.

        Entries made from unlisted pairs are training entries. Where unlisted pairs are negative, the held-out ties are
        negatives in training, too: train is what the train file alone gives. Otherwise the only pairs without a
        training entry would be the ties to be found. Without a published split, a `DataError` is raised.

        >>> likes = Relation("likes", "binary", directed=True)
        >>> data = RelationalData("abc", [likes], i=[0, 1, 2], j=[1, 2, 0], k=[0, 0, 0], y=[1, 1, 1], part=[0, 1, 0])
        >>> [len(part) for part in data.published_split()]
        [2, 1, 0]

        Args:
            held_out: what held-out entries are in training: "negative", "unobserved" (they have no training entry), or
                "auto": negative if all pairs of a relation have an entry and only ties are held out.
            train_on_valid: whether the valid entries are for training, too. The third part is then empty.
        """
        known = self.observed()
        parts, drawn_by = published.published_parts(known), {r.name: published.PUBLISHED for r in self.relations}
        tests, valid = parts == published.TEST, parts == published.VALID
        valid &= not train_on_valid
        train = training_entries(known, tests | valid, held_out)
        rest = (known._rows(np.flatnonzero(part), drawn_by=drawn_by) for part in (tests, valid))
        return train, *rest  # type: ignore[return-value]

    def describe(self) -> pd.DataFrame:
        """One row per relation: kind, entries, density, balance, range, symmetry, reciprocity, missing.

        >>> import mrwtd
        >>> mrwtd.load_dataset("florentine").describe()[["kind", "entries", "density", "missing"]]
                    kind  entries   density  missing
        relation
        business  binary      105  0.142857      0.0
        marriage  binary      105  0.190476      0.0
        """
        return description.describe(self)

    def original_values(self, k: int | None = None) -> Array:
        """The values of all relations, or of relation k, with original values in place of levels.

        >>> import mrwtd
        >>> sorted(set(mrwtd.load_dataset("monastery").original_values().tolist()))
        [0.0, 1.0, 2.0, 3.0]
        """
        return content.original_values(self, range(self.n_relations) if k is None else [k])

    def schema(self) -> dict[str, Any]:
        """The objects, relations and attributes, in the types of JSON.

        >>> import mrwtd
        >>> mrwtd.load_dataset("florentine").schema()["relations"][0]
        {'name': 'business', 'kind': 'binary', 'directed': False, 'levels': []}
        """
        return content.schema(self)

    def digest(self) -> str:
        """A hash of the content: equal data have equal digests."""
        return content.digest(self)
