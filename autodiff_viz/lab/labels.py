"""Name the steps of undo: what the user did, in the words of the page."""

from __future__ import annotations

from typing import Any

from autodiff_viz.graph.text import MINUS

LONGEST = 24  # characters of a value that a label names


def set_to(what: str, value: Any) -> str:
    """Return the label of an edit that sets a value, as "Set x to 1.5"; a large tensor is not named."""
    if isinstance(value, tuple):
        is_short = len(value) <= LONGEST and not any(isinstance(row, tuple) for row in value)
        text = f"[{', '.join(map(plain, value))}]" if is_short else ""
    else:
        text = plain(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
    return f"Set {what} to {text if 0 < len(text) <= LONGEST else 'a tensor'}"


def plain(number: float) -> str:
    """Return a number as text for a label, with a typographic minus sign."""
    return f"{number:g}".replace("-", MINUS)
