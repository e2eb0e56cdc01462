"""Generate random programs, each as a formula and as plain JAX: an explanation must hold for both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from jax.lax import stop_gradient

Array = Any
Draws = Mapping[str, Array]
"""By the name of its kind of noise and its seed, the unit draw."""


def _bent(pull: Callable[[Array], Array], x: Array) -> Array:
    """x, with a pullback of its own."""
    bent = jax.custom_vjp(lambda x: x)
    bent.defvjp(lambda x: (x, None), lambda _, v: (pull(v),))
    return bent(x)


# As a formula, and what it is in JAX. Slopes and values stay moderate, clear of poles and kinks.
OPS: dict[str, tuple[str, Callable[..., Array]]] = {
    "sin": ("sin({})", jnp.sin),
    "cos": ("cos({})", jnp.cos),
    "tanh": ("tanh({})", jnp.tanh),
    "sigmoid": ("sigmoid({})", jax.nn.sigmoid),
    "softplus": ("softplus({})", jax.nn.softplus),
    "wave": ("exp(sin({}))", lambda x: jnp.exp(jnp.sin(x))),
    "bump": ("sqrt(1.5 + cos({}))", lambda x: jnp.sqrt(1.5 + jnp.cos(x))),
    "mean": ("mean({})", jnp.mean),
    "add": ("({} + {})", jnp.add),
    "sub": ("({} - {})", jnp.subtract),
    "mul": ("(tanh({}) * {})", lambda a, b: jnp.tanh(a) * b),
}
UNARY = tuple(name for name, (text, _) in OPS.items() if text.count("{}") == 1)
RULES: dict[str, tuple[str, Callable[[Array], Array]]] = {
    "": ("{}", lambda x: x),
    "stop": ("stop_gradient({})", stop_gradient),
    "scale": ("scale_gradient({}, -0.5)", partial(_bent, lambda v: -0.5 * v)),
    "rewrite": (
        "rewrite({}, lambda v: clip(v, -0.25, 0.25))",
        partial(_bent, lambda v: jnp.clip(v, -0.25, 0.25)),
    ),
    "through": ("backward_as(round(3.0 * {0}), {0})", lambda x: stop_gradient(jnp.round(3.0 * x) - x) + x),
}


def _dropped(x: Array, unit: Array) -> Array:
    return jnp.where(unit < 0.7, x / 0.7, 0.0)


NOISE: dict[str, tuple[str, Callable[[Array, Array], Array]]] = {
    "normal": ("normal(shape=(2,), mean=0.5, scale=2.0, seed={1})", lambda x, unit: 0.5 + 2.0 * unit),
    "uniform": ("uniform(shape=(2,), low=-1.0, high=3.0, seed={1})", lambda x, unit: -1.0 + 4.0 * unit),
    "dropout": (
        "dropout({0} + [0.0, 0.0], rate=0.3, seed={1})",
        lambda x, unit: jnp.where(unit < 0.7, x / 0.7, 0.0),
    ),
}
AGAIN = {"add": "({1} + {0})", "sub": "(-{1} + {0})", "mul": "({1} * tanh({0}))"}
"""The same in other words, with the same numbers and gradients."""


@dataclass(frozen=True)
class Step:
    """One line of a program: an op of earlier lines, perhaps in other words, with a rule; or noise."""

    op: str
    reads: tuple[str, ...]
    rule: str = ""
    again: bool = False
    seed: int = 0

    @property
    def text(self) -> str:
        """The right side of the line."""
        if self.op in NOISE:
            return NOISE[self.op][0].format(self.reads[0], self.seed)
        plain = AGAIN.get(self.op, OPS[self.op][0]) if self.again else OPS[self.op][0]
        return RULES[self.rule][0].format(plain.format(*self.reads))

    def run(self, found: Mapping[str, Array], draws: Draws) -> Array:
        """The value in JAX."""
        read = [found[name] for name in self.reads]
        if self.op in NOISE:
            return NOISE[self.op][1](read[0], draws[f"{self.op} {self.seed}"])
        return RULES[self.rule][1](OPS[self.op][1](*read))


@dataclass(frozen=True)
class Program:
    """Lines n0, n1, ... over the inputs x, a number, and w, two numbers; the output is their sum."""

    steps: tuple[Step, ...]
    x: float = 0.4
    w: tuple[float, float] = (0.7, -1.1)

    @property
    def text(self) -> str:
        """As a formula."""
        lines = [f"n{i} = {step.text}" for i, step in enumerate(self.steps)]
        return "\n".join(
            [f"x = {self.x}", f"w = {[*self.w]}", *lines, f"out = sum(n{len(lines) - 1} + w) * x"]
        )

    def run(self, x: Array, w: Array, draws: Draws) -> Array:
        """As plain JAX, with these draws."""
        found = {"x": x, "w": w}
        for i, step in enumerate(self.steps):
            found[f"n{i}"] = step.run(found, draws)
        return jnp.sum(found[f"n{len(self.steps) - 1}"] + w) * x

    @property
    def inputs(self) -> tuple[Array, Array]:
        """x and w."""
        return jnp.asarray(self.x), jnp.asarray(self.w)


@st.composite
def programs(draw: DrawFn, noise: bool = False) -> Program:
    """A program; with noise, its first lines are random."""
    steps: list[Step] = []
    for kind in draw(st.lists(st.sampled_from([*NOISE]), min_size=1, max_size=3)) if noise else ():
        steps.append(Step(kind, (draw(st.sampled_from(["x", "w"])),), seed=draw(st.integers(1, 2))))
    for _ in range(draw(st.integers(2, 6))):
        names = ["x", "w", *(f"n{i}" for i in range(len(steps)))]
        late = [names[-1]] if steps else names  # most lines go on from the one before
        op = draw(st.sampled_from([*OPS]))
        count = 1 if op in UNARY else 2
        reads = tuple(draw(st.sampled_from(late if i == 0 else names)) for i in range(count))
        steps.append(Step(op, reads, draw(st.sampled_from(["", "", "", *RULES]))))
    return Program(tuple(steps))


@st.composite
def changed(draw: DrawFn, program: Program) -> Program:
    """The program with one or two lines changed: another rule, another op, another number, or the same in
    other words."""
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(program.steps) - 1))
        step, how = program.steps[at], draw(st.sampled_from(["rule", "rule", "op", "words", "number"]))
        if how == "number":
            program = replace(program, x=draw(st.sampled_from([0.4, 0.5, -0.9])))
            continue
        if how == "rule":
            step = replace(step, rule=draw(st.sampled_from([*RULES])))
        elif how == "words":
            step = replace(step, again=not step.again)
        elif step.op in UNARY:
            step = replace(step, op=draw(st.sampled_from(UNARY)))
        program = replace(program, steps=(*program.steps[:at], step, *program.steps[at + 1 :]))
    return program
