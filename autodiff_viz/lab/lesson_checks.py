"""Check lessons as the project checks its own: they run, their numbers hold, and nothing tells an answer."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from autodiff_viz.asking.judge import Judgement, feedback_table, judge
from autodiff_viz.asking.mistakes import MISTAKES
from autodiff_viz.asking.question import ALL_VALUES, NUMBER
from autodiff_viz.display.numbers import short
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.engine.verify import verify
from autodiff_viz.graph.check import problems
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.text import counted
from autodiff_viz.lab.evaluate import evaluated, evaluated_at
from autodiff_viz.lab.exercises import NONE, PLOTS, do_try, reached
from autodiff_viz.lab.judging import beside_of
from autodiff_viz.lab.lessons import lesson_view, open_lesson
from autodiff_viz.lab.state import Lab, start
from autodiff_viz.lab.training import moment
from autodiff_viz.language.suggestions import did_you_mean
from autodiff_viz.lessons import gallery
from autodiff_viz.lessons.contributed import OWN_FOLDER
from autodiff_viz.lessons.evaluate import QUANTITIES, agree, findings, graph_in, graph_of, trace_of
from autodiff_viz.lessons.gallery import OWN, check_own, lesson
from autodiff_viz.lessons.lesson import RIGHT, TOLD, Claim, Lesson
from autodiff_viz.lessons.text import document_of
from autodiff_viz.training.run import advanced

CHUNK = 500  # steps of a training that are made at once
NUMBERS = re.compile(r"[\u2212-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


class Fault(NamedTuple):
    """What is wrong with a lesson.

    Attributes:
      path: of the place in the lesson's data, `$.claims[1]`.
      says: the place, what was found and what was needed.
    """

    path: str
    says: str


def faults(found: Lesson) -> list[Fault]:
    """Return what is wrong with a lesson that is served here."""
    checks = (
        wrong_names,
        wrong_graphs,
        wrong_claims,
        wrong_answers,
        wrong_exercises,
        told_answers,
        too_long,
    )
    said: list[Fault] = []
    for check in checks:
        try:
            said += check(found)
        except GraphError as error:
            if not said:  # otherwise `wrong_graphs` has told which graph it is
                said += [Fault("$", str(problem)) for problem in error.problems]
            break  # what comes after it needs a graph that runs
        except KeyError:
            if not said:  # otherwise `wrong_names` has told which name there is not
                raise
    return said


def wrong_names(found: Lesson) -> Iterator[Fault]:
    """Yield names of nodes, plots, lessons and mistakes that there are not."""
    graphs = [graph_of(step) for step in found.steps]
    nodes = [graph.by_name.keys() for graph in graphs]
    every = {name for names in nodes for name in names}

    def lacks(path: str, what: str, name: str, known: Collection[str]) -> Iterator[Fault]:
        if name not in known:
            yield Fault(path, f"There is no {what} {name!r}. {did_you_mean(name, known)}".rstrip())

    for key in found.after:
        yield from lacks("$.after", "lesson", key, [each.key for each in gallery.SERVED])
    for i, claim in enumerate(found.claims):
        for name in _nodes_of(claim):
            yield from lacks(f"$.claims[{i}]", "node", name, nodes[claim.variant])
    codes = (RIGHT, TOLD, *(mistake.code for mistake in MISTAKES))
    for i, one in enumerate(found.predictions):
        yield from lacks(f"$.predictions[{i}]", "mistake", one.meets, codes)
    for i, item in enumerate(found.to_try):
        for name in item.shows:
            place = f"$.to_try[{i}].parts[{len(item.parts) - 1}].shows"
            yield from lacks(place, "node or plot", name, [*every, *PLOTS])
        for k, part in enumerate(item.parts):
            for name in (edit["name"] for edit in part.edits if edit["kind"] == "slide"):
                yield from lacks(f"$.to_try[{i}].parts[{k}]", "input", name, nodes[part.variant])
        for k, claim in enumerate(item.then):
            for name in _nodes_of(claim):
                yield from lacks(f"$.to_try[{i}].then[{k}]", "node", name, every)


def _nodes_of(claim: Claim) -> Iterator[str]:
    """Yield the nodes that a claim is about."""
    yield from (
        name for name in (claim.of if isinstance(claim.of, tuple) else (claim.of,)) if type(name) is str
    )


def wrong_graphs(found: Lesson) -> Iterator[Fault]:
    """Yield which graphs cannot run, or are not confirmed as a whole."""
    for i, step in enumerate(found.steps):
        place = f"$.steps[{i}].formula"
        try:
            graph = graph_of(step)
            refused = problems(graph)
            agrees = bool(refused) or verify(trace(graph, seed=step.seed, dtype=step.dtype)).agrees
        except GraphError as error:
            refused, agrees = error.problems, True
        yield from (Fault(place, f"Graph {step.title!r}: {problem}") for problem in refused)
        if not agrees:
            yield Fault(place, f"Graph {step.title!r}: the whole program has other gradients than the graph.")


def wrong_claims(found: Lesson) -> Iterator[Fault]:
    """Yield the claims that do not hold."""
    for variant in range(len(found.steps)):
        for each in findings(found, variant):
            if not each.holds:
                says = f"{each.computed} was found, and {each.expected} is claimed."
                place = next(i for i, claim in enumerate(found.claims) if claim is each.claim)
                yield Fault(f"$.claims[{place}]", f"Claim {each.claim.says!r}: {says}")


def verdict(found: Lesson, step: int, question: int, answer: str) -> Judgement:
    """Return what is said to an answer of a lesson's question."""
    about = found.steps[step]
    pinned = trace(graph_in(about.pinned), seed=about.seed, dtype=about.dtype) if about.pinned else None
    return judge(trace_of(about), about.questions[question], answer, pinned)


def lengths(found: Lesson) -> dict[str, tuple[str, int]]:
    """Return the place and the length of all that is read at once before the first answer."""
    first = found.steps[0].questions[0]
    return {
        "letters of the title": ("$.title", len(found.title)),
        "letters of the text": ("$.text", len(found.text)),
        "letters of the question": ("$.steps[0].questions[0]", len(first.words)),
        "options": ("$.steps[0].questions[0]", len(first.options)),
        "letters of the options": ("$.steps[0].questions[0]", sum(map(len, first.options))),
    }


IN_VIEW = {
    "letters of the title": 66,
    "letters of the text": 216,
    "letters of the question": 64,
    "options": 4,
    "letters of the options": 96,
}
"""The largest lengths of our own lessons, of which browser tests hold that all is in view together."""


def too_long(found: Lesson) -> Iterator[Fault]:
    """Yield what is so long that a window may not show it beside the graph and the answers."""
    for what, (place, length) in lengths(found).items() if found.steps[0].questions else ():
        if length > IN_VIEW[what]:
            yield Fault(
                place,
                f"There are {length} {what}. With more than {IN_VIEW[what]} the graph, the question and its "
                "answers are not in view together in every window.",
            )


def wrong_answers(found: Lesson) -> Iterator[Fault]:
    """Yield questions without a right answer in the lesson's table, and answers that meet something else."""
    for row, given in enumerate(found.predictions):
        place = f"$.predictions[{row}]"
        said = verdict(found, given.step, given.question, given.answer)
        told = dict(found.steps[given.step].questions[given.question].told)
        met = RIGHT if said.right else said.mistake or TOLD
        if given.meets == TOLD and (said.right or said.says != told.get(given.answer)):
            says = f"Answer {given.answer!r}: it should be told something of its own, and meets {met!r}."
            yield Fault(place, says)
        elif given.meets not in (TOLD, met):
            yield Fault(place, f"Answer {given.answer!r}: it should meet {given.meets!r}, and meets {met!r}.")
    for i, step in enumerate(found.steps):
        for k, question in enumerate(step.questions):
            place = f"$.steps[{i}].questions[{k}]"
            met = [one.meets for one in found.predictions if (one.step, one.question) == (i, k)]
            if found.predictions and RIGHT not in met:
                says = "the table of answers has no right one, from hand work."
                yield Fault(place, f"Question {question.words!r}: {says}")
            for answer, says in question.told:
                if (said := verdict(found, i, k, answer).says) != says:
                    instead = f"{said!r} is said instead of {says!r}."
                    yield Fault(f"{place}.told", f"Answer {answer!r}: {instead}")


def after_exercise(found: Lesson, index: int) -> Lab:
    """Return the lab after all parts of an exercise, each with its training made."""
    lab, before = open_lesson(start(), found.key), NONE
    for _ in found.to_try[index].parts:
        lab = do_try(lab, found.key, index, before)
        if lab.training and lab.training.running:
            lab = _trained(lab)
            if found.to_try[index].parts[-1].at is not None:
                lab = do_try(lab, found.key, index, before)
        before = reached(before, lab, plots=PLOTS)
    return lab


def _trained(lab: Lab) -> Lab:
    while lab.training.running:
        lab = replace(lab, training=advanced(lab.training, CHUNK))
    return lab


def wrong_exercises(found: Lesson) -> Iterator[Fault]:
    """Yield the exercises that cannot be done, or after which a number is another than they say."""
    for i, item in enumerate(found.to_try):
        lab, place = after_exercise(found, i), f"$.to_try[{i}]"
        yield from (Fault(place, f"Exercise {i + 1}: {problem}") for problem in lab.notice)
        at = moment(lab)
        seen = (evaluated(lab) if at is None else evaluated_at(lab, at)).trace
        for k, claim in enumerate(item.then):
            row = f"{place}.then[{k}]"
            if claim.quantity not in QUANTITIES:
                says = f"{claim.quantity!r} is no number that is seen when it is done."
                yield Fault(row, f"Exercise {i + 1}: {says}")
                continue
            read = np.asarray(QUANTITIES[claim.quantity](seen, claim.of))
            if not agree(read, np.asarray(claim.expected), claim):
                says = f"{claim.says!r}: {read} was found, and {claim.expected} is claimed."
                yield Fault(row, f"Exercise {i + 1}, {says}")


def told_answers(found: Lesson) -> Iterator[Fault]:
    """Yield the numbers that are asked for and stand in a text that is read before."""
    for i, step in enumerate(found.steps):
        if not any(question.kind == NUMBER for question in step.questions):
            continue
        lab = open_lesson(start(), found.key, i)
        shown = lesson_view(lab)
        told = " ".join((shown.title, shown.text, *shown.variants, shown.about))
        seen = evaluated(lab).trace
        for k, asked in enumerate(lab.asking.asked):
            if asked.question.kind != NUMBER:
                continue
            table = feedback_table(seen, asked.question, beside_of(lab))
            secret = numbers_in(asked.question.right or table["answer"]["text"]) - _on_view(lab, seen)
            if given := secret & numbers_in(f"{told} {asked.question.words}"):
                says = f"the text before it has its answer, {min(given):g}."
                yield Fault(f"$.steps[{i}].questions[{k}]", f"Question {asked.question.words!r}: {says}")


def numbers_in(text: str) -> set[float]:
    """Return the numbers that stand in a text."""
    return {float(found.replace("\u2212", "-")) for found in NUMBERS.findall(text)}


def _on_view(lab: Lab, seen: Trace) -> set[float]:
    """Return the numbers that are seen before any answer: those of the formula, and the values of nodes."""
    step = lesson(lab.lesson).steps[lab.variant]
    found = numbers_in(step.formula)
    if step.hides != ALL_VALUES:
        found |= {number for each in seen.value.values() for number in numbers_in(short(each.ravel()[0]))}
    return found


def line_in(file: Path) -> Callable[[str], str]:
    """Return the function from a path in a lesson's data to its line in the lesson's file, in words."""
    if not file.exists():  # a tour that the page has saved has no lines that a person wrote
        return lambda path: ""
    document = document_of(file.read_text("utf-8"), file.stem)
    return lambda path: f"line {document.line_of(path)}: "


def main() -> int:
    """Print what is wrong with the lessons that the environment adds; return 1 if anything is."""
    check_own()
    wrong = 0
    for each in OWN:
        said = faults(each)
        wrong += bool(said)
        line = line_in(Path(os.environ[OWN_FOLDER].strip()) / f"{each.key}.md")
        lines = [f"{line(fault.path)}{fault.says}" for fault in said]
        print("\n  ".join((f"{each.key}:", *lines)) if lines else f"{each.key}: all holds")
    print(f"{counted(len(OWN), 'lesson')}, {wrong} with something wrong.")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
