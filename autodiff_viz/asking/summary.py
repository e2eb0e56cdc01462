"""Summarise what one visitor answered as a line to paste, and count a list of such lines for a class.

A line holds kinds, answers as right, near or wrong, and the mistakes: nothing personal, and no proof. Of an
author's own graph it has the words of the questions too, and of a choice the options that were wrong.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from autodiff_viz.asking.judge import Judgement
from autodiff_viz.asking.mistakes import MISTAKES
from autodiff_viz.asking.question import CHOICE, KINDS, TRIES, Asking
from autodiff_viz.graph.problem import GraphError, Problem, known_text
from autodiff_viz.graph.text import counted as written

MARK = "av1"
"""The first word of a line: the lab and the version of the line."""

TEXT = 200_000  # characters of a list of lines
LINES = 2_000  # in a list
ASKED = 40  # questions in a line
TITLE = 40  # characters of a title
QUOTED = 60  # characters of a line that could not be read
WORDS = 80  # characters of the words of a question, or of an option

RIGHT, NEAR, WRONG, KNOWS_NOT, OPEN = "right", "near", "wrong", "unknown", "open"
"""What became of an answer: OPEN stands for a question without one."""

MORE_CODES = (
    "inherits",
    "harmless",
    "passes-on",
    "off-the-way",
    "axes-turned",
    "shape-of-reader",
    "shape-of-operand",
    "shape-of-number",
)
CODES = frozenset(mistake.code for mistake in MISTAKES) | {*MORE_CODES, NEAR, WRONG, KNOWS_NOT}
"""What may stand for a wrong answer: the code of a mistake, or that it has none."""

NAMES = {mistake.code: mistake.name for mistake in MISTAKES}

_UNFIT = re.compile(r"[^a-z0-9-]+")
_SIGNS = re.compile(r'[";:\s]+')
_PIECE = re.compile(r'"[^"]*"|\S+')


def summary(
    asking: Asking, judgements: Sequence[Sequence[Judgement]], title: str = "", words: Sequence[str] = ()
) -> str:
    """Return a visitor's result as one line: "av1 fork: number 2 tries one-path right".

    Args:
      asking: the questions.
      judgements: of each question, those of its tries, first to last.
      title: of the lesson or graph, such as its key; "" for none.
      words: of each question, as `words_in_line` writes them; of a lesson, which has them, none.
    Returns:
      The line, without a name or anything else of the visitor's.
    """
    parts = []
    for at, (each, judged) in enumerate(
        zip_longest(asking.asked, judgements[: len(asking.asked)], fillvalue=())
    ):
        kind, tries = each.question.kind, _tries(len(judged))
        answers = [tries, *(_word(one, kind) for one in judged)] if judged else [OPEN]
        parts.append(" ".join([kind, *words[at : at + 1], *answers]))
    return f"{MARK} {name_in_line(title)}: {'; '.join(parts)}"


def words_in_line(text: str) -> str:
    """Return words of an author as they stand in a line: in quotation marks, without signs that divide it."""
    return f'"{_SIGNS.sub(" ", text.replace("`", "")).strip()[:WORDS].strip()}"'


def name_in_line(title: str, otherwise: str = "graph") -> str:
    """Return what a line calls the lesson or graph of this title; `otherwise` without a letter of English."""
    return _UNFIT.sub("-", title.lower()).strip("-")[:TITLE] or otherwise


def name_of(code: str) -> str:
    """Return the name of a mistake; of another word of a line the word itself."""
    return NAMES.get(code, code.replace("-", " "))


def _word(judged: Judgement, kind: str) -> str:
    if judged.right:
        return RIGHT
    if kind == CHOICE and not judged.unknown:
        return words_in_line(judged.read_as.partition(": ")[2])
    return KNOWS_NOT if judged.unknown else NEAR if judged.near else judged.mistake or WRONG


@dataclass(frozen=True, slots=True)
class QuestionCount:
    """What a class answered to one question.

    Attributes:
      title: of the lesson or graph.
      number: of the question in its line, from 1.
      kind: its kind.
      words: those that it was asked in; "" where the lines have none.
      answered: how many answered it.
      right_at: how many were right at each try, the first one first.
      never: how many were not right at all.
      mistakes: (code, how often), most frequent first; of a choice its wrong options in place of codes.
    """

    title: str
    number: int
    kind: str
    words: str = ""
    answered: int = 0
    right_at: tuple[int, ...] = ()
    never: int = 0
    mistakes: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ClassCount:
    """What a class answered.

    Attributes:
      lines: how many lines were counted.
      questions: a count for each question, in the order of the lines.
      unread: (number of the line, why it was not counted).
    """

    lines: int
    questions: tuple[QuestionCount, ...]
    unread: tuple[tuple[int, str], ...] = ()


@dataclass(slots=True)
class _Tally:
    answered: int = 0
    never: int = 0
    right_at: Counter = field(default_factory=Counter)
    mistakes: Counter = field(default_factory=Counter)


def count(text: str) -> ClassCount:
    """Count a pasted list of results, one in a line; other text before the mark of a line is skipped.

    Raises:
      GraphError: it is no text, or longer than the limits.
    """
    known_text(text)
    lines = text.splitlines()
    if len(text) > TEXT or len(lines) > LINES:
        message = f"The list has {len(lines):,} lines and {len(text):,} characters."
        raise GraphError(Problem("too-long", message, f"Paste at most {LINES:,} lines, {TEXT:,} characters."))
    tallies: dict[tuple[str, int, str, str], _Tally] = {}
    unread, counted = [], 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            title, answers = read_line(line)
        except GraphError as error:
            unread.append((number, error.problems[0].message))
            continue
        counted += 1
        for place, (kind, words, tries) in enumerate(answers, 1):
            tally = tallies.setdefault((title, place, kind, words), _Tally())
            if not tries:
                continue
            tally.answered += 1
            if tries[-1] == RIGHT:
                tally.right_at[len(tries)] += 1
            else:
                tally.never += 1
            tally.mistakes.update(each for each in tries if each != RIGHT)
    questions = tuple(
        QuestionCount(
            title,
            place,
            kind,
            words,
            tally.answered,
            tuple(tally.right_at[at] for at in range(1, max([*tally.right_at, TRIES]) + 1)),
            tally.never,
            tuple(sorted(tally.mistakes.items(), key=lambda item: (-item[1], item[0]))),
        )
        for (title, place, kind, words), tally in tallies.items()
    )
    return ClassCount(counted, questions, tuple(unread))


def read_line(line: str) -> tuple[str, list[tuple[str, str, tuple[str, ...]]]]:
    """Return the title of a result, and of each question the kind, the words and what became of each try.

    Raises:
      GraphError: the line has another form; the message says what was found and what was needed.
    """
    shown = line.strip()[:QUOTED]
    start = re.search(rf"\b{MARK} ", line)
    if not start:
        if other := re.search(r"\bav([0-9]+) ", line):
            raise _unread(f"“{shown}” is of version {other[1]}; this page reads version 1.")
        raise _unread(f"“{shown}” is no result: a result begins with {MARK}.")
    title, colon, rest = line[start.end() :].partition(":")
    if not colon or not re.fullmatch(rf"[a-z0-9-]{{1,{TITLE}}}", title.strip()):
        raise _unread(f"“{shown}” has no title before a colon.")
    parts = rest.split(";")
    if len(parts) > ASKED:
        raise _unread(f"“{shown}” has {len(parts)} questions; at most {ASKED} are read.")
    return title.strip(), [_read_part(_PIECE.findall(part), shown) for part in parts]


def _read_part(words: list[str], shown: str) -> tuple[str, str, tuple[str, ...]]:
    if too_long := next((word for word in words if len(word) > WORDS + 2), None):
        raise _unread(f"“{shown}” has {len(too_long)} characters in one word; at most {WORDS} are read.")
    if not words or words[0] not in KINDS:
        found = repr(words[0][:20]) if words else "nothing"
        raise _unread(f"“{shown}” has {found} where a kind of question is needed.")
    said = words.pop(1)[1:-1] if len(words) > 1 and _is_quoted(words[1]) else ""
    if words[1:] == [OPEN]:
        return words[0], said, ()
    if len(words) < 4 or not re.fullmatch(r"[1-9][0-9]?", words[1]) or words[2] not in ("try", "tries"):
        raise _unread(f"“{shown}” has no number of tries for {words[0]}.")
    answers = words[3:]
    if len(answers) != int(words[1]):
        raise _unread(f"“{shown}” has {_tries(int(words[1]))} and {written(len(answers), 'answer')}.")
    for word in answers:
        if word != RIGHT and word not in CODES and not (words[0] == CHOICE and _is_quoted(word)):
            raise _unread(f"“{shown}” has {word[:20]!r}, which is no answer or mistake.")
    if RIGHT in answers[:-1]:
        raise _unread(f"“{shown}” goes on after a right answer.")
    return words[0], said, tuple(word[1:-1] if _is_quoted(word) else word for word in answers)


def _tries(count: int) -> str:
    return "1 try" if count == 1 else f"{count} tries"


def _is_quoted(word: str) -> bool:
    return len(word) > 2 and word[0] == word[-1] == '"'


def _unread(message: str) -> GraphError:
    return GraphError(Problem("unread-result", message))
