"""Read programs of views and changes in place: their numbers are those of the library, or they are refused.

What PyTorch gives is in `memory_programs.json`; NumPy and JAX run here.
"""

from __future__ import annotations

import json
import random
import warnings

import jax
import numpy as np
import pytest

from autodiff_viz.graph.problem import GraphError
from autodiff_viz.reading.reading import read
from autodiff_viz.reading.tensors import torch_facts
from autodiff_viz.reading.tensors.torch_tensors import TENSOR, TORCH
from autodiff_viz.reading.torch import autograd as torch_autograd
from tests.reading.memory_programs import BY_HAND, NUMPY_BEGIN, numbers_of, numpy_statement, written
from tests.reading.record import FOLDER
from tests.seeds import seeded
from tests.thorough import THOROUGH, by_day
from tests.work import free_programs

pytestmark = pytest.mark.every

OF_TORCH = json.loads((FOLDER / "memory_programs.json").read_text("utf-8"))
LIVE = 250 if THOROUGH else 6


def differences(text: str, numbers: dict, error: str) -> list[str] | None:
    """Return what a reading gives other than the library; None if it is refused."""
    reading = read(text)
    if reading.refused:
        assert all(problem.code != "reader-fault" for problem in reading.refused), text
        return None
    if error:
        return [f"is read, and the library raises {error}"]
    values = reading.values()
    try:
        answers = reading.answers()
    except GraphError:
        answers = {}
    wrong = []
    for path, right in numbers.items():
        name = path.removesuffix(".grad")
        if path != name:
            if name in answers and (answers[name] is not None or right is not None):
                found = np.zeros(()) if answers[name] is None else answers[name]
                if not np.allclose(found, 0.0 if right is None else right, 1e-5, 1e-6, equal_nan=True):
                    wrong.append(f"{path} is {found}, not {right}")
        elif name in values:
            found, right = values[name], np.asarray(right, float)
            if np.shape(found) != right.shape or not np.allclose(found, right, 1e-5, 1e-6, equal_nan=True):
                wrong.append(f"{path} is {np.asarray(found).tolist()}, not {right.tolist()}")
    return wrong


@pytest.mark.parametrize("at", range(len(BY_HAND)))
def test_a_program_that_was_read_wrong_gives_what_pytorch_gives(at):
    one = OF_TORCH[at]
    assert one["text"].endswith(BY_HAND[at])
    assert differences(one["text"], one["numbers"], one["error"]) == []


@pytest.mark.longer
def test_random_programs_give_what_pytorch_gives():
    read_here = 0
    for one in by_day(OF_TORCH[len(BY_HAND) :], 6):
        wrong = differences(one["text"], one["numbers"], one["error"])
        read_here += wrong is not None
        assert not wrong, f"{one['text']}\n{wrong}"
        free_programs()
    assert read_here > 10


@pytest.mark.longer
@pytest.mark.parametrize("whole", [False, True])
def test_random_programs_give_what_numpy_gives(whole):
    for i in range(LIVE):
        draw = random.Random(f"{seeded(1)}:{i}:{whole}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text, values, error = written(NUMPY_BEGIN, lambda v, d, n: numpy_statement(v, d, n, whole), draw)
        wrong = differences(text, numbers_of(values), error)
        assert not wrong, f"{text}\n{wrong}"
        free_programs()


NUMPY = """
a = np.arange(6.0).reshape(2, 3)
b = a[1:]
b += 10

a = np.arange(6.0).reshape(2, 3)
f = a.T.reshape(-1)
g = a.reshape(-1)
f += 1
g += 5

a = np.arange(3.0)
b = a[[0, 1]]
c = a[0]
b += 1
c += 1

a = np.arange(4.0).reshape(2, 2)
for row in a:
    row *= 2
b, c = a
c -= 1

a = np.arange(4.0)
b = np.flip(a)
c, d = np.split(a, 2)
b[0] = 9.0
d += 1

a = np.array([1, 2])
a[0] = 2.7
b = a // 2

a = np.array([250], dtype=np.uint8)
a += 10
b = a + np.array([300])

a = np.array([2**31]) * 4
b = np.array([2**31 - 1], dtype=np.int32) + 1

a = np.float64(np.float32(0.1)) - 0.1
""".strip().split("\n\n")


@pytest.mark.parametrize("text", NUMPY)
def test_arrays_share_memory_and_wrap_around_as_numpys_do(text):
    values: dict = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(NUMPY_BEGIN + text, values)
    own = {name: one for name, one in values.items() if isinstance(one, (np.ndarray, np.generic))}
    assert differences(NUMPY_BEGIN + text, numbers_of(own), "") == []


JAX = (
    "y = jnp.array(2147483647) + 1",
    "y = jnp.int32(2.9)",
    "y = jnp.arange(4) * 1000000000",
    "y = jnp.array([250], dtype=jnp.uint8) + 10",
    "y = jnp.array([1.01]).astype(jnp.bfloat16).astype(jnp.float32)",
    "y = jnp.array([256.0], dtype=jnp.bfloat16) + 1",
    "y = jnp.array([True, False]) + jnp.array([True, True])",
    "y = jnp.array([7, -7]) // 2",
)


@pytest.mark.parametrize("text", JAX)
def test_whole_numbers_and_short_floats_are_jaxs(text):
    begin = "import jax.numpy as jnp\n"
    values: dict = {}
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        exec(begin + text, values)
    assert differences(begin + text, {"y": np.asarray(values["y"], float).tolist()}, "") == []


REFUSED = {
    "view size is not compatible": "x = torch.arange(4.0).reshape(2, 2)\ny = x.T.view(-1)",
    "several views": (
        "x = torch.ones(2, 2, requires_grad=True)\na, b = (x * 2).chunk(2)\na += torch.ones(1)"
    ),
    "no_grad mode": (
        "x = torch.ones(2, requires_grad=True)\nz = x * 2\nwith torch.no_grad():\n    v = z[:1]\nv += 1"
    ),
    "base has been modified": (
        "x = torch.ones(2, 2, requires_grad=True)\nz = x * 2\na, b = z\nz += 1\ny = a * 2"
    ),
    "single memory location": "x = torch.ones(1).expand(3)\nx += 1",
    "order in which": (
        "x = torch.arange(6.0).reshape(2, 3)\ny = x.T + torch.ones(3, 2)\nf = y.reshape(-1)\nf += 1"
    ),
    "written-to tensor": "x = torch.arange(4.0)\nx[1:] = x[:-1]",
    "at the same time": "x = torch.arange(6.0).reshape(3, 2)\nx[:, 0] += x.view(-1)[:3]",
    "argument must be Tensor": "import numpy as np\ny = torch.add(torch.ones(1), np.ones(1))",
    "not supported here": "import numpy as np\ny = np.ones(1) * torch.ones(1)",
    "rounds its result": (
        "x = torch.tensor([1.1], dtype=torch.float16, requires_grad=True)\ny = (x * 1.1).sum()"
    ),
    "where it rounds": "x = torch.tensor([1.1], dtype=torch.bfloat16)\ny = x.std()",
    "depends on the machine": "x = torch.tensor([300.0]).to(torch.uint8)",
    "keep their rounding": "x = torch.tensor([0.1])\ny = (x * 3).double()",
    "more digits": "x = torch.tensor([9007199254740993])",
    "without overflow": "x = torch.zeros(2, dtype=torch.uint8)\nx.fill_(300)",
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_has_no_right_number_is_refused_in_words(words):
    (problem,) = read("import torch\n" + REFUSED[words]).refused
    assert words in problem.message
    assert problem.line is not None


def names_of_torch() -> set[str]:
    """Return the names of all functions whose calls are recorded."""
    names = {name.rstrip("_") for name in TENSOR}
    for path in TORCH:
        module, _, name = path.rpartition(".")
        if module in ("torch", "torch.nn.functional", "torch.linalg", "torch.special"):
            names.add(name.rstrip("_"))
    return names - {path.rpartition(".")[2] for path in torch_autograd.PLAIN}


def test_every_function_of_pytorch_has_facts():
    known = {name.partition("/")[0] for name in torch_facts.FACTS}
    assert names_of_torch() <= known, names_of_torch() - known
    assert known >= torch_facts.VIEWS | torch_facts.ITSELF | torch_facts.SCATTERED


POWERS = ("pow", "square", "float_power")
"""Functions of which the exponent says how often their derivative can be differentiated."""


def test_the_facts_are_those_that_were_measured_with_pytorch():
    measured = json.loads((FOLDER / "torch_facts.json").read_text("utf-8"))
    for key, one in measured.items():
        name, _, count = key.partition("/")
        facts = torch_facts.facts_of(name, 1 if count == "r" else int(count), count == "r")
        found = (list(facts.saves), list(facts.again), facts.once)
        assert found == (one["saves"], one["again"], one["once"]), key
        if any(one["again"]) and name not in POWERS:  # 4 times is for ever
            wanted = (one["ends"], one["flat"]) if one["ends"] < 4 else (0, False)
            assert (facts.ends, facts.flat) == wanted, key
        assert torch_facts.REFUSED.get(key, frozenset()) == {*one["refuses"]}, key
        assert (name in torch_facts.CONVERTS) == one["converts"], key
        assert ("view" in one["memory"]) <= (name in torch_facts.VIEWS), key
        assert ("itself" in one["memory"]) <= (name in torch_facts.ITSELF), key
        assert ("scattered" in one["memory"]) == (name in torch_facts.SCATTERED), key


@pytest.mark.parametrize(("power", "known"), [(0, "F"), (1, "TF"), (2, "TTF")])
def test_derivatives_of_a_power_require_a_gradient_as_often_as_in_pytorch(power, known):
    """As PyTorch 2.13 says of `requires_grad` of one derivative after the other."""
    text = f"import torch\nx = torch.tensor(2.0, requires_grad=True)\ny = x ** {power}\n"
    for i in range(len(known)):
        text += "y, = torch.autograd.grad(y, x, create_graph=True)\n"
        text += f"r{i} = torch.tensor(float(y.requires_grad))\n"
    values = read(text).values()
    assert "".join("FT"[int(values[f"r{i}"])] for i in range(len(known))) == known


def test_a_function_without_facts_is_found():
    assert "no_such_function" not in {name.partition("/")[0] for name in torch_facts.FACTS}
    assert torch_facts.facts_of("no_such_function", 1) is torch_facts.UNKNOWN
