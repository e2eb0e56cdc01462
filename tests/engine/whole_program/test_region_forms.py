"""Test that counts hold in each form in which JAX writes regions, and that an unknown form is refused."""

import re
from collections.abc import Iterator

import jax
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autodiff_viz.engine import verify as verification
from autodiff_viz.engine.trace import trace
from autodiff_viz.engine.verify import verify
from autodiff_viz.engine.whole_program import jaxprs, remat
from autodiff_viz.engine.whole_program.remat import Runs
from autodiff_viz.explain.lints.compute import lints, not_looked_at
from autodiff_viz.explain.memory.compute import memory
from autodiff_viz.explain.plans import equations
from autodiff_viz.explain.plans.compute import plans
from autodiff_viz.explain.play import backward_program
from autodiff_viz.explain.play.compute import play
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.graph.order import ancestors
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse
from tests.engine.references.executions import COUNTED, executions
from tests.engine.references.scalar_graphs import ruled_regions, scalar_graphs

SQUARE = 'x = 10.0\nc = cos(x)\nwith checkpoint("square"):\n    s = c * c'
FRESH = {"max_examples": 20, "suppress_health_check": list(HealthCheck)}


def forget() -> None:
    """Drop what has been read of programs: JAX's settings are no part of its key, a process has one."""
    for memo in (
        remat._count,
        verification._executed,
        backward_program._read,
        equations._read,
        verification._differentiated,
    ):
        memo.forget()


@pytest.fixture(params=[False, True], ids=["remat2", "remat3"])
def form(request: pytest.FixtureRequest) -> Iterator[bool]:
    """JAX's setting of the form, which JAX_REMAT3 presets."""
    before = jax.config.jax_remat3
    jax.config.update("jax_remat3", request.param)
    forget()
    yield request.param
    jax.config.update("jax_remat3", before)
    forget()


def counted(text: str) -> dict[str, Runs]:
    return dict(trace(parse(text)).runs)


def test_a_square_runs_again_and_nothing_of_it_is_kept(form):
    """The Swift tutorial prints "Computing square..." twice; the pullback of c * c needs c alone."""
    assert counted(SQUARE)["s"] == Runs(1, 1, 0)


def test_an_inner_region_runs_once_more_than_the_outer_one(form):
    inner = '    with checkpoint("in"):\n        a = sin(x)\n        b = sin(a)\n'
    found = counted('x = 1.0\nwith checkpoint("out"):\n' + inner + "    c = sin(b)")
    assert [found[name] for name in "abc"] == [Runs(1, 2, 2), Runs(1, 2, 1), Runs(1, 1, 0)]


def test_what_is_saved_by_name_does_not_run_again(form):
    head = 'x = 1.0\nwith checkpoint("r", policy="save_only_these_names", names=("b",)):\n'
    found = counted(head + "    a = sin(x)\n    b = sin(a)\n    c = sin(b)\nd = c * 2.0")
    assert [found[name].kept for name in "abcd"] == [1, 0, 0, 0]


def test_what_a_region_keeps_has_the_node_that_reads_it(form):
    text = 'x = 1.0\ny = sin(x)\nwith checkpoint("r"):\n    z = exp(sin(y))'
    kept = {r.producer: r.consumers for r in trace(parse(text)).residuals if r.is_value}
    assert kept == {"y": ("sin_1",)}


def test_a_node_called_as_jaxs_own_scope_runs_once(form):
    assert counted("x = 1.0\nrematted_computation = sin(x)\ny = exp(rematted_computation)")["y"] == Runs(
        1, 0, 0
    )


def test_a_gradient_beside_a_region_does_not_run_in_its_place(form):
    """A callback in each node counts a and b once more, and g, which takes b's derivative, never."""
    text = 'x = 0.6\nwith checkpoint("r"):\n    a = sin(x)\n    b = sin(a)\ng = grad(b, x)\ny = g * b'
    again = [step.node for step in play(trace(parse(text))) if step.again]
    assert again == ["a", "b"]


@pytest.mark.parametrize("graphs", [scalar_graphs().filter(lambda graph: graph.regions), ruled_regions()])
def test_runs_are_what_a_callback_in_each_node_counts(form, graphs):
    @settings(**FRESH)
    @given(graph=graphs)
    def holds(graph: Graph) -> None:
        found = trace(graph)
        executed = verification.executed_runs(graph, found._shapes, "float32")
        for node in graph.nodes:
            if node.op != INPUT:
                runs = found.runs[node.name]
                assert (runs.forward, runs.backward) == executed.get(node.name, (0, 0)), node.name

    holds()


@pytest.mark.nightly
def test_forward_and_kept_runs_are_what_the_compiled_program_executes(form):
    @settings(**FRESH)
    @given(graph=scalar_graphs(rules=False, ops=tuple(COUNTED)).filter(lambda graph: graph.regions))
    def holds(graph: Graph) -> None:
        executed = executions(graph, pytest.MonkeyPatch())
        found = trace(graph).runs
        for name in ancestors(graph, [graph.output]):
            if graph[name].op != INPUT:
                assert executed[name] == found[name].forward + found[name].kept, name

    holds()


def test_steps_are_the_runs(form):
    """Or refused: with JAX_REMAT3 JAX pulls numbers back where without it nothing arrives."""

    @settings(**FRESH)
    @given(graph=st.one_of(scalar_graphs().filter(lambda graph: graph.regions), ruled_regions()))
    def holds(graph: Graph) -> None:
        found = trace(graph)
        try:
            steps = play(found)
        except GraphError:
            if not form:
                raise
            return
        again = [step.node for step in steps if step.again]
        kept = [step.node for step in steps if step.again and step.node in step.writes]
        for name, runs in found.runs.items():
            assert (again.count(name), kept.count(name)) == (runs.backward, runs.kept), name

    holds()


def test_plans_of_regions_are_measured(form):
    found = plans(trace(parse("v0 = 1.5\nv1 = sin(v0)\nv2 = sin(v1)\nv3 = sin(v2)\nv4 = sin(v3)")))
    assert {(plan.kept, plan.reruns) for plan in found} >= {(4, 0), (1, 3)}  # no regions, one around all


def test_the_check_compares_runs_with_those_that_a_callback_counts(form):
    """A check that must refuse: one run too many is counted."""
    found = trace(parse(SQUARE))
    assert verify(found).agrees
    wrong = trace(parse(SQUARE))
    wrong.__dict__["runs"] = {**found.runs, "s": Runs(1, 2, 0)}
    assert (verify(wrong).agrees, verify(wrong).miscounted) == (False, ("s",))


COUNTS = (lambda found: found.runs, lambda found: found.residuals, play, memory, plans)

UNKNOWN = {
    "a region is an equation of another name": (jaxprs, "CALLS", {"jit": "jaxpr"}),
    "a name is an equation of another name": (remat, "NAMES", ()),
    "what is recomputed has a scope of another name": (
        remat,
        "_RECOMPUTED",
        re.compile("computed_again"),
    ),
    "a region has a scope of another name": (remat, "_REGION", re.compile("block:([0-9]+)")),
}


@pytest.mark.parametrize("case", UNKNOWN)
def test_a_form_that_is_not_known_is_refused_everywhere_and_never_guessed(case, form, monkeypatch):
    """Each case makes one thing unknown that the reading goes by; numbers are verified all the same."""
    refuses(UNKNOWN[case], monkeypatch)


@pytest.mark.parametrize("form", [True], indirect=True)
def test_so_is_an_identity_of_another_name_before_what_is_recomputed(form, monkeypatch):
    refuses((remat, "_IDENTITIES", ()), monkeypatch)


def refuses(hidden: tuple, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*hidden)
    inner = (
        'x = 1.0\nwith checkpoint("out"):\n    a = sin(x)\n    with checkpoint("in"):\n        b = sin(a)\n'
    )
    text = inner + "        c = sin(b)\n    d = sin(c)\ny = sin(d)"
    found = trace(parse(text))
    for count in COUNTS:
        with pytest.raises(GraphError, match=f"cannot be counted with JAX {jax.__version__}"):
            count(found)
    assert verify(found).agrees
    assert not [lint for lint in lints(found) if "checkpoint" in lint.code]
    assert any("cannot be counted" in sentence for sentence in not_looked_at(found))
