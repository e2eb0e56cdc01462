"""Update questions where nodes get other names: what they are about, their words and their answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from autodiff_viz.asking.question import CAUSE, LARGER, Asked, Quantity, Question
from autodiff_viz.graph import limits

_NAME = re.compile(r"\w+")
_TICKED = re.compile(r"`[^`]*`")


def renamed_asked(asked: Asked, names: Mapping[str, str]) -> Asked:
    """Return a question with its answers for a graph whose nodes have other names.

    Args:
      names: new names of nodes by their old ones.
    """
    question, tries = asked.question, asked.tries
    if _answers_name_nodes(question):
        tries = tuple(_named(text, names) for text in tries)
    return replace(asked, question=renamed_question(question, names), tries=tries)


def renamed_question(question: Question, names: Mapping[str, str]) -> Question:
    """Return a question for a graph whose nodes have other names; its author's words follow in backticks."""

    def quantity(about: Quantity) -> Quantity:
        return replace(about, node=names.get(about.node, about.node))

    def words(text: str, most: int = limits.WORDS) -> str:
        said = _TICKED.sub(lambda found: _named(found[0], names), text)
        return said if len(said) <= most else text  # an old name says more than a cut sentence

    named = _answers_name_nodes(question)
    return replace(
        question,
        about=quantity(question.about),
        other=question.other and quantity(question.other),
        words=words(question.words),
        told=tuple((_named(text, names) if named else text, words(says)) for text, says in question.told),
        options=tuple(words(option, limits.OPTION) for option in question.options),
        right=words(question.right, limits.OPTION),
    )


def _answers_name_nodes(question: Question) -> bool:
    """Return whether answers are names of nodes, or of wires by their nodes."""
    return question.kind == CAUSE or (question.kind == LARGER and question.other is not None)


def _named(text: str, names: Mapping[str, str]) -> str:
    """Return a text with other names for nodes."""
    return _NAME.sub(lambda found: names.get(found[0], found[0]), text)
