"""Paint the picture of a link's preview: its title, and below it the sketch of its graph, without numbers.

Hosts that show previews want PNG. Pillow paints it, in the font that Streamlit brings; both come with
Streamlit, so that a new lesson needs no picture in the repository.
"""

from __future__ import annotations

import io
from collections.abc import Iterator

from PIL import Image, ImageDraw, ImageFont

from autodiff_viz.canvas.sketch import (
    ASKED_COTANGENT,
    ASKED_VALUE,
    BAR,
    CARD,
    CUT_LINE,
    GROUP,
    INPUT_CARD,
    OUTPUT_CARD,
    REGION,
    RULED,
    SIZE,
    STOPPED,
    WIRE,
    Box,
    Curve,
    Point,
    Sketch,
    Word,
    sketch,
)
from autodiff_viz.display.colours import light, rgb
from autodiff_viz.graph.identity import remembered
from autodiff_viz.lab.persistence.address import GALLERY
from autodiff_viz.lab.persistence.link_preview import NAME, Preview
from autodiff_viz.lab.state import start
from autodiff_viz.lessons.gallery import LESSONS, TRACKS, lesson, track_of
from autodiff_viz.standalone.painted import font
from autodiff_viz.ui.server.lessons_page import sketch_of

WIDE, HIGH = 1200, 630  # px, as hosts want it
FINER = 2  # times as large it is painted, for smooth edges
COLOURS = 48  # more cannot be told apart, and cost bytes
INK, QUIET, GROUND = light("ink"), light("quiet"), light("ground")
BLUE, ORANGE = light("mark-forward"), light("mark-back")
LEFT, TOP, BAND = 56, 40, 12  # px of the margins, and of the band at the foot
ROOM = (WIDE - 2 * LEFT, 300)  # px of the graph
SIZES = (68, 60, 52, 44)  # px of the title, the largest at which it has two lines
STEPS = 24  # straight pieces of a curve


def _thin(name: str, opacity: float) -> tuple[int, ...]:
    """Return what a colour that lets something through looks like on the ground."""
    pairs = zip(rgb(light(name)), rgb(GROUND), strict=True)
    return tuple(round(own * opacity + below * (1 - opacity)) for own, below in pairs)


LINES = {
    WIRE: (light("control"), None, 3.0),
    CARD: (light("card-edge"), GROUND, 2.5),
    INPUT_CARD: (light("card-edge"), GROUND, 2.5),
    OUTPUT_CARD: (INK, GROUND, 4.0),
    STOPPED: (light("stop"), light("stop-ground"), 4.0),
    RULED: (light("rule"), GROUND, 4.0),
    BAR: (None, light("stop"), 0.0),
    CUT_LINE: (None, light("cut"), 0.0),
    REGION: (light("checkpoint"), _thin("checkpoint", 0.08), 3.0),
    GROUP: (light("line"), _thin("quiet", 0.09), 3.0),
    ASKED_COTANGENT: (None, light("cotangent"), 0.0),
    ASKED_VALUE: (None, light("value"), 0.0),
}
"""Line, filling and width in px of the sketch, by look: those of lessons_page.css in the light theme."""


@remembered(128)
def card_picture(seen: Preview) -> bytes:
    """Return the picture of a preview as a PNG file, 1200 by 630 px."""
    image = Image.new("RGB", (WIDE * FINER, HIGH * FINER), GROUND)
    pen = ImageDraw.Draw(image)
    shown = lesson(seen.picture)
    _mark(pen, track_of(shown).title if shown else "")
    title = seen.title.removesuffix(f" · {NAME}").removeprefix(f"{NAME}: ")
    bottom = _title(pen, title[0].upper() + title[1:])
    if seen.picture == GALLERY:
        _tracks(pen, bottom)
    else:
        small = (SIZE[0] * 1.25, SIZE[0] * 1.25 * ROOM[1] / ROOM[0])
        drawn = sketch(start().graph, size=small) if shown is None else sketch_of(shown, small)
        _paint(pen, drawn, (bottom + HIGH - BAND - ROOM[1]) / 2)
    pen.rectangle(_scaled(0, HIGH - BAND, WIDE, HIGH), fill=BLUE)
    small_image = image.resize((WIDE, HIGH), Image.Resampling.LANCZOS)
    packed = io.BytesIO()
    small_image.quantize(COLOURS, Image.Quantize.MAXCOVERAGE).save(packed, "PNG", optimize=True)
    return packed.getvalue()


def _scaled(*lengths: float) -> list[float]:
    return [length * FINER for length in lengths]


def _mark(pen: ImageDraw.ImageDraw, track: str) -> None:
    """Paint the project's mark and name, and the track at the other end."""
    y = TOP + 14
    pen.line(_scaled(LEFT + 8, y, LEFT + 40, y), fill=BLUE, width=5 * FINER)
    for x in (LEFT + 8, LEFT + 40):
        pen.ellipse(_scaled(x - 7, y - 7, x + 7, y + 7), fill=BLUE)
    pen.arc(_scaled(LEFT + 6, y - 18, LEFT + 40, y + 22), 10, 120, fill=ORANGE, width=5 * FINER)
    pen.polygon(
        [tuple(_scaled(*p)) for p in ((LEFT + 5, y + 11), (LEFT + 19, y + 12), (LEFT + 10, y + 24))],
        fill=ORANGE,
    )
    place = tuple(_scaled(LEFT + 62, y))
    pen.text(place, NAME, INK, font(32 * FINER, 600), anchor="lm")
    pen.text(tuple(_scaled(WIDE - LEFT, y)), track, QUIET, font(28 * FINER, 400), anchor="rm")


def _title(pen: ImageDraw.ImageDraw, title: str) -> float:
    """Write the title in at most two lines, and return the px below it."""
    for size in SIZES:
        letters = font(size * FINER, 650)
        lines = [*_lines(pen, title, letters)]
        if len(lines) <= 2:
            break
    for at, line in enumerate(lines[:3]):
        pen.text(tuple(_scaled(LEFT, TOP + 64 + at * size * 1.1)), line, INK, letters, anchor="lt")
    return TOP + 64 + min(len(lines), 3) * size * 1.1


def _lines(pen: ImageDraw.ImageDraw, text: str, letters: ImageFont.FreeTypeFont) -> Iterator[str]:
    """Yield the lines of a text that is as wide as the picture."""
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and pen.textlength(longer, letters) > (WIDE - 2 * LEFT) * FINER:
            yield line
            longer = word
        line = longer
    yield line


def _tracks(pen: ImageDraw.ImageDraw, top: float) -> None:
    """Write the tracks with their number of lessons, in two columns."""
    shown = [track for track in TRACKS if track.lessons]
    half = (len(shown) + 1) // 2
    pen.text(
        tuple(_scaled(LEFT, top)), f"{len(LESSONS)} questions", QUIET, font(34 * FINER, 400), anchor="lt"
    )
    for at, track in enumerate(shown):
        x, y = LEFT + at // half * ROOM[0] / 2, top + 74 + at % half * 58
        pen.text(tuple(_scaled(x, y)), track.title, BLUE, font(38 * FINER, 600), anchor="lt")


def _paint(pen: ImageDraw.ImageDraw, drawn: Sketch, top: float) -> None:
    """Paint a sketch into the room below the title."""
    left, high, wide, _ = drawn.view
    scale = ROOM[0] / wide * FINER

    def at(x: float, y: float) -> Point:
        return (x - left) * scale + LEFT * FINER, (y - high) * scale + top * FINER

    for shape in drawn.shapes:
        if isinstance(shape, Word):
            letters = font(round(shape.size * scale), 600)
            pen.text(at(shape.x, shape.y), shape.text, GROUND if shape.look else INK, letters, anchor="mm")
            continue
        line, fill, width = LINES[shape.look]
        thick = max(1, round(width * scale))
        if isinstance(shape, Curve):
            pen.line([at(*point) for point in _points(shape)], line, thick, joint="curve")
        elif isinstance(shape, Box):
            corners = [at(shape.x, shape.y), at(shape.x + shape.w, shape.y + shape.h)]
            pen.rounded_rectangle(corners, shape.radius * scale, fill, line, thick if line else 0)
    # What is beyond the margins of a cropped graph fades out into them.
    for x in (0, (WIDE - LEFT) * FINER):
        pen.rectangle([x, top * FINER, x + LEFT * FINER, HIGH * FINER], fill=GROUND)


def _points(curve: Curve) -> Iterator[Point]:
    """Yield points of a wire, close enough that no corner is seen."""
    yield curve.start
    x, y = curve.start
    for (a, b), (c, d), (u, v) in curve.parts:
        for step in range(1, STEPS + 1):
            t = step / STEPS
            p, q, r, s = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
            yield p * x + q * a + r * c + s * u, p * y + q * b + r * d + s * v
        x, y = u, v
