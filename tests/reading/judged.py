"""Compare texts with what their library computes, and count how many random programs are read right.

    python -m tests.reading.judged 0 200 jax                  one function each, its derivatives, vmap, scan
    python -m tests.reading.judged 0 200 train                a model, an optimiser, a loop and what is asked
    python -m tests.reading.judged 0 200 torch /tmp/all.json  by the answers of `record_programs`

Each of the numbers is a seed: `python -m tests.reading.programs jax 7` shows that program.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import jax
import numpy as np

from autodiff_viz.graph.problem import GraphError
from autodiff_viz.reading.reading import read

ANSWERS = "yzu"  # the first letters of names that a program computes


def judged(text: str, rtol: float = 2e-3, atol: float = 1e-4) -> tuple[str, str]:
    """Return what a text is here, and about what.

    Returns:
      "right"; "refused", with our sentence; "raises", where JAX refuses it too; "taken", where JAX refuses
      and we do not, with its error; "wrong", with the names whose numbers are not JAX's.
    """
    names: dict[str, object] = {}
    error = ""
    try:
        with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):  # as people have it
            exec(compile(text, "program", "exec"), names)
    except (TypeError, ValueError, NotImplementedError) as raised:
        error = str(raised).partition("\n")[0]
    values, refused = values_of(text)
    if values is None:
        return ("raises", error) if error else ("refused", refused)
    if error:
        return "taken", error
    answers = {name: one for name, one in names.items() if isinstance(one, jax.Array) and name[0] in ANSWERS}
    return _verdict(values, answers, rtol, atol)


def values_of(text: str) -> tuple[dict | None, str]:
    """Return the numbers of a text by name, or None with the sentence of its refusal."""
    reading = read(text)
    if reading.refused:
        assert all(one.code != "reader-fault" for one in reading.refused), text
        return None, reading.refused[0].message
    try:
        return reading.values(), ""
    except GraphError as error:
        return None, error.problems[0].message


def compared(text: str, right: dict | None, rtol: float = 2e-4, atol: float = 2e-5) -> tuple[str, str]:
    """Return what a text is here beside recorded answers; as `judged`, but all that raises there "raises".

    Args:
      right: the numbers by name; None where the library raises an error or ends, so that nobody asks for any.
    """
    if right is None:
        return "raises", ""
    values, refused = values_of(text)
    if values is None:
        return "refused", refused
    return _verdict(values, right, rtol, atol)


def _verdict(values: dict, right: dict, rtol: float, atol: float) -> tuple[str, str]:
    """Return whether the numbers of a text are the right ones, and which are not."""
    wrong = [
        name
        for name, numbers in right.items()
        if name not in values
        or np.shape(values[name]) != np.shape(numbers)
        or not np.allclose(values[name], numbers, rtol=rtol, atol=atol, equal_nan=True)
    ]
    return ("wrong", ", ".join(wrong)) if wrong else ("right", "")


def main(first: str, last: str, kind: str, path: str = "") -> None:
    """Judge the programs of these seeds, and print all that are not right, with the counts."""
    from tests.reading.programs import jax_program
    from tests.reading.record_programs import WRITERS
    from tests.reading.training_programs import training_program

    recorded = json.loads(Path(path).read_text("utf-8")) if path else {}
    verdicts: Counter[str] = Counter()
    for seed in range(int(first), int(last)):
        if path:
            verdict, about = compared(WRITERS[kind](seed), recorded[str(seed)])
        else:
            verdict, about = judged((training_program if kind == "train" else jax_program)(seed))
        verdicts[verdict] += 1
        if verdict not in ("right", "raises"):
            print(seed, verdict, about, flush=True)
    print(dict(verdicts))


if __name__ == "__main__":
    main(*sys.argv[1:])
