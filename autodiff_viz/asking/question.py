"""Describe questions as records: what is asked, about which number of a trace, and what was answered."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

ZERO, SIGN, LARGER, SAME, NUMBER, SHAPE, CAUSE = "zero", "sign", "larger", "same", "number", "shape", "cause"
CHOICE = "choice"
KINDS = (ZERO, SIGN, LARGER, SAME, NUMBER, SHAPE, CAUSE, CHOICE)
"""Zero or not; its sign; which of two is larger in magnitude; the same in A and B; the number; the shape;
which node is the cause of a zero or of a NaN; one of the author's options."""

VALUE, COTANGENT, PASSED = "value", "cotangent", "passed"
KEPT, RUNS = "kept", "runs"
QUANTITIES = (VALUE, COTANGENT, PASSED, KEPT, RUNS)
"""What a node computes, what arrives at it on the way back, and what a wire into one of its slots brings;
how many numbers are kept for the way back, in all, and how often a node's op runs, forward and back."""

COUNTS = (KEPT, RUNS)
"""Quantities that are counted: whole numbers, which no value and no gradient tells."""

UNKNOWN = "?"
"""The answer "I do not know", which is one of every kind."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """Name a number, or a tensor, of a trace.

    Attributes:
      of: one of `QUANTITIES`.
      node: a node; for `PASSED` the node that reads; for `KEPT` the output.
      slot: for `PASSED` its slot, as in `Trace.passed`; None otherwise.
      element: index of one element; None for a number, or for the whole tensor where a question is about it.
    """

    of: str
    node: str
    slot: int | None = None
    element: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """Ask one thing about a trace.

    Attributes:
      kind: one of `KINDS`.
      about: what is asked for. Of `CAUSE` it is where the zero or NaN is seen.
      other: of `LARGER` the second of both; None otherwise.
      words: the question as its author asks it; "" for the words that follow from the record.
      told: (answer, sentence) of what its author says to certain answers, beside what is computed.
      options: of `CHOICE` the answers to choose from, as short texts; () otherwise.
      right: the right one of them; of `NUMBER` a number that no trace has, such as one after a training, as
        a text. "" where the trace has the answer.
    """

    kind: str
    about: Quantity
    other: Quantity | None = None
    words: str = ""
    told: tuple[tuple[str, str], ...] = ()
    options: tuple[str, ...] = ()
    right: str = ""

    @property
    def is_of_numbers(self) -> bool:
        """Whether a value or a gradient answers it: it is not counted, nor its author's to answer."""
        return not self.right and self.about.of not in COUNTS


ALL_VALUES, ALL_COTANGENTS, ASKED_ALONE = "values", "cotangents", "asked"
HIDES = (ALL_VALUES, ALL_COTANGENTS, ASKED_ALONE)
"""What is hidden while something is asked: all values (and so all cotangents), all cotangents, or only what
the questions are about and what gives it away."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what one visitor did with it.

    Attributes:
      question: the question.
      tries: the answers so far, as they were typed, first to last.
      revealed: whether the answer is on view: after a right answer, after the last try, or on request.
      of: names the numbers that the tries were about; of other numbers they say nothing. "" without tries.
      right: whether the last answer was right; None if it was nearly, or is not known.
      inputs: the inputs of the graph that it was about; no link has them.
    """

    question: Question
    tries: tuple[str, ...] = ()
    revealed: bool = False
    of: str = ""
    right: bool | None = None
    inputs: tuple[tuple[str, float], ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Asking:
    """All that is asked of one graph.

    Attributes:
      hides: one of `HIDES`.
      asked: the questions, in their order.
    """

    hides: str
    asked: tuple[Asked, ...] = ()

    @property
    def unanswered(self) -> Asking:
        """The same questions without what anybody has answered, as others get them."""
        return replace(self, asked=tuple(Asked(each.question) for each in self.asked))


TRIES = 2
"""Answers that are judged before the reveal."""
