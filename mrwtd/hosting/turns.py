"""Fair turns: whose job is next.

Each job gets the time at which it would start if every user had an equal part of a machine that only runs waiting jobs.
A user with nothing in the queue starts now; one with an hour of work in the queue starts an hour later. The earliest
goes first, and among equals the shortest. So short jobs pass long ones, a user with many jobs does not hold up others,
and long jobs get their turn.
"""

MIN_SECONDS = 1.0
"""The least that a job counts."""


class Turns:
    """The turns of users, by the estimated seconds of their jobs.

    >>> turns = Turns()
    >>> turns.assign("ann", 3600), turns.assign("ann", 3600), turns.assign("bob", 5)
    (0.0, 3600.0, 0.0)
    """

    def __init__(self) -> None:
        self._now = 0.0
        self._ends: dict[str, float] = {}

    def assign(self, user: str, seconds: float) -> float:
        """The turn of a new job of a user."""
        turn = max(self._now, self._ends.get(user, 0.0))
        self._ends[user] = turn + max(seconds, MIN_SECONDS)
        return turn

    def begin(self, turn: float) -> None:
        """A job with this turn starts."""
        self._now = max(self._now, turn)
        self._ends = {user: end for user, end in self._ends.items() if end > self._now}

    def give_back(self, user: str, seconds: float) -> None:
        """A job of a user ends without having started."""
        if user in self._ends:
            self._ends[user] = max(self._now, self._ends[user] - max(seconds, MIN_SECONDS))
