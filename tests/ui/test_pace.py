"""Test that on a busy server the panels wait, not the numbers."""

from __future__ import annotations

from functools import reduce

from autodiff_viz.ui.scheduling import BUSY, FIRST, IDLE, LATE, MOST, WINDOW, Pace, is_due, paced


def after(*shares: float) -> Pace:
    """The pace after windows in which the server has had these shares of a processor."""
    return reduce(
        lambda last, share: paced(last, last.at + WINDOW, last.worked + share * WINDOW),
        shares,
        Pace(0.0, 0.0),
    )


def test_while_the_server_has_time_nobody_waits():
    assert after(0.0, 0.3, IDLE).wait == 0


def test_the_longer_it_is_busy_the_longer_is_waited_up_to_a_limit():
    assert [after(*[1.0] * count).wait for count in (1, 2, 3)] == [FIRST, 2 * FIRST, 4 * FIRST]
    assert after(*[1.0] * 30).wait == MOST


def test_between_busy_and_idle_it_stays_as_it_is():
    between = (BUSY + IDLE) / 2
    assert after(1.0, 1.0, between, between).wait == 2 * FIRST


def test_it_ends_when_the_server_has_time_again():
    assert after(1.0, 1.0, 0.1).wait == FIRST
    assert after(*[1.0] * 30, *[0.1] * 12).wait == 0


def test_a_long_quiet_time_is_as_many_windows():
    busy = after(*[1.0] * 30)
    assert paced(busy, busy.at + 60.0, busy.worked).wait == 0


def test_who_waits_for_a_turn_shows_that_the_processors_are_busy_with_others():
    calm = Pace(0.0, 0.0)
    assert paced(calm, WINDOW, 0.1 * WINDOW, late=2 * LATE).wait == FIRST
    assert paced(calm, WINDOW, 0.1 * WINDOW, late=LATE / 2).wait == 0


def test_within_a_window_nothing_is_measured():
    busy = after(1.0)
    assert not is_due(busy, busy.at + WINDOW / 2)
    assert is_due(busy, busy.at + WINDOW)
