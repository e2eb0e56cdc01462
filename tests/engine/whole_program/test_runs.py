"""Test how often a node runs, and how many of the recomputations JAX keeps."""

import pytest
from hypothesis import HealthCheck, given, settings

from autodiff_viz.engine.trace import trace
from autodiff_viz.engine.whole_program.remat import Runs
from autodiff_viz.graph.model import INPUT
from autodiff_viz.graph.order import ancestors
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse
from tests.engine.references.executions import COUNTED, executions
from tests.engine.references.scalar_graphs import scalar_graphs
from tests.engine.references.sin_chains import chain, halved, segments

NEVER_AGAIN = Runs(1, 0, 0)


def runs(text: str) -> dict[str, Runs]:
    return dict(trace(parse(text)).runs)


def test_without_regions_everything_runs_once():
    assert set(runs("x = 1.0\ny = sin(x)\nz = y * y").values()) == {NEVER_AGAIN}


def test_a_checkpointed_square_runs_its_block_again_but_keeps_no_multiplication():
    """The Swift tutorial prints "Computing square..." twice; the pullback of c * c needs c alone."""
    found = runs('x = 10.0\nc = cos(x)\nwith checkpoint("square"):\n    s = c * c')
    assert found["s"] == Runs(1, 1, 0)
    assert found["c"] == NEVER_AGAIN


def test_what_the_derivatives_need_is_kept():
    found = runs('x = 1.0\nwith checkpoint("r"):\n    a = sin(x)\n    b = sin(a)\n    c = exp(b)')
    assert found["a"] == Runs(1, 1, 1)  # cos(a)
    assert found["b"] == Runs(1, 1, 1)  # exp(b) is computed from it
    assert found["c"] == Runs(1, 1, 1)  # the slope of exp is its value


def test_an_inner_region_runs_once_more_than_the_outer_one():
    inner = '    with checkpoint("in"):\n        a = sin(x)\n        b = sin(a)\n'
    found = runs('x = 1.0\nwith checkpoint("out"):\n' + inner + "    c = sin(b)")
    assert found["a"] == Runs(1, 2, 2)  # once to get b back for cos(b), once more for cos(a)
    assert found["b"] == Runs(1, 2, 1)
    assert found["c"] == Runs(1, 1, 0)


def test_two_nodes_that_compute_the_same_are_counted_apart():
    found = runs('x = 1.0\nwith checkpoint("r"):\n    a = sin(x)\n    b = sin(x)\n    c = a * b')
    assert found["a"] == found["b"] == Runs(1, 1, 1)


def test_the_run_belongs_to_the_node_that_computes_not_to_an_identity_after_it():
    found = runs('x = 1.0\nwith checkpoint("r"):\n    a = sin(x)\n    b = identity(a)\n    c = sin(b)')
    assert found["a"] == Runs(1, 1, 1)
    assert found["b"] == Runs(1, 1, 0)


def test_noise_in_a_region_is_drawn_again():
    found = runs(
        'x = 1.0\nwith checkpoint("r"):\n    u = uniform(low=0.9, high=1.1, seed=3)\n    z = exp(x * u)'
    )
    assert found["u"] == found["z"] == Runs(1, 1, 1)


def test_a_stopped_block_is_never_run_again():
    found = runs('x = 1.0\nwith checkpoint("r"):\n    a = sin(x)\n    b = stop_gradient(sin(a))')
    assert found["a"].kept == found["b"].kept == 0


@pytest.mark.parametrize(
    ("policy", "kept"),
    [
        ("", {"a": 1, "b": 1, "c": 0}),
        (', policy="nothing_saveable"', {"a": 1, "b": 1, "c": 0}),
        (', policy="everything_saveable"', {"a": 0, "b": 0, "c": 0}),
        (', policy="dots_saveable"', {"a": 0, "b": 1, "c": 0}),
        (', policy="save_only_these_names", names=("b",)', {"a": 1, "b": 0, "c": 0}),
        (', policy="save_only_these_names", names=("a", "b")', {"a": 0, "b": 0, "c": 0}),
    ],
)
def test_a_policy_spares_the_runs_of_what_it_saves(policy, kept):
    text = f'x = [1.0, 2.0]\nw = [0.5, 0.2]\nwith checkpoint("r"{policy}):\n'
    found = runs(text + "    a = dot(w, x)\n    b = sin(a)\n    c = sin(b)")
    assert {name: found[name].kept for name in kept} == kept


@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(graph=scalar_graphs(rules=False, ops=tuple(COUNTED)).filter(lambda graph: graph.regions))
def test_forward_and_kept_runs_are_what_really_executes(graph):
    counted = executions(graph, pytest.MonkeyPatch())
    found = trace(graph).runs
    for name in ancestors(graph, [graph.output]):
        if graph[name].op != INPUT:
            assert counted[name] == found[name].forward + found[name].kept, name


@pytest.mark.parametrize(("length", "saved", "sines"), [(8, 4, 13), (16, 5, 33)])
def test_recursive_halving_of_a_chain_of_sines(length, saved, sines):
    found = trace(parse(halved(length)))
    assert len(found.residuals) == saved
    assert total(found.runs) == sines


@pytest.mark.parametrize("length", [8, 16])
def test_a_plain_chain_saves_one_slope_per_sine(length):
    found = trace(parse(chain(length)))
    assert (len(found.residuals), total(found.runs)) == (length, length)


@pytest.mark.parametrize(("count", "sines"), [(1, 31), (2, 30), (4, 28), (8, 24), (16, 16)])
def test_segments_save_their_first_value_and_run_all_but_the_last_again(count, sines):
    found = trace(parse(segments(16, count)))
    assert len(found.residuals) == count
    assert total(found.runs) == sines


def total(runs: dict[str, Runs]) -> int:
    return sum(each.forward + each.kept for name, each in runs.items() if name != "x0")


def test_a_region_that_is_left_and_entered_again_is_refused_with_the_path():
    text = 'x = 1.0\nwith checkpoint("r"):\n    a = sin(x)\nb = cos(a)\nwith checkpoint("r"):\n    c = a * b'
    found = trace(parse(text))  # the numbers do not depend on regions
    with pytest.raises(GraphError, match="cannot run as a whole") as error:
        _ = found.runs
    (problem,) = error.value.problems
    assert (problem.code, problem.path) == ("region-not-convex", ("a", "b", "c"))
    with pytest.raises(GraphError, match="cannot run as a whole"):
        _ = found.residuals
