"""Test that limits of sizes are the user's on their own machine, and the server's on a server."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff_viz as av
from autodiff_viz.graph import limits, own_limits

LONG = "x = 1.0\n" + "\n".join(f"y{i} = x + {i}.0" for i in range(2_100)) + "\nz = y0 * y2099"


@pytest.fixture(autouse=True)
def as_it_was():
    with av.limits():
        before = {name: getattr(limits, name) for name in own_limits.OURS}
        yield
    assert {name: getattr(limits, name) for name in own_limits.OURS} == before == own_limits.OURS


REFUSED = r"(?i)limit|at most|more than"


def test_more_nodes_run_with_limits_of_ones_own_and_are_refused_again_after_them():
    with pytest.raises(av.GraphError, match=REFUSED):
        av.parse(LONG)
    with av.limits(nodes=3_000):
        assert float(av.trace(av.parse(LONG)).value["z"]) == 2_100.0
    with pytest.raises(av.GraphError, match=REFUSED):
        av.parse(LONG)


def test_a_larger_tensor_runs_with_limits_of_ones_own_and_is_refused_again_after_them():
    graph, numbers = av.parse("x = [1.0, 2.0]\ny = sum(x * x)"), np.linspace(0.0, 1.0, 70_000)
    with pytest.raises(av.GraphError, match=REFUSED):
        av.trace(graph, {"x": numbers})
    with av.limits(elements=100_000):
        trace = av.trace(graph, {"x": numbers})
        assert float(trace.value["y"]) == pytest.approx(70_000 / 3, rel=1e-4)  # the integral of x^2
        np.testing.assert_allclose(trace.gradient["x"], 2 * numbers, rtol=1e-6)
    with pytest.raises(av.GraphError, match=REFUSED):
        av.trace(graph, {"x": numbers})


def test_a_graph_that_was_accepted_is_judged_anew_under_other_limits():
    with av.limits(nodes=3_000):
        graph = av.parse(LONG)
        assert av.problems(graph) == ()
    assert [problem.code for problem in av.problems(graph)] == ["too-many-nodes"]


def test_limits_without_a_block_stay_and_tell_themselves():
    with av.limits():
        assert str(av.limits(nodes=20_000)).split()[-4:] == ["nodes", "20,000", "elements", "65,536"]
        assert (limits.NODES, limits.GROUPS) == (20_000, 640)


@pytest.mark.parametrize("given", [{"nodes": 0}, {"nodes": "many"}, {"elements": 2**31}, {"elements": True}])
def test_a_limit_is_a_number(given):
    with pytest.raises(av.GraphError, match="must be a whole number from 1"):
        av.limits(**given)


def test_a_process_that_serves_visitors_keeps_the_servers_limits(monkeypatch):
    monkeypatch.setattr(own_limits, "_kept", [])
    with av.limits():
        av.limits(nodes=5_000)
        own_limits.keep()
        assert limits.NODES == 2_000
        with pytest.raises(av.GraphError, match="serves visitors"):
            av.limits(nodes=5_000)
