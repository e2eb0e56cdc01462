"""Record what PyTorch or TensorFlow computes of random programs: run it where the library is installed.

/tmp/real/bin/python -m tests.reading.record_programs torch
/tmp/real/bin/python -m tests.reading.record_programs tf
/tmp/real/bin/python -m tests.reading.record_programs torch 2000 /tmp/torch.json

The last one is for `judged`: so many programs, to another file.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tests.reading.programs import torch_program
from tests.reading.tensorflow_programs import tensorflow_program

PROGRAMS = 60
WRITERS: dict[str, Callable[[int], str]] = {"torch": torch_program, "tf": tensorflow_program}


def path_of(dialect: str) -> Path:
    """The file with the answers."""
    return Path(__file__).parent / (
        "program_answers.json" if dialect == "torch" else f"{dialect}_program_answers.json"
    )


def answers(text: str, of_torch: bool) -> dict[str, Any] | None:
    """The numbers of each tensor by name, parts of a list by their place; None where the program raises."""
    names: dict[str, Any] = {}
    try:
        exec(compile(text, "program", "exec"), names)
    except RuntimeError:
        return None
    found = {}
    for name, value in names.items():
        for path, one in (
            [(name, value)]
            if not isinstance(value, list)
            else [(f"{name}.{i}", one) for i, one in enumerate(value)]
        ):
            if type(one).__name__ in ("Tensor", "Parameter"):
                found[path] = _short(one.detach().double().tolist())
            elif not of_torch and type(one).__name__ in ("EagerTensor", "ResourceVariable"):
                found[path] = _short(one.numpy().astype(float).tolist())
    return found


def main(dialect: str, count: int = PROGRAMS, path: str = "") -> None:
    """Run the programs, and write every tensor of each, or that the library raises an error."""
    warnings.filterwarnings("ignore")
    if dialect == "torch":
        import torch as library

        library.set_num_threads(1)  # or a forked process waits for threads that it has not
    else:
        import tensorflow as library
    found: dict[str, object] = {"version": library.__version__}
    for seed in range(count):
        text = WRITERS[dialect](seed)
        found[str(seed)] = _apart(text) if dialect == "torch" else answers(text, of_torch=False)
    (Path(path) if path else path_of(dialect)).write_text(
        json.dumps(found, separators=(",", ":")) + "\n", "utf-8"
    )


def _apart(text: str) -> dict[str, Any] | None:
    """Return the answers of PyTorch in a process of its own: some programs end it."""
    ours, theirs = get_context("fork").Pipe(duplex=False)
    process = get_context("fork").Process(target=lambda: theirs.send(answers(text, of_torch=True)))
    process.start()
    theirs.close()
    try:
        return ours.recv()
    except EOFError:
        return None
    finally:
        process.join()


def _short(numbers: object) -> object:
    if isinstance(numbers, list):
        return [_short(one) for one in numbers]
    return float(f"{numbers:.6g}")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]), *sys.argv[3:])
