"""Declare the types of an edit from the canvas, and of the functions that apply one kind of edit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from autodiff_viz.views.lab import Lab

Edit = Mapping[str, Any]
"""`{"seq": int, "kind": str, ...}`, made in the browser and therefore untrusted."""

Edits = Mapping[str, Callable[[Lab, Edit], Lab]]
"""By kind, the function that applies an edit to a lab.

It may raise `GraphError` for an edit that the graph refuses, and `AttributeError`, `KeyError`,
`OverflowError`, `TypeError` or `ValueError` for a malformed one.
"""
