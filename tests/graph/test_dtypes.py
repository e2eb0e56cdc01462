"""Test the limits of the number formats against published ones."""

import ml_dtypes
import pytest

from autodiff_viz.graph.dtypes import DTYPES


@pytest.mark.parametrize(
    ("name", "largest", "smallest_normal", "smallest"),
    [
        ("float16", 65504.0, 6.1035e-05, 5.9605e-08),  # IEEE 754, as NVIDIA's guide to mixed precision has it
        ("bfloat16", 3.3895e38, 1.1755e-38, 9.1835e-41),
        ("float32", 3.4028e38, 1.1755e-38, 1.4013e-45),
        ("float64", 1.7976931e308, 2.2251e-308, 4.9407e-324),
    ],
)
def test_limits_are_the_published_ones(name, largest, smallest_normal, smallest):
    found = DTYPES[name]
    assert (found.max, found.tiny) == pytest.approx((largest, smallest_normal), rel=1e-4)
    assert found.least == pytest.approx(smallest, rel=1e-4, abs=0.0)


@pytest.mark.parametrize("name", list(DTYPES))
def test_limits_are_those_of_ml_dtypes(name):
    theirs, ours = ml_dtypes.finfo(name), DTYPES[name]
    assert (ours.max, ours.tiny, ours.least, ours.eps) == (
        float(theirs.max),
        float(theirs.smallest_normal),
        float(theirs.smallest_subnormal),
        float(theirs.eps),
    )
