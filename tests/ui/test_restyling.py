"""Test that no style sheet makes the browser restyle a whole page for each element that comes or goes.

Chromium keeps one set of selectors for all `:has()` of a page: where an element with a `:has()` before a
combinator may match otherwise, it restyles all below it that the set names. With `> *` in one rule that is
everything, and with such a rule on `body` it is so for every element of the page. Plotly adds an element to
`body` for each text that it measures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "autodiff_viz"


def split(text: str, at: str) -> list[str]:
    """Split at characters outside of any bracket."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter in at and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def selectors(css: str) -> Iterator[str]:
    plain = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    for prelude in re.findall(r"([^{}]+)\{", plain):
        if not prelude.strip().startswith("@"):
            yield from split(prelude, ",")


def names_something(compound: str) -> bool:
    """Whether a compound selector has a class, an attribute or a type, in each of its alternatives."""
    if found := re.search(r":(?:is|where)\((.*)\)", compound):
        others = compound.replace(found[0], "")
        return names_something(others) or all(
            names_something(split(one, " >+~")[-1]) for one in split(found[1], ",")
        )
    while (less := re.sub(r":{1,2}[\w-]+(\([^()]*\))?", "", compound)) != compound:
        compound = less
    return bool(re.search(r"[\w.#\[]", compound))


def restyles_everything(selector: str) -> bool:
    compounds = split(selector, " >+~")
    holders = [one for one in compounds[:-1] if ":has(" in one]
    roots = [one for one in holders if re.match(r"(body|html|:root)\b", one)]
    return bool(roots) or bool(holders and not names_something(compounds[-1]))


def test_no_rule_restyles_everything():
    sheets = {sheet.name: sheet.read_text("utf-8") for sheet in PACKAGE.glob("**/*.css")}
    assert {"lab.css", "canvas.css"} <= sheets.keys()
    assert [
        (name, one) for name in sheets for one in selectors(sheets[name]) if restyles_everything(one)
    ] == []


@pytest.mark.every
@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("body:has(.a) .b", True),
        (".a:has(.b) > *", True),
        (".a:has(.b):not(.c) > :first-child", True),
        (":is(.a:has(.b), .c) > *", True),
        (".a:has(.b) > :is(*, .c:has(.d))", True),
        (".a:has(.b) > .c", False),
        (".a > :has(> .b)", False),
        (".a:has(.b)::after", False),
        (".a:has(> :is(.b, .c)) > :is(.d, p)", False),
        (":root[data-a] .b > *", False),
    ],
)
def test_what_restyles_everything(selector: str, expected: bool):
    assert restyles_everything(selector) == expected
