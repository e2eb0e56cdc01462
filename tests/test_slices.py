"""Test the slices of the night: together they are what the day leaves out, and each commit has one."""

import re
import subprocess
from itertools import combinations

import pytest

from tests.seeds import APART
from tests.slices import PARTS, Slice, asked, chosen, digest_of, number_of_commit
from tests.small_suite import pytest_on
from tests.thorough import COLLECTED, WAITING

SUITE = """
import random
import pytest
from hypothesis import given, settings, strategies as st
from tests.seeds import seeded

@pytest.mark.parametrize("case", range(40))
def test_of_many(case):
    assert case < 40

@pytest.mark.every
@pytest.mark.parametrize("case", range(6))
def test_of_every_case(case):
    assert case < 6

@pytest.mark.nightly
def test_at_night():
    print("drawn", random.Random(seeded(1)).random())

@pytest.mark.longer
def test_that_goes_through_more():
    assert True

@settings(max_examples=40)
@given(st.integers())
def test_property(number):
    print("tried", number)

@settings(max_examples=3)
@given(st.integers())
def test_of_few_examples(number):
    assert number == number
"""
PLUGINS = ("tests.seeds", "tests.slices", "tests.thorough")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("suite")
    (made / "test_some.py").write_text(SUITE)
    return made


def collected(folder, **settings: str) -> set[str]:
    return {
        *re.findall(
            r"^test_some.py::\S+", pytest_on(folder, "--co", "-q", plugins=PLUGINS, **settings)[1], re.M
        )
    }


def test_the_slices_have_each_what_no_other_has_and_together_what_the_day_leaves_out(folder):
    day, night = collected(folder), collected(folder, THOROUGH="1")
    slices = [collected(folder, THOROUGH="1", SLICE=f"{n}/3") for n in (1, 2, 3)]
    assert all(not one & other for one, other in combinations(slices, 2))
    both = {f"test_some.py::{name}" for name in ("test_that_goes_through_more", "test_property")}
    assert set().union(*slices) == (night - day) | both
    assert both < day
    assert len(night) == 40 + 6 + 4
    assert len(night - day) > 20


def test_so_it_is_of_the_tests_of_this_run(request):
    every, waiting = request.config.stash[COLLECTED], request.config.stash[WAITING]
    parts = [{name for name in waiting if chosen(i).has(name)} for i in range(PARTS)]
    assert sum(map(len, parts)) == len(set().union(*parts)) == len(waiting)
    assert {*waiting} <= {*every}
    if len(waiting) > 5000:  # all tests: with a spread of 7 % of the mean in theory, of no part a fifth more
        assert max(map(len, parts)) < 1.2 * len(waiting) / PARTS


def test_a_test_stays_in_its_slice_when_others_come(folder):
    before = collected(folder, THOROUGH="1", SLICE="2/3")
    (folder / "test_more.py").write_text(SUITE)
    assert collected(folder, THOROUGH="1", SLICE="2/3") == before
    (folder / "test_more.py").unlink()


def test_what_was_left_comes_first_when_the_slice_has_its_turn_again():
    turns = [chosen(number) for number in (2, 2 + PARTS, 2 + 2 * PARTS)]
    assert [(turn.number, turn.backwards) for turn in turns] == [(3, False), (3, True), (3, False)]

    class Item:
        def __init__(self, nodeid):
            self.nodeid = nodeid

    items = [Item(f"test_x.py::test[{i}]") for i in range(100)]
    first, again = (turn.of(items) for turn in turns[:2])
    assert again == first[::-1]
    assert first


def test_commits_in_a_row_have_all_slices():
    assert sorted(chosen(1000 + i).number for i in range(PARTS)) == [*range(1, PARTS + 1)]


def test_a_slice_is_written_as_it_is_asked_for():
    for each in (Slice(3, 8), Slice(8, 8, backwards=True)):
        assert asked({"SLICE": str(each)}) == each
    assert asked({}) is asked({"SLICE": ""}) is None


@pytest.mark.parametrize("text", ["0/8", "9/8", "3", "3/8 forwards", "a/b", "1/0", "-1/8", "1/99999"])
def test_any_other_text_is_refused(text):
    with pytest.raises(pytest.UsageError, match="Write it like 3/8"):
        asked({"SLICE": text})


def test_when_time_is_over_no_test_is_started_and_that_is_no_failure(folder):
    for workers in ("0", "1"):
        code, said = pytest_on(folder, "-n", workers, plugins=PLUGINS, SLICE_ENDS="0", THOROUGH="1")
        assert code == 0
        assert "50 were not started, as time was over: first among them\n  test_some.py::" in said
        assert "passed" not in said


def test_a_seed_gives_the_same_examples_and_another_one_others(folder):
    def drawn(seed: str) -> list[str]:
        chosen = ["-s", "-k", "test_property or test_at_night"]
        said = pytest_on(folder, *chosen, plugins=PLUGINS, THOROUGH="1", SEED=seed)[1]
        return re.findall(r"(?:tried|drawn) \S+", said)

    once, again, other = drawn("7"), drawn("7"), drawn("8")
    assert once == again
    assert len(once) >= 30
    assert once != other
    assert once[0] != other[0]


def test_no_two_seeds_of_a_test_meet():
    assert len({own + APART * seed for own in range(2000) for seed in range(5)}) == 10_000


def git(folder, *words: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", folder, *who, *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    made = tmp_path / "made"
    (made / "tests").mkdir(parents=True)
    git(made, "init", "-q", "-b", "main")
    for number in range(3):
        (made / "tests" / "test_x.py").write_text(f"# {number}\n")
        git(made, "add", "-A")
        git(made, "commit", "-qm", f"number {number}")
    return made


def test_a_commit_has_its_number_and_a_merge_counts_as_one(repository):
    assert number_of_commit(repository) == 3
    git(repository, "checkout", "-qb", "side")
    for number in range(4):
        git(repository, "commit", "--allow-empty", "-qm", f"side {number}")
    git(repository, "checkout", "-q", "main")
    git(repository, "merge", "-q", "--no-ff", "side", "-m", "merge")
    assert number_of_commit(repository) == 4


def test_without_history_the_files_choose(repository, tmp_path):
    """A shallow clone, files without a repository, and files inside another repository choose alike."""
    clone, files = tmp_path / "clone", repository / "inside"
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repository}", str(clone))
    (files / "tests").mkdir(parents=True)
    (files / "tests" / "test_x.py").write_bytes((repository / "tests" / "test_x.py").read_bytes())
    assert number_of_commit(clone) == number_of_commit(files) != 3
    before = number_of_commit(files)
    (files / "tests" / "test_x.py").write_text("# other\n")
    assert number_of_commit(files) != before


def test_the_seed_is_that_of_the_files_whatever_the_history(repository, tmp_path):
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repository}", str(clone))
    before = digest_of(repository)
    assert digest_of(clone) == before
    (clone / "tests" / "test_x.py").write_text("# other\n")
    assert digest_of(clone) != before
