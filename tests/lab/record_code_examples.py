"""Record what the real libraries answer to the examples of code: run it where each of them is installed.

    python -m venv /tmp/real && /tmp/real/bin/pip install torch tensorflow jax
    /tmp/real/bin/python tests/lab/record_code_examples.py

A library that is missing keeps the answers that are recorded. NumPy has no gradients: its value is recorded.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from runpy import run_path
from typing import Any

FOLDER = Path(__file__).parent
ANSWERS = FOLDER / "code_examples_answers.json"
ASKED = {
    "PyTorch: a target that is detached": ("torch", "w.grad"),
    "PyTorch: a backward of one's own": ("torch", "x.grad"),
    "JAX: why is it NaN?": ("jax", "jax.grad(f)(jnp.array([0.0, 4.0]))"),
    "JAX: a clipped gradient": ("jax", "jax.grad(f)(2.0)"),
    "TensorFlow: a second derivative": ("tensorflow", "curvature"),
    "NumPy: a loss by hand": ("numpy", "loss"),
}
"""By title the library, and what the example asks for."""


def main() -> None:
    """Run the examples and write their answers with the versions of the libraries."""
    examples = run_path(str(FOLDER.parents[1] / "autodiff_viz" / "lab" / "code_examples.py"))["CODE_EXAMPLES"]
    recorded = json.loads(ANSWERS.read_text("utf-8")) if ANSWERS.exists() else {}
    for title, text in examples:
        library, asked = ASKED[title]
        try:
            version = import_module(library).__version__
        except ImportError:
            continue
        names: dict[str, Any] = {}
        exec(text, names)
        answer = eval(asked, names)
        answer = answer.numpy() if hasattr(answer, "numpy") else answer
        recorded[title] = {"library": library, "version": version, "answer": answer.tolist()}
    ANSWERS.write_text(json.dumps(recorded, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
