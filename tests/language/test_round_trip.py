"""Test that printed text is read back as the same graph."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_viz.graph.model import Graph, Node, Region, Rule, params
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.literals import show_literal
from autodiff_viz.language.parse import parse, parse_lambda, parse_literal
from autodiff_viz.language.printer import WIDTH, show_lambda
from autodiff_viz.language.show import show
from tests.language.samples import SPECS, automatic
from tests.strategies import LITERALS, graphs
from tests.work import lines_run

X = Node("x", "input", (), params(value=2.0))


def exactly(graph: Graph) -> tuple:
    """The graph with types and signs of zero: 1, 1.0 and True are equal, but not the same."""
    return sorted(map(repr, graph.nodes)), {region.name: region for region in graph.regions}, graph.output


@given(graphs(SPECS, max_nodes=10))
def test_a_graph_is_read_back_as_it_was(graph):
    again = parse(show(graph))
    assert again == graph
    assert exactly(again) == exactly(graph)


@given(automatic(max_nodes=12))
def test_steps_inside_expressions_keep_their_names_rules_regions_and_positions(graph):
    assert exactly(parse(show(graph))) == exactly(graph)


@given(automatic(max_nodes=10))
def test_what_was_read_is_shown_as_it_stood(graph):
    text = show(graph)
    assert show(parse(text)) == text


@given(graphs(SPECS, positions=True))
def test_positions_can_come_from_the_graph_before_the_edit(graph):
    assert parse(show(graph, positions=False), previous=graph) == graph


@given(graphs(SPECS, max_nodes=8, regions=False), st.data())
def test_regions_that_cannot_run_survive_as_text(graph, data):
    names = [node.name for node in graph.nodes]
    sets = data.draw(st.lists(st.sets(st.sampled_from(names)), max_size=3)) if names else []
    wild = Graph(graph.nodes, tuple(Region(f"r{i}", frozenset(s)) for i, s in enumerate(sets)), graph.output)
    assert parse(show(wild)) == wild


@given(LITERALS)
def test_literals_are_read_back_with_their_types(literal):
    assert repr(parse_literal(show_literal(literal))) == repr(literal)


@pytest.mark.parametrize(
    "text",
    [
        "lambda v: 0.5",
        "lambda v: clip(v, -1.0, 1.0)",
        "lambda v, x, y: v * y",
        "lambda v, a, b, y: (v * b, -(v * a) ** 2)",
        "lambda v, x, y: sum(v * x[0, 1:], axis=0)",
        "lambda v: where(v > 0.0, v, 2.0 * v)",
    ],
)
def test_lambdas_are_shown_as_written(text):
    assert show_lambda(parse_lambda(text)) == text


@pytest.mark.parametrize(
    "expression",
    [
        "a - (b - c)",
        "a.at[0].set(b)",
        "(a + b).at[..., 1:3].set(c).at[()].set(1.0)",
        "[1.0, 2.0].at[-1].set(a)",
        "a - b - c",
        "a * (b + c) / a",
        "(a * b) ** c ** a",
        "(a ** b) ** c",
        "-a ** b",
        "(-a) ** b",
        "(-2.0) ** a",
        "a ** -2.0",
        "a ** -b",
        "-a * b",
        "-(a * b)",
        "--a",
        "neg(2.0)",
        "(a + b)[0, 1:3, ..., None]",
        "(-a)[0]",
        "-a[0]",
        "a[0][1]",
        "(a > b) * (b < c)",
        "a + b > b * c",
        "(a > b) > c",
        "a @ b @ c",
        "a @ (b @ c)",
        "2.0 * ... + sin(...)",
        "concatenate([a, [1.0, 2.0], sin(b)], axis=1)",
        "stop_gradient(stop_gradient(a))",
        "stop_gradient(identity(a)) + identity(b)",
        "backward_as(rewrite(round(a), lambda v: v), sin(b)) + 1",
        "custom(a * b, pullback=lambda v, a, b, y: (v * b, v * a))",
        "uniform(shape=(3,), low=0.9, high=1.1, seed=4) * a",
    ],
)
def test_an_expression_is_shown_with_the_brackets_it_needs_and_no_others(expression):
    text = f"a = 1.0\nb = 2.0\nc = 3.0\nz = {expression}\n"
    assert show(parse(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        'x = 10.0\nc = cos(x)\nwith checkpoint("square"):\n    s = c * c\n',
        "x = 2.0\ny = 3.0\nz = sin(sin(sin(x))) + stop_gradient(cos(cos(cos(y))))\n",
        "x = 30.0\na = log(rewrite(x, lambda v: 0.5)) + sin(x)\n",
        "x = input(10.0, low=-5.0, high=5.0)\nw = input(shape=(3, 4), seed=0)\ny = x * w\nreturn x\n",
        "x = stop_gradient(10.0)\ny = x\nz = ...\n",
        "x = [[1.0, 2.0], [3.0, 4.0]]\ny = mean(square(sigmoid(relu(x @ x + 1.0) @ x) - x))\n",
        'x = 1.0\nwith checkpoint("a", policy="dots_saveable"):\n    y = sin(x)\n'
        '    with checkpoint("b"):\n        z = y * y\n',
        'x = 1.0\nwith checkpoint("a", policy="save_only_these_names", names=("y",)):\n'
        "    y = sin(x)\n    z = y * y\n",
        'x = 1.0\nwith checkpoint("a"):\n    ...\n',
        "x = 1.0\ny = sin(x)\n# positions: x 0 40, y 120 40.5\n",
        "",
    ],
)
def test_a_text_in_our_style_is_shown_as_written(text):
    assert show(parse(text)) == text


STOPPED = Rule("stop")


@pytest.mark.parametrize(
    ("nodes", "line"),
    [
        ([Node("y", "identity", ("x",))], "y = x"),
        ([Node("y", "identity", (3.0,))], "y = identity(3.0)"),
        ([Node("y", "identity", ("x",), rule=STOPPED)], "y = stop_gradient(x)"),
        ([Node("y", "identity", (3.0,), rule=STOPPED)], "y = stop_gradient(identity(3.0))"),
        ([Node("y", "input", (), params(value=3.0), STOPPED)], "y = stop_gradient(3.0)"),
        ([Node("y", "cos", ("x",), rule=STOPPED)], "y = stop_gradient(cos(x))"),
        (
            [Node("identity_1", "identity", ("x",), rule=STOPPED), Node("y", "sin", ("identity_1",))],
            "y = sin(stop_gradient(identity(x)))",
        ),
        (
            [
                Node("stop_gradient_1", "identity", ("x",), rule=STOPPED),
                Node("y", "sin", ("stop_gradient_1",)),
            ],
            "y = sin(stop_gradient(x))",
        ),
        (
            [Node("cos_1", "cos", ("x",)), Node("y", "identity", ("cos_1",), rule=STOPPED)],
            "cos_1 = cos(x)\ny = stop_gradient(cos_1)",
        ),
        (
            [Node("cos_1", "cos", ("x",), rule=STOPPED), Node("y", "identity", ("cos_1",), rule=STOPPED)],
            "y = stop_gradient(stop_gradient(cos(x)))",
        ),
        ([Node("cos_1", "cos", ("x",)), Node("y", "identity", ("cos_1",))], "y = identity(cos(x))"),
    ],
)
def test_a_wrapper_round_an_op_and_one_round_a_name_are_told_apart(nodes, line):
    graph = Graph((X, *nodes), (), "y")
    assert show(graph) == f"x = 2.0\n{line}\n"
    assert parse(show(graph)) == graph


def test_a_step_keeps_a_line_of_its_own_when_its_number_could_not_be_given_again():
    graph = Graph((X, Node("sin_2", "sin", ("x",)), Node("y", "cos", ("sin_2",))), (), "y")
    assert show(graph) == "x = 2.0\nsin_2 = sin(x)\ny = cos(sin_2)\n"


def test_steps_with_falling_numbers_are_read_back():
    nodes = (X, Node("sin_2", "sin", ("x",)), Node("sin_1", "sin", ("sin_2",)), Node("y", "exp", ("sin_1",)))
    graph = Graph(nodes, (), "y")
    assert parse(show(graph)) == graph


def test_a_step_in_another_region_than_its_consumer_has_a_line_of_its_own():
    nodes = (X, Node("sin_1", "sin", ("x",)), Node("y", "cos", ("sin_1",)))
    graph = Graph(nodes, (Region("r", frozenset({"sin_1"})),), "y")
    assert show(graph) == 'x = 2.0\nwith checkpoint("r"):\n    sin_1 = sin(x)\ny = cos(sin_1)\n'


def test_the_nodes_of_a_region_stand_together_where_they_can():
    nodes = (X, Node("a", "sin", ("x",)), Node("t", "exp", ("x",)), Node("b", "add", ("a", "t")))
    text = show(Graph(nodes, (Region("r", frozenset({"a", "b"})),), "b"))
    assert text == 'x = 2.0\nt = exp(x)\nwith checkpoint("r"):\n    a = sin(x)\n    b = a + t\n'


@given(automatic(max_nodes=30, rules=False, regions=False, empty=False))
def test_lines_stay_readable(graph):
    lines = show(graph, positions=False).splitlines()
    inside = [line.partition("(")[2] for line in lines if len(line) > WIDTH]
    assert all(" " not in piece for piece in inside)  # ops of long names leave no place to break


@pytest.mark.parametrize(
    ("code", "graph"),
    [
        ("duplicate-name", Graph((X, X), (), "x")),
        ("duplicate-name", Graph((X,), (Region("r", frozenset("x")), Region("r", frozenset())), "x")),
        ("cycle", Graph((Node("a", "sin", ("b",)), Node("b", "sin", ("a",))), (), "a")),
        ("unknown-node", Graph((X,), (Region("r", frozenset({"x", "q"})),), "x")),
    ],
)
def test_a_graph_that_text_cannot_express_is_refused(code, graph):
    with pytest.raises(GraphError) as caught:
        show(graph)
    assert caught.value.problems[0].code == code


def test_a_large_tensor_among_many_steps_is_written_once_and_not_once_for_each_step():
    def work(steps: int) -> int:
        names = [f"sin_{i}" for i in range(1, steps + 1)]
        joined = Node("y", "concatenate", ((1.0,) * 2_000, *names))
        graph = Graph((X, *(Node(name, "sin", ("x",)) for name in names), joined), (), "y")
        assert parse(show(graph)) == graph
        return lines_run(lambda: show(graph))

    assert work(60) < 2 * work(6)  # the tensor is most of it


@pytest.mark.nightly
@pytest.mark.parametrize("stem", ["sin", "y"], ids=["one long chain of steps", "a line for every node"])
def test_two_thousand_nodes_take_linear_work(stem):
    def work(count: int) -> int:
        nodes = [X]
        for i in range(1, count):
            nodes.append(Node(f"{stem}_{i}", "sin", (nodes[-1].name,), (), position=(i * 120.0, 40.0)))
        graph = Graph(tuple(nodes), (), nodes[-1].name)
        assert parse(show(graph)) == graph
        return lines_run(lambda: parse(show(graph)))

    assert work(2000) < 6 * work(500)  # 4 times were linear, 16 quadratic
