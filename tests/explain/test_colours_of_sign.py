"""Test that one palette tells a cotangent above zero from one below, in figures, canvas and pictures.

What is drawn of one graph is compared under the seeds 1 and -1, which turn the signs of all cotangents and
nothing else.
"""

from __future__ import annotations

import colorsys
import re
from base64 import b64decode
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from autodiff_viz.canvas import svg
from autodiff_viz.display.colours import COLOURS, streamlit_theme, tokens
from autodiff_viz.display.heatmap import INKS
from autodiff_viz.display.theme import COTANGENT, NEGATIVE, css_of_colours
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.explain.explanation import OF_NODE
from autodiff_viz.explain.tensor.figure import Part, heatmaps, histograms
from autodiff_viz.language.parse import parse
from tests.ui.test_contrast import SCHEMES, contrast

ROOT = Path(__file__).parents[2] / "autodiff_viz"
Colour = tuple[float, float, float]
ORANGE, TEAL, INDIGO = (15, 40), (182, 196), (225, 240)  # degrees of hue; indigo is a tangent below zero
GRAPHS = (
    "x = 0.5\na = sin(x)\nb = exp(x)\nz = a + 2.0 * b",
    "x = [0.5, 0.7, 0.9]\na = sin(x)\nb = exp(x)\nz = sum(a + 2.0 * b)",
    'x = 0.5\nw = parameter(0.5)\nwith checkpoint("r"):\n    a = sin(x * w)\n    b = exp(a)\nz = b * a',
)
SIGNED = {"cotangents", "paths"}
"""Figures in which a mark stands for a cotangent, or a part of one, with its sign; a Jacobian has no seed."""


def parsed(text: str) -> Colour | None:
    """Return a hex code or rgb(), without how transparent it is; None for what is none."""
    if found := re.fullmatch(r"#([0-9a-f]{6})", text):
        return tuple(int(found[1][i : i + 2], 16) / 255 for i in (0, 2, 4))
    if found := re.match(r"rgba?\((\d+), ?(\d+), ?(\d+)(?:, ?([\d.]+))?\)", text):
        return None if found[4] and float(found[4]) == 0 else tuple(int(found[i]) / 255 for i in (1, 2, 3))
    return None


def is_hue(colour: Colour, hues: tuple[int, int]) -> bool:
    hue, _, saturation = colorsys.rgb_to_hls(*colour)
    return hues[0] <= 360 * hue <= hues[1] and saturation > 0.3


def each(value: object, count: int) -> list:
    """Return a property of each mark; Plotly sends arrays as the text of their bytes."""
    if isinstance(value, dict):
        value = np.frombuffer(b64decode(value["bdata"]), value["dtype"])
    return list(value) if isinstance(value, list | tuple | np.ndarray) else [value] * count


def drawn(figure: dict) -> Iterator[Colour]:
    """Yield the colours of bars, cells, bands, lines and points, not of words."""
    for mark in figure["data"]:
        colours = []
        if mark["type"] == "heatmap":
            scale, cells = mark["colorscale"], np.ravel(each(mark["z"], 1))
            colours = [scale[-1][1]] * bool((cells > 0).any()) + [scale[0][1]] * bool((cells < 0).any())
        elif mark["type"] == "bar":
            sizes = [abs(size or 0) for size in each(mark["y" if mark.get("orientation") != "h" else "x"], 1)]
            every = each(mark["marker"]["color"], len(sizes))
            colours = [colour for colour, size in zip(every, sizes, strict=True) if size > 0]
        elif "text" not in mark.get("mode", ""):
            places = (
                mark,
                mark.get("marker", {}),
                mark.get("line", {}),
                mark.get("link", {}),
                mark.get("node", {}),
            )
            colours = [one for place in places for one in each(place.get("color"), 1)]
            colours.append(mark.get("fillcolor"))
        yield from filter(None, (parsed(colour) for colour in colours if isinstance(colour, str)))
    for shape in figure["layout"].get("shapes", ()):
        for colour in (shape.get("fillcolor"), shape.get("line", {}).get("color")):
            if colour and (found := parsed(colour)):
                yield found


def both(text: str) -> tuple[Trace, Trace]:
    graph = parse(text)
    return trace(graph, seed=1.0), trace(graph, seed=-1.0)


def figures(found: Trace) -> Iterator[tuple[str, dict]]:
    for kind in FIGURES.values():
        if kind.fits(found.graph):
            about = "x" if kind.of == OF_NODE else None
            chosen = (about, None) if kind.trained and kind.of != OF_NODE else (about,)
            yield kind.key, kind.build(found, *chosen).to_plotly_json()
    part = Part("x", "cotangent", np.atleast_1d(found.cotangent["x"]))
    yield "tensor", heatmaps([part], "t").to_plotly_json()
    yield "spread", histograms([part], "t").to_plotly_json()


@pytest.mark.parametrize("text", GRAPHS)
def test_a_figure_is_orange_above_zero_and_teal_below(text):
    above, below = both(text)
    assert all((above.cotangent[name] >= 0).all() for name in above.value)
    tensor = above.cotangent["x"].ndim > 0
    told = set()
    for (key, one), (_, other) in zip(figures(above), figures(below), strict=True):
        plus, minus = set(drawn(one)), set(drawn(other))
        assert not [colour for colour in plus if is_hue(colour, TEAL)], key
        if plus != minus:
            told.add(key)
            assert [colour for colour in minus if is_hue(colour, TEAL)], key
            # The bar of a tensor is its norm, which has no sign: it stays as it is.
            norms = tensor and key in SIGNED
            assert bool([colour for colour in minus if is_hue(colour, ORANGE)]) == norms, key
    assert told == {*SIGNED, "tensor", "spread"}


def test_a_jacobian_has_the_same_colours():
    for text, own, other in (("y = 2.0 * x", ORANGE, TEAL), ("y = -2.0 * x", TEAL, ORANGE)):
        cells = set(drawn(dict(figures(trace(parse(f"x = [0.5, 0.5]\n{text}"))))["jacobian"]))
        assert [colour for colour in cells if is_hue(colour, own)], text
        assert not [colour for colour in cells if is_hue(colour, other)], text


@pytest.mark.parametrize("text", GRAPHS[:1])
def test_a_picture_has_the_same_colours_as_the_canvas(text):
    above, below = both(text)
    for found, own, other in ((above, svg.COTANGENT, svg.NEGATIVE), (below, svg.NEGATIVE, svg.COTANGENT)):
        texts = re.findall(r'<text [^>]*fill="(#\w+)"[^>]*>[^<]*\d', svg.svg_of(found.graph, found))
        assert own in texts
        assert other not in texts


# The style sheets: whatever is orange because it is a cotangent has a rule for one below zero.

OF_COTANGENTS = re.compile(r"\.(cotangent|arriving|passed|back-cell|sum|wire)\b")
PAIRS = {  # by sheet, what `light-dark` and custom properties stand for there
    "--positive": ("#e0682b", "#f2a56d"),
    "--cotangent": ("#9b4519", "#f2a56d"),
    "--st-orange-text-color": ("#9b4519", "#f2a56d"),
    "--negative": ("#1193a8", "#35b9cc"),
}


def pair_of(text: str) -> tuple[Colour, Colour] | None:
    """Return the colours of a declaration in both schemes; of a mixture those of its first part."""
    found = re.search(r"var\((--[\w-]+)\)", text)
    pair = found and (PAIRS.get(found[1]) or COLOURS.get(found[1].removeprefix("--av-")))
    return (parsed(pair[0]), parsed(pair[1])) if pair else None


def coloured(sheet: str) -> Iterator[tuple[str, tuple[Colour, Colour]]]:
    for head, body in re.findall(r"([^{}]+)\{([^{}]*)\}", re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)):
        for declared in re.findall(r"(?:^|[; ])(?:color|fill|--wire): ([^;]+)", body):
            if pair := pair_of(declared):
                yield head.strip(), pair


def test_every_sheet_has_a_rule_for_a_cotangent_below_zero():
    orange, teal = set(), set()
    for path in sorted((*ROOT.glob("web/**/*.css"), *ROOT.glob("ui/assets/*.css"))):
        for head, pair in coloured(path.read_text("utf-8")):
            if not OF_COTANGENTS.search(head):
                continue
            if re.search(r"\.(negative|below)\b", head):
                assert all(is_hue(one, TEAL) for one in pair), (path.name, head)
                teal.add(path.name)
            elif all(is_hue(one, ORANGE) for one in pair):
                orange.add(path.name)
    assert orange == teal
    assert len(orange) >= 5


def test_the_properties_of_the_canvas_are_the_ones_above():
    css = (ROOT / "web" / "canvas" / "canvas.css").read_text("utf-8")
    light, dark = PAIRS["--negative"]
    assert "--negative: var(--av-wire-negative);" in css
    assert f"--av-wire-negative: light-dark({light}, {dark});" in tokens()
    light, dark = PAIRS["--positive"]
    assert "--positive: var(--st-orange-color);" in css
    assert "--st-orange-color: var(--av-wire-positive);" in streamlit_theme(":root")
    assert f"--av-wire-positive: light-dark({light}, {dark});" in tokens()
    assert (svg.SIGNS[1], svg.SIGNS[-1]) == (light, PAIRS["--negative"][0])


# Contrast and colour blindness. Source of the matrices, for linear RGB: Machado, Oliveira and Fernandes, "A
# Physiologically-based Model for Simulation of Color Vision Deficiency", 2009, severity 1.

BLIND = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
XYZ = np.array(
    ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
)
WHITE = XYZ.sum(axis=1)
APART = 20  # of CIE76's distance; 2.3 is just noticeable


def lab(rgb: Colour, seen_as: str) -> np.ndarray:
    """Return a colour in CIELAB, as people see it who have that kind of colour blindness."""
    srgb = np.array(rgb)
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    x, y, z = np.cbrt(np.maximum(XYZ @ np.clip(np.array(BLIND[seen_as]) @ linear, 0, 1) / WHITE, 0.008856))
    return np.array((116 * y - 16, 500 * (x - y), 200 * (y - z)))


TWO = {
    "figures": (COTANGENT, NEGATIVE),
    "pictures": (svg.COTANGENT, svg.NEGATIVE),
    "wires of pictures": (svg.SIGNS[1], svg.SIGNS[-1]),
    "wires, light": (PAIRS["--positive"][0], PAIRS["--negative"][0]),
    "wires, dark": (PAIRS["--positive"][1], PAIRS["--negative"][1]),
    "numbers, light": (COLOURS["cotangent"].light, COLOURS["negative"].light),
    "numbers, dark": (COLOURS["cotangent"].dark, COLOURS["negative"].dark),
    "heat-maps": INKS["cotangent"],
}


@pytest.mark.parametrize(("where", "blind"), list(product(TWO, BLIND)))
def test_both_can_be_told_apart_with_any_colour_blindness(where, blind):
    plus, minus = (lab(parsed(one), blind) for one in TWO[where])
    assert np.linalg.norm(plus - minus) >= APART


def test_marks_and_numbers_stand_out_of_both_pages():
    grounds = dict(zip(SCHEMES, ((1.0, 1.0, 1.0), parsed("#14171c")), strict=True))
    for scheme, ground in grounds.items():
        assert all(contrast(parsed(one), ground) >= 4 for one in TWO["figures"]), scheme
        assert all(contrast(parsed(one), ground) >= 3 for one in TWO[f"wires, {scheme}"]), scheme
        assert all(contrast(parsed(one), ground) >= 4.5 for one in TWO[f"numbers, {scheme}"]), scheme


def test_bars_have_the_colours_of_the_canvass_wires():
    css = css_of_colours()
    for own, wire in ((COTANGENT, "--positive"), (NEGATIVE, "--negative")):
        rgb = ", ".join(str(round(255 * part)) for part in parsed(own))
        rule = next(line for line in css.splitlines() if f'.barlayer path[style*="fill: rgb({rgb})' in line)
        assert COLOURS[re.search(r"var\(--av-([\w-]+)\)", rule)[1]][:2] == PAIRS[wire]
