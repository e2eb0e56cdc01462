"""Take the code out of a Jupyter notebook."""

from __future__ import annotations

import json

from autodiff_viz.graph import limits


def notebook_code(text: str) -> str | None:
    """Return the code of a Jupyter notebook, without its lines for the shell; None if the text is none."""
    if len(text) > limits.JSON:
        return None
    try:
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        lines = "\n\n".join("".join(cell["source"]) for cell in cells).split("\n")
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return "\n".join(line for line in lines if not line.lstrip().startswith(("%", "!")))
