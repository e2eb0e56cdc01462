"""Test the public names: documented, annotated, and clear about arguments given by mistake."""

from __future__ import annotations

import inspect
import pickle
import re
from dataclasses import fields, is_dataclass, replace
from functools import cached_property

import numpy as np
import pytest

import autodiff_viz as av
from autodiff_viz.engine.live_path.check import runnable
from autodiff_viz.engine.trace import trace_part


def public(name):
    """What `av` has under a name; `av.lab` is a package that can be called."""
    found = getattr(av, name)
    return found.__call__ if inspect.ismodule(found) else found


FUNCTIONS = [name for name in av.__all__ if inspect.isfunction(public(name))]
RECORDS = [name for name in av.__all__ if is_dataclass(getattr(av, name))]

GRAPH = av.parse("x = 2.0\nw = [1.0, 2.0]\ny = sum(w * sin(x))")
TRACE = av.trace(GRAPH)


def test_every_name_is_there_and_in_order():
    assert list(av.__all__) == sorted(av.__all__)
    assert {*FUNCTIONS, *RECORDS, "GraphError"} == set(av.__all__)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_says_what_it_takes_what_it_gives_and_what_it_raises(name):
    function, text = public(name), inspect.getdoc(public(name)) or ""
    signature = inspect.signature(function)
    given = text.partition("Args:")[2].partition("Returns:")[0]
    assert [p for p in signature.parameters if not re.search(rf"\b{p}\b.*:", given)] == []
    assert "Returns:" in text
    assert ("GraphError:" in text.partition("Raises:")[2]) == bool(
        signature.parameters
    )  # else nothing to refuse
    kinds = [p.annotation for p in signature.parameters.values()]
    assert inspect.Signature.empty not in (*kinds, signature.return_annotation)


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_says_what_each_of_its_fields_is(name):
    record = getattr(av, name)
    text = inspect.getdoc(record) or ""
    assert not text.startswith(f"{name}(")  # what dataclass writes by itself
    assert [field.name for field in fields(record) if not re.search(rf"\b{field.name}\b", text)] == []
    properties = [member for member in vars(record).values() if isinstance(member, property)]
    assert [p.fget.__name__ for p in properties if not (p.__doc__ or p.fget.__name__.startswith("_"))] == []


ASKED = av.Question("number", av.Quantity("cotangent", "x"))
WRONG = [
    (av.trace, ("x = 1.0",), "not-a-graph"),
    (av.trace, (None,), "not-a-graph"),
    (av.trace, (av.Graph(),), "no-output"),
    (av.trace, (GRAPH, [2.0]), "bad-input"),
    (av.trace, (GRAPH, {"x": "2.0"}), "bad-input"),
    (av.trace, (GRAPH, {"x": None}), "bad-input"),
    (av.trace, (GRAPH, {"x": np.array([1j])}), "bad-input"),
    (av.trace, (GRAPH, {"x": 1e300}), "bad-input"),
    (av.trace, (GRAPH, {"x": 10**400}), "bad-input"),
    (av.trace, (GRAPH, {"y": 1.0}), "unknown-input"),
    (av.trace, (GRAPH, None, "1"), "seed-shape"),
    (av.trace, (GRAPH, None, 1e300), "seed-shape"),
    (av.trace, (GRAPH, None, [1.0, 2.0]), "seed-shape"),
    (av.train, ("w = parameter(1.0)",), "not-a-graph"),
    (av.segments, ("h = cut(x)",), "not-a-graph"),
    (av.train_by_segments, (TRACE,), "not-a-graph"),
    (av.verify, (GRAPH,), "not-a-trace"),
    (av.check_inputs, (GRAPH,), "not-a-trace"),
    (av.check_node, (GRAPH, "y"), "not-a-trace"),
    (av.check_node, (TRACE, "nowhere"), "unknown-node"),
    (av.jvp, ("x = 1.0", {"x": 1.0}), "not-a-graph"),
    (av.jvp, (GRAPH, 1.0), "bad-direction"),
    (av.jvp, (GRAPH, {"y": 1.0}), "unknown-input"),
    (av.jvp, (TRACE, {"w": [1.0, 2.0, 3.0]}), "tangent-shape"),
    (av.jvp, (TRACE, {"x": "1"}), "tangent-shape"),
    (av.verify_tangents, (TRACE,), "not-tangents"),
    (av.jacobian, (GRAPH,), "not-a-trace"),
    (av.jacobian, (TRACE, "nowhere"), "unknown-node"),
    (av.jacobian, (TRACE, ["x", "x"]), "bad-columns"),
    (av.jacobian, (TRACE, []), "bad-columns"),
    (av.rule_check, (GRAPH, "y"), "not-a-trace"),
    (av.rule_check, (TRACE, "nowhere"), "unknown-node"),
    (av.sweep, (GRAPH, "x", [1.0]), "not-a-trace"),
    (av.sweep, (TRACE, "w", [1.0]), "not-scalar"),
    (av.sweep, (TRACE, "nowhere", [1.0]), "not-scalar"),
    (av.sweep, (TRACE, "x", "1.0"), "bad-positions"),
    (av.sweep, (TRACE, "x", None), "bad-positions"),
    (av.sweep, (TRACE, "x", [1e300]), "bad-positions"),
    (av.sweep, (TRACE, "x", 1.0), "sweep-size"),
    (av.sweep, (TRACE, "x", []), "sweep-size"),
    (av.problems, ("x = 1.0",), "not-a-graph"),
    (av.problems, (GRAPH, {"x": 2}), "bad-shape"),
    (av.problems, (GRAPH, {"x": np.ones(2)}), "bad-shape"),
    (av.problems, (GRAPH, {"nowhere": (2,)}), "unknown-input"),
    (av.parse, (None,), "not-a-text"),
    (av.parse, (b"x = 1.0",), "not-a-text"),
    (av.parse, (GRAPH,), "not-a-text"),
    (av.show, ("x = 1.0",), "not-a-graph"),
    (av.to_json, ({"nodes": []},), "not-a-graph"),
    (av.from_json, ({"nodes": []},), "not-a-text"),
    (av.from_json, (None,), "not-a-text"),
    (av.to_link, ("x = 1.0",), "not-a-graph"),
    (av.tour_to_json, (GRAPH,), "not-a-tour"),
    (av.tour_to_json, (av.Tour(title="T"), -1), "bad-number"),
    (av.tour_to_link, ("T",), "not-a-tour"),
    (av.tour_to_link, (av.Tour(title="T"), 1), "bad-number"),
    (av.read_tour, (None,), "not-a-text"),
    (av.read_tour, ("T",), "link-damaged"),
    (av.from_link, (None,), "not-a-text"),
    (av.to_python, ("x = 1.0",), "not-a-graph"),
    (av.to_python, (av.Graph(),), "no-output"),
    (av.to_python, (GRAPH, "1"), "seed-shape"),
    (av.from_function, (GRAPH, 1.0), "not-a-function"),
    (av.from_function, (lambda x: x, np.ones(70_000)), "too-large"),
    (av.from_function, (lambda x: 1.0 if x > 0 else x, 2.0), "not-traced"),
    (av.from_function, (lambda x: x, np.nan), "bad-input"),
    (av.from_function, (lambda x: None, 2.0), "no-output"),
    (av.from_torch, (lambda x: x, 2.0), "no-torch"),  # which is not installed where the tests run
    (av.watch, (2.0, len), "not-a-module"),
    (av.lab, (2.0,), "not-a-graph"),
    (av.lab, ("no link",), "link-damaged"),
    (av.judge, (GRAPH, ASKED, "1"), "not-a-trace"),
    (av.judge, (TRACE, "x", "1"), "bad-question"),
    (av.judge, (TRACE, av.Question("number", av.Quantity("cotangent", "nowhere")), "1"), "unknown-node"),
    (av.judge, (TRACE, ASKED, "one"), "unread-answer"),
    (av.judge, (TRACE, ASKED, 1.0), "not-a-text"),
    # A number or an array in the place of a kind, and the other way round.
    (av.statistics, (GRAPH, 2.0), "bad-number"),
    (av.check_node, (TRACE, ["y"]), "unknown-node"),
    (av.check_node, (TRACE, np.array("y")), "unknown-node"),
    (av.jacobian, (TRACE, np.array(2)), "bad-columns"),
    (av.jacobian, (TRACE, 2), "bad-columns"),
    (av.problems, (GRAPH, 0), "bad-shape"),
    (av.problems, (GRAPH, [2]), "bad-shape"),
    (av.to_json, (GRAPH, "1"), "bad-number"),  # json.dumps would write what is no JSON
    (av.to_json, (GRAPH, -1), "bad-number"),
    (av.to_link, (GRAPH, float("nan")), "bad-number"),
    (av.from_link, (av.to_link(GRAPH), "9"), "bad-number"),
]


@pytest.mark.parametrize(("function", "given", "code"), WRONG)
def test_a_mistake_of_the_caller_is_a_problem(function, given, code):
    with pytest.raises(av.GraphError) as caught:
        function(*given)
    assert [problem.code for problem in caught.value.problems] == [code]
    assert caught.value.problems[0].message


def test_a_dtype_written_as_numpy_does_is_the_same_dtype():
    assert av.to_python(GRAPH, dtype=np.float64) == av.to_python(GRAPH, dtype="float64")
    found = av.trace(GRAPH, dtype=np.dtype("float64"))
    assert found.value["y"].dtype == np.float64
    assert av.verify(found) == av.verify(av.trace(GRAPH, dtype="float64"))


@pytest.mark.parametrize(
    "given", [np.float32(2), np.float64(1), np.ones(2), TRACE, [], [None], None, True, "float8"], ids=str
)
@pytest.mark.parametrize("function", [av.trace, av.to_python, av.statistics, av.segments])
def test_a_number_or_an_array_is_no_dtype(function, given):
    """NumPy reads a dtype off them."""
    with pytest.raises(av.GraphError, match=r"The dtype is .*; it must be 'float32', ") as caught:
        function(GRAPH, dtype=given)
    assert [problem.code for problem in caught.value.problems] == ["bad-dtype"]


@pytest.mark.parametrize(
    "around", ["http://localhost:8501/?g={}", "https://x.example/lab?sel=y&g={}&dtype=a#b", " {}\n"]
)
def test_a_link_is_read_out_of_the_address_that_was_copied(around):
    assert av.from_link(around.format(av.to_link(GRAPH))) == GRAPH


def test_a_trace_is_data_that_can_be_compared_and_sent():
    assert av.trace(GRAPH) == TRACE
    assert av.trace(GRAPH, {"x": 2.5}) != TRACE
    stopped = av.trace(av.parse("x = 2.0\nu = [1.0, 3.0]\ny = stop_gradient(x) * sum(u)"))
    again = pickle.loads(pickle.dumps(stopped))
    assert again == stopped
    assert float(again.gradient["x"]) == 0.0
    assert again.cotangent.is_symbolic_zero("x")
    np.testing.assert_array_equal(again.cotangent["u"], [2.0, 2.0])
    trained = pickle.loads(pickle.dumps(av.train(av.parse("w = parameter(3.0)\nloss = w * w"))))
    assert float(trained.at(0).gradient["w"]) == 6.0


def test_a_trace_is_told_in_a_line():
    assert repr(TRACE) == "<Trace of y by x, w: 5 nodes in float32>"


# A trace without an output: of a part of a graph, of an empty graph, or made by hand.


NUMBERS = av.parse("x = 0.0\nw = 2.0\nn = log(x)\ny = n * w")
UNWIRED = replace(NUMBERS, nodes=(*NUMBERS.nodes, av.Node("z", "sin", (None,))), output="z")
WITHOUT_OUTPUT = {
    "its output has an open slot": trace_part(runnable(UNWIRED, av.problems(UNWIRED))),
    "no node is chosen": trace_part(replace(NUMBERS, output=None)),
    "no node": trace_part(av.Graph()),
    "the output is no node": replace(av.trace(NUMBERS), output="z"),
    "nothing was pulled back": replace(av.trace(NUMBERS), cotangent={}, passed={}, gradient={}),
}
OF_A_TRACE = {
    name: [key for key, p in signature.parameters.items() if re.search(r"\bTrace\b", str(p.annotation))]
    for name in FUNCTIONS
    if (signature := inspect.signature(getattr(av, name)))
    if any(re.search(r"\bTrace\b", str(p.annotation)) for p in signature.parameters.values())
}
"""By function, its parameters that are traces."""
BESIDE = {"question": ASKED, "answer": "1", "name": "w", "positions": [1.0, 2.0], "directions": {"w": 1.0}}
"""What is given for parameters without a default."""
FORWARD_ALONE = {
    "jvp": lambda tangents: float(tangents.tangent["w"]) == 1.0 and tangents.balance is None,
    "lints": lambda hints: hints == (),
    "nonfinite_origin": lambda origin: origin.forward == "n" and origin.cure is None,
}
"""Functions that have an answer without an output, with what it is for `NUMBERS`."""


@pytest.mark.parametrize("why", WITHOUT_OUTPUT)
@pytest.mark.parametrize("name", OF_A_TRACE)
def test_a_function_of_a_trace_says_that_there_is_no_output(name, why):
    function, found = getattr(av, name), WITHOUT_OUTPUT[why]
    parameters = inspect.signature(function).parameters
    given = {key: BESIDE[key] for key, p in parameters.items() if p.default is p.empty and key in BESIDE}
    given |= dict.fromkeys(OF_A_TRACE[name], found)
    if name in FORWARD_ALONE:
        assert not found.graph.nodes or FORWARD_ALONE[name](function(**given))
        return
    with pytest.raises(av.GraphError) as caught:
        function(**given)
    (problem,) = caught.value.problems
    assert problem.code == "no-output"
    assert problem.message
    assert problem.hint


def test_where_values_stop_being_finite_is_said_without_an_output_and_nothing_of_gradients():
    for found in (found for found in WITHOUT_OUTPUT.values() if found.graph.nodes):
        assert av.nonfinite_origin(found).sentence.startswith("'n' is log(0) = −∞.")
        assert "radient" not in av.nonfinite_origin(found).sentence


def test_an_empty_graph_has_no_hints_no_origin_and_no_tangents():
    empty = WITHOUT_OUTPUT["no node"]
    assert av.lints(empty) == ()
    assert av.nonfinite_origin(empty) is None
    assert dict(av.jvp(empty, {}).tangent) == {}


@pytest.mark.parametrize("why", WITHOUT_OUTPUT)
def test_tangents_without_an_output_are_not_verified(why):
    found = WITHOUT_OUTPUT[why]
    tangents = av.jvp(found, {"w": 1.0} if found.graph.nodes else {})
    assert tangents.balance is None
    with pytest.raises(av.GraphError) as caught:
        av.verify_tangents(tangents)
    assert [problem.code for problem in caught.value.problems] == ["no-output"]


@pytest.mark.parametrize("why", WITHOUT_OUTPUT)
def test_a_trace_without_an_output_refuses_what_the_whole_program_would_say(why):
    found = WITHOUT_OUTPUT[why]
    public = [name for name, member in vars(av.Trace).items() if isinstance(member, cached_property)]
    assert {"runs", "residuals", "notes"} <= {*public}
    for name in public:
        if name in ("runs", "residuals"):
            with pytest.raises(av.GraphError) as caught:
                getattr(found, name)
            assert [problem.code for problem in caught.value.problems] == ["no-output"]
        else:
            getattr(found, name)
    assert repr(found)
    found._repr_mimebundle_()
