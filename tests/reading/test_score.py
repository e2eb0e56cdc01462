"""Test that docs/code.md's table of what is read was counted: every text of it is read again at night."""

import pytest

from tests.reading.grid.outcomes import MOST
from tests.reading.record import snippets
from tests.reading.score import DOCUMENT, LIBRARIES, made_of, row, table, version


@pytest.mark.every
@pytest.mark.parametrize("library", LIBRARIES)
def test_the_table_has_as_many_texts_as_there_are_and_the_version_of_their_answers(library):
    of, *counts = table()[library]
    assert of == version(LIBRARIES[library])
    assert sum(map(int, counts)) == len(snippets(LIBRARIES[library]))


@pytest.mark.nightly
@pytest.mark.parametrize("library", LIBRARIES)
def test_the_table_has_the_counts_of_a_run(library):
    """The answers that are counted are the libraries' own, see `record.py`."""
    assert row(library) == f"| {library} | {' | '.join(table()[library])} |\n"


def test_a_wrong_answer_is_counted_as_wrong(monkeypatch):
    monkeypatch.setattr("tests.reading.score._same", lambda got, right: False)
    assert made_of("torch", "abs_at_zero") == "taken, wrong"


def test_readme_says_how_many_cases_of_the_grid_are_wrong():
    assert f"at most {MOST} are known to be wrong" in DOCUMENT.read_text("utf-8")
