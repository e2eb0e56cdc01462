"""Write the first page: what this is, a figure to touch, and where to go."""

from __future__ import annotations

from autodiff_viz.language.parse import parse
from autodiff_viz.lessons.gallery import LESSONS, TRACKS
from autodiff_viz.standalone.data import Words, lab_of, state_of
from autodiff_viz.standalone.page import html_of
from website.pages import Page, framed

TITLE = "See how gradients flow"
FORMULA = "x = 3.0\na = sin(x)\nb = stop_gradient(square(x))\nz = a + b\n"
WORDS = "z is sin x + x². A stop lets the value of x² through and no gradient: the cosine alone arrives at x."


def home(lab: str) -> Page:
    """Return the first page."""
    made = [state_of(lab_of(parse(FORMULA)), lab, True, Words("", WORDS, WORDS))]
    tracks = "\n".join(
        f"- **[{track.title}](lessons/index.md#{_anchor(track.title)})**: {track.summary}" for track in TRACKS
    )
    ways = [(f"{len(LESSONS)} questions", "lessons/index.md"), ("Found in the wild", "wild/index.md")]
    ways += [("Documents", "docs/index.md"), ("From Python", "api/index.md")]
    ways += [("Open the lab", lab)] if lab else []
    links = " ".join(
        f'<a class="md-button{"" if at else " md-button--primary"}" href="{to}">{words}</a>'
        for at, (words, to) in enumerate(ways)
    )
    body = [
        "**autodiff_viz** is a lab in which you build a small graph, change how its gradients flow, and see "
        "every number that JAX computes for it. These pages need no server: select a node, play the pass, "
        "move the slider.",
        framed("home", "a sine and a stopped square", "index.md"),
        f'<p class="av-ways">{links}</p>',
        "## What people ask",
        tracks,
        "## On your own machine",
        "```sh\nmake run     # installs into .venv and opens the lab on http://127.0.0.1:8501\n```",
        "Nothing here counts visits, and no other host is asked for anything.",
    ]
    about = (
        "A lab for automatic differentiation: stops, rewritten gradients, checkpoints and NaN, as live "
        "graphs with every number that JAX computes."
    )
    return Page(
        "index.md",
        TITLE,
        "\n\n".join(body),
        about,
        files={"figures/home.html": html_of(made, lab, True, TITLE, shared="")},
        hide=("navigation", "toc"),
        label="Home",
    )


def _anchor(title: str) -> str:
    return "-".join("".join(letter for letter in title.lower() if letter.isalnum() or letter in " -").split())
