"""A run from somewhere else: unpacked within limits, and read as a whole before it is taken."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from ..data.readers import read
from .files import ABOUT, DATA, DATA_ABOUT, MODELS, MOST_JSON, data_about, read_json, run_about
from .run import Run
from .scores import SCORES, read_scores

IMPORT_LIMIT = 1_000_000_000
"""An imported file may expand to this many bytes."""

_MODEL = re.compile(rf"{MODELS}/\d{{1,9}}\.npz")


def checked(draft: Path) -> Run:
    """The run that was unpacked into a folder, if every part of it can be read."""
    run = Run(**run_about(read_json(draft / ABOUT)), folder=draft)
    read_scores(draft)
    for file in (draft / MODELS).iterdir():
        with zipfile.ZipFile(file) as archive:
            if sum(info.file_size for info in archive.infolist()) > IMPORT_LIMIT:
                raise ValueError(f"it expands to more than {IMPORT_LIMIT:,} bytes")
    run.models()
    if (draft / DATA).is_file():
        try:
            data_about(read_json(draft / DATA_ABOUT))
        except ValueError as error:
            raise ValueError(f"it does not say what its data is: {error}") from None
        if read(draft / DATA).digest() != run.digest:
            raise ValueError("its data is not that of the run")
    return run


def unpack(archive: zipfile.ZipFile, folder: Path) -> None:
    """Unpack the files that a run has, and no others."""
    (folder / MODELS).mkdir()
    texts = (ABOUT, DATA_ABOUT)
    infos = [
        info
        for info in archive.infolist()
        if info.filename in (*texts, SCORES, DATA) or _MODEL.fullmatch(info.filename)
    ]
    if sum(info.file_size for info in infos) > IMPORT_LIMIT:
        raise ValueError(f"it expands to more than {IMPORT_LIMIT:,} bytes")
    if any(info.filename in texts and info.file_size > MOST_JSON for info in infos):
        raise ValueError(f"what it says of itself has more than {MOST_JSON:,} bytes")
    for info in infos:
        with archive.open(info) as source:
            content = source.read(info.file_size + 1)
        (folder / info.filename).write_bytes(content)
