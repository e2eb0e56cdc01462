"""Test the tables for dragged sliders, against a separate evaluation at each position."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from autodiff_viz.canvas import slider_tables
from autodiff_viz.canvas.slider_tables import POSITIONS, Stretch, keys, tables
from autodiff_viz.display.numbers import sign
from autodiff_viz.engine.op_derivative import changed_cotangent, local_derivative
from autodiff_viz.engine.tolerance import norm
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.explain.sweep.compute import sweep
from autodiff_viz.graph.edits import with_positions
from autodiff_viz.lab.actions import set_input, set_rule, set_seed
from autodiff_viz.lab.evaluate import lab_view, sweep_tables
from autodiff_viz.lab.state import Lab, start
from autodiff_viz.language.parse import parse
from tests.engine.references.scalar_graphs import scalar_graphs

X = Stretch("x", -2.0, 3.0)
TENSORS = """
x = 0.7
k = 2.0
w = [[0.5, -1.2, 2.0], [1.5, 0.3, -0.7]]
v = x * [1.0, -2.0]
h = w * x
s = stop_gradient(sin(h))
r = rewrite(h * h, lambda v: clip(v, -0.5, 0.8))
m = k * k
y = sum(s * r) + sum(v) * m
"""


def rows(table: dict) -> np.ndarray:
    """(position, number)"""
    numbers = np.frombuffer(b64decode(table["numbers"]), "<f8" if table["wide"] else "<f4")
    return numbers.reshape(table["count"], -1)


def column(table: dict, *place: object) -> np.ndarray:
    """(position, number) of one place."""
    widths = [2 if kind < 0 else kind or 1 for *_, kind in table["columns"]]
    at = next(i for i, (*found, _) in enumerate(table["columns"]) if tuple(found) == place)
    start = sum(widths[:at])
    return rows(table)[:, start : start + widths[at]]


def places(table: dict) -> set[tuple]:
    return {tuple(place) for *place, _ in table["columns"]}


def one(found: Trace, at: Stretch = X) -> dict:
    (table,) = tables(found, [at], {at.name: "key"})
    return table


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_each_row_is_what_a_separate_evaluation_finds(dtype):
    graph = parse(TENSORS)
    table = one(trace(graph, dtype=dtype))
    assert table["count"] == POSITIONS
    close = {"rtol": 2e-6, "atol": 1e-6} if dtype == "float32" else {"rtol": 1e-12, "atol": 1e-12}
    for i in range(0, POSITIONS, 20):
        alone = trace(graph, {"x": X.low + (X.high - X.low) * i / 100}, dtype=dtype)
        for *place, kind in table["columns"]:
            array = _of(alone, *place)
            expected = array.ravel() if kind >= 0 else [norm(array), sign(array)]
            np.testing.assert_allclose(column(table, *place)[i], expected, **close)


def _of(found: Trace, what: str, node: str, *slot: int) -> np.ndarray:
    if what == "local":
        return local_derivative(found, node, *slot)
    if what == "changed":
        return changed_cotangent(found, node)
    return getattr(found, what)[(node, *slot) if slot else node]


@settings(max_examples=20, deadline=None)
@given(graph=scalar_graphs(regions=False))
def test_what_a_table_leaves_out_is_the_same_everywhere(graph):
    found = trace(graph)
    name = next(node.name for node in graph.nodes if node.op == "input")
    table = one(found, Stretch(name, -1.0, 1.0))
    ends = [trace(graph, {name: value}) for value in (-1.0, 1.0)]
    for what in ("value", "cotangent", "passed"):
        for key in getattr(found, what):
            place = (what, *key) if isinstance(key, tuple) else (what, key)
            if place not in places(table):
                first, last = (getattr(end, what)[key] for end in ends)
                np.testing.assert_array_equal(first, last)


def test_only_what_depends_on_the_input_is_sent():
    table = one(trace(parse(TENSORS)))
    assert ("value", "m") not in places(table)
    assert ("value", "w") not in places(table)
    assert ("cotangent", "m") in places(table)  # sum(v)
    assert ("cotangent", "y") not in places(table)


def test_a_tensor_is_sent_as_what_a_card_shows():
    kinds = {tuple(place): kind for *place, kind in one(trace(parse(TENSORS)))["columns"]}
    assert kinds["value", "x"] == 0
    assert kinds["value", "v"] == 2
    assert kinds["value", "h"] == slider_tables.NORM


def test_numbers_beyond_float32_are_not_rounded_to_infinity():
    found = trace(parse("x = 1.0\nw = [[3e29, 3e29], [3e29, 3e29]]\nh = w * (x * 1e9)\ny = sum(h * 1e-38)"))
    table = one(found, Stretch("x", 0.0, 1.0))
    assert column(table, "value", "h")[-1, 0] == pytest.approx(6e38, rel=1e-6)


def test_nan_and_infinity_travel_as_they_are():
    table = one(trace(parse("x = 1.0\ny = log(x)")), Stretch("x", -1.0, 1.0))
    found = column(table, "value", "y")[:, 0]
    assert np.isnan(found[0])
    assert found[50] == -np.inf


def test_the_scale_of_the_wires_counts_those_that_stay():
    found = trace(parse("x = 1.0\nk = 1.0\ny = backward_as(x * x, 1000.0 * k)"), dtype="float64")
    assert one(found)["floor"] == 1000.0


@pytest.mark.parametrize(("room", "count"), [(9_999, 101), (5_000, 51), (2_200, 21), (1_200, 11), (100, 0)])
def test_with_fewer_bytes_there_are_fewer_positions_and_they_are_of_the_same_ones(monkeypatch, room, count):
    found = trace(start().graph)
    whole = one(found)
    monkeypatch.setattr(slider_tables, "BYTES", room)
    table = one(found)
    assert table["count"] == count
    assert len(table.get("numbers", "")) <= room
    if count:
        np.testing.assert_array_equal(rows(table), rows(whole)[:: 100 // (count - 1)])


def test_all_tables_of_one_answer_share_the_bytes(monkeypatch):
    found = trace(start().graph)
    stretches = [Stretch("x", -5.0, 5.0), Stretch("y", -5.0, 5.0)]
    known = keys(found, stretches)
    sizes = [len(table["numbers"]) for table in tables(found, stretches, known)]
    monkeypatch.setattr(slider_tables, "BYTES", sizes[0] + sizes[1] // 2 + 100)
    counts = [table["count"] for table in tables(found, stretches, known)]
    assert counts[0] == 101
    assert 0 < counts[1] < 101


def view_keys(lab: Lab) -> dict[str, str]:
    return dict(lab_view(lab).sweeps)


def test_moving_a_slider_leaves_its_own_table_good_and_the_others_not():
    lab = set_input(start(), "x", 0.6)
    before, after = view_keys(lab), view_keys(set_input(lab, "x", 0.9))
    assert after["x"] == before["x"]
    assert after["y"] != before["y"]


@pytest.mark.parametrize(
    "change",
    [
        lambda lab: set_rule(lab, "a", "stop"),
        lambda lab: set_seed(lab, 2.0),
        lambda lab: replace(lab, dtype="float64"),
        lambda lab: replace(lab, ranges=(("x", 0.0, 1.0), ("y", 0.0, 2.0))),
    ],
)
def test_whatever_changes_the_numbers_changes_every_key(change):
    before, after = view_keys(start()), view_keys(change(start()))
    assert all(before[name] != after[name] for name in ("x", "y"))


def test_where_a_node_stands_and_where_its_input_is_do_not_matter():
    graph = parse("x = 0.3\ny = sin(x)")
    there = with_positions(parse("x = 0.9\ny = sin(x)"), {"x": (3.0, 4.0), "y": (9.0, 1.0)})
    assert keys(trace(graph), [X]) == keys(trace(there), [X])


def test_a_key_of_other_numbers_gets_no_table():
    view = lab_view(start())
    assert [table["input"] for table in sweep_tables(view, dict(view.sweeps))] == ["x", "y"]
    assert sweep_tables(view, {"x": "old", "gone": "1"}) == []


def test_an_unfinished_graph_has_no_keys():
    lab = start()
    broken = replace(lab.graph["b"], slots=("a", None))
    nodes = tuple(broken if node.name == "b" else node for node in lab.graph.nodes)
    present = lab.history.present._replace(graph=replace(lab.graph, nodes=nodes))
    assert view_keys(replace(lab, history=replace(lab.history, present=present))) == {}


@pytest.mark.parametrize("room", [100, 400, 1_500, 3_000, 40_000])
def test_what_has_no_room_is_not_swept_and_what_has_room_is(monkeypatch, room):
    lines = ["x = 0.5", "y = 0.25", "n0 = sin(x)", *(f"n{i + 1} = sin(n{i})" for i in range(20))]
    found = trace(parse("\n".join([*lines, "z = backward_as(n20 * y, x * y)"])))
    stretches = [Stretch(name, 0.0, 1.0) for name in "xy"]
    known, ran = keys(found, stretches), []
    monkeypatch.setattr(slider_tables, "BYTES", room)
    with monkeypatch.context() as patch:
        patch.setattr(slider_tables, "_moving", lambda found, name: 0)
        before = tables(found, stretches, known)
    monkeypatch.setattr(slider_tables, "sweep", lambda *given: ran.append(given[1]) or sweep(*given))
    assert tables(found, stretches, known) == before
    assert "x" not in ran if room <= 400 else "x" in ran


def forward(lab: Lab, **tangents: float) -> Lab:
    return replace(lab, forward=tuple(tangents.items()))


def table_of(lab: Lab, name: str) -> dict:
    view = lab_view(lab)
    (found,) = sweep_tables(view, {name: view.sweeps[name]})
    return found


@pytest.mark.nightly
def test_in_forward_mode_a_table_has_the_tangents_too():
    """z = y sin x + stop(e^sin x) at y = 1.5, tangents (1, 2): by hand."""
    lab = forward(start(), x=1.0, y=2.0)
    table = table_of(lab, "x")
    x = np.linspace(table["low"], table["high"], table["count"])
    assert np.allclose(column(table, "tangent", "a")[:, 0], np.cos(x), atol=1e-6)
    total = 1.5 * np.cos(x) + 2 * np.sin(x)
    for name in ("b", "z"):
        assert np.allclose(column(table, "tangent", name)[:, 0], total, atol=2e-6)
    assert np.allclose(column(table, "pushed", "b", 0)[:, 0], 1.5 * np.cos(x), atol=2e-6)
    assert np.allclose(column(table, "pushed", "b", 1)[:, 0], 2 * np.sin(x), atol=2e-6)
    assert np.allclose(column(table, "cotangent", "x")[:, 0], 1.5 * np.cos(x), atol=2e-6)
    still = {("tangent", "x"), ("tangent", "y"), ("tangent", "exp_1"), ("pushed", "z", 1)}
    assert not places(table) & still  # the inputs' own, and what the stop makes zero
    assert table["flows"] == "pushed"
    assert np.allclose(
        column(table, "passed", "b", 1)[:, 0], np.sin(x), atol=2e-6
    )  # for the panel: it shows both


def test_a_table_has_the_factors_that_the_panel_multiplies():
    """z = y sin x + stop(e^sin x), with a rewritten: by hand."""
    lab = set_rule(start(), "a", "rewrite")
    table = table_of(lab, "x")
    x = np.linspace(table["low"], table["high"], table["count"])
    assert np.allclose(column(table, "local", "a", 0)[:, 0], np.cos(x), atol=1e-6)
    assert np.allclose(column(table, "local", "b", 1)[:, 0], np.sin(x), atol=1e-6)
    by_y = table_of(lab, "y")
    y = np.linspace(by_y["low"], by_y["high"], by_y["count"])
    assert np.allclose(column(by_y, "changed", "a")[:, 0], -y, atol=1e-6)
    assert not {("local", "z", 0), ("local", "exp_1", 0)} & places(table)  # 1, and none


@pytest.mark.nightly
def test_only_forward_mode_sends_tangents_and_each_direction_has_tables_of_its_own():
    labs = (
        start(),
        forward(start(), x=1.0),
        forward(start(), x=2.0),
        forward(start(), y=1.0),
        forward(start()),
    )
    assert len({lab_view(lab).sweeps["x"] for lab in labs}) == len(labs)
    table = table_of(start(), "x")
    assert table["flows"] == "passed"
    assert not any(what in ("tangent", "pushed") for what, *_ in places(table))
    by_size = [len(table_of(lab, "x")["numbers"]) for lab in labs[:2]]
    assert by_size[1] < 2 * by_size[0] < slider_tables.BYTES
