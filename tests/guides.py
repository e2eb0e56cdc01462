"""Apply what the guides beside the code say, in a copy of the package."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "autodiff_viz"
GUIDES = tuple(sorted(PACKAGE.rglob("README.md")))
STEP = re.compile(
    r"^In `((?:autodiff_viz|tests)/[\w/]+\.(?:py|js))`, (at the end|a new file|in|above)(?: of)?(?: `(\w+)`)?"
    r":\n\n"
    r"```(?:python|js)\n(.*?)```",
    re.M | re.S,
)
IMPORTS = re.compile(r"^from [\w.]+ import .*\n+", re.M)


class Step(NamedTuple):
    """What a guide adds to a file.

    Attributes:
      file: which one.
      place: `in` a table, `above` a name, `at the end` of the file or of a function, or that the file is new.
      name: of the table or the function; "" without one.
      text: what is added. Imports in it join those of the file.
    """

    file: str
    place: str
    name: str
    text: str


def steps(guide: Path) -> list[Step]:
    """What a guide adds."""
    return [Step(*found) for found in STEP.findall(guide.read_text("utf-8"))]


def follow(guide: Path, place: Path) -> None:
    """Add to the copy of the package in `place` what a guide adds."""
    for step in steps(guide):
        file = place / step.file
        if step.place == "a new file":
            assert not file.exists()
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(step.text, "utf-8")
        else:
            file.write_text(added(file.read_text("utf-8"), step), "utf-8")


def added(source: str, step: Step) -> str:
    """The source with what a step adds to it."""
    imports = "".join(line.strip() + "\n" for line in IMPORTS.findall(step.text))
    text = IMPORTS.sub("", step.text)
    if imports:
        source = re.sub(r"^(?=from autodiff_viz)", lambda _: imports, source, count=1, flags=re.M)
    if step.place == "at the end" and not step.name:
        return f"{source}\n\n{text}"
    if step.place == "at the end":
        begins = source.index(f"\ndef {step.name}(")
        end = source.index("\n\n\n", begins + 1) + 1
        return source[:end] + text + source[end:]
    begins = re.search(rf"^(?:export const )?{step.name}\b[^\n]* = [({{]", source, re.M)
    assert begins, f"{step.file} has no {step.name}"
    if step.place == "above":
        return f"{source[: begins.start()]}{text}\n\n{source[begins.start() :]}"
    end = re.compile(r"^[)}]", re.M).search(source, begins.end()).start()
    return source[:end] + text + source[end:]


def copied(place: Path) -> None:
    """Copy the package and the app to `place`."""
    shutil.copy(ROOT / "app.py", place)
    shutil.copytree(PACKAGE, place / "autodiff_viz", ignore=shutil.ignore_patterns("__pycache__"))
