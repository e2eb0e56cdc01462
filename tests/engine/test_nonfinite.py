"""Test that NaN and infinities are reported at the node where they begin, and that no number crashes."""

import numpy as np
import pytest

from autodiff_viz.engine.live_path.passes import ARRIVING
from autodiff_viz.engine.nonfinite import origin_sentences
from autodiff_viz.engine.trace import trace
from autodiff_viz.engine.verify import verify
from autodiff_viz.explain.nonfinite.compute import nonfinite_origin
from autodiff_viz.graph.model import INPUT, Graph, Node, params
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.state import opened, start
from autodiff_viz.language.parse import parse
from autodiff_viz.ops.catalog import OPS
from tests.ops.samples import WIRED

BIG = 1e38


def origins(text: str, **options) -> list[tuple]:
    found = trace(parse(text), **options).nonfinite_origins
    return [(b.node, b.direction, b.kind, b.slot) for b in found]


def test_finite_graphs_have_none():
    assert origins("x = 1.0\ny = exp(x)") == []


def test_an_overflow_begins_in_the_value_of_exp_and_not_after_it():
    assert origins("x = 100.0\ny = exp(x)\nz = sin(y)")[0] == ("y", "forward", "infinity", None)
    assert [b[0] for b in origins("x = 100.0\ny = exp(x)\nz = sin(y)") if b[1] == "forward"] == ["y"]


def test_the_same_graph_is_finite_in_float64():
    assert origins("x = 100.0\ny = exp(x)", dtype="float64") == []


def test_a_log_of_a_negative_number_is_a_nan():
    assert origins("x = -1.0\ny = log(x)\nz = y + 1.0") == [("y", "forward", "NaN", None)]


def test_an_infinite_slope_begins_in_the_pullback():
    assert origins("x = 0.0\ny = sqrt(x)") == [("y", "backward", "infinity", 0)]


def test_zero_times_an_infinite_slope_is_a_nan_that_begins_in_the_pullback():
    assert origins("x = 0.0\ny = sqrt(x)\nz = y * 0.0") == [("y", "backward", "NaN", 0)]


def test_the_untaken_branch_of_where_is_where_the_nan_comes_from():
    text = "x = 0.0\nbranch = log(x)\ny = where(x > 0.0, branch, 0.0)"
    assert origins(text) == [("branch", "forward", "infinity", None), ("branch", "backward", "NaN", 0)]


def test_an_infinity_can_begin_in_a_rule():
    assert origins("x = 2.0\ny = rewrite(x, lambda v: v / 0.0)\nz = sin(y)") == [
        ("y", "backward", "infinity", 0)
    ]
    assert origins("x = rewrite(2.0, lambda v: v / 0.0)\nz = sin(x)") == [("x", "backward", "infinity", None)]


def test_a_sum_at_a_fork_that_overflows_begins_at_the_node_of_the_fork():
    text = "x = 0.0\na = identity(x)\nb = 3e29 * a\nc = 3e29 * a\nz = 1e9 * b + 1e9 * c"
    found = trace(parse(text)).nonfinite_origins
    assert ("a", "backward", "infinity", ARRIVING) in [(b.node, b.direction, b.kind, b.slot) for b in found]
    assert said(text)["a"] == "Infinity: what arrives at 'a' is finite, but its sum is infinite."


def test_a_message_names_node_and_place():
    assert said("x = -1.0\ny = log(x)") == {
        "y": "NaN: the value of 'y' is not a number, though all that it reads is finite."
    }


def said(text: str) -> dict[str, str]:
    found = trace(parse(text)).nonfinite_origins
    sentences = origin_sentences(found)
    assert len(set(sentences.values())) == len({origin.node for origin in found if not origin.carried})
    return dict(sentences)


def test_what_begins_in_both_passes_or_on_several_wires_is_said_once():
    assert said("x = 0.0\ny = log(x)") == {
        "y": "Infinity: the value of 'y' and what it passes back are infinite, "
        "though all that comes in is finite."
    }
    text = "x = 1.0\nw = 0.0\ny = x / w"  # both slopes are infinite, or not a number
    assert said(text)["y"].count("passes back") == 1
    assert said("x = 0.0\nb = log(x)\ny = where(x > 0.0, b, 0.0)") == {
        "b": "Infinity: the value of 'b' is infinite, and what it passes back is not a number, "
        "though all that comes in is finite."
    }
    assert said("x = 0.0\ny = sqrt(x)") == {
        "y": "Infinity: what 'y' passes back is infinite, though all that arrives is finite."
    }


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (
            "x = 70000.0\ny = sin(x)",
            "Infinity: the value of 'x' is infinite. 70000 does not fit float16: it becomes ∞.",
        ),
        (
            "x = 0.0\ny = -70000.0 * x",
            "NaN: the value of 'y' is not a number, and what it passes back is infinite. "
            "−70000 does not fit float16: it becomes −∞.",
        ),
    ],
)
def test_a_number_without_room_in_its_dtype_is_said_and_nothing_of_what_is_read(text, note):
    assert note in trace(parse(text), dtype="float16").notes
    assert not any(
        "finite" in other.replace("infinite", "") for other in trace(parse(text), dtype="float32").notes
    )


def test_an_input_reads_nothing():
    found = trace(parse("x = 1.0\ny = 2.0 * x"), {"x": np.inf})
    assert found.notes == ("Infinity: the value of 'x' is infinite.",)


def test_an_infinity_that_a_derivative_reads_is_said_where_it_began_alone():
    """The derivative of y * y is y, and y is log(0): nothing new begins at z."""
    text = "x = 0.0\ny = log(x)\nz = y * y"
    assert said(text) == {"y": "Infinity: the value of 'y' is infinite, though all that it reads is finite."}
    assert [note for note in trace(parse(text)).notes if "Infinity" in note] == [said(text)["y"]]
    assert "'z' passes 1 × −∞ = −∞ back to 'y'" in nonfinite_origin(trace(parse(text))).sentence


@pytest.mark.parametrize(
    ("text", "also"),
    [
        ("x = [0.0, 4.0]\ny = log(x) * [1.0, 0.0]\nz = sqrt(y * y)", "z"),  # sqrt'(0) at the other element
        ("x = 0.0\ny = log(x)\nz = rewrite(sin(y), lambda v: v / 0.0)", "z"),  # a rule of its own
        ("x = 0.0\nb = sqrt(x)\nz = log(x) + b", "b"),  # another branch
    ],
)
def test_an_infinity_of_its_own_is_said_beside_another(text, also):
    assert also in said(text)


def test_the_notes_of_a_trace_say_what_the_page_says():
    text = "x = [[0.0], [1.0]]\nw = [1.0, 2.0]\ny = sqrt(x) * w"
    lab = opened(start(), parse(text), "Open")
    notes = trace(parse(text)).notes
    assert notes == lab_view(lab).notes
    assert [word for word in ("seed is ones", "Infinity", "All pairs") if word in " ".join(notes)] == [
        "seed is ones",
        "Infinity",
        "All pairs",
    ]
    assert trace(parse("x = 1.0\ny = sin(x)")).notes == ()


EXTREMES = [np.inf, -np.inf, np.nan, BIG, -BIG, 1e-45, -0.0]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("op", sorted(op.name for op in WIRED))
def test_no_op_crashes_on_extreme_inputs(op):
    shapes, given = OPS[op].examples[0]
    names = tuple(f"x{i}" for i in range(len(shapes)))
    inputs = tuple(Node(name, INPUT, (), params(value=1.0)) for name in names)
    graph = Graph((*inputs, Node("y", op, names, params(**given))), (), "y")
    for number in EXTREMES:
        if op in ("max", "min") and np.isnan(number):
            continue  # jax.grad of jnp.max and jnp.min gives NaN for NaN, but 0 under jax.jit
        found = trace(
            graph, {name: np.full(shape, number) for name, shape in zip(names, shapes, strict=True)}
        )
        assert isinstance(found.nonfinite_origins, tuple)
        assert verify(found).agrees, number


def test_an_infinite_seed_is_passed_on_and_begins_at_no_node():
    found = trace(parse("x = 1.0\ny = 2.0 * x"), seed=np.inf)
    assert np.isinf(found.gradient["x"])
    assert found.nonfinite_origins == ()
