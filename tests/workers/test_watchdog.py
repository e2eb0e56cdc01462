"""Test when a silent server is killed: a machine that sleeps, a stopped or a busy process is no reason."""

from __future__ import annotations

import subprocess
import sys

import pytest

from autodiff_viz.workers.watchdog import Silence
from autodiff_viz.workers.watchdog import __file__ as WATCHDOG

COMPUTING, IDLE = 1.0, 0.0  # of a processor


def seconds_until_too_long(most: float, used: float, *, most_looks: int = 1000) -> int | None:
    """Looks of one second each until a server that uses so much of a processor was silent for too long."""
    silence = Silence(most)
    looks = range(1, most_looks + 1)
    return next((n for n in looks if silence.is_too_long(1.0, False, used, False)), None)


def test_a_server_that_computes_and_does_not_answer_is_silent_for_as_long_as_that_takes():
    assert seconds_until_too_long(20, COMPUTING) == 20


def test_a_server_that_waits_for_a_disk_or_for_a_lock_has_six_times_as_long():
    assert seconds_until_too_long(20, IDLE) == 120


def test_a_server_on_a_busy_machine_has_as_much_more_time_as_it_has_less_of_the_processor():
    assert [seconds_until_too_long(20, share) for share in (0.5, 0.25, 0.01)] == [40, 80, 120]


def test_a_server_that_computes_on_all_processors_has_no_less_time():
    assert seconds_until_too_long(20, 16.0) == 20


def looks_until_too_long(most: float, beats_every: int) -> int | None:
    """Looks of one second each at a server that computes, whose event loop runs in one of so many."""
    silence = Silence(most)
    looks = range(1, 1001)
    return next((n for n in looks if silence.is_too_long(1.0, n % beats_every == 0, COMPUTING, False)), None)


def test_a_busy_server_whose_event_loop_runs_every_few_seconds_goes_on():
    assert [looks_until_too_long(20, every) for every in (1, 2, 3, 6)] == [None] * 4


def test_a_server_whose_event_loop_runs_for_a_moment_between_long_operations_is_silent_too():
    assert looks_until_too_long(20, 15) == 15 + 11  # 14 seconds of silence, 5 of which a beat makes good
    assert looks_until_too_long(20, 10) == 30 + 8  # 9 less 5, three times, and 8


def test_a_stopped_process_is_not_stuck_and_has_its_time_anew_once_it_goes_on():
    silence = Silence(20)
    for _ in range(19):
        assert not silence.is_too_long(1.0, False, COMPUTING, False)
    for _ in range(1000):
        assert not silence.is_too_long(1.0, False, IDLE, True)
    looks = [silence.is_too_long(1.0, False, COMPUTING, False) for _ in range(20)]
    assert looks == [False] * 19 + [True]


def test_a_night_in_which_the_machine_slept_counts_as_one_look():
    silence = Silence(20)
    assert not silence.is_too_long(8 * 3600.0, False, IDLE, False)
    assert not silence.is_too_long(8 * 3600.0, False, 3.0, False)
    assert silence.counted <= 4


SERVER = """
import os, subprocess, sys, time
words = [{watchdog!r}, str(os.getpid()), "1", {megabytes!r}]
dog = subprocess.Popen([sys.executable, "-I", "-S", *words], stdin=subprocess.PIPE)
{then}
"""
BEAT = "dog.stdin.write(b'.'); dog.stdin.flush()"


def server(then: str, megabytes: str) -> tuple[int, str]:
    """(exit status, log) of a process that has itself watched; both have ended then."""
    code = SERVER.format(watchdog=WATCHDOG, megabytes=megabytes, then=then)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stderr


@pytest.mark.every
@pytest.mark.parametrize(
    ("then", "megabytes", "status", "says"),
    [
        ("while True: pass", "0", -9, "its event loop was silent for 1 s"),
        (
            f"held = bytearray(300 << 20)\nwhile True: {BEAT}",
            "200",
            -9,
            "its limit of 200 MB",
        ),
        (f"end = time.monotonic() + 3\nwhile time.monotonic() < end: {BEAT}", "200", 0, ""),
        ("os.kill(os.getpid(), 15)", "0", -15, ""),
    ],
)
def test_a_process_that_is_stuck_or_too_large_is_killed_and_the_log_says_why(then, megabytes, status, says):
    ended, log = server(then, megabytes)
    assert ended == status
    assert says in log
    assert ("The watchdog kills the server, process" in log) == bool(says)


def modules_loaded_by(script: str) -> set[str]:
    """The libraries that Python has loaded when it has run a script by its path."""
    code = f"import sys, runpy; runpy.run_path({script!r}); print(*sorted(sys.modules))"
    command = [sys.executable, "-I", "-S", "-c", code]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    return {module.partition(".")[0] for module in said.stdout.split()}


def test_the_watchdog_loads_nothing_of_the_package():
    loaded = modules_loaded_by(WATCHDOG)
    assert not loaded & {"autodiff_viz", "jax", "numpy", "streamlit"}
    assert "select" in loaded
