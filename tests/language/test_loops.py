"""Test loops and functions: what Python computes, what the same lines written out are, and mistakes."""

from __future__ import annotations

import math
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from autodiff_viz.engine.trace import trace
from autodiff_viz.engine.verify import verify
from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse, parse_with_spans
from autodiff_viz.language.show import show

POWER = "w = 0.5\nh = 1.0\nfor i in range(3):\n    h = w * h\ny = identity(h)"
BLOCK = """w = 0.5
def block(x, k):
    a = sin(x) * k
    b = a + x
    return b
y = block(w, 2.0)
z = block(sin(y), k=w) + 1.0"""
NEWTON = """a = 2.0
x = 1.0
for i in range(3):
    x = 0.5 * (x + a / x)
y = identity(x)"""
STEPS = """h = 0.5
for i in range({n}):
    with {frame}("step"):
        s = sin(h)
        c = cos(s)
        h = h + c
y = identity(h)"""
TABLE = """x = 0.5
z = 0.0
for i in range(2):
    s = x * i
    for j in range(1, 3):
        t = sin(s) + j
        s = t * x
    z = z + s
y = identity(z)"""
DEEP = """x = 0.5
w = 2.0
def area(a):
    return a * a * w
def both(w, n):
    s = area(w) + n
    for k in range(2):
        s = sin(s) * area(s)
    return s
y = both(x, area(x))
z = y + x"""
"""`area` reads the w of the text, not the argument of `both`."""
WRITTEN = {
    TABLE: """x = 0.5
z = 0.0
with group("for i 0"):
    s_0 = x * 0
    with group("for i 0 for j 1"):
        t_0_1 = sin(s_0) + 1
        s_0_1 = t_0_1 * x
    with group("for i 0 for j 2"):
        t_0_2 = sin(s_0_1) + 2
        s_0_2 = t_0_2 * x
    z_0 = z + s_0_2
with group("for i 1"):
    s_1 = x * 1
    with group("for i 1 for j 1"):
        t_1_1 = sin(s_1) + 1
        s_1_1 = t_1_1 * x
    with group("for i 1 for j 2"):
        t_1_2 = sin(s_1_1) + 2
        s_1_2 = t_1_2 * x
    z_1 = z_0 + s_1_2
y = identity(z_1)""",
    "w = 2.0\ndef f(a):\n    return a * w\ndef g(w):\n    return f(w)\ny = g(3.0)": """w = 2.0
with group("g 1"):
    with group("f 1"):
        y = 3.0 * w""",
    POWER: """w = 0.5
h = 1.0
with group("for i 0"):
    h_0 = w * h
with group("for i 1"):
    h_1 = w * h_0
with group("for i 2"):
    h_2 = w * h_1
y = identity(h_2)""",
    BLOCK: """w = 0.5
with group("block 1"):
    a_block_1 = sin(w) * 2.0
    y = a_block_1 + w
x_block_2 = sin(y)
with group("block 2"):
    a_block_2 = sin(x_block_2) * w
    block_1 = a_block_2 + x_block_2
z = block_1 + 1.0""",
    "x = [1.0, 2.0, 3.0]\nfor i in range(2, -2, -2):\n    y = x[i] * x[-i - 1] * i": """x = [1.0, 2.0, 3.0]
with group("for i 2"):
    y_2 = x[2] * x[-3] * 2
with group("for i 0"):
    y_0 = x[0] * x[-1] * 0""",
    "x = 1.0\nfor i in range(2):\n    y = rewrite(x, lambda v: v * i)": """x = 1.0
with group("for i 0"):
    y_0 = rewrite(x, lambda v: v * 0)
with group("for i 1"):
    y_1 = rewrite(x, lambda v: v * 1)""",
    "h = 1.0\nfor i in range(1):\n    h = sin(h)\nfor i in range(1):\n    h = cos(h)\nreturn h": """h = 1.0
with group("for i 0"):
    h_0 = sin(h)
with group("for i.2 0"):
    h_2_0 = cos(h_0)""",
    """def f(a):
    with checkpoint("r", policy="save_only_these_names", names=["b"]):
        b = sin(a)
        c = cos(b)
    return c * a
x = 1.0
for k in range(2):
    x = f(x)
z = tanh(x)""": """x = 1.0
with group("for k 0"):
    with group("f 1"):
        with checkpoint("r 1", policy="save_only_these_names", names=["b_f_1"]):
            b_f_1 = sin(x)
            c_f_1 = cos(b_f_1)
        x_0 = c_f_1 * x
with group("for k 1"):
    with group("f 2"):
        with checkpoint("r 2", policy="save_only_these_names", names=["b_f_2"]):
            b_f_2 = sin(x_0)
            c_f_2 = cos(b_f_2)
        x_1 = c_f_2 * x_0
z = tanh(x_1)""",
}


def test_a_copy_takes_no_name_and_no_group_that_the_text_has():
    text = "x = 1.0\nx_0 = 2.0\nwith group('for i 0'): y = sin(x)\nwith group('f 1'): z = cos(x)\n"
    text += "for i in range(2):\n    x = tanh(x)\ndef f(a):\n    b = exp(a)\n    return b * a\nw = f(x)"
    graph = parse(text)
    assert graph["x_0"].op == "input"
    assert {group.name: group.nodes for group in graph.groups} == {
        "for i 0": {"y"},
        "f 1": {"z"},
        "for i.2 0": {"x_1_0"},
        "for i.2 1": {"x_1"},
        "f.2 1": {"b_f_1", "w"},
    }


@pytest.mark.parametrize("text", WRITTEN)
def test_a_loop_and_a_function_are_their_lines_written_out_in_groups(text):
    graph = parse(text)
    assert graph == parse(WRITTEN[text])
    assert parse(show(graph)) == graph


def python(text: str) -> float:
    """The last value of a text, as Python computes it."""
    names = {name: getattr(math, name) for name in ("sin", "cos", "tanh")}
    names |= {"identity": lambda x: x, "checkpoint": nullcontext, "group": nullcontext}
    exec(text, names)
    return list(names.values())[-1]


@pytest.mark.parametrize("text", [POWER, BLOCK, NEWTON, TABLE, DEEP, STEPS.format(n=4, frame="checkpoint")])
def test_python_computes_the_same(text):
    found = trace(parse(text), dtype="float64")
    np.testing.assert_allclose(found.value[found.output], python(text), rtol=1e-12)
    assert verify(found).agrees


@st.composite
def texts(draw: DrawFn) -> str:
    """Lines, a function and two loops over few names, which the loops assign again."""
    name, start = st.sampled_from("abcd"), "a = 0.25\nb = -0.5\nc = 0.75\nd = 1.5"

    def line(names: st.SearchStrategy, called: str) -> str:
        one, other = draw(names), draw(names)
        forms = (
            f"sin({one}) * {other}",
            f"{one} + 0.5 * {other}",
            f"cos({one} - {other})",
            f"{called}({one}, {other})",
        )
        return draw(st.sampled_from(forms[: 4 if called else 3]))

    inner = st.sampled_from("xyc")
    body = [
        f"    q = {line(inner, '')}",
        f"    r = {line(st.sampled_from('xq'), '')}",
        f"    return {line(st.sampled_from('qrx'), '')}",
    ]
    found = [start, "def f(x, y):", *body]
    found += [
        "def g(x, y):",
        f"    q = {line(inner, 'f')}",
        f"    for k in range({draw(st.integers(1, 2))}):",
        f"        q = {line(st.sampled_from('xqc'), 'f')} + 0.1 * k",
        f"    return {line(st.sampled_from('qx'), '')}",
    ]
    called = st.sampled_from("fg")
    for counter in "ij":
        own = draw(st.lists(name, min_size=1, max_size=3, unique=True))
        lines = [f"    {each} = {line(name, draw(called))} + 0.1 * {counter}" for each in own]
        if draw(st.booleans()):
            again = [f"        {each} = {line(name, '')} - 0.1 * {counter} * n" for each in own[:2]]
            lines += ["    for n in range(2):", *again]
        found += [f"for {counter} in range({draw(st.integers(1, 2))}):", *lines]
    return "\n".join([*found, f"z = {line(name, draw(called))}"])


@settings(max_examples=40)
@given(texts())
def test_python_computes_the_same_for_any_loops(text):
    found = trace(parse(text), dtype="float64")
    np.testing.assert_allclose(found.value["z"], python(text), rtol=1e-9, atol=1e-12)


def test_backpropagation_through_time_sums_over_the_steps():
    found = trace(parse(POWER))
    assert found.value["y"] == 0.125
    assert found.gradient["w"] == 0.75  # 3 w^2


def test_newtons_iteration_has_the_slope_of_the_root():
    """Question 16: x_3 = 1.4142157, unrolled slope 0.3535659, of the root itself 0.3535534."""
    found = trace(parse(NEWTON))
    np.testing.assert_allclose(found.value["y"], 1.4142157, rtol=1e-6)
    np.testing.assert_allclose(found.gradient["a"], 0.3535659, rtol=1e-6)


@pytest.mark.parametrize(
    ("frame", "steps", "kept", "runs"),
    [("group", 4, 8, 4), ("checkpoint", 4, 4, 8), ("group", 8, 16, 8), ("checkpoint", 8, 8, 16)],
)
def test_a_region_round_each_step_keeps_half(frame, steps, kept, runs):
    """Question 39, with its numbers."""
    found = trace(parse(STEPS.format(n=steps, frame=frame)))
    assert sum(residual.elements for residual in found.residuals) == kept
    assert sum(found.runs[f"s_{i}"].forward + found.runs[f"s_{i}"].backward for i in range(steps)) == runs


def test_every_copy_of_a_line_has_its_place():
    _, spans = parse_with_spans(POWER)
    assert {(spans[f"h_{i}"].line, spans[f"h_{i}"].column) for i in range(3)} == {(4, 4)}


DEEPER = "".join(f"{'    ' * i}for i{i} in range(32):\n" for i in range(4))
F = "x = 1.0\ndef f(a):\n    return sin(a)\n"
MISTAKES = [
    (
        "x = 1.0\nfor i in range(2):\n    for i in range(2):\n        x = sin(x)",
        "shadowed",
        "i",
        "another name",
    ),
    (
        "x = 1.0\nfor i in range(2):\n    for j in range(x):\n        x = sin(x)",
        "loop",
        "range(x)",
        "range(4)",
    ),
    (
        "def f(a):\n    for a in range(2):\n        b = 1.0\n    return a\ny = f(1.0)",
        "shadowed",
        "a",
        "another",
    ),
    ("def f(a):\n    return g(a)\ndef g(a):\n    return f(a)\ny = f(1.0)", "recursion", "f(a)", "for i"),
    (
        "def f(a):\n    return g(a)\ny = f(1.0)\ndef g(a):\n    return a",
        "used-too-early",
        "g(a)",
        "Move line 4",
    ),
    ("x = 1.0\nfor i in range(x):\n    x = sin(x)", "loop", "range(x)", "range(4)"),
    ("x = 1.0\nfor i in range(2.0):\n    x = sin(x)", "loop", "range(2.0)", "range(4)"),
    ("x = 1.0\nfor i in [1, 2]:\n    x = sin(x)", "loop", "[1, 2]", "range(4)"),
    ("x = 1.0\nfor i, j in range(2):\n    x = sin(x)", "loop", "i, j", "range(4)"),
    ("x = 1.0\nfor i in range(1, 5, 0):\n    x = sin(x)", "loop", "range(1, 5, 0)", "range(4)"),
    (
        f"x = 1.0\nfor i in range({limits.LOOP + 1}):\n    x = sin(x)",
        "loop",
        f"range({limits.LOOP + 1})",
        "number",
    ),
    ("x = 1.0\nfor i in range(0):\n    x = sin(x)", "loop", "range(0)", "number"),
    ("x = 1.0\nfor i in range(2):\ny = x", "indentation", "for i in range(2):", "indent"),
    ("x = 1.0\nfor i in range(2): y = x", "indentation", "for i in range(2): y = x", "indent"),
    ("i = 1.0\nfor i in range(2):\n    y = i", "shadowed", "i", "another name"),
    ("x = 1.0\nfor i in range(2):\n    i = x", "shadowed", "i", "another name"),
    ("x = 1.0\nfor i in range(2):\n    x = sin(x)\n    x = x", "assigned-twice", "x = x", "x_new"),
    ("x = 1.0\nfor i in range(2):\n    y = sin(x)\ny = cos(x)", "assigned-twice", "y", "y_new"),
    ("x = 1.0\nfor i in range(2):\n    y = sinn(x)\nz = y", "unknown-op", "sinn", "'sin'"),
    ("x = 1.0\nfor i in range(2):\n    y = b\n    b = sin(x)", "unknown-name", "b", "b = 1.0"),
    ("x = 1.0\nfor i in range(2):\n    return x", "nested", "return x", "end"),
    ("x = 1.0\nfor i in range(2):\n    def f(a):\n        return a", "nested", "def f(a):", "above"),
    ("x = 1.0\nfor i in range(2):\n    y = x\nz = i", "unknown-name", "i", ""),
    ("x = 1.0\nfor i in range 2:\n    y = x", "syntax", "2", "range(4)"),
    ("x = 1.0\ndef f(a):\n    return f(a)\ny = f(x)", "recursion", "f(a)", "for i"),
    ("x = 1.0\ny = f(x)\ndef f(a):\n    return sin(a)", "used-too-early", "f(x)", "Move line 3"),
    ("x = 1.0\ndef sin(a):\n    return a\ny = sin(x)", "shadowed", "def sin(a):", "another name"),
    ("x = 1.0\ndef x(a):\n    return a", "shadowed", "def x(a):", "another name"),
    ("x = 1.0\ndef f(a):\n    b = sin(a)\ny = f(x)", "return", "b = sin(a)", "return"),
    ("x = 1.0\ndef f(a):\n    return a, a\ny = f(x)", "return", "a, a", "each"),
    ("x = 1.0\ndef f(a):\n    return a\n    b = a\ny = f(x)", "return", "return a", "end"),
    ("x = 1.0\ndef f(a=1.0):\n    return a\ny = f(x)", "function", "def f(a=1.0):", "block(x"),
    ("x = 1.0\ndef f(a):\n    a = sin(x)\n    return a\ny = f(x)", "shadowed", "def f(a):", "another name"),
    (F + "y = f()", "arity", "f()", "f(a)"),
    (F + "y = f(x, x)", "arity", "f(x, x)", "f(a)"),
    (F + "y = f(b=x)", "arity", "f(b=x)", "f(a)"),
    (F + "with group('g'): y = f(x)", "not-in-language", "with group('g'): y = f(x)", "Indent"),
    (F + "f = 2.0", "shadowed", "def f(a):", "another name"),
    ("x = 1.0\ndef f(a):\n    return sinn(a)\ny = f(x) + f(x)", "unknown-op", "sinn", "'sin'"),
    (
        "\n".join(f"for i in range(32):\n    {name} = 1.0" for name in "abc"),
        "region",
        "for i in range(32):",
        "some",
    ),
]


@pytest.mark.parametrize(("text", "code", "mark", "hint"), MISTAKES)
def test_a_mistake_is_told_once_with_its_place_and_a_hint(text, code, mark, hint):
    with pytest.raises(GraphError) as caught:
        parse(text)
    (problem,) = caught.value.problems
    line, carets = problem.caret.split("\n")
    assert (problem.code, line[carets.index("^") : len(carets)]) == (code, mark)
    assert hint in problem.hint


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (
            "x = 1.0\nfor i in range(32):\n" + "".join(f"    y{i} = x\n" for i in range(9_000)),
            "too-many-nodes",
        ),
        ("".join(f"for i in range(1):\n    y{i} = 1.0\n" for i in range(9_000)), "too-many-groups"),
        (
            "".join(f"{'    ' * i}for i{i} in range(32):\n" for i in range(4)) + " " * 16 + "y = 1.0",
            "too-many-groups",
        ),
        (
            "def f0(a):\n    return sin(a)\n"
            + "".join(f"def f{i + 1}(a):\n    return f{i}(f{i}(a))\n" for i in range(40))
            + "y = f40(1.0)",
            "too-many-groups",
        ),
        ("def f(a):\n    return a\n" + "".join(f"y{i} = f(1.0)\n" for i in range(9_000)), "too-many-groups"),
        ("x = 1.0\nfor i in range(2):\n    y = (" + "x\n+" * 20_000 + "x)", "too-deep"),
        ("x = 1.0\nfor i in range(2):\n    y = (" + "-\n" * 20_000 + "x)", "too-deep"),
        ("for i in range(2):\n" * 9_000, "indentation"),
        ("x = 1.0\nfor i in range(10, -99999999999999999999):\n    y = x", "loop"),
    ],
)
def test_a_text_that_would_make_too_much_is_refused(text, code):
    with pytest.raises(GraphError) as caught:
        parse(text)
    assert code in {problem.code for problem in caught.value.problems}


def test_mistakes_beside_a_faulty_loop_are_told_too():
    with pytest.raises(GraphError) as caught:
        parse("x = 1.0\nfor i in range(x):\n    y = sin(x)\nz = y\nw = coss(z)")
    assert [problem.line for problem in caught.value.problems] == [2, 5]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1.0\nfor i in range(400):\n    x = sin(x)", "This loop has 400 steps; 1 to 32 are possible."),
        ("x = 1.0\nfor i in range(1000000):\n    x = sin(x)", "A number in this range is beyond 65,536."),
        ("x = 1.0\nfor i in range(-70000, 0):\n    x = sin(x)", "A number in this range is beyond 65,536."),
    ],
)
def test_a_range_that_is_too_long_is_refused_for_its_length(text, message):
    with pytest.raises(GraphError) as caught:
        parse(text)
    assert [problem.message for problem in caught.value.problems] == [message]
