"""The same run as a few lines of Python, or on the command line. No Streamlit in it."""

import shlex
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from ....data.datasets.samples import dataset_info
from ....model import MrWTD
from ....runs import MethodSpec, RunSpec


def in_python(spec: RunSpec, upload: Mapping[str, Any] | None = None) -> str:
    """A script that fits the same methods to the same split and prints the same scores.

    `upload` describes data that does not come with the package: its file, the files in it, and how it was read.

    >>> from mrwtd.runs import DataRef, SplitSpec
    >>> methods = (MethodSpec("MrWTD", "MrWTD", {"rank": 2, "lam": 1.0}),)
    >>> exec(in_python(RunSpec(DataRef("florentine", sample=True), SplitSpec(0.3), methods)))
    MrWTD
    relation   kind    metric     value  entries  positives ...
    """
    steps = _steps(upload or {})
    zipped, symmetric = any(map(_is_zipped, steps)), any(map(_is_symmetrized, steps))
    split = {"train": spec.split.train, "seed": spec.split.seed, "by": spec.split.random_by}
    split |= {"stratify": True} if spec.split.stratify else {}
    lines = ["import zipfile", "", "import mrwtd"] if zipped else ["import mrwtd"]
    lines += ["from mrwtd.data.symmetrize import symmetrize"] if symmetric else []
    lines += ["from mrwtd.evaluation import top_predictions", ""] if spec.split.train == 1 else [""]
    for number, step in enumerate(steps, start=1):
        if _is_zipped(step):
            lines += [f"with zipfile.ZipFile({step['file']!r}, 'w') as archive:"]
            lines += [f"    for name in {step['files']!r}:", "        archive.write(name)", ""]
        if number < len(steps):
            lines += [f"mrwtd.write({_loading(spec, step)}, {steps[number]['file']!r})"]
    lines += [f"data = {_loading(spec, steps[-1])}"]
    if spec.split.is_published:
        lines += ["train, test, _ = data.published_split(train_on_valid=True)"]
    else:
        lines += [f"train, test = data.split({_arguments(split)})"]
    made = [f"{fit.label!r}: mrwtd.make_method({fit.method!r}, {_arguments(fit.parameters)})" for fit in spec.methods]
    lines += ["", "methods = {", *(f"    {line}," for line in made), "}"]
    if spec.split.train == 1:
        lines += [
            "for name, method in methods.items():",
            "    method.fit(train)  # all entries: nothing is held out, so there are no scores",
            "    if hasattr(method, 'rank_pairs'):  # methods with factors rank all unknown pairs",
            "        print(name, top_predictions(method, data, 10).to_string(index=False), sep='\\n')",
        ]
    else:
        lines += [
            "scores = {}",
            "for name, method in methods.items():",
            "    scores[name] = mrwtd.evaluate(method.fit(train), test)",
            "    print(name, scores[name].to_string(index=False), sep='\\n')",
        ]
    return "\n".join(lines) + "\n"


def on_command_line(spec: RunSpec, upload: Mapping[str, Any] | None = None) -> str:
    """The same with `python -m mrwtd fit`, one line per method.

    >>> from mrwtd.runs import DataRef, SplitSpec
    >>> methods = (MethodSpec("RESCAL", "RESCAL", {"rank": 2, "lam": 1.0, "seed": 0}),)
    >>> print(on_command_line(RunSpec(DataRef("florentine", sample=True), SplitSpec(0.3), methods)), end="")
    python -m mrwtd fit florentine --method RESCAL --rank 2 --lam 1.0 --seed 0 --train 0.3 --by auto
    """
    steps, lines = _steps(upload or {}), []
    if not _has_options(steps[-1].get("how", {}), spec.split.seed):
        steps.append({"file": f"{PurePath(steps[-1]['file']).stem}-read.parquet"})
    for number, step in enumerate(steps, start=1):
        if step.get("files"):
            lines.append(["python", "-m", "zipfile", "-c", step["file"], *step["files"]])
        if number < len(steps):
            imports = "import mrwtd; " + "from mrwtd.data.symmetrize import symmetrize; " * _is_symmetrized(step)
            code = f"{imports}mrwtd.write({_loading(spec, step)}, {steps[number]['file']!r})"
            lines.append(["python", "-c", code])
    lines += [["python", "-m", "mrwtd", "fit", *_data(spec, steps[-1]), *_method(fit, spec)] for fit in spec.methods]
    return "".join(shlex.join(words) + "\n" for words in lines)


def _steps(upload: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The uploads that a data set was made from, one after another: each was written to the file of the next."""
    steps = [upload]
    while "made_from" in steps[0]:
        steps.insert(0, steps[0]["made_from"])
    return steps


def _has_options(how: Mapping[str, Any], seed: int) -> bool:
    """Whether the command line has options for how data was read; if not, the data is written to a file first.

    `--seed` is the seed of the fit and of sampled negatives, and a value of NAME=VALUE contains no separator.

    >>> _has_options({"absent": 5}, seed=0), _has_options({"absent": 5}, seed=1)
    (True, False)
    """
    absent, columns = how.get("absent"), how.get("columns") or {}
    meanings = absent.values() if isinstance(absent, Mapping) else [absent]
    is_sampled = any(isinstance(meaning, int) for meaning in meanings)
    sheet = str(columns.get("sheet") or "sheet")
    return not (
        (is_sampled and how.get("seed", 0) != seed)
        or any("=" in name for name in (how.get("rename") or {}).values())
        or "," in sheet
        or sheet.isdigit()
        or isinstance(how.get("two_mode"), list | tuple)
    )


def _is_zipped(upload: Mapping[str, Any]) -> bool:
    """Whether the files of a data set are loaded as a zip; other files are read together as they are."""
    return bool(upload.get("files") and upload.get("dataset"))


def _is_symmetrized(upload: Mapping[str, Any]) -> bool:
    return bool(upload.get("how", {}).get("symmetric") and not upload.get("dataset"))


def _loading(spec: RunSpec, upload: Mapping[str, Any]) -> str:
    if not upload:
        return f"mrwtd.load_dataset({spec.data.name!r})"
    options = {name: value for name, value in upload.get("how", {}).items() if value not in (None, {}, "unobserved")}
    if dataset := upload.get("dataset"):
        options = {"folder": upload["file"]} if dataset_info(dataset).needs_folder else options
        return f"mrwtd.load_dataset({', '.join(filter(None, [repr(dataset), _arguments(options)]))})"
    options.pop("symmetric", None)
    files = upload.get("files") or upload["file"]
    data = f"mrwtd.read({', '.join(filter(None, [repr(files), _arguments(options)]))})"
    return f"symmetrize({data})" if _is_symmetrized(upload) else data


def _data(spec: RunSpec, upload: Mapping[str, Any]) -> list[str]:
    """The argument DATA, and the options that say how to read it."""
    if not upload:
        return [spec.data.name]
    options = dict(upload.get("how", {}))
    symmetric = ["--symmetric"] if options.pop("symmetric", False) else []
    if dataset := upload.get("dataset"):
        if dataset_info(dataset).needs_folder:
            return [dataset, "--data", upload["file"]]
        return [dataset, *symmetric, *_option("option", options)]
    absent, directed = options.get("absent"), options.get("directed")
    words = [
        upload["file"],
        *_columns(options.get("columns")),
        *symmetric,
        *_option("absent", None if absent == "unobserved" else absent),
    ]
    for name in ("kinds", "rename", "transform"):
        words += _option(name, options.get(name))
    if isinstance(directed, bool):
        words += ["--directed" if directed else "--undirected"]
    elif directed:
        words += _option("direction", {name: "directed" if way else "undirected" for name, way in directed.items()})
    for name in ("format", "duplicates", "periods", "self_pairs", "mask", "attributes"):
        words += _option(name, options.get(name))
    if (two_mode := options.get("two_mode")) is not None:
        words += ["--two-mode" if two_mode else "--one-mode"]
    return words


def _columns(columns: Mapping[str, Any] | None) -> list[str]:
    """The chosen columns as one option, such as source=0,target=1,header=no."""
    items = {role: value if isinstance(value, list | tuple) else [value] for role, value in (columns or {}).items()}
    words = {True: "yes", False: "no"}
    texts = [f"{role}={words[c] if isinstance(c, bool) else c}" for role, chosen in items.items() for c in chosen]
    return ["--columns", ",".join(texts)] if texts else []


def _method(fit: MethodSpec, spec: RunSpec) -> list[str]:
    """The method and its parameters. `--quick` sets the parameters that have no option."""
    words = ["--method", fit.method]
    for parameter in MrWTD.all_parameters().values():
        words += _option(parameter.name, fit.parameters.get(parameter.name)) if parameter.offered else []
    words += ["--quick"] if "max_iter" in fit.parameters else []
    fraction = [] if spec.split.is_published else ["--train", str(spec.split.train)]
    return [*words, *fraction, "--by", spec.split.by]


def _option(name: str, value: Any) -> list[str]:
    """The words of an option: nothing for None, and NAME=VALUE for each item of a mapping."""
    texts = [f"{key}={item}" for key, item in value.items()] if isinstance(value, Mapping) else [str(value)]
    return [] if value is None else [word for text in texts for word in (f"--{name.replace('_', '-')}", text)]


def _arguments(given: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in given.items())
