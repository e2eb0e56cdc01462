"""Test a law: a JAX function that is read as text and one that is traced have the same values and gradients.

Neither side knows the other's way: `av.read` looks at the syntax tree, `av.from_function` at the jaxpr.
"""

from __future__ import annotations

import ast
import random
import warnings
from functools import partial

import jax
import numpy as np
import pytest

import autodiff_viz as av
from tests.reading.grid.compare import differs
from tests.reading.grid.outcomes import known_wrong, names
from tests.reading.grid.rows import Call
from tests.reading.grid.texts import ARRAYS, of_call
from tests.seeds import seeded
from tests.thorough import by_day

BEGIN = "import jax\nimport jax.numpy as jnp\nfrom jax import lax\nimport jax.scipy\n"


def is_of_m(call: Call) -> bool:
    """Return whether a call is a function of m alone that is differentiated, and not known to be wrong."""
    read = {one.id for one in ast.walk(ast.parse(call.code)) if isinstance(one, ast.Name)}
    wrong = any(case.name in known_wrong() for case in of_call(call))
    return call.slope and read & {*ARRAYS} == {"m"} and not wrong


CALLS = [call.code for calls in names("jax").values() for call in calls if is_of_m(call)]
ELEMENTWISE = [
    calls[0].code.replace("(x)", "({})")
    for calls in names("jax").values()
    if calls[0].code.endswith("(x)") and not any(case.name in known_wrong() for case in of_call(calls[0]))
]


def composition(seed: int) -> str:
    """Return the body of a random function of m."""
    draw = random.Random(seed)
    lines, made = [], ["m"]
    for i in range(draw.randint(2, 4)):
        value = draw.choice(ELEMENTWISE).format(draw.choice(made))
        lines.append(f"v{i} = {value} {draw.choice('+-*')} {draw.choice(made)}")
        made.append(f"v{i}")
    return "\n    ".join([*lines, f"return {made[-1]}"])


def room(values: np.ndarray) -> np.ndarray:
    """Return how far two of these may be apart.

    A composition is rounded at each of its steps, and of terms of about 1 that cancel, as in the gradient of
    sum(softmax(m)), 1e-7 is left.
    """
    return 1e-5 * np.abs(values) + 1e-6


def apart(body: str) -> str | None:
    """Return how a function read and a function traced differ; None if one of both is refused."""
    definition = f"{BEGIN}def f(m):\n    {body}\nm = jnp.array({ARRAYS['m']})\n"
    try:
        reading = av.read(f"{definition}y = f(m)\ng = jax.grad(lambda m: jnp.sum(f(m)))(m)\n")
        if reading.refused:
            return None
        values = reading.values()
        of_text: dict = {}
        with jax.enable_x64(False), jax.numpy_dtype_promotion("standard"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(definition, "law", "exec"), of_text)  # a text of ours
            graph = av.from_function(of_text["f"], of_text["m"])
        trace = av.trace(graph)
    except (av.GraphError, AttributeError, TypeError, ValueError):  # refused by either, or by JAX itself
        return None
    traced = {"y": trace.value[graph.output], "g": trace.gradient["m"]}
    found = {
        name: differs(values[name], value, partial(room, values[name]), elementwise=False)
        for name, value in traced.items()
    }
    return "; ".join(f"{name}: {told}" for name, told in found.items() if told)


@pytest.mark.longer
def test_a_name_that_is_read_is_what_is_traced():
    found = {code: apart(f"return {code}") for code in by_day(CALLS, 30)}
    assert {code: told for code, told in found.items() if told} == {}
    assert sum(told == "" for told in found.values()) > len(found) // 2


@pytest.mark.longer
def test_a_composition_that_is_read_is_what_is_traced():
    found = {seed: apart(composition(seeded(seed))) for seed in by_day(range(100), 14)}
    assert {composition(seeded(seed)): told for seed, told in found.items() if told} == {}
    assert sum(told == "" for told in found.values()) > len(found) // 2


def test_the_law_tells_a_function_from_another(monkeypatch):
    monkeypatch.setattr(av, "read", lambda text, read=av.read: read(text.replace("sinh", "sin")))
    assert apart("return jnp.sinh(m)").startswith("y: ")
