"""URL parameters with values that no link of the dashboard has, over all pages and all parameters."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import mrwtd.dashboard
from mrwtd.dashboard.navigation import pages
from mrwtd.dashboard.pages import compare, embedding, learn, predict
from mrwtd.dashboard.pages.data import pictures
from mrwtd.dashboard.pages.train import results_panel
from mrwtd.dashboard.state.settings import PARAMETERS, PARSERS, PER_RELATION
from mrwtd.data.relations import KINDS
from mrwtd.experiments.experiment import EXPERIMENTS
from mrwtd.experiments.on_data.data_experiment import DATA_EXPERIMENTS

VALUES = (
    "", " ", "0", "-1", "-0.0", "nan", "inf", "-inf", "1e308", "1e-320", "9" * 400, "0x10", "1_000", "½", "True",
    "None", "[]", "{}", "a|b|", "|", ",", "MrWTD,,", "auto", "../../etc/passwd", "C:\\con", "\x00", "%00", "%s%n",
    "\u202e☃", "'; DROP TABLE runs; --", "<script>alert(1)</script>", "${7*7}{{7*7}}", "x" * 5_000, "own-", "own-../..",
    "0-0",
)  # fmt: skip

RELATION = "work"
"""A relation of the sample that is shown by default."""


ALL_EXPERIMENTS = {**EXPERIMENTS, **DATA_EXPERIMENTS}
AXES = {experiment.axis for experiment in ALL_EXPERIMENTS.values()}
OPTIONS = sorted({"runs", "methods", "rank", "fraction", *AXES})
"""Options of experiments, of which each experiment has some."""

COMPOSED: Mapping[str, tuple[str, ...]] = {
    "compare": ("compare.a", "compare.b", "compare.a-method", "compare.b-method"),
    "learn": tuple(f"learn.{part}-{kind}" for part in ("y", "odd") for kind in KINDS),
    "experiments": tuple(
        f"experiments.{name}-{end}"
        for name in ALL_EXPERIMENTS
        for end in ("size", *(f"{size}-{option}" for size in ("quick", "full") for option in OPTIONS))
    ),
}
"""Parameters whose names are not written out in the code, by page."""


def names(page: str) -> list[str]:
    """The parameters of a page, from its code, and those of all pages except the data set."""
    code = "".join(file.read_text(encoding="utf-8") for file in Path(mrwtd.dashboard.__path__[0]).rglob("*.py"))
    found = sorted({*re.findall(rf'"({re.escape(page)}\.[a-z-]+)"', code), *COMPOSED.get(page, ())})
    per_relation = [f"{name}.{relation}" for name in PER_RELATION for relation in (RELATION, "no relation")]
    return [*found, *PARSERS, *PARAMETERS, *per_relation, f"{page}.unknown", "unknown"]


def parts(page: str) -> list[dict[str, str]]:
    """Valid parameters that open the parts of a page, each of which reads other parameters."""
    options: dict[str, Iterable[str]] = {
        "data.picture": tuple(pictures.PICTURES), "data.upload": ("1",), "data.edit": ("1",),
        "train.part": tuple(results_panel.PARTS), "compare.section": compare.SECTIONS,
        "embedding.view": embedding.VIEWS, "predict.view": predict.VIEWS, "network.depth": ("2",),
        "experiments.which": EXPERIMENTS, "learn.lesson": learn.LESSONS,
    }  # fmt: skip
    simple = [{name: value} for name, values in options.items() if name.startswith(f"{page}.") for value in values]
    on_data = [{"experiments.source": "data", "experiments.kind": kind} for kind in DATA_EXPERIMENTS]
    return [*simple, *(on_data if page == "experiments" else [])]


def queries(page: str, shift: int) -> dict[str, str]:
    """A hostile value for each parameter of a page, another one for each shift.

    Without that of a shared run: all others are dropped if there is no such run.
    """
    listed = [name for name in names(page) if name != "shared"]
    return {name: VALUES[(7 * index + shift) % len(VALUES)] for index, name in enumerate(listed)}


def addresses() -> Iterator[tuple[str, dict[str, str]]]:
    """Pages with hostile parameters: each parameter alone with several values, and all at once in each part."""
    for page in pages():
        for part in parts(page):
            yield from ((page, queries(page, shift) | part) for shift in range(0, len(VALUES), 5))
    for page in pages():
        alone = [name for name in names(page) if name not in COMPOSED.get(page, ())]  # the others need their part
        for index, name in enumerate([*alone, "data"]):
            for value in VALUES[index % 4 :: 4]:
                yield page, {name: value}
