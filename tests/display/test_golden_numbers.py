"""Test that numbers are written as ever, by Python and by the browser: thousands of them, in all dtypes.

The texts were written by `write_numbers.py` before the browser wrote them.
"""

from __future__ import annotations

import gzip
import json
import subprocess
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from autodiff_viz.canvas.cards import cells
from autodiff_viz.display.heatmap import heat
from autodiff_viz.display.numbers import (
    bracketed,
    in_full,
    number_text,
    rounded,
    shape_text,
    short,
    sign,
    typed,
)
from autodiff_viz.graph.dtypes import DTYPES
from autodiff_viz.graph.text import scalar
from tests.display.golden.write_numbers import BITS, FILE
from tests.web.node import node

HALVES = {name for name, each in DTYPES.items() if each.half}
WEB = Path(__file__).parents[2] / "autodiff_viz" / "web"

SCRIPT = """
import * as numbers from %s;
import { readFileSync } from "node:fs";
const { fitting, fullText, numberOf, numberText, readNumber, scalar } = numbers;
const { shapeText, shortText, signOf, termText } = numbers;
const { rows, rooms } = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(rows.map(({ sent, dtype, wire, top }) => {
  const num = readNumber(sent, dtype);
  const flow = readNumber(wire, dtype, num.dims);
  const one = num.kind === 0 ? num.numbers[0] : null;
  return {
    card: numberText(num), wire: numberText(flow, 3), full: fullText(num), panel: shortText(num),
    sign: signOf(flow), label: shapeText(num),
    fitted: rooms.map((room) => fitting(numberText(num), num, room)),
    ...(one !== null && { term: termText(one), total: scalar(one, 6), cell: scalar(one, 3) }),
    ...(top !== null && { top: scalar(numberOf(top), 3) }),
  };
})));
"""


@pytest.fixture(scope="module")
def golden() -> dict[str, Any]:
    return json.loads(gzip.decompress(FILE.read_bytes()))


def entries(golden: dict[str, Any]) -> list[tuple[dict[str, Any], np.ndarray]]:
    """The entries of which the file has all numbers, with their arrays."""
    found = []
    for each in golden["entries"]:
        if "bits" in each:
            dtype = jax.numpy.dtype(each["dtype"])
            bits = np.array([int(text, 16) for text in each["bits"]], BITS[each["dtype"]])
            found.append((each, bits.view(dtype).reshape(each["shape"])))
    return found


def sent_as(each: dict[str, Any], array: np.ndarray | None) -> dict[str, Any]:
    """What is sent of an entry: an array, or of a large tensor its norm."""
    if array is None:
        sized = {"shape": each["shape"], "norm": float(each["norm"]), "sign": each["sign"]}
        return {"sent": sized, "wire": sized, "top": None}
    whole = cells(array.shape) is not None
    top = rounded(heat(array).top, 3) if "top" in each else None
    return {"sent": typed(array, whole=whole), "wire": typed(array, shaped=False, signed=True), "top": top}


def test_python_writes_numbers_as_ever(golden):
    for each, array in entries(golden):
        texts = {
            "card": number_text(array),
            "wire": number_text(array, 3),
            "full": in_full(array),
            "panel": short(array, 6),
            "sign": sign(array),
            "label": shape_text(array),
        }
        if not array.ndim:
            texts |= {"term": bracketed(array, 6), "total": scalar(float(array), 6)}
        assert texts == {name: each.get(name, "") for name in texts}, array


def test_the_browser_writes_numbers_as_ever(golden):
    found = node()
    if found is None:
        pytest.skip("no node")
    arrays = {id(each): array for each, array in entries(golden)}
    rows = [{"dtype": each["dtype"], **sent_as(each, arrays.get(id(each)))} for each in golden["entries"]]
    answer = subprocess.run(
        [found, "--input-type=module", "-e", SCRIPT % json.dumps((WEB / "base/numbers.js").as_uri())],
        input=json.dumps({"rows": rows, "rooms": golden["rooms"]}),
        capture_output=True,
        text=True,
        check=True,
    )
    for row, each, texts in zip(rows, golden["entries"], json.loads(answer.stdout), strict=True):
        if has_wrong_norm(each):
            texts.pop("fitted")
        assert texts == {name: each.get(name, "") for name in texts}, row


def has_wrong_norm(each: dict[str, Any]) -> bool:
    """Whether the norm was wrong where a vector had little room.

    It was infinite beside a NaN, and of 16 bits it was that of the decimals that name the numbers.
    """
    is_row = len(each["shape"]) == 1 and 0 < each["shape"][0] <= 3
    return is_row and (each["dtype"] in HALVES or ("NaN" in each["card"] and "\u221e" in each["card"]))
