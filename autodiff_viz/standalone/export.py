"""Write the figures of lessons as files, which a web server shows while no server of the lab answers.

`python -m autodiff_viz.standalone.export DIR [LESSON ...]` makes KEY.html, the figure of a lesson, and
KEY.svg, its first graph as a picture, for all lessons or for those that are named. `deploy/nginx.conf`
serves them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from autodiff_viz.canvas.svg import svg_of
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.lessons import open_lesson
from autodiff_viz.lab.state import start
from autodiff_viz.lessons.gallery import SERVED, check_own, lesson
from autodiff_viz.standalone.posters import make_poster, with_notice

AWAY = "The server of the lab does not answer just now."


def export(folder: Path, keys: Iterable[str]) -> list[Path]:
    """Write the figure and the picture of each lesson into a folder, which is made if it is missing.

    What a lesson asks for is hidden in both until it has been answered.

    Args:
      keys: of the lessons.
    Returns:
      The files.
    Raises:
      GraphError: there is no such lesson.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for key in keys:
        if lesson(key) is None:
            raise GraphError(Problem("unknown-lesson", f"There is no lesson {key!r}.", "Name one of them."))
        lab = open_lesson(start(), key)
        told = lab_view(lab).trace if lab.asking is None else None
        for name, text in (
            (f"{key}.html", with_notice(make_poster(key, None, b""), AWAY)),
            (f"{key}.svg", svg_of(lab.graph, told)),
        ):
            files.append(folder / name)
            files[-1].write_text(text, "utf-8")
    return files


def main() -> None:
    """Write the files that the command line asks for, and say how many they are."""
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    check_own()
    folder, *keys = sys.argv[1:]
    files = export(Path(folder), keys or [each.key for each in SERVED])
    print(f"{len(files)} files, {sum(file.stat().st_size for file in files):,} bytes, in {folder}")


if __name__ == "__main__":
    main()
