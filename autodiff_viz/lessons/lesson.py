"""Describe lessons as records: tours with exercises and their edits, sources, and claims for the tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from autodiff_viz.lessons.tour import Tour
from autodiff_viz.messages import edits
from autodiff_viz.messages.edits import edit_data

DIGITS = 6  # significant digits, of float32's seven; the last one differs between builds of XLA
EXACTLY = 0.0
PLAY, STEPS, THREE_WAYS = "play", "play_steps", "segments"
"""Events that an exercise may ask for, which are no state of the lab: that the pass is played, that the
visitor steps back and forth in it, and that the curves of the trainings by segments are shown."""


@dataclass(frozen=True, slots=True)
class Law:
    """An expected number computed from other values of the trace, such as a random draw.

    Attributes:
      formula: an expression in the formula language, `sign(x) * sqrt(u)`.
      names: nodes whose values it reads. It reads values only, so that it shares no derivative with the
        claim.
    """

    formula: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Like:
    """The same quantity in another graph of the lesson: the claim that a change leaves it unchanged.

    Attributes:
      variant: index of that graph.
    """

    variant: int


@dataclass(frozen=True, slots=True)
class Claim:
    """A number that must hold in one of the lesson's graphs.

    Attributes:
      says: the claim in words, without the number.
      quantity: a key of `QUANTITIES`, such as "value", of `CUT` or of `SPLIT`, all in `evaluate`.
      of: the node; (node, slot) for "passed", (node, node) for Jacobians; None for "residuals".
      expected: a number, nested tuples of numbers, a `Law` or a `Like`; for "runs" (forward, backward, kept).
      source: origin of the number: a document, or "by hand: ..." with the derivation.
      variant: index of the graph that it is about.
      within: absolute tolerance, EXACTLY for none; None for a relative one of `digits` digits.
      digits: significant digits in which every number agrees; an expected 0 is then exactly 0. Counts are
        exact in any case.
      at: step of that graph's training, or several steps, of which the quantity then has a row each.
    """

    says: str
    quantity: str
    of: Any
    expected: Any
    source: str
    variant: int = 0
    within: float | None = None
    digits: int = DIGITS
    at: int | range = 0


@dataclass(frozen=True, slots=True)
class Part:
    """State of the lab that an exercise asks for, or part of it; `lab/exercises.py` compares.

    Attributes:
      variant: index of the graph that it is about.
      edits: edits that change nothing in that state; a click makes them.
      steps: steps of training that have been made with that graph and its rules; 0 for none.
      at: step of that training that is on view; None for any.
      seed: random seed of the parameters of that training; None for any.
      unchanged: whether the graph is the lesson's own but for `edits`, since a number of the text depends on
        it.
      untrained: whether the parameters are those before any training.
      asks: the event, `PLAY`, `STEPS` or `THREE_WAYS`, that has to happen in that state; "" for none.
    """

    variant: int = 0
    edits: tuple[Mapping[str, Any], ...] = field(default=(), hash=False)
    steps: int = 0
    at: int | None = None
    seed: int | None = None
    unchanged: bool = False
    untrained: bool = False
    asks: str = ""


@dataclass(frozen=True, slots=True)
class Try:
    """One exercise. It is done once each of its parts has been reached, in any order.

    Attributes:
      says: what to do and what to observe, in Markdown.
      parts: at least one; a click reaches the first that has not been reached.
      shows: nodes whose numbers the text speaks of, and keys of plots that show them; the page has a button
        for each.
      then: numbers that hold once the last part has been reached, in its graph with its edits.
    """

    says: str
    parts: tuple[Part, ...]
    shows: tuple[str, ...] = ()
    then: tuple[Claim, ...] = ()


RIGHT, TOLD = "right", "told"
"""What meets an answer that is right, and one to which the question's author says something."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """An answer that people give to a question of the lesson, for the tests.

    Attributes:
      answer: as they type it; of right ones worked out by hand.
      meets: `RIGHT`, `TOLD`, or the code of the mistake of `asking/mistakes.py` that must be named.
      step, question: indices of the step and of its question.
    """

    answer: str
    meets: str
    step: int = 0
    question: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class Lesson(Tour):
    """A tour with exercises, and with claims that must hold in its graphs.

    Attributes:
      key: short identifier, used in links; it never changes.
      to_try: exercises for the lab.
      claims: numbers that must hold in the graphs.
      predictions: answers to its questions, the right one of each and those that tempt.
      numbers: by step, its number in links, which never changes; empty where that is its index.
      sources: threads and papers in Markdown, beside what the claims cite.
      track: key of the series that it belongs to, one of `TRACKS` of gallery.py; "" for none.
      level: 1 for whoever begins, up to 3.
      minutes: how long it takes; 0 if that is not known.
      after: keys of the lessons that one needs before.
      found_by: other words by which people look for it.
      code: the first graph as people write it, in JAX or PyTorch; "" without.
    """

    key: str
    to_try: tuple[Try, ...] = ()
    claims: tuple[Claim, ...] = ()
    predictions: tuple[Prediction, ...] = ()
    numbers: tuple[int, ...] = ()
    sources: tuple[str, ...] = ()
    track: str = ""
    level: int = 1
    minutes: int = 0
    after: tuple[str, ...] = ()
    found_by: tuple[str, ...] = ()
    code: str = ""

    def number_of(self, variant: int) -> int:
        """Return the number by which links name a variant; an index out of range is its own."""
        return self.numbers[variant] if 0 <= variant < len(self.numbers) else variant

    def variant_of(self, number: int) -> int:
        """Return the index of the variant that links name by `number`."""
        return self.numbers.index(number) if number in self.numbers else number


# Sources: the documents that claims cite, and how the lessons' texts introduce them.


SWIFT = "Custom differentiation, the Swift for TensorFlow tutorial"
QUESTION = "Tensorflow: use different expressions for forward and backward pass, the question"
TWO_MODELS = "Calculating the gradient between two models, the answer"
TWO_MODELS_ASKED = "Calculating the gradient between two models, the question"
ANSWER = "Tensorflow: use different expressions for forward and backward pass, the answer"
GATED = "How to differentiate k copies of an input tensor, a question on Swift for TensorFlow"

SWIFT_PAGE = "https://www.tensorflow.org/swift/tutorials/custom_differentiation"
NOISE_COPY = "https://etbye.com/python-tensorflow-use-different-expressions-for-forward-and"
GATED_COPY = "https://www.f2er.com/3162970.html"

TUTORIAL = f"[Custom differentiation]({SWIFT_PAGE}), a tutorial of Swift for TensorFlow"
NOISE = (
    "*Tensorflow: use different expressions for forward and backward pass*, a question with one answer "
    f"([a copy]({NOISE_COPY}))"
)
GATED_QUESTION = (
    "*How to differentiate k copies of an input tensor*, a question on Swift for TensorFlow "
    f"([a copy in Chinese]({GATED_COPY}))"
)
TWO_MODELS_QUESTION = (
    "*Calculating the gradient between two models*, a question on TensorFlow that its asker answered"
)
INTRODUCTIONS = {
    SWIFT: TUTORIAL,
    QUESTION: NOISE,
    ANSWER: NOISE,
    GATED: GATED_QUESTION,
    TWO_MODELS: TWO_MODELS_QUESTION,
    TWO_MODELS_ASKED: TWO_MODELS_QUESTION,
}
"""What a lesson's text says of each document where it first speaks of it."""

# Edits of exercises, in the form in which the canvas sends edits.


Edit = Mapping[str, Any]


def moved(name: str, value: float) -> Edit:
    """Move the slider of an input; any other value than the lesson's will do."""
    return {**put(name, value), "any": True}


def put(name: str, value: float) -> Edit:
    """Set an input to one value."""
    return edit_data(edits.Slide(name=name, value=value))


def written(name: str, text: str) -> Edit:
    """Set an input to a literal."""
    return edit_data(edits.Constant(node=name, slot=None, text=text))


def ruled(name: str, rule: str) -> Edit:
    """Put a rule on a node."""
    return edit_data(edits.Rules(nodes=[name], rule=rule))


def function(name: str, text: str) -> Edit:
    """Set the function of a node's rule."""
    return edit_data(edits.Function(node=name, text=text))


def selected(name: str) -> Edit:
    """Select a node."""
    return edit_data(edits.Select(node=name))


def cut(name: str, on: bool) -> Edit:
    """Put a cut after a node, or remove it."""
    return edit_data(edits.CutAfter(nodes=[name], on=on))


def members(region: str, *nodes: str) -> Edit:
    """Set the nodes of a checkpoint region."""
    return edit_data(edits.SetRegion(region=region, nodes=list(nodes)))


def policy(region: str, name: str) -> Edit:
    """Set the policy of a checkpoint region."""
    return edit_data(edits.Policy(region=region, policy=name, saved=[]))


def without_region(region: str) -> Edit:
    """Remove a checkpoint region."""
    return edit_data(edits.Uncheckpoint(region=region))


def branches(group: str, k: int) -> Edit:
    """Set the number of branches."""
    return edit_data(edits.Branches(group=group, k=k))


def trained_alone(group: str, branch: str) -> Edit:
    """Train one branch alone."""
    return edit_data(edits.Tune(group=group, branch=branch))


def collapsed(group: str) -> Edit:
    """Collapse a group to a card."""
    return edit_data(edits.Collapse(group=group, on=True))


def tangent(name: str, value: str) -> Edit:
    """Set the tangent of an input."""
    return edit_data(edits.Tangent(node=name, value=value))


def resampled() -> Edit:
    """Draw all random numbers anew."""
    return edit_data(edits.Resample())
