"""Record what PyTorch answers for the models of `models.py`: `PYTHON -m tests.reading.live.record`.

PYTHON has PyTorch and NumPy. Parameters and buffers are recorded as they are before the call, since layers
draw them; then the gradient of each parameter, and of each input that requires one.
"""

import inspect
import json
import sys
from pathlib import Path

ANSWERS = Path(__file__).parent / "answers.json"


def listed(tensor):
    """Return the numbers of a tensor as lists."""
    return None if tensor is None else tensor.tolist()


def recorded(case):
    """Return the state of a model, its value and its gradients, as PyTorch has them."""
    model, call, inputs = case()
    state = {name: listed(one) for name, one in model.state_dict().items()}
    value = call(*inputs)
    if hasattr(value, "backward"):
        value.sum().backward()
        value = value.item()
    names = [*inspect.signature(call).parameters]
    gradients = {name: listed(one.grad) for name, one in model.named_parameters()}
    gradients |= {
        name: listed(one.grad) for name, one in zip(names, inputs, strict=False) if one.requires_grad
    }
    return {"state": state, "value": value, "gradients": gradients}


def main():
    """Write the answers."""
    import torch

    from tests.reading.live.models import CASES

    torch.manual_seed(0)
    found = {name: recorded(case) for name, case in CASES.items()}
    lines = [f"{json.dumps(name)}: {json.dumps(one)}" for name, one in found.items()]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    ANSWERS.write_text(text, "utf-8")
    print(f"{len(found)} models, PyTorch {torch.__version__}", file=sys.stderr)


if __name__ == "__main__":
    main()
