"""Describe refused edits as data, which the canvas shows where they occurred."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from autodiff_viz.graph.problem import Problem


@dataclass(frozen=True, slots=True)
class Refusal(Problem):
    """Problem of an edit on the canvas.

    Attributes:
      seq: number of that edit, so that the browser can open again what was typed.
      offer: text of a button that sends `edit` to correct it; "" for none.
      edit: an edit as the canvas sends it, without its number.
    """

    seq: int | None = None
    offer: str = ""
    edit: Mapping[str, Any] | None = field(default=None, hash=False)


def refusals(problems: Iterable[Problem], seq: Any) -> tuple[Refusal, ...]:
    """Return the problems as refusals of the edit with this number."""
    number = seq if type(seq) is int else None
    return tuple(replace(_refusal(problem), seq=number) for problem in problems)


def _refusal(problem: Problem) -> Refusal:
    """Return a problem as a refusal."""
    if isinstance(problem, Refusal):
        return problem
    return Refusal(**{item.name: getattr(problem, item.name) for item in fields(problem)})


def offering(problem: Problem, offer: str, edit: Mapping[str, Any]) -> Refusal:
    """Return the problem with a button that corrects it."""
    return replace(_refusal(problem), offer=offer, edit=edit)


def take_in(names: Iterable[str]) -> str:
    """Return the text of a button that adds these nodes to a region."""
    names = sorted(names)
    if len(names) > 3:
        return f"Take {len(names)} more nodes in too"
    *first, last = names
    return f"Take {', '.join(first)} and {last} in too" if first else f"Take {last} in too"


def elsewhere(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return the problems that did not occur on the canvas."""
    return tuple(problem for problem in problems if not isinstance(problem, Refusal))


SHOWN = ("seq", "code", "message", "hint", "node", "slot", "offer", "edit", "column", "end_column")


def notice_data(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """Return the refusals as data for the canvas; `web/types.js` describes the fields."""
    return [
        {**{name: getattr(refusal, name) for name in SHOWN}, "path": list(refusal.path)}
        for refusal in problems
        if isinstance(refusal, Refusal)
    ]
