"""Why an edit on the canvas was refused, for the canvas to say it at the place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from autodiff_viz.graph.problem import Problem


@dataclass(frozen=True, slots=True)
class Refusal(Problem):
    """A problem that an edit on the canvas met.

    Attributes:
      seq: the number of that edit, so that the browser can open again what was typed.
      offer: what would mend it, as the words of a button; `edit` then does it.
      edit: an edit as the canvas sends it, without its number.
    """

    seq: int | None = None
    offer: str = ""
    edit: Mapping[str, Any] | None = field(default=None, hash=False)


def refusals(problems: Iterable[Problem], seq: Any) -> tuple[Refusal, ...]:
    """The problems as those of the edit with this number."""
    number = seq if type(seq) is int else None
    return tuple(replace(_refusal(problem), seq=number) for problem in problems)


def _refusal(problem: Problem) -> Refusal:
    if isinstance(problem, Refusal):
        return problem
    return Refusal(**{item.name: getattr(problem, item.name) for item in fields(problem)})


def offering(problem: Problem, offer: str, edit: Mapping[str, Any]) -> Refusal:
    """The problem with a button that mends it."""
    return replace(_refusal(problem), offer=offer, edit=edit)


def take_in(names: Iterable[str]) -> str:
    """The words of a button that puts these nodes into a region too."""
    names = sorted(names)
    if len(names) > 3:
        return f"Take {len(names)} more nodes in too"
    *first, last = names
    return f"Take {', '.join(first)} and {last} in too" if first else f"Take {last} in too"


def elsewhere(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Those that were not met on the canvas."""
    return tuple(problem for problem in problems if not isinstance(problem, Refusal))


SHOWN = ("seq", "code", "message", "hint", "node", "slot", "offer", "edit")


def notice_data(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """The refusals as the canvas wants them; `ui/editor/web/types.js` describes it."""
    return [
        {**{name: getattr(refusal, name) for name in SHOWN}, "path": list(refusal.path)}
        for refusal in problems
        if isinstance(refusal, Refusal)
    ]
