"""What an edit from the canvas is, and the function that applies one kind of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from autodiff_viz.views.lab import Lab

Edit = Mapping[str, Any]
"""`{"seq": int, "kind": str, ...}`, made in the browser: nothing in it can be relied on."""

Edits = Mapping[str, Callable[[Lab, Edit], Lab]]
"""By kind, what an edit does to a lab. It may raise `GraphError` for what the graph refuses, and
`AttributeError`, `KeyError`, `OverflowError`, `TypeError` or `ValueError` for an edit not made right."""
