"""The palette of the canvas: every op with its formula, what else people call it, and what fits its slots."""

from __future__ import annotations

from functools import cache
from typing import Any

from autodiff_viz.graph.model import INPUT, PARAMETER
from autodiff_viz.ops.catalog import GROUPS, OPS
from autodiff_viz.ops.record import Op

ALIASES: dict[str, tuple[str, ...]] = {
    "input": ("variable", "constant", "slider", "number"),
    "parameter": ("weight", "weights", "bias", "trainable", "learned", "variable"),
    "random": ("noise", "tensor", "data", "batch", "images", "gaussian"),
    "add": ("plus",),
    "sub": ("minus", "subtract", "-", "difference"),
    "mul": ("times", "multiply", "product", "*"),
    "div": ("divide", "over", "/", "quotient"),
    "neg": ("negative", "minus", "-"),
    "pow": ("power", "**", "^", "exponent"),
    "square": ("x2", "^2", "**2"),
    "sqrt": ("root",),
    "identity": ("id", "pass", "copy"),
    "exp": ("e^x",),
    "log": ("ln", "logarithm"),
    "tan": ("tangent",),
    "sigmoid": ("logistic", "sigma", "expit"),
    "softplus": ("smooth relu",),
    "relu": ("rectifier", "ramp"),
    "abs": ("absolute", "modulus", "|x|"),
    "sign": ("signum", "sgn"),
    "maximum": ("larger",),
    "minimum": ("smaller",),
    "clip": ("clamp", "bound"),
    "floor": ("round down",),
    "where": ("if", "select", "choose", "cond"),
    "greater": (">", "gt"),
    "less": ("<", "lt"),
    "sum": ("total", "add up", "reduce"),
    "mean": ("average", "avg"),
    "max": ("largest", "amax"),
    "logsumexp": ("lse", "smooth max"),
    "dot": ("inner product",),
    "leaky_relu": ("rectifier",),
    "silu": ("swish",),
    "log_softmax": ("log chances",),
    "dense": ("linear", "fully connected", "layer"),
    "conv2d": ("convolution", "filter", "layer"),
    "max_pool": ("subsample",),
    "avg_pool": ("average pool", "mean pool", "subsample"),
    "flatten": ("ravel",),
    "layer_norm": ("normalize",),
    "batch_norm": ("normalize",),
    "dropout": ("noise", "regularize"),
    "mean_squared_error": ("mse", "loss"),
    "softmax_cross_entropy_with_integer_labels": ("cross entropy", "loss", "nll"),
    "sigmoid_binary_cross_entropy": ("cross entropy", "bce", "loss"),
    "matmul": ("matrix product", "linear"),
    "transpose": (".t", "swap axes"),
    "reshape": ("view", "flatten"),
    "broadcast_to": ("expand", "repeat", "tile"),
    "concatenate": ("cat", "join"),
    "expand_dims": ("unsqueeze", "newaxis"),
    "getitem": ("index", "slice", "[", "pick"),
    "zeros_like": ("zero",),
    "ones_like": ("one",),
    "uniform": ("random", "rand", "noise"),
    "normal": ("gaussian", "randn", "random", "noise"),
}
"""By op, other names to find it by."""

RANDOM = "random"
"""What the palette calls an input that is drawn."""

INPUTS = (
    (INPUT, "x", "A value that you set with a slider.", "x = 1.0"),
    (PARAMETER, "w", "A value that training may change.", "w = parameter(0.5)"),
    (
        RANDOM,
        "x\u1d62\u2c7c",
        "A tensor of random numbers: data to try things with.",
        "x = input(shape=(4, 2))",
    ),
)

SHOWN_PARAMS = {"shape", "new_shape", "index"}  # kinds of parameters without which a formula says little


@cache
def palette() -> list[dict[str, Any]]:
    """The ops by group, inputs first."""
    values = [
        {
            "op": op,
            "symbol": symbol,
            "slots": [],
            "doc": doc,
            "formula": formula,
            "aliases": list(ALIASES[op]),
            "fits": "any",
        }
        for op, symbol, doc, formula in INPUTS
    ]
    groups: list[dict[str, Any]] = [{"group": "Inputs", "ops": values}]
    for group in GROUPS:
        groups.append({"group": group, "ops": [_entry(op) for op in OPS.values() if op.group == group]})
    return groups


def _entry(op: Op) -> dict[str, Any]:
    return {
        "op": op.name,
        "symbol": op.symbol,
        "slots": [f"{op.slots[0]} {i}" for i in range(2)] if op.variadic else list(op.slots),
        "doc": op.doc,
        "formula": formula(op),
        "aliases": list(ALIASES.get(op.name, ())),
        "fits": fits(op),
    }


def formula(op: Op) -> str:
    """The op as it is typed, with the names of its slots: "a * b", "maximum(a, b)"."""
    if op.infix:
        return f" {op.infix} ".join(op.slots)
    if op.name == "neg":
        return f"-{op.slots[0]}"
    if op.name == "getitem":
        return f"{op.slots[0]}[index]"
    if op.variadic:
        return f"{op.name}([a, b])"
    extra = (param.name for param in op.params if param.kind in SHOWN_PARAMS)
    return f"{op.name}({', '.join([*op.slots, *extra])})"


def fits(op: Op) -> str:
    """Which shapes the slots take together, as far as the browser needs to know: those that broadcast, those
    that a matrix product takes, or "any" where it cannot tell."""
    if op.name == "matmul":
        return "matmul"
    return "broadcast" if op.elementwise and op.slots and not op.variadic else "any"
