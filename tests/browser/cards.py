"""Draw the pictures of link previews: `python -m tests.browser.cards` writes one for each lesson and page
to ui/server/cards/, with the preview's words and the graph behind the link.
"""

from __future__ import annotations

import io
import re
import sys
import tempfile
from html import escape
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from autodiff_viz.lab.persistence.link_preview import NAME, PREVIEWS, Preview
from autodiff_viz.lessons.gallery import LESSONS
from autodiff_viz.ui.navigation import ASSETS
from autodiff_viz.ui.server.routes import FOLDER, INDEX, SIZE
from tests.browser.pictures import arrive
from tests.browser.server import FLAGS, HOW_TO_GET_CHROMIUM, chromium, serving

MOST_BYTES = 60_000
TALL = 2  # width over height under which a graph stands beside the words
COLOURS = 64  # of a card; more cannot be told apart, and cost bytes
MENU, PICTURE = "Files, pictures and links", "Picture as SVG"


def main() -> int:
    """Exit status: 1 without a browser."""
    executable = chromium()
    if executable is None:
        print(HOW_TO_GET_CHROMIUM, file=sys.stderr)
        return 1
    FOLDER.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder) / "log.txt") as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        for preview in PREVIEWS:
            data = small(drawn(browser, address, preview))
            (FOLDER / f"{preview.picture}.png").write_bytes(data)
            print(f"{preview.picture}.png  {len(data) // 1000} kB")
        browser.close()
    return 0


def drawn(browser: Browser, address: str, preview: Preview) -> bytes:
    """The card as a PNG file."""
    context = browser.new_context(viewport={"width": SIZE[0], "height": SIZE[1]}, color_scheme="light")
    page = context.new_page()
    below = titles() if preview.picture == "lessons" else graph(page, address + preview.address)
    place = f"{address}/card.html"  # beside the app, whose font it uses
    page.route(place, lambda route: route.fulfill(body=card(preview, below), content_type="text/html"))
    page.goto(place)
    page.evaluate("document.fonts.ready")
    data = page.screenshot()
    context.close()
    return data


def graph(page: Page, address: str) -> str:
    """The graph at an address, as SVG that fits where it is put."""
    page.goto(address)
    arrive(page, "/")
    canvas = page.locator(".canvas")
    with page.expect_download() as download:
        page.get_by_role("button", name=MENU).click()
        canvas.get_by_role("menuitem", name=PICTURE).click()
    picture = Path(download.value.path()).read_text("utf-8")
    return picture.replace("<svg ", '<svg class="graph" ', 1)


def titles() -> str:
    """The lessons by name."""
    items = "".join(f"<li>{escape(lesson.title)}</li>" for lesson in LESSONS)
    return f"<ol>{items}</ol>"


def card(preview: Preview, below: str) -> str:
    title = preview.title.removesuffix(f" · {NAME}").removeprefix(f"{NAME}: ")
    return CARD.format(
        fonts=re.search(r"/static/css/index[^\"]+", INDEX.read_text("utf-8"))[0],
        logo=(ASSETS / "logo.svg").read_text("utf-8"),
        title=escape(title[0].upper() + title[1:]),
        text=escape(preview.description),
        below=below,
        kind="tall" if is_tall(below) else "",
    )


def is_tall(picture: str) -> bool:
    """Return whether a graph is better seen beside the words than under them."""
    size = re.match(r'<svg class="graph" [^>]*?width="(\d+)" height="(\d+)"', picture)
    return size is not None and int(size[1]) < TALL * int(size[2])


CARD = """<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <link rel="stylesheet" href="{fonts}" />
    <style>
      body {{ margin: 0; height: 100vh; box-sizing: border-box; padding: 44px 56px 40px; display: flex;
        flex-direction: column; font-family: "Source Sans", system-ui, sans-serif; color: #1d2129;
        background: #ffffff; border-bottom: 12px solid #2f5fd0; }}
      header > svg {{ height: 44px; width: auto; }}
      h1 {{ font-size: 62px; line-height: 1.05; margin: 22px 0 12px; letter-spacing: -0.01em; }}
      p {{ font-size: 31px; line-height: 1.25; margin: 0; color: #4a5160; max-width: 1040px; }}
      main {{ flex: 1; min-height: 0; margin-top: 26px; display: flex; align-items: center;
        justify-content: center; }}
      .graph {{ width: 100%; height: 100%; }}
      .tall :is(h1, p) {{ max-width: 560px; }}
      .tall main {{ position: absolute; margin: 0; left: 640px; right: 40px; top: 40px; bottom: 52px; }}
      ol {{ columns: 2; column-gap: 48px; font-size: 27px; line-height: 1.5; margin: 0; padding-left: 44px;
        width: 100%; }}
    </style>
  </head>
  <body class="{kind}">
    <header>{logo}</header>
    <h1>{title}</h1>
    <p>{text}</p>
    <main>{below}</main>
  </body>
</html>
"""


def small(data: bytes) -> bytes:
    """The same picture in few colours."""
    packed = io.BytesIO()
    Image.open(io.BytesIO(data)).convert("RGB").quantize(COLOURS).save(packed, "PNG", optimize=True)
    if packed.tell() > MOST_BYTES:
        raise ValueError(f"A card of {packed.tell()} bytes; chats want less than {MOST_BYTES}.")
    return packed.getvalue()


if __name__ == "__main__":
    sys.exit(main())
