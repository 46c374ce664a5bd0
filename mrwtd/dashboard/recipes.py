"""The same run as a few lines of Python, or of the command line. No Streamlit in it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from ..data.relational import RelationalData
from .settings import Settings
from .training import parameters


def in_python(settings: Settings, data: RelationalData, own: Mapping[str, Any] | None = None) -> str:
    """A script that fits the same methods to the same split and prints the same scores.

    `own` tells of an uploaded data set: its file, the files that were put into it, and how it was read.

    >>> import mrwtd
    >>> florence = mrwtd.load_dataset("florentine")
    >>> script = in_python(Settings("florentine", rank=2, lam=1.0, methods=("MrWTD",)), florence)
    >>> exec(script)
    MrWTD
    relation   kind    metric     value  entries  positives reason
    ...
    """
    files = list(own.get("files", ())) if own else []
    lines = [
        *(["import zipfile", ""] if files else []),
        "import mrwtd",
        "",
        *([f"with zipfile.ZipFile({own['file']!r}, 'w') as archive:"] if own and files else []),
        *([f"    for name in {files!r}:", "        archive.write(name)", ""] if files else []),
        f"data = {_loading(settings, own)}",
        f"train, test = data.split(train={settings.train!r}, seed={settings.seed}, by={settings.by!r})",
        "",
        "methods = {",
        *(
            f"    {method!r}: mrwtd.make_method({method!r}, {_arguments(parameters(method, settings, data))}),"
            for method in settings.methods
        ),
        "}",
        "scores = {name: mrwtd.evaluate(method.fit(train), test) for name, method in methods.items()}",
        "for name, table in scores.items():",
        "    print(name, table.to_string(index=False), sep='\\n')",
    ]
    return "\n".join(lines) + "\n"


def on_command_line(settings: Settings, data: RelationalData, own: Mapping[str, Any] | None = None) -> str:
    """The same by `python -m mrwtd fit`, a line a method.

    >>> import mrwtd
    >>> settings = Settings("florentine", rank=2, lam=1.0, methods=("RESCAL",))
    >>> print(on_command_line(settings, mrwtd.load_dataset("florentine")), end="")
    python -m mrwtd fit florentine --method RESCAL --rank 2 --lam 1.0 --seed 0 --train 0.3 --by auto
    """
    lines = [
        ["python", "-m", "mrwtd", "fit", *_asking(settings, own), *_options(method, settings, data)]
        for method in settings.methods
    ]
    if own and own.get("files"):
        lines.insert(0, ["python", "-m", "zipfile", "-c", own["file"], *own["files"]])
    return "".join(shlex.join(words) + "\n" for words in lines)


def _loading(settings: Settings, own: Mapping[str, Any] | None) -> str:
    if own is None:
        return f"mrwtd.load_dataset({settings.data!r})"
    if own.get("dataset"):
        return f"mrwtd.load_dataset({own['dataset']!r}, folder={own['file']!r})"
    how = {name: value for name, value in own.get("how", {}).items() if value not in (None, {}, "unobserved")}
    return f"mrwtd.read({', '.join([repr(own['file']), *([_arguments(how)] if how else [])])})"


def _asking(settings: Settings, own: Mapping[str, Any] | None) -> list[str]:
    if own is None:
        return [settings.data]
    if own.get("dataset"):
        return [own["dataset"], "--data", own["file"]]
    how = own.get("how", {})
    words = [own["file"]]
    absent = how.get("absent", "unobserved")
    for relation, meaning in absent.items() if isinstance(absent, Mapping) else ():
        words += ["--absent", f"{relation}={meaning}"]
    if absent != "unobserved" and not isinstance(absent, Mapping):
        words += ["--absent", str(absent)]
    for relation, kind in how.get("kinds", {}).items():
        words += ["--kinds", f"{relation}={kind}"]
    directed = how.get("directed")
    if isinstance(directed, bool):
        words += ["--directed" if directed else "--undirected"]
    for relation, one in directed.items() if isinstance(directed, Mapping) else ():
        words += ["--direction", f"{relation}={'directed' if one else 'undirected'}"]
    for name in ("format", "duplicates", "mask", "attributes"):
        words += [f"--{name}", how[name]] if how.get(name) else []
    return words


def _options(method: str, settings: Settings, data: RelationalData) -> list[str]:
    given = parameters(method, settings, data)
    words = ["--method", method, "--rank", str(given["rank"]), "--lam", str(given["lam"]), "--seed", str(given["seed"])]
    for option, name in (("--loss", "loss"), ("--positive-weight", "positive_weight")):
        for relation, value in given.get(name, {}).items():
            words += [option, f"{relation}={value}"]
    for name in ("start", "ensemble"):
        if name in given:
            words += [f"--{name}", str(given[name])]
    return [*words, "--train", str(settings.train), "--by", settings.by]


def _arguments(given: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in given.items())
