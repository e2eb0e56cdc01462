"""Draw small tables as HTML. Streamlit's own table loads pandas, which takes 60 MB of the server's memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import streamlit as st


def draw_table(columns: Mapping[str, Sequence[str]]) -> None:
    """Draw columns under their headings; the first cell of a row is its heading."""
    heads = "".join(f'<th scope="col">{escape(head)}</th>' for head in columns)
    rows = "".join(map(_row, zip(*columns.values(), strict=True)))
    st.html(
        f'<div class="av-table"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _row(cells: tuple[str, ...]) -> str:
    first, *others = map(escape, cells)
    return f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in others)}</tr>'
