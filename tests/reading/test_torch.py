"""Read texts in PyTorch: their gradients are those that PyTorch gave, its errors are refusals."""

import json

import numpy as np
import pytest

from autodiff_viz.graph.problem import GraphError
from autodiff_viz.reading.reading import read
from autodiff_viz.reading.tensors.torch_random import Generator
from tests.reading.record import FOLDER, NO_ANSWERS, snippets

pytestmark = pytest.mark.every

SNIPPETS = snippets("torch")
ANSWERS = json.loads((FOLDER / "torch_answers.json").read_text("utf-8"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", SNIPPETS)
def test_the_answers_are_those_of_pytorch(name):
    text, expression = SNIPPETS[name]
    reading = read(text)
    if expression in NO_ANSWERS:
        assert reading.refused
        return
    assert not reading.refused, reading.refused
    answers = reading.answers()
    for key, expected in ANSWERS[name].items():
        if expected is None:
            assert answers[key] is None, key
        else:
            np.testing.assert_allclose(answers[key], expected, rtol=2e-5, atol=1e-6, err_msg=key)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", snippets("torch_errors"))
def test_what_pytorch_refuses_of_indices_and_sizes_is_refused(name):
    text, _ = snippets("torch_errors")[name]
    (refusal,) = read(text).refused
    assert refusal.code != "reader-fault"
    assert "object" not in refusal.message, refusal.message  # not in the words of Python


REFUSALS = {
    "leaf Variable": "x = torch.ones(2, requires_grad=True)\nx += 1",
    "is being used": "x = torch.ones(2, requires_grad=True)\nx[0] = 2.0",
    "modified by an inplace": (
        "x = torch.ones(2, requires_grad=True)\ny = x.exp()\ny += 1\ny.sum().backward()"
    ),
    "second time": "x = torch.ones(2, requires_grad=True)\ny = (x * x).sum()\ny.backward()\ny.backward()",
    "scalar outputs": "x = torch.ones(2, requires_grad=True)\n(x * 2).backward()",
    "does not require grad": "x = torch.ones(2)\nx.sum().backward()",
    "to not have been used": (
        "x = torch.ones((), requires_grad=True)\nz = torch.ones((), requires_grad=True)\n"
        "torch.autograd.grad(x * 2, z)"
    ),
    "numpy() on Tensor": "x = torch.ones(2, requires_grad=True)\nx.numpy()",
    "floating point": "x = torch.tensor([1, 2], requires_grad=True)",
    "same dtype": "torch.ones(2, 2) @ torch.ones(2, 2, dtype=torch.float64)",
    "cannot be multiplied": "torch.ones(2, 3) @ torch.ones(2, 3)",
    "could not infer output dtype": "torch.tensor([1, 2]).mean()",
    "nan values": (
        "torch.autograd.set_detect_anomaly(True)\nx = torch.tensor(0.0, requires_grad=True)\n"
        "(x.sqrt() * 0).backward()"
    ),
    ".data, which autograd": (
        "x = torch.ones(2, requires_grad=True)\ny = x ** 2\nx.data *= 2\ny.sum().backward()"
    ),
    "several views": "x = torch.ones(2, 2, requires_grad=True)\na, b = (x * 2).unbind()\na += 1",
    "index 3 is out of bounds for dimension 0 with size 3": "torch.ones(3, 2)[torch.tensor([1, 3])]",
    "index -1 is out of bounds for dimension 1 with size 2": (
        "torch.gather(torch.ones(3, 2), 1, torch.tensor([[-1]]))"
    ),
    "index out of range in self": "torch.nn.functional.embedding(torch.tensor([3]), torch.ones(3, 2))",
    "dropout sets to 0": "torch.nn.functional.dropout(torch.ones(3), 0.5)",
}


@pytest.mark.parametrize("words", REFUSALS)
def test_what_pytorch_refuses_is_refused_in_its_words(words):
    (problem,) = read("import torch\n" + REFUSALS[words]).refused
    assert words in problem.message
    assert problem.line is not None


SQUARED = """import torch
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward({saved})
        return x * x
    @staticmethod
    def backward(ctx, v):
        (x,) = ctx.saved_tensors
        return v * 2 * {read}
x = torch.tensor(3.0, requires_grad=True)
z = x * Square.apply(x)
g, = torch.autograd.grad(z, x, create_graph={twice})
"""


def test_what_a_cotangent_of_vjp_is_computed_of_is_differentiated_too():
    """By hand: the pullback of sin at x gives v**2 * cos(x), whose slope by v is 2 * v * cos(x).

    Where it is computed of x itself, it is refused.
    """
    text = (
        "import torch\nfrom torch.func import grad, vjp\nx, v = torch.tensor(0.5), torch.tensor(3.0)\n"
        "y = grad(lambda v: vjp(torch.sin, x)[1](v ** 2)[0])(v)"
    )
    np.testing.assert_allclose(read(text).values()["y"], 6.0 * np.cos(0.5), rtol=1e-6)
    assert read(text.replace("lambda v", "lambda x").replace("v ** 2", "x ** 2")).refused


def test_rows_of_a_long_table_need_no_more_room_than_they_have():
    """A mask of all places would have 64 x 8 x 1000 elements. By hand: the slope of x * x at 1 is 2."""
    text = "import torch\nw = torch.ones(1000, 8, requires_grad=True)\n"
    reading = read(text + "y = (w[torch.arange(64) * 2] ** 2).sum()\ny.backward()")
    assert not reading.refused
    wanted = np.zeros((1000, 8))
    wanted[:128:2] = 2.0
    np.testing.assert_array_equal(reading.answers()["w"], wanted)


def test_what_a_backward_detaches_counts_in_its_derivative():
    """PyTorch 2.13 prints 27, and 12 where x is detached: of x² + x · 2x the 2x is a number, so 6 + 6."""
    again = "h, = torch.autograd.grad(g, x)\n"
    once = read(SQUARED.format(saved="x", read="x.detach()", twice=False))
    assert once.refused == ()
    assert once.answers()["x"] == 27.0
    kept = read(SQUARED.format(saved="x.detach()", read="x", twice=True) + again)
    assert kept.answers()["x"] == 12.0
    (problem,) = read(SQUARED.format(saved="x", read="x.detach()", twice=True) + again).refused
    assert "create_graph" in problem.message
    assert "x.detach()" in problem.hint


APPLIES = """import torch
class Sine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()
    @staticmethod
    def backward(ctx, g):
        return g * Cosine.apply(*ctx.saved_tensors)
class Cosine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.cos()
    @staticmethod
    def backward(ctx, g):
        return 7.0 * g
x = torch.tensor(0.5, requires_grad=True)
g, = torch.autograd.grad(Sine.apply(x), x, create_graph={twice})
"""


def test_a_backward_that_applies_another_function_is_differentiated_once():
    """PyTorch 2.13 prints 0.8776, and 7 for the second derivative: it goes through the other backward()."""
    np.testing.assert_allclose(read(APPLIES.format(twice=False)).values()["g"], 0.8776, rtol=1e-4)
    assert read(APPLIES.format(twice=True) + "h, = torch.autograd.grad(g, x)\n").refused


def test_a_module_in_two_places_counts_once_and_may_hold_itself():
    """PyTorch 2.13: two parameters, two modules, and 4 at each of them."""
    reading = read(
        "import torch\nclass M(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.a = torch.nn.Linear(2, 1)\n        self.b, self.me = self.a, self\n"
        "    def forward(self, x):\n        return self.b(x)\nm = M()\n"
        "n = len(list(m.parameters())) * len(list(m.modules()))\n"
        "y = m(torch.ones(2)).sum() * n\ny.backward()"
    )
    assert reading.refused == ()
    assert {name: value.ravel().tolist() for name, value in reading.answers().items()} == {
        "a.weight": [4.0, 4.0],
        "a.bias": [4.0],
    }


def test_an_answer_that_depends_on_unknown_draws_is_refused():
    reading = read("import torch\nx = torch.randn(3, requires_grad=True)\n(x ** 2).sum().backward()")
    with pytest.raises(GraphError, match=r"draws in line 2"):
        reading.answers()


def test_a_branch_on_unknown_draws_is_refused():
    (problem,) = read("import torch\nx = torch.randn(())\nif x > 0:\n    y = x").refused
    assert problem.code == "drawn"


def test_the_draws_are_those_of_pytorch():
    # Numbers of PyTorch 2.13 on a CPU, as it prints them.
    generator = Generator()
    generator.seed(42)
    np.testing.assert_allclose(generator.uniform((3,)), [0.8823, 0.9150, 0.3829], atol=5e-5)
    generator.seed(0)
    np.testing.assert_allclose(
        generator.normal((3, 2)), [[1.5410, -0.2934], [-2.1788, 0.5684], [-1.0845, -1.3986]], atol=5e-5
    )
    generator.seed(42)
    assert generator.integers(0, 10, (5,)).tolist() == [2, 7, 6, 4, 6]
    generator.seed(42)
    assert generator.permutation(6).tolist() == [0, 3, 2, 4, 1, 5]


def test_a_layer_begins_with_the_numbers_of_pytorch():
    text = "import torch\ntorch.manual_seed(0)\nlin = torch.nn.Linear(3, 2)\nw = lin.weight\nb = lin.bias"
    values = read(text).values()
    np.testing.assert_allclose(
        values["w"], [[-0.0043, 0.3097, -0.4752], [-0.4249, -0.2224, 0.1548]], atol=5e-5
    )
    np.testing.assert_allclose(values["b"], [-0.0114, 0.4578], atol=5e-5)


def test_differences_from_jax_are_said():
    text = "import torch\nx = torch.zeros(2, requires_grad=True)\nx.abs().sum().backward()"
    assert any(change.line == 3 and "0 here; JAX's is 1" in change.says for change in read(text).changes)


def test_a_parameter_is_also_found_by_the_name_of_its_module():
    text = "import torch\nlin = torch.nn.Linear(1, 1)\nlin(torch.ones(1, 1)).sum().backward()"
    answers = read(text).answers()
    assert list(answers) == ["weight", "bias"]
    assert answers["lin.weight"] == answers["weight"]


def test_a_stop_says_what_the_text_has_written_and_nothing_of_what_is_only_printed():
    text = """import math
import torch
w = torch.tensor(3.0, requires_grad=True)
def stopped(x):
    return x.detach() * x
loss = w * w
print(loss.item(), f"{loss.item():.2f}", float(loss), loss.detach())
kept = [loss.item()]
number = float(loss)
root = math.sqrt(loss)
print(stopped(w))
copy = loss.data
out = loss * number + kept[0] * w
out.backward()
"""
    reading = read(text)
    assert {change.line: change.says for change in reading.changes} == {
        5: "detach() became stop_gradient()",
        8: ".item() takes the number out: no gradient flows through it",
        9: "float() takes the number out: no gradient flows through it",
        10: "sqrt() takes the number out: no gradient flows through it",
        12: ".data became stop_gradient()",
    }
    assert reading.answers()["w"] == 63.0  # d(9 w^2 + 9 w)/dw at 3, where 9 is a number


FOLDED = "import torch\nx = torch.tensor({}, requires_grad=True)\ny = {}\ny.backward()"


@pytest.mark.parametrize(
    ("numbers", "folded"),
    [
        ([1e20, 2e20, 3.0], "x.std()"),  # PyTorch has 1e20, and float32 no square of it
        ([1e-30, 2e-30, 3e-30], "x.std(unbiased=False)"),
        ([[1.0, 2.0], [1e-30, 2e-30]], "x.std(1).sum()"),
        ([1e20, 2e20, 3.0], "x.prod()"),  # passes inf / 3, and not 2e40
        ([1e-30, 1e-30, 1.0], "x.prod()"),  # passes 0 / 1e-30, and not 1e-30
        ([1e20, -1e20, 1e20], "torch.logsumexp(x, 0)"),  # passes 1 to both
        ([1e-23, 1e-22, 0.0], "x.norm()"),  # squares with fewer digits
    ],
)
def test_folds_whose_numbers_leave_float32_are_refused(numbers, folded):
    with pytest.raises(GraphError, match="no float holds"):
        read(FOLDED.format(numbers, folded)).answers()


@pytest.mark.parametrize(
    ("numbers", "folded", "slopes"),
    [
        ([0.0, 0.0], "x.std()", [0.0, 0.0]),
        ([0.0, 0.0], "x.norm()", [0.0, 0.0]),
        ([0.0, 2.0, 3.0], "x.prod()", [6.0, 0.0, 0.0]),
        ([1e-30, 2e-30, 3e-30], "x.prod()", [0.0, 0.0, 0.0]),
        ([1e4, 0.0], "torch.logsumexp(x, 0)", [1.0, 0.0]),
        ([1e-12, 3e-12], "x.std()", [-0.70710677, 0.70710677]),
    ],
)
def test_folds_of_other_numbers_are_read(numbers, folded, slopes):
    """The slopes are PyTorch's."""
    np.testing.assert_allclose(read(FOLDED.format(numbers, folded)).answers()["x"], slopes, rtol=1e-5)


@pytest.mark.parametrize(
    "made",
    [
        "LinearLR(o, start_factor=0.0)",
        "ConstantLR(o, factor=2.0)",
        "StepLR(o, 0)",
        "CosineAnnealingLR(o, 0)",
        "LambdaLR(o, lambda e: torch.tensor(0.5))",
        "LambdaLR(o, [lambda e: 0.5, lambda e: 0.5])",
    ],
)
def test_schedules_of_other_numbers_are_refused(made):
    text = "import torch\nw = torch.ones(2, requires_grad=True)\n"
    text += f"o = torch.optim.SGD([w], lr=0.1)\ns = torch.optim.lr_scheduler.{made}\ns.step()"
    assert read(text).refused[0].code != "reader-fault"
