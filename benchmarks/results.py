"""Keep the ratios of each part in `results.md`, with date, commit and versions.

`KEEP=1 make bench` writes it, on a machine that does nothing else; `KEEP=1 PARTS="code edits" make bench`
writes those parts alone.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Iterable, Mapping
from datetime import date
from importlib.metadata import version
from pathlib import Path

from benchmarks.table import Row

RESULTS = Path(__file__).with_name("results.md")
HEAD = """# What `make bench` measured

Each number is a ratio of two times or sizes of one run: what this project takes, by what the hand-written
thing takes that its row names. A smaller one is better. `KEEP=1 make bench` writes this file.
"""
BAR = "\\|"  # in a cell
LIBRARIES = ("jax", "streamlit", "numpy", "plotly")


def conditions() -> str:
    """Return in one line what numbers depend on: day, commit, versions, processors and their load before."""
    commit = _git("describe", "--always")
    if _git("status", "--porcelain", "--", ":/", f":(exclude){RESULTS.name}"):
        commit += "-dirty"
    versions = [f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in LIBRARIES)]
    load = os.getloadavg()[0]
    return (
        f"{date.today().isoformat()}, commit {commit or 'unknown'}; {', '.join(versions)}; "
        f"{os.cpu_count()} processors, load {load:.1f} before"
    )


def _git(*words: str) -> str:
    """Return what git says of this repository, or nothing where there is none."""
    return subprocess.run(
        ["git", "-C", str(RESULTS.parent), *words], capture_output=True, text=True
    ).stdout.strip()


def section(title: str, measured: str, rows: Iterable[Row]) -> str:
    """Return the part's text: its title, the conditions, and a table of its rows."""
    lines = [f"## {title}", "", measured, "", "| what | ratio | target |", "|---|---:|---:|"]
    for row in rows:
        target = "" if row.target is None else f"{row.target:g}"
        missed = "" if row.met else " (missed)"
        lines.append(f"| {row.what.replace('|', BAR)} | {row.ratio:.3g} | {target}{missed} |")
    return "\n".join(lines) + "\n"


def sections(text: str) -> dict[str, str]:
    """Return the parts of the file by title, each with its heading."""
    return {
        found[1]: found[0].strip() + "\n"
        for found in re.finditer(r"^## (.+?)$.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    }


def with_parts(text: str, new: Mapping[str, str], titles: Iterable[str]) -> str:
    """Return the file's text with new parts in it, in the order of `titles`; others stay as they are."""
    all_parts = {**sections(text), **new}
    return "\n".join([HEAD, *(all_parts[title] for title in titles if title in all_parts)])


def keep(title: str, measured: str, rows: Iterable[Row], titles: Iterable[str]) -> None:
    """Write one part into the file at once, so that what is measured stays when a later part fails."""
    text = RESULTS.read_text() if RESULTS.exists() else ""
    RESULTS.write_text(with_parts(text, {title: section(title, measured, rows)}, titles))
