"""Test that nothing moves while a page loads, and that all pages have one header and one font."""

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from benchmarks.browser import STILL, layout_shift

LABELS = ("Lab", "Lessons")
FACE = """(link) => {
  const { fontFamily, fontSize, fontWeight } = getComputedStyle(link.querySelector("p") ?? link);
  const [family] = fontFamily.replaceAll('"', "").split(",");
  const loaded = [...document.fonts].filter(({ status }) => status === "loaded");
  return [family, fontSize, fontWeight, loaded.some((face) => face.family.includes(family))];
}"""


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)])
def test_nothing_moves_while_the_lab_loads(browser: Browser, address: str, size: tuple[int, int]):
    assert layout_shift(browser, address, *size) < STILL


def test_the_lab_and_the_lessons_have_one_header_and_one_font(context: BrowserContext, address: str):
    for width, height in [(1280, 720), (390, 844)]:
        seen = []
        for path in ("/", "/lessons"):
            page = context.new_page()
            page.set_viewport_size({"width": width, "height": height})
            page.goto(address + path)
            expect(page.locator("#av-first")).to_have_count(0)
            links = [page.get_by_role("link", name=name, exact=True).first for name in LABELS]
            expect(links[0]).to_be_visible()
            logo = page.locator("[data-testid=stHeaderLogo], .bar img")
            boxes = [part.bounding_box() for part in (logo, *links)]
            seen.append((boxes, [link.evaluate(FACE) for link in links]))
            page.close()
        (lab, faces), (lessons, their_faces) = seen
        assert faces == their_faces
        assert all(loaded for *_, loaded in faces)
        for one, other in zip(lab, lessons, strict=True):
            assert all(abs(one[side] - other[side]) <= 1 for side in one), (one, other)
