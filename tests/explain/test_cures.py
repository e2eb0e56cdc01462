"""Test that a cure leaves the function what it is: at other inputs than those at which it was found."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import autodiff_viz as av
from tests.engine.references.troubled_programs import troubled_text

DTYPES = ("float64", "float32", "float16", "bfloat16")
NUMBERS = (0.0, 0.7, -1.3, 2.0, 5.0, -0.2)
CLOSE = {"rtol": 1e-6, "atol": 1e-9}  # in float64
ANOTHER_VALUE = {
    "add 1e": "a root of 0 has no finite slope; the text says by how much values change at most",
    "mask with": "a large negative number stands for minus infinity, and the text says so",
    "leak the relu": "where it is negative, the text says what it becomes",
    "reshape": "all pairs were not meant; the text says how many elements become of them",
}
"""By words of a cure, why it is there to change the value, and says so."""
ANOTHER_GRADIENT = {
    "zero:": "nothing arrived",
    "corners:": "JAX's slope was wrong",
    "remove the rule": "a rule was in the way",
}
"""By kind or words of a cure, why it is there to change the gradient but no value."""


def cures(found: av.Trace) -> Iterator[tuple[str, str, str, av.Graph]]:
    """Every cure of every explanation: its kind, its words, what it says that changes, and the graph."""
    origin = av.nonfinite_origin(found)
    if origin and origin.cure:
        yield "nonfinite", origin.mend, origin.changes, origin.cure
    for name in found.value:
        why = av.why_zero(found, name)
        if why and why.cure:
            yield "zero", why.mend, why.changes, why.cure
    for lint in av.lints(found):
        if lint.mend:
            yield lint.code, lint.button, "", lint.mend


def is_kept(graph: av.Graph, cured: av.Graph, inputs: dict, gradients: bool, all_values: bool) -> bool:
    """Whether numbers of the graph that are finite are the cured graph's: of its output, or of all nodes.

    Where the cure makes another node the output, the node that was the output keeps its value.
    """
    given = {name: value for name, value in inputs.items() if name in cured}
    one, other = (
        av.trace(each, values, dtype="float64") for each, values in ((graph, inputs), (cured, given))
    )
    pairs = [(one.value[name], other.value[name]) for name in (one.value if all_values else [one.output])]
    pairs += [(one.gradient[name], other.gradient[name]) for name in given] if gradients else []
    return all(np.allclose(b[np.isfinite(a)], a[np.isfinite(a)], **CLOSE) for a, b in pairs)


def check(text: str) -> int:
    """Check every cure of a graph in all dtypes, and return how many kept the function."""
    count, graph = 0, av.parse(text)
    for dtype in DTYPES:
        found = av.trace(graph, dtype=dtype)
        draws = np.random.default_rng(0)
        others = [
            {name: draws.choice(NUMBERS, size=value.shape) for name, value in found.inputs.items()}
            for _ in range(3)
        ]
        for kind, words, changes, cured in cures(found):
            said = f"{kind}: {words}".lower()
            is_another = f"{cured.output} is differentiated then, and {graph.output} no longer." in changes
            assert (cured.output != graph.output) == is_another, (said, changes, text)
            if not any(word in said for word in ANOTHER_VALUE):
                gradients = not any(word in said for word in ANOTHER_GRADIENT)
                same = "No value changes." in changes
                for inputs in others:
                    assert is_kept(graph, cured, inputs, gradients, same), (said, dtype, inputs, text)
                count += 1
    return count


def valid(seeds: range) -> list[str]:
    """The formulas of these seeds that can be traced."""
    found = []
    for seed in seeds:
        try:
            av.trace(av.parse(text := troubled_text(seed)))
        except av.GraphError:
            continue
        found.append(text)
    return found


@pytest.mark.nightly
@pytest.mark.parametrize("start", range(10, 300, 15))  # of five graphs there may be none with a cure
def test_a_cure_keeps_the_function_at_other_inputs(start):
    assert sum(check(text) for text in valid(range(start, start + 15))) > 0


BY_HAND = [
    # a power: n = 2 makes 0 of 0, and 1 of 0 by a cure that only looks at the base
    ("x = 0.0\nn = 0.0\ny = x ** n", {"x": 0.0, "n": 2.0}, 0.0, {"x": 0.0, "n": 0.0}),
    ("x = 0.0\nn = 0.0\ny = x ** n", {"x": 0.0, "n": 1.0}, 0.0, {"x": 1.0, "n": 0.0}),
    ("x = 0.0\nn = 0.0\ny = x ** n", {"x": 3.0, "n": 2.0}, 9.0, {"x": 6.0, "n": 9.0 * np.log(3.0)}),
    ("x = [0.0, 1.0]\ny = sum(x ** [0.0, 2.0])", {"x": [0.0, 0.0]}, 1.0, {"x": [0.0, 0.0]}),
    ("x = 0.0\ny = x ** 0.0", {"x": 0.0}, 1.0, {"x": 0.0}),
    # a quotient: 3 / 0 is infinite, and 3 by a cure that only looks at the divisor
    ("x = 0.0\ny = 0.0\nz = x / y", {"x": 3.0, "y": 0.0}, np.inf, {}),
    ("x = 0.0\ny = 0.0\nz = x / y", {"x": 3.0, "y": 2.0}, 1.5, {"x": 0.5, "y": -0.75}),
    ("x = 0.0\ny = x / x", {"x": 3.0}, 1.0, {"x": 0.0}),
    ("d = [0.0, 2.0]\ny = sum([0.0, 3.0] / d)", {"d": [5.0, 0.0]}, np.inf, {}),
    # the root of a square: 3 and 4 make 5
    ("x = [0.0, 0.0]\ny = square(norm(x))", {"x": [3.0, 4.0]}, 25.0, {"x": [6.0, 8.0]}),
    ("x = [[0.0, 0.0], [1.0, 2.0]]\ny = sum(square(norm(x, axis=1)))", {"x": [[3.0, 4.0], [0.0, 0.0]]}, 25.0,
     {"x": [[6.0, 8.0], [0.0, 0.0]]}),
]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("text", "inputs", "value", "gradient"), BY_HAND)
def test_a_cured_graph_has_the_numbers_of_the_function_worked_by_hand(text, inputs, value, gradient, dtype):
    graph = av.parse(text)
    cured = av.trace(av.nonfinite_origin(av.trace(graph, dtype=dtype)).cure, inputs, dtype="float64")
    np.testing.assert_allclose(cured.value[cured.output], value)
    for name, number in gradient.items():
        np.testing.assert_allclose(cured.gradient[name], number, atol=1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("text", "slope"),
    [
        ("x = [0.0, 0.0]\ny = norm(x)", [0.0, 0.0]),
        ("x = [0.0, 0.0]\ny = sqrt(sum(square(x)))", [0.0, 0.0]),
        ("x = [[0.0, 0.0], [3.0, 4.0]]\ny = sum(norm(x, axis=1))", [[0.0, 0.0], [0.6, 0.8]]),
        ("x = [[0.0, 0.0], [3.0, 4.0]]\ny = sum(norm(x, axis=1, keepdims=True))", [[0.0, 0.0], [0.6, 0.8]]),
    ],
)
def test_a_norm_at_0_has_the_cure_of_the_root_of_a_sum_of_squares(text, slope, dtype):
    origin = av.nonfinite_origin(av.trace(av.parse(text), dtype=dtype))
    assert origin.mend.startswith("Add 1e")
    cured = av.trace(origin.cure, dtype=dtype)
    np.testing.assert_allclose(cured.gradient["x"].astype(np.float64), slope, rtol=1e-2, atol=1e-9)
    at_0 = av.trace(origin.cure, {"x": np.zeros(np.shape(slope))}, dtype="float64").value["y"]
    count = 1 if np.ndim(slope) == 1 else 2
    said = float(origin.changes.split(" is ")[1].split(",")[0].replace("−", "-"))
    assert at_0 == pytest.approx(count * said, rel=1e-3)


def test_the_quotient_by_a_norm_of_0_is_cured_inside_the_norm():
    """x / |x| at 0 is 0 with a norm of 1e-6, and its slope 1e6."""
    origin = av.nonfinite_origin(av.trace(av.parse("x = [0.0, 0.0]\ny = sum(x / norm(x))")))
    cured = av.trace(origin.cure)
    np.testing.assert_allclose(cured.value["y"], 0.0)
    np.testing.assert_allclose(cured.gradient["x"], [1e6, 1e6], rtol=1e-5)
