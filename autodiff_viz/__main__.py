"""Open the lab from the command line: `autodiff-viz model.py:loss`, a link, a file; or check lessons."""

from __future__ import annotations

import argparse
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np

from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text import listed, quoted
from autodiff_viz.lab.launch import graph_of, graph_of_text, lab
from autodiff_viz.language.documents import from_json, from_link
from autodiff_viz.lessons.codec import is_tour, read_tour
from autodiff_viz.lessons.contributed import OWN_FOLDER
from autodiff_viz.lessons.tour import Tour

SHOWN = """what to open:
  model.py:loss    a JAX function of your own file, which is imported and run; numbers after it are
                   its arguments, or its defaults are. One without parameters returns a graph, or
                   (function, *args)
  code.py          a file of code (JAX, PyTorch, TensorFlow, NumPy, a formula) or a Jupyter notebook,
                   which is read and not run
  graph.json       a graph or a tour that was saved
  http://...?g=... a link
  check DIR        nothing is opened: lessons in a folder are checked, as the project checks its own"""


CHECK = "check"


def check(folders: Sequence[str]) -> int:
    """Print what is wrong with the lessons in a folder; return 1 if anything is.

    They are read as a server reads its own, as it starts: so in a process of its own.

    Raises:
      GraphError: no folder is named, or a file in it is no lesson.
    """
    if len(folders) != 1:
        raise GraphError(Problem("no-folder", "check needs one folder.", "Write autodiff-viz check lessons."))
    command = [sys.executable, "-m", "autodiff_viz.lab.lesson_checks"]
    return subprocess.run(command, env={**os.environ, OWN_FOLDER: folders[0]}, check=False).returncode


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        "autodiff-viz",
        description="Open the autodiff_viz lab in the browser, served on this machine alone.",
        epilog=SHOWN,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("shown", nargs="?", help="what to open; nothing opens the lab as a newcomer finds it")
    made.add_argument("numbers", nargs="*", help="arguments of the function: 2.0 or [1.0, 2.0]")
    made.add_argument("--port", type=int, help="port of the server (8501, or any that is free)")
    made.add_argument("--no-browser", action="store_true", help="print the address and open no browser")
    return made


def graph_named(shown: str | None, numbers: Sequence[str] = ()) -> Graph | Tour | None:
    """Return the graph, or the tour, that the command line names.

    Raises:
      GraphError: there is none.
    """
    if shown is None:
        return None
    file, colon, name = shown.rpartition(":")
    if colon and file.endswith(".py"):
        return _graph_of_function(Path(file), name, numbers)
    if numbers:
        message = f"{quoted(shown)} takes no arguments; a function does, such as model.py:loss."
        raise GraphError(Problem("bad-argument", message))
    if shown.endswith((".json", ".py", ".txt", ".ipynb")):
        text = _text(Path(shown))
        if shown.endswith(".json") and is_tour(text):
            return read_tour(text)
        return from_json(text) if shown.endswith(".json") else graph_of_text(text)
    return read_tour(shown) if is_tour(shown) else from_link(shown)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise GraphError(Problem("no-file", f"{quoted(str(path))} cannot be read: {error}.")) from error


def _graph_of_function(path: Path, name: str, numbers: Sequence[str]) -> Graph | None:
    """Import the user's own file, on the user's own machine, and return the graph of a function in it."""
    _text(path)
    sys.path.insert(0, str(path.resolve().parent))  # for what the file imports
    spec = spec_from_file_location(path.stem, path)
    module = module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    function = getattr(module, name, None)
    if not callable(function):
        known = [each for each, value in vars(module).items() if inspect.isfunction(value)]
        hint = f"Its functions: {listed(known)}." if known else ""
        message = f"{quoted(str(path))} has no function {quoted(name)}."
        raise GraphError(Problem("no-function", message, hint))
    parameters = inspect.signature(function).parameters.values()
    if not parameters:
        made = function()
        return graph_of(*(made[0], made[1:]) if isinstance(made, tuple) else (made, ()))
    if numbers:
        return graph_of(function, tuple(map(_number, numbers)))
    required = [
        each.name for each in parameters if each.default is each.empty and each.kind < each.VAR_POSITIONAL
    ]
    if required:
        message = f"{quoted(name)} needs {listed(required)}."
        hint = f"Write numbers after it: autodiff-viz {path}:{name} 2.0 '[1.0, 2.0]'. Or give it defaults."
        raise GraphError(Problem("no-arguments", message, hint))
    return graph_of(function, tuple(each.default for each in parameters if each.default is not each.empty))


def _number(text: str) -> Any:
    try:
        number = json.loads(text)
        return number if isinstance(number, int | float) else np.asarray(number, np.float32)
    except (ValueError, TypeError) as error:
        message = f"{quoted(text)} is no number and no list of numbers."
        raise GraphError(Problem("bad-argument", message, "Write 2.0 or '[1.0, 2.0]'.")) from error


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    given = parser().parse_args(arguments)
    try:
        if given.shown == CHECK:
            return check(given.numbers)
        graph = graph_named(given.shown, given.numbers)
        print("The lab starts; Ctrl+C ends it.", flush=True)
        address = lab(graph, port=given.port, open_browser=not given.no_browser)
        print(address, flush=True)
        lab(graph, port=given.port, open_browser=False, wait=True)
    except GraphError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:  # while the server starts
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
