"""List the ops that only a lab of one's own has: JAX's own functions of the graph that it was opened with.

`functions/own_ops.py` writes them into a file, and `lab/launch.py` starts the server with its path. A server
without that variable, as every public one, has none.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from autodiff_viz.ops.op import Op, Refusal
from autodiff_viz.ops.programs import run

OWN_OPS = "AUTODIFF_VIZ_OWN_OPS"
"""Variable with the path of the file, which the user's own process has written."""

GROUP = "JAX"

ELSEWHERE = (
    "It is a function of the program that has opened this graph: av.lab(graph) opens it there, "
    "and no link or file can take it along."
)


def own_ops() -> tuple[Op, ...]:
    """Return the ops of the file that this process was started with."""
    path = os.environ.get(OWN_OPS, "")
    return tuple(own_op(each) for each in json.loads(Path(path).read_text("utf-8"))) if path else ()


def own_op(record: dict[str, Any]) -> Op:
    """Return the op of a record that `functions/own_ops.py` has written."""
    label, shapes = record["label"], [tuple(shape) for shape in record["shapes"]]

    def apply(*arrays: jax.Array, dtype: Any = None) -> jax.Array:
        given = arrays[0].dtype.name if arrays else jnp.dtype(dtype).name
        if given not in record["programs"]:
            raise Refusal(f"JAX's own {label} does not take {given}.")
        if (found := [array.shape for array in arrays]) != shapes:
            raise Refusal(f"It was taken along for the shapes {shapes}; found {found}.")
        (result,) = run(record["programs"][given], *arrays)
        return result

    return Op(
        name=record["name"],
        group=GROUP,
        symbol=label[:9],
        doc=f"JAX's own {label}, of the program that has opened this lab.",
        apply=apply,
        source="",
        slots=tuple(f"x{i}" for i in range(len(shapes))),
        latex=rf"\operatorname{{{label}}}".replace("_", r"\_"),
        derivative=(),
        elementwise=False,
    )
