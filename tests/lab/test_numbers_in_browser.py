"""Test that the browser writes numbers as Python does: thousands of them, by Node and by Python."""

from __future__ import annotations

import json
import math
import subprocess
from pathlib import Path
from random import Random

import numpy as np
import pytest

from autodiff_viz.canvas.svg import thickness
from autodiff_viz.display.numbers import number_text, sign
from autodiff_viz.engine.tolerance import norm
from autodiff_viz.graph.text import scalar
from tests.web import node as web

WEB = Path(__file__).parents[2] / "autodiff_viz" / "web"
HALVES = [
    2.0625,
    0.0009765625,
    1.5,
    2.5,
    12345.5,
    1234.5,
    1235.5,
    0.125,
    0.375,
    5e22,
    1.25e-5,
    2.0**-20,
    1e6,
    1e-4,
]
EDGES = [
    0.0,
    -0.0,
    math.inf,
    -math.inf,
    math.nan,
    9.9995e-5,
    99999.5,
    999999.9,
    9.9999e5,
    1e30,
    5e-324,
    1.7e308,
]

SCRIPT = """
import { numberText, scalar, signOf, steady, widthOf, sizeOf } from %s;
import { readFileSync } from "node:fs";
const number = (text) => ({ nan: NaN, inf: Infinity, "-inf": -Infinity })[text] ?? Number(text);
const { numbers, vectors, scale } = JSON.parse(readFileSync(0, "utf8"));
const alone = numbers.map((text) => [3, 4, 6].map((digits) => scalar(number(text), digits)));
const kept = numbers.map((text) => steady(number(text), 4));
const rows = vectors.map((texts) => {
  const row = texts.map(number), kind = row.length === 1 ? 0 : row.length;
  const num = { kind, numbers: row };
  const words = [4, 3].map((digits) => numberText(num, digits));
  return [...words, signOf(num), widthOf(sizeOf(num), scale)];
});
console.log(JSON.stringify({ alone, kept, rows }));
"""


@pytest.fixture(scope="module")
def written() -> dict:
    node = web.node()
    if node is None:
        pytest.skip("no node")
    script = SCRIPT % json.dumps((WEB / "base/numbers.js").as_uri())
    given = {
        "numbers": list(map(repr, numbers())),
        "vectors": [list(map(repr, v)) for v in vectors()],
        "scale": 7.5,
    }
    found = subprocess.run(
        [node, "--input-type=module", "-e", script],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(found.stdout)


def numbers() -> list[float]:
    """Float32 and float64 of every magnitude, short decimals, exact halves between two last digits."""
    random = Random(1)
    wide = [random.uniform(-1, 1) * 10 ** random.uniform(-12, 12) for _ in range(3000)]
    narrow = [float(np.float32(x)) for x in wide[:2000]]
    decimals = [round(random.uniform(-20, 20), random.randrange(5)) for _ in range(1000)]
    dyadic = [random.randrange(-(2**16), 2**16) / 2 ** random.randrange(12) for _ in range(3000)]
    return [*wide, *narrow, *decimals, *dyadic, *HALVES, *(-x for x in HALVES), *EDGES]


def vectors() -> list[list[float]]:
    random = Random(2)
    pick = [x for x in numbers() if not 1e150 < abs(x) < math.inf]  # their squares overflow
    return [[random.choice(pick) for _ in range(random.randint(1, 3))] for _ in range(1500)]


def test_numbers_are_written_alike(written):
    expected = [[scalar(x, digits) for digits in (3, 4, 6)] for x in numbers()]
    assert written["alone"] == expected


def test_a_number_that_keeps_its_place_differs_in_spaces_alone(written):
    assert [text.rstrip("\u2007\u2008") for text in written["kept"]] == [scalar(x) for x in numbers()]


def test_numbers_of_one_magnitude_that_keep_their_place_are_equally_long(written):
    lengths = {len(text) for x, text in zip(numbers(), written["kept"], strict=True) if 1 <= x < 9.999}
    assert lengths == {len("1.234")}


def test_vectors_and_wires_are_drawn_alike(written):
    for row, numbers_ in zip(written["rows"], vectors(), strict=True):
        array = np.array(numbers_[0] if len(numbers_) == 1 else numbers_)
        assert row[:3] == [number_text(array), number_text(array, 3), sign(array)], numbers_
        if math.isfinite(norm(array)):
            assert row[3] == pytest.approx(thickness(array, 7.5), abs=1e-3), numbers_
