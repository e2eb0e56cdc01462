"""Test every graph of every lesson as it opens: text is large enough to read, and nothing lies over it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import expect

from autodiff_viz.lessons.gallery import LESSONS
from tests.browser.lab_page import LabPage, middle

pytestmark = pytest.mark.shared_page

SMALL, LARGE, NARROW, PHONE = (1280, 720), (1920, 1080), (960, 600), (390, 844)
LEAST = {SMALL: (12, 13), LARGE: (16, 18), NARROW: (12, 13), PHONE: (11, 13)}
"""Px of text and of numbers, at least, by the size of the window."""

FINE = 0.1  # px of rounding

RESIZED = """async ([w, h, ...before]) => {
  const frame = () => new Promise(requestAnimationFrame);
  const roots = [document, ...[...document.querySelectorAll("*")].flatMap((one) => one.shadowRoot ?? [])];
  const canvas = roots.map((root) => root.querySelector(".canvas")).find(Boolean);
  const { width, height } = canvas.getBoundingClientRect();
  if (innerWidth !== w || innerHeight !== h || (width === before[0] && height === before[1])) return false;
  await frame();
  await frame(); // the canvas has heard of its size, and is drawn
  return true;
}"""

MEASURED = """canvas => {
  const seen = (one) => getComputedStyle(one).visibility !== "hidden" && one.getClientRects().length > 0;
  const boxOf = (one) => one.getBoundingClientRect();
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const all = (selector) => [...canvas.querySelectorAll(selector)].filter(seen);
  const view = boxOf(canvas.querySelector(".surface"));
  const inView = ({ left, right, top, bottom }) => ({
    left: Math.max(left, view.left), right: Math.min(right, view.right),
    top: Math.max(top, view.top), bottom: Math.min(bottom, view.bottom),
  });
  const read = all(".surface text").filter((one) => one.textContent.trim() && meet(boxOf(one), view));
  const texts = read.map((text) => {
    const { a, b } = text.getScreenCTM();
    const px = parseFloat(getComputedStyle(text).fontSize) * Math.hypot(a, b);
    return { says: text.textContent, px, number: text.matches(".number, .passed, .cell, .pill text") };
  });
  const cards = all("[data-id] > .card:not(.behind)").map((one) => [one.parentNode.dataset.id, boxOf(one)]);
  const cut = (box) => Object.entries(inView(box)).some(([side, at]) => Math.abs(at - box[side]) > 1);
  const out = cards.filter(([, box]) => cut(box)).map(([id]) => id);
  const bars = all(".bar, .minimap, .flow-key, .legend-line > span, .welcome");
  const under = (box) => bars.filter((bar) => meet(inView(box), boxOf(bar))).map((bar) => bar.className);
  const covered = cards.flatMap(([id, box]) => under(box).map((bar) => `${id} under ${bar}`));
  const inner = ({ left, right, top, bottom }) => ({
    left: left + 1, right: right - 1, top: top + 1, bottom: bottom - 1,
  });
  const named = all("[data-id] :is(.name, .symbol).above")
    .map((one) => [`name ${one.textContent}`, boxOf(one)]);
  for (const one of all(".region .tab-back")) {
    const [frame, tab] = [one.closest(".region").dataset.region, inner(boxOf(one))];
    const hidden = [...cards, ...named].filter(([, box]) => meet(box, tab));
    covered.push(...hidden.map(([id]) => `tab ${frame} over ${id}`));
  }
  const inked = ({ left, right, top, bottom }) => ({
    left: left + 1, right: right - 1,
    top: top + (bottom - top) / 4, bottom: bottom - (bottom - top) / 4,
  });
  const written = all("[data-id] > :is(.number, .cell, .symbol, .sign, .name)")
    .filter((one) => one.textContent.trim());
  const pen = document.createElement("canvas").getContext("2d");
  const ink = (text) => { // what is seen of a text: its box has room above and below
    const [box, place, { font }] = [boxOf(text), text.getScreenCTM(), getComputedStyle(text)];
    pen.font = font;
    const up = pen.measureText(text.textContent).actualBoundingBoxAscent * place.d;
    const line = new DOMPoint(0, Number(text.getAttribute("y"))).matrixTransform(place).y;
    return { left: box.left, right: box.right, top: line - up, bottom: line };
  };
  for (const chip of all("[data-id] > .chip > rect")) {
    const card = chip.closest("[data-id]");
    const met = written.filter((one) => one.parentNode === card && meet(ink(one), boxOf(chip)));
    const kind = chip.parentNode.className.baseVal;
    covered.push(...met.map((one) => `${kind} over ${one.textContent} in ${card.dataset.id}`));
    const box = inner(boxOf(chip)), below = boxOf(card.querySelector(".card")).top;
    const others = [
      ...cards.filter(([id]) => id !== card.dataset.id).map(([id, other]) => [id, other]),
      ...all(".region .tab-back").map((one) => [`tab ${one.closest(".region").dataset.region}`, boxOf(one)]),
    ];
    const touched = others.filter(([, other]) => box.top < below && meet(box, other));
    covered.push(...touched.map(([id]) => `${kind} of ${card.dataset.id} over ${id}`));
  }
  written.forEach((one, i) => {
    const near = written.slice(i + 1).filter((other) => other.parentNode === one.parentNode);
    const met = near.filter((other) => meet(inked(boxOf(one)), inked(boxOf(other))));
    const where = one.parentNode.dataset.id;
    covered.push(...met.map((other) => `${one.textContent} over ${other.textContent} in ${where}`));
  });
  // Whatever stands beside cards has a place of its own: badges, answers, numbers of wires, constants, tabs.
  const line = (text) => {
    const place = text.getScreenCTM(), { actualBoundingBoxDescent: down } = pen.measureText(text.textContent);
    const { top, bottom, ...sides } = ink(text);
    return inner({ ...sides, top, bottom: bottom + down * place.d });
  };
  const marks = [
    ...all(".chip > rect, .pill > rect, .wanting > rect").map((one) => [one.parentNode, boxOf(one)]),
    ...all(".region .tab-back, .region .badge").map((one) => [one.closest(".region"), boxOf(one)]),
  ].map(([one, box]) => [one, inner(box)]);
  marks.push(...all(".passed:not(.crowded), .dims:not(.crowded)").filter((one) => one.textContent)
    .map((one) => [one, line(one)]));
  const says = (one) => `${one.getAttribute("class")} ${one.dataset.region ?? one.textContent}`;
  marks.forEach(([one, box], i) => {
    const own = one.closest("[data-id]");
    const met = marks.slice(i + 1).filter(([other, at]) => !(own === null && other === one) && meet(box, at));
    covered.push(...met.map(([other]) => `${says(one)} over ${says(other)}`));
    const under = cards.filter(([id, card]) => id !== own?.dataset.id && meet(box, card));
    covered.push(...under.map(([id]) => `${says(one)} over ${id}`));
    const hidden = written.filter((text) => text.parentNode !== own && meet(box, line(text)));
    covered.push(...hidden.map((text) => `${says(one)} over ${text.textContent}`));
  });
  const signed = all("[data-id] > :is(.symbol, .sign)").filter((one) => one.textContent.trim());
  const signs = new Set(signed.map((one) => one.parentNode));
  const ops = all("[data-id]:not(.tab-card, .fold, .culled)");
  const unsigned = ops.filter((card) => !signs.has(card)).map((card) => card.dataset.id);
  return { unsigned, texts, nodes: cards.length, map: all(".minimap").length > 0, covered, out };
}"""


def measured(lab: LabPage) -> dict[str, Any]:
    expect(lab.canvas.locator(".pane.gliding")).to_have_count(0)  # a zoom is drawn when it rests
    return lab.canvas.evaluate(MEASURED)


def faults(found: dict[str, Any], window: tuple[int, int]) -> list[str]:
    """What is wrong with a canvas in a window of this size, in words."""
    least = dict(zip((False, True), LEAST[window], strict=True))
    wrong = [
        f"{text['says']!r} has {text['px']:.1f} px"
        for text in found["texts"]
        if text["px"] < least[text["number"]] - FINE
    ]
    wrong += [f"{name} is out of view" for name in found["out"]]
    wrong += [f"{name} has no sign" for name in found["unsigned"]]
    if found["map"] and not found["out"]:
        wrong.append("the map is there, and all is in view")
    return [*wrong, *found["covered"]]


def shown(lab: LabPage, formula: str) -> None:
    lab.type_formula(formula)
    output = formula.rstrip().rpartition("\n")[2].split(" = ")[0].strip()
    expect(lab.node(output)).to_be_attached()


def looked_at(lab: LabPage, window: tuple[int, int]) -> list[str]:
    """The faults of the graph on view in a window of this size."""
    if tuple(lab.page.viewport_size.values()) != window:
        before = lab.canvas.bounding_box()
        lab.page.set_viewport_size({"width": window[0], "height": window[1]})
        lab.page.wait_for_function(RESIZED, arg=[*window, before["width"], before["height"]])
    found = measured(lab)
    assert found["texts"]
    return faults(found, window)


WINDOWS = (SMALL, LARGE)
ALL = [(lesson.key, i, one) for lesson in LESSONS for i, one in enumerate(lesson.steps)]
SHARES = 6  # in so many tests all of them are looked at, each in less than a minute

RULES = "srxpb"
"""Keys of the rules, each of which has a chip of the same height."""


def ruled(lab: LabPage, window: tuple[int, int]) -> dict[str, list[str]]:
    """What chips cover once all nodes on view have a rule, by its key."""
    found = {}
    lab.canvas.locator(".surface").focus()
    for key in RULES:
        lab.page.keyboard.press("Control+a")
        lab.press(key)
        lab.page.keyboard.press("Escape")
        expect(lab.canvas.locator("[data-id] > .chip:not(.out-chip)").first).to_be_attached()
        chips = [said for said in looked_at(lab, window) if said.startswith("chip")]
        found[key] = [
            said for said in chips if " over tab " not in said
        ]  # in narrow branches one has no room
    return found


@pytest.fixture
def undrawn(lab: LabPage) -> Iterator[LabPage]:
    """The lab with room for the plots below its canvas, and none drawn: that is half of the work of edits."""
    style = lab.page.add_style_tag(content=".st-key-figure_place { display: none }")
    yield lab
    style.evaluate("(style) => style.remove()")


@pytest.mark.nightly
@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_the_graphs_of_lessons_can_be_read_and_are_covered_by_nothing(
    undrawn: LabPage, window: tuple[int, int], share: int
):
    lab, found = undrawn, {}
    lab.page.set_viewport_size({"width": window[0], "height": window[1]})
    for key, i, variant in ALL[share::SHARES]:
        shown(lab, variant.formula)
        found[key, i] = looked_at(lab, window)
        found |= {(key, i, rule): wrong for rule, wrong in ruled(lab, window).items()}
    assert {at: wrong for at, wrong in found.items() if wrong} == {}


@pytest.mark.nightly
@pytest.mark.parametrize("share", range(SHARES))
def test_lessons_open_whole_on_a_phone_with_numbers_that_can_be_read(phone: LabPage, share: int):
    phone.page.get_by_role("tab", name="Formula").tap()
    expect(phone.formula).to_be_visible()
    found = {}
    for lesson in LESSONS[share::SHARES]:
        shown(phone, lesson.steps[0].formula)
        found[lesson.key] = looked_at(phone, PHONE)
        found |= {(lesson.key, rule): wrong for rule, wrong in ruled(phone, PHONE).items()}
    assert {key: wrong for key, wrong in found.items() if wrong} == {}


MANY_RULES = """x = 1.5
y = 0.7
a = custom(sin(x), pullback=lambda v, u, out: v * out)
b = custom(exp(y), pullback=lambda v, u, out: v * 1.0)
c = scale_gradient(tanh(x), 0.25)
d = stop_gradient(x * y)
with checkpoint("part"):
    e = a * b
    f = rewrite(e + c, lambda v: 0.5 * v)
g = custom(cut(square(f)), pullback=lambda v, u, out: v)
h = backward_as(round(g), g)
k = custom(cut(sin(h)), pullback=lambda v, u, out: v * u)
z = k + d + stop_gradient(h)"""
CONSTANTS = (
    "x = 1.5\ny = clip(-2.75 * x, -3.0, 3.0)\nz = where(y > -1.25, 0.001 * y, 12.5)\nq = 2.5 * z + 100.0"
)
COLUMN = "\n".join(
    [*(f"x{i} = 0.{i + 3}" for i in range(4))]
    + [f"a{i} = custom(sin(x{i}), pullback=lambda v, u, out: v * {i}.5)" for i in range(4)]
    + ["z = a0 * a1 + a2 * a3"]
)


@pytest.mark.parametrize("formula", [MANY_RULES, CONSTANTS, COLUMN])
def test_badges_constants_and_tabs_have_places_of_their_own(lab: LabPage, formula: str):
    shown(lab, formula)
    assert looked_at(lab, SMALL) == []


PLACES = """canvas => {
  const sides = ({ left, top, right, bottom }) => ({ left, top, right, bottom });
  const box = (one) => sides(one.getBoundingClientRect());
  const cards = [..."xabcy"].map((id) => box(canvas.querySelector(`[data-id="${id}"] > .card`)));
  const line = canvas.querySelector('[data-wire^="b:"] .line');
  const at = (px) => {
    const { x, y } = line.getPointAtLength(px).matrixTransform(line.getScreenCTM());
    return { x, y };
  };
  return { cards, begins: at(0), ends: at(line.getTotalLength()) };
}"""


@pytest.mark.parametrize("formula", ["w = 2\nu = w**2 + 3*w\nL = log(u)", "x = 2\nq = x * 3"])
def test_beside_constants_every_wire_still_has_its_number(lab: LabPage, formula: str):
    lab.type_formula(formula)
    numbers = lab.canvas.locator(".passed")
    expect(numbers).to_have_count({"L": 5, "q": 1}[formula.split("\n")[-1][0]])
    expect(numbers.filter(visible=True)).to_have_count(numbers.count())


@pytest.mark.own_page
def test_on_a_phone_a_chain_runs_downwards_and_to_the_right_in_a_wide_window(phone: LabPage):
    phone.open("?lesson=checkpointing")
    assert faults(measured(phone), PHONE) == []
    places = phone.canvas.evaluate(PLACES)
    cards, begins, ends = places["cards"], places["begins"], places["ends"]
    assert all(above["bottom"] < below["top"] for above, below in pairwise(cards))
    assert max(card["left"] for card in cards) - min(card["left"] for card in cards) < 1
    # A wire begins at the lower edge of one card and ends at the upper edge of the next.
    assert (begins["y"], ends["y"]) == pytest.approx((cards[1]["bottom"], cards[2]["top"]), abs=1)
    phone.page.set_viewport_size({"width": LARGE[0], "height": LARGE[1]})
    expect(phone.node("a").locator(".out .port")).to_have_attribute("cx", "128")  # the right edge
    cards = phone.canvas.evaluate(PLACES)["cards"]
    assert all(left["right"] < right["left"] for left, right in pairwise(cards))


@pytest.mark.parametrize("key", ["td-target", "vanish", "reversal"])
def test_on_a_phone_no_constant_covers_a_card(phone: LabPage, key: str):
    phone.page.get_by_role("tab", name="Formula").tap()
    shown(phone, next(lesson for lesson in LESSONS if lesson.key == key).steps[0].formula)
    assert [said for said in looked_at(phone, PHONE) if said.startswith("pill")] == []


@pytest.mark.nightly
def test_a_graph_of_some_nodes_opens_whole_in_a_narrow_window(lab: LabPage):
    shown(lab, "x = 0.6\nh = x\nfor i in range(4):\n    h = sin(h) * x\nz = h + x")
    assert looked_at(lab, NARROW) == []


@pytest.mark.nightly
@pytest.mark.own_page
def test_six_branches_open_as_one_card_that_can_be_read(lab: LabPage):
    lab.page.set_viewport_size({"width": SMALL[0], "height": SMALL[1]})
    lab.open("?lesson=gated-transformer&variant=4")
    card = lab.node("group:transformer")
    expect(card.locator(".port-name")).to_have_count(7)
    names = card.locator(".port-name").all_text_contents()
    assert len(set(names)) == 7  # the image, and six that differ
    assert faults(measured(lab), SMALL) == []
    assert looked_at(lab, LARGE) == []


def test_the_check_sees_small_text_and_covered_nodes(lab: LabPage):
    lab.canvas.evaluate("canvas => canvas.querySelector('.number').style.setProperty('font-size', '7px')")
    assert any(fault.endswith(" px") for fault in faults(measured(lab), SMALL))
    lab.canvas.evaluate("canvas => canvas.querySelector('.flow-key').style.setProperty('height', '90%')")
    assert any("under flow-key" in fault for fault in faults(measured(lab), SMALL))
    lab.canvas.evaluate("""canvas => {
        const [value, cotangent] = ['.value', '.cotangent'].map((one) => canvas.querySelector(one));
        cotangent.setAttribute('y', value.getAttribute('y'));
    }""")
    assert any(" over " in fault for fault in faults(measured(lab), SMALL))
    lab.canvas.evaluate("""canvas => {
        canvas.querySelector('.flow-key').style.removeProperty('height');
        canvas.querySelector('.number').style.removeProperty('font-size');
    }""")


@pytest.mark.nightly
def test_undo_and_new_text_are_fitted_until_the_user_moves_the_view(lab: LabPage):
    wide = "\n".join(["x = 0.5", *(f"a{i} = sin({f'a{i - 1}' if i else 'x'})" for i in range(9))])
    lab.type_formula(wide)
    assert measured(lab)["out"] == []
    lab.press("Control+z")
    assert faults(measured(lab), SMALL) == []
    lab.type_formula(wide)
    lab.deselect()
    for _ in range(4):
        lab.press("+")
    before = lab.node("x").bounding_box()["width"]
    lab.type_formula(wide.replace("a8 = sin", "a8 = cos"))
    assert lab.node("x").bounding_box()["width"] == pytest.approx(before, abs=1)


@pytest.mark.nightly
def test_a_pointer_left_on_a_clicked_node_fades_nothing_until_it_moves(lab: LabPage):
    lab.select("x")
    lab.page.keyboard.press("s")
    lab.settle()
    box = lab.node("x").bounding_box()
    assert lab.page.evaluate("() => new Promise((done) => setTimeout(done, 400))") is None
    expect(lab.canvas).not_to_have_class("canvas tracing")
    lab.page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.8, steps=3)
    lab.page.mouse.move(*middle(lab.node("z").locator(".card")), steps=4)
    expect(lab.canvas).to_have_class("canvas tracing")
    expect(lab.node("x")).to_have_css("opacity", "1")
    lab.page.mouse.move(2, 2)
    expect(lab.canvas).to_have_class("canvas")


def test_a_wire_answers_a_click_with_its_numbers(lab: LabPage):
    lab.type_formula("x = 3.0\na = 2.0 * x\nb = square(x)\nz = a + b\n")
    lab.wire("b").locator(".hit").click(force=True)
    about = lab.canvas.get_by_role("dialog", name="Wire")
    expect(about).to_contain_text("x → b")
    expect(about).to_contain_text("6 × 1 = 6")  # d(x^2)/dx at 3, times what arrives at b
    expect(about).to_contain_text("6 of 8, 75 % of the sum of 2 wires")
    about.get_by_role("button", name="Stop here").click()
    lab.settle()
    assert lab.cotangent("x").text_content() == "2"  # what comes through the double alone
    lab.press("Control+z")
    assert lab.cotangent("x").text_content() == "8"


def test_a_duplicate_lands_beside_its_original_and_in_view(lab: LabPage):
    lab.select("exp_1")
    lab.press("Control+d")
    original, copy = (
        lab.node("exp_1").locator(".card").bounding_box(),
        lab.node("exp_2").locator(".card").bounding_box(),
    )
    apart = [
        abs(original[side] - copy[side]) / original[size] for side, size in (("x", "width"), ("y", "height"))
    ]
    assert 1 <= max(apart) < 2.5  # it covers nothing of the original, and is no further than the next but one
    assert min(apart) < 0.1
    assert measured(lab)["out"] == []


def test_numbers_of_small_tensors_are_in_cells_and_the_pointer_reads_the_others(lab: LabPage):
    rows = "[[1.0, 0.0, 0.0, 0.0, 2.0], [0.0, 1.0, 0.0, 0.0, 3.0]]"
    lab.type_formula(f"a = [[1.0, 2.0], [3.0, 4.0]]\nb = {rows}\nc = a @ b\nz = sum(c)")
    assert lab.node("a").locator(".forth-cell").all_text_contents() == ["1", "2", "3", "4"]
    assert lab.node("a").locator(".back-cell").all_text_contents() == ["3", "4", "3", "4"]  # rows of b summed
    lab.select("c")
    box = lab.node("c").locator("image").first.bounding_box()
    lab.page.mouse.move(box["x"] + 0.9 * box["width"], box["y"] + 0.7 * box["height"], steps=3)
    expect(lab.canvas.locator(".element-tip")).to_have_text("[1, 4] = 18")  # 3 * 2 + 4 * 3
