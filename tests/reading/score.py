"""Count what becomes of the recorded texts: `python -m tests.reading.score` writes it into docs/code.md."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import numpy as np

from autodiff_viz.graph.problem import GraphError
from autodiff_viz.reading.reading import read
from tests.reading.record import FOLDER, NO_ANSWERS, snippets

LIBRARIES = {"JAX": "jax", "PyTorch": "torch", "TensorFlow": "tf", "NumPy and HIPS autograd": "numpy"}
COUNTED = ("taken, right", "taken, wrong", "refused rightly", "refused wrongly")
DOCUMENT = Path(__file__).parents[2] / "docs" / "code.md"
HEAD = f"| written for | recorded with | {' | '.join(COUNTED)} |\n|---|---|---|---|---|---|\n"
TABLE = re.compile(re.escape(HEAD) + r"((?:\|.*\n)+)")


def version(dialect: str) -> str:
    """Return the version of the library that gave the answers."""
    return json.loads((FOLDER / f"{dialect}_answers.json").read_text("utf-8"))["version"].partition("+")[0]


def made_of(dialect: str, name: str) -> str:
    """Return which column of the table a text counts in."""
    text, expression = snippets(dialect)[name]
    should_refuse = expression in NO_ANSWERS
    try:
        reading = read(text)
        if reading.refused:
            return "refused rightly" if should_refuse else "refused wrongly"
        # Other names of an answer have no key of their own, so the answers are asked themselves.
        given = [reading.answers(), *([reading.values()] if dialect in ("jax", "numpy") else [])]
    except GraphError:
        return "refused rightly" if should_refuse else "refused wrongly"
    except Exception:  # a fault of the reader is no refusal
        return "taken, wrong"
    if should_refuse:
        return "taken, wrong"
    right = json.loads((FOLDER / f"{dialect}_answers.json").read_text("utf-8"))[name]
    same = all(any(_has(one, key, value) for one in given) for key, value in right.items())
    return "taken, right" if same else "taken, wrong"


def _has(given: Mapping[str, np.ndarray | None], key: str, right: object) -> bool:
    try:
        return _same(given[key], right)
    except KeyError:
        return False


def _same(got: np.ndarray | None, right: object) -> bool:
    if got is None or right is None:
        return got is right
    wanted = np.array(right, float)
    near = np.shape(got) == wanted.shape
    return near and bool(np.allclose(got, wanted, rtol=3e-5, atol=1e-6, equal_nan=True))


def row(library: str) -> str:
    """Return a line of the table, made by reading every text of a library."""
    dialect = LIBRARIES[library]
    counts = Counter(made_of(dialect, name) for name in snippets(dialect))
    numbers = " | ".join(str(counts[column]) for column in COUNTED)
    return f"| {library} | {version(dialect)} | {numbers} |\n"


def table() -> dict[str, list[str]]:
    """Return the cells of the document's table behind the name of each library."""
    found = TABLE.search(DOCUMENT.read_text("utf-8"))
    assert found, "docs/code.md has no table of what is read"
    cells = [line.strip("| ").split(" | ") for line in found[1].splitlines()]
    return {first: rest for first, *rest in cells}


def main() -> None:
    """Write the table, with the date above it."""
    text = DOCUMENT.read_text("utf-8")
    text = TABLE.sub(lambda _: HEAD + "".join(map(row, LIBRARIES)), text)
    text = re.sub(r"counted on \d{4}-\d\d-\d\d", f"counted on {date.today()}", text)
    DOCUMENT.write_text(text, "utf-8")


if __name__ == "__main__":
    sys.exit(main())
