"""Change every switch, menu and button of choice of a page, those included that appear when another one is changed."""

from collections.abc import Callable, Collection, Iterator
from typing import Any

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import TESTING_KEY, ButtonGroup, Checkbox, Selectbox

from mrwtd.dashboard.state import keys

EXPANDERS = dict.fromkeys(("history", "methods", "mit", "upload"), True)
"""The expanders whose content is drawn only while they are open."""

MOST_OPTIONS = 4
"""Of longer menus, as those of objects, the second and the last options are tried."""


def try_all(app: AppTest, check: Callable[[AppTest, str], None], skipped: Collection[str] = ()) -> list[str]:
    """Check a page after each change, one after the other. Returns what was changed.

    Args:
        app: the page.
        check: called with the page and the key of the widget that was changed.
        skipped: keys of widgets that are not changed.
    """
    app.session_state[keys.EXPANDERS] = dict(EXPANDERS)
    check(app.run(), "all expanders are open")
    tried: list[str] = []
    while widget := next((found for found in _widgets(app) if _group(found) not in {*tried, *skipped}), None):
        tried.append(_group(widget))
        for choose in _choices(widget):
            same = [other for other in _widgets(app) if other.key == widget.key]
            if same:  # it is not hidden by its own change
                choose(same[0])
                check(app.run(), widget.key)
    return tried


def _group(widget: Any) -> str:
    """The key of a widget, and of a row of checkboxes what their keys have in common: one of them is tried."""
    return str(widget.key.rpartition("-")[0] if isinstance(widget, Checkbox) else widget.key)


def _widgets(app: AppTest) -> Iterator[Any]:
    found = [*app.button_group, *app.selectbox, *app.toggle, *app.checkbox]
    return (widget for widget in found if widget.key and not widget.disabled)


def _choices(widget: Any) -> list[Callable[[Any], object]]:
    if not hasattr(widget, "options"):
        return [lambda box: box.set_value(not box.value)]
    count = len(widget.options)
    places = range(count) if count <= MOST_OPTIONS or isinstance(widget, ButtonGroup) else (1, count - 1)
    return [lambda other, place=place: _choose(other, place) for place in places]


def _choose(widget: Any, place: int) -> None:
    if place >= len(widget.options):
        return
    if isinstance(widget, Selectbox):
        widget.select_index(place)
        return
    widget.root.session_state[TESTING_KEY][widget.id] = str  # the function that makes labels: here, they are the values
    widget.set_value(widget.options[place])
