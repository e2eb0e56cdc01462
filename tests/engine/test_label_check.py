"""Test that labels which name no class are found."""

from __future__ import annotations

import pytest

from autodiff_viz.engine.trace import strays, trace
from autodiff_viz.language.parse import parse


def found(labels: str):
    text = f"z = [[1.0, 2.0], [3.0, 4.0], [0.0, 0.0]]\nk = {labels}\n"
    return tuple(strays(trace(parse(text + "L = mean(softmax_cross_entropy_with_integer_labels(z, k))"))))


@pytest.mark.parametrize(("labels", "wrong"), [("[0.0, 2.0, 0.9]", ()), ("[3.0, -1.0]", (-1.0, 3.0))])
def test_a_class_that_one_hot_does_not_have_is_found(labels, wrong):
    strayed = tuple(strays(trace(parse(f"k = {labels}\nh = one_hot(k, num_classes=3)"))))
    assert [stray.claims[0].numbers for stray in strayed] == [wrong] * bool(wrong)
    assert all("The new axis has classes 0 to 2" in stray.text for stray in strayed)


def test_classes_from_0_are_labels():
    assert found("[0.0, 1.0, 1.0]") == ()


@pytest.mark.parametrize(
    ("labels", "wrong"),
    [("[2.0, 0.0, 5.0]", (2.0, 5.0)), ("[-1.0, 0.0, 1.0]", (-1.0,)), ("[0.5, 0.5, 1.0]", (0.5,))],
)
def test_what_is_no_whole_number_of_a_class_is_found_once(labels, wrong):
    (stray,) = found(labels)
    assert stray.claims[0].numbers == wrong
    assert "classes 0 to 1" in stray.text
