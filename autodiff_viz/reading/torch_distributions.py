"""Read `torch.distributions`: log-chances, entropies and draws of a few distributions."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autodiff_viz.reading.arrays import expand, shape_of
from autodiff_viz.reading.interpreter import Interpreter
from autodiff_viz.reading.torch_elements import clamp
from autodiff_viz.reading.torch_places import gather
from autodiff_viz.reading.torch_shapes import broadcast_to, squeeze_plain
from autodiff_viz.reading.torch_tensors import TORCH, Ops, detach, tensor
from autodiff_viz.reading.values import Array, Native, Refused


@dataclass(eq=False)
class Distribution:
    """What a distribution of the text is: its name and its parameters."""

    name: str
    fields: dict[str, Any]


def _normal(r: Interpreter, loc: Any, scale: Any, validate_args: Any = None) -> Distribution:
    return Distribution("Normal", {"loc": tensor(r, loc), "scale": tensor(r, scale)})


def _chances(name: str) -> Callable[..., Distribution]:
    def make(
        r: Interpreter, probs: Any = None, logits: Any = None, validate_args: Any = None
    ) -> Distribution:
        if (probs is None) is (logits is None):
            raise Refused("Either probs or logits must be specified, but not both.")
        o = Ops(r)
        if name == "Bernoulli":
            if logits is None:
                probs = tensor(r, probs)
                # The logarithms are those of chances that PyTorch keeps apart from 0 and 1.
                kept = clamp(r, probs, 1.1920928955078125e-07, 1 - 1.1920928955078125e-07)
                logits = o.sub(o.log(kept), o.log1p(o.neg(kept)))
            else:
                logits = tensor(r, logits)
                probs = o.sigmoid(logits)
            return Distribution(name, {"probs": probs, "logits": logits})
        if logits is None:
            probs = o.div(probs, o.sum(probs, axis=-1, keepdims=True))
            logits = o.log(clamp(r, probs, 1.1920928955078125e-07, 1 - 1.1920928955078125e-07))
        else:
            logits = o.sub(logits, o.logsumexp(logits, axis=-1, keepdims=True))
            probs = o.softmax(logits, axis=-1)
        return Distribution(name, {"probs": probs, "logits": logits})

    return make


for _begin in ("torch.distributions", "torch.distributions.normal"):
    TORCH[f"{_begin}.Normal"] = _normal
for _name in ("Categorical", "Bernoulli"):
    for _begin in ("torch.distributions", f"torch.distributions.{_name.lower()}"):
        TORCH[f"{_begin}.{_name}"] = _chances(_name)


def log_prob(r: Interpreter, d: Distribution, value: Any) -> Array:
    """Return the logarithm of the chance or the density of a value."""
    o, f, value = Ops(r), d.fields, tensor(r, value)
    if d.name == "Normal":
        square = o.div(o.square(o.sub(value, f["loc"])), o.mul(2.0, o.square(f["scale"])))
        return o.sub(o.sub(o.neg(square), o.log(f["scale"])), math.log(math.sqrt(2 * math.pi)))
    if d.name == "Bernoulli":
        return o.neg(o.sigmoid_binary_cross_entropy(f["logits"], value))
    logits = f["logits"]
    places = expand(r, value, -1)
    if len(shape_of(r, places)) > len(shape_of(r, logits)):
        logits = broadcast_to(r, logits, (*shape_of(r, value), shape_of(r, logits)[-1]))
    return squeeze_plain(r, gather(r, logits, -1, places), -1)


def entropy(r: Interpreter, d: Distribution) -> Array:
    """Return the entropy."""
    o, f = Ops(r), d.fields
    if d.name == "Normal":
        return o.add(0.5 + 0.5 * math.log(2 * math.pi), o.log(f["scale"]))
    if d.name == "Bernoulli":
        return o.sigmoid_binary_cross_entropy(f["logits"], f["probs"])
    return o.neg(o.sum(o.mul(f["logits"], f["probs"]), axis=-1))


def rsample(r: Interpreter, d: Distribution, sample_shape: Any = ()) -> Array:
    """Return a draw, through which the gradient passes to the parameters."""
    if d.name != "Normal":
        raise Refused(
            "What this draws depends on PyTorch's machine.", "Write the sample as a tensor.", "drawn"
        )
    o, f = Ops(r), d.fields
    shape = (*tuple(sample_shape), *shape_of(r, o.add(f["loc"], f["scale"])))
    return o.add(f["loc"], o.mul(TORCH["torch.randn"](r, shape), f["scale"]))


METHODS: dict[str, Callable[..., Any]] = {
    "log_prob": log_prob,
    "entropy": entropy,
    "rsample": rsample,
    "sample": lambda r, d, sample_shape=(): detach(r, rsample(r, d, sample_shape)),
}


def attribute(r: Interpreter, d: Distribution, name: str, node: ast.AST) -> Any:
    """Return a parameter or a method of a distribution."""
    names = {"mean": "loc", "stddev": "scale"} if d.name == "Normal" else {"mean": "probs"}
    if names.get(name, name) in d.fields:
        return d.fields[names.get(name, name)]
    if name not in METHODS:
        raise Refused(f"A distribution has no {name!r} that is read.", at=node)
    return Native(lambda _, args, keywords: METHODS[name](r, d, *args, **keywords), name)


def kl_divergence(r: Interpreter, p: Distribution, q: Distribution) -> Array:
    """Read the divergence of two distributions of one kind."""
    o, a, b = Ops(r), p.fields, q.fields
    if p.name != q.name or p.name == "Bernoulli":
        raise Refused("kl_divergence() is read of two Normal or two Categorical distributions.")
    if p.name == "Categorical":
        return o.sum(o.mul(a["probs"], o.sub(a["logits"], b["logits"])), axis=-1)
    ratio = o.square(o.div(a["scale"], b["scale"]))
    apart = o.square(o.div(o.sub(a["loc"], b["loc"]), b["scale"]))
    return o.mul(0.5, o.sub(o.sub(o.add(ratio, apart), 1.0), o.log(ratio)))


for _begin in ("torch.distributions", "torch.distributions.kl"):
    TORCH[f"{_begin}.kl_divergence"] = kl_divergence


def install(r: Interpreter) -> None:
    """Teach an interpreter distributions."""
    r.handlers.attribute[Distribution] = attribute
