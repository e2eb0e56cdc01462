"""Open the lab in a frame, and draw the picture that a frame shows before somebody touches it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from autodiff_viz.asking.question import (
    ALL_COTANGENTS,
    CAUSE,
    CHOICE,
    COTANGENT,
    NUMBER,
    SHAPE,
    ZERO,
    Quantity,
    Question,
)
from autodiff_viz.asking.words import form_of, question_words
from autodiff_viz.canvas.svg import svg_of
from autodiff_viz.embedding.contract import ASK, NOW, Embed
from autodiff_viz.graph.limits import VERIFIED_AT_ONCE
from autodiff_viz.graph.model import INPUT
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.text import counted
from autodiff_viz.lab.asking import ask, asking_of, missing
from autodiff_viz.lab.code import COMPUTES
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.judging import asked_of
from autodiff_viz.lab.persistence.address import from_query
from autodiff_viz.lab.state import Lab
from autodiff_viz.workers.bounds import Bound, bounded


def opened_in_frame(lab: Lab, embed: Embed) -> Lab:
    """Return the lab as a frame opens it.

    If the frame shows numbers after an answer and the link asks nothing, the question is what arrives at the
    selected node, or at the first input.
    """
    if embed.reveal != ASK or asking_of(lab) is not None or not lab.graph.nodes:
        return lab
    inputs = [node.name for node in lab.graph.nodes if node.op == INPUT]
    about = Quantity(COTANGENT, lab.selected or next(iter(inputs), lab.graph.nodes[0].name))
    for kind in (NUMBER, ZERO, SHAPE):
        try:
            return asked_of(lab, [Question(kind, about)], ALL_COTANGENTS)
        except GraphError:
            continue
    return ask(lab, (), ALL_COTANGENTS)


LONGEST = 1_000_000  # characters of a picture
OPENS = Bound(seconds=1.0, megabytes=200.0)
"""What opening the address of a picture may use, code that it has included; `COMPUTES` is for its numbers."""

TOO_LARGE = "<p>The picture of this graph is too large.</p>"


ONLY = "Question"
"""What stands before a question that is the only one."""


@dataclass(frozen=True, slots=True)
class FramePicture:
    """The picture of a frame.

    Attributes:
      text: as SVG, or a sentence in HTML where there is nothing to draw or too much of it.
      sliders: names of the inputs that have one.
      asks: whether a question is asked below the graph.
      question: the first one without an answer, in words.
      which: which of the questions that is, as web/asking/bar.js says it.
      options: what may be chosen as its answer, where the page has a button for each.
    """

    text: str
    sliders: tuple[str, ...]
    asks: bool = False
    question: str = ""
    which: str = ""
    options: tuple[str, ...] = ()


def frame_picture(state: Mapping[str, str], embed: Embed) -> FramePicture:
    """Draw the picture of a frame, in a worker, which ends if that takes more than `OPENS` and `COMPUTES`.

    It has the numbers that the frame will show: none that a question hides, nor any that the frame reveals
    later. Of a training or a large graph there are none.
    """
    with bounded(OPENS, COMPUTES):
        lab = from_query(state)
    count = len(lab.graph.nodes)
    if not 0 < count <= VERIFIED_AT_ONCE:
        return FramePicture(f"<p>A graph of {counted(count, 'node')}.</p>", ())
    with bounded(COMPUTES, COMPUTES):
        view = lab_view(lab) if lab.training is None else None
        told = view is not None and (embed.reveal == NOW or (embed.reveal == ASK and lab.asking is not None))
        text = svg_of(lab.graph, view.trace if told else None)
        asks = embed.shows("question") and (lab.asking is not None or embed.reveal == ASK)
        question, which, options = _question(opened_in_frame(lab, embed)) if asks else ("", "", ())
    names = tuple(slider.name for slider in view.sliders) if view else ()
    return FramePicture(text if len(text) <= LONGEST else TOO_LARGE, names, asks, question, which, options)


BUTTONS = 6
"""Choices that are buttons; of more a name is typed, as web/asking/form.js has it."""


def _question(lab: Lab) -> tuple[str, str, tuple[str, ...]]:
    """Return the first question without an answer, in words, which it is, and its options; "" for none."""
    asked = lab.asking.asked if lab.asking else ()
    at, first = next(((at, each.question) for at, each in enumerate(asked) if not each.revealed), (0, None))
    if first is None or missing(lab, first):
        return "", "", ()
    letter = lab.pinned.letter if lab.pinned else "A"
    which = f"{at + 1} of {len(asked)}" if len(asked) > 1 else ONLY
    graph = played(lab.graph)
    form = form_of(graph, first, 1)
    choices = form["choices"] if form["form"] == CHOICE and first.kind != CAUSE else []
    options = tuple(each["words"][0].replace("`", "") for each in choices) if len(choices) <= BUTTONS else ()
    return question_words(graph, first, letter).replace("`", ""), which, options
