"""Test parameters that come and go during a training, against steps of Optax made by hand."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from autodiff_viz.branches.resize import grown
from autodiff_viz.branches.train_one import tuned
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse
from autodiff_viz.training.course import further, records, start, state_at, trace_at
from autodiff_viz.training.state import Settings, carried
from autodiff_viz.training.updates import advance, begin

ONE = "a = parameter([1.0, -2.0])\nloss = sum(square(a))"
TWO = "a = parameter([1.0, -2.0])\nb = parameter([3.0])\nloss = sum(square(a)) + sum(square(b)) * 0.5"
OPTIMISERS = {
    "momentum": optax.sgd(0.1, momentum=0.9),
    "adam": optax.adam(0.1),
}


def by_hand(optimiser, value, slope, steps):
    """The parameter after each of `steps` steps of its own optimiser, with the gradient `slope * value`."""
    value = jnp.asarray(value)
    state, found = optimiser.init(value), [value]
    for _ in range(steps):
        with jax.numpy_dtype_promotion("standard"):
            update, state = optimiser.update(slope * value, state, value)
        value = optax.apply_updates(value, update)
        found.append(value)
    return found


@pytest.mark.parametrize("name", OPTIMISERS)
def test_a_parameter_that_comes_later_begins_as_at_step_0_and_the_others_go_on(name):
    settings = Settings(name, 0.1)
    course = further(start(parse(ONE), settings), parse(ONE), settings, 4)
    course = further(course, parse(TWO), settings, 3)
    a, b = by_hand(OPTIMISERS[name], [1.0, -2.0], 2.0, 7), by_hand(OPTIMISERS[name], [3.0], 1.0, 3)
    np.testing.assert_allclose(course.state.parameters["a"], a[7], rtol=1e-6)
    np.testing.assert_allclose(course.state.parameters["b"], b[3], rtol=1e-6)
    for step in range(4, 8):
        np.testing.assert_allclose(state_at(course, step).parameters["b"], b[step - 4], rtol=1e-6)
    assert "b" not in state_at(course, 3).parameters
    np.testing.assert_allclose(trace_at(course, 4).value["b"], [3.0])
    kept = records(course)
    assert np.isnan(kept.ratio[:4, kept.parameters.index("b")]).all()
    assert np.isfinite(kept.ratio[4:]).all()


def test_a_parameter_that_goes_takes_its_momentum_with_it():
    settings = Settings("momentum", 0.1)
    course = further(start(parse(TWO), settings), parse(TWO), settings, 4)
    course = further(course, parse(ONE), settings, 2)
    assert set(course.state.parameters) == set(course.state.optimiser) == {"a"}
    wanted = by_hand(OPTIMISERS["momentum"], [1.0, -2.0], 2.0, 6)
    np.testing.assert_allclose(course.state.parameters["a"], wanted[6], rtol=1e-6)
    course = further(course, parse(TWO), settings, 1)
    np.testing.assert_allclose(course.state.parameters["b"], [3.0 - 0.1 * 3.0], rtol=1e-6)


def test_a_longer_parameter_keeps_the_numbers_that_it_had():
    settings = Settings("momentum", 0.1)
    longer = parse(ONE.replace("-2.0]", "-2.0, 5.0]"))
    state, _ = advance(parse(ONE), begin(parse(ONE), settings), 3, settings)
    state, _ = advance(longer, state, 1, settings)
    old, new = by_hand(OPTIMISERS["momentum"], [1.0, -2.0], 2.0, 4), 5.0 - 0.1 * 2.0 * 5.0
    np.testing.assert_allclose(state.parameters["a"], [*old[4], new], rtol=1e-6)


def test_another_shape_altogether_needs_a_reset():
    wide = parse("a = parameter([[1.0, -2.0], [1.0, 1.0]])\nloss = sum(square(a))")
    with pytest.raises(GraphError) as caught:
        carried(wide, begin(parse(ONE), Settings()), Settings())
    assert caught.value.problems[0].code == "other-parameters"


GATE = """x = [1.0, 2.0]
p = parameter([0.5, 0.5])
with branches("gate"):
    with group("gate_1"):
        w_1 = parameter([0.3, 0.1])
        o_1 = w_1 * x
    with group("gate_2"):
        w_2 = parameter(shape=(2, 1), seed=1)
        o_2 = reshape(w_2, (2,)) * x
loss = mean(square(p @ stack([o_1, o_2]) - 3.0))
"""


@pytest.mark.nightly
def test_the_new_branch_alone_is_trained_and_the_others_keep_their_weights():
    graph, settings = parse(GATE), Settings("momentum", 0.05)
    course = further(start(graph, settings), graph, settings, 3)
    learned = course.state.parameters
    more = grown(graph, "gate")
    course = further(course, tuned(more, "gate", "gate_3"), settings, 3)
    after = course.state.parameters
    for kept in ("w_1", "w_2"):
        np.testing.assert_array_equal(after[kept], learned[kept])
    assert np.abs(after["w_3"] - begin(more, settings).parameters["w_3"]).max() > 1e-2
    assert after["p"].shape == (3,)
    course = further(course, more, settings, 1)
    assert np.abs(course.state.parameters["w_1"] - learned["w_1"]).max() > 1e-3
    course = further(course, graph, settings, 1)
    assert set(course.state.parameters) == set(learned)
    assert course.state.parameters["p"].shape == (2,)
