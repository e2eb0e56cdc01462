"""Test edits of groups from the canvas, applied to a lab."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff_viz.canvas.arrange import folded_places
from autodiff_viz.canvas.cards import size
from autodiff_viz.canvas.drawing import places
from autodiff_viz.graph.model import Group
from autodiff_viz.lab.actions import redone, typed, undone
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.persistence.address import from_query, to_query
from autodiff_viz.lab.state import Lab, formula_text, opened, start
from tests.strategies import graphs, with_groups

TEXT = "x = 1.0\na = sin(x)\nb = exp(a)\nc = cos(b)\n"


def lab_of(text: str = TEXT) -> Lab:
    return typed(start(), text)


def sent(lab: Lab, kind: str, **fields: object) -> Lab:
    return edited(lab, {"seq": 1, "kind": kind, **fields})


def groups(lab: Lab) -> dict[str, list[str]]:
    return {group.name: sorted(group.nodes) for group in lab.graph.groups}


def test_a_group_is_made_named_undone_and_taken_apart():
    lab = sent(lab_of(), "group", nodes=["a", "b"])
    lab = sent(lab, "group", nodes=["c"])
    assert groups(lab) == {"group": ["a", "b"], "group_2": ["c"]}
    assert 'with group("group"):\n    a = sin(x)\n    b = exp(a)\n' in formula_text(lab)
    assert groups(undone(lab)) == {"group": ["a", "b"]}
    assert groups(sent(lab, "ungroup", group="group")) == {"group_2": ["c"]}
    assert sent(lab, "ungroup", group="group").history.present.label == "Ungroup group"


def test_making_a_group_moves_no_node():
    before = lab_of()
    after = sent(before, "group", nodes=["a", "c"])
    assert places(after.graph).positions == places(before.graph).positions


def test_a_group_that_would_cut_through_another_offers_what_would_do():
    lab = sent(lab_of(), "group", nodes=["a", "b"])
    refused = sent(lab, "group", nodes=["b", "c"])
    (notice,) = refused.notice
    assert notice.offer == "Take a in too"
    assert groups(edited(refused, {**notice.edit, "seq": 2})) == {
        "group": ["a", "b"],
        "group_2": ["a", "b", "c"],
    }


def test_a_region_that_would_cut_through_a_group_offers_what_would_do():
    lab = sent(lab_of(), "group", nodes=["a", "b"])
    (notice,) = sent(lab, "checkpoint", nodes=["b", "c"]).notice
    assert notice.edit == {"kind": "checkpoint", "nodes": ["a", "b", "c"]}


def test_nothing_is_no_group():
    assert "No node is selected" in sent(lab_of(), "group", nodes=[]).notice[0].message


def test_a_group_is_collapsed_without_a_step_of_history_and_undo_leaves_it_so():
    lab = sent(lab_of(), "group", nodes=["a", "b"])
    shut = sent(lab, "collapse", group="group", on=True)
    assert (shut.history, shut.collapsed) == (lab.history, {"group"})
    assert redone(undone(shut)).collapsed == {"group"}
    assert sent(shut, "collapse", group="group", on=False).collapsed == set()
    assert sent(shut, "collapse", group="gone", on=True).notice


def opened_with_room() -> tuple[Lab, Lab]:
    """The lab with a collapsed group of a and b, and after it was opened and x and c made room."""
    lab = sent(sent(lab_of(), "group", nodes=["a", "b"]), "collapse", group="group", on=True)
    x, c = (places(lab.graph).positions[name] for name in "xc")
    aside = {"x": [x[0] - 300, x[1]], "c": [c[0] + 200, c[1]]}
    return lab, sent(lab, "collapse", group="group", on=False, positions=aside)


def where(lab: Lab, *names: str) -> list[tuple[float, float]]:
    found = places(lab.graph).positions
    return [tuple(round(axis, 1) for axis in found[name]) for name in names]


def test_a_group_that_takes_room_is_opened_as_a_step_that_undo_and_redo_follow():
    shut, lab = opened_with_room()
    assert (lab.collapsed, lab.history.present.label) == (set(), "Open group")
    assert where(lab, "x", "c") == [
        (x + by, y) for (x, y), by in zip(where(shut, "x", "c"), (-300, 200), strict=True)
    ]
    assert where(lab, "a", "b") == where(shut, "a", "b")
    back = undone(lab)
    assert (back.collapsed, where(back, "x", "c")) == ({"group"}, where(shut, "x", "c"))
    again = redone(back)
    assert (again.collapsed, where(again, "x", "c")) == (set(), where(lab, "x", "c"))


def test_nodes_that_made_room_return_when_the_group_is_collapsed():
    shut, lab = opened_with_room()
    closed = sent(lab, "collapse", group="group", on=True)
    assert (closed.collapsed, where(closed, "x", "c")) == ({"group"}, where(shut, "x", "c"))
    assert closed.history.present == shut.history.present  # as if it had not been opened
    ruled = sent(sent(lab, "rules", nodes=["c"], rule="stop"), "move", positions={"x": [-900, 7]})
    closed = sent(ruled, "collapse", group="group", on=True)
    assert where(closed, "x", "c") == [(-900, 7), *where(shut, "c")]  # x has been moved by hand since
    assert closed.history.present.label == "Collapse group"
    assert closed.graph["c"].rule.kind == "stop"
    before = undone(closed)
    assert (before.collapsed, where(before, "c")) == (set(), where(lab, "c"))
    assert undone(undone(undone(before))).collapsed == {"group"}


def test_nodes_stay_aside_where_new_ones_may_stand_in_their_places():
    _, lab = opened_with_room()
    grown = sent(lab, "add", op="sin", position=[0, 300])
    closed = sent(grown, "collapse", group="group", on=True)
    assert (closed.collapsed, closed.history) == ({"group"}, grown.history)


def test_a_card_is_ungrouped_with_room_for_its_nodes_in_one_step():
    shut, _ = opened_with_room()
    apart = sent(shut, "ungroup", group="group", positions={"x": [-500, 0], "gone": [1, 1]})
    assert (groups(apart), where(apart, "x")) == ({}, [(-500, 0)])
    assert (groups(undone(apart)), undone(apart).collapsed) == ({"group": ["a", "b"]}, {"group"})


def test_a_place_that_is_none_refuses_to_open():
    shut, _ = opened_with_room()
    for wrong in ({"x": [1]}, {"x": "ab"}, [3], {"x": [None, 1]}):
        refused = sent(shut, "collapse", group="group", on=False, positions=wrong)
        assert (refused.collapsed, bool(refused.notice)) == ({"group"}, True)


def test_a_new_group_is_open_whatever_had_its_name_before():
    lab = sent(sent(lab_of(), "group", nodes=["a"]), "collapse", group="group", on=True)
    again = sent(sent(lab, "ungroup", group="group"), "group", nodes=["b"])
    assert (groups(again), again.collapsed) == ({"group": ["b"]}, set())


def test_a_collapsed_group_stays_so_under_another_name_and_so_do_its_copies():
    lab = sent(sent(lab_of(), "group", nodes=["a", "b"]), "collapse", group="group", on=True)
    named = sent(lab, "rename_region", region="group", name="layer 1")
    assert (groups(named), "layer 1" in named.collapsed) == ({"layer 1": ["a", "b"]}, True)
    copied = sent(lab, "duplicate", nodes=["a", "b"], by=[40, 40])
    assert groups(copied) == {"group": ["a", "b"], "group_1": ["a_1", "b_1"]}
    assert copied.collapsed == {"group", "group_1"}
    pasted = sent(lab, "paste", text='with group("g"):\n    q = sin(x)', at=[0, 0], collapsed=["g"])
    assert pasted.collapsed == {"group", "g"}
    gone = sent(sent(copied, "delete", nodes=["a_1", "b_1"]), "collapse", group="group", on=False)
    assert "group_1" in gone.collapsed
    assert sent(gone, "duplicate", nodes=["a", "b"], by=[40, 40]).collapsed == set()


def test_an_open_group_stays_open_under_the_name_of_one_that_was_removed():
    lab = sent(sent(lab_of(), "group", nodes=["a"]), "collapse", group="group", on=True)
    other = sent(sent(lab, "ungroup", group="group"), "group", nodes=["b"])
    shut = replace(other, collapsed=frozenset({"g"}))
    assert sent(shut, "rename_region", region="group", name="g").collapsed == set()


def test_nodes_are_dragged_into_groups_and_out_of_them():
    lab = sent(lab_of(), "group", nodes=["a", "b"])
    moved = sent(lab, "regroup", positions={"c": [0, 0]}, join={"group": ["c"]}, leave={})
    assert groups(moved) == {"group": ["a", "b", "c"]}
    assert groups(sent(moved, "regroup", positions={"a": [0, 900]}, join={}, leave={"group": ["a"]})) == {
        "group": ["b", "c"]
    }


@pytest.mark.parametrize("title", ["layer 1", "g.2-b"])
def test_what_is_collapsed_stands_in_the_address(title):
    lab = lab_of()
    graph = replace(lab.graph, groups=(Group(title, frozenset("ab")), Group("open", frozenset("c"))))
    lab = replace(opened(lab, graph, "Open"), collapsed=frozenset({title, "gone"}))
    query = to_query(lab)
    assert query["folded"] == title
    assert from_query(query).collapsed == {title}
    assert from_query({**query, "folded": "nothing,<b>"}).collapsed == set()
    assert "folded" not in to_query(lab_of())


CARD = 160  # the width of a card, about
LONG = (
    "x = 1.0\nwith group('g'):\n"
    + "".join(f"    a{i} = sin({f'a{i - 1}' if i else 'x'})\n" for i in range(9))
    + "b = a8 + x\nc = exp(b)\n"
)


def test_arranging_leaves_no_hole_where_a_group_is_collapsed():
    shut = sent(sent(lab_of(LONG), "collapse", group="g", on=True), "arrange")
    found = places(shut.graph).positions
    # x, the group's card, b and c stand side by side: three steps, each of a card and the gap behind it.
    assert 3 * CARD < found["c"][0] - found["x"][0] < 3 * (CARD + 60)
    assert shut.history.present.label == "Arrange"


@settings(max_examples=40, deadline=None)
@given(graphs(min_nodes=2, regions=False, groups=False), st.data())
def test_what_is_seen_of_an_arranged_graph_does_not_overlap(graph, data):
    graph = data.draw(with_groups(graph))
    collapsed = {group.name for group in graph.groups if data.draw(st.booleans())}
    found = folded_places(graph, collapsed)
    assert found.keys() == graph.by_name.keys()
    boxes, inside = [], set()
    for group in sorted(graph.groups, key=lambda group: -len(group.nodes)):
        if group.name not in collapsed or group.nodes <= inside:
            continue
        inside |= group.nodes
        corners = [(found[name], size(graph[name])) for name in group.nodes]
        left, right = min(x for (x, _), _ in corners), max(x + w for (x, _), (w, _) in corners)
        top, bottom = min(y for (_, y), _ in corners), max(y + h for (_, y), (_, h) in corners)
        boxes.append(((left + right) / 2 - 84, (top + bottom) / 2 - 22, 168, 44))  # at least the card's head
    boxes += [(*found[name], *size(graph[name])) for name in graph.by_name if name not in inside]
    for (ax, ay, aw, ah), (bx, by, bw, bh) in combinations(boxes, 2):
        assert ax + aw <= bx + 1 or bx + bw <= ax + 1 or ay + ah <= by + 1 or by + bh <= ay + 1
