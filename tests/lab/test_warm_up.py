"""Test that the programs compiled ahead are all that common graphs and their checks need."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from autodiff_viz.engine.compilation_cache import LEAST, NAMED, variables

ROOT = Path(__file__).parents[2]
SEEDS = range(5)
FILL = "from autodiff_viz.lab.rehearsal import fill\nfill({!r})"
VISIT = """
import json
from collections import Counter
from jax import monitoring
from autodiff_viz.lab.evaluate import lab_view, sweep_tables
from autodiff_viz.explain.verification.view import verification
from autodiff_viz.lab.state import opened, start
from benchmarks.graphs import example

events = Counter()
monitoring.register_event_listener(lambda event, **_: events.update([event.rpartition("/")[2]]))
graph = example(30, {}).graph
view = lab_view(opened(start(), graph, "Opened"))
sweep_tables(view, view.sweeps)
verification(view.trace)
ops = {{node.op for node in graph.nodes if node.slots}}
print(json.dumps([len(ops), events["compile_requests_use_cache"], events["cache_hits"]]))
"""


def ran(program: str, **env: str) -> str:
    mine = {name: value for name, value in os.environ.items() if name not in (NAMED, LEAST)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, env={**mine, **env}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def loading(tmp_path_factory) -> dict[str, str]:
    """Environment variables of a process that loads what has been compiled."""
    place = tmp_path_factory.mktemp("version")
    ran(FILL.format(str(place)))
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(NAMED, raising=False)
        return dict(variables(place))


@pytest.mark.nightly
@pytest.mark.parametrize("seed", SEEDS)
def test_a_visitors_first_graph_compiles_nothing_new(loading, seed):
    ops, asked, loaded = json.loads(ran(VISIT.format(seed), **loading))
    assert asked == loaded >= ops > 5  # a program for each op, at least
