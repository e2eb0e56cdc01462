"""Record what PyTorch does with each spelling of a stop: `PYTHON -m tests.lessons.record_spellings`.

PYTHON has torch and NumPy. The file beside this one says of each whether a gradient is cut in silence, or
PyTorch raises; `test_spellings.py` compares the lesson *hidden-stop* with it.
"""

import json
import warnings
from pathlib import Path

FILE = Path(__file__).with_name("spellings.json")
SPELLINGS = (
    "torch.tensor([a, b])",
    "torch.stack([a, b])",
    "torch.tensor([a.clone(), b.clone()])",
    "a.item()",
    "a.tolist()",
    "a.numpy()",
    "a.detach()",
    "a.detach().numpy()",
    "float(a)",
)


def main() -> None:
    """Write the file."""
    import torch

    found = {"torch": torch.__version__.partition("+")[0]}
    for spelling in SPELLINGS:
        x = torch.tensor(2.0, requires_grad=True)
        names = {"torch": torch, "a": x**2, "b": 3 * x}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                made = eval(spelling, names)
            except RuntimeError as error:
                found[spelling] = f"raises: {error}"
                continue
        found[spelling] = "passes" if getattr(made, "requires_grad", False) else "stops"
    with torch.no_grad():
        found["no_grad"] = "passes" if (x**2).requires_grad else "stops"
    FILE.write_text(json.dumps(found, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
