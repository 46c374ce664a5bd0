"""Runs: their specification, execution and storage, and the workspace of a user."""

from .consistency import check_parts
from .execute import Fit, Hooks, evaluations, execute
from .run import Damaged, Run, new_id
from .scores import estimated_notes, sampled_entries, sampled_pairs
from .spec import DataRef, MethodSpec, RunSpec, SplitSpec
from .store import ABOUT, load_run, write_run
from .workspace import Workspace

__all__ = [
    "ABOUT",
    "Damaged",
    "DataRef",
    "Fit",
    "Hooks",
    "MethodSpec",
    "Run",
    "RunSpec",
    "SplitSpec",
    "Workspace",
    "check_parts",
    "estimated_notes",
    "evaluations",
    "execute",
    "load_run",
    "new_id",
    "sampled_entries",
    "sampled_pairs",
    "write_run",
]
