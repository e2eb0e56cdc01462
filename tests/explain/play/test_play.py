"""Test the steps of a pass: their order, what they read and write, and how much is live."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from jax.ad_checkpoint import checkpoint_name

from autodiff_viz.engine.live_path.check import diagnose
from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.play.backward_program import Factor
from autodiff_viz.explain.play.compute import BACKWARD, FORWARD, PlayStep, play
from autodiff_viz.graph.frames import Block, blocks
from autodiff_viz.graph.model import INPUT, Graph, Region
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.order import ancestors
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse
from tests.engine.references.scalar_graphs import muted_graphs, ruled_regions, scalar_graphs
from tests.engine.references.sin_chains import chain, halved, segments
from tests.export.test_random_graphs import TENSOR_OPS, TENSORS
from tests.strategies import graphs


def steps(text: str) -> tuple[PlayStep, ...]:
    return play(trace(parse(text)))


def order(found: tuple[PlayStep, ...], phase: str) -> str:
    return " ".join(step.node + ("*" if step.again else "") for step in found if step.phase == phase)


def at(found: tuple[PlayStep, ...], node: str, phase: str) -> PlayStep:
    (step,) = [s for s in found if (s.node, s.phase, s.again) == (node, phase, False)]
    return step


def turn(found: tuple[PlayStep, ...]) -> int:
    return [step.live for step in found if step.phase == FORWARD][-1]


FORK = "x = 0.6\ny = 1.5\na = sin(x)\nb = a * y\nz = b + exp(a)"


def test_a_pass_goes_forward_through_every_node_and_back_again():
    found = steps(FORK)
    assert order(found, FORWARD) == "x y a b exp_1 z"
    assert order(found, BACKWARD) == "z exp_1 b a y x"


def test_a_step_reads_what_its_wires_carry_and_writes_what_it_computes():
    found = steps(FORK)
    assert at(found, "b", FORWARD).reads == ("a", "y")
    assert at(found, "b", FORWARD).writes == ("b",)
    assert set(at(found, "b", BACKWARD).reads) == {("z", 0), "a", "y"}  # the pullback of a * y needs both
    assert at(found, "b", BACKWARD).writes == (("b", 0), ("b", 1))
    assert set(at(found, "a", BACKWARD).reads) == {("b", 0), ("exp_1", 0), Factor("a", 0)}
    assert at(found, "x", BACKWARD).reads == (("a", 0),)


def test_live_elements_of_a_fork_by_hand():
    """Kept are cos(x), a, y and exp(a). Forward: x; y; then x is done with, but a and cos(x) are live; a * y;
    the exponential; b is read by z. Backward: z passes back two contributions, exp one and a * y two."""
    assert [step.live for step in steps(FORK)] == [1, 2, 3, 4, 5, 4, 6, 5, 4, 2, 1, 0]


def test_a_tensor_counts_its_elements():
    found = steps("x = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]\ny = sum(exp(x))")
    assert [step.live for step in found] == [6, 6, 6, 12, 6, 0]


def test_what_is_stopped_has_no_backward_step():
    found = steps("x = 0.6\na = sin(x)\nz = x + stop_gradient(exp(a))")
    assert order(found, FORWARD) == "x a exp_1 z"
    assert order(found, BACKWARD) == "z exp_1 x"
    assert at(found, "exp_1", BACKWARD).writes == ()  # a cotangent arrives, nothing is passed


def test_straight_through_passes_to_the_alternative_alone():
    found = steps("x = 0.6\na = sin(x)\nr = backward_as(round(a), x)")
    assert at(found, "r", FORWARD).reads == ("a",)
    assert order(found, BACKWARD) == "r x"
    assert at(found, "r", BACKWARD).writes == (("r", 1),)


def test_the_block_of_the_tutorial_runs_again_just_before_its_pullback_and_jax_drops_what_it_computes():
    """The Swift tutorial prints "Computing square..." twice; the pullback of c * c needs c alone."""
    found = steps('x = 10.0\nc = cos(x)\nwith checkpoint("square"):\n    s = c * c')
    assert order(found, BACKWARD) == "s* s c x"
    again = next(step for step in found if step.again)
    assert (again.region, again.reads, again.writes) == ("square", (), ())


NESTED = """x = 1.0
with checkpoint("out"):
    with checkpoint("in"):
        a = sin(x)
        b = sin(a)
    c = sin(b)
z = exp(c)"""


UNREAD = """x = 1.0
a = sin(x)
with checkpoint("out"):
    b = sin(a)
    with checkpoint("in"):
        d = {}
z = exp(b)"""


@pytest.mark.parametrize("inside", ["sin(b)", "sin(x) * sin(a)"])
def test_a_region_in_a_region_of_whose_results_none_is_read_runs_as_plain_jax_runs_it(inside):
    """JAX 0.10 drops it, JAX 0.12 keeps what prints. By hand, of exp(sin(sin(x))): kept are cos(x), a for
    the region, and exp(b)."""
    text = UNREAD.format(inside)
    found = steps(text)
    forward, backward = printed(parse(text))
    assert order(found, FORWARD) == " ".join(["x", *forward])
    assert any(step.node == "d" for step in found if step.again) == ("d" in backward)
    if "d" in forward:
        return
    assert order(found, FORWARD) == "x a b z"
    assert [step.live for step in found] == [
        step.live for step in steps(UNREAD[: UNREAD.index("    with c")] + "z = exp(b)")
    ]


def test_an_inner_region_runs_with_the_outer_one_and_once_more_before_its_own_pullbacks():
    found = steps(NESTED)
    assert order(found, BACKWARD) == "z a* b* c* c a* b* b a x"
    assert [step.region for step in found if step.again] == ["out", "out", "out", "in", "in"]
    assert [step.region for step in found if step.phase == FORWARD] == [None, "in", "in", "out", None]


def test_what_each_run_of_a_nested_region_computes():
    """First a and b, to get cos(b) for c; then a once more, for cos(x) and cos(a): b itself is not needed."""
    writes = [(step.node, step.writes) for step in steps(NESTED) if step.again]
    assert [names for names, _ in writes] == ["a", "b", "c", "a", "b"]
    values = [name in written for name, written in writes]
    assert values == [True, True, False, True, False]
    assert [sum(isinstance(w, Factor) for w in written) for _, written in writes] == [0, 0, 1, 1, 1]


def test_regions_side_by_side_run_again_one_after_the_other():
    found = steps(segments(4, 2))
    assert order(found, BACKWARD) == "x3* x4* x4 x3 x1* x2* x2 x1 x0"


@pytest.mark.parametrize(
    ("text", "sines", "saved"),
    [
        (chain(8), 8, 8),
        (chain(16), 16, 16),
        (halved(8), 13, 4),
        (halved(16), 33, 5),
        *((segments(16, count), sines, count) for count, sines in ((1, 31), (2, 30), (4, 28), (8, 24))),
    ],
)
def test_the_published_numbers_of_sines_and_of_what_is_saved(text, sines, saved):
    found = steps(text)
    assert sum(step.node in step.writes for step in found if step.node != "x0") == sines
    assert turn(found) == saved


WEIGHTS = "x = [1.0, 2.0]\nw1 = input(shape=(5, 2), seed=1)\nw2 = input(shape=(6, 5), seed=2)\n"


@pytest.mark.parametrize(
    ("policy", "again"),
    [
        ("", {"a1", "h1", "a2"}),
        (', policy="dots_saveable"', {"h1"}),
        (', policy="save_only_these_names", names=("h1",)', {"a1", "a2"}),
        (', policy="everything_saveable"', set()),
    ],
)
def test_a_policy_spares_the_steps_of_what_it_saves(policy, again):
    """The last sine is never recomputed. Its slope needs a2, the first one's a1; w2 @ h1 needs h1."""
    layers = "    a1 = w1 @ x\n    h1 = sin(a1)\n    a2 = w2 @ h1\n    h2 = sin(a2)\n"
    found = steps(f'{WEIGHTS}with checkpoint("net"{policy}):\n{layers}z = sum(h2)')
    assert {step.node for step in found if step.again and step.node in step.writes} == again


def test_regions_that_can_run_are_needed():
    text = 'x = 1.0\nwith checkpoint("r"):\n    a = sin(x)\nb = cos(a)\nwith checkpoint("r"):\n    c = a * b'
    with pytest.raises(GraphError, match="cannot run as a whole"):
        steps(text)


PLAIN = {"sin": jnp.sin, "exp": jnp.exp, "tanh": jnp.tanh, "add": jnp.add, "mul": jnp.multiply}


def policy(region: Region) -> Callable:
    found = getattr(jax.checkpoint_policies, region.policy)
    return found(*region.saved) if region.policy == "save_only_these_names" else found


def printed(graph: Graph) -> tuple[list[str], list[str]]:
    """What nodes print in a run of plain JAX: each when it runs, and when its cotangent is complete."""
    forward: list[str] = []
    backward: list[str] = []
    into = forward

    def tell(name: str):
        def print_it() -> None:
            into.append(name)

        @jax.custom_vjp
        def probe(y):
            return y

        def pull(_, v):
            jax.debug.callback(lambda: into.append(f"pull {name}"))
            return (v,)

        probe.defvjp(lambda y: (y, None), pull)
        return print_it, probe

    def run(block: Block, env: dict) -> dict:
        for item in block.items:
            if isinstance(item, Block):
                env = env | region(item, env)
            elif item.op != INPUT:
                print_it, probe = tell(item.name)
                jax.debug.callback(print_it)
                reads = (env[s] if isinstance(s, str) else jnp.float32(s) for s in item.slots)
                env = env | {item.name: checkpoint_name(probe(PLAIN[item.op](*reads)), item.name)}
        return env

    def region(block: Block, env: dict) -> dict:
        inside = {node.name for node in block.nodes() if node.op != INPUT}
        outside = [node for node in graph.nodes if node.name not in inside]
        used = {slot for node in outside for _, slot in node.wires} | {graph.output}
        reads = {slot for node in block.nodes() for _, slot in node.wires} - inside

        def body(given: dict) -> dict:
            found = run(block, given)
            return {name: found[name] for name in inside & used}

        return jax.checkpoint(body, policy=policy(block.region))({name: env[name] for name in reads})

    inputs = {n.name: jnp.float32(n.param("value")) for n in graph.nodes if n.op == INPUT}
    output, pull = jax.vjp(lambda given: run(blocks(graph), given)[graph.output], inputs)
    jax.effects_barrier()
    into = backward
    pull(jnp.ones_like(output))
    jax.effects_barrier()
    return forward, backward


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(graph=scalar_graphs(rules=False, ops=tuple(PLAIN)))
def test_the_order_is_that_in_which_plain_jax_prints(graph):
    found = [step for step in play(trace(graph)) if graph[step.node].op != INPUT]
    forward, backward = printed(graph)
    assert [step.node for step in found if step.phase == FORWARD] == forward
    said = [s.node if s.again else f"pull {s.node}" for s in found if s.phase == BACKWARD]
    assert sorted(said) == sorted(backward)
    # JAX 0.12 runs a region to which nothing comes back once more for its prints, at a time of its own.
    idle = {node.name for node in graph.nodes} - ancestors(graph, [graph.output])
    assert [one for one in said if one not in idle] == [one for one in backward if one not in idle]


def test_around_a_region_that_jax_drops_nothing_is_read_of_it():
    """Nothing reads what they give: JAX 0.10 runs nothing of the inner one, and of the outer one its marks.

    JAX 0.12 runs both, each once.
    """
    inner = "    with checkpoint('inner'):\n        a = x + x\n"
    graph = parse(f"x = 0.5\nwith checkpoint('outer'):\n{inner}    b = -a\ny = -x\nreturn y")
    adds_up(graph)
    whole = trace(graph)
    steps = [(step.node, step.reads) for step in play(whole) if step.phase == FORWARD]
    both = whole.runs["a"].forward == 1
    assert both == (jax.__version_info__ >= (0, 12))
    region = [("a", ("x",)), ("b", ("a",))] if both else [("b", ())]
    assert steps == [("x", ()), *region, ("y", ("x",))]


@settings(max_examples=40)
@given(graph=st.one_of(scalar_graphs(), ruled_regions(), muted_graphs()))
def test_the_steps_add_up_to_the_runs_and_the_residuals(graph):
    adds_up(graph)
    found = play(trace(graph))
    assert [step.live for step in found] == live_by_definition(found, lambda _: 1)  # all are numbers


@settings(max_examples=20)
@given(graph=graphs(TENSOR_OPS, min_nodes=2, literals=TENSORS, empty=False))
def test_so_do_those_of_tensors(graph):
    assume(not diagnose(played(graph)))
    adds_up(graph)


def adds_up(graph: Graph) -> None:
    whole = trace(graph)
    found = play(whole)
    again, kept = Counter[str](), Counter[str]()
    for step in found:
        again[step.node] += step.again
        kept[step.node] += step.again and step.node in step.writes
    for name, runs in whole.runs.items():
        assert (again[name], kept[name]) == (runs.backward, runs.kept), name
    assert Counter(s.node for s in found if s.phase == FORWARD) == {
        name: runs.forward for name, runs in whole.runs.items() if runs.forward
    }
    read = [residual for residual in whole.residuals if residual.consumers]  # JAX keeps some constants unread
    assert turn(found) == sum(residual.elements for residual in read)
    assert found[-1].live == 0
    reads_only_what_was_written(found)


def live_by_definition(found: tuple[PlayStep, ...], elements: Callable[[Any], int]) -> list[int]:
    """After each step: what has been written, and is read before it is written again."""
    uses = [(i, a, False) for i, step in enumerate(found) for a in step.reads]
    uses += [(i, a, True) for i, step in enumerate(found) for a in step.writes]
    uses.sort(key=lambda use: (use[0], use[2]))  # a step reads before it writes
    total = [0] * len(found)
    for array in {a for _, a, _ in uses}:
        own = [(i, writes) for i, a, writes in uses if a == array]
        for (since, _), (until, writes) in pairwise(own):
            if not writes:
                for i in range(since, until):
                    total[i] += elements(array)
    return total


def reads_only_what_was_written(found: tuple[PlayStep, ...]) -> None:
    written: set = set()
    for step in found:
        assert written.issuperset(step.reads), step
        written.update(step.writes)
