"""Test which scripts of Streamlit the page names: they follow from the text of its scripts."""

import re

import pytest

from autodiff_viz.lab.persistence.link_preview import PREVIEWS
from autodiff_viz.ui import chunks
from autodiff_viz.ui.chunks import FIRST, LATER, STATIC, scripts
from autodiff_viz.ui.server.routes import document

JS = STATIC / "static" / "js"
IMPORTED = re.compile(r'(?:^|[;}])import(?:[^;"()]*from)?"\./([\w.-]+\.js)"')
PRELOADED = re.compile(r'<link rel="modulepreload"[^>]* href="(?:\./)?static/js/([\w.-]+)"')


def own(element: str) -> str:
    """The file of an element: its name and a hash."""
    [found] = JS.glob(f"{element}.*.js")
    return found.name


def imported(*names: str) -> set[str]:
    """These scripts and all that they import, by their text."""
    found, waiting = set(names), [*names]
    for name in waiting:
        new = {*IMPORTED.findall((JS / name).read_text("utf-8"))} - found
        found |= new
        waiting += new
    return found


def of_the_page() -> set[str]:
    text = (STATIC / "index.html").read_text("utf-8")
    return imported(*re.findall(r'src="\./static/js/([\w.-]+)"', text))


@pytest.mark.parametrize("elements", [FIRST, LATER])
def test_the_scripts_of_elements_are_what_their_text_imports_beyond_the_page(elements):
    named = [path.removeprefix("static/js/") for path in scripts(*elements)]
    assert {*named} == imported(*map(own, elements)) - of_the_page()
    assert len(named) == len({*named})


def test_the_page_names_the_scripts_of_the_first_drawing_and_leaves_plotly_for_later():
    named = PRELOADED.findall(document(PREVIEWS[0], "http://x"))
    assert {*map(own, FIRST)} <= {*named}
    assert not {*map(own, LATER)} & {*named}


def test_without_a_manifest_the_page_names_none(monkeypatch, tmp_path):
    monkeypatch.setattr(chunks, "STATIC", tmp_path)
    chunks._files.cache_clear()
    try:
        assert scripts(*FIRST) == []
    finally:
        chunks._files.cache_clear()


def test_streamlits_code_comes_after_the_picture_where_there_is_one():
    [first] = re.findall(r'src="(\./static/js/[\w.-]+)"', (STATIC / "index.html").read_text("utf-8"))
    page = document(PREVIEWS[0], "http://x", "<p>The lab</p>")
    before, _, rest = page.partition('<template id="av-later">')
    later, _, after = rest.partition("</template>")
    assert f'src="{first}"></script>' in later
    assert PRELOADED.search(later)
    assert not re.search('type="module"|modulepreload', before + after)
    assert f'src="{first}"></script>' in document(PREVIEWS[0], "http://x")
