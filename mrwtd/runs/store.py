"""A run on disk.

It is a folder: `run.json` (its description, with a checksum of every other file), `scores.csv` (one row per score of
each method), `models/` (each fitted method with its trace and snapshots) and, if the data is the user's, `data.parquet`
and `data.json`. A fit of a comparison, which has scores but no model, is a single JSON file. An imported run is
unpacked within limits, and read completely before it is stored.
"""

import atexit
import io
import json
import math
import re
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any

from ..data.arguments import argument_error
from ..data.limits import EXPANDED
from ..data.negatives import sampled_pairs
from ..data.relational import RelationalData
from ..data.writers import write
from ..errors import DataError, Problem
from ..model.diagnostics import Diagnostic
from ..version import results_version
from . import file_checks
from .drafts import write_text
from .file_checks import DATA, DATA_ABOUT, MAX_JSON_BYTES, checksum, file_state, is_signed, read_json, signed, verify
from .run import MODELS, STATES, Damaged, Memory, Run
from .scores import SCORES, typed_scores
from .spec import RunSpec
from .storage_error import UNWRITABLE, write_error
from .uploaded_files import zipped

FORMAT = 2
ABOUT = "run.json"
PARTS = (SCORES, DATA, DATA_ABOUT)
OTHER_VERSION = "made by another version of mrwtd: train it again, or open it with that version"


class OtherFormatError(ValueError):
    """A run stored by another version of mrwtd."""

    def __init__(self) -> None:
        super().__init__(OTHER_VERSION)


def write_run(
    folder: Path, run: Run, data: RelationalData | None = None, about: Mapping[str, Any] | None = None
) -> Run:
    """Write an executed run, with its data if given, and return the stored run."""
    assert run.memory is not None  # as `execute` returns it
    (folder / ABOUT).unlink(missing_ok=True)  # the run is invalid until all files are written
    (folder / MODELS).mkdir(parents=True, exist_ok=True)
    names = [SCORES]
    run.memory.scores.to_csv(folder / SCORES, index=False)
    for number, model in enumerate(run.memory.models.values()):
        names.append(f"{MODELS}/{number}.npz")
        (folder / names[-1]).unlink(missing_ok=True)  # it may be a hard link
        model.save(folder / names[-1])
    if data is not None:
        names += [DATA, DATA_ABOUT]
        write_data(folder, data, about or {"file": run.spec.data.name})
    files = {name: checksum(folder / name) for name in names}
    run = replace(run, files=files, folder=folder, memory=None, code=results_version())
    write_about(folder, run)
    return run


def zip_run(run: Run) -> bytes:
    """A run in memory as a zip file, without its data.

    >>> import mrwtd
    >>> from mrwtd.runs import DataRef, MethodSpec, SplitSpec, execute
    >>> spec = RunSpec(DataRef("florentine", sample=True), SplitSpec(0.5), (MethodSpec("CP", "CP", {"rank": 2}),))
    >>> content = zip_run(execute(spec, mrwtd.load_dataset("florentine")))
    >>> zipfile.ZipFile(io.BytesIO(content)).namelist()
    ['run.json', 'scores.csv', 'models/0.npz']
    """
    assert run.memory is not None
    parts = {SCORES: run.memory.scores.to_csv(index=False).encode()}
    for number, model in enumerate(run.memory.models.values()):
        buffer = io.BytesIO()
        model.save(buffer)
        parts[f"{MODELS}/{number}.npz"] = buffer.getvalue()
    files = {name: {"bytes": len(part), "sha256": sha256(part).hexdigest()} for name, part in parts.items()}
    return zip_parts(replace(run, files=files, code=results_version()), parts.items())


def zip_parts(run: Run, parts: Iterable[tuple[str, bytes]]) -> bytes:
    """The description of a run and the contents of its files as a zip file."""
    return zipped(chain([(ABOUT, json.dumps(about_json(run), indent=1).encode())], parts))


def write_data(folder: Path, data: RelationalData, about: Mapping[str, Any]) -> None:
    """Write a data set and its description, with the number of its sampled pairs if there are any."""
    with (folder / DATA).open("wb") as file:
        write(data, file, format="parquet")
    sampled = sampled_pairs(data)
    content = {**about, "sampled_pairs": sampled} if sampled else dict(about)
    (folder / DATA_ABOUT).write_text(json.dumps(content), encoding="utf-8")


def write_about(folder: Path, run: Run) -> None:
    """Write the description of a run."""
    _write_json(folder / ABOUT, about_json(run))


def about_json(run: Run) -> dict[str, Any]:
    """The description of a run in JSON types, with a checksum."""
    return signed(
        {
            "format": FORMAT, "code": run.code, "id": run.id, "name": run.name, "state": run.state,
            "created": run.created, "seconds": run.seconds, "spec": run.spec.to_json(), "methods": list(run.methods),
            "summary": dict(run.summary), "files": {name: dict(about) for name, about in run.files.items()},
        }
    )  # fmt: skip


def _write_json(file: Path, content: Mapping[str, Any]) -> None:
    write_text(file, json.dumps(content, ensure_ascii=True, indent=1))


def parse_about(content: Mapping[str, Any], folder: Path | None) -> Run:
    """The run that a run.json describes, or a ValueError with the problem."""
    if content.get("format") != FORMAT and isinstance(content.get("format", content.get("version")), int):
        raise OtherFormatError
    if not is_signed(content):
        raise ValueError(f"{ABOUT} is damaged")
    checks: dict[str, Callable[[Any], bool]] = {
        "id": file_checks.is_id,
        "name": file_checks.is_text,
        "code": file_checks.is_text,
        "state": lambda value: value in STATES,
        "created": file_checks.is_time,
        "seconds": lambda value: file_checks.is_number(value) and math.isfinite(value),
        "spec": lambda value: isinstance(value, dict),
        "methods": lambda value: file_checks.is_list(value, file_checks.is_text) and len(set(value)) == len(value),
        "summary": lambda value: file_checks.is_mapping(value, file_checks.is_number),
        "files": lambda value: file_checks.is_mapping(value, _is_checksum) and all(map(is_part, value)),
    }
    about = file_checks.check_fields(content, checks, ABOUT)
    about |= {"methods": tuple(about["methods"]), "seconds": float(about["seconds"])}
    return Run(**about | {"spec": RunSpec.from_json(about["spec"])}, folder=folder)


def is_part(name: str) -> bool:
    """Whether a run can have a file of this name besides its run.json.

    >>> is_part("models/0.npz"), is_part("../../x"), is_part("models/../x.npz")
    (True, False, False)
    """
    return name in PARTS or re.fullmatch(rf"{MODELS}/\d{{1,9}}\.npz", name) is not None


def _is_checksum(value: object) -> bool:
    return (
        isinstance(value, dict)
        and file_checks.is_number(value.get("bytes"))
        and file_checks.is_text(value.get("sha256"))
    )


def read_run(folder: Path) -> Run | Damaged:
    """The run in a folder, or the problem with it. The checksums of models are checked when they are opened."""
    # The state of the folder covers the many models in it: one that is damaged later is noticed when it is opened.
    return _read_once(folder, tuple(file_state(f"{folder}/{name}") for name in (ABOUT, SCORES, MODELS)))


@lru_cache(maxsize=10_000)  # every page lists all runs of its user
def _read_once(folder: Path, state: tuple[object, ...]) -> Run | Damaged:  # noqa: ARG001 - part of the cache key
    content: dict[str, Any] = {}
    try:
        content = read_json(folder / ABOUT)
        run = parse_about(content, folder)
        for name in (SCORES, *(f"{MODELS}/{number}.npz" for number in range(len(run.methods)))):
            file_checks.check_size(folder, name, run.files.get(name))
        verify(folder, SCORES, run.files[SCORES])
    except ValueError as error:
        return Damaged(folder.name, short_text(content, "name"), str(error), isinstance(error, OtherFormatError))
    return run


def short_text(content: Mapping[str, Any], key: str) -> str:
    """The name of a damaged run or data set, if it can be read."""
    text = content.get(key)
    return text[:120].encode(errors="replace").decode() if isinstance(text, str) else ""


def load_run(path: str | PathLike[str]) -> Run:
    """Load a run from a folder of `mrwtd fit --out`, from a zip of it, or from an export of the dashboard.

    It has `spec`, `state`, `scores`, `models()`, `diagnostics`, and `data()` if the data is stored with it or part of
    the package. A fit stored by `mrwtd compare --out` has scores and diagnostics only.

    >>> import mrwtd, tempfile
    >>> from mrwtd.runs import DataRef, MethodSpec, RunSpec, SplitSpec, execute, write_run
    >>> data, folder = mrwtd.load_dataset("florentine"), Path(tempfile.mkdtemp())
    >>> reference = DataRef("florentine", digest=data.digest(), sample=True)
    >>> spec = RunSpec(reference, SplitSpec(0.5), (MethodSpec("CP", "CP", {"rank": 2}),))
    >>> _ = write_run(folder, execute(spec, data))
    >>> run = mrwtd.load_run(folder)
    >>> run.spec.split.train, sorted(run.models()), len(run.data())
    (0.5, ['CP'], 210)
    """
    if not isinstance(path, (str, PathLike)):
        raise argument_error("path", path, "the path of a run")
    file = Path(path)
    try:
        if zipfile.is_zipfile(file):
            run = read_run(_unpacked(file))
        else:
            run = read_run(file) if file.is_dir() else read_fit(file)
    except (ValueError, OSError, zipfile.BadZipFile) as error:
        run = Damaged("", "", str(error))
    if isinstance(run, Damaged):
        raise DataError(Problem(f"no run that can be opened ({run.reason})", "a stored run"), file=file.name)
    return run


def _unpacked(file: Path) -> Path:
    """A folder with the files of a zip, which is deleted at the end of the process."""
    folder = Path(tempfile.mkdtemp(prefix="mrwtd-run-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with zipfile.ZipFile(file) as archive:
        unpack(archive, folder, file.stat().st_size)
    return folder


def write_fit(file: Path, run: Run, **more: Any) -> None:
    """Write a run of one method without its model: one file, which is complete or does not exist."""
    assert run.memory is not None
    scores = run.memory.scores.to_csv(index=False)
    _write_json(file, signed(about_json(run) | {"scores": scores} | more))


def read_fit(file: Path) -> Run:
    """The run that `write_fit` wrote, or a ValueError. The path of λ is in `attrs` of its scores."""
    content = read_json(file)
    run = parse_about(content, None)
    if not isinstance(content.get("scores"), str):
        raise ValueError(f"{file.name} has no valid scores")  # noqa: TRY004 - callers catch one type of error
    scores = typed_scores(io.StringIO(content["scores"]))
    if "lam_path" in content:
        scores.attrs["lam_path"] = content["lam_path"]
    stored = content.get("diagnostics", {})
    if not (isinstance(stored, dict) and all(isinstance(items, list) for items in stored.values())):
        raise ValueError(f"{file.name} has no valid diagnostics")
    diagnostics = {label: tuple(Diagnostic.from_json(item) for item in items) for label, items in stored.items()}
    return replace(run, memory=Memory({}, scores, diagnostics=diagnostics))


def unpack_run(
    source: bytes | Path, folder: Path, check_data: Callable[[RelationalData], None] = lambda _: None
) -> Run:
    """Check a run from a zip or a folder completely, and write it again to another folder.

    Only files with the names of a run are read, and models are read as data, never executed. What is written comes from
    this code, whatever the source contains. Any problem of the source is a `DataError`; `check_data` may raise others.
    """
    unpacked = folder / "unpacked"
    unpacked.mkdir()
    try:
        if isinstance(source, Path) and source.is_dir():
            copy_run(source, unpacked)
        else:
            with zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source) as archive:
                unpack(archive, unpacked, len(source) if isinstance(source, bytes) else source.stat().st_size)
        run, data, about = read_checked(unpacked)
        if data is not None:
            check_data(data)
        stored = replace(write_run(folder, run, data, about), code=run.code)
        write_about(folder, stored)
    except DataError:
        raise
    except OtherFormatError as error:
        raise DataError(Problem(f"a run {error}", "a run of this version")) from None
    except Exception as error:  # any error of a forged file, such as too little memory
        if isinstance(error, OSError) and error.errno in UNWRITABLE:
            raise write_error(error) from None
        reason = error if isinstance(error, ValueError) else "a part of it is damaged"
        raise DataError(Problem(f"a file of another kind ({reason})", "a run exported by mrwtd")) from None
    shutil.rmtree(unpacked, ignore_errors=True)
    return stored


def read_checked(folder: Path) -> tuple[Run, RelationalData | None, dict[str, Any] | None]:
    """The run in a folder, in memory, with its data and their description if it has them; every part is read."""
    run = parse_about(read_json(folder / ABOUT), folder)
    for name, about in run.files.items():
        verify(folder, name, about)
    for file in (folder / MODELS).iterdir():
        with zipfile.ZipFile(file) as archive:
            check_expansion(archive.infolist(), file.stat().st_size)
    contents = replace(run, memory=Memory(run.models(), run.scores))
    if DATA not in run.files:
        return contents, None, None
    try:
        about = file_checks.parse_data_about(read_json(folder / DATA_ABOUT))
    except ValueError as error:
        raise ValueError(f"it has no valid description of its data: {error}") from None
    return contents, run.data(), about


def check_expansion(infos: Iterable[zipfile.ZipInfo], size: int) -> None:
    """Raise a ValueError if files of a zip expand to more than a zip of this size may."""
    if sum(info.file_size for info in infos) > EXPANDED.of(size):
        raise ValueError(f"it expands to more than {EXPANDED.of(size):,} bytes")


def unpack(archive: zipfile.ZipFile, folder: Path, size: int) -> None:
    """Unpack the files of a run, and no others, from a zip of this size. They may be in a folder of the archive."""
    (folder / MODELS).mkdir()
    abouts = [info.filename for info in archive.infolist() if info.filename.split("/")[-1] == ABOUT]
    start = min(abouts, key=lambda name: (name.count("/"), name), default=ABOUT).removesuffix(ABOUT)
    infos = {
        name: info
        for info in archive.infolist()
        if info.filename.startswith(start) and ((name := info.filename.removeprefix(start)) == ABOUT or is_part(name))
    }
    check_expansion(infos.values(), size)
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
