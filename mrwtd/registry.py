"""`Registry`: everything of one kind that has a name, such as all losses or all metrics.

Losses, metrics, methods, formats, experiments and pages are found in the same way: a module of the registry's package
decorates a class, or registers an object. Code that lists, checks or looks up names reads the registry.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from .errors import DataError, Problem

Item = TypeVar("Item")
Decorated = TypeVar("Decorated")


class Registry(Mapping[str, Item]):
    """Items by name, sorted by their attribute `order` and then as they were registered.

    >>> greetings = Registry[Any]("greeting")
    >>> @greetings.register
    ... class Hello:
    ...     name = "hello"
    >>> list(greetings), greetings["hello"] is Hello
    (['hello'], True)
    >>> greetings["goodbye"]
    Traceback (most recent call last):
    mrwtd.errors.DataError: found the greeting 'goodbye'; expected one of hello

    Args:
        noun: what an item is, for error messages.
        packages: the packages whose modules register items; they are imported when a name is first looked up.
        make: what turns a registered class into the item; by default the class itself is the item.
    """

    def __init__(self, noun: str, *packages: str, make: Callable[[Any], Item] = lambda item: item):
        self.noun = noun
        self._packages, self._make = packages, make
        self._items: dict[str, Item] = {}

    def register(self, item: Decorated) -> Decorated:
        """Add an item under its attribute `name`; a decorator for classes."""
        self.add(self._make(item))
        return item

    def add(self, item: Item) -> None:
        """Add an item that is made."""
        self._items[item.name] = item  # type: ignore[attr-defined]
        self._items = dict(sorted(self._items.items(), key=lambda pair: getattr(pair[1], "order", 0)))

    def unregister(self, name: str) -> None:
        """Remove an item, if it is there."""
        self._items.pop(name, None)

    def _load(self) -> dict[str, Item]:
        """The items, after every module of the packages is imported."""
        if self._packages:
            for package in map(importlib.import_module, self._packages):
                for module in pkgutil.iter_modules(package.__path__):
                    importlib.import_module(f"{package.__name__}.{module.name}")
            self._packages = ()  # only now: another thread must not see half of the items
        return self._items

    def __getitem__(self, name: str) -> Item:
        items = self._load()
        if not isinstance(name, str) or name not in items:
            raise DataError(Problem(f"the {self.noun} {name!r}", f"one of {', '.join(items)}"))
        return items[name]

    def get(self, name: str, default: Any = None) -> Any:
        """The item of a name, or a default where there is none."""
        return self._load().get(name, default)

    def __contains__(self, name: object) -> bool:
        return name in self._load()

    def __iter__(self) -> Iterator[str]:
        return iter(self._load())

    def __len__(self) -> int:
        return len(self._load())

    def __repr__(self) -> str:
        return f"Registry({self.noun}: {', '.join(self)})"
