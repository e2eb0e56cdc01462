"""Test the pages of the site before the generator has them: what they say, keep back, and lead to."""

from __future__ import annotations

import json
import posixpath
import re
import zlib
from base64 import b64decode

import pytest

import autodiff_viz as av
from autodiff_viz.lessons.gallery import LESSONS
from website.__main__ import every_page, settings
from website.after import code, inline
from website.api import api_pages
from website.documents import _FENCE, ROOT, SHOWN, WILD_FILES, _step, _with_pages, found_index
from website.lessons import lesson_text, lessons_index
from website.pages import Page

PACKED = re.compile(r'data-after="([^"]*)"')


def words(tree) -> str:
    """All text of a tree."""
    return tree if isinstance(tree, str) else "".join(map(words, tree[2:]))


def test_what_follows_an_answer_is_packed_and_whole():
    for shown in LESSONS:
        text = lesson_text(shown, "https://lab.example/")
        (packed,) = PACKED.findall(text)
        open_to_all = PACKED.sub("", text)
        told = [step.text for step in shown.steps] + [one.says for one in shown.to_try] + [shown.code]
        told += [says for step in shown.steps for one in step.questions for _, says in one.told]
        assert [part for part in filter(None, told) if part in open_to_all] == [], shown.key
        trees = json.loads(zlib.decompress(b64decode(packed)))["trees"]
        assert shown.code.strip() in "".join(map(words, trees)), shown.key
        assert json.dumps(f"https://lab.example/?lesson={shown.key}") in json.dumps(trees), shown.key


def test_a_lesson_without_a_lab_leads_to_none():
    assert "https://" not in lesson_text(LESSONS[0], "")


def test_code_is_coloured_and_keeps_each_letter():
    text = 'x = f("a", 1.5)  # 2\nif x:\n\n    return\n'
    tree = code(text)
    assert words(tree) == text
    spans = [(part[1]["class"], part[2]) for part in tree[2][2][2:] if not isinstance(part, str)]
    assert spans == [("s2", '"a"'), ("mi", "1.5"), ("c1", "# 2"), ("k", "if"), ("k", "return")]
    assert words(code("x = (1 +")) == "x = (1 +"  # cut off as it is, it is shown


def test_marks_of_a_line_become_elements():
    found = inline("Set `b` to *stop*, as [they](https://x.example) do <b>.")
    assert found == [
        "Set ", ["code", {}, "b"], " to ", ["em", {}, "stop"], ", as ",
        ["a", {"href": "https://x.example"}, "they"], " do <b>.",
    ]  # fmt: skip


def test_every_document_and_guide_has_a_page():
    guides = [*(ROOT / "docs").glob("*.md"), *(ROOT / "autodiff_viz").rglob("README.md")]
    assert {str(file.relative_to(ROOT)) for file in guides} - SHOWN.keys() == set()


def test_links_between_documents_lead_to_pages_and_others_keep_their_words():
    text = "[a](../deploy/README.md) [b](architecture.md#map) [c](https://x.example) [d](../app.py)"
    led = "[a](deploy.md) [b](../change/architecture.md#map) [c](https://x.example) d"
    assert _with_pages(text, "docs/hosting.md", "docs/hosting.md") == led


def test_every_name_of_the_interface_is_said_once_and_listed():
    index, *rooms = api_pages()
    said = [name for page in rooms for name in re.findall(r"^## `(\w+)`", page.body, re.MULTILINE)]
    assert sorted(said) == sorted(av.__all__)
    anchors = {f"{posixpath.basename(page.path)}#{name}" for page in rooms for name in page_anchors(page)}
    assert set(re.findall(r"\]\(([^)]+)\)", index.body)) <= anchors


def page_anchors(page: Page) -> list[str]:
    return re.findall(r"\{ #([\w.]+) \}$", page.body, re.MULTILINE)


def test_a_signature_and_its_words_are_those_of_the_function():
    engine = next(page for page in api_pages() if page.path == "api/engine.md")
    entry = engine.body.partition("## `verify`")[2].partition("\n## ")[0]
    assert "verify(trace: Trace" in entry
    explain = next(page for page in api_pages() if page.path == "api/explain.md")
    assert "    sentence: str = ''," in explain.body  # of a record, with its default
    assert "-> Verdict" in entry
    assert "- `trace`: " in entry


@pytest.mark.every
def test_numbers_found_in_the_wild_are_those_that_people_published():
    """micrograd's README and notebook, and torchviz's example by hand: z z = 25 tells each factor 5."""
    published = {
        "micrograd": [("y", 3.0, {"x": 2.0}), ("g", 24.7041, {"a": 138.8338, "b": 645.5773})],
        "autograd-chapter": [
            ("output", 25.0, {"x": 10.0, "y": 10.0}),
            ("output", 25.0, {"x": 5.0, "y": 5.0}),
        ],
    }
    for file in WILD_FILES:
        steps = [_step(found[3]) for found in _FENCE.finditer(file.read_text("utf-8")) if found[2] == "step"]
        for (_, _, formula), (output, value, gradients) in zip(
            steps, published.get(file.stem, ()), strict=False
        ):
            trace = av.trace(av.parse(formula))
            assert float(trace.value[output]) == pytest.approx(value, abs=5e-5)
            for name, gradient in gradients.items():
                assert float(trace.cotangent[name]) == pytest.approx(gradient, abs=5e-5)
    assert {file.stem for file in WILD_FILES} >= published.keys()
    assert found_index().body.count("\n## ") == 5


def test_every_page_has_a_place_of_its_own_and_the_menu_has_them_all():
    paths = [path for path, _ in every_page("")]
    assert len(paths) == len({*paths}) > len(LESSONS) + len(SHOWN)
    pages = [lessons_index(), found_index(), *api_pages()]
    menu = settings(pages, "", "https://site.example/")
    assert menu["site_url"] == "https://site.example/"
    assert [page.path for page in pages] == re.findall(r'"([\w/]+\.md)"', json.dumps(menu["nav"]))
    assert "site_url" not in settings(pages, "", "")


def test_the_menu_of_each_page_leads_to_the_lab_if_there_is_one():
    lab = {"Open the lab": "https://lab.example/"}
    assert settings([found_index()], "https://lab.example/", "")["nav"][-1] == lab
    assert "lab" not in json.dumps(settings([found_index()], "", "")["nav"])
