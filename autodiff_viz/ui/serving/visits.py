"""Count the visitors of a process, and answer a visitor beyond the limit."""

from __future__ import annotations

import os

from starlette.responses import HTMLResponse, JSONResponse

from autodiff_viz.graph import limits

VISITORS = "AUTODIFF_VIZ_VISITORS"  # most visitors that one process serves at once
AGAIN = 20  # seconds after which a refused page tries again
HEADERS = {"Retry-After": str(AGAIN), "Cache-Control": "no-store"}


class Visits:
    """Count of open websockets, one per page on view. Only the server's own thread changes it."""

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
        """Return the page for a visitor who opens the lab while it is full."""
        return HTMLResponse(FULL.format(sentence=self.sentence, again=AGAIN), 503, HEADERS)

    def answer(self) -> JSONResponse:
        """Return the answer to an open page that is refused: Streamlit shows JSON text and tries again."""
        text = f"The lab is full. {self.sentence} This page tries again by itself."
        return JSONResponse(text, 503, HEADERS)


def most_visitors() -> int:
    """Return the limit from the environment, or the default.

    Raises:
      ValueError: the variable is not a positive whole number.
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
