"""Write the golden file of numbers as text: `python -m tests.display.golden.write_numbers`.

It was run once, before the browser formatted numbers, on what Python then sent to it, and does not overwrite
the file: the texts that a user sees stay as they were, but for the length before a row, which is left out
since, and that before a norm, which is in brackets since. A number is held by its dtype and bits, so the file
depends on no version of JAX.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np

from autodiff_viz.display.heatmap import heat
from autodiff_viz.display.numbers import bracketed, in_full, number_text, shape_text, short, sign
from autodiff_viz.engine.op_derivative import local_derivative
from autodiff_viz.engine.tolerance import norm
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.graph.dtypes import DTYPES
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.text import scalar
from autodiff_viz.language.parse import parse
from autodiff_viz.lessons.gallery import LESSONS
from tests.web.node import node

FILE = Path(__file__).with_name("numbers.json.gz")
WEB = Path(__file__).parents[3] / "autodiff_viz" / "web"
MOST = {"float32": 2500}  # scalars of a dtype; of any other 700
ROOMS = (3.0, 2.2, 1.5, 1.0, 0.6)  # in units of the font's size, for the shortened texts

NASTY = [
    "x = 1e-45\ny = x * 2.0\nz = y + 1e-40",
    "x = 65504.0\ny = x * 0.1\nz = y / 3.0",
    "x = 1e30\na = x * 1e8\nb = a * 3.4\ny = b * 10.0\nz = y - y",
    "x = -0.0\ny = x * 3.0\nz = y + 0.0",
    "x = 0.1\ny = 1.0 / 3.0\nz = x * y",
    "x = 1e21\ny = x * 3.0\nz = y / 7.0",
    "x = 123456.0\ny = x * 8.0\nz = y + 1.0",
    "x = [0.1]\ny = x / 3.0\nz = sum(y)",
    "x = [0.1, -0.25, 1e-5]\ny = x / 3.0\nz = sum(y)",
    "x = [0.1, -0.25, 1e-5, 7.0]\ny = x / 3.0\nz = sum(y)",
    "x = [0.1, -0.25, 1e-5, 7.0, 3.0]\ny = x / 3.0\nz = sum(y)",
    "x = [[0.1, -0.25], [1e-5, 7.0], [3.0, 1e21]]\ny = sin(x)\nz = sum(y)",
    "x = [0.0, 1.0]\ny = log(x)\nz = sum(y)",
    "x = ones((10, 10))\ny = x / 3.0\nz = sum(y)",
]
BITS = {"float16": np.uint16, "bfloat16": np.uint16, "float32": np.uint32, "float64": np.uint64}

FITTING = """
import { fitting, numberText, scalar, steady } from %s;
import { readFileSync } from "node:fs";
const { rows, rooms } = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(rows.map(([text, full]) => rooms.map((room) => fitting(text, full, room)))));
"""


def arrays_of(found: Trace) -> Iterator[np.ndarray]:
    """Yield what a page can show of a trace."""
    yield from found.value.values()
    yield from found.cotangent.values()
    yield from found.passed.values()
    for name, slot in found.passed:
        try:
            local = local_derivative(found, name, slot)
        except (GraphError, KeyError, IndexError):
            continue
        if local is not None:
            yield local


def traces() -> Iterator[Trace]:
    """Yield the traces of all lessons, and of numbers that are hard to write in every dtype."""
    for lesson in LESSONS:
        for variant in lesson.steps:
            try:
                yield trace(parse(variant.formula), seed=variant.seed)
            except GraphError as error:
                print("left out", lesson.key, error)
    for dtype in DTYPES:
        for text in NASTY:
            try:
                yield trace(parse(text), dtype=dtype)
            except GraphError as error:
                print("left out", dtype, text, error)


def edges(dtype: str) -> Iterator[np.ndarray]:
    """Yield numbers at the ends of a dtype, halves between two last digits, and random ones."""
    kind = jax.numpy.dtype(dtype).type
    made = DTYPES[dtype]
    with np.errstate(all="ignore"):
        for number in (
            *(
                0.0,
                0.1,
                1 / 3,
                2 / 3,
                0.5,
                1.0,
                7.0,
                10.0,
                100.0,
                12345.0,
                99999.5,
                999999.0,
                1e6,
                1e16,
                1e21,
            ),
            *(
                1e-4,
                9.9995e-5,
                1e-5,
                1.25e-5,
                2.0625,
                1.0005,
                0.24496,
                1.0467646,
                65504.0,
                3.4e38,
                1e-45,
                1e-40,
            ),
            *(made.max, made.tiny, made.least, made.eps, 1 + made.eps, np.inf, np.nan),
        ):
            yield np.asarray(kind(number))
            yield np.asarray(kind(-number))
        random = np.random.default_rng(1)
        for size in random.uniform(-8, 8, 300):
            yield np.asarray(kind(random.uniform(-1, 1) * 10**size))
        for shape in (
            (1,),
            (2,),
            (3,),
            (4,),
            (5,),
            (100,),
            (2, 2),
            (1, 2),
            (4, 4),
            (3, 5),
            (2, 3, 4),
            (0,),
            (0, 3),
        ):
            for scale in (1.0, 1e-6, 1e3):
                yield (scale * random.normal(size=shape)).astype(kind)
        yield np.asarray([np.nan, 1.0, -np.inf]).astype(kind)
        yield np.asarray([[np.nan, 1.0], [-np.inf, -0.0]]).astype(kind)
        yield np.zeros((3,), kind)
        yield np.zeros((5, 2), kind)


def entry(array: np.ndarray) -> dict[str, Any]:
    """Return an array with all texts of it: on a card, on a wire, in full, in the panel."""
    array = np.asarray(array)
    dtype = array.dtype.name
    found = {
        "dtype": dtype,
        "shape": list(array.shape),
        "card": number_text(array),
        "wire": number_text(array, 3),
        "full": in_full(array),
        "panel": short(array, 6),
        "sign": sign(array),
    }
    if shape := shape_text(array):
        found["label"] = shape
    if array.size <= 16:
        found["bits"] = [f"{int(bits):x}" for bits in array.ravel().view(BITS[dtype])]
    else:
        found["norm"] = repr(norm(array))
    if array.ndim == 0:
        found["term"] = bracketed(array, 6)
        found["total"] = scalar(float(array), 6)
        found["cell"] = scalar(float(array), 3)
    if array.ndim and array.size and array.size <= 100:
        found["top"] = scalar(heat(array).top, 3)
    return found


def entries() -> list[dict[str, Any]]:
    """Return the arrays of all traces and edges, each once."""
    found: dict[str, dict[str, Any]] = {}
    counts: dict[tuple[str, bool], int] = {}

    def take(array: np.ndarray, own: bool) -> None:
        made = entry(array)
        key = json.dumps([made["dtype"], made["shape"], made.get("bits"), made.get("norm")])
        group = (made["dtype"], not made["shape"])
        if key in found or (not own and counts.get(group, 0) >= MOST.get(made["dtype"], 700)):
            return
        counts[group] = counts.get(group, 0) + 1
        found[key] = made

    for dtype in DTYPES:
        for array in edges(dtype):
            take(array, True)
    for each in traces():
        for array in arrays_of(each):
            take(array, False)
    return [*found.values()]


def main() -> int:
    """Write the file, unless it exists."""
    if FILE.exists():
        print(f"{FILE} exists: its texts are those that must stay.")
        return 1
    made = entries()
    rows = [[each["card"], each["full"]] for each in made]
    answer = subprocess.run(
        [node(), "--input-type=module", "-e", FITTING % json.dumps((WEB / "base/numbers.js").as_uri())],
        input=json.dumps({"rows": rows, "rooms": ROOMS}),
        capture_output=True,
        text=True,
        check=True,
    )
    for each, fitted in zip(made, json.loads(answer.stdout), strict=True):
        each["fitted"] = fitted
    text = json.dumps({"rooms": ROOMS, "entries": made}, ensure_ascii=False, separators=(",", ":"))
    FILE.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(len(made), "arrays", FILE.stat().st_size, "bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
