"""Paint the canvas's picture as PNG with Pillow, for what shows no SVG: it has the shapes of `canvas/svg.py`.

Pillow is no library that the interface needs: without it the SVG itself is shown.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from math import hypot, sqrt
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from PIL import Image, ImageDraw, ImageFont

from autodiff_viz.display.colours import rgb

FINER = 2  # times as large it is painted, for smooth edges
DENSE = 2  # pixels for each px of the picture, as sharp screens have
COLOURS = 48  # more cannot be told apart, and cost bytes
CURVE, CORNER = 20, 6  # straight pieces of a curve, and of a corner

Point = tuple[float, float]


class Painted(NamedTuple):
    """A picture: the file, and the px in which it is shown."""

    png: bytes
    width: float
    height: float


def painted(svg: str, pixels: int) -> Painted:
    """Paint a picture that `canvas/svg.py` has written, with at most so many pixels."""
    root = ElementTree.fromstring(svg)
    left, top, width, height = map(float, root.get("viewBox", "").split())
    dense = min(DENSE, sqrt(pixels / (width * height)))
    size = (max(1, round(width * dense)), max(1, round(height * dense)))
    ground = root.get("style", "").rpartition("background: ")[2]
    image = Image.new("RGB", (size[0] * FINER, size[1] * FINER), ground)
    _paint(_Pen(ImageDraw.Draw(image, "RGBA"), dense * FINER, (left, top)), root)
    small = image.resize(size, Image.Resampling.LANCZOS)
    packed = io.BytesIO()
    small.quantize(COLOURS, Image.Quantize.MAXCOVERAGE).save(packed, "PNG", optimize=True)
    return Painted(packed.getvalue(), width, height)


@cache
def font(size: int, weight: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return Streamlit's font, or that of matplotlib; without both Pillow's own, which has fewer signs."""
    streamlit, matplotlib = (find_spec(library) for library in ("streamlit", "matplotlib"))
    if streamlit and streamlit.origin:
        media = Path(streamlit.origin).parent / "static" / "static" / "media"
        for path in media.glob("SourceSansVF-Upright*.woff2"):
            try:
                found = ImageFont.truetype(str(path), size)
                found.set_variation_by_axes([weight])
            except OSError:  # a Pillow that reads no compressed fonts
                break
            return found
    if matplotlib and matplotlib.origin:
        name = "DejaVuSans-Bold.ttf" if weight > 500 else "DejaVuSans.ttf"
        path = Path(matplotlib.origin).parent / "mpl-data" / "fonts" / "ttf" / name
        if path.exists():
            return ImageFont.truetype(str(path), size)
    return ImageFont.load_default(size)


class _Pen(NamedTuple):
    """Where and how large it is painted.

    Attributes:
      draw: paints pixels.
      scale: pixels for each px.
      origin: the place of the picture that is its left upper corner.
    """

    draw: ImageDraw.ImageDraw
    scale: float
    origin: Point

    def at(self, x: float, y: float) -> Point:
        return (x - self.origin[0]) * self.scale, (y - self.origin[1]) * self.scale

    def thick(self, shape: ElementTree.Element) -> int:
        return max(1, round(_number(shape, "stroke-width", 1.0) * self.scale))

    def line(self, shape: ElementTree.Element, points: list[Point]) -> None:
        """Paint the line of a shape, dashed if it is."""
        stroke = shape.get("stroke", "none")
        if stroke == "none":
            return
        dashes = [float(part) for part in re.findall(r"[\d.]+", shape.get("stroke-dasharray", ""))]
        for piece in _dashed(points, dashes) if len(dashes) == 2 else [points]:
            self.draw.line([self.at(*point) for point in piece], stroke, self.thick(shape), joint="curve")


def _number(shape: ElementTree.Element, name: str, other: float = 0.0) -> float:
    return float(shape.get(name, other))


def _fill(shape: ElementTree.Element) -> tuple[int, ...] | None:
    """Return the filling with its opacity, of 255; None for none."""
    fill = shape.get("fill", "none")
    return None if fill == "none" else (*rgb(fill), round(255 * _number(shape, "fill-opacity", 1.0)))


def _paint(pen: _Pen, parent: ElementTree.Element) -> None:
    """Paint the shapes of an element, the first ones behind."""
    for shape in parent:
        kind = shape.tag.rpartition("}")[2]
        if kind == "g":
            x, y, *scaled = map(float, re.findall(r"-?[\d.]+", shape.get("transform", "0 0")))
            scale = scaled[0] if scaled else 1.0
            origin = (pen.origin[0] - x) / scale, (pen.origin[1] - y) / scale
            _paint(pen._replace(origin=origin, scale=pen.scale * scale), shape)
        elif kind == "rect":
            _rectangle(pen, shape)
        elif kind == "path":
            for points in _lines(shape.get("d", "")):
                if (fill := _fill(shape)) and len(points) > 2:
                    pen.draw.polygon([pen.at(*point) for point in points], fill)
                pen.line(shape, points)
        elif kind == "text":
            size = max(1, round(_number(shape, "font-size") * pen.scale))
            anchor = {"end": "rs", "middle": "ms"}.get(shape.get("text-anchor", ""), "ls")
            letters = font(size, round(_number(shape, "font-weight", 600)))
            place = pen.at(_number(shape, "x"), _number(shape, "y"))
            pen.draw.text(place, shape.text or "", _fill(shape), letters, anchor=anchor)


def _rectangle(pen: _Pen, shape: ElementTree.Element) -> None:
    x, y, w, h = (_number(shape, name) for name in ("x", "y", "width", "height"))
    radius = min(_number(shape, "rx"), w / 2, h / 2)
    if fill := _fill(shape):
        corners = [*pen.at(x, y), *pen.at(x + w, y + h)]
        pen.draw.rounded_rectangle(corners, radius * pen.scale, fill)
    pen.line(shape, [*_around(x, y, w, h, radius)])


def _around(x: float, y: float, w: float, h: float, r: float) -> Iterator[Point]:
    """Yield points around a rectangle with round corners."""
    corners = (((x, y + r), (x, y), (x + r, y)), ((x + w - r, y), (x + w, y), (x + w, y + r)))
    corners += (((x + w, y + h - r), (x + w, y + h), (x + w - r, y + h)),)
    corners += (((x + r, y + h), (x, y + h), (x, y + h - r)),)
    for (a, b), (c, d), (u, v) in corners:
        for step in range(CORNER + 1):
            t = step / CORNER
            p, q, s = (1 - t) ** 2, 2 * t * (1 - t), t * t
            yield p * a + q * c + s * u, p * b + q * d + s * v
    yield x, y + r


_PIECES = re.compile(r"[A-Za-z]|-?\d+(?:\.\d+)?")


def _lines(path: str) -> Iterator[list[Point]]:
    """Yield the lines of a path that `canvas/svg.py` writes: M, L, H, C, l, h, v and z."""
    points: list[Point] = []
    command, given = "", []
    takes = {"M": 2, "L": 2, "l": 2, "H": 1, "h": 1, "v": 1, "C": 6}
    for piece in _PIECES.findall(path):
        if piece.isalpha():
            command = piece
            if piece == "z" and points:
                points.append(points[0])
            elif piece == "M" and points:
                yield points
                points = []
            continue
        given.append(float(piece))
        if len(given) == takes[command]:
            points += _next(command, given, points[-1] if points else (0.0, 0.0))
            given = []
    if points:
        yield points


def _next(command: str, given: list[float], last: Point) -> Iterable[Point]:
    """Return the points to which a command of a path leads."""
    if command == "H":
        return [(given[0], last[1])]
    if command in ("h", "v"):
        return [(last[0] + given[0], last[1]) if command == "h" else (last[0], last[1] + given[0])]
    if command == "l":
        return [(last[0] + given[0], last[1] + given[1])]
    if command != "C":
        return [(given[0], given[1])]
    (x, y), (a, b, c, d, u, v) = last, given
    times = (step / CURVE for step in range(1, CURVE + 1))
    weights = (((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3) for t in times)
    return [(p * x + q * a + r * c + s * u, p * y + q * b + r * d + s * v) for p, q, r, s in weights]


def _dashed(points: list[Point], dashes: list[float]) -> Iterator[list[Point]]:
    """Yield the dashes of a line; `dashes` are the lengths of a dash and of a gap."""
    left, on, piece = dashes[0], True, points[:1]
    for (x, y), (u, v) in pairwise(points):
        length = hypot(u - x, v - y)
        done = 0.0
        while length - done > left:
            done += left
            place = (x + (u - x) * done / length, y + (v - y) * done / length)
            if on:
                yield [*piece, place]
            on = not on
            piece, left = [place], dashes[0 if on else 1]
        left -= length - done
        piece = [*piece, (u, v)]
    if on and len(piece) > 1:
        yield piece
