"""Test what the canvas shows of a graph: the minimap, the way back, a node's lineage, the ways to pan."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import LabPage, middle

pytestmark = pytest.mark.shared_page(plots=False)

CHAIN = "\n".join(["x = 0.5", *(f"a{i} = sin({'x' if i == 0 else f'a{i - 1}'})" for i in range(20))])
IN_A_ROW = ", ".join(f"{name} {192.0 * i} 0.0" for i, name in enumerate(["x", *(f"a{i}" for i in range(20))]))


def boxes(lab: LabPage, name: str) -> tuple[dict, dict]:
    return lab.node(name).bounding_box(), lab.canvas.bounding_box()


def on_view(lab: LabPage, name: str) -> bool:
    node, canvas = boxes(lab, name)
    across = node["x"] < canvas["x"] + canvas["width"] and node["x"] + node["width"] > canvas["x"]
    return across and node["y"] < canvas["y"] + canvas["height"] and node["y"] + node["height"] > canvas["y"]


def test_the_two_nodes_of_a_new_formula_stand_in_the_middle_and_not_in_a_corner(lab: LabPage):
    lab.type_formula(CHAIN)
    lab.type_formula("x = 0.5\ny = sin(x)")
    expect(lab.node("a0")).to_have_count(0)
    expect(lab.canvas.locator(".pane.gliding")).to_have_count(0)
    (x, canvas), (y, _) = boxes(lab, "x"), boxes(lab, "y")
    across = (x["x"] + y["x"] + y["width"]) / 2 - canvas["x"]
    down = (min(x["y"], y["y"]) + max(x["y"] + x["height"], y["y"] + y["height"])) / 2 - canvas["y"]
    assert across == pytest.approx(canvas["width"] / 2, abs=0.1 * canvas["width"])
    assert down == pytest.approx(canvas["height"] / 2, abs=0.15 * canvas["height"])
    assert x["width"] > 100  # large enough to be read


def test_the_canvas_cannot_be_panned_to_nothing(lab: LabPage):
    box = lab.canvas.bounding_box()
    start = (box["x"] + 20, box["y"] + 70)
    for _ in range(3):
        lab.move_mouse(start, (start[0] + box["width"] - 40, start[1] + box["height"] - 90))
    assert any(on_view(lab, name) for name in lab.names())
    assert "right" in lab.canvas.get_attribute("data-beyond")


def test_a_map_of_a_long_graph_moves_the_view(lab: LabPage):
    expect(lab.canvas.locator(".minimap")).to_be_hidden()  # six nodes, all on view
    lab.type_formula(f"{CHAIN}\n# positions: {IN_A_ROW}\n")
    lab.tools.get_by_role("button", name="Zoom in").click(click_count=6)
    chart = lab.canvas.locator(".minimap")
    expect(chart).to_be_visible()
    before = lab.place("a19")
    chart.click(position={"x": 142, "y": 48})
    assert on_view(lab, "a19")
    assert not on_view(lab, "x")
    chart.click(position={"x": 6, "y": 48})
    assert on_view(lab, "x")
    assert lab.place("a19") == before


def test_resting_on_a_node_lights_its_lineage_and_fades_the_rest(lab: LabPage):
    lab.node("exp_1").locator(".card").hover()
    expect(lab.canvas).to_have_class("canvas tracing")
    lit = lab.canvas.locator("[data-id].lit")
    found = set(lit.evaluate_all("nodes => nodes.map((node) => node.dataset.id)"))
    assert found == {"x", "a", "exp_1", "z"}
    expect(lab.node("y")).to_have_css("opacity", "0.28")
    lab.page.mouse.move(2, 2)
    expect(lab.node("y")).to_have_css("opacity", "1")


@pytest.mark.parametrize("way", ["space", "middle"])
def test_space_and_the_middle_button_pan_even_on_a_node(lab: LabPage, way):
    before, place = lab.node("a").bounding_box(), lab.place("a")
    at = (before["x"] + 40, before["y"] + 40)
    lab.canvas.locator(".surface").focus()
    button = "middle" if way == "middle" else "left"
    if way == "space":
        lab.page.keyboard.down(" ")
    lab.page.mouse.move(*at)
    lab.page.mouse.down(button=button)
    lab.page.mouse.move(at[0] + 30, at[1] + 20, steps=4)
    lab.page.mouse.up(button=button)
    if way == "space":
        lab.page.keyboard.up(" ")
    lab.settle()
    assert lab.node("a").bounding_box()["x"] == pytest.approx(before["x"] + 30, abs=2)
    assert lab.place("a") == place


def test_the_wheel_zooms_about_the_pointer_whatever_has_the_keys(lab: LabPage):
    lab.formula.click()
    before = lab.node("x").locator(".card").bounding_box()
    at = (before["x"] + before["width"] / 2, before["y"] + before["height"] / 2)
    lab.page.mouse.move(*at)
    lab.page.mouse.wheel(0, -120)
    lab.page.wait_for_function(
        "([card, w]) => card.getBoundingClientRect().width > 1.1 * w",
        arg=[
            lab.node("x").locator(".card").element_handle(),
            before["width"],
        ],
    )
    assert middle(lab.node("x").locator(".card")) == pytest.approx(at, abs=1.5)


@pytest.mark.own_page
def test_where_the_page_scrolls_the_wheel_is_the_pages_and_a_text_tells_how_to_zoom(lab: LabPage):
    lab.page.set_viewport_size({"width": 590, "height": 500})
    lab.formula.evaluate("area => area.focus({ preventScroll: true })")
    before = lab.node("x").locator(".card").bounding_box()["width"]
    lab.page.mouse.move(*middle(lab.node("x").locator(".card")))
    lab.page.mouse.wheel(0, 10)
    expect(lab.canvas.get_by_role("status")).to_contain_text("Ctrl + wheel")
    assert lab.node("x").locator(".card").bounding_box()["width"] == pytest.approx(before, abs=0.5)


def test_the_selection_is_fitted(lab: LabPage):
    lab.select("x")
    lab.press("Shift+F")
    node, canvas = boxes(lab, "x")
    assert node["width"] > 140  # as large as fitting makes it, 1.25 times 128 px
    assert node["x"] + node["width"] / 2 == pytest.approx(canvas["x"] + canvas["width"] / 2, abs=40)


GLIDES = """canvas => canvas.getAnimations({ subtree: true })
    .filter(({ playState, effect }) => playState !== "paused" && effect.getKeyframes()[0].transform).length"""


@pytest.mark.parametrize(("motion", "glide"), [("reduce", False), ("no-preference", True)])
def test_nodes_glide_to_new_places_unless_motion_is_unwanted(lab: LabPage, motion, glide):
    lab.page.emulate_media(reduced_motion=motion)
    lab.node("a").locator(".card").click()
    pressed = f"""canvas => {{
        const press = {{ key: "ArrowDown", altKey: true, bubbles: true, composed: true }};
        canvas.querySelector(".surface").dispatchEvent(new KeyboardEvent("keydown", press));
        return ({GLIDES})(canvas);
    }}"""
    assert (lab.canvas.evaluate(pressed) > 0) == glide


def test_the_cheat_sheet_fits_on_a_screen(lab: LabPage):
    lab.page.set_viewport_size({"width": 1280, "height": 800})
    lab.button("Keys and gestures")
    body = lab.canvas.locator(".sheet-body")
    for tab in lab.canvas.locator(".sheet .tab").all():
        tab.click()
        assert body.evaluate("(body) => body.scrollHeight <= body.clientHeight")
    lab.canvas.get_by_role("searchbox", name="Search keys").fill("stop grad")
    expect(body.locator(".row")).to_have_count(1)
    expect(lab.canvas.locator(".sheet")).to_be_in_viewport(ratio=1)
    lab.press("Escape")
    expect(lab.canvas.locator(".sheet")).to_have_count(0)
