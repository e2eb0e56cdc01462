"""Test a training whose steps can be restored, under rules that changed on the way."""

import numpy as np
import pytest

from autodiff_viz.graph import limits
from autodiff_viz.graph.edits import with_rule
from autodiff_viz.graph.model import Rule
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse
from autodiff_viz.training.course import (
    SNAPSHOTS,
    further,
    phase_at,
    records,
    start,
    state_at,
    trace_at,
    upto,
)
from autodiff_viz.training.state import Settings
from autodiff_viz.training.updates import advance, begin

GRAPH = parse("""x = input(shape=(6, 2), seed=1)
w = parameter(shape=(2, 3), seed=2)
b = parameter(shape=(3,))
h = tanh(dense(x, w, b))
loss = mean_squared_error(h, 0.5)""")
STOPPED = with_rule(GRAPH, "w", Rule("stop"))
ADAM = Settings("adam", 0.05)


def trained(*steps):
    course = start(GRAPH, ADAM)
    for graph, count in steps:
        course = further(course, graph, ADAM, count)
    return course


def by_hand(*steps):
    """The state after every step, made one by one."""
    states = [begin(GRAPH, ADAM)]
    for graph, count in steps:
        for _ in range(count):
            states.append(advance(graph, states[-1], 1, ADAM)[0])
    return states


def test_every_past_step_comes_back_as_it_was():
    plan = [(GRAPH, 5), (STOPPED, 4), (GRAPH, 3)]
    course, states = trained(*plan), by_hand(*plan)
    for step, wanted in enumerate(states):
        found = state_at(course, step)
        for name in wanted.parameters:
            np.testing.assert_array_equal(found.parameters[name], wanted.parameters[name])


def test_numbers_of_a_step_are_those_that_were_recorded():
    course = trained((GRAPH, 5), (STOPPED, 4))
    for step in (0, 4, 5, 8):
        found = trace_at(course, step)
        np.testing.assert_allclose(found.value["loss"], records(course).loss[step], rtol=1e-6)
    assert trace_at(course, 8).graph == STOPPED
    assert trace_at(course, 4).graph == GRAPH


@pytest.mark.parametrize("step", [0, 3, 5, 7, 9, 12])
def test_a_course_without_its_later_steps_goes_on_as_if_they_had_never_been(step):
    plan = [(GRAPH, 5), (STOPPED, 4), (GRAPH, 3)]
    cut = upto(trained(*plan), step)
    made = records(cut)
    assert (len(cut), 0 if made is None else len(made)) == (step, step)
    states = [*by_hand(*plan)[: step + 1]]
    for _ in range(2):
        states.append(advance(STOPPED, states[-1], 1, ADAM)[0])
    again = further(cut, STOPPED, ADAM, 2)
    for at in (0, step, step + 2):
        for name, wanted in states[at].parameters.items():
            np.testing.assert_array_equal(state_at(again, at).parameters[name], wanted)
    losses = [trace_at(again, at).value["loss"] for at in range(step + 2)]
    np.testing.assert_allclose(records(again).loss, losses, rtol=1e-6)


def test_steps_made_one_by_one_are_kept_in_few_pieces():
    course = start(GRAPH, ADAM)
    for _ in range(100):
        course = further(course, GRAPH, ADAM, 1)
    assert len(course.chunks) <= 8
    assert len(course.snapshots) <= SNAPSHOTS
    assert course.snapshots[0].step == 0
    assert len(records(course)) == len(course) == 100


def test_memory_of_a_course_does_not_grow_with_tensors():
    """Of every step there are a few numbers per node, however large its tensors are."""
    wide = parse("w = parameter(shape=(100, 100))\nh = tanh(w)\nloss = mean(h)")
    course = further(start(wide, ADAM), wide, ADAM, 50)
    kept = records(course)
    sizes = [getattr(kept, field).size for field in ("loss", "value", "cotangent", "dead", "ratio")]
    assert sum(sizes) == 50 * (1 + 3 * 3 + 1)


def test_a_new_phase_begins_only_where_something_changed():
    course = trained((GRAPH, 2), (GRAPH, 2), (STOPPED, 2))
    assert [phase.first for phase in course.phases] == [0, 4]
    assert phase_at(course, 3).graph == GRAPH
    assert phase_at(course, 4).graph == STOPPED


def test_a_node_that_came_later_has_no_numbers_before():
    longer = parse(GRAPH_TEXT_WITH_SCALE)
    course = further(trained((GRAPH, 2)), longer, ADAM, 2)
    found = records(course)
    column = found.nodes.index("half")
    assert np.isnan(found.value[:2, column]).all()
    assert np.isfinite(found.value[2:, column]).all()


GRAPH_TEXT_WITH_SCALE = """x = input(shape=(6, 2), seed=1)
w = parameter(shape=(2, 3), seed=2)
b = parameter(shape=(3,))
h = tanh(dense(x, w, b))
half = h * 0.5
loss = mean_squared_error(half, 0.5)"""


def test_other_parameters_need_a_reset():
    other = parse("v = parameter(1.0)\nloss = v * v")
    with pytest.raises(GraphError) as caught:
        further(trained((GRAPH, 1)), other, ADAM, 1)
    assert caught.value.problems[0].code == "other-parameters"


def test_steps_have_a_limit(monkeypatch):
    monkeypatch.setattr(limits, "STEPS", 3)
    course = trained((GRAPH, 10))
    assert len(course) == 3
    with pytest.raises(GraphError) as caught:
        further(course, GRAPH, ADAM, 1)
    assert caught.value.problems[0].code == "too-many-steps"


@pytest.mark.parametrize("step", [-1, 3])
def test_there_is_no_step_outside_the_course(step):
    with pytest.raises(IndexError):
        state_at(trained((GRAPH, 2)), step)
