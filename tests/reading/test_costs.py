"""Test that no text takes more than its budget: sizes are looked at first, and steps cost what they make.

Work is counted in lines of Python and bytes, by Python itself and not by the reader.
"""

from __future__ import annotations

import ast
import ctypes
import inspect
import os
import sys
import tracemalloc
from pathlib import Path

import jax
import numpy as np
import pytest

import autodiff_viz as av
from autodiff_viz.graph import limits
from autodiff_viz.graph.syntax_tree import syntax_tree
from autodiff_viz.reading.language import functions as python_functions
from autodiff_viz.reading.nodes import costs
from tests.work import lines_run, programs_compiled

JAX = "import jax, jax.numpy as jnp, numpy as np\nx = jnp.array(2.0)\n"
TORCH = "import torch, torch.nn as nn, torch.nn.functional as F\nx = torch.tensor(2.0, requires_grad=True)\n"
KERAS = "import tensorflow as tf\nx = tf.Variable(2.0)\n"
LOOPS = "for i in range(250):\n  for j in range(250):\n    "
DOUBLED = "a = (1,)\nb = (1,)\nfor i in range(40):\n    a = (a, a)\n    b = (b, b)\n"
LISTS = "a = [[0] * 10000] * 10000\nb = [[0] * 10000] * 10000\n"
LINES = 100 * costs.CALLS
BYTES = 60_000_000


def code_of(text: str) -> str:
    """Return the code of what is refused of a text; "" if all is read."""
    refused = av.read(text).refused
    return refused[0].code if refused else ""


def peak(text: str) -> int:
    """Return how many bytes of Python and NumPy reading a text takes at most."""
    tracemalloc.start()
    try:
        av.read(text)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


LAYERS = {
    "Linear": TORCH + "nn.Linear(4096, 4096)",
    "Linear of VGG": TORCH + "nn.Linear(25088, 4096)",
    "Linear beyond memory": TORCH + "nn.Linear(10**6, 10**6)",
    "Embedding": TORCH + "nn.Embedding(50257, 768)",
    "Conv2d": TORCH + "nn.Conv2d(512, 512, 3)",
    "Bilinear": TORCH + "nn.Bilinear(1000, 1000, 1000)",
    "LSTM": TORCH + "nn.LSTM(512, 512, 2)",
    "GRUCell": TORCH + "nn.GRUCell(4096, 4096)",
    "MultiheadAttention": TORCH + "nn.MultiheadAttention(768, 12)",
    "LayerNorm": TORCH + "nn.LayerNorm((10**5, 10**5))",
    "BatchNorm": TORCH + "nn.BatchNorm2d(10**9)",
    "PReLU": TORCH + "nn.PReLU(10**9)",
    "Dense": KERAS + "tf.keras.layers.Dense(4096)(tf.ones((1, 4096)))",
    "Keras Embedding": KERAS + "tf.keras.layers.Embedding(50257, 768)(tf.constant([1]))",
}
ARRAYS = {
    "jax.random.normal": JAX + "jax.random.normal(jax.random.PRNGKey(0), (4096, 4096))",
    "jax.random.permutation": JAX + "jax.random.permutation(jax.random.PRNGKey(0), 10**9)",
    "initializer": JAX + "jax.nn.initializers.he_normal()(jax.random.PRNGKey(0), (4096, 4096))",
    "torch.randn": TORCH + "torch.randn(10**5, 10**5)",
    "seeded randn": TORCH + "torch.manual_seed(0)\ntorch.randn(10**5, 10**5)",
    "torch.randint": TORCH + "torch.manual_seed(0)\ntorch.randint(0, 10, (10**5, 10**5))",
    "torch.randperm": TORCH + "torch.randperm(10**9)",
    "np.zeros": JAX + "np.zeros((10**5, 10**5))",
    "jnp.ones": JAX + "jnp.ones(10**9)",
    "np.full": JAX + "np.full((10**9, 10**9), 1.0)",
    "arange": JAX + "jnp.arange(10**12)",
    "linspace": JAX + "np.linspace(0, 1, 10**9)",
    "logspace": TORCH + "torch.logspace(0, 1, 10**9)",
    "eye": JAX + "jnp.eye(10**5)",
    "torch.eye": TORCH + "torch.eye(10**5)",
    "tri": JAX + "np.tri(10**5)",
    "diag": JAX + "jnp.diag(jnp.ones(60000))",
    "diag_embed": TORCH + "torch.diag_embed(torch.ones(60000))",
    "pad": TORCH + "F.pad(torch.ones(3), (10**9, 10**9))",
    "padding": TORCH + "F.conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 3, 3), padding=10**6)",
    "dilation": TORCH + "F.conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 3, 3), dilation=10**6)",
    "broadcast_to": JAX + "jnp.broadcast_to(x, (10**5, 10**5))",
    "expand": TORCH + "x.expand(10**5, 10**5)",
    "repeat": JAX + "jnp.repeat(jnp.ones(3), 10**9)",
    "tf.repeat": KERAS + "tf.repeat(tf.ones(3), 10**9)",
    "tf.fill": KERAS + "tf.fill((10**9,), 1.0)",
    "tf.eye": KERAS + "tf.eye(10**5)",
    "outer": JAX + "jnp.outer(jnp.ones(60000), jnp.ones(60000))",
    "kron": JAX + "jnp.kron(jnp.ones((256, 256)), jnp.ones((256, 256)))",
    "einsum": JAX + "jnp.einsum('ab,cd->abcd', jnp.ones((256, 256)), jnp.ones((256, 256)))",
    "matmul": TORCH + "torch.ones(60000, 1) @ torch.ones(1, 60000)",
    "one_hot": JAX + "jax.nn.one_hot(jnp.array([1]), 10**9)",
    "rows of vmap": JAX + "jax.vmap(lambda v: jnp.ones((256, 256)) + v)(jnp.ones(60000))",
    "np.random": JAX + "np.random.normal(0, 1, (10**5, 10**5))",
    "np.random.choice": JAX + "np.random.choice(10**9, 5, False)",
    "parameters of a draw": JAX + "a = [[float(i)] for i in range(250)]\nnp.random.normal(a, [1.0] * 9000)",
}


@pytest.mark.every
@pytest.mark.parametrize("text", [*LAYERS.values(), *ARRAYS.values()], ids=[*LAYERS, *ARRAYS])
def test_an_array_of_too_many_numbers_is_refused_before_it_is_made(text):
    assert code_of(text) == "too-large"
    assert peak(text) < 600 * limits.ELEMENTS  # a few of the largest that are read, and not one of these


@pytest.mark.every
@pytest.mark.parametrize("name", LAYERS)
def test_the_refusal_of_a_large_layer_says_what_to_do(name):
    (problem,) = av.read(LAYERS[name]).refused
    assert problem.line is not None
    assert f"the limit is {limits.ELEMENTS:,}" in problem.message
    assert "smaller layer" in problem.hint


STEPS = {
    "equal lists": LISTS + "c = a == b",
    "equal lists of lists of lists": LISTS
    + "c = list(map(lambda k: a, range(10000)))\nd = list(map(lambda k: b, range(10000)))\ne = c == d",
    "equal doubled tuples": DOUBLED + "c = a == b",
    "ordered doubled tuples": DOUBLED + "c = a < b",
    "max of doubled tuples": DOUBLED + "c = max(a, b)",
    "element of doubled tuples": DOUBLED + "c = a in (b, b)",
    "key of doubled tuples": DOUBLED + "d = {}\nd[a] = 1",
    "key that is looked up": DOUBLED + "d = {}\nc = d.get(a)",
    "key of pairs": DOUBLED + "d = dict([(a, 1)])",
    "leaves of doubled dictionaries": "a = {0: x}\nfor i in range(40):\n    a = {k: a for k in range(2)}\n"
    "jax.tree.map(lambda v: v, a)",
    "deep list": "a = []\n" + LOOPS + "a = [a]\njnp.array(a)",
    "array of lists": LISTS + "c = jnp.array(a)",
    "sum of lists": LOOPS + "[0] * 5000 + [0] * 5000",
    "range": LOOPS + "list(range(10000))",
    "zip": LISTS + "c = list(zip(*a))",
    "map": "a = [0] * 9000\n" + LOOPS + "list(map(lambda k: k, a))",
    "slice": "a = [0] * 9000\n" + LOOPS + "a[1:]",
    "copy": "a = [0] * 9000\n" + LOOPS + "a.copy()",
    "insert": "a = [0] * 9000\n" + LOOPS + "a.insert(0, 1)",
    "star": "def f(*a): return f(*a, *a)\nf(1)",
    "star in a list": "a = [0] * 9000\n" + LOOPS + "[*a]",
    "unpacking": "a = [0] * 9000\n" + LOOPS + "b, *c = a",
    "double star": "d = dict(zip(range(9000), range(9000)))\n" + LOOPS + "{**d}",
    "text": "s = 'a' * 10000\n" + LOOPS + "s.split()",
    "text in a text": "s = 'a' * 10000\nt = 'a' * 5000 + 'b'\n" + LOOPS + "t in s",
    "parameters": "def f(" + ", ".join(f"a{i}=1" for i in range(9000)) + "): return 1\n" + LOOPS + "f()",
    "names of global": "def f():\n  global " + ", ".join(f"a{i}" for i in range(9000)) + "\n" + LOOPS + "f()",
    "members": "class A:\n" + "".join(f"  a{i} = 1\n" for i in range(9000)) + LOOPS + "class B(A): pass",
    "records": "from collections import namedtuple\n" + LOOPS + "namedtuple('P', 'a b c')",
    "keys": LOOPS + "jax.random.PRNGKey(i)",
    "generators": LOOPS + "np.random.RandomState(i)",
    "list in itself": "a = [x]\na.append(a)\njax.tree.leaves(a)",
    "dictionary in itself": "d = {}\nd['d'] = d\njax.tree.leaves(d)",
    "equal lists in themselves": "a = []\na.append(a)\nb = []\nb.append(b)\nc = a == b",
    "list grown where it stands": "a = []\nb = a\nfor i in range(16):\n    b = [b, b]\n"
    "for i in range(250):\n    a.append(0)\njnp.array(b)",
    "shapes": "for i in range(1, 250):\n  for f in (jnp.sin, jnp.cos, jnp.exp, jnp.tanh, jnp.square):\n"
    "    f(jnp.ones(i))",
}
MODULES = {
    "parameters of modules": TORCH
    + "m = nn.Sequential(*[nn.Linear(1, 1) for i in range(200)])\n"
    + LOOPS
    + "list(m.parameters())",
    "modes of modules": TORCH + "m = nn.Sequential(*[nn.ReLU() for i in range(250)])\n" + LOOPS + "m.train()",
    "derivatives of derivatives": TORCH
    + "y = torch.sin(x)\nfor i in range(150):\n  (y,) = torch.autograd.grad(y, x, create_graph=True)",
    "tapes": KERAS + LOOPS + "with tf.GradientTape() as g:\n      y = x * x\n    g.gradient(y, x)",
    "layers in layers": KERAS
    + "m = tf.keras.layers.ReLU()\nfor i in range(60):\n  m = tf.keras.Sequential([m, m])\n"
    + "m(tf.ones((1, 1)))",
    "numbers of a tensor": TORCH + "a = torch.ones(256, 256)\n" + LOOPS + "a.tolist()",
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "text", [*(JAX + text for text in STEPS.values()), *MODULES.values()], ids=[*STEPS, *MODULES]
)
def test_a_step_is_paid_by_what_it_makes_and_walks(text):
    codes = []
    assert lines_run(lambda: codes.append(code_of(text))) < LINES
    assert codes == ["too-large"]
    assert peak(text) < BYTES


NUMBERS = {
    "power": "10**10**8",
    "power of a power": "(10**30)**999",
    "pow": "pow(10, 10**8)",
    "hexadecimal": "0x" + "f" * 1000,
    "product": f"{10**30} * {10**30}",
    "digits": "int('9' * 4000)",
    "base": "int('f' * 10000, 16)",
    "float": "int(1e300)",
    "rounding": "round(1e300)",
    "text": "float('1' * 10000)",
    "list": "[0] * 10**9",
    "text that is repeated": "'a' * 10**9",
}


@pytest.mark.every
@pytest.mark.parametrize("value", NUMBERS.values(), ids=list(NUMBERS))
def test_whole_numbers_and_texts_have_a_limit(value):
    assert code_of(f"{JAX}a = {value}\nb = a * a\n") == "too-large"


def test_a_number_is_rounded_to_few_digits():
    assert code_of(JAX + "a = round(5, -10**9)") == "not-read"


def test_what_stands_in_itself_is_read_as_long_as_nothing_walks_it():
    text = JAX + "a = []\na.append(a)\nd = {}\nd['d'] = d\nclass A: pass\na = A()\na.a = a\ny = jnp.sin(x)\n"
    reading = av.read(text)
    assert reading.refused == ()
    assert [node.name for node in reading.graph.nodes] == ["x", "y"]


def test_a_value_in_a_list_that_holds_itself_is_refused_by_values():
    reading = av.read(JAX + "a = [x]\na.append(a)\n")
    assert reading.refused == ()
    with pytest.raises(av.GraphError, match="nested more than"):
        reading.values()


DEEP = {
    "expressions": "def f(n): return " + "-(" * 40 + "f(n + 1)" + ")" * 40 + "\nf(0)",
    "blocks": "def f(n):\n"
    + "".join(" " * (i + 1) + "if 1:\n" for i in range(80))
    + " " * 81
    + "return f(n + 1)\nf(0)",
    "calls": "def f(n):\n    return f(n + 1)\nf(0)",
    "sums": "a = x" + " + 1" * 1500,
    "attributes": "x" + ".a" * 5000,
    "properties": "class A:\n  @property\n  def p(self): return self.p\nA().p",
}


@pytest.mark.every
@pytest.mark.parametrize("text", DEEP.values(), ids=list(DEEP))
def test_what_is_nested_too_deep_is_refused(text):
    assert code_of(JAX + text) == "too-large"


def two_classes(levels: int) -> str:
    """Return a text with two classes on each level, both of which come from both of the level below."""
    level = "class A{1}(A{0}, B{0}): pass\nclass B{1}(A{0}, B{0}): pass\n"
    first = "class A0: a = 1.0\nclass B0: b = 2.0\n"
    return JAX + first + "".join(level.format(i, i + 1) for i in range(levels))


def test_bases_that_two_classes_share_count_once():
    """Forty levels have 2**40 ways to the first, and 82 classes."""
    assert code_of(two_classes(40)) == "too-large"
    reading = av.read(two_classes(20) + "y = x * (A20().a + A20().b)\n")
    assert reading.refused == ()
    assert reading.values()["y"] == 6.0


def nested_classes(count: int) -> str:
    """Return a text with a class that comes from so many others."""
    return "class A0: pass\n" + "".join(f"class A{i + 1}(A{i}): pass\n" for i in range(count))


def of_values(count: int) -> str:
    """Return a text that walks a list with so many values in it, fifteen lists of 8,192 among them."""
    return f"a = [[0] * 8192] * 15 + [0] * {count - 15 * 8193}\njax.tree.leaves(a)"


AT = {
    "ELEMENTS": (limits.ELEMENTS, lambda n: f"jnp.ones({n})"),
    "CALLS": (costs.CALLS - 1_000, lambda n: "for i in range(250):\n" + "  pass\n" * (n // 250)),
    "LONGEST": (costs.LONGEST, lambda n: "#" + "a" * (n - len(JAX) - 1)),
    "DEPTH": (costs.DEPTH, lambda n: f"def f(n): return f(n - 1) if n > 1 else 1\nf({n})"),
    "NESTED": (costs.NESTED, lambda n: f"a = [x]\nfor i in range({n - 1}):\n  a = [a]\njax.tree.leaves(a)"),
    "WEIGHT": (costs.WEIGHT, of_values),
    "LENGTH": (costs.LENGTH, lambda n: f"a = [0] * {n}"),
    "LENGTH of a sum": (costs.LENGTH, lambda n: f"a = [0] * 5000 + [0] * {n - 5000}"),
    "LENGTH of a range": (costs.LENGTH, lambda n: f"a = range({n})"),
    "LENGTH as it grows": (costs.LENGTH, lambda n: f"a = [0] * 5000\na.extend([0] * {n - 5000})"),
    "LENGTH by a slice": (costs.LENGTH, lambda n: f"a = [0] * 5000\na[5000:] = [0] * {n - 5000}"),
    "KEY": (costs.KEY, lambda n: f"d = {{}}\nd[tuple(range({n}))] = 1"),
    "STEPS": (costs.STEPS, lambda n: f"for i in range({n}): x + i"),
    "ASKED": (costs.ASKED, lambda n: f"for i in range({n}):\n  if x > 0: pass"),
    "NAMES": (
        costs.NAMES,
        lambda n: (
            f"from collections import namedtuple\nnamedtuple('P', '{' '.join(f'a{i}' for i in range(n))}')"
        ),
    ),
    "BASES": (costs.BASES, nested_classes),
    "DIGITS": (python_functions.DIGITS, lambda n: f"a = float('0.' + '1' * {n - 2})"),
}
MORE = {"CALLS": 1_250}
"""How much more is above a limit to which the first lines of a text add something."""


@pytest.mark.every
@pytest.mark.parametrize("name", AT)
def test_a_limit_is_what_its_record_says(name):
    size, text = AT[name]
    assert code_of(JAX + text(size)) == ""
    assert code_of(JAX + text(size + MORE.get(name, 1))) == "too-large"


def test_all_limits_of_the_record_are_tried():
    record = {name for name, value in vars(costs).items() if name.isupper() and name[0] != "_"}
    prices = {"WALKED", "MADE", "FLAT", "UNSEEN", "CALLED", "ASKING", "DRAWN", "PROGRAM", "RUN", "PRODUCTS"}
    assert record - prices - {"WORK", "MESSAGE"} == {name.split()[0] for name in AT} - {"ELEMENTS", "DIGITS"}


def test_work_has_a_limit():
    with costs.budget() as mine:
        costs.pay_work(costs.WORK)
        with pytest.raises(costs.Refused, match="too long to compute"):
            costs.pay_work(1)
    assert mine.work == costs.WORK + 1


@pytest.mark.nightly
def test_branches_on_numbers_of_new_shapes_compile_only_so_many_programs():
    text = JAX + "for i in range(1, 250):\n  if jnp.sin(jnp.ones(i)).sum() > 0: pass\n"
    codes = []
    assert programs_compiled(lambda: codes.append(code_of(text))) <= 3 * costs.WORK // costs.PROGRAM
    assert codes == ["too-large"]


def test_a_refusal_quotes_little_of_a_long_text():
    name = "a" * 100_000
    for text in (f"jnp.{name}(x)", f"x.{name}", f"d = {{}}\nd['{name}']", f"def f(): pass\nf({name}=1)"):
        (problem,) = av.read(JAX + text).refused
        assert len(problem.message) <= costs.MESSAGE + 3


def test_shapes_of_draws_share_their_programs():
    """Keys and shapes that JAX itself would compile a program for each time."""
    text = JAX + "k = jax.random.PRNGKey(7)\nw = jax.random.normal(k, ({},))\n"
    av.read(text.format(3))
    assert programs_compiled(lambda: [av.read(text.format(size)) for size in range(4, 30)]) == 0


KEY = jax.random.PRNGKey(3)
DRAWS = {
    name: (lambda shape, name=name: getattr(jax.random, name)(KEY, shape))
    for name in ("normal", "uniform", "exponential", "gumbel", "laplace", "logistic", "cauchy")
}
INITIALIZERS = [f"{kin}_{way}" for kin in ("glorot", "he", "lecun") for way in ("normal", "uniform")]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("shape", [(), (3,), (5, 7), (1030,), (40, 50)])
@pytest.mark.parametrize("name", DRAWS)
def test_draws_are_those_of_jax_to_the_bit(name, shape):
    reading = av.read(f"import jax\nk = jax.random.PRNGKey(3)\nw = jax.random.{name}(k, {shape})\n")
    np.testing.assert_array_equal(reading.values()["w"], DRAWS[name](shape), strict=True)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("shape", [(3, 4), (7, 5), (3, 3, 4, 2), (64, 33)])
@pytest.mark.parametrize("name", INITIALIZERS)
def test_initial_numbers_are_those_of_jax_to_the_bit(name, shape):
    text = f"import jax\nk = jax.random.PRNGKey(3)\nw = jax.nn.initializers.{name}()(k, {shape})\n"
    drawn = getattr(jax.nn.initializers, name)()(KEY, shape)
    np.testing.assert_array_equal(av.read(text).values()["w"], drawn, strict=True)


@pytest.mark.parametrize(
    "call",
    [
        "bernoulli(k, 0.3, (31,)).astype(float)",
        "randint(k, (33,), 2, 19).astype(float)",
        "truncated_normal(k, -1.0, 2.0, (9, 4))",
        "uniform(k, (77,), minval=-3.0, maxval=2.0)",
        "normal(jax.random.split(k, (3, 2))[1, 1], (5,))",
        "normal(jax.random.split(k, 7)[5], (5,))",
    ],
)
def test_other_draws_are_those_of_jax_to_the_bit(call):
    reading = av.read(f"import jax\nk = jax.random.PRNGKey(3)\nw = jax.random.{call}\n")
    drawn = eval(f"jax.random.{call}", {"jax": jax, "k": KEY})
    np.testing.assert_array_equal(reading.values()["w"], drawn)


@pytest.mark.parametrize(
    "called",
    ["np.f2py.os.system", "np.ctypeslib.ctypes.CDLL", "np.testing.sys.exit", "jax.lib.xla_bridge.os.system"],
)
def test_no_function_of_the_host_is_looked_up_by_a_name_of_the_text(called, monkeypatch):
    asked, signature = [], inspect.signature
    monkeypatch.setattr(inspect, "signature", lambda value: asked.append(value) or signature(value))
    for text in (f"jax.grad({called})(x)", f"jax.jit({called}, static_argnames=('a',))(x)"):
        assert code_of(JAX + text) in ("unknown-function", "not-read")
    assert not any(value in (os.system, sys.exit, ctypes.CDLL) for value in asked)


def test_numpy_makes_no_array_whose_size_was_not_looked_at():
    """Each call of a function of NumPy that makes an array of a shape has `sized` among its arguments."""
    names = "full zeros ones empty eye identity tri broadcast_to linspace logspace tile repeat pad indices"
    makers = {f"np.{name}" for name in f"{names} meshgrid kron outer vander ndindex".split()}
    found = 0
    for path in sorted(Path(costs.__file__).parents[1].rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in makers:
                found += 1
                assert "sized(" in ast.unparse(node), f"{path.name}:{node.lineno}"
    assert found > 20


def long_graph() -> av.Graph:
    """Return a graph whose file has more words than are parsed: two tensors of the largest size."""
    numbers = "[" + ", ".join(["0.5, " * 63 + "0.5\n"] * (limits.ELEMENTS // 64)) + "]"
    return av.parse(f"a = {numbers}\nb = {numbers}\ny = sum(a * b)")


@pytest.mark.nightly
@pytest.mark.parametrize("write", [av.to_python, av.to_torch])
def test_a_file_of_ours_that_is_too_long_to_be_parsed_is_read_to_the_letter(write):
    graph = long_graph()
    text = write(graph)
    with pytest.raises(av.GraphError, match="are read"):
        syntax_tree(text)
    assert av.read(text).graph == graph
    head, _, footer = text.rpartition("\n# As a formula")
    edited = av.read(f"{head}\ny = 3.0\n\n# As a formula{footer}")
    assert edited.graph != graph
    assert edited.refused[0].code == "too-large"


def test_lines_without_an_end_are_read_once():
    """Lines of Python count; a pattern that reads on over empty lines would take minutes in C."""
    for text in ("\n" * 590_000 + "y = x.y\n", " " * 590_000 + "x", "with a:\n" * 60_000 + "  b\n"):
        assert lines_run(lambda text=text: refusal(text)) < LINES


def refusal(text: str) -> str:
    """Return the code of what is refused of a text that may be no code."""
    try:
        return code_of(text)
    except av.GraphError as error:
        return error.problems[0].code
