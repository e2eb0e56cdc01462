"""Describe tours as records: steps, each a state of the lab with a caption, and perhaps questions."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

from autodiff_viz.asking.question import Question
from autodiff_viz.graph.dtypes import FLOAT32
from autodiff_viz.graph.identity import Exact, identity
from autodiff_viz.graph.model import Literal
from autodiff_viz.graph.shown import Shown
from autodiff_viz.training.run import Plan

REVEALS = (
    "play", "paths", "why zero", "sweep", "compare", "memory", "training", "segments", "noise", "field",
)  # fmt: skip
"""What shows an answer: the pass step by step, paths at a node, why nothing arrives or where a NaN comes
from, a number along an input, the twin, what is kept, a training, one of segments, draws, arrows over two
inputs."""

COTANGENTS = "cotangents"
"""Key of the figure that is on view where a step and its tour name none."""


class Kept(Exact):
    """Base class of records whose identity is computed once: a tour stays the same from edit to edit."""

    @cached_property
    def identity(self) -> bytes:
        """Identity of the type and all fields."""
        own = [identity(getattr(self, field.name)) for field in fields(self)]  # type: ignore[arg-type]
        return identity((type(self).__name__, *own))


@dataclass(frozen=True, eq=False)
class Step(Kept):
    """One state of the lab, with what is said of it.

    Attributes:
      title: a few words.
      formula: the graph as text, with its positions if it needs any.
      look_at: node that is selected when the graph opens.
      seed: cotangent of the output, None for ones.
      training: how its graph is trained and for how many steps, None without.
      text: what this graph shows, beside the tour's text; Markdown, at most about 60 words. It may name the
        numbers, so it is read once the questions have been answered.
      collapsed: names of the groups that are cards when the graph opens, so that it can be read.
      dtype: "float16", "bfloat16", "float32" or "float64".
      figure: key of the figure on view; None for the tour's.
      choices: (parameter, text) of what was chosen beside figures, as links have them.
      forward: (input, tangent) of each input that moves in forward mode; None while it is off.
      pinned: formula of the graph that is pinned beside this one; "" without.
      letter: "A" or "B", which of the two the pinned one is.
      caption: one or two sentences above the graph, which give no answer away.
      notes: for whoever presents; never on the stage.
      questions: what is asked about the graph, in order.
      hides: what is hidden until it is answered, one of `HIDES` of asking/question.py; "" for nothing.
      reveal: what shows the answer, one of `REVEALS`; "" for play.
      ranges: (input, low, high) of each slider that was used.
      trained, moment: the training on view and its step, as links have them; "" for none.
    """

    title: str
    formula: str
    look_at: str | None = None
    seed: Literal | None = None
    training: Plan | None = None
    text: str = ""
    collapsed: tuple[str, ...] = ()
    dtype: str = FLOAT32
    figure: str | None = None
    choices: tuple[tuple[str, str], ...] = ()
    forward: tuple[tuple[str, float], ...] | None = None
    pinned: str = ""
    letter: str = "A"
    caption: str = ""
    notes: str = ""
    questions: tuple[Question, ...] = ()
    hides: str = ""
    reveal: str = ""
    ranges: tuple[tuple[str, float, float], ...] = ()
    trained: str = ""
    moment: str = ""

    @property
    def size(self) -> int:
        """The characters of its texts, and some for the rest."""
        return 500 + sum(
            map(len, (self.formula, self.pinned, self.text, self.caption, self.notes, self.trained))
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Tour(Kept, Shown):
    """Steps in an order: a lesson, the steps of a talk, or what a visitor has put together.

    Attributes:
      title: a few words.
      summary: one sentence, for lists of tours.
      text: what holds for all steps; Markdown, at most about 150 words.
      steps: in their order; a tour that is being made may have none.
      figure: key of the figure that a step opens with, unless it names one.
    """

    title: str
    summary: str = ""
    text: str = ""
    steps: tuple[Step, ...] = ()
    figure: str = COTANGENTS

    def figure_of(self, step: Step) -> str:
        """Return the key of the figure that a step of this tour opens with."""
        return step.figure or self.figure


def plain(tour: Tour) -> Tour:
    """Return a lesson as a tour, without what is about places of its steps: exercises and claims."""
    return Tour(**{field.name: getattr(tour, field.name) for field in fields(Tour)})
