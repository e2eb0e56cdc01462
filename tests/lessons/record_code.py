"""Record what PyTorch computes of the code that lessons show: `PYTHON -m tests.lessons.record_code`.

PYTHON has torch and NumPy. The file beside this one has of each lesson a digest of its code, and the numbers
of the code's last line; `test_code_of_lessons.py` compares the comment of that line with them.
"""

import ast
import hashlib
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILE = Path(__file__).with_name("code_runs.json")
CODE = re.compile(r"# Code\n\n```python\n(.*?)```", re.DOTALL)


def codes() -> dict[str, str]:
    """Return the code of each lesson that has some, by the lesson's key."""
    files = sorted((ROOT / "autodiff_viz" / "lessons").glob("*/*.md"))
    found = {file.stem: CODE.search(file.read_text("utf-8")) for file in files}
    return {key: match[1] for key, match in found.items() if match}


def digest(code: str) -> str:
    """Return a digest of the code without its comments."""
    lines = (line.partition("#")[0].rstrip() for line in code.splitlines())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def last_numbers(code: str, names: dict) -> list[float]:
    """Run the code and return the numbers of its last line, an expression or an assignment."""
    *before, last = ast.parse(code).body
    exec(compile(ast.Module(before, []), "lesson", "exec"), names)
    return flat(eval(compile(ast.Expression(last.value), "lesson", "eval"), names))


def flat(answer: object) -> list[float]:
    """Return the numbers of tensors, arrays and tuples of them, in a row; nothing of None."""
    if answer is None:
        return []
    if isinstance(answer, (tuple, list)):
        return [number for each in answer for number in flat(each)]
    return [float(number) for number in answer.reshape(-1)] if hasattr(answer, "reshape") else [float(answer)]


def main() -> None:
    """Write the file."""
    import numpy
    import torch

    runs: dict[str, object] = {"torch": torch.__version__.partition("+")[0]}
    for key, code in codes().items():
        if "torch" in code:
            numbers = last_numbers(
                code, {"torch": torch, "np": numpy, "F": torch.nn.functional, "nn": torch.nn}
            )
            runs[key] = [digest(code), [float(f"{number:.7g}") for number in numbers]]
    lines = (f"{json.dumps(key)}: {json.dumps(run)}" for key, run in runs.items())
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
