"""What has to be done when the server stops, such as saving the results of running jobs."""

import atexit
import logging
from collections.abc import Callable

log = logging.getLogger(__name__)

_functions: list[Callable[[], object]] = []


def at_shutdown(function: Callable[[], object]) -> None:
    """Call a function when the server stops, after those of earlier calls."""
    _functions.append(function)


def shut_down() -> None:
    """Call the functions of `at_shutdown`, once.

    >>> at_shutdown(lambda: print("saved"))
    >>> shut_down()
    saved
    >>> shut_down()
    """
    while _functions:
        function = _functions.pop(0)
        try:
            function()
        except Exception:  # the others are called anyway
            log.exception("A step at the end of the server failed")


atexit.register(shut_down)  # if the server ends without its usual steps, as after a second Ctrl+C
