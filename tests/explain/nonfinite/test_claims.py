"""Test that what a sentence on NaN and infinities claims is true of the trace, and of what it shows."""

from __future__ import annotations

import re

import jax
import numpy as np
import pytest

from autodiff_viz.engine.sentence import Claim
from autodiff_viz.engine.trace import Trace, precision, trace
from autodiff_viz.explain.nonfinite.compute import NonFinite, nonfinite_origin
from autodiff_viz.explain.nonfinite.cures import nonfinite_cure
from autodiff_viz.explain.nonfinite.words import (
    COUNT,
    EQUATION,
    FINITE,
    FIRST,
    FLUSHED,
    GIVEN,
    IN_FLOAT64,
    NO_MEND,
    NO_MEND_BESIDE,
    PASSES,
    PRODUCT,
    RULE,
    SEED,
    TOO_LARGE,
    TRAP,
)
from autodiff_viz.graph.model import GRAD, INPUT
from autodiff_viz.graph.rule_kinds import FOLLOW, KINDS, REWRITE, SCALE
from autodiff_viz.graph.text import MINUS
from autodiff_viz.language.parse import parse
from autodiff_viz.ops.catalog import OPS
from tests.engine.references import tape
from tests.engine.test_nonfinite_claims import DTYPES, check_origin, is_finite, troubled_traces
from tests.explain.claims import NUMBER, unclaimed
from tests.explain.nonfinite.test_nonfinite_origin import ASKED, IN_FLOAT16, SENTENCES


def equal(one: object, other: object) -> bool:
    return bool(np.array_equal(np.float64(one), np.float64(other), equal_nan=True))


def first_place(array: np.ndarray) -> tuple[int, ...]:
    """The index of the first number that is not finite."""
    return next(at for at in np.ndindex(array.shape) if not np.isfinite(array[at]))


def operands_at(found: Trace, name: str, at: tuple[int, ...]) -> list[np.ndarray]:
    """What a node reads at an element, its constants as they are in the graph."""
    slots = found.graph[name].slots
    arrays = [found.value[s] if isinstance(s, str) else np.asarray(s) for s in slots]
    return [np.broadcast_to(array, found.value[name].shape)[at] for array in arrays]


def slope_at(found: Trace, wire: tuple[str, int], at: tuple[int, ...]) -> np.ndarray:
    """JAX's own derivative of one op, written out."""
    (name, slot), node = wire, found.graph[wire[0]]
    with precision(found.dtype):
        with np.errstate(over="ignore"):
            given = [np.asarray(each, found.dtype) for each in operands_at(found, name, at)]
        _, pull = jax.vjp(
            lambda *a: OPS[node.op].apply(*a, **dict(node.params)), *map(jax.numpy.asarray, given)
        )
        return np.asarray(pull(jax.numpy.ones((), found.dtype))[slot])


def in_float64(found: Trace) -> Trace:
    """The trace in float64, with the numbers that the graph gives unless others were given in their place."""
    own = trace(found.graph, dtype=found.dtype).inputs
    given = {n: a.astype(float) for n, a in found.inputs.items() if not np.array_equal(a, own[n])}
    return trace(found.graph, given, found.seed.astype(float), dtype="float64")


def pulled_back(found: Trace, name: str) -> np.ndarray:
    """What arrives at a node, as its rule changes it."""
    arriving, rule = found.cotangent[name], found.graph[name].rule
    if rule.kind == SCALE:
        return (arriving * np.float64(rule.number)).astype(arriving.dtype)
    if rule.kind == REWRITE:
        with np.errstate(all="ignore"):
            changed = [tape.apply(rule.function, float(each))[0] for each in arriving.ravel()]
            return np.reshape(changed, arriving.shape).astype(arriving.dtype)
    return arriving


def check(claim: Claim, found: Trace) -> None:
    """Check one claim."""
    names, numbers = claim.names, claim.numbers
    if claim.kind == SEED:
        assert not is_finite(found.seed)
    elif claim.kind == GIVEN:
        assert found.graph[names[0]].op == INPUT
        assert not is_finite(found.value[names[0]])
    elif claim.kind == FIRST:
        value = found.value[names[0]]
        assert equal(numbers[0], value[first_place(value)])
    elif claim.kind == EQUATION:
        at = first_place(found.value[names[0]])
        assert equal(numbers, [*operands_at(found, names[0], at), found.value[names[0]][at]])
    elif claim.kind == COUNT:
        assert numbers == (np.count_nonzero(~np.isfinite(found.value[names[0]])),)
    elif claim.kind in (IN_FLOAT64, NO_MEND):
        exact = in_float64(found).value[names[0]]
        assert equal(numbers[0], exact[first_place(found.value[names[0]])])
        assert np.isfinite(numbers[0]) == is_finite(exact) == (claim.kind == IN_FLOAT64)
    elif claim.kind == NO_MEND_BESIDE:
        value = found.value[names[0]]
        exact = in_float64(found).value[names[0]]
        assert np.isfinite(exact[first_place(value)])
        assert any(equal(numbers[0], each) for each in exact[~np.isfinite(value)])
        assert not np.isfinite(numbers[0])
    elif claim.kind == PASSES:
        wire, producer = names
        assert dict(found.graph[wire[0]].wires)[wire[1]] == producer
        assert any(equal(numbers[0], each) for each in found.passed[wire].ravel())
        assert not np.isfinite(numbers[0])
    elif claim.kind == PRODUCT:
        [wire], (arriving, slope, product) = names, numbers
        with np.errstate(all="ignore"):
            assert equal(product, np.float64(arriving * slope).astype(found.dtype))
        cotangent = pulled_back(found, wire[0])
        passed = np.broadcast_to(found.passed[wire], cotangent.shape)
        at = [
            i
            for i in np.ndindex(cotangent.shape)
            if equal(cotangent[i], arriving) and equal(passed[i], product)
        ]
        assert any(found.graph[wire[0]].op == GRAD or equal(slope_at(found, wire, i), slope) for i in at)
    elif claim.kind == TOO_LARGE:
        arriving, slope = next(c.numbers[:2] for c in nonfinite_origin(found).claims if c.kind == PRODUCT)
        assert np.isfinite([arriving, slope]).all()
    elif claim.kind == RULE:
        assert found.graph[names[0]].rule.kind != FOLLOW
        changed = pulled_back(found, names[0])
        assert KINDS[found.graph[names[0]].rule.kind].replaces or not np.isfinite(changed).all()
    elif claim.kind == TRAP:
        choice = found.graph[names[0]]
        condition = choice.slots[0]
        taken = found.value[condition] if isinstance(condition, str) else np.asarray(condition)
        for slot in (1, 2):
            if choice.slots[slot] is not None and leads(found, names[1], choice.slots[slot]):
                assert (np.asarray(taken) != (slot == 1)).any()
                break
        else:
            raise AssertionError(claim)
    elif claim.kind == FLUSHED:
        at = first_place(found.value[names[0]])
        assert numbers[0] in operands_at(found, names[0], at)
        assert 0 < abs(numbers[0]) < jax.numpy.finfo(found.dtype).tiny
    elif claim.kind == FINITE:
        assert is_finite(found.value[found.output], *found.gradient.values())
    else:
        check_origin(claim, found)


def leads(found: Trace, name: str, end: object) -> bool:
    """Whether a path leads from a node to another."""
    return end == name or (
        isinstance(end, str) and any(leads(found, name, producer) for _, producer in found.graph[end].wires)
    )


def number(text: str, dtype: str) -> np.ndarray:
    with np.errstate(over="ignore"):
        return np.float64(text.replace("\u2212", "-").replace("\u221e", "inf")).astype(dtype)


FUNCTIONS = {
    name: getattr(np, name)
    for name in ("exp", "log", "sqrt", "square", "log1p", "expm1", "arcsin", "tan", "where")
}
EQUATIONS = re.compile(r"' is (\S.*?) = (\S+?)(?: \(|\.(?: |$))")
WRITTEN = re.compile(rf"(?<!\w)(?:{NUMBER.pattern})")
PRODUCTS = re.compile(r"passes (\S+) × (\S+) = (\S+) back")


def check_shown(text: str, dtype: str) -> None:
    """Check the equations of a text as they are written: worked out in NumPy, they hold."""
    with np.errstate(all="ignore"):
        for one, other, product in PRODUCTS.findall(text):
            assert equal(number(one, dtype) * number(other, dtype), number(product, dtype)), text
        for left, right in EQUATIONS.findall(text):
            texts = [each.lstrip(MINUS) for each in WRITTEN.findall(left)]
            texts = ["0" if f"{each} is below the normal numbers" in text else each for each in texts]
            numbers = {f"_{i}": number(each, dtype) for i, each in enumerate(texts)}
            code = WRITTEN.sub("{}", left).format(
                *("-" * each.startswith(MINUS) + f"_{i}" for i, each in enumerate(WRITTEN.findall(left)))
            )
            assert equal(eval(code, {**FUNCTIONS, **numbers}), number(right, dtype)), text


def check_all(found: Trace) -> NonFinite | None:
    """Check the sentence of a trace."""
    origin = nonfinite_origin(found)
    if origin is None:
        return None
    implied = [value for node in found.graph.nodes for _, value in node.params if isinstance(value, float)]
    assert not unclaimed(origin.sentence, origin.claims, implied), origin
    for claim in origin.claims:
        check(claim, found)
    check_shown(origin.sentence, found.dtype)
    return origin


FALSE_BEFORE = {
    # the largest number of float32 is e^88.7228
    "x = 88.7228394\ny = exp(x)": ("exp(88.72284) = ∞", "exp(88.72) "),
    "x = -1.00001\ny = log1p(x)": ("log1p(−1.00001) = NaN", "log1p(−1) "),
    # -2 ** 0.5 is -(2 ** 0.5)
    "x = -2.0\ny = x ** 0.5": ("(−2) ** 0.5 = NaN", " −2 **"),
    "x = -0.0\ny = 1.0 / x": ("1 / −0 = −∞", "1 / 0"),
    # e^100 is a number of float64, e^1000 is none
    "x = [100.0, 1000.0]\ny = sum(exp(x))": (
        "exp(100) = ∞ (2 of 2 elements). 'exp_1' passes 1 × ∞ = ∞ back to 'x': the slope of exp is ∞ there. "
        "There is no mend: at another element exp is ∞ in float64 too.",
        "is ∞ there in float64",
    ),
    # XLA takes numbers below 1.2e-38 as 0
    "x = 0.5\nw = 1e-39\ny = x / w": (
        "1e−39 is below the normal numbers of float32: it counts as 0. 'y' passes", "5e38. 'y'"
    ),
    # the slot was broadcast: −∞ and ∞ add up to NaN
    "x = 0.0\ny = sum([1.0, -1.0] / x)": ("passes NaN back to 'x', though all", "= NaN back"),
    # the NaN is that of the second element
    "x = [0.0, 0.0]\na = x * [1.0, 0.0]\nb = sqrt(a)\ny = sum(b)": ("'a' passes ∞ × 0 = NaN", "∞ × 1 = NaN"),
}  # fmt: skip


@pytest.mark.parametrize("text", FALSE_BEFORE)
def test_an_equation_is_true_of_the_numbers_as_they_are_written(text):
    origin = check_all(trace(parse(text)))
    true, false = FALSE_BEFORE[text]
    assert true in origin.sentence
    assert false not in origin.sentence


@pytest.mark.parametrize("text", ["x = 2.0\ny = stop_gradient(sin(x))", "x = [2.0, 1.0]\ny = x * 3.0"])
def test_behind_a_seed_that_is_not_finite_some_numbers_are(text):
    """A stop passes nothing, and of a seed [inf, 1] the second element is a number."""
    found = trace(parse(text), seed=np.inf if "stop" in text else [np.inf, 1.0])
    assert np.isfinite(found.gradient["x"]).any()
    assert check_all(found).sentence == "The seed is not finite, so what is pulled back need not be either."


@pytest.mark.sampled(20)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "text", [*(case[0] for case in ASKED.values()), *SENTENCES, *IN_FLOAT16, *FALSE_BEFORE]
)
def test_the_sentences_of_graphs_made_by_hand_are_true(text, dtype):
    found = trace(parse(text), dtype=dtype)
    assert bool(check_all(found)) == bool(found.nonfinite_origins)


@pytest.mark.sampled(60)
@pytest.mark.parametrize("seed", range(60))
def test_every_sentence_on_a_random_graph_is_true(seed):
    troubled = [*troubled_traces(seed)]
    if not troubled:
        pytest.skip("In these graphs all is finite.")
    for found in troubled:
        assert bool(check_all(found)) == bool(found.nonfinite_origins)


@pytest.mark.parametrize("op", ["log(m)", "m ** n", "n ** m", "sqrt(m)", "square(sqrt(m))"])
def test_of_what_is_not_a_number_in_bfloat16_the_cure_is_sought_quietly(op):
    """A comparison of bfloat16 with NaN warns, which is an error here; a log of -0.3 has no cure."""
    text = f"x = -0.3\nn = parameter(0.0)\nm = log(x)\nz = n * {op}\nout = z + sqrt(n)"
    assert nonfinite_cure(trace(parse(text), dtype="bfloat16")) is None
    assert nonfinite_cure(trace(parse(text), dtype="float64")) is None


@pytest.mark.nightly
@pytest.mark.parametrize("start", range(60, 600, 20))
def test_so_is_that_on_many(start):
    told = [check_all(found) for seed in range(start, start + 20) for found in troubled_traces(seed)]
    assert any(told)


@pytest.mark.parametrize(
    ("text", "holds"),
    [("'y' is exp(88.72) = ∞.", False), ("'y' is exp(88.73) = ∞.", True), ("passes 2 × 3 = ∞ back", False)],
)
def test_an_equation_that_does_not_hold_is_detected(text, holds):
    if holds:
        check_shown(text, "float32")
    else:
        with pytest.raises(AssertionError):
            check_shown(text, "float32")
