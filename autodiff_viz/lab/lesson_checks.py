"""Check lessons as the project checks its own: they run, their numbers hold, and nothing tells an answer."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from autodiff_viz.asking.judge import Judgement, feedback_table, judge
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
from autodiff_viz.lessons.evaluate import QUANTITIES, agree, findings, graph_in, graph_of, trace_of
from autodiff_viz.lessons.gallery import OWN, check_own, lesson
from autodiff_viz.lessons.lesson import RIGHT, TOLD, Lesson
from autodiff_viz.training.run import advanced

CHUNK = 500  # steps of a training that are made at once
NUMBERS = re.compile(r"[\u2212-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


def faults(found: Lesson) -> list[str]:
    """Return what is wrong with a lesson that is served here: each place with what was found and needed."""
    checks = (wrong_graphs, wrong_claims, wrong_answers, wrong_exercises, told_answers)
    said: list[str] = []
    for check in checks:
        try:
            said += check(found)
        except GraphError as error:
            said += [str(problem) for problem in error.problems]
            break  # what comes after it needs a graph that runs
    return said


def wrong_graphs(found: Lesson) -> Iterator[str]:
    """Yield which graphs cannot run, lack the node that is selected, or are not confirmed as a whole."""
    for step in found.steps:
        graph = graph_of(step)
        refused = problems(graph)
        yield from (f"Graph {step.title!r}: {problem}" for problem in refused)
        if step.look_at and step.look_at not in graph:
            yield f"Graph {step.title!r}: look_at is {step.look_at!r}, and no node has that name."
        if not refused and not verify(trace(graph, seed=step.seed, dtype=step.dtype)).agrees:
            yield f"Graph {step.title!r}: the whole program has other gradients than the graph."


def wrong_claims(found: Lesson) -> Iterator[str]:
    """Yield the claims that do not hold."""
    for variant in range(len(found.steps)):
        for each in findings(found, variant):
            if not each.holds:
                yield f"Claim {each.claim.says!r}: {each.computed} was found, and {each.expected} is claimed."


def verdict(found: Lesson, step: int, question: int, answer: str) -> Judgement:
    """Return what is said to an answer of a lesson's question."""
    about = found.steps[step]
    pinned = trace(graph_in(about.pinned), seed=about.seed, dtype=about.dtype) if about.pinned else None
    return judge(trace_of(about), about.questions[question], answer, pinned)


def wrong_answers(found: Lesson) -> Iterator[str]:
    """Yield questions without a right answer in the lesson's table, and answers that meet something else."""
    for given in found.predictions:
        said = verdict(found, given.step, given.question, given.answer)
        told = dict(found.steps[given.step].questions[given.question].told)
        met = RIGHT if said.right else said.mistake or TOLD
        if given.meets == TOLD and (said.right or said.says != told.get(given.answer)):
            yield f"Answer {given.answer!r}: it should be told something of its own, and meets {met!r}."
        elif given.meets not in (TOLD, met):
            yield f"Answer {given.answer!r}: it should meet {given.meets!r}, and meets {met!r}."
    for i, step in enumerate(found.steps):
        for k, question in enumerate(step.questions):
            met = [one.meets for one in found.predictions if (one.step, one.question) == (i, k)]
            if found.predictions and RIGHT not in met:
                yield f"Question {question.words!r}: the table of answers has no right one, from hand work."
            for answer, says in question.told:
                if (said := verdict(found, i, k, answer).says) != says:
                    yield f"Answer {answer!r}: {says!r} is never said, as {said!r} is."


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


def wrong_exercises(found: Lesson) -> Iterator[str]:
    """Yield the exercises that cannot be done, or after which a number is another than they say."""
    for i, item in enumerate(found.to_try):
        lab = after_exercise(found, i)
        yield from (f"Exercise {i + 1}: {problem}" for problem in lab.notice)
        at = moment(lab)
        seen = (evaluated(lab) if at is None else evaluated_at(lab, at)).trace
        for claim in item.then:
            if claim.quantity not in QUANTITIES:
                yield f"Exercise {i + 1}: {claim.quantity!r} is no number that is seen when it is done."
                continue
            read = np.asarray(QUANTITIES[claim.quantity](seen, claim.of))
            if not agree(read, np.asarray(claim.expected), claim):
                yield f"Exercise {i + 1}, {claim.says!r}: {read} was found, and {claim.expected} is claimed."


def told_answers(found: Lesson) -> Iterator[str]:
    """Yield the numbers that are asked for and stand in a text that is read before."""
    for i, step in enumerate(found.steps):
        if not any(question.kind == NUMBER for question in step.questions):
            continue
        lab = open_lesson(start(), found.key, i)
        shown = lesson_view(lab)
        told = " ".join((shown.title, shown.text, *shown.variants, shown.about))
        seen = evaluated(lab).trace
        for asked in lab.asking.asked:
            if asked.question.kind != NUMBER:
                continue
            table = feedback_table(seen, asked.question, beside_of(lab))
            secret = numbers_in(asked.question.right or table["answer"]["text"]) - _on_view(lab, seen)
            if given := secret & numbers_in(f"{told} {asked.question.words}"):
                yield f"Question {asked.question.words!r}: the text before it has its answer, {min(given):g}."


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


def main() -> int:
    """Print what is wrong with the lessons that the environment adds; return 1 if anything is."""
    check_own()
    wrong = 0
    for each in OWN:
        said = faults(each)
        wrong += bool(said)
        print("\n  ".join((f"{each.key}:", *said)) if said else f"{each.key}: all holds")
    print(f"{counted(len(OWN), 'lesson')}, {wrong} with something wrong.")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
