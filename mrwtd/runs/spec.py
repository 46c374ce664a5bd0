"""What a run is made of: a reference to data, a split, and methods with their parameters.

The dashboard's settings, the options of the command line and the arguments of `compare` all become a `RunSpec`, and
`execute` turns one into a run. A spec is stored as JSON, and as it can come from a forged file, types are checked when
it is read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any, Self

import numpy as np

from ..data.reciprocity import SPLIT_BY
from ..data.relational import RelationalData
from .file_checks import check_fields, is_id, is_list, is_number, is_options, is_text


@dataclass(frozen=True)
class DataRef:
    """Which data a run was made from.

    Attributes:
        name: of a sample, or of the file.
        title: its name for people.
        digest: of its content.
        sample: whether the package has it under its name.
        options: how it was read: what `mrwtd.read` or `mrwtd.load_dataset` was given.
    """

    name: str = ""
    title: str = ""
    digest: str = ""
    sample: bool = False
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def plain_sample(self) -> bool:
        """Whether the name alone brings the data back."""
        return self.sample and not self.options

    @classmethod
    def from_json(cls, content: Any) -> Self:
        """The reference in a stored spec, or a ValueError."""
        checks = {
            "name": is_text,
            "title": is_text,
            "digest": lambda value: value == "" or is_id(value),
            "sample": lambda value: isinstance(value, bool),
            "options": is_options,
        }
        return cls(**check_fields(content, checks, "the spec's data"))


@dataclass(frozen=True)
class SplitSpec:
    """How entries are held out for the test.

    Attributes:
        train: the fraction of the entries to learn from. With 1 all are learned from, and nothing is tested.
        seed: of the split.
        by: what is held out of directed relations: "entry", "pair" or "auto".
        stratify: whether the split keeps the fraction of each class.
    """

    train: float
    seed: int = 0
    by: str = "auto"
    stratify: bool = False

    def parts(self, data: RelationalData) -> tuple[RelationalData, RelationalData | None]:
        """The entries to learn from, and the test entries, or None where there are none.

        >>> import mrwtd
        >>> [len(part) for part in SplitSpec(0.5).parts(mrwtd.load_dataset("florentine"))]
        [104, 106]
        """
        if self.train == 1:
            return data, None
        train, test = data.split(train=self.train, seed=self.seed, stratify=self.stratify, by=self.by)
        return train, test

    @classmethod
    def from_json(cls, content: Any) -> Self:
        """The split in a stored spec, or a ValueError."""
        checks = {
            "train": lambda value: is_number(value) and 0 < value <= 1,
            "seed": lambda value: is_number(value) and isinstance(value, int) and value >= 0,
            "by": lambda value: is_text(value) and value in SPLIT_BY,
            "stratify": lambda value: isinstance(value, bool),
        }
        return cls(**check_fields(content, checks, "the spec's split"))


@dataclass(frozen=True)
class MethodSpec:
    """A method with its parameters.

    Attributes:
        label: its name in the results.
        method: one of `mrwtd.METHODS`.
        parameters: what `mrwtd.make_method` is given.
    """

    label: str
    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @classmethod
    def from_json(cls, content: Any) -> Self:
        """The method in a stored spec, or a ValueError."""
        checks = {"label": is_text, "method": is_text, "parameters": is_options}
        return cls(**check_fields(content, checks, "a method of the spec"))


@dataclass(frozen=True)
class RunSpec:
    """Everything that decides the numbers of a run.

    >>> spec = RunSpec(DataRef("florentine", sample=True), SplitSpec(0.5), (MethodSpec("CP", "CP", {"rank": 2}),))
    >>> RunSpec.from_json(spec.to_json()) == spec
    True

    Attributes:
        data: which data.
        split: how entries are held out.
        methods: what is fitted, in this order; their labels differ.
    """

    data: DataRef
    split: SplitSpec
    methods: tuple[MethodSpec, ...]

    def to_json(self) -> dict[str, Any]:
        """The spec in JSON's types."""
        content: dict[str, Any] = json.loads(_dumps(asdict(self)))
        return content

    @classmethod
    def from_json(cls, content: Any) -> Self:
        """The spec that `to_json` has written; a ValueError says what is wrong with another.

        >>> RunSpec.from_json({"data": {}, "split": 3})
        Traceback (most recent call last):
        ValueError: the spec has no valid split
        """
        checks = {
            "data": lambda value: isinstance(value, dict),
            "split": lambda value: isinstance(value, dict),
            "methods": lambda value: is_list(value, lambda one: isinstance(one, dict)),
        }
        parts = check_fields(content, checks, "the spec")
        methods = tuple(map(MethodSpec.from_json, parts["methods"]))
        if not methods or len({method.label for method in methods}) < len(methods):
            raise ValueError("the spec has no valid methods")
        return cls(DataRef.from_json(parts["data"]), SplitSpec.from_json(parts["split"]), methods)

    @property
    def key(self) -> str:
        """The same for equal splits and methods of equal data, today and tomorrow, whatever the data is called.

        >>> one, two = (RunSpec(DataRef(), SplitSpec(0.5, seed), (MethodSpec("CP", "CP"),)) for seed in (0, 1))
        >>> one.key == two.key, len(one.key)
        (False, 40)
        """
        content = asdict(self) | {"data": self.data.digest or asdict(self.data)}
        return sha256(_dumps(content).encode()).hexdigest()[:40]


def _dumps(content: object) -> str:
    return json.dumps(content, sort_keys=True, ensure_ascii=False, default=_plain)


def _plain(value: object) -> object:
    """What JSON has no type for: numbers of NumPy as such, anything else by its text."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return dict(value) if isinstance(value, Mapping) else str(value)
