"""Record what the real libraries answer to the snippets: run it where PyTorch and TensorFlow are installed.

    python -m venv /tmp/real && /tmp/real/bin/pip install torch tensorflow jax
    /tmp/real/bin/python tests/reading/record.py torch torch_time torch_errors jax jax_rules tf numpy

The snippets of `numpy` are those whose values are held beside answers; some use HIPS autograd (`pip install
autograd`) and some JAX.

Each snippet begins with a line `#: name | answers`: an expression for what the text differentiates by, or
`raises` where the library itself raises an error, which is recorded, or `refused` where we refuse on purpose.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
NO_ANSWERS = ("refused", "raises")
LIBRARIES = {"tf": "tensorflow", "torch_time": "torch", "torch_errors": "torch", "jax_rules": "jax"}


def snippets(dialect: str) -> dict[str, tuple[str, str]]:
    """Return (text, expression of the answers) by name."""
    found: dict[str, tuple[str, str]] = {}
    for part in (FOLDER / f"{dialect}_snippets.txt").read_text("utf-8").split("#: ")[1:]:
        head, _, text = part.partition("\n")
        name, _, answers = head.partition(" | ")
        found[name] = (text, answers)
    return found


def plain(value: object) -> object:
    """Return an answer as plain numbers; None stays None."""
    if value is None:
        return None
    value = value.detach() if hasattr(value, "detach") else value
    array = value.numpy() if hasattr(value, "numpy") else value
    return json.loads(json.dumps(array.tolist() if hasattr(array, "tolist") else array))


def error_of(text: str) -> str:
    """Return the error that a text ends with; it must end with one."""
    try:
        exec(compile(text, "snippet", "exec"), {})
    except (RuntimeError, TypeError, IndexError, ValueError) as error:
        return str(error).splitlines()[0]
    raise AssertionError(f"The library takes this:\n{text}")


def main(dialects: list[str]) -> None:
    """Run the snippets and write the answers with the version of the library."""
    for dialect in dialects:
        library = __import__(LIBRARIES.get(dialect, dialect))
        answers: dict[str, object] = {"version": library.__version__}
        for name, (text, expression) in snippets(dialect).items():
            if expression == "refused":
                continue
            names: dict[str, object] = {}
            if expression == "raises":
                answers[name] = {"error": error_of(text)}
                continue
            exec(compile(text, name, "exec"), names)
            answers[name] = {key: plain(value) for key, value in eval(expression, names).items()}
        path = FOLDER / f"{dialect}_answers.json"
        path.write_text(json.dumps(answers, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
