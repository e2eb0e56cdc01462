"""Test what newcomers type first: each text is accepted, or offers in its place what is accepted."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from autodiff_viz.engine.trace import trace
from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import Correction, GraphError, Problem
from autodiff_viz.language.parse import parse, parse_with_spans
from autodiff_viz.language.readings import readings
from autodiff_viz.language.show import show

CORRECTED = {
    "ones(2, 3)": "y = ones((2, 3))",
    "x = ones_like((2, 3))": "x = ones((2, 3))",
    "x = 1.0\ny = full((2,), x)": "x = 1.0\ny = x * ones((2,))",
    "f(x, y) = x^2": "f(x, y) = x^2\nx = 1.0\ny = 1.0\nz = f(x, y)\n",
    "def f(x):\n    return x\n": "def f(x):\n    return x\nx = 1.0\ny = f(x)\n",
    "f = lambda x: x**2": "f(x) = x**2\nx = 1.0\ny = f(x)\n",
    "x = 1.0\ny = f(x)": "f(x) = x ** 2\nx = 1.0\ny = f(x)",
    "x = 1,000": "x = 1000",
    "x = 0,5": "x = 0.5",
    "x = (1, 2)": "x = [1, 2]",
    "x, y = 1.0, 2.0": "x = 1.0; y = 2.0",
    "x := 1": "x = 1",
    "x == 1": "x = 1",
    "x: float = 1.0": "x = 1.0",
    "x = 1.0\nx += 1": "x = 1.0\nx_new = x + 1",
    "x = 1.0\nx = 2.0": "x = 1.0\nx_new = 2.0",
    "x = True": "x = 1.0",
    "x = '1'": "x = 1",
    "x = input()": "x = input(1.0)",
    "x = [1, 2\n": "x = [1, 2]\n",
    "y = sin(x)": "x = 1.0\ny = sin(x)",
    "y = x\nx = 1.0": "x = 1.0\ny = x",
    "x = 2.0\ny = 2x": "x = 2.0\ny = 2 * x",
    "x = 2.0\ny = 2(x+1)": "x = 2.0\ny = 2 * (x+1)",
    "x = 2.0\ny = (x+1)(x-1)": "x = 2.0\ny = (x+1) * (x-1)",
    "x = 1.0\ny = sin x": "x = 1.0\ny = sin(x)",
    "x = 1.0\ny = sin^2(x)": "x = 1.0\ny = sin(x) ** 2",
    "x = 1.0\ny = |x|": "x = 1.0\ny = abs(x)",
    "x = 1.0\ny = √x": "x = 1.0\ny = sqrt(x)",
    "x = 1.0\ny = x² ÷ 2": "x = 1.0\ny = x ** 2 / 2",
    "x = 1.0\ny = +x": "x = 1.0\ny = x",
    "x = 1.0\ny = e^x": "x = 1.0\ny = exp(x)",
    "y = 2 * pi": "y = 2 * 3.141592653589793",
    "x = 1.0\ny = np.pi * x": "x = 1.0\ny = 3.141592653589793 * x",
    "x = 1.0\ny = ln(x)": "x = 1.0\ny = log(x)",
    "x = 2.0\ny = log(x, 2)": "x = 2.0\ny = (log(x) / log(2))",
    "x = 2.0\ny = sec(x)": "x = 2.0\ny = (1.0 / cos(x))",
    "x = 2.0\ny = asinh(x)": "x = 2.0\ny = arcsinh(x)",
    "x = 1.0\ny = relu6(x)": "x = 1.0\ny = clip(x, 0.0, 6.0)",
    "x = 1.0\ny = max(0, x)": "x = 1.0\ny = maximum(0, x)",
    "x = 1.0\ny = np.sin(x)": "x = 1.0\ny = sin(x)",
    "a = 1.0\nb = 1.0\ny = jnp.dot(a, b)": "a = 1.0\nb = 1.0\ny = dot(a, b)",
    "x = 1.0\ny = torch.relu(x)": "x = 1.0\ny = relu(x)",
    "x = np.zeros((2, 3))": "x = zeros((2, 3))",
    "x = np.array([1.0, 2.0])": "x = [1.0, 2.0]",
    "x = random.normal(key, (3,))": "x = input(shape=(3,), seed=0)",
    "x = np.random.randn(3, 2)": "x = input(shape=(3, 2), seed=0)",
    "x = arange(3)": "x = [0.0, 1.0, 2.0]",
    "x = linspace(0, 1, 3)": "x = [0.0, 0.5, 1.0]",
    "x = eye(2)": "x = [[1.0, 0.0], [0.0, 1.0]]",
    "import jax.numpy as jnp\nx = 1.0": "x = 1.0",
    "x = [1.0]\ny = x.sum()": "x = [1.0]\ny = sum(x)",
    "x = [1.0]\ny = x.square().sum()": "x = [1.0]\ny = sum(square(x))",
    "x = [1.0]\ny = x.reshape(1)": "x = [1.0]\ny = reshape(x, (1,))",
    "x = [[1.0]]\ny = x.T": "x = [[1.0]]\ny = transpose(x)",
    "x = 1.0\nx^2": "x = 1.0\ny = x^2",
    "x^2 * sin(y)": "y = 1.0\nx = 1.0\nz = x^2 * sin(y)",
    "x = 1.0\nx * w\na = y + z": "z = 1.0\ny = 1.0\nw = 1.0\nx = 1.0\nu = x * w\na = y + z",
    "return x * y": "y = 1.0\nx = 1.0\nz = x * y",
    "x += x_new": "x_new = 1.0\nx = 1.0\nx_new_1 = x + x_new",
    "x = 1.0\nx = x_new * 2": "x_new = 1.0\nx = 1.0\nx_new_1 = x_new * 2",
    "y(a) = a\nf(x) = x": "y(a) = a\nf(x) = x\nx = 1.0\nz = f(x)\n",
    "x = 1.0\nprint(x)": "x = 1.0\n",
    "x = 1.0\nreturn sin(x)": "x = 1.0\ny = sin(x)",
    "x = 1.0\ny = x\ny.backward()": "x = 1.0\ny = x\n",
    "x = 1.0\ny = x if x > 0 else 0": "x = 1.0\ny = where(x > 0, x, 0)",
    "x = 1.0\ny = x\nz = dy/dx": "x = 1.0\ny = x\nz = grad(y, x)",
    "x = 1.0\ny = x * x\ng = grad(y)(x)": "x = 1.0\ny = x * x\ng = grad(y, x)",
    "x = 1.0\ny = grad(sin)(x)": "x = 1.0\ny = grad(sin(x), x)",
    "x = 7.0\ny = x % 2": "x = 7.0\ny = (x - 2 * floor(x / 2))",
    "x = 7.0\ny = x // 2": "x = 7.0\ny = floor(x / 2)",
    "x = 1.0\ny = x >= 0 and x <= 2": "x = 1.0\ny = (x > 0) * (x < 2)",
}
"""Texts, and what they are when the corrections that are offered have been applied one after the other."""

ACCEPTED = (
    "x = 1.0\ny = x**.5", "x = 1.0\ny = abs(x)", "x = [[1.0]]\nw = [[1.0]]\ny = x @ w", "x = 1.0\nreturn x",
    "x = 1.0\ny = x^2", "x = ones((2, 3))", "x = zeros(3)", "w = parameter(zeros((2, 3)))",
    "f(x, y) = x^2\nz = f(3.0, 1.0)", "def f(x): return x^2\ny = f(2.0)",
)  # fmt: skip

WITHOUT = (
    "x = 1.0\ny = x!", "x = 1.0\nif x > 0:\n    y = x", "while True:\n    x = 1", "x = 1.0\ny = sum(x, x)",
    "x = 1.0\ny = where(x > 0, x)", "x = 1.0\ny = x -",
)  # fmt: skip
"""Texts of which nobody can know what they mean."""


def applied(text: str, correction: Correction) -> str:
    """Return the text with a correction applied."""
    _label, line, column, end_line, end_column, insert = correction
    lines = text.splitlines(keepends=True)
    before = "".join(lines[: line - 1]) + (lines[line - 1][:column] if line <= len(lines) else "")
    after = lines[end_line - 1][end_column:] if end_line <= len(lines) else ""
    return before + insert + after + "".join(lines[end_line:])


def first_problem(text: str) -> Problem | None:
    """Return the first problem of a text; None for a valid one."""
    try:
        parse(text)
    except GraphError as error:
        return error.problems[0]
    return None


def corrected(text: str) -> str:
    """Apply the correction of the first problem until there is none."""
    for _ in range(8):
        problem = first_problem(text)
        if problem is None or problem.correction is None:
            break
        text = applied(text, problem.correction)
    return text


@pytest.mark.parametrize(("text", "valid"), CORRECTED.items())
def test_what_is_offered_is_accepted(text, valid):
    assert first_problem(text)
    assert corrected(text) == valid
    assert first_problem(valid) is None


@pytest.mark.parametrize("text", ACCEPTED)
def test_what_is_accepted_as_it_is_typed(text):
    assert first_problem(text) is None


@pytest.mark.parametrize("text", WITHOUT)
def test_what_could_mean_anything_has_a_hint_and_nothing_to_press(text):
    problem = first_problem(text)
    assert problem
    assert problem.hint
    assert problem.correction is None


@example("T'")
@given(st.text("xyf123.,^*+-=()[]| \n:eT'°²", max_size=14))
def test_no_correction_leads_to_the_same_problem(text):
    problem = first_problem(text)
    if problem and problem.correction:
        after = first_problem(applied(text, problem.correction))
        assert not after or (after.message, after.caret) != (problem.message, problem.caret)


POWERS = st.recursive(
    st.sampled_from(["2", "x", "3"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", " - ", "*", " / ", "^", " ^ "]), inner).map("".join),
        inner.map("-{}".format),
        inner.map("({})".format),
    ),
    max_leaves=6,
)


@given(POWERS)
def test_a_caret_is_a_power_as_two_stars_are(expression):
    text = f"x = 2.0\ny = {expression} + x"
    assert parse(text) == parse(text.replace("^", "**"))


@pytest.mark.parametrize(
    ("expression", "value"),
    [("2 * x^2 + 1", 19.0), ("-x^2", -9.0), ("2^x^2", 512.0), ("x^-1", 1 / 3), ("1 + x^2", 10.0)],
)
def test_a_caret_binds_as_in_mathematics(expression, value):
    assert float(trace(parse(f"x = 3.0\nz = {expression}")).value["z"]) == pytest.approx(value)


def test_places_behind_a_caret_are_those_of_the_text():
    text = "x = 1.0\ny = (x^2 +\n  x^3 * sin(x^2)) # a^b\nz = x^y^foo"
    with pytest.raises(GraphError) as caught:
        parse(text)
    (problem,) = caught.value.problems
    line = text.split("\n")[problem.line - 1]
    assert line[problem.column : problem.end_column] == "foo"
    spans = parse_with_spans(text.replace("foo", "x"))[1]
    assert [text.split("\n")[2][spans[n].column : spans[n].end_column] for n in ("pow_2", "sin_1")] == [
        "x^3",
        "sin(x^2)",
    ]


def test_a_caret_in_a_name_in_quotes_or_in_a_comment_is_none():
    assert readings('x = 1.0 # a^b\nwith group("a"): y = x') == ()
    with pytest.raises(GraphError, match="a\\^b"):
        parse('x = 1.0\nwith group("a^b"): y = x^2')


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("x = 1.0\ny = x ** 2", []),
        ("x = 1.0\ny = x^2\nz = y^2", ["^ is read as power; Python writes it **."]),
        ("x = 1.0\ndef f(a):\n    return a\n", ["Nothing calls f yet."]),
        (
            "f(a, b) = a * b\ny = f(1.0, 2.0)",
            ["f(a, b) = ... is read as a function; Python writes def f(a, b): return ..."],
        ),
    ],
)
def test_what_is_read_otherwise_than_in_python_is_said(text, sentences):
    parse(text)
    assert list(readings(text)) == sentences


def test_a_definition_is_the_function_that_python_writes():
    python = "def f(a, b):\n    return a ** 2 + b\nx = 3.0\ny = f(x, 1.0)"
    assert parse("f(a, b) = a^2 + b\nx = 3.0\ny = f(x, 1.0)") == parse(python)
    assert float(trace(parse(python)).value["y"]) == 10.0


@pytest.mark.parametrize(
    ("text", "array"),
    [
        ("x = zeros((2, 3))", np.zeros((2, 3))),
        ("x = ones(3)", np.ones(3)),
        ("x = ones([2, 1])", np.ones([2, 1])),
        ("x = ones(())", np.ones(())),
        ("x = full((2,), 0.5)", np.full((2,), 0.5)),
        ("x = full(2, -3)", np.full(2, -3)),
        ("x = full(shape=(1, 2), fill_value=4.0)", np.full(shape=(1, 2), fill_value=4.0)),
        ("x = parameter(zeros((2, 3)))", np.zeros((2, 3))),
        ("x = parameter(ones(2))", np.ones(2)),
        ("x = parameter(full((2,), 0.5))", np.full((2,), 0.5)),
        ("x = input(ones(2))", np.ones(2)),
    ],
)
def test_a_filled_tensor_is_that_of_numpy_and_is_printed_so_that_it_is_read_again(text, array):
    graph = parse(text)
    assert parse(show(graph)) == graph
    value = trace(graph).value["x"]
    assert value.shape == array.shape
    assert np.array_equal(value, array)


@pytest.mark.parametrize(
    "call",
    [
        "ones((300, 300))", "ones(-1)", "ones((0, 2))", "ones(2.5)", "ones(True)", "ones()", "full(2)",
        "full(2, 1e40)", "ones((1, 1, 1, 1, 1, 1, 1))", "ones((2, 3), dtype=float)", "ones((y, 2))",
    ],
)  # fmt: skip
def test_a_shape_that_cannot_be_is_refused_in_words(call):
    assert first_problem(f"y = 1.0\nx = {call}").message.endswith(".")


def test_filled_tensors_of_a_text_are_together_short_enough_to_be_printed_and_read():
    tensor = "ones((256, 256))"
    assert limits.ELEMENTS == 256 * 256
    lines = [f"x{i} = {tensor}" for i in range(2)]
    assert parse(show(parse("\n".join(lines))))
    assert "too long" in first_problem("\n".join(f"x{i} = {tensor}" for i in range(9))).message


@pytest.mark.parametrize(
    "text",
    [
        "ones((1000000000,))", "ones(1000000000)", "full((1000000000, 1000), 1.0)",
        f"ones(({', '.join(['9' * 900] * 2)}))", "input(shape=(70000,), seed=0)",
    ],
)  # fmt: skip
def test_a_shape_that_is_written_out_is_refused_for_its_size(text):
    with pytest.raises(GraphError) as caught:
        parse(f"x = {text}")
    (problem,) = caught.value.problems
    assert problem.message == "This shape has an axis longer than 65,536."
