"""List every op for the palette, with its formula, search aliases, and the shapes that its slots take."""

from __future__ import annotations

from functools import cache
from typing import Any

from autodiff_viz.graph.model import INPUT, PARAMETER
from autodiff_viz.language.suggestions import SOURCE_ALIASES
from autodiff_viz.ops.catalog import GROUPS, OPS
from autodiff_viz.ops.learned import LEARNED
from autodiff_viz.ops.op import Op

RANDOM = "random"
"""Name of a random input in the palette."""

RANDOM_ALIASES = ("noise", "tensor", "data", "batch", "images", "gaussian")

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

SHOWN_PARAMS = {"shape", "new_shape", "index"}  # kinds of parameters that a formula shows


@cache
def palette() -> list[dict[str, Any]]:
    """Return the ops by group, inputs first."""
    values = [
        {
            "op": op,
            "symbol": symbol,
            "slots": [],
            "doc": doc,
            "formula": formula,
            "aliases": list(SOURCE_ALIASES.get(op, RANDOM_ALIASES)),
            "fits": "any",
        }
        for op, symbol, doc, formula in INPUTS
    ]
    groups: list[dict[str, Any]] = [{"group": "Inputs", "ops": values}]
    for group in GROUPS:
        entries = [
            {
                "op": op.name,
                "symbol": op.symbol,
                "slots": [f"{op.slots[0]} {i}" for i in range(2)] if op.variadic else list(op.inputs),
                "doc": op.documented(),
                "formula": formula(op),
                "aliases": list(op.aliases),
                "fits": fits(op),
                **({"learns": True} if op.name in LEARNED else {}),
            }
            for op in OPS.values()
            if op.group == group
        ]
        groups.append({"group": group, "ops": entries})
    return groups


def formula(op: Op) -> str:
    """Return the op's formula with the names of its slots, such as "a * b" or "maximum(a, b)"."""
    if op.infix:
        return f" {op.infix} ".join(op.slots)
    if op.name == "neg":
        return f"-{op.slots[0]}"
    if op.name == "getitem":
        return f"{op.slots[0]}[index]"
    if op.name == "at_set":
        return f"{op.slots[0]}.at[index].set({op.slots[1]})"
    if op.variadic:
        return f"{op.name}([a, b])"
    extra = (param.name for param in op.params if param.kind in SHOWN_PARAMS)
    return f"{op.name}({', '.join([*op.slots, *extra])})"


def fits(op: Op) -> str:
    """Return which shapes the slots take together, as far as the browser needs it.

    "broadcast" for shapes that broadcast, "matmul" for those of a matrix product, else "any".
    """
    if op.name == "matmul":
        return "matmul"
    return "broadcast" if op.elementwise and op.slots and not op.variadic else "any"
