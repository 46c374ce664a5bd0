"""For programs that a test interrupts: they accept Ctrl-C even if a shell runs the tests in the background."""

import signal


def accept_interrupts() -> None:
    """Restore the default handler of Ctrl-C; called between fork and exec."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
