"""Ask for Streamlit's own files and for the page, compressed and not: the bytes are the same."""

from __future__ import annotations

import gzip
from threading import Event

import pytest

import app
from autodiff_viz.ui.chunks import FIRST, LATER, STATIC, scripts
from autodiff_viz.ui.server import compression
from tests.ui.server.asgi import get

PACKED = {"accept-encoding": "gzip, deflate, br"}
NEEDED = [f"/{path}" for path in scripts(*FIRST, *LATER)]


@pytest.fixture(scope="module", autouse=True)
def prepared():
    compression.prepare(Event())


@pytest.mark.parametrize("path", NEEDED[:3] + NEEDED[-1:])
def test_a_file_of_streamlit_comes_compressed_to_whoever_takes_that(path):
    whole = (STATIC / path[1:]).read_bytes()
    answer = get(app.app, path, PACKED)
    assert answer.headers["content-encoding"] == "gzip"
    assert gzip.decompress(answer.body) == whole
    assert len(answer.body) < 0.6 * len(whole)
    assert answer.headers["cache-control"] == get(app.app, path).headers["cache-control"]
    assert (
        answer.headers["content-type"].split(";")[0]
        == get(app.app, path).headers["content-type"].split(";")[0]
    )
    assert get(app.app, path).body == whole


def test_a_part_of_a_file_comes_as_it_is():
    assert "content-encoding" not in get(app.app, NEEDED[0], {**PACKED, "range": "bytes=0-9"}).headers


@pytest.mark.parametrize("path", ["/static/../index.html", "/static/js/../../index.html", "/static/none.js"])
def test_nothing_but_these_files_is_read(path):
    assert get(app.app, path, PACKED).headers.get("content-encoding") is None


def test_the_page_is_the_same_compressed():
    packed, plain = get(app.app, "/", PACKED), get(app.app, "/")
    assert gzip.decompress(packed.body) == plain.body
