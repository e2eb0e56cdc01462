"""Write a call of the grid as a text that its library runs and the reader reads: the same for both."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.reading.grid.rows import Call, calls

_POINTS = [0.0, -0.0, 1e-20, -1e-20, 1e-4, -1e-4, 0.5, -0.5, 0.9, 1.0, -1.0, 2.5, -2.5, 3.0, -3.0, 6.0, 20.0]
_POINTS += [-20.0, 100.0, -100.0, 1e20, -1e20, 1e25, -1e25]
_PAIRED = [0.0, -0.0, 1e-20, 0.5, -0.5, 1.0, -1.0, 2.0, 3.0, -3.0, 1e20, -1e20]
_ODD = ["nan", "inf", "-inf", 0.0, 1.0, -2.0]

Nested = float | int | bool | str | list


def _pairs(values: list) -> tuple[list, list]:
    return [one for one in values for _ in values], values * len(values)


ARRAYS: dict[str, Nested] = {
    "x": _POINTS,
    "a": _pairs(_PAIRED)[0],
    "b": _pairs(_PAIRED)[1],
    "m": [[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]],
    "k": [[1.0, 1.0, -2.0], [0.0, 3.0, 3.0]],  # with ties
    "o": [[0.0, 2.0, 0.0], [0.0, 0.0, 0.0]],  # with zeros
    "p": [[0.25, 0.5, 0.75], [0.125, 1.0, 0.375]],  # of (0, 1]
    "q": [[0.5, 0.25, 0.25], [0.125, 0.0, 1.0]],  # of [0, 1], with the ends
    "c": [[0.5], [-2.0]],
    "r": [1.5, -0.5, 2.0],
    "v": [3.0, -1.0, 0.5],
    "e": [2.0, 1.0, 2.0, 2.0, -1.0, 1.0],
    "s": [[2.0, 1.0, 0.5], [-1.0, 3.0, 0.25], [0.5, -0.5, 1.5]],
    "d": [[4.0, 1.0, 0.5], [1.0, 3.0, -0.5], [0.5, -0.5, 2.0]],  # symmetric, positive definite
    "t": [[[0.5 * i - j + 0.25 * k * k for k in range(4)] for j in range(3)] for i in range(2)],
    "l": 0.75,
    "h": [[[[0.5 * i - 0.25 * j * j + 0.125 * k * m - 0.3 * k for m in range(4)] for k in range(4)]
           for j in range(2)] for i in range(2)],  # a batch of 2 images with 2 channels
    "i": [0, 2, 1],
    "j": [1, -2, 3],
    "n": [[0, 2], [1, 0]],
    "f": [[True, False, True], [False, False, True]],
    "g": [False, True, True],
}  # fmt: skip
"""The arrays that calls are made with, by the letter that stands for each."""

ODD = {"x": _ODD, "a": _pairs(_ODD)[0], "b": _pairs(_ODD)[1]}
"""The same with numbers that are not finite; calls with these letters are made twice."""

POINTS = [0.0, 1e-4, 0.5, -0.5, 1.0, -1.0, 2.5, -3.0, 20.0]
"""The points of `math`, whose functions take numbers."""


@dataclass(frozen=True)
class Case:
    """A text with what it answers.

    Attributes:
      call: what it was made from.
      text: to run and to read.
      values: names of the text whose numbers are compared.
      answers: names that it is differentiated by, where the reader gives these as answers.
      odd: whether some numbers are not finite.
    """

    call: Call
    text: str
    values: tuple[str, ...]
    answers: tuple[str, ...] = ()
    odd: bool = False

    @property
    def elementwise(self) -> bool:
        """Whether it is about points, of which each is a case of its own."""
        return bool({"x", "a"} & _letters(self.call.code))

    @property
    def name(self) -> str:
        """The case by the code that it is about."""
        odd = " outside" if self.call.dialect == "math" else " at nan and inf"
        return f"{self.call.dialect}: {self.call.code}{odd if self.odd else ''}"


def cases(dialect: str) -> list[Case]:
    """Return all cases of a dialect, also those of functions that the reader does not know."""
    return [case for call in calls(dialect) for case in of_call(call)]


def of_call(call: Call) -> Iterator[Case]:
    """Yield the cases of a call."""
    letters = sorted(_letters(call.code))
    if call.dialect == "math":
        if letters == ["x"]:
            yield from _of_math(call)
        return
    write = WRITERS[call.dialect]
    yield write(call, {one: ARRAYS[one] for one in letters}, False)
    if {"x", "a"} & {*letters}:
        yield write(call, {one: ODD.get(one, ARRAYS[one]) for one in letters}, True)


def _letters(code: str) -> set[str]:
    tree = ast.parse(code, mode="eval")
    bound = {arg.arg for one in ast.walk(tree) if isinstance(one, ast.Lambda) for arg in one.args.args}
    return ({one.id for one in ast.walk(tree) if isinstance(one, ast.Name)} - bound) & {*ARRAYS}


def _of_math(call: Call) -> Iterator[Case]:
    """Yield what `math` answers at all points where it does, and one case at which it raises an error."""
    given, raised = [], []
    for point in POINTS:
        try:
            eval(call.code, {"math": math, "x": point})  # a line of `functions.rows.txt`
            given.append(point)
        except (ValueError, OverflowError, ZeroDivisionError):
            raised.append(point)
        except (AttributeError, TypeError):
            raised.append(point)
            break
    for points in (given, raised[:1]):
        values = ", ".join(re.sub(r"\bx\b", repr(point), call.code) for point in points)
        text = f"import math\nimport numpy as np\ny = np.array([{values}]) * 1.0\n"
        if points:
            yield Case(call, text, ("y",), (), points is not given)


def _differentiated(call: Call, arrays: dict[str, Nested]) -> list[str]:
    return [letter for letter, value in arrays.items() if call.slope and _first(value) is float]


def _first(value: Nested) -> type:
    while isinstance(value, list):
        value = value[0]
    return float if isinstance(value, str) else type(value)


def _written(value: Nested, module: str) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_written(one, module) for one in value)}]"
    if isinstance(value, str):
        return f"{'-' * value.startswith('-')}{module}.{value.lstrip('-')}"
    return repr(value)


WEIGHTS = "{module}.arange(1.0, y.size + 1.0).reshape(y.shape)"
"""What the cotangent of each element is, so that no two are alike."""


def _of_jax(call: Call, arrays: dict[str, Nested], odd: bool) -> Case:
    by = _differentiated(call, arrays)
    text = "import jax\nimport jax.numpy as jnp\nfrom jax import lax\n" + "import jax.scipy\n" * (
        "jax.scipy" in call.code
    )
    text += "".join(f"{one} = jnp.array({_written(value, 'jnp')})\n" for one, value in arrays.items())
    text += f"y = {call.code}\n"
    if by:
        names, places = ", ".join(by), ", ".join(map(str, range(len(by))))
        weighted = f"jnp.sum({call.code} * {WEIGHTS.format(module='jnp')})"
        made = ", ".join(f"g_{one}" for one in by)
        text += f"{made}, = jax.grad(lambda {names}: {weighted}, ({places},))({names})\n"
    return Case(call, text, ("y", *(f"g_{one}" for one in by)), (), odd)


def _of_numpy(call: Call, arrays: dict[str, Nested], odd: bool) -> Case:
    by = _differentiated(call, arrays) if call.dialect == "autograd" else []
    begin = "import numpy as np\n" if call.dialect == "numpy" else "import autograd.numpy as np\n"
    if call.code.startswith("scipy."):
        module = call.code.partition("(")[0].rpartition(".")[0]
        begin += f"import {'autograd.' * (call.dialect == 'autograd')}{module}\n".replace(
            "import autograd.scipy", "import autograd.scipy as scipy\nimport autograd.scipy"
        )
    text = begin + ("from autograd import grad\n" if by else "")
    text += "".join(f"{one} = np.array({_written(value, 'np')})\n" for one, value in arrays.items())
    text += f"y = {call.code}\n"
    for i, one in enumerate(by):
        names = ", ".join(by)
        weighted = f"np.sum({call.code} * {WEIGHTS.format(module='np')})"
        text += f"g_{one} = grad(lambda {names}: {weighted}, {i})({names})\n"
    return Case(call, text, ("y", *(f"g_{one}" for one in by)), (), odd)


DRAWS = re.compile(r"rand|nn\.[A-Z]|nn\.init|bernoulli|normal|multinomial|poisson|uniform|gumbel|dropout")
"""Calls of PyTorch that draw numbers."""

NOT_FINITE = {"nan": (-1.0, 1.0), "inf": (0.0, -1.0), "-inf": (0.0, 1.0)}
"""What is no literal of the reader's tensors, as a logarithm and its factor."""


def _of_torch(call: Call, arrays: dict[str, Nested], odd: bool) -> Case:
    by = _differentiated(call, arrays)
    text = "import torch\n" + "torch.manual_seed(0)\n" * bool(DRAWS.search(call.code))
    for one, value in arrays.items():
        finite, more = _split(value)
        grad = ", requires_grad=True" if one in by else ""
        name = f"{one}0" if more else one
        text += f"{name} = torch.tensor({_written(finite, 'torch')}{grad})\n"
        if more:
            text += f"{one} = {name} + torch.log(torch.tensor({more[0]})) * torch.tensor({more[1]})\n"
    text += f"y = {call.code}\n"
    if by:
        text += "(y * torch.arange(1.0, y.numel() + 1.0).reshape(y.shape)).sum().backward()\n"
    answers = tuple(f"{one}0" if _split(arrays[one])[1] else one for one in by)
    return Case(call, text, ("y",), answers, odd)


def _split(value: Nested) -> tuple[Nested, tuple[list, list] | None]:
    """Return a list without what is not finite, and of that the logarithms and factors."""
    if not isinstance(value, list) or not any(isinstance(one, str) for one in value):
        return value, None
    pairs = [NOT_FINITE.get(one, (1.0, 1.0)) if isinstance(one, str) else (1.0, 1.0) for one in value]
    finite = [0.0 if isinstance(one, str) else one for one in value]
    return finite, ([one[0] for one in pairs], [one[1] for one in pairs])


def _of_tensorflow(call: Call, arrays: dict[str, Nested], odd: bool) -> Case:
    by = _differentiated(call, arrays)
    text = "import tensorflow as tf\n" + "import keras\n" * call.name.startswith("keras.")
    for one, value in arrays.items():
        finite, more = _split(value)
        text += f"{one} = tf.constant({_written(finite, 'tf')})\n"
        if more:
            text += f"{one} = {one} + tf.math.log(tf.constant({more[0]})) * tf.constant({more[1]})\n"
    if not by:
        return Case(call, f"{text}y = {call.code}\n", ("y",), (), odd)
    text += "with tf.GradientTape(persistent=True) as tape:\n"
    text += "".join(f"    tape.watch({one})\n" for one in by)
    text += f"    y = {call.code}\n"
    text += (
        "    loss = tf.reduce_sum(y * tf.reshape(tf.cumsum(tf.ones_like(tf.reshape(y, [-1]))), y.shape))\n"
    )
    text += "".join(f"g_{one} = tape.gradient(loss, {one})\n" for one in by)
    return Case(call, text, ("y", *(f"g_{one}" for one in by)), (), odd)


WRITERS = {
    "jax": _of_jax,
    "numpy": _of_numpy,
    "autograd": _of_numpy,
    "torch": _of_torch,
    "tf": _of_tensorflow,
}
