"""Write links with questions of this version: `python -m tests.lab.persistence.corpus.write_asked NAME`.

As the corpus beside it, the file `asked_NAME.json` says what a version wrote and what it meant, and is never
written anew.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

from autodiff_viz.asking.question import Asked, Asking
from autodiff_viz.lab.judging import answered
from autodiff_viz.lab.lessons import open_lesson
from autodiff_viz.lab.persistence.address import to_query
from autodiff_viz.lab.state import Lab, start
from tests.lab.persistence.corpus.write import FOLDER


def named_states() -> Iterator[tuple[str, Lab]]:
    """Yield states of lessons: as they open, with a try, with all that is asked answered."""
    for key, variant in (("fork", 0), ("twins", 0), ("guard", 0), ("xor-broadcast", 0), ("gan-detach", 1)):
        yield f"{key} {variant}", open_lesson(start(), key, variant)
    yield "fork tried", answered(open_lesson(start(), "fork"), 0, "6")
    yield "guard told", answered(open_lesson(start(), "guard"), 0, "either of the two")
    yield "zero-start answered", answered(answered(open_lesson(start(), "zero-start"), 0, "0"), 1, "-2")


def meaning(asking: Asking) -> dict[str, Any]:
    """Return what is asked and what was answered."""
    return {"hides": asking.hides, "asked": [_asked(asked) for asked in asking.asked]}


def _asked(asked: Asked) -> dict[str, Any]:
    question, about = asked.question, asked.question.about
    return {
        "kind": question.kind, "words": question.words, "right": question.right,
        "about": [about.of, about.node, about.slot, about.element and list(about.element)],
        "told": [list(pair) for pair in question.told], "options": list(question.options),
        "tries": list(asked.tries), "revealed": asked.revealed, "of": asked.of,
    }  # fmt: skip


def write_asked(name: str) -> None:
    """Write the links of this version under a name that no other file has.

    Raises:
      FileExistsError: one has it.
    """
    kept = {
        state: {"query": to_query(lab), "means": meaning(lab.asking)}
        for state, lab in named_states()
        if lab.asking is not None
    }
    with (FOLDER / f"asked_{name}.json").open("x", encoding="utf-8") as file:
        file.write(json.dumps(kept, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    write_asked(sys.argv[1])
