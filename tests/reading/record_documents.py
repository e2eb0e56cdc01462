"""Record what TensorFlow answers to the split model of `documents.txt`, with the numbers that it drew.

/tmp/real/bin/python tests/reading/record_documents.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent


def programs() -> dict[str, str]:
    """Return the documents' programs by name."""
    parts = (FOLDER / "documents.txt").read_text("utf-8").split("#: ")[1:]
    return {name: text for name, _, text in (part.partition("\n") for part in parts)}


def main() -> None:
    """Run the split model and write its draws, weights and gradients."""
    import tensorflow

    blocks = programs()["split_model"].split("\n\n")
    tape = next(i for i, block in enumerate(blocks) if block.startswith("with "))
    first, *inside = blocks[tape].splitlines()  # the document has lost the indentation of this block
    blocks[tape] = "\n".join([first, *(f"    {line}" for line in inside)])
    names: dict = {}
    exec(compile("\n\n".join(blocks), "split_model", "exec"), names)

    def plain(tensor: Any) -> Any:
        """Return float32 numbers with the digits that they have."""
        return json.loads(
            json.dumps(tensor.numpy().tolist(), default=float),
            parse_float=lambda one: float(str(np.float32(one))),
        )

    layers = [names[f"layer_{i}"] for i in range(3)]
    found = {
        "version": tensorflow.__version__,
        "x": plain(names["x"]),
        "y": plain(names["y"]),
        "weights": [[plain(one) for one in layer.trainable_weights] for layer in layers],
        "gradients": {
            key: [plain(one) for one in value] if isinstance(value, list) else plain(value)
            for key, value in names.items()
            if key.startswith("ref_")
        },
    }
    (FOLDER / "split_model.json").write_text(json.dumps(found) + "\n", "utf-8")


if __name__ == "__main__":
    main()
