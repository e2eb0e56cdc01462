"""Read JAX, NumPy and HIPS autograd: their own numbers, and refusals where they refuse."""

import json
from functools import cache

import numpy as np
import pytest

from autodiff_viz.graph.limits import GRADS
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.reading.reading import read
from tests.reading.record import FOLDER, NO_ANSWERS, snippets

pytestmark = pytest.mark.every

CASES = [(dialect, name) for dialect in ("jax", "numpy") for name in snippets(dialect)]
IMPORTS = "import jax\nimport jax.numpy as jnp\nimport numpy as np\nfrom functools import partial\n"


@cache
def recorded(dialect):
    return json.loads((FOLDER / f"{dialect}_answers.json").read_text("utf-8"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("dialect", "name"), CASES, ids=[name for _, name in CASES])
def test_numbers_are_those_of_the_library(dialect, name):
    text, expression = snippets(dialect)[name]
    reading = read(text)
    if expression in NO_ANSWERS:
        assert reading.refused
        return
    assert not reading.refused
    # What the text differentiates by is an answer; other names are values.
    got = {**reading.values(), **reading.answers()}
    for key, wanted in recorded(dialect)[name].items():
        wanted = np.array(wanted, float)
        assert got[key].shape == wanted.shape
        np.testing.assert_allclose(got[key], wanted, rtol=2e-5, atol=1e-6, err_msg=key)


REFUSED = {
    # What JAX refuses, with its reason.
    "whole numbers": ("jax.grad(lambda x: x ** 2)(3)", "integer"),
    "an array of whole numbers": ("jax.grad(lambda x: jnp.sum(x))(jnp.array([1, 2]))", "integer"),
    "a loss that is whole": ("jax.grad(lambda x: jnp.argmax(x))(jnp.ones(2))", "integer"),
    "no number": ("jax.grad(lambda x: 2 * x)(jnp.ones(2))", "not-scalar"),
    "NumPy of an array under a derivative": ("jax.grad(lambda x: np.exp(x))(1.0)", "traced"),
    "float under a derivative": ("jax.grad(lambda x: x * float(x))(1.0)", "traced"),
    "a branch under jit": ("f = jax.jit(lambda x: x if x > 0 else -x)\ny = f(1.0)", "data-dependent"),
    "a branch under vmap": (
        "y = jax.vmap(lambda x: x if x > 0 else -x)(jnp.ones(2))",
        "data-dependent",
    ),
    "a branch in scan": (
        "y = jax.lax.scan(lambda c, x: (c if c > 0 else x, None), 0.0, jnp.ones(2))",
        "data-dependent",
    ),
    "a change in place": ("x = jnp.zeros(2)\nx[0] = 1.0", "immutable"),
    "a list for an array": ("y = jnp.sum([1.0, 2.0])", "list"),
    "a list as an index": ("y = jnp.arange(3.0)[[0, 2]]", "list"),
    "a loop of unknown length in reverse": (
        "jax.grad(lambda x: jax.lax.while_loop(lambda c: c < 9.0, lambda c: c * 2, x))(1.0)",
        "while-loop",
    ),
    "a carry that changes its dtype": (
        "y = jax.lax.scan(lambda c, x: (c + x, None), jnp.array(0), jnp.ones(2))",
        "carry",
    ),
    "a cotangent of another shape": ("y, pull = jax.vjp(jnp.sin, jnp.ones(2))\npull(1.0)", "shape"),
    "a backward function without a tuple": (
        "@jax.custom_vjp\ndef f(x):\n    return x\n"
        "f.defvjp(lambda x: (x, None), lambda _, g: g)\njax.grad(f)(1.0)",
        "cotangents",
    ),
    "whole numbers of a function of lax": ("y = jax.lax.sin(jnp.array([1, 2]))", "shape"),
    "shapes that lax does not broadcast": ("y = jax.lax.add(jnp.ones((2, 3)), jnp.ones(3))", "shape"),
    # What no op here computes, or what would be another number.
    "rounding to fewer digits": ("y = jnp.sin(jnp.ones(2)).astype(jnp.bfloat16)", "not-read"),
    "a derivative through floats of 16 bits that are rounded": (
        "y = jax.grad(lambda w: jnp.sum(w * 0.1))(jnp.ones(2, jnp.float16))",
        "dtype",
    ),
    "a derivative through a conversion that rounds": (
        "y = jax.grad(lambda w: jnp.sum(w.astype(jnp.bfloat16)).astype(float))(jnp.array([0.1, 0.2]))",
        "dtype",
    ),
    "a dataclass with an __init__ of its own": (
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    w: float\n"
        "    def __init__(self):\n        self.w = 2.0\ny = jnp.array(P().w)",
        "not-read",
    ),
    "a tree_flatten that computes": (
        "from dataclasses import dataclass\n@jax.tree_util.register_pytree_node_class\n@dataclass\nclass P:\n"
        "    w: float\n    def tree_flatten(self):\n        return (2.0 * self.w,), None\n"
        "    @classmethod\n    def tree_unflatten(cls, _, children):\n        return cls(*children)\n"
        "y = jax.tree.map(jnp.sin, P(1.0)).w",
        "not-read",
    ),
    "a tangent from a place outside": (
        "i = jnp.array([0, 7])\ny = jax.jvp(lambda x: jnp.sin(x)[i], (jnp.ones(3),), (jnp.ones(3),))[1]",
        "forward",
    ),
    "a rule that calls a function with a rule, differentiated twice": (
        "@jax.custom_vjp\ndef f(x):\n    return jnp.sin(x)\n"
        "f.defvjp(lambda x: (f(x), x), lambda x, g: (g * f(x) * 2,))\ny = jax.grad(jax.grad(f))(1.0)",
        "not-read",
    ),
    "a factor at a place that is differentiated by": (
        "y = jax.grad(lambda v: jnp.sum(jnp.ones(3).at[jnp.array([0, 2])].mul(v)))(2.0)",
        "not-read",
    ),
    "zeros like what is no array": ("y = jnp.zeros_like({'a': 1.0})", "not-read"),
    "a rule that is not linear": (
        "@jax.custom_jvp\ndef f(x):\n    return x\n"
        "f.defjvp(lambda p, t: (p[0], t[0] ** 2))\njax.grad(f)(1.0)",
        "not-read",
    ),
    "a rule of another derivative that is differentiated": (
        "@jax.custom_gradient\ndef f(x):\n    y, pull = jax.vjp(jnp.tanh, x)\n"
        "    return y, lambda g: pull(2.0 * g)\nh = lambda x: jnp.sum(jnp.sin(f(x)))\n"
        "y = jax.grad(lambda x: jnp.sum(jax.grad(h)(x) ** 2))(jnp.array([1.0, -2.0]))",
        "not-read",
    ),
    # What JAX runs once, when it traces.
    "a list that a loop appends to": (
        "seen = []\ny = jax.lax.scan(lambda c, x: (c + x, seen.append(1)), 0.0, jnp.ones(3))[0]",
        "not-read",
    ),
    "a name outside of a compiled function that is another now": (
        "rate = 0.1\nf = jax.jit(lambda x: x * rate)\na = f(1.0)\nrate = 0.2\ny = f(1.0)",
        "not-read",
    ),
    "a name outside of a loop's body that is another now": (
        "body = lambda c, x: (c + rate * x, c)\nrate = 0.1\na = jax.lax.scan(body, 0.0, jnp.ones(3))\n"
        "rate = 0.2\ny = jax.lax.scan(body, 0.0, jnp.ones(3))",
        "not-read",
    ),
    "an attribute of a fixed argument that is another now": (
        "class Model:\n    @partial(jax.jit, static_argnums=0)\n"
        "    def f(self, x):\n        return x * self.w\n"
        "m = Model()\nm.w = 1.0\na = m.f(2.0)\nm.w = 3.0\ny = m.f(2.0)",
        "not-read",
    ),
    "a compiled function that appends to a list": (
        "seen = []\nf = jax.jit(lambda x: (x, seen.append(1))[0])\na = f(1.0)\ny = f(2.0)",
        "not-read",
    ),
    "a condition as an index": ("x = jnp.arange(3.0)\ny = x[x > 1]", "data-dependent"),
    "a norm of a matrix that is not read": ("y = jnp.linalg.norm(jnp.eye(2), 2)", "not-read"),
    "a draw without a key": ("y = jax.random.normal(3, (2,))", "not-read"),
    "an option that changes a derivative": ("jax.grad(lambda x: x, holomorphic=True)(1.0)", "not-read"),
    "too many rows": ("J = jax.jacobian(jnp.sin)(jnp.ones(65))", "too-large"),
    "a long loop": ("y = jax.lax.fori_loop(0, 9999, lambda i, c: c + 1.0, 0.0)", "too-large"),
    "a complex number": ("y = jnp.exp(1j * jnp.pi)", "not-read"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused_at_its_place_with_the_reason(what):
    text, code = REFUSED[what]
    (problem,) = read(IMPORTS + text).refused
    assert problem.code == code
    assert problem.line > IMPORTS.count("\n")


def answers(text):
    reading = read(IMPORTS + text)
    assert not reading.refused
    return reading.answers()


def test_what_was_computed_from_the_argument_before_is_not_differentiated():
    """By hand: d/dq sum(q * k) is k, though k was made from q."""
    assert answers("q = jnp.array([1.0, 2.0])\ng = jax.grad(lambda q, k: jnp.sum(q * k))(q, q + 1)")[
        "q"
    ].tolist() == [
        2.0,
        3.0,
    ]


def test_an_argument_is_named_by_the_signature_of_a_function_of_the_library():
    assert list(answers("g = jax.grad(jnp.sum)(jnp.ones(2))")) == ["a"]


def test_a_derivative_inside_another_is_no_answer():
    text = (
        "def penalty(w, x):\n    return jax.grad(lambda x: jnp.tanh(w * x))(x) ** 2\n"
        "g = jax.grad(penalty)(2.0, 0.5)"
    )
    assert list(answers(text)) == ["w"]


def test_rows_have_derivatives_of_their_own_by_what_all_share():
    """By hand: row i of d(w * x_i)**2 / dw is 2 * w * x_i**2."""
    text = "g = jax.vmap(jax.grad(lambda w, x: (w * x) ** 2), (None, 0))(3.0, jnp.array([1.0, 2.0]))"
    assert answers(text)["w"].tolist() == [6.0, 24.0]


def test_a_hundred_rows_are_one_derivative():
    reading = read(IMPORTS + "g = jax.vmap(jax.grad(jnp.sin))(jnp.linspace(0.0, 1.0, 100))")
    assert len(reading.graph.nodes) < 8
    np.testing.assert_allclose(reading.answers()["x"], np.cos(np.linspace(0, 1, 100)), rtol=1e-6)


def test_draws_by_a_key_are_those_of_jax():
    import jax

    with jax.enable_x64(False):
        wanted = np.asarray(jax.random.normal(jax.random.split(jax.random.PRNGKey(7))[1], (3,)))
    got = read(
        IMPORTS + "a, b = jax.random.split(jax.random.PRNGKey(7))\nx = jax.random.normal(b, (3,))"
    ).values()
    assert (got["x"] == wanted).all()


def test_double_precision_is_switched_on_by_the_text():
    text = "jax.config.update('jax_enable_x64', True)\ng = jax.grad(lambda x: jnp.exp(x) - 1.0)(1e-9)"
    assert answers(text)["x"] == np.exp(1e-9)


def test_derivatives_by_one_name_are_told_apart_by_line():
    """d/dx sin is cos, and of cos it is -sin; the helper's line is the same for both."""
    text = (
        "def slope(f, x):\n    return jax.grad(f)(x)\n"
        "a = slope(lambda x: jnp.sin(x), 1.0)\nb = slope(lambda x: jnp.cos(x), 1.0)\n"
        "print(jax.grad(jnp.square)(2.0), jax.grad(jnp.square)(3.0))"
    )
    reading = read(IMPORTS + text)
    found = reading.answers()
    assert [key for key in found if key.startswith("x (")] == [
        "x (line 6, from line 7)",
        "x (line 6, from line 8)",
        "x (line 9, number 1)",
        "x (line 9, number 2)",
    ]
    np.testing.assert_allclose(
        [value for key, value in found.items() if key.startswith("x (")],
        [np.cos(1.0), -np.sin(1.0), 4.0, 6.0],
        rtol=1e-6,
    )
    assert found["x"] == 6.0  # the last
    assert any("the text asks for 4 derivatives by `x`" in change.says for change in reading.changes)


def test_a_derivative_that_a_loop_asks_for_again_is_the_last_one():
    text = "w = 1.0\nfor i in range(3):\n    g = jax.grad(lambda w: w ** 2)(w)\n    w = w - 0.25 * g"
    reading = read(IMPORTS + text)
    assert reading.answers() == {"w": 0.5}  # w is 1, 1/2, 1/4
    assert ["asked for 3 times" in change.says for change in reading.changes] == [True]


def test_a_loop_with_more_derivatives_than_the_page_runs_says_so():
    text = "w = 1.0\nfor i in range({}):\n    w = w - 0.1 * jax.grad(lambda w: w ** 2)(w)\nz = w * 2"
    few, many = (read(IMPORTS + text.format(n)) for n in (GRADS, GRADS + 1))
    assert [any("the page runs no graph" in one.says for one in each.changes) for each in (few, many)] == [
        False,
        True,
    ]


def test_a_sentence_of_several_lines_is_one_change():
    text = "y = jax.lax.stop_gradient(1.0)\nx = jnp.ones(3)\nassert x\nz = jnp.sum(x)\nassert z\nassert y"
    (change,) = read(IMPORTS + text).changes
    assert (change.line, change.lines) == (7, (7, 9, 10))
    assert str(change) == "lines 7, 9 and 10: `assert` is left out: the page shows every number"


@pytest.mark.parametrize(
    ("line", "marked", "message", "hint"),
    [
        ("y = 'é' and 2 + jnp.summ(x)", "jnp.summ(x)", "`jax.numpy.summ` is not", "is `jax.numpy.sum`"),
        ("y = x + torch.tensr([2.0])", "torch.tensr([2.0])", "`torch.tensr` is not", "is `torch.tensor`"),
        ("import os; os.system('ls')", "os.system('ls')", "`os.system` is not", "What computes is read"),
        ("y = x * 2j", "2j", "Complex numbers", "real and imaginary parts"),
        ("y = x.summ()", "x.summ", "no `.summ` that is read", "is `.sum`"),
        ("y = 1 + torch.lgamma(x)", "torch.lgamma(x)", "no op for `torch.lgamma`", ""),
        ("y = jnp.summ(x,", "jnp.summ(x,", "not read yet", ""),
        ("y = x $ x", "$", "not Python", ""),
    ],
)
def test_what_is_refused_is_marked_as_a_whole_and_named_in_full(line, marked, message, hint):
    text = f"import torch\nx = jnp.ones(3)\n{line}" + "\n  x)" * line.endswith(",")
    (problem,) = read(text).refused
    row = text.splitlines()[2]
    assert row[problem.column : problem.end_column] == marked
    assert message in problem.message
    assert hint in problem.hint
    assert str(problem).startswith("line 3, column ")


def test_changes_say_how_loops_and_branches_were_read():
    text = (
        "y = jax.lax.fori_loop(0, 3, lambda i, c: c * 2, 1.0)\nz = jax.lax.cond(y > 1, jnp.sin, jnp.cos, y)"
    )
    said = [(change.line, change.says) for change in read(IMPORTS + text).changes]
    assert said == [
        (5, "`fori_loop` is unrolled: 3 steps"),
        (6, "`cond` takes its first branch with these numbers"),
    ]


def test_an_answer_without_numbers_is_refused_as_a_graph_error():
    """17 orders of one derivative are more than a graph may nest."""
    text = "f = lambda x: x ** 9\n" + "f = jax.grad(f)\n" * 5 + "g = f(1.0)"
    with pytest.raises(GraphError):
        read(IMPORTS + text).answers()


@pytest.mark.parametrize("name", ["sigmoid", "silu", "swish"])
@pytest.mark.parametrize("given", ["jnp.array([1, 2])", "jnp.array([True, False])", "3"])
def test_what_jax_takes_of_floats_alone_is_refused_in_its_words(name, given):
    (problem,) = read(IMPORTS + f"y = jax.nn.{name}({given})").refused
    assert "does not accept dtype" in problem.message
    assert not read(IMPORTS + f"y = jax.nn.{name}({given} * 1.0)").refused


@pytest.mark.parametrize(
    "compared", ["x.dtype is jnp.float32", "x.dtype == float", "jnp.tanh is jax.nn.tanh"]
)
def test_a_comparison_whose_answer_is_not_known_is_refused(compared):
    text = IMPORTS + f"x = jnp.ones(2)\ny = x * (2.0 if {compared} else 3.0)"
    assert "not known" in read(text).refused[0].message
