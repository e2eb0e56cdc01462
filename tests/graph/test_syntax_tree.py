"""Test that Python's parser gets no text that would take it long, and every text that authors write."""

from __future__ import annotations

import ast
import sys
from unicodedata import combining, normalize

import pytest

from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.syntax_tree import _NO_LETTERS, _is_mark, syntax_tree
from autodiff_viz.language.parse import parse

LONG = {
    "parts of an f-string": "x = f'" + "{a}" * 190_000 + "'",
    "parts with text": "x = rF'" + "{a} b " * 20_000 + "'",
    "nested formats": "x = f'" + "{a:{b}}" * 20_000 + "'",
    "f-strings side by side": "x = " + "f'{a}' " * 50_000,
    "dots of an import": "import a" + ".a" * 100_000,
    "dots of an import from": "from a" + " . a" * 100_000 + " import b",
    "dots over many lines": "import a" + ".a\\\n" * 90_000,
    "dots over lines of Windows": "import a" + ".a\\\r\n" * 90_000,
    "accents": "a" + "\u0301" * 8_000 + " = 1",
    "accents of two classes": "a" + "\u0301\u0327" * 8_000 + " = 1",
    "marks that become two": "a" + "\u0f73" * 8_000 + " = 1",
    "marks of half width": "a" + "\uff9e" * 8_000 + " = 1",
    "statements": "a;" * 800_000,
    "lines": "0\n" * 800_000,
    "signs": "x = [" + "()," * 500_000 + "]",
    "numbers without spaces": "x = [" + "0if 1else 0," * 100_000 + "]",
    "letters": "a" * (limits.TEXT + 1),
}


@pytest.mark.every
@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_text_that_would_take_long_is_refused_in_words(text, monkeypatch):
    monkeypatch.setattr(ast, "parse", lambda *given, **named: pytest.fail("Python's parser got the text"))
    with pytest.raises(GraphError) as refused:
        syntax_tree(text)
    (problem,) = refused.value.problems
    assert problem.code == "too-large"
    assert problem.message.endswith(".")
    assert problem.hint
    assert len(problem.message) < 120


HONEST = {
    "rows of signed numbers": "x = [" + "[-1e-05],\n" * limits.ELEMENTS + "]",
    "a program with f-strings": 'print(f"{step}: {loss:.3f}")\n' * 400,
    "a long name of a package": "import torch.nn.modules.activation as a\n" * 400,
    "an import and numbers on a line": "import numpy as np; x = [" + "0.25, " * 20_000 + "]",
    "words of Vietnamese": "# " + normalize("NFD", "Đạo hàm riêng của hàm số ") * 2_000 + "\nx = 1",
    "a line of dashes": "# " + "\u2500" * 200 + "\nx = 1",
    "words of Chinese": '"""' + "\u68af\u5ea6\u4e0b\u964d" * 500 + '"""\nx = 1',
    "code of 5,000 lines": "y = torch.relu(self.layer(x) + b)\n" * 5_000,
}


@pytest.mark.every
@pytest.mark.parametrize("text", HONEST.values(), ids=HONEST)
def test_what_authors_write_is_parsed(text):
    assert syntax_tree(text).body


def test_every_character_that_becomes_an_accent_counts_as_one():
    """By Unicode's own table: a name is brought to NFKC, where accents are sorted."""
    for number in range(sys.maxunicode + 1):
        letter = chr(number)
        if not 0xD800 <= number < 0xE000 and all(map(combining, normalize("NFKD", letter))):
            assert _NO_LETTERS.fullmatch(letter), hex(number)
            assert _is_mark(letter), hex(number)


def test_in_a_formula_the_refusal_has_its_line(monkeypatch):
    monkeypatch.setattr(limits, "PARSED_NAMES", 5)
    with pytest.raises(GraphError) as refused:
        parse("x = 1.0\ny = x + x + x + x + x + x\n")
    (problem,) = refused.value.problems
    assert (problem.code, problem.line) == ("too-large", 2)
