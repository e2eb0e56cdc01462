"""Test that steps of a training loop are kept: the first NaN always, and otherwise few of many."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import autodiff_viz as av
from tests.reading.live import stand_in


@pytest.fixture
def torch(monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "torch"]:
        monkeypatch.delitem(sys.modules, name)
    for name, module in stand_in.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    return sys.modules["torch"]


@pytest.fixture
def model(torch):
    made = torch.nn.Linear(1, 1, bias=False)
    made.weight.numbers[...] = 2.0
    return made


def run(watch, model, steps, x=3.0):
    """Train by hand: the loss is log(w x), and each update takes 0.5 from w."""
    for _ in range(steps):
        with np.errstate(all="ignore"):
            loss = np.log(model.weight.numbers.item() * x)
        watch.step(loss, stand_in.Tensor([x]))
        model.weight.numbers -= 0.5


def test_the_step_with_the_first_nan_is_kept_and_opens(model):
    watch = av.watch(model, lambda x: (model.weight * x).log().sum(), every=1_000)
    run(watch, model, 8)
    assert watch.losses[:2] == [pytest.approx(np.log(6.0)), pytest.approx(np.log(4.5))]
    assert watch.first_nan == 4  # w is 0 there
    assert watch.steps == (0, 3, 4)  # with the step before it
    assert watch[3].state["weight"].numbers == 0.5
    assert watch[3].reading().answers()["weight"] == [[2.0]]  # 1 / w, by hand
    trace = av.trace(watch[4].reading().graph)
    assert np.isneginf([one.item() for one in trace.value.values()]).any()
    assert watch[0].reading().answers()["weight"] == [[0.5]]
    assert model.weight.numbers == -2.0  # the model is where it was


def test_few_of_many_steps_are_kept_and_spread_evenly(model):
    watch = av.watch(model, lambda x: x.sum(), keep=4)
    for _ in range(100):
        watch.step(1.0, 2.0)
    assert watch.steps == (0, 32, 64, 96)
    with pytest.raises(av.GraphError, match="Step 5 was not kept"):
        watch[5]


def test_the_step_before_an_error_is_kept(model):
    watch = av.watch(model, lambda x: x.sum(), every=1_000)

    def fail():
        with watch:
            for _ in range(7):
                watch.step(1.0, 2.0)
            raise ValueError

    with pytest.raises(ValueError, match=r"^$"):
        fail()
    assert watch.steps == (0, 6)


def test_inputs_are_kept_as_they_were(model):
    watch = av.watch(model, lambda x: (model.weight * x).sum())
    x = stand_in.Tensor([3.0])
    watch.step(6.0, x)
    x.numbers[...] = 7.0
    assert watch[0].reading().values()["x"] == [3.0]


def test_a_step_that_was_noted_after_its_update_is_refused(model):
    watch = av.watch(model, lambda x: (model.weight * x).sum())
    loss = 6.0
    model.weight.numbers -= 0.5
    watch.step(loss, stand_in.Tensor([3.0]))
    with pytest.raises(av.GraphError, match=r"was 6, and its kept state has 4\.5") as caught:
        watch[0].reading()
    assert "before optimizer.step()" in caught.value.problems[0].hint


def test_of_a_loss_that_draws_it_is_said_that_it_draws(model, torch):
    watch = av.watch(model, lambda x: (model.weight * x * torch.randn(1)).sum())
    watch.step(100.0, stand_in.Tensor([3.0]))
    with pytest.raises(av.GraphError, match="It draws random numbers") as caught:
        watch[0].reading()
    assert "give them to the loss" in caught.value.problems[0].hint


def test_what_cannot_be_watched_is_refused(model):
    for given, code in (((2.0, len), "not-a-module"), ((model, 2.0), "not-a-function")):
        with pytest.raises(av.GraphError) as caught:
            av.watch(*given)
        assert caught.value.problems[0].code == code
