"""Test the file of a figure in a browser without a network: it plays, slides, flips, asks and prints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

import autodiff_viz as av
from autodiff_viz.standalone.write import cell_of

B = "x = 0.6\ny = 1.5\na = sin(x)\nb = a * y\nz = b + exp(a)"
A = B.replace("exp(a)", "stop_gradient(exp(a))")
ASKS = av.Tour(
    title="Asked",
    steps=(
        av.Step(
            title="A fork",
            formula="x = 3.0\na = 2.0 * x\nb = square(x)\nz = a + b",
            questions=(av.Question("number", av.Quantity("cotangent", "x")),),
            hides="cotangents",
        ),
        av.Step(title="Without it", formula='x = 3.0\nwith checkpoint("r"):\n    z = square(x)'),
    ),
)
COPY = "() => { navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }; }"
READY = "() => document.documentElement?.dataset.figure === 'ready'"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("figures")
    lab = "https://lab.example/"
    made = {
        "twins": av.to_html(av.parse(B), pinned=av.parse(A), title="Twins", base=lab, check=False),
        "asks": av.to_html(ASKS, check=False),
        "softplus": av.to_html(av.parse(SOFTPLUS), check=False),
    }
    for name, text in made.items():
        (folder / f"{name}.html").write_text(text, "utf-8")
    return {name: folder / f"{name}.html" for name in made}


@contextmanager
def without_network(browser: Browser) -> Iterator[Page]:
    """Open a page without a network; whatever it asks for but the file itself is a fault."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    context.set_offline(True)
    page = context.new_page()
    wrong: list[str] = []
    page.on("request", lambda request: wrong.append(request.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda told: wrong.append(told.text) if told.type == "error" else None)
    yield page
    assert [text for text in wrong if not text.startswith(("file:", "data:"))] == []
    context.close()


@pytest.fixture
def offline(browser: Browser) -> Iterator[Page]:
    with without_network(browser) as page:
        yield page


@pytest.fixture(scope="module")
def file_of_twins(browser: Browser, files: dict[str, Path]) -> Iterator[Page]:
    with without_network(browser) as page:
        opened(page, files["twins"])
        yield page


@pytest.fixture
def twins(file_of_twins: Page) -> Page:
    """B as it opens: with the file's own numbers, whole, and no pass played."""
    page = file_of_twins
    page.locator(".graph .surface").focus()
    for key in ("Escape", "Escape", "f"):
        page.keyboard.press(key)
    return page


def opened(page: Page, file: Path) -> None:
    page.goto(file.as_uri())
    page.wait_for_function(READY)


def node(page: Page, name: str):
    return page.locator(f'.graph .node[data-id="{name}"]')


def says(page: Page, name: str) -> str:
    return node(page, name).get_attribute("aria-label") or ""


def faults(page: Page) -> list[str]:
    return [
        f"{fault['id']}: {fault['nodes'][0]['html'][:120]}"
        for fault in Axe().run(page).response["violations"]
    ]


def test_a_file_from_disk_shows_the_numbers_of_its_graph(twins: Page):
    assert "cotangent 3.259" in says(twins, "a")  # 1.5 + exp(sin 0.6)
    assert faults(twins) == []


def test_it_is_moved_and_zoomed(twins: Page):
    canvas = twins.locator(".graph .canvas")
    before = canvas.locator(".world").first.evaluate("(world) => world.getBoundingClientRect().toJSON()")
    box = canvas.bounding_box()
    twins.mouse.move(box["x"] + 40, box["y"] + 40)
    twins.mouse.down()
    twins.mouse.move(box["x"] + 100, box["y"] + 60, steps=3)
    twins.mouse.up()
    twins.mouse.wheel(0, -200)
    twins.wait_for_function(
        "(before) => { const root = document.querySelector('.graph').shadowRoot;"
        " const now = root.querySelector('.world').getBoundingClientRect();"
        " return now.width > before.width && now.x !== before.x }",
        arg=before,
    )
    assert says(twins, "a")


def test_a_node_that_is_clicked_says_what_is_added_at_it_and_along_which_paths(twins: Page):
    node(twins, "a").click()
    panel = twins.locator("aside")
    expect(panel.locator(".arriving")).to_contain_text("3.2588")
    expect(panel).to_contain_text("Added at the fork")
    expect(panel.locator(".paths li")).to_have_count(2)


def test_a_wire_says_its_local_derivative(twins: Page):
    wire = twins.locator('.graph .wire[data-wire="a:0"]')
    for event in ("pointerdown", "pointerup"):
        wire.dispatch_event(event, {"button": 0, "pointerId": 1})
    expect(twins.locator(".graph .wire-pop")).to_contain_text("Local")
    twins.keyboard.press("Escape")


def test_a_slider_goes_through_its_table_and_escape_brings_back_the_files_own_value(twins: Page):
    panel, canvas = twins.locator("aside"), twins.locator(".graph .canvas")
    node(twins, "b").click()
    panel.get_by_role("slider", name="Slider of x").focus()
    twins.keyboard.press("ArrowRight")
    expect(canvas).to_have_attribute("data-scrub", re.compile(r"^x 0\.7"))
    box_of_x = panel.get_by_role("spinbutton", name="Value of x")
    expect(box_of_x).to_have_value("0.7")
    expect(panel.locator(".value").first).to_contain_text("0.96632")  # 1.5 sin(0.7)
    canvas.locator(".surface").focus()
    twins.keyboard.press("Escape")
    expect(box_of_x).to_have_value("0.6")


def test_the_pass_is_played_from_its_first_value_to_its_last(twins: Page):
    canvas, equation = twins.locator(".graph .canvas"), twins.locator(".graph .equation")
    bar = twins.get_by_role("group", name="Play the pass")
    bar.get_by_role("button", name="One step on").click()
    expect(canvas).to_have_attribute("data-play", "forward")
    expect(equation).to_have_text("x = 0.6")
    twins.keyboard.press("End")
    expect(equation).to_have_text(re.compile(r"z = "))
    twins.keyboard.press("Escape")
    expect(canvas).not_to_have_attribute("data-play", re.compile("."))


def test_one_key_shows_the_other_graph_and_comes_back(twins: Page):
    twins.keyboard.press("v")
    expect(twins.get_by_role("button", name="Show A")).to_have_attribute("aria-pressed", "true")
    assert "cotangent 1.5" in says(twins, "a")
    twins.keyboard.press("v")
    assert "cotangent 3.259" in says(twins, "a")


def test_what_would_change_the_graph_says_where_that_can_be_done(twins: Page):
    twins.locator(".graph .surface").dblclick(position={"x": 12, "y": 12})
    expect(twins.locator(".away")).to_contain_text("needs the lab")
    expect(twins.locator(".away a")).to_have_attribute("href", re.compile("https://lab.example/.*g=.*a="))


SOFTPLUS = "x = 1.0625\nw = [1.0, 2.0]\na = softplus(x)\nz = sum(a * w)"
ALTERNATIVES = """() => {
  const root = document.querySelector('.graph').shadowRoot;
  const all = [...root.querySelectorAll('[aria-label], [aria-live], [role=status], title, .unseen li')];
  const texts = all.flatMap((part) => [part.getAttribute('aria-label'), part.textContent]);
  const sliders = document.querySelector('[data-place=sliders]').shadowRoot;
  const spoken = [...sliders.querySelectorAll('[aria-valuetext]')].map((part) => part.ariaValueText);
  return [...texts, ...spoken].filter(Boolean).join('\\n');
}"""
"""Text alternatives of canvas and sliders: labels, tooltips, the list for screen readers, what is told."""


def test_every_text_alternative_has_the_numbers_of_the_slider(offline: Page, files: dict[str, Path]):
    """softplus(1.0625) = 1.3594 and its slope 0.74317; at 1.2 they are 1.4633 and 0.76852."""
    page = offline
    opened(page, files["softplus"])
    old = re.compile(r"1\.06|1\.359|0\.743|2\.2295")  # 3 times the slope arrives at x: 2.2295, then 2.3056
    first = page.evaluate(ALTERNATIVES)
    assert old.search(first)
    slider = page.get_by_role("spinbutton", name="Value of x")
    slider.fill("1.2")
    slider.press("Enter")
    expect(page.locator(".graph .canvas")).to_have_attribute("data-scrub", re.compile(r"^x 1\.(19|2)"))
    listed = page.locator(".graph .unseen li", has_text="a, softplus")
    expect(listed).to_contain_text("value 1.46")
    texts = page.evaluate(ALTERNATIVES)
    assert old.findall(texts) == []
    assert re.search(r"2\.30\d", texts)
    assert "value 1.46" in says(page, "a")
    page.locator(".graph .canvas .surface").focus()
    page.keyboard.press("Escape")
    expect(listed).to_contain_text("value 1.359")
    assert "value 1.359" in says(page, "a")
    assert page.evaluate(ALTERNATIVES).replace("\n", "") != texts.replace("\n", "")


def test_a_file_asks_before_it_shows(offline: Page, files: dict[str, Path]):
    page = offline
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark")
    opened(page, files["asks"])
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert faults(page) == []
    assert "hidden while it is asked for" in says(page, "x")
    field = page.get_by_label("What arrives at x?")
    field.fill("six")
    field.press("Enter")
    expect(page.locator(".asking .read-as")).to_contain_text("is no number")
    field.fill("6")
    field.press("Enter")
    expect(page.locator(".asking .verdict")).to_contain_text("The other brings something as well")
    assert "hidden while it is asked for" in says(page, "x")
    field.fill("8")
    field.press("Enter")
    expect(page.locator(".asking .verdict")).to_contain_text("JAX: 8")
    assert "cotangent 8" in says(page, "x")
    page.evaluate(COPY)
    page.get_by_role("button", name="Copy my result").click()
    line = r'av1 z-[0-9a-f]{4}: number "What arrives at x\?" 2 tries one-path right'
    assert re.fullmatch(line, page.evaluate("copied"))
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.get_by_role("heading", name="Without it")).to_be_visible()
    assert "cotangent 6" in says(page, "x")


def test_a_figure_is_printed_on_one_page_whole(offline: Page, files: dict[str, Path]):
    page = offline
    opened(page, files["twins"])
    printed = page.pdf(format="A4")
    assert len(re.findall(rb"/Type /Page\b", printed)) == 1
    page.emulate_media(media="print")
    assert page.locator(".still svg").is_visible()
    assert page.locator(".still tbody tr").count() == 6
    assert not page.locator(".graph").is_visible()
    cut = "(all) => all.filter((one) => one.scrollHeight > one.clientHeight + 1 && one.clientHeight).length"
    assert page.locator("body, .still, footer").evaluate_all(cut) == 0


def test_cells_of_a_notebook_share_a_script_wherever_it_stands(browser, tmp_path):
    """The first figure waits for the script that a later cell brings; on paper there are the pictures."""
    traces = [av.trace(av.parse(f"x = {x}\ny = x * x")) for x in (2.0, 3.0)]
    made = [cell_of(trace, None) for trace in traces]
    still = '<img alt="still" src="data:,">'
    cells = [f'<div class="av-cell">{still}{made[0].own}</div>']
    cells += [f'<div class="av-cell">{still}{made[1].shared}{made[1].own}</div>']
    file = tmp_path / "cells.html"
    file.write_text(f"<!DOCTYPE html><meta charset=utf-8><body>{''.join(cells)}", "utf-8")
    with without_network(browser) as page:
        page.goto(file.as_uri())
        for at, cotangent in enumerate(("4", "6")):
            inside = page.locator("iframe").nth(at).content_frame
            expect(inside.locator('[data-id="x"] .cotangent').first).to_contain_text(cotangent)
        expect(page.get_by_alt_text("still").first).to_be_hidden()
        page.emulate_media(media="print")
        expect(page.locator("iframe").first).to_be_hidden()
        expect(page.get_by_alt_text("still").first).not_to_have_css("display", "none")
