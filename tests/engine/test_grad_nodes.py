"""Test grad nodes against hand work, JAX's own nested derivatives and central differences.

The rows are questions that people ask about gradients; each number is worked out in the comment beside it.
"""

import os

import autograd
import autograd.numpy as anp
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autodiff_viz import GraphError, parse, problems, show, to_python, trace, train, verify
from autodiff_viz.engine.finite_differences import check_input, check_node
from autodiff_viz.explain.sweep.compute import sweep
from autodiff_viz.graph.limits import GRADS
from tests.engine.references.random_grads import TEXTS, random_text
from tests.export.programs import loaded

WITNESSES = {
    # loss = (theta - 0.1 * 3 theta)^2 / 2: 1.4 (1 - 0.3) = 0.98; without the path through g 1.4
    "maml": (
        "theta = 2.0\ninner = 1.5 * square(theta)\ng = grad(inner, theta)\n"
        "loss = 0.5 * square(theta - 0.1 * g)",
        {"theta": 0.98},
    ),
    "first-order maml": (
        "theta = 2.0\ninner = 1.5 * square(theta)\ng = stop_gradient(grad(inner, theta))\n"
        "loss = 0.5 * square(theta - 0.1 * g)",
        {"theta": 1.4},
    ),
    # z = sin(x) y: Hessian [[-2 sin 1, cos 1], [cos 1, 0]], reverse over reverse through a declared pullback
    "hessian row of x": (
        "x = 1.0\ny = 2.0\nf = custom(sin(x), pullback=lambda v, x, s: v * cos(x))\ng = grad(f * y, x)",
        {"x": -1.682942, "y": 0.5403023},
    ),
    "hessian row of y": (
        "x = 1.0\ny = 2.0\nf = custom(sin(x), pullback=lambda v, x, s: v * cos(x))\ng = grad(f * y, y)",
        {"x": 0.5403023, "y": 0.0},
    ),
    # (foo^2)'' = 2 foo'^2 + 2 foo foo'' with foo' = x, foo'' = 1 declared: 2 * 0.25 + 2 = 2.5
    "product rule with a declared derivative": (
        "x = 0.5\nfoo = custom(ones_like(x), pullback=lambda v, x, y: v * x)\n"
        "fun = square(foo)\ng = grad(fun, x)",
        {"x": 2.5},
    ),
    # the same where foo's value has no derivative the second time: 2 * 1 * x has the slope 2, which is wrong
    "product rule dropped": (
        "x = 0.5\nfoo = stop_gradient(ones_like(x))\ng = 2.0 * foo * x",
        {"x": 2.0},
    ),
    # f = x^2 y + y^3: H = [[2y, 2x], [2x, 6y]] = [[4, 2], [2, 12]], H (1, 1) = (6, 14)
    "hessian-vector product": (
        "x = 1.0\ny = 2.0\nf = square(x) * y + y ** 3.0\nh = grad(f, x) + grad(f, y)",
        {"x": 6.0, "y": 14.0},
    ),
    # y = clip(x) = x with the declared slope x: g = 2 y x; dg/dx = 2 (dy/dx) x + 2 y = 2 + 2. The ends of
    # clip are numbers in slots, and no wires of the pullback.
    "a declared pullback beside numbers": (
        "x = 1.0\ny = custom(clip(x, -1.0, 1.0), pullback=lambda v, x, y: v * x)\ng = grad(square(y), x)",
        {"x": 4.0},
    ),
    "6x": ("x = 2.0\ny = x ** 3.0\ng = grad(y, x)", {"x": 12.0}),
    "straight-through, as stops": (
        "x = 3.2\nq = x - stop_gradient(x) + stop_gradient(round(x))\ny = square(q)\ng = grad(y, x)",
        {"x": 2.0},
    ),
    "straight-through, as a rule": (
        "x = 3.2\nq = backward_as(round(x), x)\ny = square(q)\ng = grad(y, x)",
        {"x": 2.0},
    ),
    "relu'' is 0": ("x = 1.5\ny = relu(x)\ng = grad(y, x)", {"x": 0.0}),
    # tanh'' = -2 tanh (1 - tanh^2)
    "tanh''": ("x = 1.0\ny = tanh(x)\ng = grad(y, x)", {"x": -0.6397000}),
    # x^4: 12 x^2, then 24 x
    "order two": ("x = 2.0\ny = x ** 4.0\ng = grad(y, x)\nh = grad(g, x)", {"x": 48.0}),
    # p = (y - sum w x)^2-like: |grad_x w.x|^2 = |w|^2, whose gradient is 2 w
    "gradient penalty": (
        "x = [1.0, 2.0]\nw = [0.5, -1.0]\nf = dot(w, x)\np = sum(square(grad(f, x)))",
        {"w": [1.0, -2.0], "x": [0.0, 0.0]},
    ),
    # (|grad| - 1)^2 with |grad| = |2x| = 2: d/dx = 2 (2x - 1) 2 = 4
    "gradient penalty of one": (
        "x = 1.0\ny = square(x)\np = square(abs(grad(y, x)) - 1.0)",
        {"x": 4.0},
    ),
    # of an inner node: y = exp(m), m = 2x: dy/dm = exp(2x), its slope by x 2 exp(2x)
    "by a node that is no input": ("x = 0.5\nm = 2.0 * x\ny = exp(m)\ng = grad(y, m)", {"x": 2 * np.e}),
    # the sum of squares of a tensor: 2x, whose sum has the slope 2 everywhere
    "of a tensor": ("x = [1.0, 2.0]\ny = square(x)\ng = grad(y, x)", {"x": [2.0, 2.0]}),
    "of itself": ("x = [1.0, 2.0]\ng = grad(x, x)\ne = g * x", {"x": [1.0, 1.0]}),
    "without a path": ("x = 2.0\nw = 1.0\ny = square(x)\ng = grad(y, w)\ne = g + x", {"x": 1.0, "w": 0.0}),
    # s = x^2 = 4 is a constant of g = 3 s x^2 = 48, and g reads it: d g^2/ds = 2 g 3 x^2 = 1152, and by x
    # 2 g 6 s x = 4608
    "what was computed from x behind a stop": (
        "x = 2.0\ns = stop_gradient(square(x))\nz = s * x ** 3.0\ng = grad(z, x)\nout = square(g)",
        {"x": 4608.0, "s": 1152.0},
    ),
    # t = s w = 12 is behind the stop alone: g = 3 t x^2, of which w gets 2 g 3 s x^2 = 13824 with g = 144
    "what was computed from that": (
        "x = 2.0\nw = 3.0\ns = stop_gradient(square(x))\nt = s * w\nz = t * x ** 3.0\ng = grad(z, x)\n"
        "out = square(g)",
        {"w": 13824.0, "s": 10368.0, "x": 41472.0},
    ),
    "by nothing but stopped ways": (
        "x = 2.0\nz = stop_gradient(square(x))\ng = grad(z, x)\nout = g + x",
        {"x": 1.0, "z": 0.0},
    ),
    # b = 5 x^2 = 20 passes to u alone: z = b x, g = b, and d g^2 / du = 2 b
    "behind the value of another expression": (
        "x = 2.0\nu = 3.0\nb = backward_as(5.0 * square(x), u)\nz = b * x\ng = grad(z, x)\nout = square(g)",
        {"x": 0.0, "u": 40.0},
    ),
    # w2 = 2 cos(w) x, by x: 2 cos(w), of which the node between is not moved by x
    "inside another, by something else": (
        "w = 0.5\nx = 2.0\ns = sin(w)\np = s * square(x)\ng = grad(p, w)\nh = grad(g, x)",
        {"w": -4.0 * np.sin(0.5), "x": 2.0 * np.cos(0.5)},
    ),
}
VALUES = {
    "maml": ("loss", 0.98),
    "hessian-vector product": ("h", 17.0),
    "straight-through, as stops": ("g", 6.0),
}


@pytest.mark.parametrize("name", WITNESSES)
def test_what_flows_back_through_a_gradient_is_the_second_derivative(name):
    text, wanted = WITNESSES[name]
    found = trace(parse(text))
    for each, number in wanted.items():
        np.testing.assert_allclose(found.cotangent[each], number, rtol=2e-5, atol=1e-6)
    if name in VALUES:
        node, number = VALUES[name]
        np.testing.assert_allclose(found.value[node], number, rtol=2e-5)
    assert verify(found).agrees


def able(seeds):
    """Random texts whose graphs can run: no third order, no region that other nodes cut through."""
    return [text for text in map(random_text, seeds) if not problems(parse(text))]


RANDOM = able(range(int(os.environ.get("GRADIENTS", 12))))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", [*TEXTS, *RANDOM])
def test_both_paths_and_the_exported_program_agree(text):
    graph = parse(text)
    found = trace(graph, dtype="float64")
    assert verify(found).agrees, verify(found)
    program = loaded(to_python(graph, dtype="float64"))
    with jax.enable_x64(True):
        given = [program[name] for name in found.inputs]
        value, pull = jax.vjp(program["forward"], *given)
        gradients = pull(jnp.ones_like(value))
    np.testing.assert_allclose(value, found.value[graph.output], rtol=1e-12)
    for name, gradient in zip(found.inputs, gradients, strict=True):
        np.testing.assert_allclose(gradient, found.gradient[name], rtol=1e-11, atol=1e-13)
    assert parse(show(graph)) == graph


def test_the_verification_refuses_a_wrong_second_derivative():
    """A check that must refuse: with half of what the gradient passes, the two paths disagree."""
    found = trace(parse("x = 2.0\ny = x ** 3.0\ng = grad(y, x)\nz = square(g)"))
    half = {key: found.passed[key] * (0.5 if key[0] == "g" else 1.0) for key in found.passed}
    wrong = type(found)(**{**_fields(found), "passed": half})
    assert verify(found).agrees
    assert not verify(wrong).agrees
    assert verify(wrong).where == "what 'g' passes to its input 1"


def _fields(found):
    names = (
        "graph",
        "output",
        "dtype",
        "inputs",
        "seed",
        "value",
        "cotangent",
        "passed",
        "gradient",
        "chosen",
    )
    return {name: getattr(found, name) for name in names}


@pytest.mark.nightly
def test_the_hessian_of_a_net_is_that_of_jax():
    """One grad node by each of the two parameters; a row of the Hessian for each element."""
    x, w, b = np.float64([0.3, -0.8]), np.float64([[0.4, -1.1], [0.9, 0.2]]), np.float64([0.5, 0.1])
    graph = parse(
        f"x = {x.tolist()}\nw = {w.tolist()}\nb = {b.tolist()}\nh = tanh(w @ x + b)\n"
        "loss = sum(h * softplus(h))\ng = grad(loss, b)\nu = [0.0, 0.0]\np = dot(g, u)"
    )

    def loss(w, b):
        h = jnp.tanh(w @ x + b)
        return jnp.sum(h * jax.nn.softplus(h))

    with jax.enable_x64(True):
        by_w, by_b = jax.hessian(loss, argnums=(0, 1))(w, b)[1]
    for row in range(2):
        found = trace(graph, {"u": np.eye(2)[row]}, dtype="float64")
        np.testing.assert_allclose(found.cotangent["b"], by_b[row], rtol=1e-12)
        np.testing.assert_allclose(found.cotangent["w"], by_w[row], rtol=1e-12)
        assert all(each.agrees for each in check_node(found, "g").values())  # central differences
        assert check_input(found, "w").agrees


def test_the_hessian_of_a_scalar_function_is_that_of_autograd():
    """HIPS autograd differentiates NumPy code and shares nothing with JAX."""
    found = trace(
        parse(
            "x = 0.3\ny = -0.7\nz = tanh(x * y) * exp(y) + x ** 3.0 / cos(y)\n"
            "g = grad(z, x) + 2.0 * grad(z, y)"
        ),
        dtype="float64",
    )

    def z(p):
        return anp.tanh(p[0] * p[1]) * anp.exp(p[1]) + p[0] ** 3 / anp.cos(p[1])

    wanted = autograd.hessian(z)(np.array([0.3, -0.7])) @ [1.0, 2.0]
    np.testing.assert_allclose([found.gradient["x"], found.gradient["y"]], wanted, rtol=1e-12)


def test_a_sweep_has_the_numbers_of_single_traces():
    graph = parse(
        "x = 0.7\nw = 1.5\ny = sin(w * x) * x\ng = grad(y, x)\nk = grad(y, w)\nz = square(g) + k * w"
    )
    found = trace(graph, dtype="float64")
    positions = np.linspace(-1.0, 2.0, 4)
    for name in ("x", "w"):
        swept = sweep(found, name, positions)
        for i, at in enumerate(positions):
            one = trace(graph, {name: at}, dtype="float64")
            for wire, passed in one.passed.items():
                np.testing.assert_allclose(swept.along(swept.passed[wire], wire)[i], passed, rtol=1e-12)
            np.testing.assert_allclose(swept.gradient[i], one.gradient[name], rtol=1e-12)


def test_a_gradient_penalty_trains():
    """loss = l + 0.1 g^2, l = mean (w x - t)^2: l'' = 2 mean x^2 = 5, d loss/dw = g (1 + 0.2 * 5) = 2 g."""
    found = train(
        parse(
            "x = [1.0, 2.0]\nw = parameter(0.5)\nl = mean_squared_error(x * w, [3.0, 6.0])\n"
            "g = grad(l, w)\nloss = l + 0.1 * square(g)"
        ),
        optimizer="sgd",
        rate=0.04,
        steps=2,
    )
    np.testing.assert_allclose(
        found.gradient["w"], [-25.0, -15.0], rtol=1e-6
    )  # w = 1.5, then g = 5 (1.5 - 3)
    np.testing.assert_allclose(found.loss, [31.25, 5.625 + 0.1 * 7.5**2], rtol=1e-6)


REFUSED = {
    "three orders": (
        "x = 1.0\nz = x ** 5.0\na = grad(z, x)\nb = grad(a, x)\nc = grad(b, x)",
        "grad-order",
        "c",
    ),
    "by a number": ("x = 1.0\nz = sin(x)\ng = grad(z, 2.0)", "grad-of-number", "g"),
    "of a number": ("x = 1.0\ng = grad(3.0, x)", "grad-of-number", "g"),
    "a pullback of its own": (
        "x = 1.0\nz = sin(x)\ng = custom(grad(z, x), pullback=lambda v, z, x, y: (v, v))",
        "rule-on-grad",
        "g",
    ),
    "another expression": ("x = 1.0\nz = sin(x)\ng = backward_as(grad(z, x), x)", "rule-on-grad", "g"),
    "muted": ("x = 1.0\nz = sin(x)\ng = bypass(grad(z, x))", "bad-mute", "g"),
    "too many": (
        "x = 1.0\nz = sin(x)\n" + "\n".join(f"g{i} = grad(z, x)" for i in range(GRADS + 1)),
        "too-many-grads",
        f"g{GRADS}",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_gradient_cannot_be_is_refused_in_words(name):
    text, code, node = REFUSED[name]
    graph = parse(text)
    found = [problem for problem in problems(graph) if problem.code == code]
    assert [problem.node for problem in found] == [node]
    assert found[0].message
    assert found[0].hint
    with pytest.raises(GraphError):
        trace(graph)


def chain_of(sines: int) -> str:
    """Return the text of z, which is x under so many sines, one node each."""
    steps = [f"z{i + 1} = sin(z{i})" for i in range(sines)]
    return "\n".join(["z0 = 1.0", *steps])


@pytest.mark.parametrize(
    ("most", "grads", "node"),
    [
        # each sine runs forward and back: 1,000 * 2 = 2,000 ops, which is the limit; 1,001 * 2 = 2,002
        (1_000, ["g = grad(z{n}, z0)"], "g"),
        # forward and back, and both once more: 500 * 2 * 2 = 2,000, and 501 * 2 * 2 = 2,004; g needs 1,002
        (500, ["g = grad(z{n}, z0)", "h = grad(g, z0)"], "h"),
        # in h the sines run 4 times for g and 2 times for z, the product 2 times: 333 * 6 + 2 = 2,000
        (333, ["g = grad(z{n}, z0)", "y = g * z{n}", "h = grad(y, z0)"], "h"),
    ],
    ids=["first order", "second order", "both"],
)
def test_a_gradient_of_too_many_ops_is_refused_in_words(most, grads, node):
    def refused(sines):
        graph = parse("\n".join([chain_of(sines), *grads]).format(n=sines))
        return [problem for problem in problems(graph) if problem.code == "grad-too-long"]

    assert refused(most) == []
    (problem,) = refused(most + 1)
    assert problem.node == node
    assert "more than 2000 ops" in problem.message
    assert problem.hint


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1.0\ng = grad(x * x, x * 2.0)", "taken by a node"),
        ("x = 1.0\ny = rewrite(x, lambda v: grad(v, v))", "a lambda has none"),
        ("x = 1.0\ng = grad(x)", "x is missing"),
    ],
)
def test_a_formula_that_has_no_derivative_is_refused_at_its_place(text, message):
    with pytest.raises(GraphError, match=message) as caught:
        parse(text)
    assert caught.value.problems[0].line == 2


def test_a_gradient_without_a_path_and_one_of_a_tensor_are_noted():
    found = trace(parse("x = [1.0, 2.0]\nw = 1.0\ny = square(x)\ng = grad(y, w)\ne = g + grad(y, x)"))
    assert "at g: the gradient is zero: no path leads from 'w' to 'y'." in found.notes
    assert any("the gradient of the sum of its elements" in note for note in found.notes)
    assert trace(parse("x = 1.0\ny = square(x)\ng = grad(y, x)")).notes == ()


def test_the_runs_and_residuals_of_a_gradient_are_its_own():
    """In a region it runs once more; what is kept inside it is kept by it, not by the nodes that it runs."""
    text = "x = 0.7\nm = sin(x)\ny = m * x\nwith checkpoint('r'):\n"
    text += "    g = grad(y, x)\n    k = square(g)\nz = k * m"
    found = trace(parse(text))
    assert (found.runs["g"].forward, found.runs["g"].backward) == (1, 1)
    assert (found.runs["m"].forward, found.runs["m"].backward) == (1, 0)
    kept = {residual.producer for residual in found.residuals}
    assert kept <= {"x", "m", "k", "g", ""}


def test_a_gradient_without_a_path_stays_in_a_sweep_of_its_z():
    found = sweep(trace(parse("x = 1.0\ny = 2.0\ng = grad(x, y)\nout = g + x")), "x", [1.0, 4.0])
    np.testing.assert_allclose(found.value["out"], [1.0, 4.0])
    np.testing.assert_allclose(found.gradient, [1.0, 1.0])
    assert "g" not in found.swept
    assert found.value["g"] == 0.0


# By name: a graph, and d out/dx, worked out by hand; all numbers are exact in bfloat16 (8 binary digits).
EXACT = {
    # (x^3)' = 3 x^2, and its slope 6 x = 9
    "one derivative": ("x = 1.5\nz = x * x * x\nout = grad(z, x)", 9.0),
    # x^4: 12 x^2, whose slope is 24 x = 36
    "two": ("x = 1.5\nz = square(square(x))\ng = grad(z, x)\nout = grad(g, x)", 36.0),
    "under a stop": ("x = 1.5\nz = x * stop_gradient(x * x)\nout = grad(z, x) * x", 2.25),
    # (1/2) 2 x = x, whose slope is 1
    "under a scale": ("x = 1.5\nz = scale_gradient(square(x), 0.5)\nout = grad(z, x)", 1.0),
    # straight-through: g = 2 round(x), whose slope by the rule is 2
    "straight through": ("x = 1.75\nq = backward_as(round(x), x)\nz = square(q)\nout = grad(z, x)", 2.0),
    # dz/dx is declared to be x, whose slope is 1
    "under a declared derivative": (
        "x = 0.5\nz = custom(square(x), pullback=lambda v, x, y: v * x)\nout = grad(z, x)",
        1.0,
    ),
    # 2 * 2 u with u = x; its slope by u is 4, which the rule doubles
    "under a rewritten cotangent": (
        "x = 1.5\nz = square(rewrite(x, lambda v: v * 2.0))\nout = grad(z, x)",
        8.0,
    ),
    "in a region": (
        "x = 1.5\nwith checkpoint('r'):\n    m = square(x)\n    z = m * x\nout = grad(z, x)",
        9.0,
    ),
}


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64"])
@pytest.mark.parametrize("name", EXACT)
def test_in_every_dtype_a_second_derivative_of_short_numbers_is_exact(name, dtype):
    text, wanted = EXACT[name]
    found = trace(parse(text), dtype=dtype)
    assert found.gradient["x"].dtype == found.dtype
    assert float(found.gradient["x"]) == wanted
    assert verify(found).agrees


# By name: a graph, the same function of x in plain JAX, and x at a corner.
CORNERS = {
    "the root at 0": ("z = sqrt(x)\nout = grad(z, x)", lambda x: jax.grad(jnp.sqrt)(x), 0.0),
    "a branch not taken": (
        "z = where(x > 0.0, sqrt(x), 0.0)\nout = grad(z, x)",
        lambda x: jax.grad(lambda x: jnp.where(x > 0.0, jnp.sqrt(x), 0.0))(x),
        0.0,
    ),
    "a product of 0 and infinity": (
        "z = x * log(x)\nout = grad(z, x) * x",
        lambda x: jax.grad(lambda x: x * jnp.log(x))(x) * x,
        0.0,
    ),
    "twice": (
        "z = sqrt(x)\ng = grad(z, x)\nout = grad(g, x)",
        lambda x: jax.grad(jax.grad(jnp.sqrt))(x),
        0.0,
    ),
    "a tie": (
        "z = maximum(x, 0.0) * x\nout = grad(z, x)",
        lambda x: jax.grad(lambda x: jnp.maximum(x, 0.0) * x)(x),
        0.0,
    ),
    "an overflow": (
        "z = exp(exp(x))\nout = grad(z, x)",
        lambda x: jax.grad(lambda x: jnp.exp(jnp.exp(x)))(x),
        5.0,
    ),
}


@pytest.mark.parametrize("name", CORNERS)
def test_at_a_corner_value_and_slope_of_a_gradient_are_those_of_plain_jax(name):
    text, function, at = CORNERS[name]
    found = trace(parse(f"x = {at}\n{text}"))
    with np.errstate(all="ignore"):
        value, slope = function(jnp.float32(at)), jax.grad(function)(jnp.float32(at))
    np.testing.assert_array_equal(found.value["out"], value)
    np.testing.assert_array_equal(found.gradient["x"], slope)


@pytest.mark.nightly
def test_many_grad_nodes_share_the_ops_that_a_graph_has_for_them():
    """Each may be a program of its own: 32 have 1,000 ops each, and 33 have 969."""
    chain = "x = 0.5\nz_0 = sin(x)\n" + "".join(f"z_{i} = sin(z_{i - 1})\n" for i in range(1, 500))

    def found(count):
        grads = "\n".join(f"g{i} = grad(z_499, x)" for i in range(count))
        return {problem.message for problem in problems(parse(chain + grads))}

    assert found(32) == set()
    assert min(found(33)) == (
        "'g0' needs more than 969 ops, forward and backward, which is the most for each of 33 grad nodes."
    )
