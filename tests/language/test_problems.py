"""Test that any mistake in a text is a problem with its place and a hint, found quickly."""

import ast
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.language.parse import parse, parse_lambda, parse_literal
from autodiff_viz.language.scanner import FAULTS
from autodiff_viz.language.show import show
from autodiff_viz.ops.catalog import OPS
from tests.language.samples import automatic
from tests.work import lines_run

HEAD = "x = 1.0\ny = 2.0\n"


def problems(text: str) -> tuple[Problem, ...]:
    with pytest.raises(GraphError) as caught:
        parse(text)
    return caught.value.problems


def only(text: str) -> Problem:
    found = problems(text)
    assert len(found) == 1, found
    return found[0]


def marked(problem: Problem) -> str:
    """What the carets stand under."""
    line, carets = problem.caret.split("\n")
    return line[carets.index("^") : len(carets)]


@pytest.mark.parametrize(
    ("line", "code", "mark", "hint"),
    [
        ("z = sine(x)", "unknown-op", "sine", "'sin'"),
        ("z = Sin(x)", "unknown-op", "Sin", "'sin'"),
        ("z = divide(x, y)", "unknown-op", "divide", "'div'"),
        ("z = clamp(x, y, y)", "unknown-op", "clamp", "'clip'"),
        ("z = checkpoint(x)", "unknown-op", "checkpoint", "with checkpoint("),
        ("z = print(x)", "unknown-op", "print", "y = sin(x)"),
        ("z = x(y)", "unknown-op", "x", "x * (...)"),
        ("z = sin(x)(y)", "not-in-language", "sin(x)", "product"),
        ("z = __import__('os')", "unknown-op", "__import__", ""),
        ("__import__('os').system('ls')", "not-in-language", "__import__('os').system", ""),
        ("z = eval(x)", "unknown-op", "eval", ""),
        ("alpha = 1.0; z = alhpa + x", "unknown-name", "alhpa", "'alpha'"),
        ("z = sin", "unknown-name", "sin", "sin(x)"),
        ("z = pi * x", "unknown-name", "pi", "3.14159"),
        ("z = sin_1 * x", "unknown-name", "sin_1", "sin_1 = sin(x)"),
        ("z = z + x", "used-too-early", "z", "itself"),
        ("x = 3.0", "assigned-twice", "x", "x_new"),
        ("sin__x = 1.0; __z = 2.0", "name", "__z", ""),
        (f"{'z' * 65} = 2.0", "name", "z" * 65, ""),
        ("z = np.sin(x)", "not-in-language", "np.sin", "sin(...) without 'np'"),
        ("z = jnp.sin(x)", "not-in-language", "jnp.sin", "sin(...) without 'jnp'"),
        ("z = jax.nn.relu(x)", "not-in-language", "jax.nn.relu", "relu(...) without 'jax'"),
        ("z = jax.lax.stop_gradient(x)", "not-in-language", "jax.lax.stop_gradient", "stop_gradient(...)"),
        ("z = tf.stop_gradient(x)", "not-in-language", "tf.stop_gradient", "stop_gradient(...)"),
        ("z = torch.cat([x, y])", "not-in-language", "torch.cat", "concatenate(...)"),
        ("z = np.pi", "not-in-language", "np.pi", "3.14159"),
        ("z = np.array([1.0])", "not-in-language", "np.array", "[1.0, 2.0]"),
        ("z = x.T", "not-in-language", "x.T", "transpose(x)"),
        ("z = x.detach()", "not-in-language", "x.detach", "stop_gradient(x)"),
        ("z = x.sum()", "not-in-language", "x.sum", "sum(x)"),
        ("z = x.shape", "not-in-language", "x.shape", "no attributes"),
        ("z = x // 2", "not-in-language", "x // 2", "floor(a / b)"),
        ("z = x >= y", "not-in-language", "x >= y", "a > b"),
        ("z = 0.0 < x < y", "not-in-language", "0.0 < x < y", "(a < b) * (b < c)"),
        ("z = x and y", "not-in-language", "x and y", "a * b"),
        ("z = not x", "not-in-language", "not x", "1.0 - a"),
        ("z = +x", "not-in-language", "+x", "Leave it out"),
        ("z = x if y else 2", "not-in-language", "x if y else 2", "where(condition, a, b)"),
        ("z = (w := x)", "not-in-language", "w := x", "line of its own"),
        ("z = [i for i in x]", "not-in-language", "[i for i in x]", "for i in range(4):"),
        ("z = lambda v: v", "not-in-language", "lambda v: v", "rewrite"),
        ("z = sin(lambda v: v)", "not-in-language", "lambda v: v", "rewrite"),
        ("z = {1: 2}", "not-in-language", "{1: 2}", "[1.0, 2.0]"),
        ("z = (1.0, 2.0)", "not-in-language", "(1.0, 2.0)", "[1.0, 2.0]"),
        ("z = True", "not-in-language", "True", "1.0"),
        ("z = None", "not-in-language", "None", "number"),
        ("z = 'a'", "not-in-language", "'a'", "without quotes"),
        ("z = f'{x}'", "text", "f", ""),
        ("z = 'a", "text", "'", "Close it"),
        ("'a note'", "not-in-language", "'a note'", "#"),
        ("z = sin(*x)", "not-in-language", "*x", "Write every input out"),
        ("z = sum(x, **y)", "not-in-language", "**y", ""),
        ("x += 1.0", "not-in-language", "x += 1.0", "once"),
        ("z: float = 1.0", "not-in-language", "z: float = 1.0", "Leave the type out"),
        ("a, b = x, y", "not-in-language", "a, b = x, y", "One name"),
        ("a = b = x", "not-in-language", "a = b = x", "One name"),
        ("x[0] = 1.0", "not-in-language", "x[0] = 1.0", "One name"),
        ("sin(x)", "no-name", "sin(x)", "z ="),
        ("-x", "no-name", "-x", "z ="),
        ("- -sin(x)", "no-name", "- -sin(x)", "z ="),
        ("import numpy as np", "not-in-language", "import", "needs an import"),
        ("if x > y:\n    z = x\nelse_ = z", "not-in-language", "if", "where(condition, a, b)"),
        ("del x", "not-in-language", "del", ""),
        ("return x + y", "return", "return x + y", "name"),
        ("return q", "unknown-name", "q", ""),
        ("return x\nz = y", "after-return", "z = y", "end"),
        ("z = x +", "syntax", "", "y = 2.0 * sin(x)"),
        ("z = 2x", "number", "2x", "2 * x"),
        ("z = 0xff", "number", "0xff", ""),
        ("z = 1j", "number", "1j", ""),
        ("z = 1if x else y", "number", "1if", ""),
        ("z = sin(x", "bracket", "(", "')'"),
        ("z = sin(x]", "bracket", "]", "bracket"),
        ("z = x)", "bracket", ")", "bracket"),
        ("θ = 3.0", "character", "θ", "theta"),
        ("z = x × y", "character", "×", "*"),
        ("z = x − y", "character", "−", "-"),
        ("z = x²", "character", "x²", "x ** 2"),
        ("naïve = 1.0", "character", "naïve", "naive"),
        ("z = x\x00", "character", " ", "Remove"),
        ("    z = x", "indentation", "z = x", "with block"),
        ("z = 1e31", "literal", "1e31", ""),
        ("z = x * 1e999", "literal", "1e999", ""),
        ("z = [[1.0, 2.0], [3.0]]", "literal", "[[1.0, 2.0], [3.0]]", "row by row"),
        ("z = [x, y]", "literal", "x", "stack([x, ...])"),
        ("z = clip(x, low=0.0)", "arity", "clip(x, low=0.0)", "clip(x, low, high)"),
        ("z = sin()", "arity", "sin()", "sin(x)"),
        ("z = sin(x, y)", "arity", "y", "sin(x)"),
        ("z = sin(x, x=y)", "arity", "x=y", "Leave one"),
        ("z = stack([])", "arity", "[]", "stack([a, b])"),
        ("z = input(shape=(-1, 3), seed=0)", "parameter", "(-1, 3)", "(3, 4)"),
        ("z = parameter(shape=(0, 3))", "parameter", "(0, 3)", "shorter than 1"),
        ("z = normal(shape=(-1,))", "parameter", "(-1,)", "(3, 4)"),
        ("z = broadcast_to(x, shape=(0, 100000000000))", "parameter", "(0, 100000000000)", "(3, 4)"),
        ("z = reshape(x, shape=(-2,))", "parameter", "(-2,)", "(3, -1)"),
        ("z = transpose(x, axes=(10000000000,))", "parameter", "(10000000000,)", ""),
        ("z = sum(x, axes=0)", "keyword", "axes=0", "'axis'"),
        ("z = sum(x, axis=y)", "parameter", "y", "fixed"),
        ("z = sum(x, keepdims=1)", "parameter", "1", ""),
        ("z = softmax(x, axis=None)", "parameter", "None", ""),
        ("z = max(x, y)", "parameter", "y", "maximum(a, b)"),
        ("z = min(x, y)", "parameter", "y", "minimum(a, b)"),
        ("z = prod(x, y)", "parameter", "y", "a * b"),
        ("z = asin(x)", "unknown-op", "asin", "'arcsin'"),
        ("z = torch.prod(x)", "not-in-language", "torch.prod", "prod(...) without 'torch'"),
        ("z = x.argmax()", "not-in-language", "x.argmax", "argmax(x)"),
        ("z = one_hot(x, y)", "parameter", "y", "fixed"),
        ("z = x.at[0].add(y)", "not-in-language", "x.at[0].add", "x.at[0].set(x[0] + v)"),
        ("z = x.at[0].apply(y)", "not-in-language", "x.at[0].apply", "x.at[0].set(v)"),
        ("z = x.at[0]", "not-in-language", "x.at", "x.at[0].set(v)"),
        ("z = x.at[0].set()", "arity", "x.at[0].set()", "x.at[0].set(v)"),
        ("z = x.at[0].set(x, y)", "arity", "y", "x.at[0].set(v)"),
        ("z = x.at[0].set(x, mode=1.0)", "keyword", "mode=1.0", "It takes v."),
        ("z = x.at[y].set(x)", "index", "y", "x[1:3]"),
        ("z = at_set(x, y, index=0)", "parameter", "0", ""),
        ("z = reshape(x, 2, 3)", "arity", "3", ""),
        ("z = reshape(x, 2)", "parameter", "2", "(2,)"),
        ("z = broadcast_to(x, (300, 300))", "parameter", "(300, 300)", "smaller"),
        ("z = uniform((3,), seed=-1)", "parameter", "-1", ""),
        ("z = concatenate(x, y)", "arity", "x", "concatenate([a, b])"),
        ("z = x[y]", "index", "y", "x[1:3]"),
        ("z = x[0.5]", "index", "0.5", "x[1:3]"),
        ("z = input()", "arity", "input()", "input(10.0)"),
        ("z = input(1.0, shape=(3,))", "arity", "input(1.0, shape=(3,))", "input(10.0)"),
        ("z = stop_gradient()", "arity", "stop_gradient()", "stop_gradient(sin(x))"),
        ("z = rewrite(x)", "arity", "rewrite(x)", "lambda v"),
        ("z = rewrite(x, 0.5)", "lambda", "0.5", "lambda v"),
        ("z = rewrite(x, lambda v: v * y)", "unknown-name", "y", "may use v"),
        ("z = rewrite(x, lambda v=1: v)", "lambda", "lambda v=1: v", ""),
        ("z = rewrite(x, lambda v, v: v)", "name", "v", "another"),
        ("z = rewrite(x, lambda v: stop_gradient(v))", "lambda", "stop_gradient(v)", ""),
        ("z = rewrite(x, lambda v: ...)", "not-in-language", "...", ""),
        (
            "z = custom(exp(x), pulback=lambda v, x, y: v)",
            "keyword",
            "pulback=lambda v, x, y: v",
            "'pullback'",
        ),
        ("z = backward_as(round(x))", "arity", "backward_as(round(x))", "backward_as(round(x), x)"),
        ("with checkpoint(r):\n    z = x", "region", "r", '"r"'),
        ("with checkpoint():\n    z = x", "region", "checkpoint()", '"name"'),
        ("with open('f'):\n    z = x", "region", "open('f')", '"name"'),
        ("with torch.no_grad():\n    z = x", "region", "torch.no_grad()", "y = stop_gradient("),
        ("with no_grad():\n    z = x", "region", "no_grad()", "stop_gradient("),
        ("with torch.inference_mode():\n    z = x", "region", "torch.inference_mode()", "stop_gradient("),
        ("with torch.enable_grad():\n    z = x", "region", "torch.enable_grad()", "by itself"),
        ("with group(g):\n    z = x", "region", "g", '"g"'),
        ("with group():\n    z = x", "region", "group()", '"name"'),
        ("with groop('g'):\n    z = x", "region", "groop('g')", "'group'"),
        ("with group('g', policy='dots_saveable'):\n    z = x", "keyword", "policy='dots_saveable'", "group"),
        (
            "with group('g'):\n    with checkpoint('g'):\n        z = x",
            "region",
            "checkpoint('g')",
            "another",
        ),
        ("with group('g'): w = x\nwith checkpoint('g'): z = x", "region", "'g'", "another"),
        ("z = MaxPool2d(x)", "unknown-op", "MaxPool2d", "'max_pool'"),
        ("z = minus(x)", "unknown-op", "minus", "'sub' or 'neg'"),
        ("z = GradientReversal(x)", "unknown-op", "GradientReversal", "'scale_gradient'"),
        ("z = torch.Linear(x)", "not-in-language", "torch.Linear", "dense(...)"),
        ("with branches('g', k=3):\n    z = x", "keyword", "k=3", 'with branches("name"):'),
        ("with group('g'): w = x\nwith branches('g'): z = x", "region", "'g'", "another"),
        ("with branches('g'):\n    ...\nz = x", "empty-group", "with branches('g'):", "Indent"),
        ("with group('g'):\n    ...\nz = x", "empty-group", "with group('g'):", "Indent"),
        ("z = group(x)", "unknown-op", "group", "block"),
        ("with checkpoint('r') as r:\n    z = x", "region", "r", '"name"'),
        ("with checkpoint('r')\nz = x", "syntax", "", '"name"'),
        ("with checkpoint('r'):\nz = x", "indentation", "with checkpoint('r'):", "Indent"),
        ("with checkpoint('r'):", "indentation", "with checkpoint('r'):", "Indent"),
        ("with checkpoint('r', policy='dots'):\n    z = x", "policy", "'dots'", "dots_saveable"),
        ("with checkpoint('r', names=('x',)):\n    z = x", "policy", "('x',)", "save_only_these_names"),
        ("with checkpoint('é'):\n    z = x", "character", "'é'", ""),
        ("# positions: x 0", "positions", " x 0", "x 0 40"),
        ("# positions: x 0 1e9", "positions", " x 0 1e9", "x 0 40"),
    ],
)
def test_what_is_not_in_the_language_is_marked_with_a_hint(line, code, mark, hint):
    problem = only(HEAD + line + "\n")
    assert problem.code == code
    assert marked(problem) == mark
    assert hint in problem.hint + problem.message
    assert problem.line >= 3
    assert problem.message.endswith(".")


def test_a_problem_reads_like_this():
    assert str(only("x = 1.0\n  \ny = 2.0 * sine(x)\n")) == (
        "line 3, column 11: There is no op 'sine'.\ny = 2.0 * sine(x)\n          ^^^^\nDid you mean 'sin'?"
    )


def test_every_independent_mistake_is_reported_in_the_order_of_the_text():
    text = "x = 1.0\na = sinn(x)\nb = x +\nc = a + b\nd = qq\nwith checkpoint('r'):\n    e = x.T\nf = e + c\n"
    assert [problem.line for problem in problems(text)] == [2, 3, 5, 7]


def test_a_missing_bracket_does_not_swallow_the_lines_below():
    assert [(p.line, p.code) for p in problems("x = sin(1.0\ny = x\nz = qq\n")] == [
        (1, "bracket"),
        (3, "unknown-name"),
    ]


def test_a_line_of_very_many_faults_hides_no_mistake_below_it():
    found = problems("x = stack([" + "2x, " * 40 + "\ny = qq\n")
    assert [problem.code for problem in found] == ["number"] * FAULTS + ["unknown-name"]


def test_the_region_of_a_faulty_head_hides_no_mistake_inside_it():
    assert [p.line for p in problems("x = 1.0\nwith chekpoint('r'):\n    y = sinn(x)\nz = y\n")] == [2, 3]


def test_a_name_used_above_its_line_is_told_where_it_gets_its_value():
    assert "line 3" in only("x = 1.0\nz = y + x\ny = 2.0\n").message


def test_a_region_may_not_change_its_policy_when_it_goes_on():
    again = 'with checkpoint("r", policy="dots_saveable"):\n    z = y\n'
    assert only(f'x = 1.0\nwith checkpoint("r"):\n    y = x\n{again}').code == "region"


def test_a_saved_name_that_no_node_has_is_a_problem():
    head = 'with checkpoint("r", policy="save_only_these_names", names=("cost",)):\n'
    problem = only(f"x = 1.0\n{head}    cos_t = cos(x)\n")
    assert problem.code == "unknown-name"
    assert "'cos_t'" in problem.hint


def test_no_text_is_an_empty_graph():
    for text in ("", "\n\n", "# only a note\n"):
        assert parse(text).nodes == ()


def test_a_text_that_is_indented_as_a_whole_is_read():
    assert len(parse("\n    x = 1.0\n    with checkpoint('r'):\n        y = sin(x)\n    z = y\n").nodes) == 3


def test_old_line_ends_and_tabs_are_read():
    graph = parse("x = 1.0\r\nwith checkpoint('r'):\r\n\ty = sin(x)  # a note\r\nz = y\r")
    assert graph.regions[0].nodes == {"y"}


def test_an_input_cannot_be_muted_so_a_bypassed_number_is_a_node_that_has_nothing_to_return():
    node = parse("x = bypass(3.0)\n").nodes[0]
    assert (node.op, node.slots, node.muted) == ("identity", (3.0,), True)
    assert parse("x = stop_gradient(3.0)\n").nodes[0].op == "input"


def test_a_slot_may_be_named():
    assert parse("x = 1.0\nz = clip(x, high=2.0, low=x)\n")["z"].slots == ("x", "x", 2.0)


# Limits. Each text would be slow, or would stop Python's own parser, if it came that far.

DEEP = 30_000
LOOP = "for i in range(32):\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x = " + "1" * 10_000, "line-too-long"),
        ("x = " + "1.0 + \n" * (limits.TEXT // 7) + "1.0", "text-too-long"),
        ("x\n" * (limits.LINES + 1), "text-too-long"),
        ("x = " + "(" * 61 + "1.0" + ")" * 61, "too-deep"),
        ("x = " + "[" * 900 + "1.0" + "]" * 900, "too-deep"),
        ("x = 1.0\ny = " + "sin(" * 61 + "x" + ")" * 61, "too-deep"),
        ("x = 1.0\ny = " + "+".join("x" * 100), "too-deep"),
        ("x = 1.0\ny = (" + "-\n" * DEEP + "x)", "too-deep"),
        ("x = 1.0\ny = (" + "not\n" * (DEEP // 2) + "x)", "too-deep"),
        ("x = 1.0\ny = (" + "x\n**" * (DEEP // 2) + "x)", "too-deep"),
        ("x = 1.0\ny = (" + "x\n+" * (DEEP // 2) + "x)", "too-deep"),
        ("x = 1.0\ny = x" + "[0]" * 500, "too-deep"),
        ("x = 1.0\ny = x" + ".at[0].set(1.0)" * 120, "too-deep"),
        ("x = 1.0\ny = x[" + "-" * 1500 + "1]", "index"),
        ("x = 1.0\ny = x" + ".a" * 500, "not-in-language"),
        ("x = [" + ",\n".join(["1.0"] * 15_000) + "]\ny = x * [[[[[[[1.0]]]]]]]", "literal"),
        ("x = 1.0\nz = rewrite(x, lambda v: (" + "v, " * 201 + "))", "lambda-too-long"),
        ("x = 1.0\nz = stack([" + "x, " * 65 + "])", "arity"),
        ("x = 1.0\n" + "".join(f"y{i} = x\n" for i in range(2_000)), "too-many-nodes"),
        ("x = 1.0\n" + "".join(f"y{i} = cut(sin(x))\n" for i in range(65)), "too-many-cuts"),
        ("2x " * 600 + "\n" + ("2x " * 600 + "\n") * 700, "number"),
        (
            "".join(f"{' ' * i}with checkpoint('r{i}'):\n" for i in range(7)) + " " * 7 + "x = 1.0\n",
            "too-deep",
        ),
        ("".join(f"with checkpoint('r{i}'): x{i} = 1.0\n" for i in range(65)), "region"),
        (("(" * 1999 + "\n") * 840, "too-deep"),
        ((")" * 1999 + "\n") * 840, "bracket"),
        ("# positions: a\n" * 10_000, "positions"),
        ("#\n" * 300_000, "text-too-long"),
    ],
)
def test_a_limit_is_a_clear_problem_and_little_work(text, code):
    assert code in [problem.code for problem in problems(text)]
    assert lines_run(lambda: problems(text)) < 1_200_000


@pytest.mark.parametrize(
    "text",
    [
        LOOP + " 1.0 + 1.0\n" * 250,
        LOOP + " i + 1\n" * 250,
        LOOP + " pass\n" * 250,
        LOOP + "".join(f" h{i} = [{'i, ' * 60}]\n" for i in range(6)),
        LOOP + "".join(f" h{i} = [{'1, ' * 60}]\n" for i in range(6)),
        LOOP + " for j in range(32):\n  pass\n" + " pass\n" * 200,
        "def f(x):\n" + " pass\n" * 200 + " return x\n" + "f(1.0)\n" * 20,
    ],
)
def test_the_copies_of_loops_and_functions_are_limited_as_a_text_is(text, monkeypatch):
    monkeypatch.setattr(limits, "LINES", 265)
    monkeypatch.setattr(limits, "COPIED", 3_000)
    assert "too-many-copies" in [problem.code for problem in problems(text)]
    assert lines_run(lambda: problems(text)) < 250_000


@pytest.mark.nightly
def test_names_numbers_and_signs_are_limited():
    signs = "x = [" + "1,\n" * (limits.TOKENS // 2) + "]\n"
    assert [problem.code for problem in problems(signs)] == ["text-too-long"]


def test_brackets_that_are_too_deep_and_closed_end_their_statement():
    deep = "x = " + "(\n" * 61 + "1.0" + ")\n" * 61 + "y = x\nz = w\n"
    assert [(problem.code, problem.line) for problem in problems(deep)] == [
        ("too-deep", 61),
        ("unknown-name", 124),
    ]


def test_what_is_within_the_limits_is_read():
    column = parse("x = [" + ",\n".join(["[0.5]"] * limits.ELEMENTS) + "]")
    assert column["x"].param("value") == ((0.5,),) * limits.ELEMENTS
    nested = parse("x = 1.0\ny = " + "sin(" * 50 + "x" + ")" * 50)
    assert [node.op for node in nested.nodes].count("sin") == 50
    long = parse("x = [" + ",\n".join(["1.0"] * 15_000) + "]")
    assert long["x"].param("value") == (1.0,) * 15_000


def test_a_long_line_is_cut_around_the_mistake():
    problem = only("x = 1.0\ny = stack([" + "x, " * 40 + "sinn(x)" + ", x" * 20 + "])")
    assert marked(problem) == "sinn"
    assert len(problem.caret) < 300


def _known_and_wrong(known: int, wrong: int) -> str:
    names = "".join(f"name_of_a_value_{i} = 1.0\n" for i in range(known))
    return names + "".join(f"a{i} = nam_of_a_valeu_{i}\n" for i in range(wrong))


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("few", "many"),
    [
        (_known_and_wrong(190, 250), _known_and_wrong(760, 1000)),
        ("(\n" * 2_500, "(\n" * 10_000),
        ("x = )\n" * 1_250, "x = )\n" * 5_000),
    ],
    ids=["unknown names", "opened, never closed", "closed, never opened"],
)
def test_thousands_of_mistakes_are_answered_in_linear_work(few, many):
    assert len(problems(many)) <= 50
    assert lines_run(lambda: problems(many)) < 6 * lines_run(lambda: problems(few))  # 4 were linear


@pytest.mark.parametrize(
    "text", ["", "x", "lambda v: v; lambda v: v", "f = lambda v: v", "lambda v: w", "1.0"]
)
def test_the_inspector_lambda_is_checked(text):
    with pytest.raises(GraphError):
        parse_lambda(text)


@pytest.mark.parametrize("text", ["", "x", "[1.0, [2.0]]", "1.0\n2.0", "'a'", "[]", "-[1.0]"])
def test_the_inspector_literal_is_checked(text):
    with pytest.raises(GraphError):
        parse_literal(text)


# Any text at all

PIECES = st.sampled_from(
    [*"()[]{}:,.=+-*/@<>\"'\\#\n\t ;^%&|~!$?`θ\x00\ud800\x0c\xa0", "\n    ", "**", "...", ":=", "==", "->"]
    + ["x", "y", "z", "v", "1", "2.5", "1e400", "0x1", "x = ", "\ny = ", "lambda v: ", "f'", "'r'", "1if"]
    + ["with checkpoint('r'):\n", "return ", "pass", "import ", "for ", "in ", "if ", "else ", "not ", "None"]
    + [
        "stop_gradient(",
        "rewrite(",
        "custom(",
        "backward_as(",
        "input(",
        "pullback=",
        "axis=",
        "# positions:",
    ]
    + [f"{name}(" for name in OPS]
)


def reads_or_refuses(text: str) -> None:
    graph, found = None, ()
    try:
        graph = parse(text)
    except GraphError as error:
        found = error.problems
    assert all(problem.message and problem.line and str(problem) for problem in found)
    assert found or parse(show(graph)) == graph


@given(st.lists(PIECES, max_size=30).map("".join))
def test_random_pieces_are_read_or_refused(text):
    reads_or_refuses(text)


@given(st.text(max_size=60))
def test_random_letters_are_read_or_refused(text):
    reads_or_refuses(text)


@given(automatic(max_nodes=6), st.data())
def test_a_broken_text_is_read_or_refused(graph, data):
    text = show(graph)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 5)))
        text = text[:start] + data.draw(st.one_of(st.just(""), PIECES)) + text[end:]
    reads_or_refuses(text)


def test_deep_text_is_refused_in_a_thread_too():
    """A page runs in a thread, whose stack may be smaller."""
    refused = []
    deep = ["-" * 1900, "(" * 1900, "x." * 900, "not " * 450, "x[" * 900, "lambda:" * 250, "x**" * 600]

    def run() -> None:
        for middle in deep:
            refused.extend(problems(f"x = 1.0\ny = {middle}x"))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(timeout=20)
    assert len(refused) >= len(deep)


def test_every_op_can_be_written():
    for op in OPS.values():
        arrays = ", ".join(["x"] * len(op.slots))
        node = parse(f"x = 1.0\nz = {op.name}({f'[{arrays}]' if op.variadic else arrays})\n")["z"]
        assert (node.op, node.slots) == (op.name, ("x",) * len(op.slots))


def test_infix_operators_are_those_of_the_catalog():
    for op in OPS.values():
        if op.infix:
            assert parse(f"a = 1.0\nb = 2.0\nz = a {op.infix} b\n")["z"].op == op.name
            assert isinstance(ast.parse(f"a {op.infix} b", mode="eval").body, (ast.BinOp, ast.Compare))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("\u03b8 = 3.0", "The name '\u03b8' has letters or signs that formulas don't use."),
        ("na\u00efve = 1.0", "The name 'na\u00efve' has letters or signs that formulas don't use."),
        ("z = x \u00d7 y", "The character '\u00d7' has letters or signs that formulas don't use."),
    ],
)
def test_a_strange_letter_is_no_name_that_is_not_letters(text, what):
    with pytest.raises(GraphError) as caught:
        parse(text)
    assert caught.value.problems[0].message == what
