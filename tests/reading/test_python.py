"""Read Python's own functions, sets, iterators and operators of classes: the values are those of Python."""

import math
import random

import numpy as np
import pytest

import autodiff_viz as av

HEAD = "import math, random, itertools, functools, copy\n"

EXPRESSIONS = """sum(sorted([3, 1, 2])[:2])
sorted([3, 1, 2], reverse=True)[0]
sorted(["b", "a"]) == ["a", "b"]
sorted([(2, "a"), (1, "b")], key=lambda p: p[0])[0][0]
next(iter([4, 5]))
next(iter([]), 7)
len(set([1, 2, 2]))
len({1, 2} | {2, 3})
len({1, 2} & {2, 3})
len({1, 2, 3} - {2})
sum({1, 2} ^ {2, 3})
sum({10, 3, 7})
list({10, 3, 7})[0]
list({5, 1, 4})[0]
2 in {1, 2}
{1, 2} == {2, 1}
{1} <= {1, 2}
len({x % 3 for x in range(10)})
len(list(filter(lambda x: x > 1, [1, 2, 3])))
len(list(filter(None, [0, 1, 2])))
math.sqrt(2.0)
math.exp(0.5)
math.log(10.0)
math.log(8, 2)
math.tanh(0.3)
math.floor(2.5)
math.ceil(-2.5)
math.atan2(1.0, 2.0)
math.isclose(0.1 + 0.2, 0.3)
math.pow(2, 10)
math.prod([1, 2, 3])
math.gcd(12, 18)
divmod(7, 2)[1]
ord("a")
chr(97) == "a"
callable(len)
functools.reduce(lambda a, b: a * b, [1, 2, 3, 4])
functools.reduce(lambda a, b: a + b[0], [(1, 2), (3, 4)], 0)
len(list(itertools.product([1, 2], [3, 4])))
list(itertools.combinations([1, 2, 3], 2))[2][1]
sum(itertools.chain([1, 2], [3]))
sum(itertools.chain.from_iterable([[1, 2], [3]]))
len(list(zip([1, 2], "ab")))
1 << 3
5 & 3
5 | 3
len({"a": 1} | {"b": 2})
len("a" + "b" * 3)
len("x".join(["a", "b"]))
"b" in "abc"
len("w%d" % 12)
len(f"w{12}")
"Ab".lower() == "ab"
"a-b".replace("-", "_") == "a_b"
[1, 2, 1].count(1)
[1, 2, 1].index(2)
max([1, 3, 2], key=lambda v: -v)
isinstance(True, int)
len([*{1: 2}])""".splitlines()


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression_of_python_has_its_value(expression):
    reading = av.read(f"{HEAD}x = {expression}")
    assert reading.refused == ()
    named = {"math": math, **{name: __import__(name) for name in ("itertools", "functools")}}
    expected = eval(expression, named)
    assert float(reading.values()["x"]) == float(expected)


def test_the_draws_of_random_are_those_of_python_where_there_is_a_seed():
    text = (
        f"{HEAD}random.seed(1337)\na = random.uniform(-1, 1)\nb = random.random()\nc = random.randint(0, 9)\n"
    )
    text += "d = random.choice([5, 6, 7])\ne = [1, 2, 3, 4]\nrandom.shuffle(e)\n"
    text += "f = e[0] + 10 * e[1]\ng = random.gauss(0, 1)"
    own = random.Random(1337)
    expected = {
        "a": own.uniform(-1, 1),
        "b": own.random(),
        "c": own.randint(0, 9),
        "d": own.choice([5, 6, 7]),
    }
    shuffled = [1, 2, 3, 4]
    own.shuffle(shuffled)
    expected |= {"f": shuffled[0] + 10 * shuffled[1], "g": own.gauss(0, 1)}
    values = av.read(text).values()
    assert {name: float(values[name]) for name in expected} == {k: float(v) for k, v in expected.items()}
    assert av.read(f"{HEAD}x = random.choice([1, 2])").refused[0].code == "drawn"


VALUE = """class Value:
    def __init__(self, data, _children=(), _op=""):
        self.data, self.grad = data, 0.0
        self._backward = lambda: None
        self._prev, self._op = set(_children), _op

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def __pow__(self, k):
        out = Value(self.data**k, (self,), f"**{k}")

        def _backward():
            self.grad += k * self.data ** (k - 1) * out.grad

        out._backward = _backward
        return out

    def __neg__(self):
        return self * -1

    def __radd__(self, other):
        return self + other

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return other + (-self)

    def __rmul__(self, other):
        return self * other

    def __truediv__(self, other):
        return self * other**-1

    def __repr__(self):
        return f"Value({self.data})"

    def backward(self):
        topo, visited = [], set()

        def build(v):
            if v not in visited:
                visited.add(v)
                for child in v._prev:
                    build(child)
                topo.append(v)

        build(self)
        self.grad = 1.0
        for v in reversed(topo):
            v._backward()


import math
a, b = Value(2.0), Value(-3.0)
c = sum([a * b, 3 * a, 1 - b])
d = c / (a + 1) + b**2
print(d)
d.backward()
ga, gb, value = a.grad, b.grad, d.data
"""


def test_an_autograd_of_a_text_s_own_gives_what_it_would_when_it_runs():
    """d = (a b + 3 a + 1 - b) / (a + 1) + b² at 2, -3: c = 4, so 4/3 + 9.

    By a it is (b + 3) / 3 - 4/9, and by b 1/3 + 2 b.
    """
    reading = av.read(VALUE)
    assert reading.refused == ()
    values = reading.values()
    np.testing.assert_allclose(values["value"], 4 / 3 + 9, rtol=1e-12)
    np.testing.assert_allclose(values["ga"], 0 / 3 - 4 / 9, rtol=1e-12)
    np.testing.assert_allclose(values["gb"], 1 / 3 - 6, rtol=1e-12)


METHODS = {
    "__len__": ("def __len__(self): return 3", "len(A())", 3),
    "__getitem__": ("def __getitem__(self, i): return i * 2", "A()[4]", 8),
    "__iter__": ("def __iter__(self): return iter([1, 2])", "sum(A())", 3),
    "__contains__": ("def __contains__(self, i): return i == 2", "2 in A()", 1),
    "__call__": ("def __call__(self, i): return i + 1", "A()(4)", 5),
    "__lt__": ("def __lt__(self, o): return True", "A() < A()", 1),
    "__lt__ mirrored": ("def __lt__(self, o): return True", "A() > A()", 1),
    "__eq__": ("def __eq__(self, o): return True", "A() != A()", 0),
    "__bool__": ("def __bool__(self): return False", "1 if A() else 2", 2),
    "__abs__": ("def __abs__(self): return 9", "abs(A())", 9),
    "__matmul__": ("def __matmul__(self, o): return 4", "A() @ 2", 4),
    "__iadd__": ("def __iadd__(self, o): return 6", "(a := A())\nx = a\nx += 1", 6),
    "classmethod": (
        "@classmethod\n  def make(cls, i):\n    made = cls()\n    made.i = i\n    return made",
        "A.make(3).i",
        3,
    ),
    "staticmethod": ("@staticmethod\n  def f(i): return i + 1", "A.f(3)", 4),
    "property": ("@property\n  def p(self): return 5", "A().p", 5),
}


@pytest.mark.parametrize("name", METHODS)
def test_the_methods_of_a_class_are_called_as_python_calls_them(name):
    method, expression, expected = METHODS[name]
    reading = av.read(f"import math\nclass A(object):\n  {method}\nx = {expression}")
    assert reading.refused == ()
    assert float(reading.values()["x"]) == expected


@pytest.mark.parametrize("name", ["__setattr__", "__new__"])
def test_a_class_that_changes_what_an_object_is_is_refused(name):
    reading = av.read(f"import math\nclass A:\n  def {name}(self, *a): pass\nx = A()")
    assert reading.unknown == ("A", "x")


def test_math_takes_the_number_of_an_array_and_no_gradient():
    """PyTorch: x * math.exp(x) at 0 has the slope e^0 = 1, since math.exp makes a number of Python's."""
    text = "import math, torch\nx = torch.tensor(0.0, requires_grad=True)\n(x * math.exp(x)).backward()"
    assert av.read(text).answers()["x"] == 1.0


def test_a_generator_of_its_own_draws_what_pytorch_draws():
    """PyTorch 2.13 on a CPU prints these numbers."""
    text = (
        "import torch\ng = torch.Generator().manual_seed(2147483647)\na = torch.randn((3, 2), generator=g)\n"
        "b = torch.randint(0, 9, (4,), generator=g)\nh = torch.Generator()\nc = torch.randn(2, generator=h)\n"
    )
    values = av.read(text).values()
    np.testing.assert_allclose(
        values["a"], [[-0.9800, -1.6578], [-0.0572, -0.3409], [2.0992, 0.8964]], atol=5e-5
    )
    assert values["b"].tolist() == [8, 7, 1, 7]
    np.testing.assert_allclose(values["c"], [0.9773, 1.1569], atol=5e-5)


def test_an_error_that_the_text_raises_is_caught_by_its_name_and_ends_it_otherwise():
    """JAX Autodiff Cookbook's form: at 4 the function is 3 x, whose slope is 3."""
    text = (
        "import jax\ndef f(x):\n    try:\n        if x < 3:\n            return 2 * x ** 3\n"
        "        raise {}\n    except KeyError:\n        return 5 * x\n"
        "    except (TypeError, ValueError):\n        return 3 * x\n"
        "g = jax.grad(f)(4.0)\ny = 1"
    )
    assert av.read(text.format("ValueError('no')")).answers()["x"] == 3.0
    assert av.read(text.format("KeyError")).answers()["x"] == 5.0
    reading = av.read(text.format("OSError"))
    (problem,) = reading.refused
    assert (problem.line, problem.message) == (6, "The text raises OSError here, and ends.")
    assert reading.answers() == {}
    assert "y" not in reading.values()
