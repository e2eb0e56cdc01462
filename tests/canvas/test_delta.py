"""Test patches between drawings, applied by the browser's code and by a second implementation."""

from __future__ import annotations

import json
import os
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autodiff_viz.canvas.delta import delta, shared, without_nulls
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.state import start
from tests.lab.test_random_edits import EDITS
from tests.web import node as web

APPLY = Path(__file__).parents[1] / "web" / "apply_deltas.mjs"

NAMES = st.sampled_from(["x", "y", "b_1", "__proto__", "constructor", "7", "3"])
TEXTS = st.sampled_from(["", "0.5", "−2", "‖5.48‖", "order", "gone"])
NUMBERS = st.sampled_from([-1.5, 0.25, 3.0, 120.5])


def records(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Records with names of their own, in any order; each field may be missing."""
    record = st.fixed_dictionaries({}, optional=fields)
    return st.dictionaries(NAMES, record, max_size=5).map(
        lambda found: [{"id": name, **rest} for name, rest in found.items()]
    )


SLOTS = st.lists(st.fixed_dictionaries({}, optional={"label": TEXTS, "constant": TEXTS}), max_size=3)
WIRES = st.dictionaries(
    st.tuples(NAMES, st.integers(0, 2)), st.fixed_dictionaries({"from": NAMES}, optional={"width": NUMBERS})
).map(lambda found: [{"to": to, "slot": slot, **rest} for (to, slot), rest in found.items()])
FORMULAS = st.lists(st.sampled_from(["x = 1.0\n", "θ = x\n", "# \U0001d6fd\n", "# \U0001d6fc"])).map(
    lambda lines: "\n".join(["y = 1.0"] * 80 + lines + ["z = 2.0"] * 80)
)
DRAWINGS = st.fixed_dictionaries(
    {},
    optional={
        "nodes": records(x=NUMBERS, value=TEXTS, slots=SLOTS),
        "wires": WIRES,
        "regions": st.lists(NAMES, unique=True).map(lambda names: [{"name": name} for name in names]),
        "notice": st.lists(st.fixed_dictionaries({"message": TEXTS}), max_size=2),
        "selected": NAMES,
        "formula": st.fixed_dictionaries({"text": FORMULAS}),
        "history": st.fixed_dictionaries({}, optional={"undo": TEXTS, "redo": TEXTS}),
    },
)


def applied(before: Any, patch: Any) -> Any:
    """The rules of `canvas/delta.py`, read once more."""
    if not isinstance(patch, dict):
        return patch
    if isinstance(before, str):
        at, gone, put = patch["splice"]
        units = before.encode("utf-16-le")
        return (units[: 2 * at] + put.encode("utf-16-le") + units[2 * (at + gone) :]).decode("utf-16-le")
    if isinstance(before, list):
        kept = {named(record): record for record in before if named(record) not in patch.get("gone", ())}
        kept = {name: applied(record, patch.get("set", {}).get(name, {})) for name, record in kept.items()}
        kept |= {named(record): record for record in patch.get("new", ())}
        return [kept[name] for name in patch.get("order", kept)]
    if not isinstance(before, dict):
        return patch
    after = {name: field for name, field in before.items() if name not in patch or patch[name] is not None}
    return after | {name: applied(before.get(name), c) for name, c in patch.items() if c is not None}


def named(record: dict[str, Any]) -> str:
    return f"{record['to']}:{record['slot']}" if "slot" in record else record.get("id") or record["name"]


@given(DRAWINGS, DRAWINGS)
def test_a_delta_makes_the_one_of_the_other(before, after):
    assert applied(before, delta(before, after)) == after


def test_of_a_long_text_its_change_is_sent():
    lines = [f"x{i} = sin(x{i - 1})" for i in range(1, 1_000)]
    for at, changed in ((0, []), (500, ["# \U0001d6fd θ"]), (998, ["y = 2.0", "z = 3.0"])):
        texts = ["\n".join(each) for each in (lines, [*lines[:at], *changed, *lines[at + 1 :]])]
        before, after = ({"formula": {"text": text}} for text in texts)
        patch = delta(before, after)
        assert applied(before, patch) == after
        assert len(json.dumps(patch)) < 100
    assert delta({"text": "a" * 900}, {"text": "b" * 900}) == {"text": "b" * 900}


@given(DRAWINGS)
def test_nothing_changed_is_nothing_sent(drawing):
    assert delta(drawing, json.loads(json.dumps(drawing))) == {}


@given(DRAWINGS, DRAWINGS)
def test_a_drawing_that_shares_its_parts_is_the_same_drawing(before, after):
    assert shared(before, after) == after


def test_what_did_not_change_is_shared():
    before = {"nodes": [{"id": "x", "value": "1"}, {"id": "y", "value": "2"}]}
    after = {"nodes": [{"id": "x", "value": "1"}, {"id": "y", "value": "3"}]}
    found = shared(before, after)
    assert found["nodes"][0] is before["nodes"][0]
    assert found == after


def test_one_number_is_sent_as_one_number():
    before = {"nodes": [{"id": "x", "value": "1", "op": "sin"}, {"id": "y", "value": "2"}], "selected": "x"}
    after = {"nodes": [{"id": "x", "value": "5", "op": "sin"}, {"id": "y", "value": "2"}], "selected": "x"}
    assert delta(before, after) == {"nodes": {"set": {"x": {"value": "5"}}}}


def test_a_selection_is_sent_alone():
    lab = start()
    before, after = (
        without_nulls(lab_view(edited(lab, {"kind": "select", "node": name})).drawing) for name in ("b", "y")
    )
    assert delta(before, after) == {"selected": "y"}


def test_the_browser_makes_the_same_of_every_delta(tmp_path):
    node = web.node()
    if node is None and not os.environ.get("CI"):
        pytest.skip("no node")
    pairs = [*random_pairs(), *real_pairs()]
    assert len(pairs) > 100
    told = [{"before": a, "patch": delta(a, b), "after": b} for a, b in pairs]
    (tmp_path / "pairs.json").write_text(json.dumps(told))
    run = subprocess.run(
        [node, str(APPLY), str(tmp_path / "pairs.json")], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout.strip()) == (0, f"{len(pairs)} as told"), run.stderr


def random_pairs() -> list[tuple[Any, Any]]:
    pairs = []

    @settings(max_examples=150, suppress_health_check=[HealthCheck.nested_given])
    @given(DRAWINGS, DRAWINGS)
    def collect(before, after):
        pairs.append((before, after))

    collect()
    return pairs


def real_pairs() -> list[tuple[Any, Any]]:
    """Drawings before and after edits that a user may make."""
    pairs = []

    @settings(max_examples=15)
    @given(st.lists(EDITS, min_size=2, max_size=4))
    def collect(edits):
        lab = start()
        drawings = [without_nulls(lab_view(lab := edited(lab, edit)).drawing) for edit in edits]
        pairs.extend(pairwise(drawings))

    collect()
    return pairs
