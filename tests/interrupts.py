"""For programs that a test interrupts: they heed it even where a shell runs the tests in its background."""

from __future__ import annotations

import signal


def heed() -> None:
    """What runs between fork and exec."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
