"""Build the site: `python -m website [DIR] [--only=PAGE,...]` makes all pages, or some of them.

The site goes to DIR/site, and what the generator reads beside it. DIR is `build/website` unless it is named.
`ZENSICAL` names the generator's command.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from autodiff_viz.display.colours import streamlit_theme, tokens
from autodiff_viz.lab.persistence.link_preview import PREVIEWS
from autodiff_viz.lessons.gallery import LESSONS
from autodiff_viz.standalone.page import shared_files
from autodiff_viz.ui.server.card_picture import card_picture
from autodiff_viz.ui.server.lessons_page import SITE, setting_address
from website.api import api_pages
from website.documents import SHOWN, WILD_FILES, document, found, found_index
from website.home import home
from website.lessons import lesson_page, lessons_index
from website.pages import LAB, Page

HERE = Path(__file__).parent
USUAL = HERE.parent / "build" / "website"
TOOLS = HERE.parent / "build" / "site-tools" / "bin" / "zensical"
GENERATOR = Path(os.environ.get("ZENSICAL", TOOLS))


def every_page(lab: str) -> Iterator[tuple[str, Callable[[], Page]]]:
    """Yield each page's path with what makes it."""
    yield "index.md", partial(home, lab)
    yield "lessons/index.md", lessons_index
    for shown in LESSONS:
        yield f"lessons/{shown.key}.md", partial(lesson_page, shown, lab)
    yield "wild/index.md", found_index
    for file in WILD_FILES:
        yield f"wild/{file.stem}.md", partial(found, file, lab)
    for source, (path, _) in SHOWN.items():
        yield path, partial(document, source, lab)
    for page in api_pages():  # costs nothing
        yield page.path, partial(lambda page: page, page)


def write_source(folder: Path, lab: str, site: str, only: set[str]) -> list[Page]:
    """Write what the generator reads: pages, figures, pictures, styles and its settings."""
    for each in ("pages", "overrides", "site"):
        shutil.rmtree(folder / each, ignore_errors=True)
    into = folder / "pages"
    pages = []
    for path, make in every_page(lab):
        if not only or path.removesuffix(".md") in only:
            pages.append(make())
            for name, text in {path: pages[-1].text, **pages[-1].files}.items():
                file = into / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, "utf-8")
    for name, text in shared_files().items():
        (into / "figures").mkdir(exist_ok=True)
        (into / "figures" / name).write_text(text, "utf-8")
    sheet = (HERE / "site.css").read_text("utf-8")
    assets = into / "assets"
    assets.mkdir()
    (assets / "site.css").write_text(tokens(sheet, streamlit_theme(":root")) + sheet, "utf-8")
    for script in ("site.js", "iframe-worker.js"):
        shutil.copy(HERE / script, assets)
    shutil.copy(HERE.parent / "autodiff_viz" / "ui" / "assets" / "icon.svg", assets)
    (into / "cards").mkdir()
    previews = {seen.picture: seen for seen in PREVIEWS}
    for card in {page.card for page in pages}:
        (into / "cards" / f"{card}.png").write_bytes(card_picture(previews[card]))
    if site:
        (into / "robots.txt").write_text(f"User-agent: *\nAllow: /\nSitemap: {site}sitemap.xml\n", "utf-8")
    shutil.copytree(HERE / "overrides", folder / "overrides")
    # JSON is YAML too, which the generator reads settings in.
    (folder / "mkdocs.yml").write_text(json.dumps(settings(pages, lab, site), indent=1), "utf-8")
    return pages


def settings(pages: list[Page], lab: str, site: str) -> dict[str, object]:
    """Return the generator's settings: those of `zensical.toml`, the address, and the menu."""
    found = tomllib.loads((HERE / "zensical.toml").read_text("utf-8"))["project"]
    if site:
        found["site_url"] = site
    else:  # for whoever opens the files: links lead to files, and the search needs no server
        found["plugins"] = {"offline": {}}
        found["extra"]["polyfills"] = [{"path": "assets/iframe-worker.js", "type": "text/javascript"}]
    menu: list[object] = []
    for page in pages:
        rows = menu
        for title in page.section:
            below = next((row[title] for row in rows if isinstance(row, dict) and title in row), None)
            if not isinstance(below, list):
                below = []
                rows.append({title: below})
            rows = below
        rows.append({page.label: page.path} if page.label else page.path)
    if lab:
        menu.append({"Open the lab": lab})
    return {**found, "nav": menu}


def build(folder: Path, only: set[str] = frozenset()) -> Path:
    """Build the site, or the pages of it that `only` names, and return its folder."""
    lab, site = setting_address(LAB), setting_address(SITE)
    pages = write_source(folder, lab, site, only)
    # A link to a page that is left out is no fault of the others.
    strict = [] if only else ["--strict"]
    run = subprocess.run(
        [str(GENERATOR), "build", "--clean", *strict],
        cwd=folder,
        env={**os.environ, "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if run.returncode:
        raise SystemExit(run.stdout)
    built = folder / "site"
    size = sum(file.stat().st_size for file in built.rglob("*") if file.is_file())
    print(f"{len(pages)} pages, {size:,} bytes, in {built}")
    return built


def main() -> None:
    """Build what the command line asks for."""
    named = [word for word in sys.argv[1:] if not word.startswith("--")]
    only = next((word.removeprefix("--only=") for word in sys.argv[1:] if word.startswith("--only=")), "")
    build(Path(named[0]).resolve() if named else USUAL, {*filter(None, only.split(","))})


if __name__ == "__main__":
    main()
