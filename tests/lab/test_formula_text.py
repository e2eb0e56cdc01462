"""Test the author's own text of a graph: how long it stays, and how typing is undone."""

from __future__ import annotations

import pytest

from autodiff_viz.canvas.cards import size
from autodiff_viz.canvas.drawing import places
from autodiff_viz.graph.model import Graph
from autodiff_viz.lab.actions import redone, reset, set_input, typed, undone
from autodiff_viz.lab.edits.apply import edited, edited_all
from autodiff_viz.lab.state import FIRST, Lab, formula_text, opened, start
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show
from tests.lessons.gated_formulas import stacked

OWN = "# mine\nx=1.0\ny   =  sin(x)  # half a wave\n"


def type_all(lab: Lab, *texts: str) -> Lab:
    """Type the texts one after the other, without leaving the formula."""
    for index, text in enumerate(texts):
        lab = typed(lab, text, fresh=index == 0)
    return lab


def test_a_valid_text_stands_as_it_was_typed():
    assert formula_text(typed(start(), OWN)) == OWN


def test_branches_too_high_to_be_read_are_a_card_until_they_are_opened():
    few, many = typed(start(), stacked(3)), typed(start(), stacked(6))
    assert (few.collapsed, many.collapsed) == (frozenset(), {"transformer"})
    assert formula_text(many) == stacked(6)
    assert typed(few, stacked(6)).collapsed == {"transformer"}
    opened = edited(many, {"kind": "collapse", "group": "transformer", "on": False})
    assert typed(opened, stacked(6) + "more = loss * 2.0\n").collapsed == frozenset()


def test_a_graph_of_many_nodes_is_first_seen_with_its_outermost_groups_closed():
    loop = "x = 0.5\nh = x\nfor i in range({}):\n    h = sin(h) * x\nz = h + x\n"
    few, many = typed(start(), loop.format(20)), typed(start(), loop.format(30))  # 43 and 63 nodes
    assert few.collapsed == frozenset()
    assert many.collapsed == {group.name for group in many.graph.groups}
    assert len(many.collapsed) == 30
    opened = edited(many, {"kind": "collapse", "group": min(many.collapsed), "on": False})
    assert len(typed(opened, loop.format(30) + "more = z * 2.0\n").collapsed) == 29  # what is opened stays so


def test_a_text_that_is_the_usual_one_is_not_kept_beside_the_graph():
    assert typed(start(), show(parse(OWN))).history.present.text is None


def test_a_comment_alone_changes_the_text_and_makes_no_step():
    lab = typed(start(), "# hello\n" + FIRST)
    assert formula_text(lab) == "# hello\n" + FIRST
    assert not lab.history.can_undo


def test_a_slider_changes_its_number_and_leaves_comments():
    assert formula_text(set_input(typed(start(), OWN), "x", 2.5)) == OWN.replace("x=1.0", "x = 2.5")


def test_a_move_on_the_canvas_leaves_the_text():
    lab = edited(typed(start(), OWN), {"kind": "move", "positions": {"x": [5, 6]}})
    assert formula_text(lab) == OWN


def test_a_rule_set_on_the_canvas_leaves_comments():
    lab = edited(typed(start(), OWN), {"kind": "rules", "nodes": ["y"], "rule": "stop"})
    assert formula_text(lab) == OWN.replace("y   =  sin(x)", "y = stop_gradient(sin(x))")


def test_a_new_node_gets_a_line_below_the_authors():
    add = {"kind": "add", "op": "exp", "position": None}
    lab = edited(typed(start(), OWN), {**add, "wire": {"from": "y", "slot": 0}})
    lab = edited(lab, {**add, "wire": {"from": "exp_1", "slot": 0}})
    assert formula_text(lab).splitlines() == [*OWN.splitlines(), "exp_1 = exp(y)", "exp_2 = exp(exp_1)"]


def test_a_loop_stays_while_the_canvas_edits_other_nodes():
    text = "x = 1.0\nw = 0.5\nfor i in range(2):\n    x = w * x  # a step\ny = sin(x)\n"
    lab = set_input(typed(start(), text), "w", 0.25)
    add = {"kind": "add", "op": "exp", "position": None}
    lab = edited(lab, {**add, "wire": {"from": "y", "slot": 0}})
    assert formula_text(lab) == text.replace("0.5", "0.25") + "exp_1 = exp(y)\n"
    assert "loop" not in lab.history.present.label
    lab = edited(lab, {"kind": "rules", "nodes": ["x_0"], "rule": "stop"})  # one of the steps alone
    assert formula_text(lab) == show(lab.graph, positions=False)
    assert lab.history.present.label == "Stop gradient at x_0; loop written out"
    lab = edited(lab, {"kind": "rules", "nodes": ["y"], "rule": "stop"})
    assert "loop" not in lab.history.present.label  # it was told, and there is none any more


def test_undo_and_redo_bring_each_text_back():
    lab = typed(typed(start(), OWN), OWN + "z = exp(y)")
    assert formula_text(undone(lab)) == OWN
    assert formula_text(redone(undone(lab))) == OWN + "z = exp(y)"


def test_typing_without_a_pause_is_one_step_of_undo():
    lab = type_all(start(), "x = 1.0\ny = x", "x = 1.0\ny = x * 2", "x = 1.0\ny = x * 25")
    assert formula_text(lab) == "x = 1.0\ny = x * 25"
    assert undone(lab).graph == start().graph


def test_mistakes_on_the_way_do_not_cut_the_typing_in_two():
    lab = type_all(start(), "x = 1.0", "x = 1.0\ny = si", "x = 1.0\ny = sin(x)")
    assert undone(lab).graph == start().graph


def test_typing_again_later_is_a_step_of_its_own():
    first = type_all(start(), "x = 1.0", "x = 12.0")
    again = type_all(first, "x = 12.0\ny = si", "x = 12.0\ny = sin(x)")
    assert undone(again).graph == parse("x = 12.0")


def test_an_edit_on_the_canvas_ends_the_typing():
    lab = edited(typed(start(), OWN), {"kind": "rules", "nodes": ["y"], "rule": "stop"})
    lab = typed(lab, OWN, fresh=False)
    assert undone(lab).graph["y"].rule.kind == "stop"


def test_typing_back_to_where_it_began_leaves_nothing_to_undo():
    lab = type_all(start(), "x = 1.0", FIRST, FIRST + "w = z")
    assert [entry.graph for entry in lab.history.past] == [start().graph]
    assert not type_all(start(), "x = 1.0", FIRST).history.can_undo


def test_starting_again_discards_comments():
    assert formula_text(reset(typed(start(), "# mine\n" + FIRST))) == FIRST


def test_a_draft_stands_before_everything_else():
    assert formula_text(typed(typed(start(), OWN), OWN + "z = ")) == OWN + "z = "


PLACED = [
    {"kind": "add", "op": "input", "position": [300, 200]},
    {"kind": "add", "op": "input", "position": [320, 60]},
]


def leftward(lab: Lab) -> set[tuple[str, str]]:
    """Wires to a node that begins left of the right end of what it reads."""
    at = places(lab.graph).positions
    return {
        (name, node.name)
        for node in lab.graph.nodes
        for _, name in node.wires
        if at[node.name][0] < at[name][0] + size(lab.graph[name])[0]
    }


def test_a_node_that_gets_another_op_by_text_is_placed_anew():
    placed = edited_all(opened(start(), Graph(), "New"), [{**add, "seq": i} for i, add in enumerate(PLACED)])
    assert [node.position for node in placed.graph.nodes] == [(300, 200), (320, 60)]
    lab = typed(placed, "x = 0.5\ny = sqrt(x)\n")
    assert [lab.graph[name].position for name in ("x", "y")] == [(300, 200), None]
    assert leftward(lab) == set()


ROW = "x = 0.5\na = sin(x)\nb = cos(a)\nc = exp(b)\n"
PLACES = "# positions: x 0 0, a 200 0, b 400 0, c 600 0\n"


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        (ROW.replace("cos(a)", "cos(x)"), set()),
        (ROW.replace("sin(x)", "tanh(x)"), {"a"}),  # another op, right of x again
        (ROW.replace("sin(x)", "sin(x) * 2.0"), {"a", "b", "c"}),  # a is a step further right
        ("x = 0.5\nb = cos(x)\nc = exp(b)\na = sin(c)\n", {"a"}),
        (ROW.replace("cos(a)", "cos(tanh(tanh(a)))"), {"b", "c"}),  # and c, which b would have passed
    ],
)
def test_a_change_of_the_text_forgets_the_places_left_of_what_is_read(text, moved):
    lab = typed(opened(start(), parse(ROW + PLACES), "Open"), text)
    assert {node.name for node in lab.graph.nodes if not node.position} & set("xabc") == moved
    assert leftward(lab) == set()


def test_a_node_that_was_dragged_left_of_what_it_reads_stays_there_when_the_text_changes():
    lab = opened(start(), parse(ROW + PLACES), "Open")
    dragged = edited(lab, {"kind": "move", "positions": {"c": [100, 300]}})
    after = typed(dragged, ROW.replace("0.5", "0.7"))
    assert after.graph["c"].position == (100, 300)
    assert leftward(after) == {("b", "c")}
