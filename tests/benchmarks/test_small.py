"""Test what CI calls slower: a ratio a quarter above the one that is kept, in each of three tries."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest

from benchmarks import small
from benchmarks.table import Row


@dataclass
class Runs:
    """Measurements that come one after the other, in place of a browser's."""

    left: list[dict[str, float]]
    count: int = 0
    printed: list[str] = field(default_factory=list)

    def rows(self):
        self.count += 1
        return [Row(what, ratio) for what, ratio in self.left.pop(0).items()]


def judged(monkeypatch, tmp_path, kept, *runs):
    """Return what `main` returns, and how often it measured."""
    file = tmp_path / "small.json"
    if kept is not None:
        file.write_text(json.dumps({"measured": "monday", "ratios": kept}))
    taken = Runs([*runs])
    monkeypatch.setattr(small, "KEPT", file)
    monkeypatch.setattr(small, "rows", taken.rows)
    monkeypatch.setattr(small, "chromium", lambda: "/bin/true")
    monkeypatch.setattr(small, "warm", lambda: None)
    monkeypatch.setattr(small.gc, "freeze", lambda: None)
    return small.main(), taken.count


def test_what_is_a_quarter_slower_three_times_fails(monkeypatch, tmp_path, capsys):
    assert judged(monkeypatch, tmp_path, {"a": 0.4, "b": 1.0}, *[{"a": 0.51, "b": 1.2}] * 3) == (1, 3)
    assert "a: 0.51, and 0.4 is kept (monday)." in capsys.readouterr().out


def test_one_quick_try_is_enough(monkeypatch, tmp_path):
    runs = [{"a": 0.51, "b": 1.0}, {"a": 0.49, "b": 1.9}]
    assert judged(monkeypatch, tmp_path, {"a": 0.4, "b": 1.0}, *runs) == (0, 2)


def test_what_was_never_kept_is_told(monkeypatch, tmp_path):
    assert judged(monkeypatch, tmp_path, {"a": 0.4}, *[{"a": 0.4, "new": 0.3}] * 3) == (1, 3)


def test_without_kept_ratios_all_are_told(monkeypatch, tmp_path):
    assert judged(monkeypatch, tmp_path, None, *[{"a": 0.4}] * 3) == (1, 3)


def test_nearly_nothing_is_no_regression(monkeypatch, tmp_path):
    assert judged(monkeypatch, tmp_path, {"shift": 0.0}, {"shift": 0.06}) == (0, 1)


def test_an_interaction_has_room_for_the_rounding_of_the_browser(monkeypatch, tmp_path):
    what = "select: p75 to next paint / a bare page's button"
    assert judged(monkeypatch, tmp_path, {what: 0.4}, {what: 0.74}) == (0, 1)
    assert judged(monkeypatch, tmp_path, {what: 0.4}, *[{what: 0.76}] * 3) == (1, 3)


def test_what_is_measured_can_be_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("KEEP", "1")
    assert judged(monkeypatch, tmp_path, {"a": 9.0, "gone": 1.0}, {"a": 0.4321}) == (0, 1)
    kept = json.loads((tmp_path / "small.json").read_text())
    assert kept["ratios"] == {"a": 0.432}
    assert "commit " in kept["measured"]


@pytest.mark.parametrize("what", json.loads(small.KEPT.read_text())["ratios"] if small.KEPT.exists() else [])
def test_a_kept_ratio_is_a_number_of_a_row(what):
    assert " / " in what or what.startswith("KB of ")
