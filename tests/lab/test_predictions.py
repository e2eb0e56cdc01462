"""Test the browser's optimistic updates: each equals the drawing that Python makes later, or none is made.

Random edits that Python accepts are done by both.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from autodiff_viz.canvas.delta import without_nulls
from autodiff_viz.canvas.palette import palette
from autodiff_viz.lab.evaluate import lab_view
from tests.lab.random_walks import MAKERS, walks
from tests.thorough import THOROUGH
from tests.web import node as web

PLAY = Path(__file__).parents[1] / "web" / "play_edits.mjs"
WALKS = int(os.environ.get("WALKS", "90" if THOROUGH else "26"))  # of 20 edits; three in four are accepted

PYTHONS = frozenset({"arrange", "checkpoint", "make_branches", "redo", "rename", "undo"})
"""Kinds of edits of which the browser shows nothing by itself."""


@pytest.fixture(scope="module")
def counts(tmp_path_factory) -> dict[str, dict[str, int]]:
    """How many predictions were equal, declined and different, by kind of edit."""
    node = web.node()
    if node is None and not os.environ.get("CI"):
        pytest.skip("no node")
    path = tmp_path_factory.mktemp("plays") / "plays.json"
    path.write_text(json.dumps({"palette": palette(), "plays": list(plays())}))
    command = [node, str(PLAY), str(path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    *differing, told = run.stdout.splitlines()
    assert not differing, "\n".join(differing[:10])
    return json.loads(told)["counts"]


def plays() -> Any:
    """Drawings before and after every accepted edit, as they reach the browser."""
    view = None
    for lab, edit, after in walks(WALKS, steps=20):
        before = lab_view(lab, view)
        view = lab_view(after, before)
        yield {"before": without_nulls(before.drawing), "edit": edit, "after": without_nulls(view.drawing)}


@pytest.mark.longer
def test_thousands_of_edits_are_shown_as_python_draws_them(counts):
    assert sum(kind["equal"] for kind in counts.values()) > 10 * WALKS
    assert all(kind["differs"] == 0 for kind in counts.values())


@pytest.mark.longer
@pytest.mark.parametrize("kind", sorted(MAKERS.keys() - PYTHONS))
def test_the_browser_shows_edits_of_this_kind_at_once(counts, kind):
    few = sum(counts[kind].values()) < 10  # which may all change nothing that is drawn
    assert counts[kind]["equal"] > 0 or few


@pytest.mark.longer
@pytest.mark.parametrize("kind", sorted(PYTHONS))
def test_what_only_python_can_do_is_left_to_it(counts, kind):
    assert counts[kind]["equal"] == 0 < counts[kind]["declined"]


@pytest.mark.longer
def test_several_edits_under_way_are_shown_one_on_top_of_the_other(counts):
    assert counts["several in a row"]["equal"] > 4 * WALKS
