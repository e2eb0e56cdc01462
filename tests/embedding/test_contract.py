"""Test the contract of frames: its table is frozen, what cannot be read is the default, codes are HTML."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_viz.embedding.contract import (
    CONTRACT,
    CONTROLS,
    Embed,
    embed_link,
    frame_code,
    read_embed,
    state_of,
    table,
    without_embed,
)
from tests.own_lesson import KEY

FRAME = {"embed": "1", "v": "1"}

FROZEN = {
    "embed": ("", "1", ""),
    "v": ("", "1", ""),
    "show": (
        "canvas,question,sliders,play,open",
        "canvas question lesson formula sliders inspector plot check play toolbar open",
        "slider:NAME, plot:KEY",
    ),
    "hide": (
        "",
        "canvas question lesson formula sliders inspector plot check play toolbar open",
        "slider:NAME",
    ),
    "edit": ("values", "none values rules all", ""),
    "reveal": ("now", "now ask steps", ""),
    "theme": ("auto", "auto light dark contrast", ""),
    "type": ("usual", "usual large", ""),
    "wheel": ("page", "page zoom", ""),
    "start": ("touch", "touch now", ""),
    "step": ("", "", "a whole number"),
    "node": ("", "", "its name"),
}
"""Version 1 as it was published, by parameter: default, words, open words. Words may be added, and nothing
else may change: pages that nobody can edit any more depend on it."""


def test_version_1_is_frozen():
    here = {each.name: (each.default, " ".join(each.values), each.open) for each in CONTRACT}
    assert here == FROZEN


def test_a_record_has_a_field_for_each_parameter():
    assert [*Embed.__slots__] == [each.name for each in CONTRACT[2:]]


@pytest.mark.parametrize("query", [{}, {"embed": "true"}, {"embed": "1"}, {"embed": "1", "v": "2"}])
def test_an_address_that_is_for_no_frame_of_this_version_is_none(query):
    assert read_embed(query) is None


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"edit": "ALL", "reveal": "", "theme": "sepia", "wheel": "1", "step": "-3", "node": "a b"},
        {"show": "", "hide": "bogus,slider:,plot:sweep", "start": "later", "unknown": "x"},
        {"show": "slider:" + "x" * 65, "type": "huge", "step": "1" * 10},
    ],
)
def test_what_cannot_be_read_is_the_default(query):
    assert read_embed({**FRAME, **query}) == Embed()


def test_known_words_of_a_list_stay_beside_unknown_ones():
    embed = read_embed({**FRAME, "show": "formula, slider:x,Formula,plot:sweep,slider:\u03b8,formula"})
    assert embed.show == ("formula", "slider:x", "plot:sweep", "slider:\u03b8")
    assert [embed.shows(name) for name in ("formula", "sliders", "plot", "canvas")] == [
        True,
        True,
        True,
        False,
    ]
    assert [embed.shows_slider(name) for name in ("x", "\u03b8", "y")] == [True, True, False]


def test_hide_takes_away_from_what_is_shown():
    embed = read_embed({**FRAME, "hide": "play,slider:y"})
    assert not embed.shows("play")
    assert embed.shows("sliders")
    assert (embed.shows_slider("x"), embed.shows_slider("y")) == (True, False)


def test_a_frame_in_which_nothing_may_be_changed_has_no_sliders():
    assert not read_embed({**FRAME, "edit": "none"}).shows_slider("x")


OPEN = {"step": ["", "3", "last"], "node": ["", "node_1"]}
WORDS = {
    each.name: st.lists(st.sampled_from([*each.values]), min_size=1, unique=True).map(tuple)
    if each.many
    else st.sampled_from(OPEN.get(each.name, [*each.values]))
    for each in CONTRACT[2:]
}


@given(st.builds(Embed, **WORDS))
def test_what_is_written_is_read_back(embed):
    assert read_embed(embed.to_query()) == embed


def test_the_state_stays_beside_the_frame():
    state = {"lesson": KEY, "node": "a", "step": "4"}
    link = embed_link("https://lab.example/base/", state, Embed(edit="none"))
    assert link.startswith("https://lab.example/base/?embed=1&v=1&edit=none&")
    query = dict(parse_qsl(urlsplit(link).query))
    assert without_embed(query) == state
    assert state_of(query, Embed()) == {"lesson": KEY, "node": "a"}  # the step is one of the pass
    trained = {**query, "trained": "x"}
    assert state_of(trained, Embed())["step"] == "4"
    assert state_of(query, Embed(show=("plot:sweep",)))["figure"] == "sweep"


class Tags(HTMLParser):
    """The tags of a text with their attributes."""

    def __init__(self, text: str):
        super().__init__()
        self.found: list[tuple[str, dict]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def test_the_code_of_a_frame_is_what_a_browser_reads():
    link = embed_link("https://lab.example", {"g": 'a"<b>&c'}, Embed(theme="dark"))
    tags = Tags(frame_code(link, 'A "use" <script>', 420)).found
    assert [tag for tag, _ in tags] == ["iframe", "noscript", "a", "img"]
    frame, _, whole, picture = (attributes for _, attributes in tags)
    assert frame["src"] == link
    assert frame["title"] == picture["alt"] == 'A "use" <script>'
    assert frame["loading"] == "lazy"
    assert "height: 420px" in frame["style"]
    assert {"allow-scripts", "allow-same-origin"} <= {*frame["sandbox"].split()}
    assert dict(parse_qsl(urlsplit(whole["href"]).query)) == {"g": 'a"<b>&c'}
    assert urlsplit(picture["src"]).path == "/embed.svg"
    assert dict(parse_qsl(urlsplit(picture["src"]).query))["embed"] == "1"


def test_a_frame_for_hosts_without_scripts_has_a_proportion():
    (_, frame), *_ = Tags(frame_code("https://lab.example/?embed=1&v=1", "t", 450, 800, ratio=True)).found
    assert "aspect-ratio: 800 / 450" in frame["style"]


def test_every_control_says_what_it_is():
    assert all(says and not says.endswith(".") for says in CONTROLS.values())


TEACHERS = (Path(__file__).parents[2] / "docs" / "teachers.md").read_text("utf-8")
PARENT = Path(__file__).parents[2] / "autodiff_viz" / "web" / "embed" / "parent.js"


def test_the_document_for_teachers_has_the_table_and_the_lines_for_a_page_around_a_frame():
    assert table() in TEACHERS
    code = re.sub(r"/\*\* .*? \*/ ", "", PARENT.read_text("utf-8"))
    lines = [line for line in code.splitlines()[1:] if not line.startswith("Object.assign")]
    assert "\n".join(lines).strip() in TEACHERS
