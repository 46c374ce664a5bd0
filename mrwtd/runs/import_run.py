"""Import of a run: unpacked within limits, and read completely before it is stored."""

import shutil
import zipfile
from pathlib import Path

from .checksums import verify
from .file_checks import DATA, DATA_ABOUT, MAX_JSON_BYTES, parse_data_about, read_json
from .run import MODELS, Run
from .store import ABOUT, PARTS, is_part, parse_about

IMPORT_LIMIT = 1_000_000_000
"""The largest size of an imported file after expansion, in bytes."""


def read_checked(draft: Path) -> Run:
    """The run in a draft folder, if every part of it can be read."""
    run = parse_about(read_json(draft / ABOUT), draft)
    for name, about in run.files.items():
        verify(draft, name, about)
    _ = run.scores
    for file in (draft / MODELS).iterdir():
        with zipfile.ZipFile(file) as archive:
            if sum(info.file_size for info in archive.infolist()) > IMPORT_LIMIT:
                raise ValueError(f"it expands to more than {IMPORT_LIMIT:,} bytes")
    run.models()
    if DATA in run.files:
        run.data()
        try:
            parse_data_about(read_json(draft / DATA_ABOUT))
        except ValueError as error:
            raise ValueError(f"it has no valid description of its data: {error}") from None
    return run


def unpack(archive: zipfile.ZipFile, folder: Path) -> None:
    """Unpack the files of a run, and no others. They may be in a folder of the archive."""
    (folder / MODELS).mkdir()
    abouts = [info.filename for info in archive.infolist() if info.filename.split("/")[-1] == ABOUT]
    start = min(abouts, key=lambda name: (name.count("/"), name), default=ABOUT).removesuffix(ABOUT)
    infos = {
        name: info
        for info in archive.infolist()
        if info.filename.startswith(start) and ((name := info.filename.removeprefix(start)) == ABOUT or is_part(name))
    }
    if sum(info.file_size for info in infos.values()) > IMPORT_LIMIT:
        raise ValueError(f"it expands to more than {IMPORT_LIMIT:,} bytes")
    if any(infos[name].file_size > MAX_JSON_BYTES for name in (ABOUT, DATA_ABOUT) if name in infos):
        raise ValueError(f"its description has more than {MAX_JSON_BYTES:,} bytes")
    for name, info in infos.items():
        with archive.open(info) as source:
            content = source.read(info.file_size + 1)
        (folder / name).write_bytes(content)


def copy_run(source: Path, folder: Path) -> None:
    """Copy the files of a run from another folder, and no others."""
    (folder / MODELS).mkdir()
    for name in (ABOUT, *PARTS, *(f"{MODELS}/{file.name}" for file in (source / MODELS).glob("*.npz"))):
        if (source / name).is_file():
            shutil.copyfile(source / name, folder / name)
