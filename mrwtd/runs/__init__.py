"""Runs on disk, and a user's workspace of them and of uploaded data sets."""

from .consistency import check_parts
from .files import ABOUT, STATES
from .run import Damaged, Run
from .store import Workspace, new_id

__all__ = ["ABOUT", "STATES", "Damaged", "Run", "Workspace", "check_parts", "new_id"]
