import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import mrwtd
from mrwtd.__main__ import main
from mrwtd.data.splitting import describe_split
from mrwtd.data.writers import WRITERS, write


def run(*words: str | Path, **options) -> Result:
    return CliRunner().invoke(main, ["fit", *map(str, words)], **options)


def fit_json(*words: str | Path, **options) -> dict:
    result = run(*words, "--json", **options)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def ties(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    rows = [
        (f"p{a}", relation, f"p{b}", int(value))
        for relation, values in (("likes", rng.integers(0, 2, (9, 9))), ("calls", rng.poisson(9, (9, 9))))
        for a in range(9)
        for b in range(9)
        if a != b
        for value in [values[a, b]]
    ]
    file = tmp_path / "ties.csv"
    pd.DataFrame(rows, columns=["source", "relation", "target", "value"]).to_csv(file, index=False)
    return file


def test_output_equals_the_library(ties):
    words = ("--rank", 2, "--lam", 0.5, "--train", 0.7, "--seed", 3, "--loss", "likes=smooth-hinge", "--ensemble", 2)
    output = fit_json(ties, *words, "--positive-weight", "likes=2", "--init", "random")
    data = mrwtd.read(ties)
    train, test = data.split(train=0.7, seed=3)
    weights = {"likes": 2.0}
    model = mrwtd.MrWTD(2, {"likes": "smooth-hinge"}, 0.5, "random", weights, ensemble=2, seed=3).fit(train)
    expected = mrwtd.evaluate(model, test)
    assert [row["metric"] for row in output["metrics"]] == expected["metric"].tolist()
    values = [np.nan if row["value"] is None else row["value"] for row in output["metrics"]]
    assert values == pytest.approx(expected["value"].tolist(), nan_ok=True)
    assert output["losses"] == {"likes": "smooth-hinge", "calls": "poisson"}
    assert output["lam"] == 0.5
    assert (output["train"], output["test"]) == (len(train), len(test))
    assert output["data"]["notes"] == list(data.notes)


def test_written_files_are_consistent(ties, tmp_path):
    out = tmp_path / "new" / "run"
    output = fit_json(ties, "--rank", 2, "--lam", 1, "--out", out)
    assert sorted(Path(name).name for name in output["files"]) == ["metrics.csv", "model.npz", "predictions.csv"]
    model, predicted = mrwtd.load_model(out / "model.npz"), pd.read_csv(out / "predictions.csv")
    _, test = mrwtd.read(ties).split(train=0.8, seed=0)
    assert predicted["prediction"].to_numpy() == pytest.approx(model.predict(test))
    assert predicted[["source", "relation", "target"]].to_numpy().tolist() == [
        [test.objects[i], test.relations[k].name, test.objects[j]]
        for i, j, k in zip(test.i, test.j, test.k, strict=True)
    ]
    scores = pd.read_csv(out / "metrics.csv")
    assert scores["value"].dropna().tolist() == pytest.approx([r["value"] for r in output["metrics"] if r["value"]])


def test_predictions_as_parquet_are_in_the_unit_of_the_data(tmp_path):
    fit_json("monastery", "--rank", 2, "--lam", 1, "--out", tmp_path, "--table", "parquet")
    predicted = pd.read_parquet(tmp_path / "predictions.parquet")
    data = mrwtd.load_dataset("monastery")
    levels = {relation.name: set(relation.levels) for relation in data.relations}
    for relation, rows in predicted.groupby("relation", observed=True):
        assert set(rows["value"]) | set(rows["prediction"]) <= levels[str(relation)]


def test_with_all_entries_the_best_unknown_pairs_are_predicted(ties, tmp_path):
    frame = pd.read_csv(ties).iloc[::2]
    frame.to_csv(ties, index=False)
    output = fit_json(ties, "--rank", 2, "--lam", 1, "--train", 1, "--top", 3, "--out", tmp_path)
    assert output["metrics"] == []
    known = set(map(tuple, frame[["source", "relation", "target"]].to_numpy()))
    pairs = [(row["source"], row["relation"], row["target"]) for row in output["predictions"]]
    assert len(pairs) == 6
    assert not known & set(pairs)
    assert len(pd.read_csv(tmp_path / "predictions.csv")) == 6
    assert "There are none" in run("florentine", "--rank", 2, "--lam", 1, "--train", 1).stdout


def test_a_method_without_factors_cannot_rank_all_pairs(ties):
    result = run(ties, "--method", "Degree", "--train", 1)
    assert result.exit_code == 1
    assert "Degree" in result.stderr


@pytest.mark.parametrize("ending", WRITERS)
def test_every_format_is_read(tmp_path, ending):
    data = mrwtd.load_dataset("florentine")
    write(data, tmp_path / f"ties.{ending}")
    output = fit_json(tmp_path / f"ties.{ending}", "--rank", 2, "--lam", 1)
    assert (output["data"]["objects"], output["data"]["entries"]) == (15, 210)


def test_standard_input_is_read():
    text = "source,relation,target,value\n" + "".join(f"a{n},r,b{n},{n}.5\n" for n in range(9))
    output = fit_json("-", "--rank", 1, "--lam", 1, input=text)
    assert output["data"]["relations"] == [{"name": "r", "kind": "real", "directed": True}]


def test_options_for_reading_a_file(ties, tmp_path):
    (tmp_path / "more.csv").write_text("source,relation,target,value\na,r,b,1\na,r,b,2\nb,s,c,1\n")
    words = ("--rank", 1, "--lam", 1, "--kinds", "r=count", "--kinds", "s=real", "--duplicates", "max", "--symmetric")
    output = fit_json(
        tmp_path / "more.csv", *words, "--direction", "r=undirected", "--format", "long", "--absent", "negative"
    )
    kinds = {row["name"]: (row["kind"], row["directed"]) for row in output["data"]["relations"]}
    assert kinds == {"r": ("count", False), "s": ("real", False)}
    assert output["data"]["entries"] == 6, "three pairs in each of two undirected relations"
    directed = fit_json(ties, "--rank", 1, "--lam", 1, "--directed", "--kinds", "likes=count")
    assert [row["kind"] for row in directed["data"]["relations"]] == ["count", "count"]


def test_samples_accept_their_options():
    output = fit_json("synth-binary", "--option", "n_objects=12", "--option", "n_relations=1", "--rank", 1, "--lam", 1)
    assert (output["data"]["objects"], len(output["data"]["relations"])) == (12, 1)
    directed = [
        row["directed"] for row in fit_json("monastery", "--symmetric", "--rank", 1, "--lam", 1)["data"]["relations"]
    ]
    assert not any(directed)


def test_text_output_has_a_table_and_reasons(ties):
    result = run(ties, "--rank", 2, "--lam", 1, "--quick", "--loss", "likes=smooth-hinge")
    assert result.exit_code == 0
    assert "9 objects, 2 relations, 144 entries" in result.stdout
    assert "auprc" in result.stdout
    assert "rmse" in result.stdout
    assert "No brier of likes: " in result.stdout
    assert "Note: " in result.stderr, "how the file was interpreted"
    assert "\r" not in result.output, "no progress without a terminal"


def test_averages_state_how_many_relations_they_cover(tmp_path):
    rows = [f"a{a},{name},b{b},{int(a == b and name == 'r')}" for name in "rs" for a in range(6) for b in range(6)]
    (tmp_path / "t.csv").write_text("\n".join(["source,relation,target,value", *rows]))
    result = run(tmp_path / "t.csv", "--kinds", "s=binary", "--rank", 1, "--lam", 1, "--train", 0.5)
    assert "auprc is over 1 of 2 relations" in result.stdout
    assert "of s: all 18 test entries" in result.stdout


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["nowhere.csv"], 1, "nowhere.csv: found neither a file nor a data set"),
        (["kinshp"], 1, "such as kinship"),
        (["florentine", "--loss", "friends=logistic"], 1, "'friends'"),
        (["florentine", "--loss", "poisson"], 1, "poisson"),
        (["florentine", "--lam", "-1"], 1, "lam = -1.0"),
        (["florentine", "--option", "n_objects=3"], 1, "n_objects"),
        (["florentine", "--method", "RESCAL", "--init", "random"], 1, "'init'"),
        (["florentine", "--lam", "much"], 2, "--lam"),
        (["florentine", "--rank", "0"], 2, "--rank"),
        (["florentine", "--train", "1.5"], 2, "--train"),
        (["florentine", "--method", "Oracle"], 2, "--method"),
        (["florentine", "--absent", "negative"], 2, "--absent has no meaning"),
        (["ties.csv", "--data", "."], 2, "--data has no meaning"),
        (["florentine", "--option", "symmetric"], 2, "NAME=VALUE"),
        (["florentine", "--loss", "quadratic", "--loss", "logistic"], 2, "only one can be for all"),
        (["florentine", "--positive-weight", "heavy"], 2, "expected a number"),
        ([], 2, "DATA"),
    ],
)
def test_errors_are_one_line(words, status, message):
    result = run(*words)
    assert result.exit_code == status
    assert result.stdout == ""
    errors = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    assert len(errors) == 1
    assert message in errors[0]


def test_errors_in_files_name_the_line(tmp_path):
    (tmp_path / "bad.csv").write_text("source,relation,target,value\na,r,b,1\nb,r,c,many\n")
    result = run(tmp_path / "bad.csv")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: bad.csv, line 3")
    for words in (("--direction", "r=both"), ("--directed", "--direction", "r=directed")):
        assert run(tmp_path / "bad.csv", *words).exit_code == 2


def test_an_invalid_folder_is_refused_before_the_fit(tmp_path, monkeypatch):
    monkeypatch.setattr(mrwtd.MrWTD, "fit", lambda *_, **__: pytest.fail("fitted"))
    (tmp_path / "file").write_text("")
    result = run("florentine", "--out", tmp_path / "file" / "run")
    assert result.exit_code == 1
    assert "Error: " in result.stderr


@pytest.mark.parametrize("method", ["Degree", "MrWTD", "RESCAL"])
def test_quick_works_for_every_method(method):
    assert fit_json("florentine", "--method", method, "--lam", 1, "--rank", 2, "--quick")


@pytest.mark.parametrize("by", ["auto", "entry", "pair"])
def test_by_chooses_what_is_held_out_and_the_output_describes_it(tmp_path, by):
    words = ("airports", "--method", "Degree", "--train", 0.5, "--out", tmp_path)
    output = fit_json(*words, "--by", by)
    data = mrwtd.load_dataset("airports")
    train, test = data.split(train=0.5, by=by)
    expected = mrwtd.evaluate(mrwtd.make_method("Degree").fit(train), test)
    values = [np.nan if row["value"] is None else row["value"] for row in output["metrics"]]
    assert values == pytest.approx(expected["value"].tolist(), nan_ok=True)
    assert (output["by"], output["held_out"]) == (by, describe_split(data, by))
    ways = pd.read_csv(tmp_path / "metrics.csv").drop_duplicates("relation").set_index("relation")["held_out"]
    assert ways["flights"] == ("entry" if by == "entry" else "pair")
    assert describe_split(data, by) in run(*words, "--by", by).stdout
    if by == "auto":
        assert fit_json(*words)["metrics"] == output["metrics"], "auto is the default"


def test_with_train_1_nothing_is_held_out():
    output = fit_json("florentine", "--rank", 2, "--lam", 1, "--train", 1)
    assert (output["by"], output["held_out"]) == (None, "")


def test_a_published_split_is_tested_as_published(tmp_path: Path) -> None:
    rows = [f"o{i},r,o{j},{int((i + 2 * j) % 3 == 0)},{'test' if (i * j) % 4 == 1 else 'train'}"
            for i in range(8) for j in range(8) if i != j]  # fmt: skip
    file = tmp_path / "ties.csv"
    file.write_text("source,relation,target,value,split\n" + "\n".join(rows))
    output = fit_json(file, "--directed", "--method", "Degree", "--by", "published", "--out", tmp_path / "run")
    test = sum(row.endswith("test") for row in rows)
    assert (output["test"], output["train"]) == (test, len(rows) - test)
    assert mrwtd.load_run(tmp_path / "run").name.split(" · ")[1] == "as published"


def test_scores_name_the_sampled_pairs_they_are_estimated_from(tmp_path: Path) -> None:
    ties = mrwtd.load_dataset("florentine")
    file = tmp_path / "ties.csv"
    frame = ties.subset(ties.y > 0).to_frame()
    frame[["source", "relation", "target"]].to_csv(file, index=False)
    words = (file, "--absent", "2", "--train", "0.5", "--rank", "2", "--lam", "1")
    metrics = fit_json(*words)["metrics"]
    number = sum({row["relation"]: row["sampled_pairs"] for row in metrics}.values())
    assert number > 0
    assert f"estimated from {number} sampled pairs" in run(*words).output
