"""The specification of a run: a reference to data, a split, and methods with their parameters.

The dashboard's settings, the options of the command line and the arguments of `compare` all become a `RunSpec`, which
`execute` turns into a run. A spec is stored as JSON. As it can come from a forged file, types are checked when it is
read.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any, Self

import numpy as np

from ..data.folds import fold_parts
from ..data.published import PUBLISHED, TEST, has_published_test, published_parts
from ..data.relational import RelationalData
from ..data.splitting import HOLD_OUTS
from ..errors import DataError, Problem
from .file_checks import check_fields, is_id, is_list, is_number, is_options, is_text


@dataclass(frozen=True)
class DataRef:
    """A reference to the data of a run.

    Attributes:
        name: the name of a sample, or of the file.
        title: the name for users.
        digest: the digest of its content.
        sample: whether it is a sample of the package.
        options: the arguments of `mrwtd.read` or `mrwtd.load_dataset`.
    """

    name: str = ""
    title: str = ""
    digest: str = ""
    sample: bool = False
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def plain_sample(self) -> bool:
        """Whether the name alone is enough to load the data."""
        return self.sample and not self.options


RANDOM_SPLIT = {"folds": 0, "fold": 0}
"""The fields of a split that are left out of JSON and of keys unless it is a fold."""


@dataclass(frozen=True)
class SplitSpec:
    """The split into training and test entries.

    Attributes:
        train: the training fraction. With 1, all entries are for training, and nothing is held out.
        seed: the seed of the split.
        by: what is held out of directed relations: "entry", "pair" or "auto". With "published", the published test
            entries are held out, whatever the fraction below 1, and those of the validation part are for training.
        stratify: whether the split keeps the fraction of each class.
        folds: the number of folds of a cross-validation; 0 for a random split.
        fold: the fold that is held out, from 0.
    """

    train: float
    seed: int = 0
    by: str = "auto"
    stratify: bool = False
    folds: int = 0
    fold: int = 0

    @property
    def is_published(self) -> bool:
        """Whether the published test entries are held out. With a fraction of 1, nothing is."""
        return self.by == PUBLISHED and self.train < 1

    @property
    def random_by(self) -> str:
        """What a random split holds out of directed relations, also with "published" if all entries are for training.

        >>> SplitSpec(1.0, by="published").random_by
        'auto'
        """
        return "auto" if self.by == PUBLISHED else self.by

    @property
    def label(self) -> str:
        """The split in the name of a run.

        >>> SplitSpec(0.8).label, SplitSpec(0.8, by="published").label
        ('80%', 'as published')
        """
        return "as published" if self.is_published else f"{self.train:.0%}"

    def parts(self, data: RelationalData) -> tuple[RelationalData, RelationalData]:
        """The training entries and the test entries, which may be none.

        >>> import mrwtd
        >>> [len(part) for part in SplitSpec(0.5).parts(mrwtd.load_dataset("florentine"))]
        [104, 106]
        """
        if self.folds:
            return fold_parts(data, self.fold, self.folds, self.seed, self.stratify, self.by)
        if self.is_published:
            known = data.observed()
            parts = published_parts(known)
            if not has_published_test(known):
                raise DataError(Problem("a published split without test entries", "some, in a file called test"))
            return known.subset(parts != TEST), known.published_split()[TEST]
        train, test = data.split(train=self.train, seed=self.seed, stratify=self.stratify, by=self.random_by)
        return train, test

    def fitted_entries(self, data: RelationalData, train: RelationalData) -> RelationalData:
        """The entries that methods learn from: the training entries of `parts`.

        Of a published split, they also include the test ties as negatives where unlisted pairs are negative.

        >>> import mrwtd
        >>> nations = mrwtd.load_dataset("nations", form="standard")
        >>> spec = SplitSpec(0.8, by="published")
        >>> train, test = spec.parts(nations)
        >>> len(spec.fitted_entries(nations, train)) == len(train) + len(test)
        True
        """
        return data.published_split(train_on_valid=True)[0] if self.is_published else train


@dataclass(frozen=True)
class MethodSpec:
    """A method with its parameters.

    Attributes:
        label: the name in the results.
        method: one of `mrwtd.METHODS`.
        parameters: the arguments of `mrwtd.make_method`.
    """

    label: str
    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_size(value: object) -> bool:
    return is_number(value) and isinstance(value, int) and value >= 0


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


Checks = Mapping[str, Callable[[Any], bool]]

DATA: Checks = {
    "name": is_text,
    "title": is_text,
    "digest": lambda value: value == "" or is_id(value),
    "sample": _is_flag,
    "options": is_options,
}
SPLIT: Checks = {
    "train": lambda value: is_number(value) and 0 < value <= 1,
    "seed": _is_size,
    "by": lambda value: is_text(value) and value in HOLD_OUTS,
    "stratify": _is_flag,
    "folds": _is_size,
    "fold": _is_size,
}
METHOD: Checks = {"label": is_text, "method": is_text, "parameters": is_options}
RUN: Checks = {"data": _is_object, "split": _is_object, "methods": lambda value: is_list(value, _is_object)}
"""Checks of the fields of a stored spec and of its parts."""


@dataclass(frozen=True)
class RunSpec:
    """Everything that determines the numbers of a run.

    >>> spec = RunSpec(DataRef("florentine", sample=True), SplitSpec(0.5), (MethodSpec("CP", "CP", {"rank": 2}),))
    >>> RunSpec.from_json(spec.to_json()) == spec
    True

    Attributes:
        data: the reference to the data.
        split: the split into training and test entries.
        methods: the methods to fit, in this order; their labels differ.
    """

    data: DataRef
    split: SplitSpec
    methods: tuple[MethodSpec, ...]

    def to_json(self) -> dict[str, Any]:
        """The spec in JSON types."""
        content: dict[str, Any] = json.loads(_dumps(self._content()))
        return content

    def _content(self) -> dict[str, Any]:
        content = asdict(self)
        if not self.split.folds:
            content["split"] = {name: value for name, value in content["split"].items() if name not in RANDOM_SPLIT}
        return content

    @classmethod
    def from_json(cls, content: Any) -> Self:
        """The spec from the output of `to_json`; a ValueError if it is not valid.

        >>> RunSpec.from_json({"data": {}, "split": 3})
        Traceback (most recent call last):
        ValueError: the spec has no valid split
        """
        parts = check_fields(content, RUN, "the spec")
        methods = tuple(MethodSpec(**check_fields(item, METHOD, "a method of the spec")) for item in parts["methods"])
        if not methods or len({method.label for method in methods}) < len(methods):
            raise ValueError("the spec has no valid methods")
        data = DataRef(**check_fields(parts["data"], DATA, "the spec's data"))
        return cls(data, SplitSpec(**check_fields(RANDOM_SPLIT | parts["split"], SPLIT, "the spec's split")), methods)

    @property
    def key(self) -> str:
        """A stable identifier: the same for equal splits and methods of equal data, whatever the name of the data.

        >>> first, second = (RunSpec(DataRef(), SplitSpec(0.5, seed), (MethodSpec("CP", "CP"),)) for seed in (0, 1))
        >>> first.key == second.key, len(first.key)
        (False, 40)
        """
        content = self._content() | {"data": self.data.digest or asdict(self.data)}
        return sha256(_dumps(content).encode()).hexdigest()[:40]


def _dumps(content: object) -> str:
    return json.dumps(content, sort_keys=True, ensure_ascii=False, default=_plain)


def _plain(value: object) -> object:
    """A JSON type for other values: NumPy numbers as numbers, anything else as text."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return dict(value) if isinstance(value, Mapping) else str(value)
