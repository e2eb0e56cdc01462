"""Read `torch.distributions`: log-chances, entropies and draws of a few distributions."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from autodiff_viz.reading.functions.arrays import expand, shape_of
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import Array, Refused, method_of
from autodiff_viz.reading.tensors.torch_tensors import TORCH, Ops, detach, tensor
from autodiff_viz.reading.torch.elements import clamp
from autodiff_viz.reading.torch.places import gather
from autodiff_viz.reading.torch.shapes import broadcast_to, squeeze_plain


@dataclass(eq=False)
class Distribution:
    """What a distribution of the text is: its name and its parameters."""

    name: str
    fields: dict[str, Any]


def _normal(reader: Reader, loc: Any, scale: Any, validate_args: Any = None) -> Distribution:
    return Distribution("Normal", {"loc": tensor(reader, loc), "scale": tensor(reader, scale)})


def _chances(name: str) -> Callable[..., Distribution]:
    def make(
        reader: Reader, probs: Any = None, logits: Any = None, validate_args: Any = None
    ) -> Distribution:
        if (probs is None) is (logits is None):
            raise Refused("Either probs or logits must be specified, but not both.")
        o = Ops(reader)
        if name == "Bernoulli":
            if logits is None:
                probs = tensor(reader, probs)
                # The logarithms are those of chances that PyTorch keeps apart from 0 and 1.
                kept = clamp(reader, probs, 1.1920928955078125e-07, 1 - 1.1920928955078125e-07)
                logits = o.sub(o.log(kept), o.log1p(o.neg(kept)))
            else:
                logits = tensor(reader, logits)
                probs = o.sigmoid(logits)
            return Distribution(name, {"probs": probs, "logits": logits})
        if logits is None:
            probs = o.div(probs, o.sum(probs, axis=-1, keepdims=True))
            logits = o.log(clamp(reader, probs, 1.1920928955078125e-07, 1 - 1.1920928955078125e-07))
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


def log_prob(reader: Reader, d: Distribution, value: Any) -> Array:
    """Return the logarithm of the chance or the density of a value."""
    o, f, value = Ops(reader), d.fields, tensor(reader, value)
    if d.name == "Normal":
        square = o.div(o.square(o.sub(value, f["loc"])), o.mul(2.0, o.square(f["scale"])))
        return o.sub(o.sub(o.neg(square), o.log(f["scale"])), math.log(math.sqrt(2 * math.pi)))
    if d.name == "Bernoulli":
        return o.neg(o.sigmoid_binary_cross_entropy(f["logits"], value))
    logits = f["logits"]
    places = expand(reader, value, -1)
    if len(shape_of(reader, places)) > len(shape_of(reader, logits)):
        logits = broadcast_to(reader, logits, (*shape_of(reader, value), shape_of(reader, logits)[-1]))
    return squeeze_plain(reader, gather(reader, logits, -1, places), -1)


def entropy(reader: Reader, d: Distribution) -> Array:
    """Return the entropy."""
    o, f = Ops(reader), d.fields
    if d.name == "Normal":
        return o.add(0.5 + 0.5 * math.log(2 * math.pi), o.log(f["scale"]))
    if d.name == "Bernoulli":
        return o.sigmoid_binary_cross_entropy(f["logits"], f["probs"])
    return o.neg(o.sum(o.mul(f["logits"], f["probs"]), axis=-1))


def rsample(reader: Reader, d: Distribution, sample_shape: Any = ()) -> Array:
    """Return a draw, through which the gradient passes to the parameters."""
    if d.name != "Normal":
        raise Refused(
            "What this draws depends on PyTorch's machine.", "Write the sample as a tensor.", "drawn"
        )
    o, f = Ops(reader), d.fields
    shape = (*tuple(sample_shape), *shape_of(reader, o.add(f["loc"], f["scale"])))
    return o.add(f["loc"], o.mul(TORCH["torch.randn"](reader, shape), f["scale"]))


METHODS: dict[str, Callable[..., Any]] = {
    "log_prob": log_prob,
    "entropy": entropy,
    "rsample": rsample,
    "sample": lambda reader, d, sample_shape=(): detach(reader, rsample(reader, d, sample_shape)),
}


def attribute(reader: Reader, d: Distribution, name: str, node: ast.AST) -> Any:
    """Return a parameter or a method of a distribution."""
    names = {"mean": "loc", "stddev": "scale"} if d.name == "Normal" else {"mean": "probs"}
    if names.get(name, name) in d.fields:
        return d.fields[names.get(name, name)]
    methods = {key: partial(method, reader, d) for key, method in METHODS.items()}
    return method_of("A distribution", methods, name, node)


def kl_divergence(reader: Reader, p: Distribution, q: Distribution) -> Array:
    """Read the divergence of two distributions of one kind."""
    o, a, b = Ops(reader), p.fields, q.fields
    if p.name != q.name or p.name == "Bernoulli":
        raise Refused("kl_divergence() is read of two Normal or two Categorical distributions.")
    if p.name == "Categorical":
        return o.sum(o.mul(a["probs"], o.sub(a["logits"], b["logits"])), axis=-1)
    ratio = o.square(o.div(a["scale"], b["scale"]))
    apart = o.square(o.div(o.sub(a["loc"], b["loc"]), b["scale"]))
    return o.mul(0.5, o.sub(o.sub(o.add(ratio, apart), 1.0), o.log(ratio)))


for _begin in ("torch.distributions", "torch.distributions.kl"):
    TORCH[f"{_begin}.kl_divergence"] = kl_divergence


def install(reader: Reader) -> None:
    """Teach a reader distributions."""
    reader.handlers.attribute[Distribution] = attribute
