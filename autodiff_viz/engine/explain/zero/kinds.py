"""List the kinds of reasons why nothing arrives, in the order in which `why_zero` removes causes."""

from __future__ import annotations

SEED, DISCONNECTED, STOPPED, RULE, FLAT, UNDERFLOW, CANCELLED = (
    "seed", "disconnected", "stopped", "rule", "flat", "underflow", "cancelled",
)  # fmt: skip
