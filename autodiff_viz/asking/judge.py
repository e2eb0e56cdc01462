"""Tell whether an answer to a question about a trace is right, or which usual mistake gives it.

All that judging needs is first worked out as a table of plain data. `judged` reads an answer and looks it up
there; web/asking/judge.js does the same in the browser, where no server answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import floor, isfinite, isnan, log10
from typing import Any

import numpy as np

from autodiff_viz.asking.answers import (
    MOST,
    SOME,
    ZERO_CHOICE,
    Answer,
    came_number,
    choice_label,
    choice_of_number,
    quoted_text,
    read_answer,
    sent_number,
    written_number,
    written_shape,
)
from autodiff_viz.asking.authored import check_own_answer
from autodiff_viz.asking.case import Case, producer_of
from autodiff_viz.asking.mistakes import FAR, PLAIN, Guess, guess_text, guesses
from autodiff_viz.asking.question import (
    CAUSE,
    CHOICE,
    COTANGENT,
    COUNTS,
    KEPT,
    KINDS,
    LARGER,
    NUMBER,
    PASSED,
    RUNS,
    SAME,
    SHAPE,
    SIGN,
    UNKNOWN,
    VALUE,
    ZERO,
    Quantity,
    Question,
)
from autodiff_viz.asking.reasons import reason_of, reason_same, reason_shape, reason_zero, ticked
from autodiff_viz.asking.rounding import Measured, apart, equal_numbers
from autodiff_viz.asking.words import EQUAL, FIRST, OTHER, SECOND, form_of, hint_of, question_words
from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.engine.tolerance import norm
from autodiff_viz.engine.trace import Trace, known_trace, with_output
from autodiff_viz.explain.explanation import Twin
from autodiff_viz.explain.nonfinite.compute import nonfinite_origin
from autodiff_viz.explain.zero.compute import why_zero
from autodiff_viz.graph.dtypes import DTYPES
from autodiff_viz.graph.grad_nodes import OF, readers
from autodiff_viz.graph.identity import identity, remembered
from autodiff_viz.graph.model import GRAD
from autodiff_viz.graph.order import descendants
from autodiff_viz.graph.problem import GraphError, Problem, kind_of
from autodiff_viz.graph.rule_kinds import FOLLOW
from autodiff_viz.graph.shown import Shown
from autodiff_viz.graph.text import listed, quoted, scalar

VERSION = 1  # of the table
WITHIN = 0.01  # of a number: right, for hand work
SHOWN = 4  # digits of a number on a card; a number that is read off it is right too
ROUNDED = 0.1  # of a number: an answer with few digits that rounds it is nearly right
CAUSES = 200  # nodes of a graph in which each has a sentence if it is taken for the cause
TABLES = 64  # kept
DIGITS, EDGES = 6, 5  # of a right number, and of the ends of what is accepted

UNKNOWN_SAYS = "No guess is no mistake. The reveal shows it."
NEAR_SAYS = "Right idea, rounding: accepted is <accepted>."
TIED_SAYS = "<guess> comes about in two ways: <one>, or <two>. Which was yours?"
RIGHT_SAYS = "Right."
COUNT = {
    KEPT: "Ask of each node what its slope is made of, and of each checkpoint what enters it.",
    RUNS: "Count one run forward, and what each checkpoint around it adds.",
}
"""Where to look next, of what is counted."""

Table = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Judgement(Shown):
    """What is said to an answer.

    Attributes:
      right: whether it is accepted.
      near: whether it is not, but within twice of what is accepted, or a rounding: the right idea.
      read_as: how the answer was read.
      accepted: what is accepted, as a text; "" for a wrong answer, to which it would give the number away.
      mistake: code of the usual mistake that gives this answer; "" for none.
      wire: (node, slot) of the wire that the mistake points to, as in `Trace.passed`; None for none.
      says: the sentence of feedback.
      reason: why the right answer is right; "" for any other answer.
      also: code of a second mistake that gives the same answer by another wire; "" for none.
      unknown: whether the answer was "I do not know".
    """

    right: bool
    near: bool
    read_as: str
    accepted: str = ""
    mistake: str = ""
    wire: Wire | None = None
    says: str = ""
    reason: str = ""
    also: str = ""
    unknown: bool = False


def judge(found: Trace, question: Question, answer: str, pinned: Trace | Twin | None = None) -> Judgement:
    """Judge an answer: right, nearly right, or the usual mistake that gives it.

    A number is right within 1 %, or to the digits that are shown; 0, NaN and infinities are exact. Where
    terms cancel, so that calculus says 0 and rounding leaves a small number, both are right.
    What cannot be read is no wrong answer but an error.

    Args:
      found: a trace with an output.
      question: about a number of it.
      answer: as typed, at most 100 characters; "?" for "I do not know".
      pinned: of questions for the same in A and B the other trace, which is A.
    Returns:
      The judgement.
    Raises:
      GraphError: there is no trace or output, the question does not fit it, or the answer cannot be read
        (code "unread-answer").
    """
    return judged(feedback_table(found, question, pinned), answer)


def judged(table: Table, text: str) -> Judgement:
    """Judge an answer by the table of its question alone.

    Raises:
      GraphError: code "unread-answer".
    """
    answer = read_answer(table["form"], text)
    right = table["answer"]
    if answer.choice == UNKNOWN:
        return Judgement(False, False, answer.read_as, says=UNKNOWN_SAYS, unknown=True)
    told = next((each["says"] for each in table["told"] if fits(answer, each)), "")
    if fits(answer, right):
        accepted, reason = right["accepted"], right["reason"]
        return Judgement(True, False, answer.read_as, accepted, says=told or RIGHT_SAYS, reason=reason)
    if table["kind"] == NUMBER and _inside(answer.numbers, right["near"]):
        return _near(answer, right, told)
    matches = [each for each in table["mistakes"] if fits(answer, each)]
    if not matches and table["kind"] == NUMBER:
        matches = [each for each in table["mistakes"] if _rounds(answer, [_middle(at) for at in each["at"]])]
    if matches:
        first = matches[0]
        other = next((each for each in matches if _is_another(each, first)), None)
        says = first["says"]
        if other:
            names = {"guess": first["guess"], "one": first["name"], "two": other["name"]}
            says = TIED_SAYS
            for name, each in names.items():
                says = says.replace(f"<{name}>", each)
        if table["kind"] == NUMBER and says.startswith(f"{first['guess']} "):
            says = f"{_as_typed(answer)}{says.removeprefix(first['guess'])}"
        return Judgement(
            False,
            False,
            answer.read_as,
            mistake=first["code"],
            wire=_wire(first["wire"]),
            says=told or says,
            also=other["code"] if other else "",
        )
    if table["kind"] == NUMBER and _rounds(answer, right["exact"]):
        return _near(answer, right, told)
    otherwise = table["otherwise"]
    says = otherwise["says"].replace("<guess>", _as_typed(answer) if answer.numbers else quoted_text(text))
    return Judgement(False, False, answer.read_as, wire=_wire(otherwise["wire"]), says=told or says)


def _as_typed(answer: Answer) -> str:
    """Return the numbers of an answer as feedback names them: 1/30 as typed, several with four digits."""
    if len(answer.numbers) > 1 or answer.choice:
        return guess_text(answer.numbers)
    return answer.read_as.removeprefix("read as ").partition(" = ")[0]


def _near(answer: Answer, right: Table, told: str) -> Judgement:
    says = NEAR_SAYS.replace("<accepted>", right["accepted"])
    return Judgement(False, True, answer.read_as, right["accepted"], says=told or says)


def _is_another(each: Table, first: Table) -> bool:
    return each["code"] != first["code"] and each["wire"] != first["wire"] and each["tier"] == first["tier"]


def _wire(sent: Sequence[Any] | None) -> Wire | None:
    return None if sent is None else (sent[0], sent[1])


def fits(answer: Answer, entry: Table) -> bool:
    """Return whether an answer is the one of an entry of a table."""
    if "choice" in entry:
        return answer.choice == entry["choice"] or answer.choice in entry.get("others", ())
    if "shape" in entry:
        return [*answer.numbers] == [*entry["shape"]]
    return _inside(answer.numbers, entry["at"])


def _inside(numbers: Sequence[float], intervals: Sequence[Any]) -> bool:
    """Return whether each number lies in its interval; one number stands for all."""
    if len(numbers) == 1 and intervals:
        numbers = [*numbers] * len(intervals)
    return len(numbers) == len(intervals) and all(map(_lies_in, numbers, intervals))


def _lies_in(number: float, interval: Any) -> bool:
    if isinstance(interval, str):
        exact = came_number(interval)
        return number == exact or (isnan(number) and isnan(exact))
    return interval[0] <= number <= interval[1]


def _middle(interval: Any) -> Any:
    return interval if isinstance(interval, str) else (interval[0] + interval[1]) / 2


def _rounds(answer: Answer, exact: Sequence[Any]) -> bool:
    """Return whether an answer is the right number, rounded to the digits that were typed."""
    numbers = [*answer.numbers] * len(exact) if len(answer.numbers) == 1 else [*answer.numbers]
    right = [came_number(each) for each in exact]
    return len(numbers) == len(right) and all(
        isfinite(b) and abs(a - b) <= min(answer.unit / 2, ROUNDED * abs(b)) * (1 + 1e-9)
        for a, b in zip(numbers, right, strict=True)
    )


# The table


def feedback_table(found: Trace, question: Question, pinned: Trace | Twin | None = None) -> dict[str, Any]:
    """Return all that judging an answer needs, as plain JSON data. It holds the right answer.

    Args:
      found: a trace with an output.
      question: about a number of it.
      pinned: the trace that is pinned beside it, as A, or a `Twin` with its letter.
    Returns:
      {"v", "kind", "words", "hint", "form": what can be typed, "answer": {"text", "accepted", "reason", and
      "choice", "shape", or "at", "near", "exact"}, "mistakes": [{"code", "name", "guess", "wire", "says",
      "tier", and "choice", "shape" or "at"}], "told": the author's sentences, "otherwise": what is said to
      any other answer}.
      Intervals are [low, high], or "nan", "inf", "-inf".
    Raises:
      GraphError: there is no trace or output, or the question does not fit it.
    """
    with_output(known_trace(found))
    if not isinstance(question, Question) or question.kind not in KINDS:
        what = quoted(question.kind) if isinstance(question, Question) else kind_of(question)
        message = f"A question of a kind among {listed([*KINDS], last='or')} is needed; found {what}."
        raise GraphError(Problem("bad-question", message))
    check_own_answer(question)
    other, letter = (pinned.trace, pinned.letter) if isinstance(pinned, Twin) else (pinned, "A")
    if other is not None:
        known_trace(other)
    if other is None and (question.kind == SAME or (question.kind == LARGER and question.other is None)):
        message = "The question compares A with B, and no second graph is pinned."
        raise GraphError(Problem("nothing-pinned", message, "Pin a graph, or ask another question."))
    return _table(found, question, other, letter)


@remembered(
    TABLES,
    lambda found, question, other, letter: (
        found.identity,
        identity(question),
        b"" if other is None else other.identity,
        letter,
    ),
)
def _table(found: Trace, question: Question, other: Trace | None, letter: str) -> dict[str, Any]:
    if question.right:
        producer_of(found, question.about)  # that it has what the question points at
        form = form_of(found.graph, question, 1)
        told = list(_told(form, question, found))
        made = _own_table(question, form, found.dtype)
    else:
        case = Case(found, question.about, other, letter)
        form = form_of(found.graph, question, len(case.numbers))
        told = list(_told(form, question, found))
        made = MAKERS[question.kind](case, question, form)
    # Its author's reason for the right answer stands for the computed one.
    for text, says in question.told:
        if fits(read_answer(form, text), made["answer"]):
            made["answer"]["reason"] = says
    words = question_words(found.graph, question, letter)
    return {
        "v": VERSION,
        "kind": question.kind,
        "words": words,
        "hint": hint_of(form, question),
        "form": form,
        "told": told,
        **made,
    }


def _told(form: Table, question: Question, found: Trace) -> Iterable[dict[str, Any]]:
    """Yield the author's sentences, as entries of the table."""
    for text, says in question.told:
        answer = read_answer(form, text)
        if form["form"] == CHOICE:
            yield {"choice": answer.choice, "says": says}
        elif form["form"] == NUMBER:
            numbers = [*answer.numbers] * (form["count"] if len(answer.numbers) == 1 else 1)
            yield {"at": [interval(number, found.dtype) for number in numbers], "says": says}
        else:
            yield {"shape": [*answer.numbers], "says": says}


def _own_table(question: Question, form: Table, dtype: str) -> dict[str, Any]:
    """Return the table of an answer that its author gives: no trace has it, so no mistake is computed."""
    answer = read_answer(form, question.right)
    if answer.choice:
        right = _chosen(form, answer.choice, "")
    else:
        right = _numbered(answer.numbers, question.about, dtype, "")
    says = "Not so. Think of what happens in the graph, one node after the other."
    return {
        "answer": right,
        "mistakes": [],
        "otherwise": {"says": says, "wire": None},
    }


# Numbers


def tolerance(number: float, dtype: str) -> float:
    """Return how far an answer may be from a number: 1 %, or the digits that are shown if that is more."""
    if not number or not isfinite(number):
        return 0.0
    digits = min(SHOWN, DTYPES[dtype].digits)
    return max(WITHIN * abs(number), 0.5 * 10.0 ** (floor(log10(abs(number))) - digits + 1))


def interval(number: float, dtype: str, times: float = 1.0) -> Any:
    """Return the interval of answers that mean a number, as JSON has it."""
    if not isfinite(number):
        return sent_number(number)
    room = times * tolerance(number, dtype)
    return [number - room, number + room]


def accepted_text(intervals: Sequence[Any]) -> str:
    """Return intervals as a text: "7.92 to 8.08", "exactly 0"."""
    texts = []
    for each in intervals:
        if isinstance(each, str):
            texts.append(written_number(came_number(each)))
        elif each[0] == each[1]:
            texts.append(f"exactly {written_number(each[0])}")
        else:
            texts.append(f"{scalar(each[0], EDGES)} to {scalar(each[1], EDGES)}")
    return texts[0] if len({*texts}) == 1 else f"[{'; '.join(texts)}]"


def _number_table(case: Case, question: Question, form: Table) -> dict[str, Any]:
    dtype = case.found.dtype
    if len(case.numbers) > MOST:
        message = (
            f"{quoted(case.producer)} has {len(case.numbers)} numbers; at most {MOST} are asked for at once."
        )
        raise GraphError(Problem("too-many-numbers", message, "Ask for one element, or for the shape."))
    answer = _numbered(case.numbers, case.asked, dtype, reason_of(case), case.picked(case.computed))
    mistakes = [_entry(guess, case) for guess in guesses(case) if not _inside(guess.numbers, answer["at"])]
    return {"answer": answer, "mistakes": mistakes, "otherwise": _otherwise(case)}


def _numbered(
    numbers: Sequence[float], about: Quantity, dtype: str, reason: str, computed: Sequence[float] = ()
) -> dict[str, Any]:
    """Return the entry of right numbers.

    Args:
      computed: the numbers as a card shows them: where they are 0 by calculus, with what rounding leaves.
    """
    room = _room(about)
    at, near = (
        [_around(*pair, dtype, times * room) for pair in zip(numbers, computed or numbers, strict=True)]
        for times in (1.0, 2.0)
    )
    return {
        "text": number_text(numbers),
        "accepted": accepted_text(at),
        "reason": reason,
        "at": at,
        "near": near,
        "exact": [sent_number(number) for number in numbers],
    }


def _around(number: float, computed: float, dtype: str, times: float) -> Any:
    """Return the interval of answers that mean a number; both 0 and what rounding leaves of it are right."""
    if number or not computed:
        return interval(number, dtype, times)
    reach = abs(computed) + times * tolerance(computed, dtype)
    return [-reach, reach]


def _room(about: Quantity) -> float:
    """Return how much of the usual tolerance there is: none for what is counted."""
    return 0.0 if about.of in COUNTS else 1.0


def number_text(numbers: Sequence[float]) -> str:
    """Return right numbers as a text, with the digits that float32 has."""
    texts = [scalar(number, DIGITS) for number in numbers]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _entry(guess: Guess, case: Case, choice: str = "") -> dict[str, Any]:
    at = [interval(number, case.found.dtype, _room(case.asked)) for number in guess.numbers]
    where = {"choice": choice} if choice else {"at": at}
    return {
        "code": guess.mistake.code,
        "name": guess.mistake.name,
        "guess": guess_text(guess.numbers),
        "wire": None if guess.wire is None else [*guess.wire],
        "says": guess.says,
        "tier": guess.tier,
        **where,
    }


def _otherwise(case: Case) -> dict[str, Any]:
    """Return what is said to an answer that no usual mistake gives: where to look next."""
    if case.asked.of in COUNTS:
        return {"says": f"Not <guess>. {COUNT[case.asked.of]}", "wire": None}
    if case.asked.of == VALUE:
        node = case.found.graph[case.producer]
        read = listed([f"`{name}`" for name in dict.fromkeys(name for _, name in node.wires)], 4)
        look = f"Look at what `{node.name}` reads, {read}, and at its op, {node.op}." if read else ""
        return {"says": f"Not <guess>. {look}".strip(), "wire": None}
    wire = next((w for w in case.wires if w not in case.closed), None)
    names = listed([f"`{name}`" for name in dict.fromkeys(name for name, _ in case.wires)], 4)
    says = "Not <guess>. Go back from the output, one node at a time."
    if names:
        says = f"Not <guess>. Look first at what arrives at {names}."
    return {"says": says, "wire": None if wire is None else [*wire]}


# Choices


def _chosen(form: Table, choice: str, reason: str) -> dict[str, Any]:
    label = choice_label(form, choice)
    return {"text": label, "accepted": label, "reason": reason, "choice": choice}


def _zero_table(case: Case, question: Question, form: Table) -> dict[str, Any]:
    numbers = np.asarray(case.numbers)
    right = SOME if numbers.any() else ZERO_CHOICE  # NaN is not 0
    return _by_number(case, form, right, lambda g: SOME if np.any(g) else ZERO_CHOICE)


def _sign_table(case: Case, question: Question, form: Table) -> dict[str, Any]:
    signs = {choice_of_number("sign", number) for number in case.numbers}
    if len(signs) > 1:
        message = f"{quoted(case.producer)} has numbers of several signs."
        raise GraphError(Problem("mixed-signs", message, "Ask for one element."))

    def sign(numbers: Sequence[float]) -> str:
        found = {choice_of_number("sign", number) for number in numbers}
        return found.pop() if len(found) == 1 else ""

    return _by_number(case, form, signs.pop(), sign)


def _by_number(case: Case, form: Table, right: str, choice_of: Any) -> dict[str, Any]:
    """Return a table of choices, each with the first mistakes whose number leads to it."""
    found: dict[str, list[Guess]] = {}
    for guess in guesses(case):
        choice = choice_of(guess.numbers)
        if choice and choice != right:
            found.setdefault(choice, []).append(guess)
    mistakes = []
    for choice, each in found.items():
        # Of several mistakes that all say 0 two may be named; else each would have another number.
        for guess in each if choice == ZERO_CHOICE else each[:1]:
            mistakes.append(_entry(guess, case, choice))
    look = _otherwise(case)
    says = look["says"].replace("Not <guess>. ", "Not so. ")
    return {
        "answer": _chosen(form, right, reason_of(case)),
        "mistakes": mistakes,
        "otherwise": {"says": says, "wire": look["wire"]},
    }


NEARLY = 1e-5  # of the larger one: less makes neither of two numbers the larger one


def larger_of(one: float, two: float) -> str:
    """Return which of two sizes is larger."""
    if one == two or (isfinite(one) and isfinite(two) and abs(one - two) <= NEARLY * max(one, two)):
        return EQUAL
    return FIRST if one > two else SECOND


def _as_sentence(text: str, case: Case) -> str:
    """Return a text with a capital, unless it begins with the name of a node."""
    is_named = any(text.startswith(f"{node.name}:") for node in case.found.graph.nodes)
    return text if is_named else f"{text[0].upper()}{text[1:]}"


def _larger_table(case: Case, question: Question, form: Table) -> dict[str, Any]:
    found = case.found
    if question.other is not None:
        cases = [case, Case(found, question.other)]
    else:
        beside = Case(case.pinned, question.about)
        cases = [beside, case] if case.letter == "A" else [case, beside]
    sizes = [norm(np.asarray(each.numbers)) for each in cases]
    if any(map(isnan, sizes)):
        message = "NaN is neither larger nor smaller than a number."
        raise GraphError(Problem("not-comparable", message, "Ask for something else."))
    right = larger_of(*sizes)
    if right != EQUAL and not _apart(*cases, take=norm):
        right = EQUAL
    # The same mistake on both sides: what would it take for the larger one?
    sides = [{}, {}]
    for side, each in zip(sides, cases, strict=True):
        for guess in guesses(each):
            side.setdefault(guess.mistake.code, []).append(guess)
    pairs = [pair for code in sides[0] for pair in zip(sides[0][code], sides[1].get(code, []), strict=False)]
    labels = [each["words"][0] for each in form["choices"][:2]]
    mistakes: dict[str, dict[str, Any]] = {}
    for pair in sorted(pairs, key=lambda pair: max(guess.tier for guess in pair)):
        wrong = [norm(np.asarray(guess.numbers)) for guess in pair]
        choice = "" if any(map(isnan, wrong)) else larger_of(*wrong)
        if choice in ("", right, *mistakes):
            continue
        at = int(choice == SECOND)
        # Of two numbers that are exchanged the mistaken one would be the answer.
        says = pair[at].says.removeprefix(f"{guess_text(pair[at].numbers)} ")
        says = pair[at].says if says == pair[at].says else f"That {says}"
        mistakes[choice] = {**_entry(pair[at], cases[at], choice), "says": says}
    taken = None if question.other is not None else next(iter(_taken_for_same(*cases)), None)
    if taken and right != EQUAL and mistakes.get(EQUAL, {"tier": FAR})["tier"] >= FAR:
        mistakes[EQUAL] = taken
    sized = zip(labels, cases, sizes, strict=True)
    reason = "; ".join(
        f"{label}: {guess_text(side.numbers if len(side.numbers) <= MOST else (size,))}"
        for label, side, size in sized
    )
    return {
        "answer": _chosen(form, right, f"{_as_sentence(reason, case)}. {reason_of(cases[right == SECOND])}"),
        "mistakes": [*mistakes.values()],
        "otherwise": {
            "says": "Not so. Work out both: what arrives at each, times its own slope.",
            "wire": None,
        },
    }


def _same_table(case: Case, question: Question, form: Table) -> dict[str, Any]:
    beside = Case(case.pinned, question.about)
    shapes = {each.full.shape for each in (case, beside) if each.asked.element is None}
    right = OTHER if len(shapes) > 1 or _apart(case, beside) else EQUAL
    mistakes = []
    if right == OTHER:
        mistakes += _taken_for_same(case, beside)
    else:
        mistakes += _taken_for_other(case)
    look = "Not so. Go back in both graphs from the output, and look for the first wire that differs."
    reason = reason_same(case, beside, right == EQUAL)
    return {
        "answer": _chosen(form, right, reason),
        "mistakes": mistakes,
        "otherwise": {"says": look, "wire": None},
    }


def _apart(one: Case, other: Case, take: Callable[[np.ndarray], Any] = np.asarray) -> bool:
    """Return whether asked numbers, or what `take` makes of them, differ by more than rounding."""
    if one.asked.of in COUNTS:
        return one.numbers != other.numbers

    def taken(case: Case) -> Measured:
        return Measured(case.found, case.asked, lambda array: take(case.picked(array)))

    return bool(apart(taken(one), taken(other)).any())


IGNORED = ("stop-ignored", "rule-ignored", "region-ignored", "policy-ignored")


def _taken_for_same(case: Case, beside: Case) -> Iterable[dict[str, Any]]:
    """Yield the mistakes by which two different numbers are taken for the same."""
    entry = {
        "code": "value",
        "name": "value",
        "guess": "the same",
        "wire": None,
        "tier": PLAIN,
        "choice": EQUAL,
    }
    outputs = (Measured(each.found, Quantity(VALUE, each.found.output)) for each in (case, beside))
    for each, its in ((case, beside), (beside, case)):
        for guess in guesses(each):
            if guess.mistake.code in IGNORED and equal_numbers(guess.numbers, its.numbers, case.found.dtype):
                yield {**_entry(guess, each, EQUAL), "guess": "the same"}
                return
    if case.asked.of != VALUE and not apart(*outputs).any():
        says = "The values are the same. The way back has rules of its own: look at its wires."
        if case.asked.of in COUNTS:
            says = "Values and gradients are the same. What is kept, and what runs again, is not."
        yield {**entry, "says": says}


def _taken_for_other(case: Case) -> Iterable[dict[str, Any]]:
    """Yield the mistake by which two equal numbers are taken for different ones."""
    if case.asked.of == KEPT:
        taken = (guess for guess in guesses(case) if guess.mistake.code == "results-taken-off")
        yield from (_entry(guess, case, OTHER) for guess in [*taken][:1])
    rules = [
        {(n.name, n.rule) for n in each.graph.nodes if n.rule.kind != FOLLOW}
        for each in (case.found, case.pinned)
    ]
    if case.asked.of in (COTANGENT, PASSED) and rules[0] != rules[1]:
        yield {
            "code": "off-the-way",
            "name": "off the way",
            "guess": "different",
            "wire": None,
            "says": "Stops and rules differ. Each changes only what lies behind it: what lies behind these?",
            "tier": PLAIN,
            "choice": OTHER,
        }


def _shape_table(case: Case, question: Question, form: Table) -> dict[str, Any]:
    shape = case.full.shape
    found, name = case.found, case.producer
    entries: list[tuple[str, str, tuple[int, ...], str, Wire | None]] = []
    if shape[::-1] != shape:
        says = "The axes are turned round: rows come first, then columns."
        entries.append(("axes-turned", "axes turned", shape[::-1], says, None))
    for wire in case.wires:
        other = found.value[wire[0]].shape
        says = (
            f"That is the shape of `{wire[0]}`. What comes back to `{name}` has the shape of its own value."
        )
        entries.append(("shape-of-reader", "shape of the reader", other, says, wire))
    if case.asked.of == VALUE:
        for slot, read in found.graph[name].wires:
            says = (
                f"That is the shape of `{read}`, which goes in. What does {found.graph[name].op} make of it?"
            )
            entries.append(
                ("shape-of-operand", "shape of an operand", found.value[read].shape, says, (name, slot))
            )
    says = "That is one number. Here there is one for each number of the value."
    entries.append(("shape-of-number", "shape of a number", (), says, None))
    mistakes, seen = [], {shape}
    for code, title, wrong, says, wire in entries:
        if wrong not in seen:
            seen.add(wrong)
            mistakes.append(
                {
                    "code": code,
                    "name": title,
                    "guess": written_shape(wrong),
                    "wire": None if wire is None else [*wire],
                    "says": says,
                    "tier": PLAIN,
                    "shape": [*wrong],
                }
            )
    text = written_shape(shape)
    look = "Not this shape. Count the numbers of the value, axis by axis."
    return {
        "answer": {"text": text, "accepted": text, "reason": reason_shape(case), "shape": [*shape]},
        "mistakes": mistakes,
        "otherwise": {"says": look, "wire": None},
    }


# The node that is the cause


def _cause_table(case: Case, question: Question, form: Table) -> dict[str, Any]:
    found, name = case.found, case.producer
    numbers = np.asarray(case.numbers)
    if not np.isfinite(numbers).all():
        origin = nonfinite_origin(found)
        cause = origin.forward or (origin.backward and origin.backward[0])
        causes, reason = (cause,) if cause else (), ticked(found, origin.sentence)
        entries = _not_begun(found, causes)
    elif case.asked.of == COTANGENT and not numbers.any() and (zero := why_zero(found, name)):
        causes = zero.at or ((found.output,) if zero.kind == "seed" else ())
        reason = reason_zero(found, zero)
        entries = _not_closed(found, name, causes)
    else:
        causes, entries, reason = (), (), ""
    if not causes:
        message = f"What is asked of {quoted(name)} has no one node as its cause: a zero or a NaN has."
        raise GraphError(Problem("no-cause", message, "Ask for the cause where nothing arrives, or NaN."))
    answer = _chosen(form, causes[0], reason)
    return {
        "answer": {
            **answer,
            "text": listed([*causes]),
            "accepted": listed([*causes], last="or"),
            "others": [*causes],
        },
        "mistakes": list(entries) if len(found.graph.nodes) <= CAUSES else [],
        "otherwise": {"says": "Not this one. It is on none of the ways back that matter here.", "wire": None},
    }


def _cause_entry(name: str, code: str, title: str, says: str, wire: Wire | None) -> dict[str, Any]:
    sent = None if wire is None else [*wire]
    return {
        "code": code,
        "name": title,
        "guess": name,
        "wire": sent,
        "says": says,
        "tier": PLAIN,
        "choice": name,
    }


def _not_begun(found: Trace, causes: Sequence[str]) -> Iterable[dict[str, Any]]:
    """Yield, for each node that is not where NaN or an infinity begins, why not."""
    for node in found.graph.nodes:
        if node.name in causes:
            continue
        value = found.value[node.name]
        wire = next(((node.name, slot) for slot, _ in node.wires), None)
        bad = [(slot, each) for slot, each in node.wires if not np.isfinite(found.value[each]).all()]
        if bad:
            held = found.value[bad[0][1]]
            what = guess_text((float(held.reshape(())),)) if held.size == 1 else "not finite"
            says = f"`{node.name}` only hands it on: it reads `{bad[0][1]}`, which is {what} already."
            yield _cause_entry(node.name, "inherits", "inherits", says, (node.name, bad[0][0]))
        elif np.isfinite(value).all() and not np.isfinite(found.cotangent[node.name]).all():
            says = f"`{node.name}` only receives it: its own value is harmless."
            wires = readers(found.graph)[node.name]
            yield _cause_entry(node.name, "inherits", "inherits", says, wires[0] if wires else None)
        else:
            says = f"`{node.name}` is harmless: its value is finite, and so is what it passes back."
            if not np.isfinite(value).all():
                says = f"`{node.name}` is not finite, but it is not the first."
            yield _cause_entry(node.name, "harmless", "harmless", says, wire)


def _not_closed(found: Trace, name: str, causes: Sequence[str]) -> Iterable[dict[str, Any]]:
    """Yield, for each node that does not close the way back, what it passes on."""
    behind = descendants(found.graph, [name])
    for node in found.graph.nodes:
        if node.name in causes:
            continue
        wires = [(node.name, slot) for slot, producer in node.wires if node.op != GRAD or slot != OF]
        leading = [wire for wire in wires if found.graph[wire[0]].slots[wire[1]] in behind] or wires
        came = found.cotangent[node.name]
        passing = next((wire for wire in leading if found.passed[wire].any()), None)
        if not came.any():
            says = f"Nothing arrives at `{node.name}` either. The cause is nearer to the output."
            yield _cause_entry(node.name, "inherits", "inherits", says, leading[0] if leading else None)
        elif passing:
            read = node.slots[passing[1]]
            together = sum(found.passed[node.name, slot] for slot, each in node.wires if each == read)
            passed = together if np.any(together) else found.passed[passing]
            says = f"{_size(came)} arrives at `{node.name}`, and it passes on {_size(np.asarray(passed))}."
            zero = not np.any(found.value[node.name])
            code, title = ("value", "value") if zero else ("passes-on", "passes on")
            if zero:
                says = f"That its value is 0 is no reason. {says}"
            yield _cause_entry(node.name, code, title, says, passing)
        else:
            says = f"`{node.name}` is not on the way from `{name}` to the output."
            yield _cause_entry(node.name, "passes-on", "passes on", says, None)


def _size(array: np.ndarray) -> str:
    return guess_text((float(array.reshape(())),)) if array.size == 1 else f"‖{guess_text((norm(array),))}‖"


MAKERS = {
    ZERO: _zero_table,
    SIGN: _sign_table,
    LARGER: _larger_table,
    SAME: _same_table,
    NUMBER: _number_table,
    SHAPE: _shape_table,
    CAUSE: _cause_table,
}
