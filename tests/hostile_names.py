"""A user whose files, names and imported run try to be Markdown, HTML, formulas, symbols and links to another host."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

import mrwtd
from mrwtd.dashboard.state import current_user
from mrwtd.dashboard.state.settings import UPLOAD_PREFIX
from mrwtd.evaluation.evaluate import summarize_scores
from mrwtd.experiments import DATA_EXPERIMENTS
from mrwtd.hosting.identity import identities
from mrwtd.model.diagnostics import Diagnostic
from mrwtd.runs import DataRef, MethodSpec, Run, RunSpec, SplitSpec
from mrwtd.runs.run import Memory

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
    # A finished fit of the experiment that the Experiments page opens with.
    experiment = DATA_EXPERIMENTS["learning-curve"].on(data)
    options = experiment.presets["quick"].change(methods=("Degree",), runs=1, n_jobs=1)
    experiment.run(options, space.folder / "experiments" / experiment.name)
    query = {"data": UPLOAD_PREFIX + digest, "run": run.id, "relation": RELATIONS[0]}
    return Hostile(user, query)
