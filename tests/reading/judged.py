"""Compare texts of JAX by JAX itself, and count how many programs written at random are read right.

    python -m tests.reading.judged 0 200          one function each, its derivatives, vmap, scan
    python -m tests.reading.judged 0 200 train    a model, an optimiser, a loop and what is asked

Each of the numbers is a seed: `python -m tests.reading.programs jax 7` shows that program.
"""

from __future__ import annotations

import sys
from collections import Counter

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
    wrong = [
        name
        for name, right in names.items()
        if isinstance(right, jax.Array)
        and name[0] in ANSWERS
        and not (
            name in values
            and values[name].shape == right.shape
            and np.allclose(values[name], right, rtol=rtol, atol=atol, equal_nan=True)
        )
    ]
    return ("wrong", ", ".join(wrong)) if wrong else ("right", "")


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


if __name__ == "__main__":
    from tests.reading.programs import jax_program
    from tests.reading.training_programs import training_program

    write = training_program if "train" in sys.argv else jax_program
    verdicts: Counter[str] = Counter()
    for seed in range(int(sys.argv[1]), int(sys.argv[2])):
        verdict, about = judged(write(seed))
        verdicts[verdict] += 1
        if verdict != "right":
            print(seed, verdict, about, flush=True)
    print(dict(verdicts))
