"""Serve the glossary as a page of its own, which needs no session."""

from __future__ import annotations

from functools import cache
from html import escape

from starlette.requests import Request
from starlette.responses import HTMLResponse

from autodiff_viz.views.glossary import GLOSSARY

PATH = "/words"

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Words · autodiff_viz</title>
<meta name="description" content="Cotangent, pullback, residual: the words of the lab, each in a sentence.">
<style>
:root {{ color-scheme: light dark; }}
body {{ max-width: 42rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem;
  font: 17px/1.55 "Source Sans", system-ui, sans-serif; color: light-dark(#1e2530, #e6e9ee);
  background: light-dark(#ffffff, #14171c); }}
h1 {{ margin: 1.2rem 0 0.3rem; font-size: 1.7rem; }}
a {{ color: light-dark(#1f4fc0, #8fb0ff); }}
dt {{ margin-top: 1.1rem; font-weight: 650; }}
dd {{ margin: 0.1rem 0 0; }}
</style>
</head>
<body>
<nav><a href="./">To the lab</a> · <a href="./?view=lessons">Lessons</a></nav>
<main>
<h1>Words</h1>
<p>What the lab means by the words that stand on its pages.</p>
<dl>
{words}
</dl>
</main>
</body>
</html>
"""


@cache
def words_page() -> str:
    """Return the page: each word with its sentence."""
    entries = (
        f'<dt id="{escape(word.replace(" ", "-"))}">{escape(word)}</dt>\n<dd>{escape(says)}</dd>'
        for word, says in sorted(GLOSSARY.items(), key=lambda entry: entry[0].lower())
    )
    return _PAGE.format(words="\n".join(entries))


async def words(request: Request) -> HTMLResponse:
    """Answer with the page of words."""
    return HTMLResponse(words_page(), headers={"Cache-Control": "public, max-age=3600"})
