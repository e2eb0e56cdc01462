"""Take the README's pictures: `python -m tests.browser.pictures` writes them to assets/screenshots/."""

from __future__ import annotations

import io
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from autodiff_viz.lessons.gallery import LESSONS
from tests.browser.server import FLAGS, HOW_TO_GET_CHROMIUM, ROOT, chromium, serving

FOLDER = ROOT / "assets" / "screenshots"
MOST_BYTES = 300_000
PATIENCE = 60_000  # ms; the first visitor waits for JAX to compile
DESK, PHONE = (1440, 960), (390, 844)


@dataclass(frozen=True)
class Picture:
    """One file: a page, its theme and the size of the window, in pixels; `sharp` doubles them. A button to
    `press` comes first."""

    name: str
    path: str = "/"
    scheme: str = "light"
    size: tuple[int, int] = DESK
    sharp: bool = False
    press: str = ""


PICTURES = (
    Picture("lab_light"),
    Picture("lab_dark", scheme="dark"),
    Picture("lab_phone", size=PHONE, sharp=True),
    Picture("training", path="/?lesson=xor-tutorial&variant=0", size=(1280, 900), press="Train 10"),
    Picture("lessons", path="/lessons"),
)


def main() -> int:
    """Exit status: 1 without a browser."""
    executable = chromium()
    if executable is None:
        print(HOW_TO_GET_CHROMIUM, file=sys.stderr)
        return 1
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder) / "log.txt") as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        for picture in PICTURES:
            data = small(taken(browser, address, picture))
            (FOLDER / f"{picture.name}.png").write_bytes(data)
            print(f"{picture.name}.png  {len(data) // 1000} kB")
        browser.close()
    return 0


def taken(browser: Browser, address: str, picture: Picture) -> bytes:
    width, height = picture.size
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=picture.scheme,
        device_scale_factor=2 if picture.sharp else 1,
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(address + picture.path)
    arrive(page, picture.path)
    if picture.press:
        page.get_by_role("button", name=picture.press).click()
        expect(page.get_by_text("Step 10 of 10")).to_be_visible(timeout=PATIENCE)
        _rest(page)
    if not page.locator("li.card").count():
        expect(page.locator(".checks .says")).to_contain_text("agree", timeout=PATIENCE)
    page.wait_for_timeout(1500)  # fonts and figures
    data = page.screenshot()
    context.close()
    return data


def arrive(page: Page, path: str) -> None:
    """Wait until the page at `path` is drawn, however busy the machine is."""
    if path != "/lessons":
        expect(page.locator(".canvas [data-id]").first).to_be_visible(timeout=PATIENCE)
        _rest(page)
    else:
        expect(page.locator("li.card")).to_have_count(len(LESSONS), timeout=PATIENCE)


def _rest(page: Page) -> None:
    app = page.get_by_test_id("stApp")
    expect(app).to_have_attribute("data-test-script-state", "notRunning", timeout=PATIENCE)


def small(data: bytes) -> bytes:
    """The same picture, packed as tightly as it goes without losing a colour."""
    packed = io.BytesIO()
    Image.open(io.BytesIO(data)).convert("RGB").save(packed, "PNG", optimize=True)
    if packed.tell() > MOST_BYTES:
        raise ValueError(
            f"A picture of {packed.tell()} bytes; at most {MOST_BYTES} belong into a repository."
        )
    return packed.getvalue()


if __name__ == "__main__":
    sys.exit(main())
