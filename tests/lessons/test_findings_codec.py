"""Test the claims of a lesson as plain data: what was computed is decoded; nothing else is accepted."""

import copy
import json
from dataclasses import replace

import numpy as np
import pytest

from autodiff_viz.graph.identity import same
from autodiff_viz.lessons import evaluate
from autodiff_viz.lessons.evaluate import findings
from autodiff_viz.lessons.gallery import LESSONS
from autodiff_viz.lessons.proof import prove, read_proof
from autodiff_viz.workers.disk_cache import read
from tests.own_lesson import KEY, LESSON


def proved(found) -> list:
    return json.loads(json.dumps(prove(found.key, None, b"")))


def without_nan(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """Arrays with one NaN for all: a computed one may carry a sign, which JSON has no word for."""
    return tuple(
        np.where(one != one, one.dtype.type(np.nan), one) if one.dtype.kind == "f" else one for one in arrays
    )


@pytest.mark.sampled(8)
@pytest.mark.parametrize("found", LESSONS, ids=lambda found: found.key)
def test_a_proof_comes_back_bit_by_bit_as_json(found):
    proof = read_proof(proved(found), found)
    for variant, ours in enumerate(proof):
        for mine, theirs in zip(ours, findings(found, variant), strict=True):
            assert same(*(without_nan(each.expected, each.computed) for each in (mine, theirs)))
            assert (mine.claim, mine.holds) == (theirs.claim, theirs.holds)


def test_each_claim_is_reported_before_it_is_checked(monkeypatch):
    """It has three graphs with two claims each."""
    told = []
    monkeypatch.setattr(evaluate, "report", lambda *report: told.append(report))
    for variant in range(3):
        findings.__wrapped__(LESSON, variant)  # not as another test has found them
    assert told == [(done, 6, "claims") for done in range(6)]


def test_a_proof_is_kept_for_the_next_start(tmp_path):
    data = prove(KEY, str(tmp_path), b"name")
    assert read(tmp_path, b"name") == data


def test_a_claim_holds_by_its_numbers_whatever_else_is_said():
    """What arrives at x is 2 + 2x = 8 at x = 3."""
    data = proved(LESSON)
    place = next(i for i, c in enumerate(c for c in LESSON.claims if c.variant == 0) if c.expected == 8.0)
    data[0][place][1]["numbers"] = [7.0]
    finding = read_proof(data, LESSON)[0][place]
    assert (float(finding.computed), finding.holds) == (7.0, False)


def _changed(change) -> list:
    data = copy.deepcopy(proved(LESSON))
    return change(data) or data


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.pop() and None,
        lambda data: data[0].pop() and None,
        lambda data: data[0][0].pop() and None,
        lambda data: data[0][0][0].update(numbers=[7.0]),
        lambda data: data[0][0][1].update(numbers=["8"]),
        lambda data: data[0][0][1].update(numbers=[True]),
        lambda data: data[0][0][1].update(numbers=[8.0, 8.0, 8.0]),
        lambda data: data[0][0][1].update(numbers=[10**400, 1], kind="int64"),
        lambda data: data[0][0][1].update(numbers=[float("inf"), 1], kind="int32"),
        lambda data: data[0][0][1].update(shape=[-1]),
        lambda data: data[0][0][1].update(shape="3"),
        lambda data: data[0][0][1].update(kind="object"),
        lambda data: data[0][0][1].update(kind=["float32"]),
        lambda data: data[0][0][1].clear(),
        lambda data: {"0": data},
        lambda data: "proof",
    ],
)
def test_what_cannot_be_a_proof_of_the_lesson_is_refused(change):
    with pytest.raises(ValueError, match=r"it is no|a claim has|another number"):
        read_proof(_changed(change), LESSON)


def test_nothing_is_refused_as_a_proof_too():
    with pytest.raises(ValueError, match="not of the graphs"):
        read_proof(None, LESSON)


def test_a_proof_of_a_claim_that_has_changed_is_refused():
    first, *others = LESSON.claims
    other = replace(
        LESSON, claims=(replace(first, expected=(np.asarray(first.expected) + 1).tolist()), *others)
    )
    with pytest.raises(ValueError, match="another number"):
        read_proof(proved(LESSON), other)
