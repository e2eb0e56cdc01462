"""Write a sentence together with its claims, so that a test can check each of them against the traces.

A generator of a sentence returns a `Statement`. Each node, wire and number that its text names is in one of
its claims, and the text is written from the same numbers. A test checks both: that the claims are true in the
traces, and that the text names nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

VALUE, COTANGENT, PASSED, GRADIENT = "value", "cotangent", "passed", "gradient"
"""Kinds of claims that are read off a trace: the name of the trace's mapping that has the number."""


@dataclass(frozen=True, slots=True, eq=False)
class Claim:
    """One thing that a sentence says of a trace, or of several.

    Attributes:
      kind: VALUE, COTANGENT, PASSED or GRADIENT: `names` has one key of that mapping, and `numbers` what each
        of the traces has there, in the order in which the sentence speaks of them. Or a kind of the
        explanation's own, as in `ZeroReason.kind`, which its module describes.
      names: nodes by name, wires as (node, slot).
      numbers: arrays; None where the sentence says that a trace has none.
    """

    kind: str
    names: tuple[Any, ...] = ()
    numbers: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A text, and all that it claims."""

    text: str = ""
    claims: tuple[Claim, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.text)


def joined(separator: str, statements: Iterable[Statement]) -> Statement:
    """Return statements as one: texts that are not empty, with `separator` between them, and all claims."""
    parts = [part for part in statements if part]
    return Statement(separator.join(p.text for p in parts), tuple(c for p in parts for c in p.claims))
