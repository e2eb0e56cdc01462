"""Record what PyTorch computes of random programs: run it where PyTorch is installed.

/tmp/real/bin/python -m tests.reading.record_programs
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path

from tests.reading.programs import torch_program

PROGRAMS = 60
PATH = Path(__file__).parent / "program_answers.json"


def main() -> None:
    """Run the programs, and write every tensor of each, or that PyTorch raises an error."""
    import torch

    warnings.filterwarnings("ignore")
    found: dict[str, object] = {"version": torch.__version__}
    for seed in range(PROGRAMS):
        names: dict[str, object] = {}
        try:
            exec(compile(torch_program(seed), f"program {seed}", "exec"), names)
        except RuntimeError:
            found[str(seed)] = None
            continue
        tensors = {name: one for name, one in names.items() if isinstance(one, torch.Tensor)}
        found[str(seed)] = {name: _short(one.detach().double().tolist()) for name, one in tensors.items()}
    PATH.write_text(json.dumps(found, separators=(",", ":")) + "\n", "utf-8")


def _short(numbers: object) -> object:
    if isinstance(numbers, list):
        return [_short(one) for one in numbers]
    return float(f"{numbers:.6g}")


if __name__ == "__main__":
    main()
