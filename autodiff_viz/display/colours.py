"""List every colour of the project: what it stands for, in the light theme and in the dark one.

No other file names a colour. Style sheets read `var(--av-NAME)`, which `tokens` declares in each page;
scripts read these variables too, and Python what `light`, `dark` and `faded` return. What must be a file,
such as the theme in `.streamlit/config.toml`, is written by `python -m autodiff_viz.ui.made_files`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

TEXT, MARK, ANY = 4.5, 3.0, 1.0
"""Least contrast with the ground, by WCAG 2.2: of text (1.4.3) and of what is drawn (1.4.11). Grounds,
shadows, lines between parts, and classes, which have their ring, need none."""

PAGE = ("ground",)
PANELS = ("ground", "under", "raised", "drawing")
DRAWN = ("ground", "drawing")


class Colour(NamedTuple):
    """A colour as `#rrggbb`, or as `#rrggbbaa` if it lets something through.

    Attributes:
      least: contrast that it must have with each ground.
      on: names of the grounds on which it is written or drawn.
    """

    light: str
    dark: str
    least: float = ANY
    on: tuple[str, ...] = PAGE


COLOURS = {
    # The page.
    "ground": Colour("#ffffff", "#14171c"),
    "under": Colour("#f6f7f9", "#1c2027"),  # of fields, code and pictures
    "drawing": Colour("#f4f6fa", "#191c21"),  # on which cards lie
    "raised": Colour("#ffffff", "#262b33"),  # of cards, and of what lies above the page
    "hover": Colour("#eaebee", "#2b3038"),  # of a link in the bar
    "tint": Colour("#eef3ff", "#1b2436"),  # of what to do next
    "notice": Colour("#fff3d6", "#4a3a12"),  # of a line that says what is not as usual
    "ink": Colour("#1d2129", "#e8ebf0", TEXT, (*PANELS, "hover", "tint", "notice", "stop-ground")),
    "quiet": Colour("#5d626c", "#a4aab5", TEXT, (*PANELS, "tint")),
    "line": Colour("#dde1e7", "#353b45"),  # between parts
    "edge": Colour("#c9ccd2", "#4a515c"),  # of cards in pictures, of buttons
    "card-edge": Colour("#a9aeb8", "#6d7480"),  # of cards in sketches
    "control": Colour("#868d98", "#7d8592", MARK, ("ground", "under")),  # edge of a field; wires in sketches
    "about": Colour("#b9c9ee", "#48608f"),  # beside what is said of one of several graphs
    "primary": Colour("#2f5fd0", "#7fa4f8", MARK),  # of what is focused or pressed first
    "link": Colour("#2450b5", "#9bb9ff", TEXT, (*PANELS, "tint")),
    "link-hover": Colour("#1b3f93", "#b9ceff", TEXT),
    "code": Colour("#158237", "#7defa1", TEXT, ("under",)),  # as Streamlit has it in sentences
    "shade": Colour("#00000021", "#00000080"),  # of what lies above something
    "shade-strong": Colour("#00000040", "#00000080"),  # of what has been lifted
    "veil": Colour("#00000047", "#00000047"),  # over the page below a dialog
    "paper": Colour("#ffffff", "#ffffff"),  # of a QR code, which a camera reads
    "black": Colour("#000000", "#000000", TEXT, ("paper",)),  # on it; of an empty stage
    "spot": Colour("#e6143c", "#e6143c", MARK),  # of a presenter's pointer
    # Numbers and words by what they are, on cards and in sentences. The first three, and those whose name
    # begins with `st-`, are Streamlit's own: `streamlit_theme` says which of its variables they are.
    "value": Colour("#244fb4", "#85b8f8", TEXT, PANELS),
    "cotangent": Colour("#9b4519", "#f2a56d", TEXT, PANELS),
    "rule": Colour("#6f33b8", "#bf8ef7", TEXT, PANELS),
    "negative": Colour("#0b6f80", "#4cc9dc", TEXT, PANELS),  # a cotangent below zero
    "tangent": Colour("#9a1fae", "#e6a0ff", TEXT, PANELS),
    "tangent-negative": Colour("#55609a", "#a8b4f4", TEXT, PANELS),
    "stop": Colour("#c8404c", "#ff8a90", TEXT, DRAWN),
    "stop-ground": Colour("#fbeced", "#3a1d22"),
    "checkpoint": Colour("#0c7a55", "#5fd0a5", TEXT, DRAWN),
    "cut": Colour("#b66a00", "#ffb454", MARK, ("ground", "under", "drawing")),
    "why": Colour("#b0187f", "#ff86cd", TEXT, PANELS),  # what is not finite, and why
    "parted": Colour("#cf1885", "#ff6fc4", MARK, DRAWN),  # where two graphs begin to differ
    "op": Colour("#0b6f80", "#62c5d6", TEXT, ("ground", "under")),  # in a formula
    "right": Colour("#177233", "#5dd47f", TEXT),
    "wrong": Colour("#a01d1d", "#ff9d9d", TEXT),
    "caution": Colour("#7a4a00", "#f0bf6a", TEXT, ("ground", "notice")),
    "mistake": Colour("#b4530a", "#ff9a55", MARK),  # bars of answers that were not right
    "st-red": Colour("#d94a57", "#f2919a", MARK, DRAWN),
    "st-red-text": Colour("#9e303b", "#f2919a", TEXT),
    "st-green": Colour("#079464", "#7ed5b0", MARK, DRAWN),
    "st-green-text": Colour("#0c5a44", "#7ed5b0", TEXT),
    # Wires, and bars of figures, whose thickness or length is the number.
    "wire-positive": Colour("#e0682b", "#f2a56d", MARK, DRAWN),
    "wire-negative": Colour("#1193a8", "#35b9cc", MARK, DRAWN),
    "wire-tangent": Colour("#b23cc6", "#d681f2", MARK, DRAWN),
    # Lines, marks and words of figures on the page.
    "plot-value": Colour("#1666c4", "#6fa8f5", TEXT),
    "plot-cotangent": Colour("#b34a04", "#f2a56d", TEXT),
    "plot-negative": Colour("#0c7082", "#35b9cc", TEXT),
    "plot-stop": Colour("#cb2630", "#f58c93", TEXT),
    "plot-rule": Colour("#7d48d0", "#b894f4", TEXT),
    "plot-checkpoint": Colour("#0f7549", "#3fbf8a", TEXT),
    # The same in a figure of a file or notebook, which does not know its page: legible on both.
    "file-value": Colour("#1c77df", "#1c77df", MARK),
    "file-cotangent": Colour("#c95405", "#c95405", MARK),
    "file-negative": Colour("#0f8499", "#0f8499", MARK),
    "file-stop": Colour("#e2323b", "#e2323b", MARK),
    "file-rule": Colour("#925ae2", "#925ae2", MARK),
    "file-checkpoint": Colour("#148958", "#148958", MARK),
    "file-quiet": Colour("#717987", "#717987", MARK),
    # Cells of heat-maps: the strongest shade above zero and below.
    "heat-value": Colour("#1c77df", "#1c77df", MARK),
    "heat-value-negative": Colour("#767e8e", "#767e8e", MARK),
    "heat-cotangent": Colour("#e2680c", "#e2680c", MARK),
    "heat-negative": Colour("#14a0b8", "#14a0b8", MARK),
    "heat-tangent": Colour("#b23cc6", "#b23cc6", MARK),
    "heat-tangent-negative": Colour("#6974be", "#6974be", MARK),
    # Classes of targets, apart with any colour blindness (Okabe and Ito, "Color Universal Design", 2008); of
    # two targets the first two, and between them the last.
    "class-0": Colour("#de9600", "#de9600"),
    "class-1": Colour("#1c77df", "#1c77df"),
    "class-2": Colour("#009e73", "#009e73"),
    "class-3": Colour("#cc79a7", "#cc79a7"),
    "class-4": Colour("#d55e00", "#d55e00"),
    "class-5": Colour("#56b4e9", "#56b4e9"),
    "class-between": Colour("#969ca8", "#969ca8"),
    # Cards seen from far: by what passes, by value, by number of elements, from small to large.
    "size-0": Colour("#d2762f", "#a5581a", MARK),
    "size-1": Colour("#b75a12", "#c5742f", MARK),
    "size-2": Colour("#94450b", "#dd9452", MARK),
    "size-3": Colour("#6e3107", "#f0b680", MARK),
    "size-4": Colour("#481f04", "#fbddbf", MARK),
    "size-value-0": Colour("#5b86e0", "#4368c0", MARK),
    "size-value-1": Colour("#3a68ce", "#6288dc", MARK),
    "size-value-2": Colour("#284eaa", "#88a8ec", MARK),
    "size-value-3": Colour("#1b3780", "#afc6f6", MARK),
    "size-value-4": Colour("#0f2152", "#dae5fc", MARK),
    "size-elements-0": Colour("#5e8f6a", "#3f7a4e", MARK),
    "size-elements-1": Colour("#43744f", "#5a9a69", MARK),
    "size-elements-2": Colour("#2f5939", "#7fb88c", MARK),
    "size-elements-3": Colour("#1f3f27", "#a7d3b1", MARK),
    "size-elements-4": Colour("#112716", "#d5eeda", MARK),
    # The project's mark.
    "mark-forward": Colour("#2f5fd0", "#8fb2ff", MARK),
    "mark-back": Colour("#d2601a", "#ff9d5c", MARK),
    "mark-ground": Colour("#1d2533", "#1d2533"),
}

_VARIABLES = {
    "background-color": "ground",
    "secondary-background-color": "under",
    "text-color": "ink",
    "primary-color": "primary",
    "blue-text-color": "value",
    "green-color": "st-green",
    "green-text-color": "st-green-text",
    "orange-color": "wire-positive",
    "orange-text-color": "cotangent",
    "red-color": "st-red",
    "red-text-color": "st-red-text",
    "violet-text-color": "rule",
}
"""By variable of Streamlit's theme, without `--st-`, its colour."""

_USED = re.compile(r"var\(--av-([\w-]+)")


def light(name: str) -> str:
    """Return a colour in the light theme, that of paper and of pictures too."""
    return COLOURS[name].light


def dark(name: str) -> str:
    """Return a colour in the dark theme."""
    return COLOURS[name].dark


def rgb(colour: str) -> tuple[int, int, int]:
    """Return red, green and blue of `#rrggbb`, 0 to 255 each."""
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue


def faded(colour: str, opacity: float) -> str:
    """Return `#rrggbb` as a colour that lets something through."""
    return f"rgba({','.join(map(str, rgb(colour)))},{opacity:g})"


def tokens(*sheets: str) -> str:
    """Return the rule that declares the colours of a page as variables, which shadow trees inherit.

    Args:
      *sheets: style sheets; the colours that they read are declared, without any all.
    """
    used = {name for sheet in sheets for name in _USED.findall(sheet)}
    declared = (
        f"--av-{name}: {one.light if one.light == one.dark else f'light-dark({one.light}, {one.dark})'};"
        for name, one in COLOURS.items()
        if name in used or not sheets
    )
    return f":root {{ {' '.join(declared)} }}\n"


def streamlit_theme(selector: str, important: bool = False) -> str:
    """Return the rule that gives an element Streamlit's theme, as Streamlit itself declares it.

    A page without Streamlit has it so, and on paper a page whose Streamlit has the dark theme.
    """
    mark = " !important" if important else ""
    lines = (f"--st-{variable}: var(--av-{name}){mark};" for variable, name in _VARIABLES.items())
    return f"{selector} {{ {' '.join(lines)} }}\n"
