"""Test that the kept table has the parts that were measured, and keeps the others."""

from __future__ import annotations

from benchmarks.__main__ import PARTS
from benchmarks.results import RESULTS, conditions, section, sections, with_parts
from benchmarks.table import Row

TITLES = ["Edits", "Sweep", "Memory"]


def test_a_part_that_is_measured_again_replaces_itself_alone():
    first = with_parts("", {"Memory": section("Memory", "monday", [Row("a | b", 2.0, 1.0)])}, TITLES)
    both = with_parts(
        first, {"Edits": section("Edits", "tuesday", [Row("c", 0.5, 1.0), Row("d", 3.25)])}, TITLES
    )
    assert list(sections(both)) == ["Edits", "Memory"]
    assert "| a \\| b | 2 | 1 (missed) |" in both
    assert "| c | 0.5 | 1 |" in both
    assert "| d | 3.25 |  |" in both
    again = with_parts(both, {"Memory": section("Memory", "friday", [Row("a", 0.9, 1.0)])}, TITLES)
    assert "monday" not in again
    assert sections(again)["Edits"] == sections(both)["Edits"]
    assert with_parts(again, {}, TITLES) == again


def test_what_numbers_depend_on_is_said():
    said = conditions()
    assert all(
        word in said for word in ("commit ", "Python 3.", "jax 0.", "streamlit 1.", "processors, load ")
    )


def test_the_kept_file_has_parts_that_there_are():
    titles = {title for title, _ in PARTS.values()}
    kept = sections(RESULTS.read_text())
    assert kept
    assert kept.keys() <= titles
