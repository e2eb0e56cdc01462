"""Test tensors on the canvas and in the inspector."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import LabPage, saying

pytestmark = pytest.mark.shared_page(plots=False)

NET = """x = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
w = parameter(shape=(2, 6), seed=1)
h = tanh(x @ w)
loss = mean(h * h)
"""


@pytest.fixture
def net(lab: LabPage) -> LabPage:
    lab.type_formula(NET)
    expect(lab.node("loss")).to_be_attached()
    return lab


def pictures(net: LabPage, name: str) -> list[str]:
    """What the value and the cotangent of a node look like."""
    return net.node(name).locator("image").evaluate_all("all => all.map((one) => one.getAttribute('href'))")


def test_a_tensor_is_drawn_with_its_shape_and_every_wire_says_the_shape_that_it_carries(net: LabPage):
    net.select("h")
    net.press("Shift+F")  # from near
    expect(net.node("h").locator(".shape")).to_have_text("[4, 6]")
    net.press("f")
    assert all(picture.startswith("data:image/png") for picture in pictures(net, "h"))
    assert len(set(pictures(net, "h"))) == 2
    assert net.node("loss").locator("image").count() == 0
    labels = net.canvas.locator(".dims").all_text_contents()
    assert sorted(labels) == ["[2, 6]", "[4, 2]", "[4, 6]", "[4, 6]", "[4, 6]", "[4, 6]"]
    net.select("loss")
    net.press("Delete")
    expect(net.canvas.locator(".dims")).to_have_count(len(labels) - 1)


def test_a_picture_has_a_pixel_for_each_cell_and_zero_is_transparent(net: LabPage):
    pixels = """async (image) => {
        const bitmap = await createImageBitmap(await (await fetch(image.getAttribute("href"))).blob());
        const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
        context.drawImage(bitmap, 0, 0);
        const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
        const rows = Array.from({ length: bitmap.height }, (_, y) => y * bitmap.width);
        return rows.map((start) => Array.from({ length: bitmap.width }, (_, x) => data[4 * (start + x) + 3]));
    }"""
    found = net.node("x").locator("image").first.evaluate(pixels)
    assert found == [[0, 0], [0, 255], [255, 0], [255, 255]]  # x itself is 0 and 1 there


def test_a_stop_changes_the_pictures_of_cotangents_alone(net: LabPage):
    before = pictures(net, "w")
    net.select("h")
    net.press("s")
    expect(net.cotangent("w")).to_have_text("‖0‖")
    assert (pictures(net, "w")[0], pictures(net, "h")) == (before[0], pictures(net, "h"))
    assert pictures(net, "w")[1] != before[1]


@pytest.mark.nightly
def test_a_layer_from_the_palette_brings_what_it_learns_and_undo_takes_all_of_it(net: LabPage):
    before = net.names()
    net.select("h")
    net.add("dense")
    assert net.names() == before | {"dense_1", "w_1", "b_1"}
    net.press("Shift+F")  # from near
    expect(net.node("dense_1").locator(".shape")).to_have_text("[4, 8]")
    net.press("Control+z")
    assert net.names() == before


def test_an_input_is_turned_into_a_parameter_in_the_inspector(net: LabPage):
    net.select("x")
    net.page.get_by_role("switch", name="Parameter").click()
    net.settle()
    expect(net.node("x")).to_have_attribute("aria-label", saying("x, parameter"))
    expect(net.formula).to_have_value(saying("x = parameter([[0.0, 0.0]"))


@pytest.mark.nightly
def test_the_inspector_has_a_tensor_in_few_numbers_in_colours_and_in_full(net: LabPage):
    net.select("w")
    tensor = net.page.locator(".st-key-tensor")
    expect(tensor.get_by_text("Arriving cotangent")).to_be_visible()
    tensor.get_by_text("Heat-map", exact=True).click()
    expect(tensor.locator(".heatmaplayer image")).to_have_count(2)
    tensor.get_by_text("Numbers", exact=True).click()
    expect(tensor.get_by_test_id("stCode")).to_contain_text("[5]")


def test_the_legend_explains_thickness_and_beside_tensors_the_norm(lab: LabPage):
    legend, tip = lab.canvas.locator(".flow-key"), lab.page.locator(".av-tip")
    norm = legend.get_by_text("norm", exact=True)
    expect(norm).to_be_hidden()
    legend.get_by_text("thick = large").hover()
    expect(tip).to_contain_text("1/400")
    lab.type_formula("x = [[0.3, -0.8, 0.5]]\ny = sin(x)\nz = sum(y)")
    expect(norm).to_be_visible()
    lab.page.mouse.move(2, 2)  # the legend has moved below the pointer
    norm.hover()
    expect(tip).to_contain_text("the root of the sum of the squares")
    lab.select("y")
    lab.page.locator(".inspector .numbers .value").get_by_text("norm", exact=True).hover()
    expect(tip).to_be_visible()


def test_on_a_phone_the_norm_has_room_in_the_legend(phone: LabPage):
    phone.page.get_by_role("tab", name="Formula").tap()
    phone.type_formula("x = [[0.3, -0.8, 0.5]]\ny = sin(x)\nz = sum(y)")
    expect(phone.canvas.locator(".passed").first).to_contain_text("\u2016")
    # What has no room in the legend wraps below its edge.
    expect(phone.canvas.locator(".norm-key")).to_be_in_viewport(ratio=0.95)
