"""Drawings without the fields that say nothing. `ui/editor/web/lean.js` puts them back."""

from __future__ import annotations

from typing import Any

from autodiff_viz.graph.model import FOLLOW
from autodiff_viz.views.cards import HEIGHT, WIDTH

USUAL = {"rule": FOLLOW, "connected": True, "w": WIDTH, "h": HEIGHT}


def lean(data: Any) -> Any:
    """`data` without fields that hold nothing or what they usually hold, and what another field says
    already."""
    if isinstance(data, dict):
        fields = {name: lean(field) for name, field in data.items()}
        return {name: field for name, field in fields.items() if not _spare(fields, name, field)}
    return [lean(item) for item in data] if isinstance(data, list | tuple) else data


def _spare(fields: dict[str, Any], name: str, field: Any) -> bool:
    if name == "symbol":
        return field == fields.get("op")
    if name == "text":
        return field == fields.get("literal")
    if name.endswith("Full"):
        return field == fields.get(name.removesuffix("Full"))
    if name in USUAL:
        return field == USUAL[name]
    return field is None or field is False or field in ("", [])
