"""Draw the page on which a teacher counts the pasted results of a class, question by question."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

import streamlit as st

from autodiff_viz.asking.question import CAUSE, CHOICE, LARGER, NUMBER, SAME, SHAPE, SIGN, ZERO
from autodiff_viz.asking.summary import (
    KNOWS_NOT,
    MARK,
    NEAR,
    TEXT,
    WRONG,
    ClassCount,
    QuestionCount,
    count,
    name_of,
)
from autodiff_viz.asking.words import question_words
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.text import counted
from autodiff_viz.lessons.evaluate import graph_of
from autodiff_viz.lessons.gallery import lesson

CSS = Path(__file__).parent / "assets" / "class.css"
LIST = "class_results"
"""Key of the text area, whose text only the page of this visitor has."""

INTRODUCTION = f"""After the last question a student copies a line such as
`{MARK} fork: number 2 tries one-path right` and sends it to you, in whatever way your course has. Paste the
lines here."""

PLAINLY = """This helps you to teach; it is no proof. Anybody can type such a line. It holds no name,
and nothing of it is stored: the list is counted for this page and forgotten with it."""

NOTHING = "No result has been counted yet."
UNREAD_SHOWN = 20  # lines that could not be read


def class_page() -> None:
    """Draw the text area, and below it what has been counted."""
    st.set_page_config(page_title="Class")
    st.html(CSS)
    with st.container(key="class_page"):
        st.title("What your class answered", anchor=False)
        st.markdown(INTRODUCTION)
        st.text_area("Results, one in a line", key=LIST, height=140, max_chars=TEXT)
        st.button("Count", key="count_results", icon=":material/bar_chart:")  # leaving the text area sends it
        st.caption(PLAINLY)
        try:
            counts = count(st.session_state.get(LIST) or "")
        except GraphError as error:
            st.error(str(error.problems[0]), icon=":material/error:")
            return
        if shown := "".join(_parts(counts)):
            st.html(shown)
        else:
            st.text(NOTHING)


def _parts(counts: ClassCount) -> Iterator[str]:
    """Yield the counts as HTML: a table with bars for each question, then the lines that were not read."""
    if counts.lines:
        yield f"<p class='av-counted'>{counted(counts.lines, 'result')} counted.</p>"
    for question in counts.questions:
        yield from _question(question)
    if counts.unread:
        yield f"<h2>{counted(len(counts.unread), 'line')} not counted</h2><ul class='av-unread'>"
        for number, why in counts.unread[:UNREAD_SHOWN]:
            yield f"<li>Line {number}: {escape(why)}</li>"
        if (more := len(counts.unread) - UNREAD_SHOWN) > 0:
            yield f"<li>and {more:,} more</li>"
        yield "</ul>"


ANSWERS = {WRONG: "no usual mistake", NEAR: "nearly right", KNOWS_NOT: "did not know"}
"""What stands for answers that are no mistake of the list."""
ORDINALS = ("first", "second", "third")


KINDS = {
    NUMBER: "A number", ZERO: "Zero or not", SIGN: "A sign", LARGER: "Which is larger", SAME: "The same?",
    SHAPE: "A shape", CAUSE: "The cause", CHOICE: "One of the options",
}  # fmt: skip
"""What is asked for, where neither the lines nor a lesson have the words."""


def _asked_in(question: QuestionCount) -> str:
    """Return the words of a question: those of the lines, or of the first graph of a lesson that asks so."""
    found = lesson(question.title)
    for step in found.steps if found and not question.words else ():
        asked = step.questions[question.number - 1 : question.number]
        if asked and asked[0].kind == question.kind:
            return question_words(graph_of(step), asked[0]).replace("`", "")
    return question.words or KINDS[question.kind]


def _question(question: QuestionCount) -> Iterator[str]:
    """Yield the table of one question."""
    found = lesson(question.title)
    of = f"{found.title if found else question.title} · question {question.number}"
    yield f"<p class='av-of'>{escape(of)}</p><h2>{escape(_asked_in(question))}</h2>"
    if not question.answered:
        yield "<p>Nobody has answered it.</p>"
        return
    head = f"{counted(question.answered, 'student')} answered"
    yield f"<table class='av-class'><caption>{head}</caption><tbody>"
    for at, how_many in enumerate(question.right_at):
        which = ORDINALS[at] if at < len(ORDINALS) else f"{at + 1}th"
        yield _row(f"right at the {which} try", how_many, question.answered, "av-right")
    yield _row("not right", question.never, question.answered, "av-wrong")
    yield "</tbody>"
    if not question.mistakes:
        yield "</table>"
        return
    yield "<tbody><tr><th scope='rowgroup' colspan='3' class='av-head'>Answers that were not right</th></tr>"
    # A mistake can be made at each try, so that these may be more than the students.
    most = max([question.answered, *(how_many for _, how_many in question.mistakes)])
    for code, how_many in question.mistakes:
        # The options of a choice are its author's words.
        name = code if question.kind == CHOICE and code not in ANSWERS else ANSWERS.get(code, name_of(code))
        yield _row(name, how_many, most, "av-mistake")
    yield "</tbody></table>"


def _row(name: str, how_many: int, most: int, kind: str) -> str:
    share = 100 * how_many / most
    bar = f"<td aria-hidden='true'><div class='av-bar {kind}' style='width: {share:.1f}%'></div></td>"
    return f"<tr><th scope='row'>{escape(name)}</th><td>{how_many:,}</td>{bar}</tr>"
