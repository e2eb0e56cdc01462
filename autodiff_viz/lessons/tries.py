"""Build the edits of lesson exercises, in the form in which the canvas sends edits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Edit = Mapping[str, Any]


def moved(name: str, value: float) -> Edit:
    """Move the slider of an input; any other value than the lesson's will do."""
    return {"kind": "slide", "name": name, "value": value, "any": True}


def put(name: str, value: float) -> Edit:
    """Set an input to one value."""
    return {"kind": "slide", "name": name, "value": value}


def written(name: str, text: str) -> Edit:
    """Set an input to a literal."""
    return {"kind": "constant", "node": name, "slot": None, "text": text}


def ruled(name: str, rule: str) -> Edit:
    """Put a rule on a node."""
    return {"kind": "rules", "nodes": [name], "rule": rule}


def function(name: str, text: str) -> Edit:
    """Set the function of a node's rule."""
    return {"kind": "function", "node": name, "text": text}


def selected(name: str) -> Edit:
    """Select a node."""
    return {"kind": "select", "node": name}


def cut(name: str, on: bool) -> Edit:
    """Put a cut after a node, or remove it."""
    return {"kind": "cut_after", "nodes": [name], "on": on}


def members(region: str, *nodes: str) -> Edit:
    """Set the nodes of a checkpoint region."""
    return {"kind": "region", "region": region, "nodes": list(nodes)}


def policy(region: str, name: str) -> Edit:
    """Set the policy of a checkpoint region."""
    return {"kind": "policy", "region": region, "policy": name, "saved": []}


def without_region(region: str) -> Edit:
    """Remove a checkpoint region."""
    return {"kind": "uncheckpoint", "region": region}


def branches(group: str, k: int) -> Edit:
    """Set the number of branches."""
    return {"kind": "branches", "group": group, "k": k}


def trained_alone(group: str, branch: str) -> Edit:
    """Train one branch alone."""
    return {"kind": "tune", "group": group, "branch": branch}


def collapsed(group: str) -> Edit:
    """Collapse a group to a card."""
    return {"kind": "collapse", "group": group, "on": True}


RESAMPLED: Edit = {"kind": "resample"}
"""Draw all random numbers anew."""
