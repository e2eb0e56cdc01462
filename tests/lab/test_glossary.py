"""Test the glossary: sentences are short, and text is marked where its words stand."""

from __future__ import annotations

from html.parser import HTMLParser

from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.lab.glossary import GLOSSARY, explained, explained_html, words_in


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.text, self.words = "", []

    def handle_starttag(self, tag, attrs):
        self.words.append((tag, dict(attrs)["data-term"]))

    def handle_data(self, data):
        self.text += data


def read(html: str) -> _Text:
    reader = _Text()
    reader.feed(html)
    reader.close()
    return reader


def test_every_word_has_one_or_two_short_sentences():
    assert [word for word, says in GLOSSARY.items() if len(says) > 160 or not says.endswith(".")] == []


def test_the_first_of_each_word_is_marked_also_in_the_plural_and_the_text_stays():
    text = "Cotangents & <b>values</b>: each cotangent, and Jacobians. The covalue is no value."
    found = read(explained(text))
    assert found.text == text
    assert found.words == [("dfn", "cotangent"), ("dfn", "value"), ("dfn", "Jacobian")]


def test_the_words_of_markdown_are_named_once_but_not_those_in_code_links_and_titles():
    text = "*A value*, `seed` and [a norm](/norm): **gradients**, a gradient and its runs"
    assert words_in(text) == ("gradient", "run")


def test_another_word_that_is_written_alike_is_not_marked():
    assert read(explained("The chain rule, between the passes and both passes.")).words == []
    assert read(explained("A rule passes it.")).words == [("dfn", "rule"), ("dfn", "passes")]


def test_the_longer_word_is_taken():
    assert read(explained("the arriving cotangent")).words == [("dfn", "arriving cotangent")]


def test_words_in_the_text_of_html_are_marked_once_and_tags_are_left_alone():
    once = {"gradient"}
    found = explained_html('<b style="norm: 1">by the norm &lt; 2</b>, a gradient, the norm', once)
    word = explained("norm")
    assert found == f'<b style="norm: 1">by the {word} &lt; 2</b>, a gradient, the norm'
    assert once == {"gradient", "norm"}


def test_the_words_beside_the_figures_are_explained():
    told = [word for figure in FIGURES.values() for _, word in read(explained(figure.what_it_says)).words]
    assert len(told) >= 5
