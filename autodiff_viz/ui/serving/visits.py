"""How many visitors a process has, and what it says to one more than it can serve."""

from __future__ import annotations

import os

from starlette.responses import HTMLResponse, JSONResponse

from autodiff_viz.graph import limits

VISITORS = "AUTODIFF_VIZ_VISITORS"  # how many one process serves at once
AGAIN = 20  # seconds after which a page that found no place tries again
HEADERS = {"Retry-After": str(AGAIN), "Cache-Control": "no-store"}


class Visits:
    """The websockets that are open: one for each page on view. Only the server's own thread counts them."""

    def __init__(self, most: int):
        self.most = most
        self.open = 0

    @property
    def full(self) -> bool:
        return self.open >= self.most

    @property
    def sentence(self) -> str:
        return f"All {self.most:,} places on this server are taken."

    def page(self) -> HTMLResponse:
        """For who opens the lab while it is full."""
        return HTMLResponse(FULL.format(sentence=self.sentence, again=AGAIN), 503, HEADERS)

    def answer(self) -> JSONResponse:
        """For a page that is open and finds no place: Streamlit shows what is JSON, and tries again."""
        text = f"The lab is full. {self.sentence} This page tries again by itself."
        return JSONResponse(text, 503, HEADERS)


def most_visitors() -> int:
    """
    Raises:
      ValueError: the environment says something else than a number of visitors.
    """
    said = os.environ.get(VISITORS, "").strip()
    if not said:
        return limits.VISITORS
    if not said.isdecimal() or int(said) == 0:
        raise ValueError(f"{VISITORS} is {said!r}; it must be a whole number of visitors, 1 or more.")
    return int(said)


FULL = """<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <meta name="robots" content="noindex" />
    <meta http-equiv="refresh" content="{again}" />
    <title>The lab is full · autodiff_viz</title>
    <style>
      :root {{ color-scheme: light dark; }}
      body {{ font: 1.1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 20vh auto; padding: 1rem; }}
    </style>
  </head>
  <body>
    <h1>The lab is full</h1>
    <p>{sentence}</p>
    <p>This page tries again every {again} seconds. Your link stays in the address bar.</p>
  </body>
</html>
"""

VISITS = Visits(most_visitors())
