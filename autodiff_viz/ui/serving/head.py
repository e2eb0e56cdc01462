"""Write Streamlit's page with its own head for each link: title, description and picture."""

from __future__ import annotations

import re
from functools import cache
from html import escape

from autodiff_viz.ui.chunks import FIRST, STATIC, scripts
from autodiff_viz.ui.lab.source import script
from autodiff_viz.views.persistence.link_preview import NAME, Preview

INDEX = STATIC / "index.html"
CARDS = "/cards"  # path of the pictures
SIZE = (1200, 630)  # of a picture, in pixels


def document(preview: Preview, origin: str) -> str:
    """Return the whole page. URLs that begin with `origin` lead back to this server from anywhere."""
    before, after = _shell()
    soon = [script().path, *scripts(*FIRST)]  # else they come after Streamlit's code
    links = "\n    ".join(f'<link rel="modulepreload" href="{path}" />' for path in soon)
    return f"{before}{tags(preview, origin)}\n    {links}\n  {after}"


@cache
def _shell() -> tuple[str, str]:
    """Return Streamlit's page without its title, as (up to the end of the head, the rest)."""
    before, end, after = INDEX.read_text("utf-8").partition("</head>")
    return re.sub(r"<title>.*?</title>", "", before, flags=re.DOTALL), end + after


def tags(preview: Preview, origin: str) -> str:
    """Return the tags of the head as HTML. Search engines may list only pages that have their own address."""
    picture = f"{origin}{CARDS}/{preview.picture}.png"
    named = {
        "description": preview.description,
        "twitter:card": "summary_large_image",
        "twitter:title": preview.title,
        "twitter:description": preview.description,
        "twitter:image": picture,
    }
    properties = {
        "og:type": "website",
        "og:site_name": NAME,
        "og:title": preview.title,
        "og:description": preview.description,
        "og:image": picture,
        "og:image:width": str(SIZE[0]),
        "og:image:height": str(SIZE[1]),
        "og:image:alt": preview.title,
    }
    lines = [f"<title>{escape(preview.title)}</title>"]
    if preview.address is None:
        named["robots"] = "noindex"
    else:
        properties["og:url"] = origin + preview.address
        lines.append(f'<link rel="canonical" href="{escape(origin + preview.address)}" />')
    lines += [f'<meta name="{key}" content="{escape(text)}" />' for key, text in named.items()]
    lines += [f'<meta property="{key}" content="{escape(text)}" />' for key, text in properties.items()]
    return "\n    ".join(lines)
