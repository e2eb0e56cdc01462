"""Describe a lint: a construct that is legal and rarely meant, found in the numbers of a trace."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from autodiff_viz.engine.sentence import Claim
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.cure import Cure
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.shown import Shown


@dataclass(frozen=True, slots=True)
class Lint(Shown):
    """A construct that is legal and rarely meant.

    Attributes:
      code: its kind, such as "where-trap".
      where: the node that it is about, or the checkpoint region.
      message: what was found, with its numbers.
      hint: what to do.
      mend: a graph without it; None where none is known. No value changes, unless the lint is about it.
      button: what the mend does, as the text of a button.
      changes: what the mend changes, as a sentence.
      nodes: the nodes that take part, `where` first if it is a node.
      later: whether it matters only for a derivative that the graph does not take.
      claims: all that the message claims; the module of each kind describes its own.
    """

    code: str
    where: str
    message: str
    hint: str
    mend: Graph | None = None
    button: str = ""
    changes: str = ""
    nodes: tuple[str, ...] = ()
    later: bool = False
    claims: tuple[Claim, ...] = field(default=(), repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Finding:
    """A lint before its cure has been tried; its kind has the code."""

    where: str
    message: str
    hint: str
    cure: Cure | None = None
    nodes: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = field(default=(), repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class LintKind:
    """A kind of lint, written beside the function that finds it.

    Attributes:
      code: its name, such as "where-trap".
      find: returns the findings of a trace that has an output.
      later: whether it matters only for a derivative that the graph does not take.
      new_values: whether it is about the value itself, which its mend therefore changes.
      new_inside: whether its mend may change the values of its nodes but `where`, since nothing takes them.
    """

    code: str
    find: Callable[[Trace], Iterable[Finding]]
    later: bool = False
    new_values: bool = False
    new_inside: bool = False
