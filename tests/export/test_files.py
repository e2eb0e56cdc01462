"""Test the exported file itself: names, layout, what it prints, what is refused."""

import ast
from dataclasses import replace

import numpy as np
import pytest

from autodiff_viz.export.expressions import OWN
from autodiff_viz.export.footer import HEAD
from autodiff_viz.export.python_source import to_python
from autodiff_viz.export.rule_functions import WIDTH
from autodiff_viz.graph import limits
from autodiff_viz.graph.model import INPUT, Call, Graph, Group, Lambda, Node, Region, Rule, params
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.rule_kinds import REWRITE
from autodiff_viz.language.parse import parse
from autodiff_viz.lessons.evaluate import graph_of
from autodiff_viz.lessons.gallery import LESSONS
from tests.export.programs import assert_same, check, run_alone, run_here

VARIANTS = [variant for lesson in LESSONS for variant in lesson.steps]


@pytest.mark.nightly
def test_lessons_agree_in_a_process_without_the_lab(tmp_path):
    sources = [to_python(graph_of(variant), variant.seed) for variant in VARIANTS]
    results = run_alone(sources, tmp_path)
    for variant, found in zip(VARIANTS, results, strict=True):
        assert_same(graph_of(variant), found, variant.seed)


def test_the_published_numbers_are_printed():
    graph = parse('x = 10.0\nc = cos(x)\nwith checkpoint("square"):\n    s = c * c')
    assert run_here(to_python(graph))[2] == "s = 0.704041\ngradient of x = -0.9129453\n"


def test_the_program_reads_as_one_would_write_it():
    text = (
        'x = 10.0\nc = cos(x)\nwith checkpoint("square"):\n    s = c * c\nz = stop_gradient(exp(sin(s))) + s'
    )
    source = to_python(parse(text))
    assert (
        source[source.index("def forward") : source.index("\n\n\nif __name__")]
        == """\
def forward(x):
    c = jnp.cos(x)

    @jax.checkpoint
    def square(c):
        s = c * c
        return s

    s = square(c)
    z = jax.lax.stop_gradient(jnp.exp(jnp.sin(s))) + s
    return z"""
    )


def test_a_cut_is_a_line_of_its_own_and_a_comment():
    source = check(parse("x = 2.0\na = exp(cut(sin(x)))\nz = cut(a * x) + 1.0"))
    assert "    sin_1 = jnp.sin(x)\n    # cut: a segment ends at sin_1\n" in source


def test_a_declared_pullback_keeps_only_what_it_reads():
    source = to_python(parse("x = 3.0\ny = custom(exp(x), pullback=lambda v, x, y: v * y)"))
    assert "return y, (y,)" in source


def test_only_what_is_used_is_imported():
    source = to_python(parse("x = 3.0\ny = exp(x)"))
    imported = [line for line in source.splitlines() if "import" in line]
    assert imported == ["import jax", "import jax.numpy as jnp"]


def test_what_the_output_does_not_depend_on_is_left_out_but_for_inputs():
    source = check(parse("x = 3.0\nq = 2.0\nr = exp(q)\ny = sin(x)\nreturn y"))
    assert "def forward(x, q):" in source
    assert "r =" not in source.partition(HEAD)[0]  # the formula below says all


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("seed", [None, -2.5, [0.0, 1.0, 0.1], np.float32(3.0)], ids=str)
def test_the_seed_and_the_precision_are_the_labs(seed, dtype):
    check(parse("x = [1.0, 2.0, 3.0]\nw = input(shape=(3,), seed=2)\ny = w * x * x"), seed, dtype)


def test_a_graph_without_inputs_runs():
    check(parse("y = exp(2.0)"))


@pytest.mark.parametrize("name", sorted(OWN | {"sum", "match", "list", "x_rule", "self", "x_rule_fwd"}))
def test_a_name_may_be_one_that_the_program_or_python_uses(name):
    node = Node(name, "exp", ("x",), (), Rule(REWRITE, Lambda((name,), (Call("mul", (name, name)),))))
    again = Node(f"{name}_", "mul", (name, "x"))
    given = Node("x", INPUT, (), params(value=2.0), Rule(REWRITE, Lambda(("jnp",), (Call("neg", ("jnp",)),))))
    region = Region(name, frozenset({name}))
    check(Graph((given, node, again), (region,), f"{name}_"))
    check(Graph((replace(given, name=name), replace(again, slots=(name, name))), (), f"{name}_"))


@pytest.mark.parametrize("title", ["a", "2 b.c-d", "__debug__", "for", "None", "_", "x y", "forward"])
def test_a_region_may_have_any_title(title):
    check(parse(f'x = 2.0\nwith checkpoint("{title}"):\n    a = sin(x)\n    y = a * a'))


def test_regions_whose_titles_give_the_same_name_stay_apart():
    check(parse('x = 2.0\nwith checkpoint("a b"):\n    p = sin(x)\nwith checkpoint("a-b"):\n    y = p * p'))


def test_what_comes_from_a_file_never_becomes_code():
    evil = '"); print("evil"); ("'
    nodes = (Node("x", INPUT, (), params(value=(1.0, 2.0))), Node("y", "sum", ("x",), params(keepdims=evil)))
    tree = ast.parse(to_python(Graph(nodes, (), "y")))
    assert [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and node.value == evil]


def test_lines_are_short_where_python_lets_them_be_broken():
    rows = ", ".join(["[" + ", ".join(["1.25"] * 30) + "]"] * 4)
    sums = " + ".join(f"sin(x * {i}.0)" for i in range(30))
    source = check(parse(f"x = [{rows}]\nz = {sums}"))
    assert max(map(len, source.splitlines())) <= WIDTH + 10


def test_the_longest_function_of_a_rule_is_written_in_steps():
    term = "v"
    for _ in range(limits.LAMBDA_TERMS - 1):
        term = Call("sin", (term,))
    node = Node("y", "exp", ("x",), (), Rule(REWRITE, Lambda(("v",), (term,))))
    source = check(Graph((Node("x", INPUT, (), params(value=1.0)), node), (), "y"))
    assert "step_2 = " in source


def test_a_long_chain_can_be_exported():
    chain = [Node(f"sin_{i}", "sin", (f"sin_{i - 1}" if i > 1 else "x",)) for i in range(1, 400)]
    source = to_python(Graph((Node("x", INPUT, (), params(value=1.0)), *chain), (), "sin_399"))
    assert ast.parse(source)
    assert source.count("jnp.sin") == 399


@pytest.mark.parametrize(
    ("graph", "code"),
    [
        (Graph(), "no-output"),
        (Graph((Node("y", "exp", (None,)),), (), "y"), "empty-slot"),
        (Graph((Node("y; import os", "exp", (1.0,)),), (), "y; import os"), "bad-name"),
        (Graph((Node("y", "exp", (1.0,)),), (Region('"', frozenset({"y"})),), "y"), "bad-name"),
        (Graph((Node("y", "nothing", (1.0,)),), (), "y"), "unknown-op"),
    ],
)
def test_a_graph_with_problems_is_refused(graph, code):
    with pytest.raises(GraphError) as caught:
        to_python(graph)
    assert code in {problem.code for problem in caught.value.problems}


def test_a_seed_that_does_not_fit_is_refused():
    with pytest.raises(GraphError, match="seed does not fit"):
        to_python(parse("x = [1.0, 2.0]\ny = x * x"), [1.0, 2.0, 3.0])


def test_groups_are_sections_named_in_comments():
    text = """x = 0.5
with group("layer 1"):
    a = sin(x)
    with checkpoint("r"):
        b = exp(a)
with group("last"):
    z = b * x
"""
    source = to_python(parse(text))
    assert (
        source[source.index("def forward") : source.index("\n\n\nif __name__")]
        == """\
def forward(x):
    # group "layer 1"
    a = jnp.sin(x)

    @jax.checkpoint
    def r(a):
        b = jnp.exp(a)
        return b

    b = r(a)

    # group "last"
    z = b * x

    return z"""
    )
    check(parse(text))


def test_branches_are_sections_one_inside_the_other():
    text = """x = 0.5
with branches("gate"):
    with group("gate_1"):
        a_1 = exp(sin(x))
    with group("gate_2"):
        a_2 = exp(cos(x))
z = a_1 * 0.25 + a_2 * 0.75
"""
    source = check(parse(text))
    assert (
        source[source.index("def forward") : source.index("\n\n\nif __name__")]
        == """\
def forward(x):
    # branches "gate"
    # group "gate_1"
    a_1 = jnp.exp(jnp.sin(x))

    # group "gate_2"
    a_2 = jnp.exp(jnp.cos(x))

    z = a_1 * 0.25 + a_2 * 0.75
    return z"""
    )


def test_a_group_that_is_not_in_one_piece_is_left_out():
    graph = parse("x = 0.5\na = sin(x)\nb = exp(a)\nz = b * a\n")
    split = replace(graph, groups=(Group("g", frozenset("az")),))
    assert to_python(split).partition(HEAD)[0] == to_python(graph).partition(HEAD)[0]


def test_a_node_that_an_inner_gradient_reads_has_a_line_of_its_own():
    """b = x w sin(x): its slope by w is x sin(x), whose slope by x is sin(x) + x cos(x)."""
    graph = parse("x = 0.6\nw = 0.4\na = w * sin(x)\nb = x * a\ng = grad(b, w)\nh = grad(g, x)")
    value, gradients, _ = run_here(to_python(graph, dtype="float64"))
    np.testing.assert_allclose(value, np.sin(0.6) + 0.6 * np.cos(0.6), rtol=1e-12)
    np.testing.assert_allclose(gradients[0], 2.0 * np.cos(0.6) - 0.6 * np.sin(0.6), rtol=1e-12)
    assert gradients[1] == 0.0
