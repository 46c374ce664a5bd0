import numpy as np
import pytest

import mrwtd
from mrwtd.experiments import timed_fit
from mrwtd.experiments.experiment import EXPERIMENTS
from mrwtd.experiments.timed_fit import PeakMemory, measure, peak_bytes
from mrwtd.experiments.timing import TimingJob, run_in_fresh_processes


@pytest.fixture(scope="module")
def timing():
    return EXPERIMENTS["timing"]


def test_time_and_memory_are_measured_in_separate_processes(timing, tmp_path):
    options = timing.presets["quick"].change(methods=("RESCAL-signs",), sizes=(60, 40), runs=1)
    reports = []
    outcome = timing.run(options, tmp_path, lambda *progress: reports.append(progress[:3]) and None)
    scores = outcome.scores
    assert (scores["metric"].value_counts() == 2).all()
    assert (scores["value"] > 0).all()
    assert reports[-1] == (2, 2, "Synth-B, RESCAL-signs, n = 40, run 1")
    table = timing.table(scores)
    assert [title for title in table.frame["Data"] if title] == [
        "Synth-B (seconds)",
        "Synth-B (peak memory, GB)",
        "Synth-B (AUPRC)",
    ]
    assert table.frame["n"].tolist() == ["40", "60"] * 3
    figure = timing.figure(scores)
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    assert {trace.name for trace in figure.data} == {"RESCAL-signs"}


def test_the_times_of_the_paper_are_next_to_ours(timing, tmp_path, monkeypatch):
    answers = {"seconds": 0.5, "peak_gb": 0.3, "auprc": 0.7, "evaluations": 9}
    import mrwtd.experiments.timing as module

    monkeypatch.setattr(
        module, "run_in_fresh_processes", lambda todo, cancelled: ((job, module._rows(job, answers)) for job in todo)
    )
    scores = timing.run(timing.presets["quick"], tmp_path).scores
    table = timing.table(scores)
    assert table.frame.iloc[1].tolist() == ["", "500", "paper", "0.21 (.05)", "1.52 (.05)", "0.59 (.01)"]
    assert "of 10" in table.notes[0]
    paper = [trace for trace in timing.figure(scores).data if trace.name == "BPTF, paper"]
    assert paper[0].y.tolist() == [1.52, 6.51]
    assert not [trace for trace in timing.figure(scores, paper=False).data if "paper" in trace.name]


def test_a_process_that_fails_has_a_row_with_its_last_line():
    ((_, rows),) = run_in_fresh_processes([TimingJob("Oracle", 40, run=0)])
    assert rows["metric"].tolist() == [""]
    assert "found the method 'Oracle'" in rows["reason"].item()


def test_a_fast_fit_is_scored_on_unseen_pairs():
    job = TimingJob("RESCAL-signs", 100, run=1)
    train, test = job.spec.split.parts(job.data())
    pairs = [set(zip(part.k, part.i, part.j, strict=True)) for part in (train, test)]
    assert not pairs[0] & pairs[1]
    again, _ = job.spec.split.parts(job.data())
    assert np.array_equal(again.y, train.y)
    assert len(train) == round(0.1 * 3 * 100 * 99 / 2)


def test_peak_memory_is_that_of_the_fit(monkeypatch):
    class Hungry(PeakMemory):
        def start(self, label, model):
            super().start(label, model)
            np.ones(30_000_000)

    job = TimingJob("RESCAL-signs", 40, run=0)
    before = measure(job)["peak_gb"]
    monkeypatch.setattr(timed_fit, "PeakMemory", Hungry)
    assert measure(job)["peak_gb"] - before > 0.2
    assert peak_bytes() / 1e9 >= before


@pytest.mark.parametrize("change", [{"train": (0.95,)}, {"sizes": ()}, {"sizes": (3,)}])
def test_options_that_cannot_be_timed_are_refused(timing, change, tmp_path):
    with pytest.raises(mrwtd.DataError):
        timing.run(timing.presets["quick"].change(**change), tmp_path)


def test_a_cancelled_fit_is_not_waited_for():
    answers = iter([False, True])
    long = TimingJob("BPTF", 3_000, run=0)
    assert list(run_in_fresh_processes([long, long], lambda: next(answers))) == []
