import pickle

import pytest

from mrwtd.errors import DataError, Problem, Problems


def test_all_problems_of_the_first_hundred_lines_are_listed():
    result = [Problem(text, "else", line=line) for line in range(1, 151) for text in ("one", "two")]
    error = DataError(result, file="ties.csv")
    assert [problem.line for problem in error.problems] == [line for line in range(1, 101) for _ in range(2)]
    assert error.total == 300
    assert "… and 100 more" in str(error)


def test_each_problem_without_a_line_counts_as_one_line():
    error = DataError([Problem(f"thing {n}", "none") for n in range(130)])
    assert len(error.problems) == 100


def test_a_line_with_thousands_of_problems_is_cut():
    error = DataError([Problem(str(n), "none", line=7) for n in range(5000)])
    assert len(error.problems) == 1000
    assert error.total == 5000
    assert str(error).startswith("5,000 problems")
    assert str(error).endswith("… and 4,000 more")


def test_one_problem_is_one_sentence():
    assert str(DataError(Problem("x", "y", line=3), file="a.csv")) == "a.csv, line 3: found x; expected y"
    assert str(DataError(Problem("x", "y", where="sheet 'b'"), file="a")) == "a: sheet 'b': found x; expected y"
    assert str(DataError(Problem("x", "y"))) == "found x; expected y"


def test_an_error_survives_pickling():
    error = DataError([Problem("x", "y", line=3), Problem("z", "y", line=4)], file="a.csv", total=7)
    back = pickle.loads(pickle.dumps(error))
    assert str(back) == str(error)
    assert back.problems == error.problems


def test_collected_problems_are_sorted_by_line():
    problems = Problems("a.csv")
    problems.add("late", "none", line=9)
    for line in problems.first(range(2, 7), limit=1):
        problems.add("early", "none", line=line)
    with pytest.raises(DataError) as caught:
        problems.check()
    assert [problem.found for problem in caught.value.problems] == ["early", "late"]
    assert caught.value.total == 6


def test_no_collected_problem_is_no_error():
    Problems("a.csv").check()
