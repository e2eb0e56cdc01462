"""Test compiled code on disk: filled by one process, loaded by others, and not made larger by visitors."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from autodiff_viz.engine.compilation_cache import LEAST, NAMED, PLACE, is_filled, variables

ROOT = Path(__file__).parents[2]
COUNTED = """
import json
from collections import Counter
from pathlib import Path
from jax import monitoring
from autodiff_viz.engine.compilation_cache import filled, load_from
from autodiff_viz.engine.trace import trace
from autodiff_viz.language.parse import parse

events = Counter()
monitoring.register_event_listener(lambda event, **_: events.update([event.rpartition("/")[2]]))
place = Path({place!r})
known, new = parse("x = 0.5\\ny = sin(x) * x"), parse("x = [0.5, 1.0]\\ny = sum(tanh(x))")
"""
REPORT = """
counted = [events["compile_requests_use_cache"], events["cache_hits"]]
print(json.dumps([*counted, trace(known).gradient["x"].item()]))
"""
FILL = "with filled(place):\n    trace(known)\n"
LOAD = "load_from(place)\ntrace(known)\n"
BOTH = """
import subprocess, sys
load_from(place)
trace(new)
subprocess.run([sys.executable, "-c", {!r}], check=True)
events.clear()
trace(known)
"""
VISIT = "load_from(place)\ntrace(new)\n"


def ran(place: Path, what: str, **env: str) -> list:
    """[compilations asked for, of which were loaded, gradient of `known`] in a process of its own."""
    mine = {name: value for name, value in os.environ.items() if name not in (NAMED, LEAST)}
    program = COUNTED.format(place=str(place)) + what + REPORT
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env={**mine, **env}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def files(place: Path) -> set[str]:
    return {path.name for path in (place / PLACE).iterdir()}


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """Filled with the ops of one graph."""
    found = tmp_path_factory.mktemp("version")
    assert not is_filled_without_jaxs_own(found)
    ran(found, FILL)
    assert is_filled_without_jaxs_own(found)
    return found


def is_filled_without_jaxs_own(place: Path) -> bool:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(NAMED, raising=False)
        return is_filled(place)


@pytest.mark.nightly
def test_another_process_compiles_nothing_that_is_there_and_finds_the_same_numbers(place):
    asked, loaded, gradient = ran(place, LOAD)
    assert asked == loaded > 0
    assert gradient == pytest.approx(0.9182168, rel=1e-6)  # sin 0.5 + 0.5 cos 0.5


@pytest.mark.nightly
def test_so_does_a_worker_by_its_environment(place):
    asked, loaded, _ = ran(place, "trace(known)\n", **_variables(place))
    assert asked == loaded > 0


def _variables(place: Path) -> dict[str, str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(NAMED, raising=False)
        return dict(variables(place))


@pytest.mark.nightly
def test_what_a_visitor_compiles_is_not_written(place):
    before = files(place)
    asked, loaded, _ = ran(place, VISIT)
    assert asked > loaded
    assert files(place) == before


def test_filling_leaves_nothing_beside_what_is_filled(place):
    assert [path.name for path in place.iterdir()] == [PLACE]


@pytest.mark.nightly
def test_the_second_of_two_that_fill_changes_nothing(place):
    before = files(place)
    ran(place, FILL)
    assert files(place) == before
    assert [path.name for path in place.iterdir()] == [PLACE]


@pytest.mark.nightly
def test_who_begins_before_it_is_filled_finds_the_code_when_it_is(tmp_path):
    """As the server does, and its workers."""
    both = BOTH.format(COUNTED.format(place=str(tmp_path)) + FILL)
    asked, loaded, _ = ran(tmp_path, both)
    assert asked == loaded > 0


FULL = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, resource.RLIM_INFINITY))
"""
"""A limit of the size of files stands for a full disk: what is beyond is not written, with an OSError."""


@pytest.mark.nightly
def test_on_a_full_disk_nothing_is_kept_and_the_process_goes_on(tmp_path):
    _, loaded, gradient = ran(tmp_path, FULL + FILL)
    assert gradient == pytest.approx(0.9182168, rel=1e-6)  # sin 0.5 + 0.5 cos 0.5
    assert loaded == 0
    assert [*tmp_path.iterdir()] == []


@pytest.mark.nightly
def test_what_has_been_cut_off_is_removed_and_filled_again(tmp_path, place):
    copy = tmp_path / "version"
    shutil.copytree(place, copy)
    cut = max((copy / PLACE).glob("*-cache"))
    cut.write_bytes(cut.read_bytes()[:100])
    assert not is_filled_without_jaxs_own(copy)
    assert [*copy.iterdir()] == []
    ran(copy, FILL)
    assert files(copy) == files(place)


def test_without_a_place_code_is_compiled_by_everybody():
    assert variables(None) == {}
    assert is_filled(None)


def test_who_has_named_jaxs_own_cache_keeps_it(monkeypatch, tmp_path):
    monkeypatch.setenv(NAMED, "/of/theirs")
    assert variables(tmp_path) == {}
    assert is_filled(tmp_path)
