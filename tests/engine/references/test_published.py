"""Test numbers that others have published, or that follow from a line of hand work, to the digits given."""

import math

import numpy as np
import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.language.parse import parse

pytestmark = pytest.mark.every

nan = float("nan")

THIN_AIR = """
x = [-2.0, -1.0, 1.0]
u = [{0}, {1}, {2}]
y = x * x
"""
FIRST_DRAW = THIN_AIR.format(4.1626534 / 4, 0.9370764, 1.0806011)
SECOND_DRAW = THIN_AIR.format(3.65438652 / 4, 1.07519293, 0.94398856)
ROOTS = np.sqrt([3.65438652 / 4, 1.07519293, 0.94398856])

TD = """
theta = [0.1, -0.1, 0.0]
before = dot(theta, [1.0, 2.0, -1.0])
target = {}(1.0 + dot(theta, [2.0, 1.0, 0.0]))
loss = -0.5 * (target - before) ** 2.0
"""

DICE = """
theta = 0.3
p = sigmoid(theta)
q = 1.0 - p
"""

LOG1PEXP = """
x = {}
plain = log(1.0 + exp(x))
slope = custom(identity(x), pullback=lambda v, x, y: v * (1.0 - 1.0 / (1.0 + exp(x))))
z = {}
"""

VQ = """
z = [0.8, 0.7]
book = [[0.0, 0.0], [1.0, 1.0]]
e = book[1]
q = backward_as(identity(e), z)
to_book = sum((stop_gradient(identity(z)) - e) ** 2.0)
to_code = 0.25 * sum((z - stop_gradient(identity(e))) ** 2.0)
loss = sum(q ** 2.0) + to_book + to_code
"""

NORM = """
x = [1.0, 2.0, 4.0, 7.0]
m = {0}(mean(x))
s = {0}(sqrt(mean((x - m) ** 2.0)))
n = (x - m) / s
first = n[0]
"""

# Title, formula, value of the output, gradients
TABLE = [
    (
        "Swift, a declared derivative",
        "x = 3.0\ny = custom(exp(x), pullback=lambda v, x, y: v * y)",
        20.085535,
        {"x": 20.085535},
    ),
    (
        "Swift, withoutDerivative",
        "x = 2.0\ny = 3.0\nz = sin(sin(sin(x))) + stop_gradient(cos(cos(cos(y))))",
        None,
        {"x": -0.18009877, "y": 0.0},
    ),
    (
        "Swift, derivative surgery",
        "x = 30.0\nz = log(rewrite(x, lambda v: 0.5)) + sin(x)",
        None,
        {"x": 0.65425146},
    ),
    (
        "Swift, checkpointing",
        'x = 10.0\nc = cos(x)\nwith checkpoint("square"):\n    s = c * c',
        0.704041,
        {"x": -0.9129453},
    ),
    (
        "TensorFlow, naive",
        FIRST_DRAW + "z = sqrt(y * u)",
        [2.0402582, 0.96802706, 1.0395197],
        {"x": [-1.0201291, -0.96802706, 1.0395197]},
    ),
    (
        "TensorFlow, the trick placed last",
        SECOND_DRAW + "z = backward_as(sqrt(y * u), sqrt(y))",
        [1.91164494, 1.03691506, 0.97159076],
        {"x": [-1.0, -1.0, 1.0]},
    ),
    (
        "TensorFlow, the trick placed last with a stop",
        SECOND_DRAW + "r = sqrt(y)\nz = r + stop_gradient(sqrt(y * u) - r)",
        [1.91164494, 1.03691506, 0.97159076],
        {"x": [-1.0, -1.0, 1.0]},
    ),
    (
        "TensorFlow, the trick placed early",
        SECOND_DRAW + "w = y + stop_gradient(y * u - y)\nz = sqrt(w)",
        [1.91164494, 1.03691506, 0.97159076],
        {"x": np.array([-1.0, -1.0, 1.0]) / ROOTS},
    ),
    ("JAX, tanh", "x = 2.0\ny = tanh(x)", None, {"x": 0.070650935}),
    ("JAX, sin(x) y", "x = 2.0\ny = 3.0\nz = sin(x) * y", 2.7278922, {"x": -1.2484405}),
    ("JAX, log1pexp", LOG1PEXP.format(3.0, "plain"), 3.0485873, {"x": 0.95257413}),
    (
        "JAX, log1pexp of a vector",
        LOG1PEXP.format([0.0, 1.0, 2.0], "plain"),
        None,
        {"x": [0.5, 0.7310586, 0.88079715]},
    ),
    (
        "JAX, log1pexp with its rule",
        LOG1PEXP.format(3.0, "backward_as(identity(plain), slope)"),
        3.0485873,
        {"x": 0.95257413},
    ),
    ("JAX, slope at the edge of a domain", "x = 0.0\nz = x / (1.0 + sqrt(x))", 0.0, {"x": nan}),
    (
        "JAX, slope at the edge with a rule",
        "x = 0.0\ns = stop_gradient(1.0 + sqrt(x))\n"
        "z = custom(x / s, pullback=lambda v, x, s, y: "
        "(v * (sqrt(x) + 2.0) / (2.0 * (sqrt(x) + 1.0) ** 2.0), 0.0))",
        0.0,
        {"x": 1.0},
    ),
    (
        "JAX, a wrong rule above 0",
        "x = 1.0\ny = custom(abs(x), pullback=lambda v, x, y: v * where(x > 0.0, 2.0, 3.0))",
        1.0,
        {"x": 2.0},
    ),
    (
        "JAX, a wrong rule below 0",
        "x = -1.0\ny = custom(abs(x), pullback=lambda v, x, y: v * where(x > 0.0, 2.0, 3.0))",
        1.0,
        {"x": 3.0},
    ),
    (
        "JAX, Newton's square root",
        "a = 2.0\nx1 = 0.5 * (1.0 + a)\nx2 = 0.5 * (x1 + a / x1)\nx3 = 0.5 * (x2 + a / x2)\n"
        "x4 = 0.5 * (x3 + a / x3)\nx5 = 0.5 * (x4 + a / x4)",
        1.4142135,
        {"a": 0.35355335},
    ),
    ("JAX, TD(0)", TD.format("stop_gradient"), None, {"theta": [1.2, 2.4, -1.2]}),
    ("JAX, TD(0) without the stop", TD.format(""), None, {"theta": [-1.2, 1.2, -1.2]}),
    ("JAX, round", "x = 3.2\ny = round(x)", 3.0, {"x": 0.0}),
    ("JAX, straight-through round", "x = 3.2\ny = backward_as(round(x), x)", 3.0, {"x": 1.0}),
    (
        "JAX, straight-through round with a stop",
        "x = 3.2\nr = round(x)\ny = x + stop_gradient(r - x)",
        3.0,
        {"x": 1.0},
    ),
    ("JAX, where and log at 0", "x = 0.0\ny = where(x > 0.0, log(x), 0.0)", 0.0, {"x": nan}),
    (
        "JAX, the double where",
        "x = 0.0\nsafe = where(x > 0.0, x, 1.0)\ny = where(x > 0.0, log(safe), 0.0)",
        0.0,
        {"x": 0.0},
    ),
    ("no reversal", "w = 3.0\ny = (2.0 * w - 1.0) ** 2.0", 25.0, {"w": 20.0}),
    (
        "gradient reversal",
        "w = 3.0\ny = (rewrite(2.0 * w, lambda v: -0.5 * v) - 1.0) ** 2.0",
        25.0,
        {"w": -10.0},
    ),
    ("expectation, exact", DICE + "z = 2.0 * p + 5.0 * q", None, {"theta": -0.73338}),
    (
        "expectation, surrogate",
        DICE + "z = 2.0 * stop_gradient(identity(p)) * log(p) + 5.0 * stop_gradient(identity(q)) * log(q)",
        None,
        {"theta": -0.73338},
    ),
    (
        "expectation, DiCE",
        DICE + "a = log(p)\nb = log(q)\n"
        "z = 2.0 * stop_gradient(identity(p)) * exp(a - stop_gradient(identity(a)))"
        " + 5.0 * stop_gradient(identity(q)) * exp(b - stop_gradient(identity(b)))",
        2 / (1 + math.exp(-0.3)) + 5 / (1 + math.exp(0.3)),
        {"theta": -0.73338},
    ),
    (
        "TensorFlow Probability, value f and gradient g",
        "x = 0.7\nz = stop_gradient(sin(x)) + stop_gradient(exp(x)) * (x - stop_gradient(identity(x)))",
        math.sin(0.7),
        {"x": math.exp(0.7)},
    ),
    (
        "Gumbel, straight-through",
        f"logits = {[math.log(p) for p in (0.2, 0.5, 0.3)]}\nsoft = softmax(logits)\n"
        "hard = backward_as(soft > 0.4, soft)\nz = dot(hard, [1.0, 2.0, 3.0])",
        2.0,
        {"logits": [-0.22, -0.05, 0.27]},
    ),
    ("VQ-VAE", VQ, None, {"z": [1.9, 1.85], "book": [[0.0, 0.0], [0.4, 0.6]]}),
    ("relu at 0", "x = 0.0\ny = relu(x)", 0.0, {"x": 0.0}),
    ("max(x, 0) at 0", "x = 0.0\ny = maximum(x, 0.0)", 0.0, {"x": 0.5}),
    ("abs at 0", "x = 0.0\ny = abs(x)", 0.0, {"x": 1.0}),
    ("a tie", "a = 2.0\nb = 2.0\ny = maximum(a, b)", 2.0, {"a": 0.5, "b": 0.5}),
    ("a tie in a vector", "x = [1.0, 3.0, 3.0]\ny = max(x)", 3.0, {"x": [0.0, 0.5, 0.5]}),
    ("a saturated sigmoid", "x = -10.0\ny = sigmoid(x)", None, {"x": 0.25 / math.cosh(5) ** 2}),
    ("a detached factor", "x = 3.0\ny = stop_gradient(identity(x)) * x", 9.0, {"x": 3.0}),
    ("a fork", "x = 3.0\ny = x * x + 4.0 * x", 21.0, {"x": 10.0}),
]


def assert_close(found: np.ndarray, expected: object, rel: float) -> None:
    for number, wanted in np.nditer([found, np.asarray(expected, np.float64)]):
        assert float(number) == pytest.approx(float(wanted), rel=rel, abs=0.0, nan_ok=True)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("formula", "value", "gradient"), [row[1:] for row in TABLE], ids=[r[0] for r in TABLE]
)
def test_published_number(formula, value, gradient, dtype):
    found = trace(parse(formula), dtype=dtype)
    if value is not None:
        assert_close(found.value[found.output], value, 1e-5)
    for name, expected in gradient.items():
        assert_close(found.gradient[name], expected, 1e-5)


NORM_SLOPES = [("", [0.1974, -0.1870, -0.0831, 0.0727]), ("stop_gradient", [0.4364, 0.0, 0.0, 0.0])]


@pytest.mark.parametrize(("statistics", "expected"), NORM_SLOPES, ids=["followed", "stopped"])
def test_batch_norm_with_its_statistics(statistics, expected):
    found = trace(parse(NORM.format(statistics)), dtype="float64").gradient["x"]
    np.testing.assert_allclose(found, expected, atol=5.1e-5)  # published to four digits


def test_sigmoids_in_a_row_make_the_gradient_vanish():
    found = {n: float(trace(parse(_sigmoids(n))).gradient["x0"]) for n in (1, 5, 10, 20)}
    assert found == pytest.approx({1: 0.25, 5: 6.76e-4, 10: 3.88e-7, 20: 1.27e-13}, rel=5e-3)


def _sigmoids(count: int) -> str:
    return "x0 = 0.0\n" + "".join(f"x{i + 1} = sigmoid(x{i})\n" for i in range(count))


def test_a_saturated_tanh():
    graph = parse("x = 5.0\ny = tanh(x)")
    in_float32, in_float64 = (float(trace(graph, dtype=d).gradient["x"]) for d in ("float32", "float64"))
    assert in_float64 == pytest.approx(1 / math.cosh(5) ** 2, rel=1e-9)
    assert in_float32 == pytest.approx(1.817e-4, rel=1e-3)  # 1 - y^2 cancels


def test_a_clipped_gradient_stays_in_its_bounds_along_a_line():
    graph = parse("x = 0.0\ny = sin(rewrite(x, lambda v: clip(v, -0.75, 0.75)))")
    points = np.linspace(0, 10, 1000)
    gradient = trace(graph, {"x": points}).gradient["x"]
    assert (gradient.min(), gradient.max()) == (-0.75, 0.75)
    np.testing.assert_allclose(gradient, np.clip(np.cos(points), -0.75, 0.75), atol=1e-6)


def test_taps_of_derivative_surgery():
    found = trace(parse("x = 30.0\nz = log(rewrite(x, lambda v: 0.5)) + sin(x)"))
    arriving = found.cotangent["rewrite_1"], found.cotangent["sin_1"]
    np.testing.assert_allclose(arriving, [0.033333335, 1.0], rtol=1e-6)
    assert found.passed["rewrite_1", 0] == 0.5


def test_a_gate_of_branches():
    """d image = sum of p_i W_i^T v and d p_i = <v, W_i image>, with v of ones for a sum."""
    draws = np.random.default_rng(0)
    image, p, w = draws.normal(size=3), np.array([0.2, 0.8]), draws.normal(size=(2, 4, 3))
    text = "x = {}\np = {}\na = {}\nb = {}\ny = p[0] * (a @ x) + p[1] * (b @ x)\nz = sum(y)"
    found = trace(parse(text.format(*(array.tolist() for array in (image, p, *w)))), dtype="float64")
    v = np.ones(4)
    np.testing.assert_allclose(found.gradient["x"], p[0] * w[0].T @ v + p[1] * w[1].T @ v, rtol=1e-12)
    np.testing.assert_allclose(found.gradient["p"], [v @ w[0] @ image, v @ w[1] @ image], rtol=1e-12)
