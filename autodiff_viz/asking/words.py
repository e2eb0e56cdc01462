"""Ask a question in words that follow from its record, and say what can be typed as an answer."""

from __future__ import annotations

from typing import Any

from autodiff_viz.asking.answers import (
    NEGATIVE,
    NO_NUMBER,
    POSITIVE,
    SOME,
    ZERO_CHOICE,
    Form,
)
from autodiff_viz.asking.authored import form_of_options
from autodiff_viz.asking.question import (
    CAUSE,
    CHOICE,
    COTANGENT,
    COUNTS,
    KEPT,
    LARGER,
    NUMBER,
    PASSED,
    SAME,
    SHAPE,
    SIGN,
    VALUE,
    ZERO,
    Quantity,
    Question,
)
from autodiff_viz.graph.model import Graph

FIRST, SECOND, EQUAL, OTHER = "first", "second", "same", "different"
"""Choices: of LARGER the first, the second or neither (EQUAL); of SAME EQUAL or OTHER."""


TO_WIRE = "the wire to "
"""What the label of a wire begins with."""


def question_words(graph: Graph, question: Question, letter: str = "A") -> str:
    """Return a question in words: its author's, or those that follow from the record.

    Args:
      graph: that the question is about.
      letter: of the pinned graph, "A" or "B".
    """
    if question.words:
        return question.words
    about, kind = question.about, question.kind
    if kind == CHOICE:
        return "Which of these is right?"
    if about.of in COUNTS:
        return _counted(question)
    thing, node = named(graph, about), about.node
    if kind == LARGER:
        return _larger(graph, question, letter)
    if kind == SAME:
        if about.of == COTANGENT:
            return f"Does the same arrive at `{node}`{_place(about)} in A and in B?"
        return f"Is {thing} the same in A and in B?"
    if kind == CAUSE:
        return f"Which node is to blame for {_what(graph, about)}?"
    if kind == SHAPE:
        return f"What is the shape of {_what(graph, about)}?"
    if kind == SIGN:
        return f"Which sign has {_what(graph, about)}?"
    if about.of == VALUE:
        return f"Is {thing} anything but 0?" if kind == ZERO else f"What is {thing}?"
    if about.of == PASSED:
        to = f"{thing} bring {'anything ' if kind == ZERO else ''}back"
        return f"Does {to}?" if kind == ZERO else f"What does {to}?"
    place = _place(about)
    return (
        f"Does anything arrive at `{node}`{place}?" if kind == ZERO else f"What arrives at `{node}`{place}?"
    )


def _counted(question: Question) -> str:
    """Return a question for how much is kept, or how often a node runs, in words."""
    kind, node = question.kind, f"`{question.about.node}`"
    if question.about.of == KEPT:
        return {
            ZERO: "Is anything kept for the way back?",
            SAME: "Are as many numbers kept for the way back in A as in B?",
            LARGER: "Where are more numbers kept for the way back, in A or in B?",
        }.get(kind, "How many numbers are kept for the way back?")
    if kind == LARGER and question.other is not None:
        return f"Which runs more often: {node} or `{question.other.node}`?"
    return {
        ZERO: f"Does {node} run?",
        SAME: f"Does {node} run as often in A as in B?",
        LARGER: f"Where does {node} run more often, in A or in B?",
    }.get(kind, f"How often does {node} run, forward and back together?")


def named(graph: Graph, about: Quantity) -> str:
    """Name a quantity: "the value of `y`", "`x`" for what arrives there, "the wire from `y` to `x`"."""
    if about.of == PASSED:
        return f"the wire from `{about.node}` to `{graph[about.node].slots[about.slot]}`{_place(about)}"
    return f"the value of `{about.node}`{_place(about)}" if about.of == VALUE else f"`{about.node}`"


def _what(graph: Graph, about: Quantity) -> str:
    if about.of == COTANGENT:
        return f"what arrives at `{about.node}`{_place(about)}"
    return f"what {named(graph, about)} brings back" if about.of == PASSED else named(graph, about)


def _place(about: Quantity) -> str:
    return "" if about.element is None else f", at {list(about.element)}"


def _larger(graph: Graph, question: Question, letter: str) -> str:
    one, two = question.about, question.other
    if two is None:
        if one.of == COTANGENT:
            return f"Where does more arrive at `{one.node}`{_place(one)}, in A or in B?"
        return f"Where is {named(graph, one)} larger in size, in A or in B?"
    labels = [choice["words"][0] for choice in larger_choices(graph, question)[:2]]
    if one.of == two.of == PASSED:
        return f"Which brings back more: {_ticked(labels[0])} or {_ticked(labels[1])}?"
    if one.of == two.of == COTANGENT:
        return f"Where does more arrive: at {_ticked(labels[0])} or at {_ticked(labels[1])}?"
    if one.of == two.of:
        return f"Which is larger in size: {_ticked(labels[0])} or {_ticked(labels[1])}?"
    return f"Which is larger in size: {_what(graph, one)} or {_what(graph, two)}?"


def _ticked(label: str) -> str:
    """Put the name at the end of a label into backticks."""
    head, _, name = label.rpartition(" ")
    return f"{head} `{name}`" if head else f"`{name}`"


# What can be typed


def form_of(graph: Graph, question: Question, count: int) -> Form:
    """Return what can be typed as an answer.

    Args:
      count: how many numbers are asked for.
    """
    kind = question.kind
    if kind == NUMBER:
        return {"form": NUMBER, "count": count}
    if kind == SHAPE:
        return {"form": SHAPE}
    if kind == CHOICE:
        return form_of_options(question.options)
    if kind == ZERO:
        # The question's own words may turn yes and no round; those of the record do not.
        yes, no = ([], []) if question.words else (["yes"], ["no"])
        some = ["not zero", "something", "not 0", "nonzero", "non-zero", "anything", *yes]
        none = ["zero", "nothing", "0", *no]
        return _choices([(ZERO_CHOICE, none), (SOME, some)], "zero")
    if kind == SIGN:
        words = [
            (POSITIVE, ["+", "plus", "positive", "above 0", "above zero", "up"]),
            (NEGATIVE, ["-", "minus", "negative", "below 0", "below zero", "down", "\u2212"]),
            (ZERO_CHOICE, ["0", "zero", "nothing", "none"]),
            (NO_NUMBER, ["NaN", "not a number", "no sign"]),
        ]
        return _choices(words, "sign")
    if kind == SAME:
        yes, no = ([], []) if question.words else (["yes"], ["no"])
        equal = ["same", "the same", "equal", "identical", *yes]
        return _choices(
            [(EQUAL, equal), (OTHER, ["different", "not the same", "differ", "other", "unequal", *no])]
        )
    if kind == LARGER:
        return {"form": CHOICE, "choices": larger_choices(graph, question), "number": ""}
    return _choices([(node.name, [node.name]) for node in graph.nodes])


def _choices(words: list[tuple[str, list[str]]], number: str = "") -> Form:
    choices = [{"choice": choice, "words": each} for choice, each in words]
    return {"form": CHOICE, "choices": choices, "number": number}


def larger_choices(graph: Graph, question: Question) -> list[dict[str, Any]]:
    """Return the choices of a question for the larger one, the first word of each being its label."""
    one, two = question.about, question.other
    equal = ["same", "the same", "equal", "both", "neither", "as much", "equally"]
    if two is None:
        sides = [["A", "in A"], ["B", "in B"]]
    else:
        sides = [_calls(graph, each) for each in (one, two)]
        shared = set(sides[0]) & set(sides[1])
        sides = [[word for word in side if word not in shared] for side in sides]
        sides[0] += ["first", "the first", "the first one"]
        sides[1] += ["second", "the second", "the second one"]
    words = [*zip((FIRST, SECOND), sides, strict=True), (EQUAL, equal)]
    return [{"choice": choice, "words": list(dict.fromkeys(each))} for choice, each in words]


def _calls(graph: Graph, about: Quantity) -> list[str]:
    """Return what a quantity of a pair may be called; the first is its label."""
    node = about.node
    place = [] if about.element is None else [f"{node}{list(about.element)}"]
    if about.of == PASSED:
        to = graph[node].slots[about.slot]
        return [
            f"{TO_WIRE}{to}",
            f"the wire from {node}",
            *place,
            f"wire to {to}",
            f"wire from {node}",
            str(to),
            node,
        ]
    return [
        node,
        *place,
        f"at {node}",
        f"the value of {node}" if about.of == VALUE else f"what arrives at {node}",
    ]


def hint_of(form: Form, question: Question) -> str:
    """Return what can be typed, in one line."""
    kind = question.kind
    if kind == NUMBER and question.about.of in COUNTS:
        return "A whole number, such as 3."
    if kind == NUMBER:
        several = f" {form['count']} of them as in [1, 2]; one stands for all." if form["count"] > 1 else ""
        return f"A number: 2, 1/2, 0.5, 5e-1, inf or nan.{several} Within 1 % is right."
    if kind == SHAPE:
        return "A shape: 2x3, or number for a single one."
    if kind == CAUSE:
        return "Click a node, or type its name."
    labels = [each["words"][0] for each in form["choices"]]
    return f"One of: {', '.join(labels)}."
