"""Apply what the guides beside the code say, in a copy of the package."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "autodiff_viz"
GUIDES = tuple(sorted(PACKAGE.rglob("README.md")))
STEP = re.compile(
    r"^In `(autodiff_viz/[\w/]+\.py)`, (at the end|in `(\w+)`):\n\n```python\n(.*?)```", re.M | re.S
)


def steps(guide: Path) -> list[tuple[str, str, str]]:
    """What a guide adds: the file, the list in it ("" for the end of the file), and the text."""
    return [(file, table or "", text) for file, _, table, text in STEP.findall(guide.read_text("utf-8"))]


def do(guide: Path, place: Path) -> None:
    """Copy the package to `place` and add there what the guide adds."""
    shutil.copytree(PACKAGE, place / "autodiff_viz", ignore=shutil.ignore_patterns("__pycache__"))
    for file, table, text in steps(guide):
        source = (place / file).read_text("utf-8")
        if table:
            before, begins, after = source.partition(f"\n{table} = (\n")
            assert begins, f"{file} has no {table}"
            added = before + begins + text + after
        else:
            added = f"{source}\n\n{text}"
        (place / file).write_text(added, "utf-8")
