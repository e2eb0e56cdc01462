"""Write the pages of a few sentences that stand in place of the lab: it is full, or somebody else's."""

from __future__ import annotations

from autodiff_viz.ui.chunks import font_tags

_PAGE = """<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <meta name="robots" content="noindex" />{head}
    <title>{title} · autodiff_viz</title>
    {font}
    <style>
      :root {{ color-scheme: light dark; }}
      body {{ max-width: 32rem; margin: 20vh auto; padding: 1rem; }}
      body {{ font: 1.1rem/1.5 "Source Sans", sans-serif; }}
    </style>
  </head>
  <body>
    <h1>{title}</h1>
{body}
  </body>
</html>
"""


def plain_page(title: str, body: str, head: str = "") -> str:
    """Return a page with a heading; `body` and `head` are HTML."""
    return _PAGE.format(title=title, body=body, head=head, font=font_tags())
