"""Test the picture of a frame: its numbers are JAX's, what is asked is not in it, and it opens no session."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from urllib.parse import quote
from xml.etree import ElementTree

import pytest
from starlette.applications import Starlette
from starlette.requests import HTTPConnection

from autodiff_viz.asking.question import Quantity, Question
from autodiff_viz.graph.link import to_link
from autodiff_viz.graph.short_text import short_text
from autodiff_viz.lab import evaluate
from autodiff_viz.lab.persistence import address
from autodiff_viz.language.parse import parse
from autodiff_viz.lessons.codec import tour_to_link
from autodiff_viz.lessons.tour import Step, Tour
from autodiff_viz.reading import reading
from autodiff_viz.ui import session
from autodiff_viz.ui.server import poster, routes, waiting
from autodiff_viz.ui.server.admission import FRAMES, is_from_own_page
from autodiff_viz.ui.server.poster import EMBEDDERS
from autodiff_viz.ui.server.security_headers import GUARDED
from autodiff_viz.workers.jobs import BROKEN, DROPPED, STRANGE, Answer, Job
from tests.own_lesson import KEY
from tests.ui.server.asgi import get

SERVER = Starlette(routes=routes.ROUTES, middleware=[GUARDED])
FRAME = "/?embed=1&v=1"
SQUARE = quote(to_link(parse("x = 3.5\ny = x * x")))
"""By hand: y = 12.25, and 7 arrives at x."""


class Page(HTMLParser):
    """What a browser makes of a page: attributes of the root, and what stands in the template."""

    def __init__(self, text: str):
        super().__init__()
        self.root: dict[str, str] = {}
        self.loads: list[str] = []
        self.at_once: list[str] = []
        self.inside = False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "html":
            self.root = given
        elif tag == "template":
            self.inside = True
        elif tag in ("script", "link"):
            (self.loads if self.inside else self.at_once).append(given.get("src") or given.get("href") or "")

    def handle_endtag(self, tag):
        if tag == "template":
            self.inside = False


def texts(answer) -> str:
    drawn = re.search(r"<svg.*</svg>", answer.text, re.DOTALL)[0]
    return " ".join(filter(None, (text.strip() for text in ElementTree.fromstring(drawn).itertext())))


def test_the_picture_has_the_numbers_and_the_page_loads_nothing_until_it_is_touched():
    before = len(session._sessions)
    answer = get(SERVER, f"{FRAME}&g={SQUARE}")
    assert answer.status == 200
    assert "12.25" in texts(answer)
    assert "7" in texts(answer).split()
    page = Page(answer.text)
    assert [source for source in page.at_once if source] == []
    assert any(source.startswith("./static/js/index.") for source in page.loads)
    assert any(source.startswith("code/") for source in page.loads)
    assert len(session._sessions) <= before  # fewer, if those of earlier tests were collected meanwhile


@pytest.mark.parametrize("reveal", ["ask", "steps"])
def test_what_is_to_be_found_is_not_in_the_page(reveal):
    answer = get(SERVER, f"{FRAME}&reveal={reveal}&g={SQUARE}")
    assert "12.25" not in answer.text
    assert "12.25" not in get(SERVER, f"/embed.svg?embed=1&v=1&reveal={reveal}&g={SQUARE}").text


def test_what_is_asked_stands_below_the_picture_before_it_is_touched():
    asked = re.compile(r'<p class="av-asks">(.*?)</p>')
    assert asked.search(get(SERVER, f"{FRAME}&lesson=fork").text)[1] == "What arrives at x?"
    assert asked.search(get(SERVER, f"{FRAME}&reveal=ask&g={SQUARE}").text)[1] == "What arrives at x?"
    assert asked.search(get(SERVER, f"{FRAME}&lesson=fork&show=canvas").text)[1] == ""
    assert asked.search(get(SERVER, f"{FRAME}&g={SQUARE}").text)[1] == ""


ASKS = Question(
    "choice",
    Quantity("cotangent", "x"),
    words="Which?",
    options=("7", "less"),
    right="7",
)


def test_the_picture_of_a_question_has_the_values_and_the_options_and_nothing_that_is_hidden():
    def shown(hides: str) -> str:
        step = Step("S", "x = 3.5\ny = x * x", questions=(ASKS,), hides=hides)
        return get(SERVER, f"{FRAME}&tour={tour_to_link(Tour(title='T', steps=(step,)))}").text

    page = shown("cotangents")
    drawn = re.search(r"<svg.*</svg>", page, re.DOTALL)[0]
    assert ">12.25<" in drawn
    assert drawn.count(">?<") == 2  # what arrives at x and at y
    assert not re.search(r"\b7\b|passes 3.5", re.sub(r'="[^"]*"', "", drawn))
    assert '<div class="av-options"><span>7</span><span>less</span></div>' in page
    assert "12.25" not in shown("values")
    assert "av-room" not in get(SERVER, f"{FRAME}&g={SQUARE}").text.partition("</style>")[2]


def test_the_page_says_what_its_script_needs_to_know(monkeypatch):
    monkeypatch.setenv(EMBEDDERS, "https://school.example")
    root = Page(get(SERVER, f'{FRAME}&theme=dark&type=large&start=now&title="><b>').text).root
    assert [root[f"data-av-{name}"] for name in ("theme", "type", "start")] == ["dark", "large", "now"]
    assert root["data-av-embedders"] == "https://school.example"
    assert root["data-av-rows"] == str(2 * 42 + 46)  # the sliders of x and y, and the bar that plays


def test_a_picture_alone_is_an_image():
    answer = get(SERVER, f"/embed.svg?embed=1&v=1&g={SQUARE}")
    assert answer.headers["content-type"] == "image/svg+xml"
    assert ElementTree.fromstring(answer.text).tag.endswith("svg")
    assert get(SERVER, "/embed.svg").status == 404


@pytest.mark.parametrize("query", ["&g=damaged", "&lesson=none", "&kept=abc", "&g="])
def test_an_address_that_cannot_be_read_has_a_page_all_the_same(query):
    assert get(SERVER, FRAME + query).status == 200


def test_an_answer_that_has_not_changed_is_not_sent_again():
    first = get(SERVER, f"{FRAME}&g={SQUARE}")
    again = get(SERVER, f"{FRAME}&g={SQUARE}", {"if-none-match": first.headers["etag"]})
    assert (again.status, again.body) == (304, b"")


def _socket(origin: str) -> HTTPConnection:
    headers = [(b"host", b"127.0.0.1:8501"), (b"origin", origin.encode())]
    return HTTPConnection({"type": "websocket", "path": "/", "headers": headers, "client": ("1.2.3.4", 5)})


def test_a_page_without_an_origin_connects_only_where_any_site_may_frame_the_lab(monkeypatch):
    monkeypatch.delenv(FRAMES, raising=False)
    assert is_from_own_page(_socket("null"))
    monkeypatch.setenv(FRAMES, "https://school.example")
    assert not is_from_own_page(_socket("null"))


@pytest.mark.parametrize(
    ("target", "origin", "is_open"),
    [
        ("/code/none.js", "https://other.example", True),  # kept by browsers, so for whoever comes first
        ("/words", "null", True),
        ("/words", "https://other.example", False),
    ],
)
def test_scripts_may_be_loaded_by_a_page_without_an_origin(target, origin, is_open):
    answer = get(SERVER, target, {"origin": origin})
    assert (answer.headers.get("access-control-allow-origin") == "*") is is_open


class Ending:
    """Workers that end at each picture."""

    def __init__(self, answer: Answer | None):
        self.asked: list[Job] = []
        self.taken: list[bytes] = []
        self._answer = answer

    def ask(self, asker: object, job: Job) -> None:
        self.asked.append(job)

    def answer(self, key: bytes, patience: float = 0.0) -> Answer | None:
        return self._answer

    def take(self, key: bytes) -> Answer | None:
        self.taken.append(key)
        return self._answer

    def listen(self, listener: object) -> None:
        pass


@pytest.mark.parametrize(
    "answer", [Answer(why=BROKEN), Answer(why=DROPPED), None], ids=["ends", "full", "late"]
)
def test_a_picture_that_no_worker_can_make_is_refused_in_words_and_its_page_opens(monkeypatch, answer):
    workers = Ending(answer)
    monkeypatch.setattr(waiting, "workers", lambda: workers)
    monkeypatch.setattr(poster, "WITHIN", 0.01)
    picture = get(SERVER, f"/embed.svg?embed=1&v=1&g={SQUARE}")
    assert picture.status == 503
    assert "takes too long" in picture.text
    assert picture.headers["retry-after"]
    page = get(SERVER, f"{FRAME}&g={SQUARE}")
    assert page.status == 200
    assert "takes too long" in page.text
    assert [job.lane for job in workers.asked] == [STRANGE, STRANGE]
    assert len({job.key for job in workers.asked}) == 1  # the same picture
    # What found no room is forgotten, so that the next request tries again; what ends its worker is not.
    found_no_room = answer is not None and answer.why == DROPPED
    assert workers.taken == ([job.key for job in workers.asked] if found_no_room else [])


def test_nothing_of_a_picture_is_read_or_computed_in_the_server(monkeypatch):
    """Not code, nor a graph: whoever sends the request has no page."""
    workers = Ending(Answer(why=DROPPED))
    monkeypatch.setattr(waiting, "workers", lambda: workers)
    for module, name in ((reading, "read"), (evaluate, "trace"), (address, "from_link")):
        monkeypatch.setattr(module, name, None)  # to call it fails
    code = quote(short_text("import torch\nx = torch.tensor(1.0)\n"))
    for query in (f"f={code}", f"g={SQUARE}", f"lesson={KEY}"):
        assert get(SERVER, f"/embed.svg?embed=1&v=1&{query}").status == 503
