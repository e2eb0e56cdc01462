"""Test equations as MathML: all of the catalog, with nothing but mathematics in them."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from autodiff_viz.lab.inspector.node import mathml
from autodiff_viz.ops import latex
from autodiff_viz.ops.catalog import OPS

HARMLESS = {"math", "mrow", "mtext", "mi", "mo", "mn"}
SPACE = "{http://www.w3.org/1998/Math/MathML}"


def equations() -> list[str]:
    found = []
    for op in OPS.values():
        slots = [latex.name(slot) for slot in op.slots]
        found.append(latex.operation(op, slots))
        found += [latex.derivative(op, slot, slots) for slot in range(len(op.slots))]
    return found


def test_every_equation_of_the_catalog_is_read_to_its_end():
    for text in equations():
        tree = ElementTree.fromstring(mathml(text))
        assert tree.tag == f"{SPACE}math"
        left = [word for word in tree.itertext() if "\\" in word or ("{" in word.strip("{") and "}" in word)]
        assert left == [], text


def test_a_fraction_is_a_fraction_and_a_power_a_power():
    tree = ElementTree.fromstring(mathml(r"\frac{a}{b^{2}}"))
    (fraction,) = tree.iter(f"{SPACE}mfrac")
    over, under = fraction
    assert "".join(over.itertext()) == "a"
    (power,) = under.iter(f"{SPACE}msup")
    assert ["".join(part.itertext()) for part in power] == ["b", "2"]


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        (r"\text{<script>alert(1)</script>}", "<script>alert(1)</script>"),
        (r"\mathtt{a<b&c}", "a<b&c"),
    ],
)
def test_text_is_escaped(text, bare):
    tree = ElementTree.fromstring(mathml(text))
    assert {element.tag.removeprefix(SPACE) for element in tree.iter()} <= HARMLESS
    assert "".join(tree.itertext()) == bare


def test_nothing_is_nothing():
    assert mathml("") == ""
