"""Register the initializers of parameters, with their names in `jax.nn.initializers`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from jax import Array
from jax.nn import initializers


@dataclass(frozen=True, slots=True)
class Initializer:
    """One initializer.

    Attributes:
      name: in a formula, and in `jax.nn.initializers`.
      doc: one line, with a full stop.
      draw: JAX's initializer, a function of a key, a shape and a dtype.
      source: the same as an expression of `jax`.
      rank: least number of axes; initializers that count inputs and outputs need two.
    """

    name: str
    doc: str
    draw: Callable[..., Array]
    source: str
    rank: int = 0


def _fan(name: str, doc: str) -> Initializer:
    """Make the record of an initializer that depends on fan-in (rows) and fan-out (columns)."""
    return Initializer(name, doc, getattr(initializers, name)(), f"jax.nn.initializers.{name}()", rank=2)


_ALL = (
    Initializer("zeros", "All 0.", initializers.zeros, "jax.nn.initializers.zeros"),
    Initializer("ones", "All 1.", initializers.ones, "jax.nn.initializers.ones"),
    Initializer(
        "normal", "Bell curve, deviation 0.01.", initializers.normal(), "jax.nn.initializers.normal()"
    ),
    Initializer("uniform", "Evenly from 0 to 0.01.", initializers.uniform(), "jax.nn.initializers.uniform()"),
    _fan("lecun_normal", "Cut bell curve, variance 1/inputs: for selu and as Flax's default."),
    _fan("lecun_uniform", "Even, variance 1/inputs."),
    _fan("glorot_normal", "Cut bell curve, variance 2/(inputs + outputs): for tanh and sigmoid."),
    _fan("glorot_uniform", "Even, variance 2/(inputs + outputs); also named after Xavier Glorot."),
    _fan("he_normal", "Cut bell curve, variance 2/inputs: for relu; also named after Kaiming He."),
    _fan("he_uniform", "Even, variance 2/inputs: for relu."),
    _fan("orthogonal", "A rotation or a part of one: lengths are kept."),
)

INITIALIZERS: Mapping[str, Initializer] = MappingProxyType({one.name: one for one in _ALL})


def usual(shape: tuple[int, ...]) -> str:
    """Return the default initializer of a parameter's shape, by name.

    As in Flax, matrices and kernels have `lecun_normal`, biases `zeros`.
    """
    return "lecun_normal" if len(shape) >= 2 else "zeros"
