"""Test export from and import to the canvas: pictures, files, links, text."""

from __future__ import annotations

import io
import json
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import BrowserContext, expect

from autodiff_viz.graph import limits
from autodiff_viz.graph.link import to_link
from autodiff_viz.lab.state import FIRST
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show
from tests.browser.lab_page import LabPage, four_digits, saying

pytestmark = pytest.mark.shared_page(plots=False)

SVG = "{http://www.w3.org/2000/svg}"
OTHER = "u = 2.0\nv = u * u"
MENU = "Files, pictures and links"


@pytest.fixture(autouse=True)
def clipboard(context: BrowserContext, address: str) -> Iterator[None]:
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
    yield
    context.clear_permissions()


def choose(lab: LabPage, item: str) -> None:
    lab.tools.get_by_role("button", name=MENU).click()
    lab.canvas.get_by_role("menuitem", name=item).click()


def taken(lab: LabPage, item: str) -> tuple[str, bytes]:
    with lab.page.expect_download() as download:
        choose(lab, item)
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def copied(lab: LabPage) -> str:
    expect(lab.canvas.get_by_role("status")).to_contain_text("copied")
    return lab.page.evaluate("navigator.clipboard.readText()")


def test_the_svg_holds_every_number_as_text_and_nothing_from_elsewhere(lab: LabPage):
    name, data = taken(lab, "Picture as SVG")
    assert name == "autodiff_graph.svg"
    root = ET.fromstring(data)  # well-formed, as any viewer requires
    texts = {text.text for text in root.iter(f"{SVG}text")}
    slope = 1.5 * math.cos(0.6)
    expected = {"x", "0.6", four_digits(math.sin(0.6)), four_digits(slope), "stop", "output"}
    assert expected <= texts
    assert "sans-serif" in root.get("font-family")
    attributes = {key for element in root.iter() for key in element.attrib}
    assert not attributes & {"class", "style", "href", f"{{{SVG}}}href"}
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= {"svg", "g", "path", "rect", "circle", "line", "text", "title", "metadata"}
    assert not [needs for needs in (b"url(", b"var(", b"color(") if needs in data]


def test_the_png_has_two_pixels_for_each_of_the_svg(lab: LabPage):
    _, svg = taken(lab, "Picture as SVG")
    name, data = taken(lab, "Picture as PNG")
    picture, root = Image.open(io.BytesIO(data)), ET.fromstring(svg)
    assert name == "autodiff_graph.png"
    assert picture.size == (2 * int(root.get("width")), 2 * int(root.get("height")))
    assert len(picture.convert("RGB").getcolors(1 << 24)) > 20  # something is drawn


def test_what_is_far_off_or_out_of_sight_is_in_the_picture_as_seen_from_near(lab: LabPage):
    before = {text.text for text in ET.fromstring(taken(lab, "Picture as SVG")[1]).iter(f"{SVG}text")}
    for _ in range(8):
        lab.press("-")
    after = {text.text for text in ET.fromstring(taken(lab, "Picture as SVG")[1]).iter(f"{SVG}text")}
    assert after == before


def test_the_json_of_the_menu_is_the_graph(lab: LabPage):
    name, data = taken(lab, "Graph as JSON")
    assert name == "autodiff_graph.json"
    assert {node["name"] for node in json.loads(data)["nodes"]} == lab.names()


def test_the_link_of_the_menu_opens_the_same_graph(lab: LabPage):
    lab.type_formula(OTHER)
    choose(lab, "Copy the link")
    link = copied(lab)
    assert re.search(r"\?f=", link)  # the short one, as Share gives it
    lab.open()
    lab.page.goto(link)
    expect(lab.value("v")).to_have_text("4")


@pytest.mark.nightly
@pytest.mark.own_page
@pytest.mark.shared_page  # with the plots open
def test_a_link_carries_what_is_folded_the_size_of_the_type_and_the_part_on_view(lab: LabPage):
    root, card = lab.page.locator("html"), lab.node("z").locator(".card")
    lab.page.get_by_role("button", name="Fold the plots", exact=True).click()
    lab.canvas.locator(".surface").focus()
    lab.press("Shift+P")
    for key in ("+", "+", "ArrowRight"):
        lab.press(key)
    before = card.bounding_box()
    choose(lab, "Copy the link")
    link = copied(lab)
    lab.page.evaluate("localStorage.clear(); sessionStorage.clear()")
    lab.page.goto("about:blank")
    lab.page.goto(link)
    expect(root).to_have_attribute("data-av-dock", "folded")
    expect(root).to_have_attribute("data-av-type", "large")
    lab.settle()
    after = card.bounding_box()
    assert all(abs(after[side] - before[side]) < 3 for side in before), f"{before} {after}"
    lab.page.evaluate("localStorage.clear()")


def test_the_formula_is_copied_as_it_stands_in_the_editor(lab: LabPage):
    choose(lab, "Copy the formula")
    assert parse(copied(lab)) == parse(FIRST)


@pytest.mark.own_page
def test_without_the_right_to_copy_the_text_is_shown_to_copy_by_hand(lab: LabPage):
    lab.page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
    choose(lab, "Copy the formula")
    field = lab.canvas.get_by_role("textbox", name="Text to copy")
    expect(field).to_have_value(lab.formula.input_value())
    expect(field).to_be_focused()
    lab.press("Escape")
    expect(field).to_have_count(0)


@pytest.mark.parametrize(("name", "text"), [("a.txt", OTHER), ("a.py", OTHER), ("a.json", None)])
def test_a_file_opens_in_place_of_the_graph_and_undo_brings_it_back(lab: LabPage, name, text):
    if text is None:
        before, text = lab.formula.input_value(), taken(lab, "Graph as JSON")[1].decode()
        lab.type_formula("q = 1.0")
    else:
        before = text
    kept = lab.formula.input_value()
    with lab.page.expect_file_chooser() as chooser:
        choose(lab, "Open a file")
    chooser.value.set_files({"name": name, "mimeType": "text/plain", "buffer": text.encode()})
    expect(lab.formula).to_have_value(saying(show(parse(before), positions=False).strip()))
    lab.button("Undo")
    expect(lab.formula).to_have_value(kept)


@pytest.mark.parametrize("kind", ["PNG", "SVG"])
def test_a_picture_opens_as_the_graph_that_it_shows(lab: LabPage, kind):
    lab.select("b")
    lab.press("s")
    name, data = taken(lab, f"Picture as {kind}")
    if kind == "PNG":  # another program finds it too
        assert "g=" in Image.open(io.BytesIO(data)).text["autodiff_viz"]
    lab.type_formula(OTHER)
    with lab.page.expect_file_chooser() as chooser:
        choose(lab, "Open a file")
    chooser.value.set_files({"name": name, "mimeType": f"image/{kind.lower()}", "buffer": data})
    expect(lab.cotangent("a")).to_have_text("0")
    assert lab.names() == {"x", "y", "a", "b", "exp_1", "z"}


def test_a_picture_without_a_graph_says_so(lab: LabPage):
    data = io.BytesIO()
    Image.new("RGB", (2, 2)).save(data, "PNG")
    with lab.page.expect_file_chooser() as chooser:
        choose(lab, "Open a file")
    chooser.value.set_files({"name": "holiday.png", "mimeType": "image/png", "buffer": data.getvalue()})
    expect(lab.canvas.get_by_role("status")).to_contain_text("holiday.png is a PNG picture without a graph")
    assert "z" in lab.names()


def test_a_file_beyond_the_limit_is_refused_without_being_sent(lab: LabPage):
    with lab.page.expect_file_chooser() as chooser:
        choose(lab, "Open a file")
    chooser.value.set_files(
        {"name": "long.txt", "mimeType": "text/plain", "buffer": b"#" * (limits.JSON + 1)}
    )
    expect(lab.canvas.get_by_role("status")).to_contain_text("longer than 2 million")
    assert lab.names() == {"x", "y", "a", "b", "exp_1", "z"}


DROP = """(canvas, text) => {
  const data = new DataTransfer();
  data.items.add(new File([text], "graph.txt", { type: "text/plain" }));
  const all = { dataTransfer: data, bubbles: true, cancelable: true, composed: true };
  for (const kind of ["dragover", "drop"]) {
    canvas.dispatchEvent(new DragEvent(kind, all));
  }
}"""


def test_a_file_dropped_on_the_canvas_opens(lab: LabPage):
    lab.canvas.evaluate(DROP, OTHER)
    expect(lab.value("v")).to_have_text("4")


def test_a_pasted_link_opens(lab: LabPage):
    link = f"https://example.org/?g={to_link(parse(OTHER))}"
    lab.page.evaluate("(link) => navigator.clipboard.writeText(link)", link)
    lab.canvas.locator(".surface").focus()
    lab.press("Control+v")
    expect(lab.value("v")).to_have_text("4")
    assert lab.names() == {"u", "v"}


def test_text_typed_in_the_dialog_opens_and_what_holds_no_graph_says_so(lab: LabPage):
    choose(lab, "Open a link or text")
    lab.canvas.get_by_role("textbox", name="Graph to open").fill("see you on Monday")
    lab.tools.get_by_role("button", name="Open", exact=True).click()
    expect(lab.page.get_by_text("neither JSON nor a link").first).to_be_visible()
    assert "z" in lab.names()
    choose(lab, "Open a link or text")
    lab.canvas.get_by_role("textbox", name="Graph to open").fill(OTHER)
    lab.tools.get_by_role("button", name="Open", exact=True).click()
    expect(lab.value("v")).to_have_text("4")


def test_the_menu_is_walked_with_arrows_and_left_with_escape(lab: LabPage):
    lab.tools.get_by_role("button", name=MENU).focus()
    lab.page.keyboard.press("Enter")
    expect(lab.canvas.get_by_role("menuitem", name="New graph")).to_be_focused()
    lab.page.keyboard.press("ArrowUp")
    expect(lab.canvas.get_by_role("menuitem", name="Copy the formula")).to_be_focused()
    lab.page.keyboard.press("Escape")
    lab.tools.get_by_role("button", name="View: type size, zoom, modes").focus()
    lab.page.keyboard.press("Enter")
    expect(lab.canvas.get_by_role("menuitemcheckbox", name="Large type")).to_be_focused()
    lab.page.keyboard.press("Escape")
    expect(lab.canvas.get_by_role("menu")).to_have_count(0)
    expect(lab.canvas.locator(".surface")).to_be_focused()


def test_a_new_graph_is_empty_and_undo_brings_the_last_one_back(lab: LabPage):
    choose(lab, "New graph")
    lab.settle()
    assert lab.names() == set()
    expect(lab.formula).to_have_value("")
    lab.button("Undo: New graph")
    assert lab.names() == {"x", "y", "a", "b", "exp_1", "z"}


@pytest.mark.own_page
def test_each_file_says_that_it_is_saved_and_as_what_or_that_it_waits_for_the_answers(lab: LabPage):
    status = lab.canvas.get_by_role("status")
    files = {
        "Save as interactive figure": "autodiff_figure.html",
        "Handout to print": "autodiff_handout.html",
        "Graph as a JAX file": "autodiff_graph.py",
        "Jupyter notebook": "autodiff_graph.ipynb",
    }
    for item, name in files.items():
        with lab.page.expect_download() as saving:
            choose(lab, item)
            expect(status).to_have_text(re.compile(f"Writing {name}|Saved as {name}"))
        assert saving.value.suggested_filename == name
        expect(status).to_have_text(f"Saved as {name}.")
    lab.select("x")
    lab.press("q")
    lab.page.keyboard.press("Enter")
    lab.page.keyboard.press("Escape")
    expect(lab.node("x").locator(".number.cotangent")).to_have_text("?")
    for item in ("PyTorch file", "Jupyter notebook", "marimo notebook", "Report for an issue"):
        lab.tools.get_by_role("button", name=MENU).click()
        entry = lab.canvas.get_by_role("menuitem", name=item)
        expect(entry).to_have_attribute("aria-disabled", "true")
        entry.click(force=True)
        expect(status).to_contain_text("after the answers")
    with lab.page.expect_download():  # it asks what is asked, and tells nothing
        choose(lab, "Handout to print")


@pytest.mark.own_page
def test_a_picture_has_neither_ones_answers_nor_the_number_that_was_asked_unless_it_is_to(lab: LabPage):
    lab.type_formula("x = 3.0\na = 2.0 * x\nb = square(x)\nz = a + b")
    lab.select("x")
    lab.press("q")
    lab.page.keyboard.press("Enter")
    lab.page.keyboard.press("Escape")
    lab.page.locator(".asking .answer-field").fill("64.9")
    lab.page.keyboard.press("Enter")
    lab.settle()
    lab.page.get_by_role("button", name="I do not know").click()
    lab.settle()
    expect(lab.node("x").locator(".number.cotangent")).to_have_text("8")
    expect(lab.node("x").locator(".chip.guess")).to_have_text("your answer: 64.9")

    def texts() -> set[str]:
        root = ET.fromstring(taken(lab, "Picture as SVG")[1])
        return {text.text for text in root.iter(f"{SVG}text")}

    found = texts()
    assert "?" in found
    assert not found & {"8", "your answer: 64.9"}
    lab.tools.get_by_role("button", name=MENU).click()
    lab.canvas.get_by_role("menuitemcheckbox", name="Pictures with my answers").click()
    lab.page.keyboard.press("Escape")
    found = texts()
    assert "?" not in found
    assert {"8", "your answer: 64.9"} <= found
