"""A user whose files, names and imported run try to be Markdown, HTML, formulas, symbols and links to another host."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

import mrwtd
from mrwtd.dashboard.state import current_user
from mrwtd.dashboard.state.settings import UPLOAD_PREFIX
from mrwtd.evaluation.evaluate import summarize_scores
from mrwtd.experiments.on_data.data_experiment import DATA_EXPERIMENTS
from mrwtd.hosting.identity import identities
from mrwtd.model.diagnostics import Diagnostic
from mrwtd.runs import DataRef, MethodSpec, Run, RunSpec, SplitSpec, execute
from mrwtd.runs.run import Memory
from mrwtd.runs.uploaded_files import Upload, UploadedFile

MARK = "zq77"
"""Alone in an element only if the markup around it was interpreted: every name has more letters."""

HOST = "evil.invalid"

TEXTS = (
    f"![{MARK}](http://{HOST}/x.png)",
    f"![{MARK}](http&#58;&#47;&#47;{HOST}&#47;y.png)",
    f"[{MARK}](http://{HOST}/link)",
    f"<b>{MARK}</b>",
    f"<a href='http://{HOST}/a'>{MARK}</a>",
    f"<img src='http://{HOST}/i.png'> {MARK}",
    f"**{MARK}**",
    f"# {MARK}",
    f"- {MARK}",
    f"1. {MARK}",
    f"`{MARK}`",
    f"${MARK}$",
    f":red[{MARK}]",
    f":material/skull: {MARK}.",
    f":ghost: {MARK}.",
    f"http://{HOST}/bare{MARK}",
    f"www.{HOST}/{MARK}",
    f"{MARK}@{HOST}",
    f"&lt;b&gt;{MARK}&lt;/b&gt;",
    f"%{{x}} {MARK}.",
)
RELATIONS = (
    f"<b>{MARK}</b> ![r](http://{HOST}/r.png)",
    f"**{MARK}** www.{HOST}/r",
    f":red[{MARK}] $r$ http://{HOST}/c",
)


@dataclass(frozen=True)
class Hostile:
    """A user with hostile names, and the URL parameters that show the imported run.

    Attributes:
        user: the id of the workspace.
        query: URL parameters.
    """

    user: str
    query: dict[str, str]


def hostile_data() -> mrwtd.RelationalData:
    rng = np.random.default_rng(0)
    n = len(TEXTS)
    i, j = np.nonzero(~np.eye(n, dtype=bool))
    ties = rng.random((2, i.size)) < 0.3
    columns = [np.where(tie, 1, -1) for tie in ties] + [rng.poisson(2, i.size)]
    return mrwtd.RelationalData(
        TEXTS,
        [mrwtd.Relation(name, "count" if name == RELATIONS[2] else "binary", directed=True) for name in RELATIONS],
        np.tile(i, 3), np.tile(j, 3), np.repeat(np.arange(3), i.size), np.concatenate(columns),
        attributes=pd.DataFrame({f"**{MARK}** http://{HOST}/t": [TEXTS[index % 4] for index in range(n)]}, index=TEXTS),
    )  # fmt: skip


TYPES = (TEXTS[0], TEXTS[3], TEXTS[12])
"""Types of objects: the relations connect the first to each of the others."""


@cache
def hostile_two_mode() -> Hostile:
    """A user with a run on objects of types with hostile names, read from files with such names and attributes."""
    user, n = identities().issue(), 30
    types = [TYPES[index % 3] for index in range(n)]
    rng = np.random.default_rng(0)
    ends = [(i, j, types.index(types[j]) - 1) for i in range(0, n, 3) for j in range(n) if j % 3]
    i, j, k = np.array(ends).T
    data = mrwtd.RelationalData(
        [f"{TEXTS[index % len(TEXTS)]} {index}" for index in range(n)],
        [mrwtd.Relation(RELATIONS[k], "binary", directed=True, types=(TYPES[0], TYPES[k + 1])) for k in range(2)],
        i, j, k, np.where(rng.random(i.size) < 0.4, 1, -1), object_types=types,
    )  # fmt: skip
    files = [text.replace("/", ":") + ".csv" for text in TEXTS[:3]]
    how = {"rename": {TEXTS[2]: RELATIONS[0]}, "attributes": files[2], "columns": {"source": TEXTS[0], "target": 1}}
    space = current_user.workspace_of(user)
    about = {"file": "a.zip", "files": files, "how": how, "notes": list(TEXTS)}
    upload = Upload(tuple(UploadedFile(name, b"") for name in files[:2]), UploadedFile(files[2], b""))
    digest = space.save_dataset(data, about, upload)
    specs = MethodSpec("MrWTD", "MrWTD", {"rank": 2, "lam": 1.0}), MethodSpec("Degree", "Degree")
    spec = RunSpec(DataRef(files[0], files[1], digest), SplitSpec(0.6, by="entry"), specs)
    run = space.save_run(execute(spec, data), name=TEXTS[4])
    return Hostile(user, {"data": UPLOAD_PREFIX + digest, "run": run.id})


@cache
def hostile() -> Hostile:
    """The user, whose workspace is created once."""
    user, data = identities().issue(), hostile_data()
    space = current_user.workspace_of(user)
    digest = space.save_dataset(data, {"file": TEXTS[1] + ".csv", "notes": list(TEXTS), "size": TEXTS[6]})
    train, test = data.split(train=0.5, seed=0)
    methods = {
        f"MrWTD {TEXTS[0]}": mrwtd.MrWTD(rank=2, lam=1.0, snapshots=3).fit(train),
        f"RESCAL {TEXTS[3]} {TEXTS[15]}": mrwtd.make_method("RESCAL", rank=2, lam=1.0).fit(train),
        f"Degree {TEXTS[6]}": mrwtd.make_method("Degree").fit(train),
    }
    next(iter(methods.values())).diagnostics_ += (
        Diagnostic("collapsed", RELATIONS[0], {"lam": 1.0, "cause": "lambda"}),
        *(Diagnostic("not_fitted", text, {"reason": text}) for text in TEXTS[:6]),
    )
    scores = pd.concat(
        [mrwtd.evaluate(model, test).assign(method=label, seconds=0.1, lam=1.0) for label, model in methods.items()]
        + [pd.DataFrame([{"method": TEXTS[0], "metric": "", "reason": TEXTS[2]}])]
    )
    # Some methods, not all, are worse than a constant: pages then name them.
    scores.loc[(scores["metric"] == "nmse") & (scores["method"] == f"Degree {TEXTS[6]}"), "value"] = 0.5
    scores.loc[(scores["metric"] == "nmse") & (scores["method"] != f"Degree {TEXTS[6]}"), "value"] = 1.5
    specs = tuple(MethodSpec(label, "MrWTD", {"rank": 2, "lam": 1.0}) for label in methods)

    def save(name: str, title: str, state: str = "stopped") -> Run:
        spec = RunSpec(DataRef(TEXTS[1] + ".csv", title, digest), SplitSpec(0.5, by="entry"), specs)
        memory = Memory(methods, scores)
        return space.save_run(Run(spec, state, 0.1, tuple(methods), summarize_scores(scores), name=name, memory=memory))

    for name, title in ((TEXTS[0], TEXTS[6]), (TEXTS[15], TEXTS[3])):
        run = save(name, title)
    broken = save(TEXTS[15], "", "finished")
    (broken.folder / "scores.csv").write_text("")
    # One finished fit of the experiment that the Experiments page opens with.
    experiment = DATA_EXPERIMENTS["learning-curve"].on(data)
    options = experiment.presets["quick"].change(methods=("Degree",), train=(0.2,), runs=1, n_jobs=1)
    experiment.run(options, space.folder / "experiments" / experiment.name)
    query = {"data": UPLOAD_PREFIX + digest, "run": run.id, "relation": RELATIONS[0]}
    return Hostile(user, query)


def hostile_columns(separator: str = ",") -> bytes:
    """A list whose header and cells are hostile."""
    return _as_rows([TEXTS[:5], *(TEXTS[place : place + 5] for place in range(1, 15))], separator)


def hostile_ties() -> bytes:
    """A list of ties of hostile relations."""
    rows = [(TEXTS[i], RELATIONS[k], TEXTS[j], "1") for k in range(3) for i in range(4) for j in range(4) if i != j]
    return _as_rows([("source", "relation", "target", "value"), *rows])


def _as_rows(rows: Iterable[Iterable[str]], separator: str = ",") -> bytes:
    return "\n".join(separator.join(f'"{cell}"' for cell in row) for row in rows).encode()
