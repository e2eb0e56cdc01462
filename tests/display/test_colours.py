"""Test that one table has all colours of pages and files, and that they are legible."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import ImageColor

from autodiff_viz.canvas.svg import css_of_pictures, svg_of
from autodiff_viz.display.colours import COLOURS, MARK, TEXT, faded, streamlit_theme, tokens
from autodiff_viz.engine.trace import trace
from autodiff_viz.lab.handout import STYLE as HANDOUT
from autodiff_viz.language.parse import parse
from autodiff_viz.standalone.page import page_style as figure_style
from autodiff_viz.standalone.page import parts
from autodiff_viz.ui.bundle import page_style, script
from autodiff_viz.ui.made_files import made_files
from autodiff_viz.ui.server.lessons_page import _whole
from autodiff_viz.ui.server.opening import STYLE as SHELL
from autodiff_viz.ui.server.poster import STYLE as POSTER
from autodiff_viz.ui.server.routes import words_page
from tests.ui.test_contrast import SCHEMES, contrast

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "autodiff_viz"
SUFFIXES = {".py", ".css", ".js", ".toml", ".svg", ".html", ".conf"}

HEX = r"(?<![\w&/#])#(?:[0-9a-fA-F]{8}|[0-9a-fA-F]{6}|[0-9a-fA-F]{3,4})\b(?![\w-])"
FUNCTION = r"\b(?:rgb|hsl)a?\(\s*[\d.{%]|\b(?:hwb|lab|lch|oklab|oklch)\(\s*[\d.]+%?\s[\d.]"
COLOUR = re.compile(f"{HEX}|{FUNCTION}")
NAMED = {name for name in ImageColor.colormap if name not in ("transparent", "currentcolor")}
DECLARED = re.compile(r"(?<![\w-])[\w-]+: ([^;{}]*)")
PAINTS = re.compile(
    r"\b(?:fill|stroke|(?:background-?)?color|background)\b[\"']?\s*[:=]\s*[\"'](\w+)[\"']"
    r"|\b(?:fill|stroke|color|background):\s*(\w+)\s*[;\"'}]"
)
USED = re.compile(r"var\(--av-([\w-]+)")

EXCEPT = {
    "autodiff_viz/display/colours.py": "the table",
    "autodiff_viz/web/base/constants.js": "written from it, which tests/lab/test_shared_constants.py holds",
    **{str(path.relative_to(ROOT)): "written from it, which a test below holds" for path in made_files()},
    "autodiff_viz/web/canvas/draw/regions.js": "black and white of a mask, which says what is seen",
}


def files() -> Iterator[Path]:
    """Yield the files of the app."""
    for folder in (PACKAGE, ROOT / ".streamlit", ROOT / "deploy", ROOT / "website"):
        yield from sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES and path.is_file())
    yield ROOT / "app.py"


def named_in(text: str, suffix: str) -> list[str]:
    """Return the colours that a text names."""
    if suffix == ".css":  # a selector such as #add names none
        text = " ".join(DECLARED.findall(re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)))
        words = iter(re.findall(r"[\w#-]+", text))
    elif suffix == ".svg":
        words = (word for value in DECLARED.findall(text) for word in re.findall(r"[\w#-]+", value))
    else:
        words = (first or second for first, second in PAINTS.findall(text))
    return [*COLOUR.findall(text), *(word for word in words if word.lower() in NAMED)]


def test_no_other_file_names_a_colour():
    found = {
        str(path.relative_to(ROOT)): names
        for path in files()
        if (names := named_in(path.read_text("utf-8"), path.suffix))
    }
    assert {name: found[name] for name in found if name not in EXCEPT} == {}
    assert EXCEPT.keys() - found.keys() == {"autodiff_viz/ui/start/app.py"}  # else it is no exception


@pytest.mark.parametrize(
    ("text", "suffix", "count"),
    [
        ("a { color: #abc; }", ".css", 1),
        ("a { background: linear-gradient(red, #12345678); }", ".css", 2),
        ("a { color: rgb(0 0 0 / 0.5); fill: hsla(1, 2%, 3%, 1); }", ".css", 2),
        ("#root, #add:hover { color: var(--av-black); white-space: nowrap; }", ".css", 0),
        ("a { color: currentColor; background: transparent; outline: 1px solid CanvasText; }", ".css", 0),
        ("a { color: color-mix(in oklab, var(--red), transparent 20%); }", ".css", 0),
        ('svg("rect", { fill: "white" }); html("b", { class: "blue" }, "blue")', ".js", 1),
        ('style("background:red")', ".js", 1),
        ("line = {'color': 'red'}", ".py", 1),
        ('f"rgba({red}, 1)"; rgb(colour); "rgba(1,2,3,0.5)"', ".py", 2),
    ],
)
def test_what_names_a_colour(text, suffix, count):
    assert len(named_in(text, suffix)) == count


def shade(name: str, scheme: str) -> tuple[float, float, float]:
    """Return a colour of the table, 0 to 1 each."""
    written = getattr(COLOURS[name], scheme)
    assert re.fullmatch("#[0-9a-f]{6}", written), name
    return tuple(int(written[i : i + 2], 16) / 255 for i in (1, 3, 5))


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", [name for name, colour in COLOURS.items() if colour.least > 1])
def test_text_and_marks_stand_out_of_every_ground_that_they_have(name, scheme):
    """WCAG 2.2, 1.4.3 and 1.4.11: 4.5:1 for text, 3:1 for graphical objects."""
    colour = COLOURS[name]
    assert colour.least in (TEXT, MARK) == (4.5, 3.0)
    ratios = {ground: contrast(shade(name, scheme), shade(ground, scheme)) for ground in colour.on}
    assert min(ratios.values()) >= colour.least, ratios


def test_every_colour_is_written_alike_and_stands_for_something():
    assert [name for name, one in COLOURS.items() if not re.fullmatch("#([0-9a-f]{2}){3,4}", one.light)] == []
    texts = "\n".join(path.read_text("utf-8") for path in files() if path.name != "colours.py")
    used = {name for one in re.findall(r"var\(--av-([\w-]+)\)|\"([\w-]+)\"", texts) for name in one}
    unused = [
        name
        for name in COLOURS.keys() - used
        if f"var(--av-{name})" not in streamlit_theme("a") and not re.fullmatch(r"class-\d|size-.*", name)
    ]
    assert unused == []


def test_style_sheets_read_colours_that_there_are():
    """A variable without another value is a colour, or declared by a sheet itself, or set by a script."""
    texts = {path: path.read_text("utf-8") for path in files() if path.suffix in (".css", ".js")}
    everything = "\n".join(texts.values())
    declared_here = set(re.findall(r"--av-([\w-]+)[:\"`]", everything))
    assert {
        (path.name, name)
        for path, text in texts.items()
        for name in re.findall(r"var\(--av-([\w-]+)\)", text)
        if name not in COLOURS and name not in declared_here
    } == set()
    # A distance and a colour must not have the same name.
    assert [name for name in COLOURS if f"--av-{name}:" in everything] == []


def declared(text: str) -> set[str]:
    return set(re.findall(r"--av-([\w-]+): ?(?:light-dark|#)", text)) & COLOURS.keys()


def sheets(folder: str) -> list[str]:
    return [path.read_text("utf-8") for path in sorted((PACKAGE / folder).rglob("*.css"))]


HOSTS = {
    "lab": lambda: (page_style().text, script().text, *sheets("ui/assets")),
    "figure": lambda: (figure_style(), *parts()[1].values()),
    "figure that asks": lambda: (figure_style(True), *parts(True)[1].values()),
    "frame": lambda: (POSTER,),
    "lessons": lambda: (_whole("", "", None).text.decode(),),
    "words": lambda: (words_page(),),
    "handout": lambda: (HANDOUT,),
}


@pytest.mark.parametrize("host", HOSTS)
def test_a_page_declares_every_colour_that_it_reads(host):
    """What comes with a page is read too; the first is the page itself, or its sheet."""
    page, *others = HOSTS[host]()
    read = {name for text in (page, *others) for name in USED.findall(text)} & COLOURS.keys()
    assert read
    assert read <= declared(page)


def test_the_shell_of_the_lab_has_the_colours_of_the_page_around_it():
    assert set(USED.findall(SHELL)) <= declared(page_style().text)


def test_a_colour_is_declared_for_both_themes():
    """By hand, from the table."""
    assert tokens("a { color: var(--av-quiet); }") == (
        ":root { --av-quiet: light-dark(#5d626c, #a4aab5); }\n"
    )
    assert faded("#1c77df", 0.4) == "rgba(28,119,223,0.4)"


def test_a_picture_in_a_page_follows_its_theme():
    text = 'x = [0.5, -0.5]\nwith checkpoint("r"):\n    a = sin(x)\nb = stop_gradient(exp(a))\nz = sum(a - b)'
    drawn = svg_of(parse(text), trace(parse(text)))
    colours = set(re.findall(r'(?:fill|stroke)="(#\w+)"', drawn))
    assert len(colours) >= 10
    rules = css_of_pictures("#a")
    assert [one for one in colours if f'="{one}"]' not in rules] == []


@pytest.mark.parametrize("path", made_files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_the_files_that_are_made_are_up_to_date(path):
    """`python -m autodiff_viz.ui.made_files` makes them."""
    assert path.read_text("utf-8") == made_files()[path]
