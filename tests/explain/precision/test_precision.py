"""Test numbers out of a dtype's range, against hand work and ml_dtypes' arithmetic."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.precision.compute import precision
from autodiff_viz.explain.zero.compute import why_zero
from autodiff_viz.graph.dtypes import DTYPES
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse

SMALL = parse("w = 1.0\nm = w * 0.0001220703125\ny = m * 0.0001220703125")  # 2^-13 twice; row 32


def kinds(found):
    return {
        (place.node, place.what if place.slot is None else place.slot): place.kind for place in found.places
    }


def test_row_32_underflows_in_float16_and_a_loss_scale_saves_it():
    """2^-26 rounds to 0, as does 2^-25 (a tie); 2^-24 is the smallest number, 65,504 the largest."""
    found = precision(trace(SMALL, dtype="float16"))
    assert kinds(found) == {
        ("w", "value"): "fits",
        ("m", "value"): "fits",
        ("y", "value"): "underflow",
        ("y", "cotangent"): "fits",
        ("y", 0): "fits",
        ("m", "cotangent"): "fits",
        ("m", 0): "underflow",
        ("w", "cotangent"): "underflow",
    }
    assert (found.least, found.most) == (4.0, 2.0**15)
    assert {(p.node, p.what) for p in found.places if p.begins} == {("y", "value"), ("m", "passed")}
    arriving = next(p for p in found.places if (p.node, p.what) == ("w", "cotangent"))
    assert (arriving.exact_high, arriving.error, arriving.high) == (2.0**-26, 1.0, None)
    assert "what 'm' passes back is too small for float16: 0 here, 1.5e−8 in float64" in found.sentence
    assert found.scales.startswith("Loss scales from 4 to 32,768 are safe.")


def test_row_32_with_a_scale_has_the_true_gradient():
    found = precision(trace(SMALL, dtype="float16"), 1024.0)
    arriving = next(p for p in found.places if (p.node, p.what) == ("w", "cotangent"))
    assert (arriving.kind, arriving.high, arriving.error) == ("subnormal", 2.0**-16, 0.0)
    over = precision(trace(SMALL, dtype="float16"), 2.0**16)
    assert kinds(over)["y", "cotangent"] == "overflow"
    assert over.places[0].error == np.inf


def test_row_32_fits_in_bfloat16():
    found = precision(trace(SMALL, dtype="bfloat16"))
    assert found.worst == "fits"
    assert (found.least, found.most) == (1.0, 2.0**24)
    assert max(place.error for place in found.places) == 0.0


@pytest.mark.parametrize(
    ("text", "dtype", "node", "kind"),
    [
        ("x = 300.0\ny = square(x)", "float16", "y", "overflow"),  # 90,000
        ("x = 300.0\ny = square(x)", "bfloat16", "y", "fits"),
        ("x = 100.0\ny = exp(x)", "float32", "y", "overflow"),  # 2.7e43
        ("x = 100.0\ny = exp(x)", "float64", "y", "fits"),
        ("x = 0.001\ny = square(x)", "float16", "y", "subnormal"),  # 1e-6, between 6e-8 and 6.1e-5
        ("x = 0.0001\ny = square(x)", "float16", "y", "underflow"),  # 1e-8
        ("x = -90.0\ny = exp(x)", "float32", "y", "underflow"),  # 8e-40: JAX on the CPU has no subnormals
        ("x = 1e5\ny = neg(x)", "float16", "x", "overflow"),
        ("x = 1e-9\ny = neg(x)", "float16", "x", "underflow"),
        ("x = 1.0\ny = (x + 0.0001) - 1.0", "float16", "y", "rounded"),  # 1 + 1e-4 is 1: all digits are gone
    ],
)
def test_kinds_of_a_value(text, dtype, node, kind):
    assert kinds(precision(trace(parse(text), dtype=dtype)))[node, "value"] == kind


def test_the_largest_finite_number_is_not_an_overflow():
    assert kinds(precision(trace(parse("x = 65504.0\ny = neg(x)"), dtype="float16")))["y", "value"] == "fits"


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_kinds_are_those_of_a_product_in_numpy(dtype):
    """Random factors over the whole range, element by element, with the product of ml_dtypes as the judge."""
    kind, limits = np.dtype(dtype).type, ml_dtypes.finfo(dtype)
    most = DTYPES[dtype].most
    rng = np.random.default_rng(0)
    a, b = (np.exp2(rng.uniform(-most, most, 200)).astype(kind) for _ in range(2))
    with np.errstate(all="ignore"):
        product, exact = a * b, a.astype(float) * b.astype(float)
    size = np.abs(product.astype(float))
    flushed = (size < float(limits.smallest_normal)) & (dtype != "float16")
    wanted = {
        "overflow": np.isinf(size),
        "underflow": (exact != 0) & ((size == 0) | flushed),
        "subnormal": (size > 0) & (size < float(limits.smallest_normal)) & ~flushed,
    }
    graph = parse("a = [1.0, 1.0]\nb = [1.0, 1.0]\ny = a * b")
    seen = 0
    for i in range(0, 200, 2):
        pair = slice(i, i + 2)
        with np.errstate(all="ignore"):
            found = precision(trace(graph, {"a": a[pair], "b": b[pair]}, dtype=dtype))
        place = next(p for p in found.places if (p.node, p.what) == ("y", "value"))
        worst = next((name for name, at in wanted.items() if at[pair].any()), "fits")
        assert (place.kind, place.count) == (worst, int(wanted[worst][pair].sum()) if worst in wanted else 2)
        seen += worst != "fits"
    assert seen > 20


def test_safe_scales_by_trying_all_of_them():
    """Brute force over the 25 powers of two, each with a trace of its own."""
    graph = parse(
        "w = [0.5, -1.5, 2.0]\nx = [3e-4, 2.0, 1e-3]\nh = tanh(w * x)\ny = sum(square(h - 1e-4) * 3e-4)"
    )
    found, exact = precision(trace(graph, dtype="float16")), trace(graph, dtype="float64")
    lost, over = [], []
    for power in range(25):
        with np.errstate(over="ignore"):
            seed = np.float16(2.0**power)
        here = trace(graph, seed=seed, dtype="float16")
        both = [(here.cotangent[n], exact.cotangent[n]) for n in here.cotangent]
        both += [(here.passed[n], exact.passed[n]) for n in here.passed]
        lost.append(sum(int(((one == 0) & (true != 0)).sum()) for one, true in both))
        over.append(sum(int((~np.isfinite(one)).sum()) for one, _ in both))
    safe = [power for power in range(25) if over[power] == 0]
    assert found.most == 2.0 ** max(safe)
    best = min(lost[power] for power in safe)
    assert found.least == 2.0 ** next(power for power in safe if lost[power] == best)
    assert lost[0] > best


def test_a_rule_that_clips_makes_the_gradient_depend_on_the_scale():
    graph = parse("x = 1.0\ny = rewrite(x * 3.0, lambda v: clip(v, -1.0, 1.0))")
    found = trace(graph, dtype="float16")
    assert "not linear" in precision(found, 8.0).scales
    assert "not linear" not in precision(found).scales


@pytest.mark.parametrize("scale", [0.0, -2.0, float("inf"), float("nan"), "8", True])
def test_a_scale_must_be_a_positive_number(scale):
    with pytest.raises(GraphError, match="The loss scale must be a positive number"):
        precision(trace(SMALL), scale)


def test_why_zero_says_what_saves_an_underflow():
    found = why_zero(trace(SMALL, dtype="float16"), "w")
    assert (found.kind, found.at) == ("underflow", ("m",))
    assert "too small for float16" in found.sentence
    assert found.sentence.endswith("With a loss scale of 4 it arrives.")


def test_why_zero_says_that_float32_saves_what_no_scale_can():
    """The value of u, 1e-10, is 0 in float16, and so is the derivative of u * w by w at every scale."""
    graph = parse("w = 1.0\nx = 0.00001\nu = square(x)\ny = u * w")
    assert why_zero(trace(graph, dtype="float16"), "w").sentence.endswith("In float32 it arrives.")


@pytest.mark.parametrize(
    "text",
    [
        "x = -110.0\ny = -log(sigmoid(x))",  # row 28: exp(-110) is 0 in float32
        "x = 100.0\ny = where(less(x, 10.0), exp(x), 0.0)",  # row 29: exp(100) is above float32's 3.4e38
        "x = 0.0\ny = where(less(x, 1.0), x, sqrt(x))",  # row 20: NaN in float64 too
    ],
)
def test_no_loss_scale_helps_where_the_gradient_is_nan(text):
    graph = parse(text)
    assert np.isnan(trace(graph, seed=np.float32(2.0**-10)).gradient["x"])
    found = precision(trace(graph))
    assert found.scales == "No loss scale helps: what arrives at 'x' is not finite at any."


def test_what_is_nan_in_float64_too_is_named_and_does_not_fit():
    """Row 20: the slope of the root at 0 is infinite in every dtype."""
    text = "x = 0.0\ny = where(less(x, 1.0), x, sqrt(x))"
    for dtype, either in (("float32", " in float64 either"), ("float64", "")):
        found = precision(trace(parse(text), dtype=dtype))
        assert found.worst == "not finite"
        assert found.sentence == f"Not finite: what 'sqrt_1' passes back is not finite{either}."


def test_a_loss_scale_is_told_for_the_numbers_that_it_saves_beside_a_nan():
    """2^-26 underflows in float16, and 4 * 2^-26 = 2^-24 is its smallest number; the root's NaN stays."""
    text = (
        "x = 0.0\nw = 1.0\nm = w * 0.0001220703125\ny = m * 0.0001220703125 + where(less(x, 1.0), x, sqrt(x))"
    )
    said = precision(trace(parse(text), dtype="float16")).scales
    lost = "No loss scale helps: what arrives at 'x' is not finite at any."
    assert said.startswith(f"{lost} For other numbers: Loss scales from 4 ")


def test_the_number_of_float64_has_its_sign():
    """Row 28: log(sigmoid(-110)) is -110, and the logarithm of 0 in float32."""
    said = precision(trace(parse("x = -110.0\ny = log(sigmoid(x))"))).sentence
    assert "the value of 'y' is not finite in float32, \u2212110 in float64" in said
