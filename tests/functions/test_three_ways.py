"""Test random functions of JAX three ways: read as text, by their equations, and run by JAX itself."""

import random

import jax.numpy as jnp
import numpy as np
import pytest

import autodiff_viz as av
from tests.seeds import seeded

ONE = (
    *(
        "jnp.sin({a})",
        "jnp.cos({a})",
        "jnp.tanh({a})",
        "jnp.exp(-{a} ** 2)",
        "jnp.sqrt({a} * {a} + 1.0)",
        "-{a}",
    ),
    *(
        "jax.nn.softplus({a})",
        "jax.nn.sigmoid({a})",
        "jax.nn.relu({a})",
        "jnp.log1p({a} ** 2)",
        "{a} ** 3 / 4.0",
    ),
    *(
        "jax.nn.softmax({a})",
        "jnp.cumsum({a})",
        "{a}[::-1]",
        "jnp.flip({a})",
        "jnp.square({a})",
        "jnp.abs({a})",
    ),
    *(
        "jax.lax.stop_gradient({a})",
        "{a} - jnp.mean({a})",
        "{a} / (1.0 + jnp.sum({a} ** 2))",
        "jnp.arctan({a})",
    ),
    *(
        "jnp.sinh({a})",
        "jnp.arcsinh(9.0 * {a})",
        "jnp.arccosh({a} ** 2 + 1.5)",
        "jax.scipy.special.erfc({a})",
    ),
    *("jnp.cbrt({a} + 4.0)", "jnp.log2({a} ** 2 + 1.0)", "jnp.exp2({a})", "jax.lax.rsqrt({a} ** 2 + 1.0)"),
    *(
        "jnp.where({a} > 0.1, {a}, 0.5 * {a})",
        "jnp.clip({a}, -0.8, 0.9)",
        "jnp.clip({a}, min=-0.8, max=0.9)",
        "m @ {a}",
        "{a} @ m",
        "jax.nn.gelu({a})",
    ),
    *(
        "jax.checkpoint(lambda t: jnp.sin(t) * t)({a})",
        "jnp.concatenate([{a}[1:], {a}[:1]])",
        "{a}.at[0].set(0.3)",
    ),
    # A norm of 0 has no slope, of which JAX makes NaN, and "{a} - {b}" may be all 0: here none is.
    *("jnp.linalg.norm({a} + 3.7) * {a}", "jax.nn.logsumexp({a}) - {a}"),
    *("jnp.max({a}) + {a}", "jnp.sort({a})"),
)
TWO = (
    *("{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} / ({b} ** 2 + 1.0)", "jnp.maximum({a}, {b})"),
    *("jnp.minimum({a}, {b})", "jnp.dot({a}, {b}) * {a}", "jnp.outer({a}, {b}).sum(axis=0)"),
    *("jnp.where({a} > {b}, {a}, {b} * 2.0)", "jnp.stack([{a}, {b}]).mean(axis=0)"),
    *("jnp.arctan2({a}, {b} ** 2 + 1.0)", "jnp.hypot({a}, {b} ** 2 + 1.0)", "jnp.logaddexp({a}, {b})"),
)
LINES = 7
SEEDS = range(300)


def program(seed: int) -> str:
    """A text that differentiates a random function of two vectors."""
    draw = random.Random(seeded(seed))

    def numbers(count: int) -> str:
        return "[" + ", ".join(f"{draw.uniform(-1.5, 1.5):.3f}" for _ in range(count)) + "]"

    names, lines = ["x", "w"], []
    for i in range(LINES):
        pattern = draw.choice(ONE + TWO * 2)
        lines.append(f"    v{i} = " + pattern.format(a=draw.choice(names[-3:]), b=draw.choice(names)))
        names.append(f"v{i}")
    return "\n".join(
        [
            "import jax",
            "import jax.numpy as jnp",
            f"m = jnp.array([{', '.join(numbers(3) for _ in range(3))}])",
            "def f(x, w):",
            *lines,
            f"    return jnp.sum({' + '.join(names[1:])})",
            f"x = jnp.array({numbers(3)})",
            f"w = jnp.array({numbers(3)})",
            "value, gradients = jax.value_and_grad(f, argnums=(0, 1))(x, w)",
        ]
    )


@pytest.mark.sampled(250)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_function_has_one_gradient_whichever_way_it_comes(seed):
    text = program(seed)
    names: dict = {}
    exec(text, names)
    value, gradients = names["value"], names["gradients"]

    reading = av.read(text)
    assert reading.refused == (), text
    answers = reading.answers()
    traced = av.trace(av.from_function(names["f"], names["x"], names["w"]))

    # Rounding is that of three orders of sums in float32. Where one has NaN, all have.
    room = {"rtol": 2e-4, "atol": 2e-5 * max(1.0, float(jnp.abs(jnp.stack(gradients)).max()))}
    np.testing.assert_allclose(traced.value[traced.graph.output], value, **room)
    for name, gradient in zip("xw", gradients, strict=True):
        np.testing.assert_allclose(answers[name], gradient, **room, err_msg=text)
        np.testing.assert_allclose(traced.gradient[name], gradient, **room, err_msg=text)
