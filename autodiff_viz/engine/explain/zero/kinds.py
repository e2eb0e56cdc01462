"""Kinds of reasons why nothing arrives at a node, in the order in which `why_zero` removes causes."""

from __future__ import annotations

SEED, DISCONNECTED, STOPPED, RULE, FLAT, UNDERFLOW, CANCELLED = (
    "seed", "disconnected", "stopped", "rule", "flat", "underflow", "cancelled",
)  # fmt: skip
