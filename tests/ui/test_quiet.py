"""Test that work which waits until nobody acts is done in quiet moments, and in no other."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from autodiff_viz.lessons.gallery import LESSONS, SERVED
from autodiff_viz.ui import idle, warm_up


class Looks:
    """Stands for an event that is set after some looks, each with the processor time used until then."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *shares: float):
        self.times, self.used, self.shares = 0, 0.0, shares
        monkeypatch.setattr(idle, "process_time", lambda: self.used)

    def wait(self, seconds: float) -> bool:
        if self.times == len(self.shares):
            return True
        self.used += self.shares[self.times] * seconds
        self.times += 1
        return False

    def is_set(self) -> bool:
        return False


def test_a_moment_is_quiet_if_the_server_used_less_than_a_twentieth_of_a_processor(monkeypatch):
    looks = Looks(monkeypatch, 0.0, 0.9, 0.04, 0.06, 0.0)
    assert [looks.times for _ in idle.quiet_moments(looks)] == [1, 3, 5]


@pytest.fixture
def asked(monkeypatch) -> Callable[[float], list[str]]:
    """Give the lessons whose claims are requested, if each look finds one more answered."""

    def run(*shares: float) -> list[str]:
        looks, keys = Looks(monkeypatch, *shares), []

        def proved(lesson):
            if lesson.key in keys:
                return "answer"
            keys.append(lesson.key)
            return None

        monkeypatch.setattr(warm_up, "proved", proved)
        warm_up.work_when_quiet(looks)
        return keys

    return run


def test_the_claims_of_one_lesson_at_a_time_are_checked_while_nobody_acts(asked):
    first = [lesson.key for lesson in LESSONS[:2]]
    assert asked(0.5, 0.9, 0.3) == []
    assert asked(0.5, 0.0, 0.9) == first[:1]
    assert asked(0.0, 0.5, 0.0) == first


def test_all_claims_are_checked_once(asked):
    assert asked(*[0.0] * (len(SERVED) + 9)) == [lesson.key for lesson in SERVED]
