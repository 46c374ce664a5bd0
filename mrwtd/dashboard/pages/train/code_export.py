"""The same run as a few lines of Python, or of the command line. No Streamlit in it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from ....data.datasets.samples import dataset_info
from ....model import MrWTD
from ....runs import MethodSpec, RunSpec


def in_python(spec: RunSpec, own: Mapping[str, Any] | None = None) -> str:
    """A script that fits the same methods to the same split and prints the same scores.

    `own` describes data that does not come with the package: its file, the files in it, and how it was read.

    >>> from mrwtd.runs import DataRef, SplitSpec
    >>> methods = (MethodSpec("MrWTD", "MrWTD", {"rank": 2, "lam": 1.0}),)
    >>> exec(in_python(RunSpec(DataRef("florentine", sample=True), SplitSpec(0.3), methods)))
    MrWTD
    relation   kind    metric     value  entries  positives reason
    ...
    """
    files, how = (own.get("files", []), own.get("how", {})) if own else ([], {})
    split = {"train": spec.split.train, "seed": spec.split.seed, "by": spec.split.by}
    split |= {"stratify": True} if spec.split.stratify else {}
    symmetric = how.get("symmetric") and not (own or {}).get("dataset")
    loading = _loading(spec, own)
    lines = [
        *(["import zipfile", ""] if files else []),
        "import mrwtd",
        *(["from mrwtd.data.symmetrize import symmetrize"] if symmetric else []),
        "",
        *([f"with zipfile.ZipFile({own['file']!r}, 'w') as archive:"] if own and files else []),
        *([f"    for name in {files!r}:", "        archive.write(name)", ""] if files else []),
        f"data = {f'symmetrize({loading})' if symmetric else loading}",
        f"train, test = data.split({_arguments(split)})",
        "",
        "methods = {",
        *(
            f"    {one.label!r}: mrwtd.make_method({one.method!r}, {_arguments(one.parameters)}),"
            for one in spec.methods
        ),
        "}",
        "scores = {name: mrwtd.evaluate(method.fit(train), test) for name, method in methods.items()}",
        "for name, table in scores.items():",
        "    print(name, table.to_string(index=False), sep='\\n')",
    ]
    return "\n".join(lines) + "\n"


def on_command_line(spec: RunSpec, own: Mapping[str, Any] | None = None) -> str:
    """The same by `python -m mrwtd fit`, one line per method.

    >>> from mrwtd.runs import DataRef, SplitSpec
    >>> methods = (MethodSpec("RESCAL", "RESCAL", {"rank": 2, "lam": 1.0, "seed": 0}),)
    >>> print(on_command_line(RunSpec(DataRef("florentine", sample=True), SplitSpec(0.3), methods)), end="")
    python -m mrwtd fit florentine --method RESCAL --rank 2 --lam 1.0 --seed 0 --train 0.3 --by auto
    """
    lines = [["python", "-m", "mrwtd", "fit", *_data(spec, own), *_options(one, spec)] for one in spec.methods]
    if own and own.get("files"):
        lines.insert(0, ["python", "-m", "zipfile", "-c", own["file"], *own["files"]])
    return "".join(shlex.join(words) + "\n" for words in lines)


def _loading(spec: RunSpec, own: Mapping[str, Any] | None) -> str:
    if own is None:
        return f"mrwtd.load_dataset({spec.data.name!r})"
    how = {name: value for name, value in own.get("how", {}).items() if value not in (None, {}, "unobserved")}
    if own.get("dataset"):
        how = {"folder": own["file"]} if dataset_info(own["dataset"]).needs_folder else how
        return f"mrwtd.load_dataset({', '.join([repr(own['dataset']), _arguments(how)])})"
    how.pop("symmetric", None)
    return f"mrwtd.read({', '.join([repr(own['file']), *([_arguments(how)] if how else [])])})"


def _data(spec: RunSpec, own: Mapping[str, Any] | None) -> list[str]:
    if own is None:
        return [spec.data.name]
    how = own.get("how", {})
    symmetric = ["--symmetric"] if how.get("symmetric") else []
    if own.get("dataset"):
        if dataset_info(own["dataset"]).needs_folder:
            return [own["dataset"], "--data", own["file"]]
        options = [f"{name}={value}" for name, value in how.items() if name != "symmetric"]
        return [own["dataset"], *symmetric, *(word for option in options for word in ("--option", option))]
    words = [own["file"], *symmetric]
    absent = how.get("absent", "unobserved")
    for relation, meaning in absent.items() if isinstance(absent, Mapping) else ():
        words += ["--absent", f"{relation}={meaning}"]
    if absent != "unobserved" and not isinstance(absent, Mapping):
        words += ["--absent", str(absent)]
    for relation, kind in (how.get("kinds") or {}).items():
        words += ["--kinds", f"{relation}={kind}"]
    directed = how.get("directed")
    if isinstance(directed, bool):
        words += ["--directed" if directed else "--undirected"]
    for relation, one in directed.items() if isinstance(directed, Mapping) else ():
        words += ["--direction", f"{relation}={'directed' if one else 'undirected'}"]
    for name in ("format", "duplicates", "mask", "attributes"):
        words += [f"--{name}", how[name]] if how.get(name) else []
    return words


def _options(one: MethodSpec, spec: RunSpec) -> list[str]:
    """The method and its parameters; `--quick` is what sets the ones that have no option."""
    words = ["--method", one.method]
    for name in (parameter.name for parameter in MrWTD.all_parameters().values() if parameter.offered):
        value, option = one.parameters.get(name), f"--{name.replace('_', '-')}"
        for relation, of_one in value.items() if isinstance(value, Mapping) else ():
            words += [option, f"{relation}={of_one}"]
        if value is not None and not isinstance(value, Mapping):
            words += [option, str(value)]
    words += ["--quick"] if "max_iter" in one.parameters else []
    return [*words, "--train", str(spec.split.train), "--by", spec.split.by]


def _arguments(given: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in given.items())
