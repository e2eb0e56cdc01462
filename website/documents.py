"""Write the pages of the project's documents, with figures where they ask for one.

A comment `<!-- live -->` below a fence asks for the figure of its formula, one with a formula after `live`
for the figure of that. Elsewhere, as on GitHub, nobody sees it.
"""

from __future__ import annotations

import posixpath
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from autodiff_viz.language.parse import parse
from autodiff_viz.lessons.tour import Step, Tour
from autodiff_viz.standalone.data import Words, lab_of, state_of
from autodiff_viz.standalone.page import html_of, steps_of
from website.pages import Page, framed, plain

ROOT = Path(__file__).parents[1]
WILD_FILES = sorted((Path(__file__).parent / "wild").glob("*.md"))
FOUND = "Found in the wild"
DOCUMENTS, CHANGING = "Documents", "Change it"

SHOWN: Mapping[str, tuple[str, str]] = {
    "docs/README.md": ("docs/index.md", DOCUMENTS),
    "docs/formula.md": ("docs/formula.md", DOCUMENTS),
    "docs/code.md": ("docs/code.md", DOCUMENTS),
    "docs/python.md": ("docs/python.md", DOCUMENTS),
    "docs/package.md": ("docs/package.md", DOCUMENTS),
    "docs/teachers.md": ("docs/teachers.md", DOCUMENTS),
    "docs/hosting.md": ("docs/hosting.md", DOCUMENTS),
    "deploy/README.md": ("docs/deploy.md", DOCUMENTS),
    "docs/architecture.md": ("change/architecture.md", CHANGING),
    "CONTRIBUTING.md": ("change/index.md", CHANGING),
    **{
        f"autodiff_viz/{room}/README.md": (f"change/{room}.md", CHANGING)
        for room in (
            "ops", "graph", "reading", "explain", "lessons", "asking", "language", "messages", "web", "ui",
            "embedding", "workers",
        )
    },
    "tests/README.md": ("change/tests.md", CHANGING),
}  # fmt: skip
"""By file of the project its page, and where that stands in the menu."""

_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")
_HEADING = re.compile(r"\A# (.+)\n")
_FENCE = re.compile(r"^(`{3,})([^\n]*)\n(.*?)^\1\n", re.MULTILINE | re.DOTALL)
_LIVE = re.compile(r"<!-- live\b(.*?)-->", re.DOTALL)


def document(source: str, lab: str) -> Page:
    """Return the page of a document of the project."""
    path, section = SHOWN[source]
    text = (ROOT / source).read_text("utf-8")
    title = _HEADING.match(text)[1]
    body = _with_pages(_HEADING.sub("", text), source, path)
    body, files = _with_figures(body, path.removesuffix(".md").replace("/", "-"), title, path, lab)
    first = next(iter(re.findall(r"^[A-Z][^\n]*(?:\n[^\n]+)*", body, re.MULTILINE)), title)
    label = "" if path.endswith("index.md") else title
    about = plain(" ".join(first.split()))
    return Page(path, plain(title), body, about, files=files, section=(section,), label=label)


def _with_pages(text: str, source: str, path: str) -> str:
    """Return a text whose links lead to pages of the site; what has none keeps its words alone."""

    def led(match: re.Match[str]) -> str:
        picture, words, to, part = match.groups()
        if re.match(r"[a-z]+:", to):
            return match[0]
        file = posixpath.normpath(posixpath.join(posixpath.dirname(source), to))
        if file not in SHOWN or picture:
            return words
        return f"[{words}]({posixpath.relpath(SHOWN[file][0], posixpath.dirname(path) or '.')}{part or ''})"

    return _LINK.sub(led, text)


def _with_figures(text: str, key: str, title: str, path: str, lab: str) -> tuple[str, dict[str, str]]:
    """Return a text with frames in place of the comments that ask for figures, and the figures' files."""
    files: dict[str, str] = {}

    def live(match: re.Match[str]) -> str:
        own = match[1].strip("\n")
        before = [*_FENCE.finditer(text, 0, match.start())]
        formula = own if own.strip() else before[-1][3]
        name = f"{key}-{len(files) + 1}"
        made = [state_of(lab_of(parse(formula)), lab, True, Words(""))]
        files[f"figures/{name}.html"] = html_of(made, lab, True, title, shared="")
        return framed(name, title, path)

    return _LIVE.sub(live, text), files


def found_index() -> Page:
    """Return the list of what was found in the wild."""
    parts = [
        "People have asked in public for pictures of gradients that this project draws already. Here they "
        "are, alive: select a node, play the pass, move a slider."
    ]
    for file in WILD_FILES:
        about, _ = _head(file)
        parts.append(f"## [{about['title']}]({file.name})\n\n{about['summary']}")
    says = "Public requests for pictures of backpropagation, answered with live figures."
    return Page("wild/index.md", FOUND, "\n\n".join(parts), says, section=(FOUND,))


def _head(file: Path) -> tuple[dict[str, str], str]:
    """Return the front matter of a file, and its text."""
    _, head, text = file.read_text("utf-8").split("+++\n", 2)
    return tomllib.loads(head), text


def found(file: Path, lab: str) -> Page:
    """Return a page that answers what somebody has asked for in public.

    Its file has front matter, words, and fences `step`, which are the steps of its figure: title and words, a
    line `---`, and the formula. The figure stands where the first of them does.
    """
    about, text = _head(file)
    path, key = f"wild/{file.stem}.md", f"wild-{file.stem}"
    steps = []
    for fence in _FENCE.finditer(text):
        if fence[2] == "step":
            title, says, formula = _step(fence[3])
            steps.append(Step(title, formula, text=says))
    tour = Tour(title=about["title"], steps=tuple(steps))
    figure = html_of(steps_of(tour, lab, True), lab, True, about["title"], shared="")
    frame = [framed(key, about["title"], path, tall=True)]

    def shown(fence: re.Match[str]) -> str:
        if fence[2] != "step":
            return fence[0]
        return f"{frame.pop()}\n" if frame else ""

    body = _FENCE.sub(shown, text)
    return Page(
        path,
        about["title"],
        body.strip(),
        about["summary"],
        files={f"figures/{key}.html": figure},
        hide=("toc",),
        section=(FOUND,),
        label=about["title"],
    )


def _step(text: str) -> tuple[str, str, str]:
    """Return title, words and formula of a step."""
    said, _, formula = text.partition("---\n")
    title, _, words = said.partition("\n")
    return title.strip(), " ".join(words.split()), formula
