"""What a visitor has chosen, and how it stands in the address: no Streamlit, so that it can be tested alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace

UPLOAD = "upload"
"""The name of the visitor's own data set."""

ORDERS = ("alike", "listed")
"""How objects can be ordered whatever the data; its attributes are further ways."""


@dataclass(frozen=True)
class Settings:
    """Everything that decides what the pages show.

    >>> Settings("monastery", relation="esteem").to_query()
    {'data': 'monastery', 'relation': 'esteem'}

    Attributes:
        data: the name of a sample, or `UPLOAD`.
        relation: the relation that is looked at; empty is the one that the data set begins with.
        order: how the objects are ordered in pictures: one of `ORDERS`, or an attribute.
    """

    data: str = "kinship"
    relation: str = ""
    order: str = "alike"

    def change(self, **changes: str) -> Settings:
        """The settings with some of them changed; what belongs to one data set does not go over to another.

        >>> Settings("monastery", relation="esteem").change(data="aucs")
        Settings(data='aucs', relation='', order='alike')
        """
        if changes.get("data", self.data) != self.data:
            changes = {"relation": "", "order": ORDERS[0]} | changes
        return replace(self, **changes)

    def to_query(self) -> dict[str, str]:
        """The parameters of an address that brings these settings back: the data set, and what is not the default."""
        chosen = {field.name: str(getattr(self, field.name)) for field in fields(self)}
        return {name: value for name, value in chosen.items() if name == "data" or value != getattr(Settings, name)}


@dataclass(frozen=True)
class Choices:
    """What may be chosen within a data set.

    Attributes:
        relations: the names of its relations.
        attributes: the attributes that its objects can be ordered by.
        begin: which relation is shown until another is chosen.
    """

    relations: Sequence[str]
    attributes: Sequence[str] = ()
    begin: int = 0


def from_query(
    query: Mapping[str, str], datasets: Sequence[str], choices: Callable[[str], Choices]
) -> tuple[Settings, tuple[str, ...]]:
    """Settings from the parameters of an address, and a sentence for each that could not be taken.

    Parameters of other names are none of ours: trackers add theirs to links.

    >>> settings, notes = from_query({"data": "kinshp"}, ["kinship"], lambda name: Choices(["term1"]))
    >>> settings.data, notes
    ('kinship', ("The link asks for data = 'kinshp', which is not here: kinship is shown instead.",))
    """
    settings, notes = Settings(), []

    def refuse(name: str, value: str, instead: str) -> None:
        shown = value if len(value) <= 60 else value[:59] + "…"
        notes.append(f"The link asks for {name} = {shown!r}, which is not here: {instead} is shown instead.")

    data = query.get("data", settings.data)
    if data in datasets:
        settings = settings.change(data=data)
    elif data == UPLOAD:
        notes.append(
            f"The link asks for an uploaded file. Uploads stay with the visitor who made them: "
            f"{settings.data} is shown instead. Upload the file here to see it."
        )
        return settings, tuple(notes)
    else:
        refuse("data", data, settings.data)
        return settings, tuple(notes)
    within = choices(settings.data)
    relation, order = query.get("relation", ""), query.get("order", ORDERS[0])
    if relation in within.relations:
        settings = settings.change(relation=relation)
    elif relation:
        refuse("relation", relation, within.relations[within.begin])
    if order in (*ORDERS, *within.attributes):
        settings = settings.change(order=order)
    else:
        refuse("order", order, settings.order)
    return settings, tuple(notes)
