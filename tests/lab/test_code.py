"""Test code of other libraries as the text of a graph: typed, refused, edited, undone, opened and kept."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.lab.actions import redone, set_dtype, set_input, typed, undone
from autodiff_viz.lab.code import code_in, reading_of
from autodiff_viz.lab.code_examples import CODE_EXAMPLES
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.formula import formula
from autodiff_viz.lab.persistence.address import documents, from_query, to_query
from autodiff_viz.lab.persistence.history import trail
from autodiff_viz.lab.state import Lab, formula_text, start
from autodiff_viz.reading.notebooks import notebook_code
from autodiff_viz.reading.reading import read

SQUARE = """import torch

x = torch.tensor(3.0, requires_grad=True)
y = x * x
loss = 2.0 * y
loss.backward()
"""
"""The gradient is d(2 x^2)/dx = 4 x: 12 at 3."""
STOPPED = SQUARE.replace("2.0 * y", "2.0 * y.detach() * x")
HALF = SQUARE.replace("2.0 * y", "torch.fft.fft(y)")
ANSWERS = json.loads(Path(__file__).with_name("code_examples_answers.json").read_text("utf-8"))


def given(lab: Lab, kind: str, **fields: object) -> Lab:
    """The lab after one message."""
    return edited(lab, {"seq": 1, "kind": kind, **fields})


def gradient(lab: Lab, name: str = "x") -> np.ndarray:
    return np.asarray(trace(lab.graph, dtype=lab.dtype).gradient[name])


def reloaded(lab: Lab) -> Lab:
    """The lab after a reload: from its link, and from the history that the browser keeps."""
    kept = json.loads(json.dumps({**trail(lab.history).data, "documents": documents(lab)}))
    return edited(from_query(to_query(lab)), {"seq": 1, "kind": "kept", "trail": kept})


def line_of(lab: Lab, name: str) -> str:
    """The line of the text that a node comes from."""
    data = formula(lab)
    place = data["places"].split(" ")[[node.name for node in lab.graph.nodes].index(name)]
    return data["text"].split("\n")[int(place.partition(":")[0]) - 1]


def test_code_is_a_graph_and_stays_as_it_is():
    lab = typed(start(), SQUARE)
    assert formula_text(lab) == SQUARE
    assert gradient(lab) == 12.0
    data = formula(lab)
    assert (data["mistakes"], data["code"]["library"], data["code"]["other"]) == ([], "PyTorch", "")
    assert line_of(lab, "y") == "y = x * x"
    assert undone(lab).graph == start().graph


@pytest.mark.parametrize("title", [title for title, _ in CODE_EXAMPLES])
def test_examples_give_the_gradients_of_the_real_libraries(title):
    text = dict(CODE_EXAMPLES)[title]
    lab = typed(start(), text)
    assert (lab.draft, formula(lab)["mistakes"]) == (None, [])
    answer = np.asarray(ANSWERS[title]["answer"])
    if ANSWERS[title]["library"] == "numpy":  # it has no gradients
        np.testing.assert_allclose(read(text).values()["loss"], answer, rtol=1e-6)
    else:
        name = "w" if "detached" in title else "x"
        np.testing.assert_allclose(gradient(lab, name), answer, rtol=1e-6)
        np.testing.assert_allclose(read(text).answers()[name], answer, rtol=1e-6)


def test_examples_by_hand():
    answers = {title: np.asarray(one["answer"]) for title, one in ANSWERS.items()}
    # w s = -0.1 and w f = -0.05, so the target is 0.955, and the gradient -2 (0.955 + 0.1) [1, 2].
    np.testing.assert_allclose(answers["PyTorch: a target that is detached"], [-2.11, -4.22], rtol=1e-6)
    # [0.3, 1.6] is rounded to [0, 2], whose squares have slopes [0, 4]; the rounding passes them on.
    np.testing.assert_allclose(answers["PyTorch: a backward of one's own"], [0.0, 4.0])
    # sqrt has the slope 1/4 at 4; at 0 it is infinite, and its cotangent 0.
    np.testing.assert_allclose(answers["JAX: why is it NaN?"], [np.nan, 0.25])
    assert answers["JAX: a clipped gradient"] == 1.0  # of 3 2^2 = 12
    assert answers["TensorFlow: a second derivative"] == 18.0  # 6 x of x^3 at 3


def test_what_comes_before_a_refusal_is_the_graph_and_the_refusal_has_its_place():
    lab = typed(start(), HALF)
    assert (lab.draft, formula_text(lab)) == (None, HALF)
    assert {"x", "y"} <= set(lab.graph.by_name)
    assert "loss" not in lab.graph.by_name
    (mistake,) = formula(lab)["mistakes"]
    assert mistake["line"] == 5
    assert HALF.split("\n")[4][mistake["column"] :].startswith("torch.fft")
    assert line_of(lab, "y") == "y = x * x"


def test_the_page_says_how_much_was_read_and_goes_on_behind_a_refusal():
    text = SQUARE.replace("y = x * x", "z = torch.fft.fft(x)\ny = x * x")
    lab = typed(start(), text)
    assert gradient(lab) == 12.0
    data = formula(lab)
    assert [mistake["line"] for mistake in data["mistakes"]] == [
        text.split("\n").index("z = torch.fft.fft(x)") + 1
    ]
    count = len([line for line in text.split("\n") if line.strip()])
    assert data["code"]["extent"] == f"{count - 1} of {count} statements were read; this name is unknown: z."
    assert formula(typed(start(), SQUARE))["code"]["extent"] == ""


@pytest.mark.parametrize(
    ("wrong", "line"), [("2.0 * yy", 5), ("torch.tnesor(1.0)", 5), ("2.0 * (y", 5), ("2.0 * y.", 5)]
)
def test_while_a_line_is_being_written_the_graph_stays(wrong, line):
    before = typed(start(), SQUARE)
    lab = typed(before, SQUARE.replace("2.0 * y", wrong), fresh=False)
    assert lab.graph == before.graph
    assert lab.draft is not None
    assert [problem.line for problem in lab.mistakes] == [line]
    mended = typed(lab, SQUARE, fresh=False)
    assert (mended.draft, mended.graph, formula_text(mended)) == (None, before.graph, SQUARE)
    assert undone(mended).graph == start().graph  # all of it was one step


def test_other_code_that_is_refused_shows_what_comes_before_its_mistake():
    lab = typed(typed(start(), SQUARE), "import torch\n\na = torch.tensor(2.0)\nb = torch.fft.fft(a)\n")
    assert (lab.draft, set(lab.graph.by_name)) == (None, {"a"})


def test_imports_alone_are_a_draft_with_a_sentence():
    lab = typed(start(), "import torch\n")
    assert (lab.graph, lab.draft) == (start().graph, "import torch\n")
    assert [problem.code for problem in lab.mistakes] == ["no-value"]


def test_code_that_is_changed_is_one_step_with_its_own_words():
    lab = typed(typed(start(), SQUARE), STOPPED)
    assert lab.history.present.label == "Read code"
    assert typed(lab, "y = sin(2.0)").history.present.label == "Edit the formula"
    assert gradient(lab) == 18.0  # 2 x^2 with its square held: 2 9


def test_a_slider_leaves_the_code_and_a_sentence_says_so():
    lab = set_input(typed(start(), SQUARE), "x", 5.0)
    assert formula_text(lab) == SQUARE
    assert gradient(lab) == 20.0
    assert formula(lab)["code"]["other"] == "The numbers of 'x' are others here than in the code."
    assert formula(set_input(lab, "x", 3.0))["code"]["other"] == ""


def test_a_dtype_that_is_not_the_code_s_is_said():
    lab = set_dtype(typed(start(), SQUARE), "float64")
    assert formula_text(lab) == SQUARE
    assert formula(lab)["code"]["other"] == "The code computes in float32, this page in float64."


def test_code_in_float64_is_computed_so_and_undo_returns_to_the_dtype_before():
    text = "import torch\nx = torch.tensor(3.0, dtype=torch.float64)\ny = x * x\n"
    lab = typed(start(), text)
    assert lab.dtype == "float64"
    more = typed(lab, text + "z = y * x\n", fresh=False)
    assert (more.dtype, undone(more).dtype, undone(more).graph) == ("float64", "float32", start().graph)
    assert redone(undone(more)).dtype == "float64"


def test_places_of_cards_outlive_a_change_of_the_code():
    lab = typed(start(), SQUARE)
    lab = given(lab, "move", positions={"y": [400.0, 50.0]})
    assert formula_text(lab) == SQUARE
    assert typed(lab, STOPPED).graph["y"].position == (400.0, 50.0)


def test_a_structural_edit_makes_it_a_formula_and_undo_brings_the_code_back():
    before = typed(start(), SQUARE)
    lab = given(before, "delete", nodes=["loss"])
    assert "loss" not in lab.graph.by_name
    assert not code_in(formula_text(lab))
    assert lab.history.present.label.endswith("; the code became a formula")
    assert formula(lab)["code"] is None
    assert formula_text(undone(lab)) == SQUARE


def test_as_formula_is_a_step():
    before = typed(start(), SQUARE)
    lab = given(before, "as_formula")
    assert lab.graph == before.graph
    assert formula_text(lab).startswith("x = 3.0\ny = ")
    assert formula_text(undone(lab)) == SQUARE
    assert given(lab, "as_formula") is not None
    assert len(given(lab, "as_formula").history.past) == len(lab.history.past)


@pytest.mark.parametrize("text", [SQUARE, HALF, *dict(CODE_EXAMPLES).values()])
def test_the_link_carries_the_code(text):
    lab = typed(start(), text)
    again = from_query(to_query(lab))
    assert (formula_text(again), again.graph, again.dtype) == (text, lab.graph, lab.dtype)
    assert formula(again)["mistakes"] == formula(lab)["mistakes"]
    assert formula(again)["code"] == formula(lab)["code"]


def test_the_link_carries_a_slider_s_number_beside_the_code():
    again = from_query(to_query(set_input(typed(start(), SQUARE), "x", 0.1)))
    assert (formula_text(again), again.graph["x"].param("value")) == (SQUARE, 0.1)


def test_a_link_whose_graph_is_not_the_code_s_has_a_formula():
    query = to_query(typed(start(), SQUARE))
    other = to_query(typed(start(), STOPPED))
    assert not code_in(formula_text(from_query({**query, "g": other["g"]})))


def test_a_draft_of_code_outlives_a_reload():
    wrong = SQUARE.replace("2.0 * y", "2.0 * (y")
    lab = typed(typed(start(), SQUARE), wrong)
    again = from_query(to_query(lab))
    assert (again.draft, again.graph) == (wrong, lab.graph)
    assert [problem.line for problem in again.mistakes] == [5]


def test_undo_after_a_reload_leads_through_code():
    lab = given(set_input(typed(typed(start(), "y = sin(2.0)"), SQUARE), "x", 5.0), "as_formula")
    again = reloaded(lab)
    assert [entry.text for entry in again.history.entries] == [entry.text for entry in lab.history.entries]
    assert formula_text(undone(again)) == SQUARE
    assert formula(undone(undone(again)))["code"]["other"] == ""


def test_two_documents_keep_their_texts():
    lab = given(typed(start(), SQUARE), "import", text=STOPPED)
    assert formula_text(lab) == STOPPED.strip()
    again = reloaded(lab)
    assert formula_text(undone(again)) == SQUARE
    assert formula_text(redone(undone(again))) == STOPPED.strip()


@pytest.mark.parametrize("kind", ["import", "paste"])
def test_code_is_opened_and_pasted_as_a_whole(kind):
    where = {"at": [0.0, 0.0], "collapsed": []} if kind == "paste" else {}
    lab = given(start(), kind, text=SQUARE, **where)
    assert (formula_text(lab), gradient(lab)) == (SQUARE.strip(), 12.0)
    assert undone(lab).graph == start().graph
    refused = given(start(), kind, text="import os\nos.remove('x')\n", **where)
    assert refused.graph == start().graph
    assert [problem.code for problem in refused.notice] == ["import-unknown"]
    assert "line 2" in refused.notice[0].message
    unfinished = given(start(), kind, text="import torch\nx = (", **where)
    assert "This is not Python" in unfinished.notice[0].message


def test_a_line_that_reads_the_graph_is_pasted_as_a_formula():
    lab = given(start(), "paste", text="q = jnp.sin(x)", at=[0.0, 0.0], collapsed=[])
    assert [problem.code for problem in lab.notice] == ["paste"]
    assert "jnp" in lab.notice[0].message + lab.notice[0].hint


def test_code_that_is_pinned_stays_beside_its_change():
    lab = typed(given(typed(start(), SQUARE), "pin"), STOPPED)
    assert lab.pinned is not None
    assert (lab.pinned.text, formula_text(lab)) == (SQUARE, STOPPED)
    assert formula_text(given(lab, "flip")) == SQUARE
    assert from_query(to_query(lab)).pinned == lab.pinned


def test_a_graph_without_its_stop_beside_code_says_that_it_is_a_formula():
    lab = typed(start(), STOPPED)
    (stop,) = (node.name for node in lab.graph.nodes if node.rule.kind == "stop")
    lab = given(lab, "without", what="rule", name=stop)
    assert lab.history.present.label == f"Without stop at {stop}; the code became a formula"
    assert formula_text(undone(lab)) == STOPPED


def test_the_code_of_a_notebook_is_opened():
    cells = [
        {"cell_type": "markdown", "source": ["# import nothing"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "import torch\n", "!ls\n"]},
        {"cell_type": "code", "source": "x = torch.tensor(3.0, requires_grad=True)\n(x * x).backward()"},
    ]
    lab = given(start(), "import", text=json.dumps({"cells": cells, "nbformat": 4}))
    assert gradient(lab) == 6.0
    assert "matplotlib" not in formula_text(lab)
    assert notebook_code('{"cells": [{}]}') is None
    assert notebook_code('{"nodes": []}') is None


def test_a_history_from_outside_may_have_code_that_is_not_its_graph():
    lab = typed(start(), SQUARE)
    present = lab.history.present._replace(text=CODE_EXAMPLES[-1].text)
    lab = replace(lab, history=replace(lab.history, present=present))
    assert formula(lab)["text"] == CODE_EXAMPLES[-1].text


def test_a_text_is_read_once(monkeypatch):
    reading_of.forget()
    before = reading_of.misses()
    lab = typed(start(), SQUARE)
    formula(lab)
    for number in (1.0, 2.0):
        lab = set_input(lab, "x", number)
        formula(lab)
    from_query(to_query(lab))
    assert reading_of.misses() - before == 1


def test_what_is_kept_of_a_reading_is_its_graph():
    reading = reading_of(SQUARE)
    assert (reading.compute_answers, reading.compute_values) == (None, None)  # which hold the interpreter


def test_code_whose_arrays_are_too_large_is_refused_and_not_kept():
    arrays = [f"a{i} = jnp.ones((256, 256))" for i in range(12)]  # of 65,536 numbers each
    lab = typed(start(), "\n".join(["import jax.numpy as jnp", *arrays]))
    assert lab.graph == start().graph
    assert [problem.code for problem in lab.mistakes] == ["too-large"]
    assert not reading_of(lab.draft).graph.nodes


@pytest.mark.parametrize(
    ("text", "is_code"),
    [
        ("y = sin(2.0)", False),
        ("x = 1.5e-3\ny = concatenate([x, ...])", False),
        ("# see www.example.org\nx = 1.0", False),
        ("x = 1.0\ny = x.sum()", True),
        ("import torch\nx = (", True),
        ("from jax import numpy as jnp\nx = (", True),
        ("Dear all, import duties are (", False),
        (None, False),
    ],
)
def test_code_is_told_from_formulas(text, is_code):
    assert code_in(text) is is_code


def test_what_is_said_of_code_has_no_backticks():
    """The page draws these sentences as plain text."""
    text = f"{HALF}\nassert loss > 0\n"
    data = formula(typed(start(), text))
    (mistake,) = data["mistakes"]
    assert "torch.fft" in mistake["message"]
    said = [mistake["message"], mistake["hint"], data["code"]["extent"]]
    said += [change["says"] for change in data["code"]["changes"]]
    assert not [each for each in said if "`" in each]
