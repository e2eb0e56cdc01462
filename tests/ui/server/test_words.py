"""Test the page of words: the whole glossary, without a session."""

from __future__ import annotations

from html import escape

from starlette.applications import Starlette

from autodiff_viz.lab.glossary import GLOSSARY
from autodiff_viz.ui.server.routes import ROUTES
from tests.ui.server.asgi import get


def test_the_page_of_words_has_all_of_them_with_their_sentences():
    answer = get(Starlette(routes=ROUTES), "/words")
    assert answer.status == 200
    lacking = [
        word for word, says in GLOSSARY.items() if f">{word}</dt>\n<dd>{escape(says)}</dd>" not in answer.text
    ]
    assert lacking == []
