"""Test asking on any graph: what is kept, what is hidden, what an answer does, and what a link holds."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from autodiff_viz.asking.concealed import Concealed, conceal
from autodiff_viz.asking.question import ASKED_ALONE, LARGER, NUMBER, ZERO, Quantity, Question
from autodiff_viz.canvas.svg import svg_of
from autodiff_viz.engine.trace import known_trace, trace
from autodiff_viz.graph import limits
from autodiff_viz.graph.link import packed
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lab.actions import set_input
from autodiff_viz.lab.asking import ask, asking_of, hiding, reveal, stop_asking
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.evaluate import lab_view, sweep_tables
from autodiff_viz.lab.handout import handout_of
from autodiff_viz.lab.inspector.panel import Answers, check_data, node_data
from autodiff_viz.lab.judging import answered, result_title
from autodiff_viz.lab.lessons import open_lesson
from autodiff_viz.lab.page import lab_drawing, play_data
from autodiff_viz.lab.parts import ASKED, PARTS, data_of
from autodiff_viz.lab.persistence.address import documents, from_query, to_query, with_documents
from autodiff_viz.lab.persistence.asking import ASK, GUESS, OWN
from autodiff_viz.lab.persistence.history import trail
from autodiff_viz.lab.persistence.short_link import short_query
from autodiff_viz.lab.state import Lab, opened, start
from autodiff_viz.lab.tours import go_to
from autodiff_viz.language.parse import parse
from autodiff_viz.lessons.tour import Step, Tour
from autodiff_viz.messages.edits import Trail
from autodiff_viz.standalone.page import html_of_lab
from autodiff_viz.ui.qr_code import qr_code
from tests.lab.persistence.corpus.write import FOLDER
from tests.lab.persistence.corpus.write_asked import meaning
from tests.lab.regression import lab_of, trained
from tests.own_lesson import KEY

FORK = "x = 3.0\na = 2.0 * x\nb = square(x)\nz = a + b"
"""2 comes along the wire from a, 6 along the one from b, so 8 arrives at x."""

AT_X = Question(NUMBER, Quantity("cotangent", "x"))
OF_A = Question(NUMBER, Quantity("passed", "a", 1))


def fork() -> Lab:
    return opened(start(), parse(FORK), "Open")


def asked(*questions: Question, hides: str = "cotangents") -> Lab:
    return ask(fork(), questions or (AT_X,), hides)


def shown(lab: Lab) -> dict:
    return lab_drawing(lab, lab_view(lab))


BENT = "x = 3.0\na = stop_gradient(2.0 * x)\nb = square(x)\nz = a + b"


def test_while_a_question_is_open_no_graph_is_compared_without_a_rule():
    lab = replace(opened(start(), parse(BENT), "Open"), selected="a")

    def offers(lab: Lab) -> list[str]:
        names = [field["id"] for field in node_data(lab, lab_view(lab), Answers())["fields"]]
        return [name for name in names if name.startswith("without_")]

    compared = {"kind": "without", "what": "rule", "name": "a"}
    assert offers(lab) == ["without_rule"]
    open_ = ask(lab, [AT_X], ASKED_ALONE)
    assert offers(open_) == []
    refused = edited(open_, {**compared, "seq": 1})
    assert (refused.pinned, refused.graph) == (None, lab.graph)
    assert [refusal.code for refusal in refused.notice] == ["hidden"]
    told = reveal(open_, 0)
    assert offers(told) == ["without_rule"]
    assert edited(told, compared).pinned.graph == lab.graph


def test_while_a_question_hides_numbers_there_is_no_forward_mode():
    forward = {"kind": "forward", "on": True}
    refused = edited(asked(), {**forward, "seq": 1})
    assert refused.forward is None
    assert [refusal.code for refusal in refused.notice] == ["hidden"]
    assert shown(refused)["forward"] is None
    told = edited(reveal(asked(), 0), forward)
    assert told.forward == (("x", 1.0),)
    assert shown(told)["forward"]["blocked"] == []


def test_forward_mode_waits_for_the_answer_of_a_question_that_comes_later():
    """Cards have no tangents meanwhile, so nothing says that they do."""
    lab = ask(edited(fork(), {"kind": "forward", "on": True}), [AT_X], "cotangents")
    x = replace(lab, selected="x")

    def fields(lab: Lab) -> list[str]:
        return [field["id"] for field in node_data(lab, lab_view(lab), Answers())["fields"]]

    assert (lab_view(lab).tangents, shown(lab)["forward"]) == (None, None)
    assert "tangent" not in record(lab, "x")
    assert "tangent" not in fields(x)
    told = reveal(x, 0)
    assert shown(told)["forward"]["blocked"] == []
    assert record(told, "x")["tangent"] == 1
    assert "tangent" in fields(told)


def record(lab: Lab, node: str) -> dict:
    return next(one for one in shown(lab)["nodes"] if one["id"] == node)


def wire(lab: Lab, to: str, slot: int) -> dict:
    return next(one for one in shown(lab)["wires"] if (one["to"], one["slot"]) == (to, slot))


def item(lab: Lab, at: int = 0) -> dict:
    return shown(lab)["asking"]["items"][at]


def test_what_is_asked_hides_what_arrives_and_the_wires_that_bring_it_and_leaves_the_values():
    lab = asked(hides=ASKED_ALONE)
    assert record(lab, "x") | {"hidden": ["cotangent"], "value": 3} == record(lab, "x")
    assert "cotangent" not in record(lab, "x")
    for reader, slot in (("a", 1), ("b", 0)):
        assert wire(lab, reader, slot)["hidden"]
        assert "passed" not in wire(lab, reader, slot)
    assert record(lab, "z")["cotangent"] == 1  # the seed is on view
    assert wire(lab, "z", 0)["passed"] == 1


def test_all_cotangents_or_all_values_can_be_hidden_and_the_input_stays():
    lab = asked()
    assert all("cotangent" not in one and one["hidden"] for one in shown(lab)["nodes"])
    assert record(lab, "b")["value"] == 9
    lab = asked(hides="values")
    assert "value" not in record(lab, "b")
    assert record(lab, "x")["value"] == 3


def test_numbers_can_be_hidden_without_a_question():
    lab = ask(fork(), (), "cotangents")
    assert "cotangent" not in record(lab, "x")
    assert record(stop_asking(lab), "x")["cotangent"] == 8


def test_the_shape_of_a_hidden_value_stays_unless_it_is_asked_for():
    lab = opened(start(), parse("x = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]\ny = sin(x)\nz = sum(y)"), "Open")
    hidden = ask(lab, [Question(NUMBER, Quantity("value", "z"))], "values")
    assert record(hidden, "y")["dims"] == [2, 3]
    asks = ask(lab, [Question("shape", Quantity("value", "y"))], ASKED_ALONE)
    assert "dims" not in record(asks, "y")
    assert record(asks, "y")["h"] < record(hidden, "y")["h"]  # the card of a number


def test_the_sum_of_the_wires_into_a_collapsed_group_is_hidden_with_one_of_them():
    text = 'x = 3.0\nwith group("g"):\n    a = 2.0 * x\n    b = square(x)\n    z = a + b'
    lab = opened(start(), parse(text), "Open")
    assert shown(lab)["groups"][0]["sums"] == [{"from": "x", "passed": 8}]
    (sums,) = shown(ask(lab, [OF_A], ASKED_ALONE))["groups"][0]["sums"]
    assert sums == {"from": "x", "hidden": True}


@pytest.mark.parametrize(
    ("text", "right", "mistake", "points_to"),
    [("8", True, None, None), ("2", False, "one-path", "a:1"), ("12", False, "product", None)],
)
def test_an_answer_is_judged_and_a_wrong_one_points_to_a_wire(text, right, mistake, points_to):
    lab = answered(asked(), 0, text)
    verdict = item(lab)["verdict"]
    assert verdict["right"] is right
    assert bool(item(lab)["revealed"]) is right
    if mistake == "one-path":
        assert verdict["wire"] == points_to
    if not right:
        assert "answer" not in item(lab)
        assert "8" not in verdict["says"]


def test_after_a_right_answer_the_number_stands_with_its_reason_and_the_guess():
    lab = answered(asked(), 0, "16/2")
    assert record(lab, "x")["cotangent"] == 8
    assert record(lab, "x")["guess"] == "your answer: 16/2"
    assert item(lab)["answer"] == "8"
    assert "2 + 6 = 8" in item(lab)["reason"]
    assert shown(lab)["asking"]["at"] is None
    line = r'av1 z-[0-9a-f]{4}: number "What arrives at x\?" 1 try right'
    assert re.fullmatch(line, shown(lab)["asking"]["summary"])


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (Quantity("passed", "y", 0), Quantity("passed", "y", 1)),
        (Quantity("cotangent", "w"), Quantity("cotangent", "x")),
        (Quantity("value", "w"), Quantity("value", "x")),
    ],
    ids=lambda each: f"{each.of} {each.node}",
)
@pytest.mark.parametrize(("text", "at"), [("w", "w"), ("x", "x"), ("the second", "x"), ("same", "w")])
def test_which_of_two_is_larger_is_answered_at_the_one_that_the_answer_names(one, two, text, at):
    lab = opened(start(), parse("w = 3.0\nx = 2.0\ny = w * x"), "Open")
    lab = answered(ask(lab, [Question(LARGER, one, two)], ASKED_ALONE), 0, text)
    assert {node["id"]: node["guess"] for node in shown(lab)["nodes"] if node.get("guess")} == {
        at: f"your answer: {text}"
    }
    gone = edited(lab, {"kind": "delete", "nodes": ["x"]})
    assert {node["id"] for node in shown(gone)["nodes"] if node.get("guess")} <= {"w"}


def test_two_wrong_answers_or_none_reveal_it_and_a_text_that_cannot_be_read_is_no_try():
    once = answered(asked(), 0, "5")
    twice = answered(once, 0, "6")
    assert [asking_of(each).asked[0].revealed for each in (once, twice)] == [False, True]
    assert asking_of(answered(asked(), 0, "?")).asked[0].revealed
    assert asking_of(reveal(asked(), 0)).asked[0].revealed
    odd = edited(asked(), {"kind": "answer", "at": 0, "text": "eight", "seq": 4})
    assert odd.notice[0].code == "unread-answer"
    assert asking_of(odd).asked[0].tries == ()
    assert answered(twice, 0, "8") is twice
    assert answered(asked(), 7, "8").asking == asked().asking


def test_asking_answering_and_revealing_are_no_steps_of_undo():
    lab = answered(asked(), 0, "2")
    assert lab.history is asked().history or lab.history == asked().history
    edits = edited(lab, {"kind": "rules", "nodes": ["b"], "rule": "stop"})
    assert asking_of(edited(edits, {"kind": "undo"})) == asking_of(lab)


def test_a_guess_is_about_the_numbers_it_was_made_for():
    lab = answered(asked(), 0, "2")
    stopped = edited(lab, {"kind": "rules", "nodes": ["b"], "rule": "stop"})
    assert item(stopped)["before"] == "Your answer, 2, was about the graph before."
    assert "verdict" not in item(stopped)
    assert record(stopped, "x")["guess"] == "your answer before: 2"
    moved = edited(lab, {"kind": "move", "positions": {"x": [500, 500]}})
    assert item(moved)["verdict"]["right"] is False  # where it stands changes no number
    now = answered(stopped, 0, "2")
    assert item(now)["verdict"]["right"] is True
    assert asking_of(now).asked[0].tries == ("2",)
    assert item(edited(stopped, {"kind": "undo"}))["verdict"]["right"] is False


def test_after_a_change_it_is_still_said_whether_the_answer_was_right_and_with_which_inputs():
    right = answered(asked(), 0, "8")
    wrong = answered(answered(asked(), 0, "2"), 0, "5")
    for lab, was in ((right, "right (8)"), (wrong, "not right (5)")):
        moved = set_input(lab, "x", 1.5)
        assert item(moved)["before"] == f"You were {was}, with x = 3."
        assert "answer" not in item(moved)
        stopped = edited(moved, {"kind": "rules", "nodes": ["b"], "rule": "stop"})
        assert item(stopped)["before"] == f"You were {was}, before the graph was changed."
        # A link keeps whether it was right; without its inputs it does not say which these were.
        back = from_query(to_query(moved))
        assert item(back)["before"] == f"You were {was}, before the graph was changed."
    nearly = set_input(answered(asked(), 0, "8.1"), "x", 1.5)
    assert item(nearly)["before"] == "Your answer, 8.1, was about the graph before."


HELPS = "Undo, or remove the question."


def numbers(lab: Lab) -> set[str]:
    """All that the drawing says of cotangents and of what wires bring."""
    drawn = shown(lab)
    found = {str(each.get("cotangent", "")) for each in drawn["nodes"]}
    return (found | {str(each.get("passed", "")) for each in drawn["wires"]}) - {""}


def test_a_question_about_a_node_that_is_gone_says_so_shows_no_number_and_comes_back_with_undo():
    """What `b` brings is 6 and what arrives at `x` is 8: with `a` gone, 6 alone would be seen at both."""
    lab = edited(answered(asked(OF_A, hides=ASKED_ALONE), 0, "5"), {"kind": "delete", "nodes": ["a"]})
    assert item(lab)["gone"] == f"`a` is no longer in the graph. {HELPS}"
    assert "form" not in {name for name, each in item(lab).items() if each}
    assert hiding(lab)
    assert numbers(edited(lab, {"kind": "output", "node": "b"})) == set()
    assert shown(lab)["asking"]["at"] is None
    assert "summary" not in shown(lab)["asking"]
    assert answered(lab, 0, "2") is lab
    back = edited(lab, {"kind": "undo"})
    assert back.asking == answered(asked(OF_A, hides=ASKED_ALONE), 0, "5").asking
    assert "gone" not in {name for name, each in item(back).items() if each}
    assert numbers(back) == numbers(asked(OF_A, hides=ASKED_ALONE))
    assert not hiding(stop_asking(lab))


def test_of_two_questions_one_whose_node_is_gone_can_be_removed_and_the_other_be_answered():
    lab = edited(asked(AT_X, OF_A), {"kind": "delete", "nodes": ["a"]})
    assert shown(lab)["asking"]["at"] == 0
    both_gone = edited(asked(OF_A, replace(OF_A, kind=ZERO), AT_X), {"kind": "delete", "nodes": ["a"]})
    left = edited(
        both_gone, {"kind": "ask", "hides": "cotangents", "questions": [record_of(OF_A), record_of(AT_X)]}
    )
    assert left.notice == ()
    assert [each.question for each in left.asking.asked] == [OF_A, AT_X]
    new = edited(
        left,
        {
            "kind": "ask",
            "hides": "cotangents",
            "questions": [record_of(Question(ZERO, Quantity("value", "a")))],
        },
    )
    assert new.notice[0].code == "bad-question"


def test_a_handout_and_a_figure_leave_out_a_question_whose_node_is_gone():
    lab = edited(asked(AT_X, OF_A), {"kind": "delete", "nodes": ["a"]})
    lab = edited(lab, {"kind": "output", "node": "b"})
    printed = handout_of(lab, None, qr_code)
    assert ("arrives at" in printed, "wire from" in printed) == (True, False)
    assert "<title>" in html_of_lab(lab, None)


def record_of(question: Question) -> dict:
    about = question.about
    return {"kind": question.kind, "of": about.of, "node": about.node, "slot": about.slot}


def test_a_question_about_a_wire_that_is_gone_or_into_a_muted_node_says_so():
    second = Question(NUMBER, Quantity("passed", "z", 1))
    lab = ask(fork(), [second], ASKED_ALONE)
    cut = edited(lab, {"kind": "disconnect", "to": "z", "slot": 1})
    assert item(cut)["gone"] == f"The wire to `z` is no longer in the graph. {HELPS}"
    muted = edited(lab, {"kind": "mute", "nodes": ["z"], "on": True})
    assert item(muted)["gone"] == f"`z` is muted, so this wire brings nothing. {HELPS}"
    assert numbers(muted) == set()
    assert item(edited(muted, {"kind": "mute", "nodes": ["z"], "on": False}))["gone"] is None


def test_a_question_about_a_muted_or_grouped_node_stays():
    """By hand: `b` passes on what it reads once it is muted, so 2 + 1 = 3 arrives at `x`."""
    lab = edited(asked(hides=ASKED_ALONE), {"kind": "mute", "nodes": ["b"], "on": True})
    assert item(lab)["gone"] is None
    assert "cotangent" not in record(lab, "x")
    assert item(answered(lab, 0, "3"))["verdict"]["right"]
    grouped = edited(asked(OF_A, hides=ASKED_ALONE), {"kind": "group", "nodes": ["a", "b"]})
    (name,) = (group.name for group in grouped.graph.groups)
    folded = edited(grouped, {"kind": "collapse", "group": name, "on": True})
    for each in (grouped, folded):
        assert item(each)["gone"] is None
        assert "2" not in numbers(each)
        assert item(answered(each, 0, "2"))["verdict"]["right"]


def test_without_the_graph_that_is_compared_a_question_for_both_waits_and_hides():
    pinned = edited(fork(), {"kind": "pin"})
    lab = ask(pinned, [Question("same", Quantity("cotangent", "x"))], ASKED_ALONE)
    alone = edited(lab, {"kind": "unpin"})
    assert item(alone)["gone"] == f"No graph is pinned any more, with which this one is compared. {HELPS}"
    assert numbers(alone) == set()
    renamed = edited(lab, {"kind": "rename", "node": "x", "name": "k"})
    assert item(renamed)["gone"] == f"`k` is not in A, with which this graph is compared. {HELPS}"
    assert item(edited(renamed, {"kind": "undo"}))["gone"] is None


def test_a_question_follows_its_node_to_another_name_and_back():
    worded = replace(AT_X, words="What arrives at `x`?", told=(("5", "`x` is read twice."),))
    lab = answered(asked(worded, OF_A, hides=ASKED_ALONE), 0, "6")
    renamed = edited(lab, {"kind": "rename", "node": "x", "name": "k"})
    question = renamed.asking.asked[0].question
    assert question.about.node == "k"
    assert (question.words, question.told) == ("What arrives at `k`?", (("5", "`k` is read twice."),))
    assert {each for each in ("2", "6", "8") if each in numbers(renamed)} == set()
    assert item(renamed)["verdict"] == item(lab)["verdict"] | {"wire": "b:0"}
    assert item(renamed)["gone"] is None
    assert item(answered(renamed, 0, "8"))["verdict"]["right"]
    undone = edited(renamed, {"kind": "undo"})
    assert undone.asking == lab.asking
    assert edited(undone, {"kind": "redo"}).asking == renamed.asking
    twice = edited(
        edited(renamed, {"kind": "rename", "node": "a", "name": "x"}),
        {"kind": "slide", "name": "k", "value": 4.0},
    )
    assert [each.question.about.node for each in twice.asking.asked] == ["k", "x"]
    first = next(i for i, entry in enumerate(twice.history.entries) if entry.graph == lab.graph)
    assert edited(twice, {"kind": "jump", "index": first}).asking == lab.asking


def test_a_question_follows_a_name_that_is_changed_in_the_formula():
    formula = {"kind": "type", "text": FORK.replace("x", "apples"), "fresh": True}
    lab = edited(asked(), formula)
    assert lab.asking.asked[0].question.about.node == "apples"
    more = edited(asked(), {**formula, "text": formula["text"].replace("2.0", "5.0")})
    assert item(more)["gone"] == f"`x` is no longer in the graph. {HELPS}"


def test_answers_that_name_nodes_follow_too():
    """By hand: 2 comes by `a` and 6 by `b`; the stop is the cause of a zero."""
    wires = Question(LARGER, Quantity("passed", "a", 1), Quantity("passed", "b", 0))
    lab = edited(answered(asked(wires), 0, "the wire from a"), {"kind": "rename", "node": "a", "name": "c"})
    assert lab.asking.asked[0].tries == ("the wire from c",)
    assert item(lab)["verdict"]["right"] is False
    assert item(answered(lab, 0, "the wire from b"))["verdict"]["right"]


def test_everything_that_would_show_a_number_waits():
    lab = edited(asked(), {"kind": "select", "node": "x"})
    view = lab_view(lab)
    assert not view.complete
    assert view.sweeps == {}
    assert sweep_tables(view, {"x": "any"}) == []
    assert data_of(PARTS["figure"], lab, view) == ASKED
    assert check_data(lab, view, Answers(), True) == {"notes": []}
    details = node_data(lab, view, Answers())
    assert details["arriving"] is None
    assert details["hidden"] == ["cotangent"]
    reader = edited(lab, {"kind": "select", "node": "a"})
    assert node_data(reader, lab_view(reader), Answers())["wires"][0]["passed"] == "?"
    steps = {step["node"]: step["says"] for step in play_data(view, 1)["steps"] if step.get("back")}
    assert steps["x"] == "? arrives at x"
    pinned = edited(lab, {"kind": "pin"})
    assert shown(pinned)["twins"]["kind"] == "waits"


def test_play_says_the_number_once_it_is_revealed():
    lab = answered(asked(), 0, "?")
    steps = [step["says"] for step in play_data(lab_view(lab), 1)["steps"] if step["node"] == "x"]
    assert "2 + 6 = 8 arrives at x" in steps[-1]
    both = reveal(asked(AT_X, OF_A), 0)
    steps = [step["says"] for step in play_data(lab_view(both), 1)["steps"] if step["node"] == "x"]
    assert steps[-1] == "8 arrives at x"


def test_a_step_of_a_training_hides_its_numbers_and_its_loss():
    text = "w = parameter(2.0)\nx = 3.0\nz = square(w * x - 1.0)"
    lab = opened(start(), parse(text), "Open")
    lab = ask(lab, [Question(NUMBER, Quantity("cotangent", "w"))], "values")
    assert data_of(PARTS["train"], lab, lab_view(lab)) == ASKED
    assert data_of(PARTS["curves"], lab, lab_view(lab)) is None
    assert shown(lab)["moment"] is None


def test_an_answer_about_a_step_of_a_training_is_not_judged_by_that_of_another():
    """What arrives at w is -10 * 0.9^2 at step 2 with the rate 0.02, and -10 * 0.8^2 with 0.04."""
    slow = replace(trained(lab_of(), 3), step=2)
    settings = replace(slow.plan.settings, rate=0.04)
    fast = trained(replace(lab_of(), plan=replace(slow.plan, settings=settings)), 3)
    lab = answered(ask(slow, [Question(NUMBER, Quantity("cotangent", "w"))], "cotangents"), 0, "-8.1")
    assert item(lab)["verdict"]["right"]
    other = item(replace(fast, step=2, asking=lab.asking))
    assert "verdict" not in other
    assert other["before"] == "You were right (\u22128.1), before the graph was changed."
    again = ask(replace(fast, step=2), [lab.asking.asked[0].question], "cotangents")
    assert item(answered(again, 0, "-6.4"))["verdict"]["right"]


def test_a_cure_is_refused_while_its_numbers_are_hidden():
    lab = edited(asked(), {"kind": "mend", "of": "zero", "node": "x", "mend": "any"})
    assert [problem.code for problem in lab.notice] == ["hidden"]


# The record of what is hidden


def test_nothing_is_computed_of_a_concealed_trace():
    run = trace(parse(FORK))
    hidden = conceal(run, {("cotangent", "x"), ("value", "x"), ("passed", "a", 1)})
    assert isinstance(hidden, Concealed)
    assert "x" in hidden.value  # the formula says it
    assert {"x"} == run.cotangent.keys() - hidden.cotangent.keys()
    assert hidden.identity != run.identity
    with pytest.raises(GraphError) as refusal:
        known_trace(hidden)
    assert refusal.value.problems[0].code == "hidden"
    assert conceal(run, ()) is run


def test_a_picture_of_a_concealed_trace_has_question_marks():
    run = trace(parse(FORK))
    assert ">8<" in svg_of(run.graph, run)
    drawn = svg_of(run.graph, conceal(run, {("cotangent", "x"), ("passed", "a", 1), ("passed", "b", 0)}))
    assert ">8<" not in drawn
    assert ">?<" in drawn


# Links


def test_a_teachers_link_has_the_questions_and_a_students_copy_the_guesses_too():
    lab = asked(replace(AT_X, words="How much?", told=(("5", "Count again."),)), OF_A)
    assert from_query(to_query(lab)).asking == lab.asking
    assert GUESS not in to_query(lab)
    tried = answered(reveal(lab, 1), 0, "2")
    assert from_query(to_query(tried)).asking == tried.asking
    teacher = {key: value for key, value in to_query(tried).items() if key != GUESS}
    assert from_query(teacher).asking == lab.asking


def test_questions_come_with_a_lesson_too():
    query = {"lesson": KEY, ASK: to_query(asked())[ASK]}
    assert hiding(from_query(query))


def test_the_state_of_another_document_keeps_its_questions():
    lab = edited(answered(asked(), 0, "2"), {"kind": "new"})
    assert asking_of(lab) is None
    data = {**trail(lab.history).data, "documents": documents(lab)}
    _, aside = with_documents(lab.history, Trail(**data))
    kept = [other.asking for _, other in aside if other.asking]
    assert kept == [answered(asked(), 0, "2").asking]
    assert asking_of(edited(lab, {"kind": "undo"})) == kept[0]


def test_a_link_says_in_a_word_that_a_lesson_asks_its_own_questions():
    lab = open_lesson(start(), KEY)
    assert to_query(lab)[ASK] == OWN
    tried = answered(lab, 0, "6")
    assert {**to_query(tried), GUESS: ""} == {**to_query(lab), GUESS: ""}
    for query in (
        to_query(tried),
        short_query(tried),
        {"lesson": KEY, ASK: OWN, GUESS: to_query(tried)[GUESS]},
    ):
        assert from_query(query).asking == tried.asking
    one_more = ask(lab, [*(each.question for each in lab.asking.asked), OF_A], ASKED_ALONE)
    shows_less = ask(lab, [lab.asking.asked[0].question], "values")
    for other in (one_more, shows_less):
        assert to_query(other)[ASK] != OWN
        assert from_query(to_query(other)).asking == other.asking
    assert from_query(to_query(stop_asking(lab))).asking is None
    (problem,) = from_query({**to_query(fork()), ASK: OWN}).notice
    assert problem.code == "unreadable-questions"


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("asked_*.json")))
def test_links_of_an_earlier_version_ask_what_they_asked(name):
    kept = json.loads((FOLDER / name).read_text("utf-8"))
    assert len(kept) >= 5
    for each in kept.values():
        lab = from_query(each["query"])
        assert (meaning(lab.asking), lab.notice) == (each["means"], ())
        assert from_query(to_query(lab)).asking == lab.asking


LONG = "w" * (limits.WORDS + 1)


@pytest.mark.parametrize(
    "value",
    [
        [],
        {},
        ["everything"],
        ["asked", 5],
        ["asked", ["guess", ["value", "x"]]],
        ["asked", ["number", ["weight", "x"]]],
        ["asked", ["number", ["value", 5]]],
        ["asked", ["number", ["value", "x", "a"]]],
        ["asked", ["number", ["value", "x", None, ["a"]]]],
        ["asked", ["number", ["value", "x"], None, LONG]],
        ["asked", *[["number", ["value", "x"]]] * (limits.QUESTIONS + 1)],
        ["asked", ["number", ["value", "x"], None, "", [["1"]]]],
        ["asked", [[[[[[[[[["deep"]]]]]]]]]]],
    ],
)
def test_questions_that_cannot_be_read_are_left_out_with_the_reason(value):
    lab = from_query({**to_query(fork()), ASK: packed(json.dumps(value))})
    assert asking_of(lab) is None
    assert lab.notice[0].code == "unreadable-questions"
    assert lab.graph == fork().graph


@pytest.mark.parametrize(
    "guess", ["", "!", packed("[5]"), packed('[["now", 1, 7]]'), packed('[["x"]]'), packed("{}")]
)
def test_guesses_that_cannot_be_read_leave_the_questions(guess):
    lab = from_query({**to_query(asked()), GUESS: guess})
    assert lab.asking == asked().asking


def test_a_guess_from_outside_that_no_one_could_type_has_no_verdict():
    query = to_query(answered(asked(), 0, "2"))
    of = answered(asked(), 0, "2").asking.asked[0].of
    lab = from_query({**query, GUESS: packed(json.dumps([[of, 0, "<b>"]]))})
    assert "verdict" not in item(lab)
    assert record(lab, "x")["guess"] == "your answer: <b>"  # which the browser writes as text


# Edits


@pytest.mark.parametrize(
    ("questions", "hides", "code"),
    [
        ([{"kind": "number", "of": "cotangent", "node": "q"}], "asked", "bad-question"),
        ([{"kind": "number", "of": "passed", "node": "a", "slot": 0}], "asked", "bad-question"),
        ([{"kind": "number", "of": "weight", "node": "x"}], "asked", "bad-question"),
        ([{"kind": "guess", "of": "value", "node": "x"}], "asked", "bad-question"),
        ([{"kind": "same", "of": "value", "node": "x"}], "asked", "bad-question"),
        ([{"kind": "zero", "of": "value", "node": "x", "other": ["a", 1]}], "asked", "bad-question"),
        ([{"kind": "cause", "of": "cotangent", "node": "x"}], "asked", "no-cause"),
        ([], "everything", "bad-question"),
    ],
)
def test_a_question_that_the_graph_cannot_answer_is_refused(questions, hides, code):
    lab = edited(fork(), {"kind": "ask", "hides": hides, "questions": questions})
    assert [problem.code for problem in lab.notice] == [code]
    assert asking_of(lab) is None


def test_more_questions_than_there_may_be_are_refused_as_an_edit():
    one = {"kind": "zero", "of": "value", "node": "x"}
    lab = edited(fork(), {"kind": "ask", "hides": "asked", "questions": [one] * (limits.QUESTIONS + 1)})
    assert asking_of(lab) is None
    with pytest.raises(GraphError):
        ask(fork(), [AT_X] * (limits.QUESTIONS + 1), ASKED_ALONE)


def test_an_answer_is_kept_when_other_questions_are_added_moved_or_removed():
    lab = answered(asked(AT_X, OF_A), 0, "2")
    x = {"kind": "number", "of": "cotangent", "node": "x"}
    a = {"kind": "number", "of": "passed", "node": "a", "slot": 1}
    turned = edited(lab, {"kind": "ask", "hides": "cotangents", "questions": [a, x]})
    assert [each.tries for each in asking_of(turned).asked] == [(), ("2",)]
    worded = edited(turned, {"kind": "ask", "hides": "cotangents", "questions": [{**x, "words": "Hm?"}]})
    assert item(worded)["says"] == "Hm?"
    assert asking_of(worded).asked[0].tries == ()  # another question


def test_both_wires_of_a_comparison_are_hidden():
    larger = {"kind": "larger", "of": "passed", "node": "a", "slot": 1, "other": ["b", 0]}
    lab = edited(fork(), {"kind": "ask", "hides": "asked", "questions": [larger]})
    assert not lab.notice
    assert wire(lab, "a", 1)["hidden"]
    assert wire(lab, "b", 0)["hidden"]
    assert item(answered(lab, 0, "b"))["verdict"]["right"]


def test_a_zero_can_be_asked_for_and_the_stop_is_its_cause():
    lab = edited(fork(), {"kind": "rules", "nodes": ["a"], "rule": "stop"})
    lab = ask(lab, [Question(ZERO, Quantity("passed", "a", 1))], ASKED_ALONE)
    assert item(answered(lab, 0, "zero"))["verdict"]["right"]


def test_lines_of_two_own_graphs_begin_otherwise_and_a_slider_makes_no_other_graph():
    lab = asked()
    moved = edited(lab, {"kind": "slide", "name": "x", "value": 4.0})
    assert result_title(moved) == result_title(lab)
    assert result_title(asked(replace(AT_X, kind="zero"))) != result_title(lab)
    assert re.fullmatch("z-[0-9a-f]{4}", result_title(lab))
    tour = Tour(title="Two Uses!", steps=(Step("A", "x = 1.0"), Step("B", "x = 1.0\ny = x * x")))
    toured = ask(go_to(start(), tour, 1), [Question("zero", Quantity("cotangent", "x"))], "cotangents")
    assert result_title(toured) == "two-uses-2"
