"""Test that no message of the server holds a number that is asked for, whatever is looked at meanwhile."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from autodiff_viz.asking.question import HIDES
from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.lab.asking import hidden_places
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.persistence.address import to_query
from autodiff_viz.lab.state import Lab, opened, start
from autodiff_viz.language.parse import parse
from autodiff_viz.ui.exchange import apply_message, make_answer
from autodiff_viz.ui.session import SESSION, Session
from tests.own_lesson import KEY
from tests.seeds import seeded

APP = str(Path(__file__).parents[2] / "app.py")
PRIMES = (3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97)


def random_formula(seed: int) -> str:
    """A formula of products, sums and differences of small primes: all its numbers are integers, most of them
    large and all different."""
    draw = random.Random(seeded(seed))
    primes = draw.sample(PRIMES, 6)
    lines = [f"x_{i} = {prime}.0" for i, prime in enumerate(primes[:4])]
    names = [f"x_{i}" for i in range(4)]
    for i in range(5):
        one, two = draw.sample(names[-3:] if i else names, 2)
        sign = "*" if i % 2 == 0 else draw.choice("+-")
        lines.append(f"h_{i} = {one} {sign} {two}")
        names.append(f"h_{i}")
    lines.append(f"z = h_4 * h_3 * {primes[4]}.0 + x_0 * h_2")
    return "\n".join(lines)


def spellings(number: float) -> set[str]:
    """The ways in which the page may write a whole number of at least five digits."""
    whole = str(abs(int(number)))
    power = len(whole) - 1
    few = {f"{abs(number):.{digits}e}".split("e")[0].rstrip("0").rstrip(".") for digits in (3, 4, 5, 6)}
    short = {f"{mantissa}e+{power:02d}" for mantissa in few} | {f"{mantissa}e{power}" for mantissa in few}
    return {whole, f"{int(whole):,}", *short}


def asked_lab(seed: int, hides: str) -> tuple[Lab, set[str]]:
    """A lab in which some number is asked for, and the spellings of all that must not be told."""
    lab = opened(start(), parse(random_formula(seed)), "Open")
    for about in (node.name for node in lab.graph.nodes):
        question = {"kind": "number", "of": "cotangent", "node": about}
        asked = edited(lab, {"kind": "ask", "hides": hides, "questions": [question]})
        assert not asked.notice
        if secret := secrets(asked, about, hides):
            return asked, secret
    return asked_lab(seed + 100, hides)  # all numbers of that one are too small to be found in other texts


def secrets(lab: Lab, about: str, hides: str) -> set[str]:
    """The spellings of the numbers that the question hides, and that are on view nowhere else."""
    run = trace(lab.graph)
    into = [wire for wire in run.passed if lab.graph[wire[0]].slots[wire[1]] == about]
    hidden = [run.cotangent[about], *(run.passed[wire] for wire in into)]
    if hides != "asked":
        hidden += [*run.cotangent.values(), *run.passed.values()]
    if hides == "values":
        hidden += [run.value[node.name] for node in lab.graph.nodes if node.slots]
    shown = [] if hides == "values" else [*run.value.values()]
    if hides == "asked":
        places = hidden_places(lab, lab.graph)
        shown += [run.cotangent[name] for name in run.cotangent if ("cotangent", name) not in places]
        shown += [run.passed[wire] for wire in run.passed if ("passed", *wire) not in places]
    known = {abs(float(each)) for each in shown}
    secret = {abs(float(each)) for each in hidden} - known
    return {text for each in secret if each >= 10_000 for text in spellings(each)}


def sent(lab: Lab, figures: Iterable[str]) -> Iterator[str]:
    """All that the server sends a visitor who opens the lab's address and looks at everything there."""
    app = AppTest.from_file(APP, default_timeout=120)
    app.query_params.update(to_query(lab))
    app.run()
    assert not app.exception
    session: Session = app.session_state[SESSION]
    yield from texts_of(app)
    for figure in figures:
        session.lab = edited(session.lab, {"kind": "figure", "figure": figure})
        session.parts.shown.clear()
        app.run()
        assert not app.exception
        yield from texts_of(app)
    edits: list[dict[str, Any]] = [{"kind": "select", "node": node.name} for node in lab.graph.nodes]
    edits += [{"kind": "forward", "on": True}, {"kind": "pin"}, {"kind": "check", "on": True}]
    edits += [{"kind": "answer", "at": 0, "text": "12345"}]
    for number, edit in enumerate(edits, session.inbox.ack + 1):
        message = {
            "key": session.inbox.key,
            "edits": [{**edit, "seq": number}],
            "details": True,
            "seen": True,
        }
        apply_message(session, message)
        ask = {"key": session.inbox.key, "edits": [], "play": session.present.state, "details": True}
        ask["want"] = [
            [node.name, session.present.view.sweeps.get(node.name, "")] for node in lab.graph.nodes
        ][:4]
        apply_message(session, {**ask, "rest": 1})
        answer = make_answer(session)
        yield json.dumps({k: str(v) for k, v in ((n, getattr(answer, n)) for n in answer.__struct_fields__)})
        app.run()
        yield from texts_of(app)


def texts_of(app: AppTest) -> Iterator[str]:
    """The text of each element of a page, as it is sent."""
    waiting = [app._tree]
    while waiting:
        element = waiting.pop()
        waiting.extend(getattr(element, "children", {}).values())
        if (proto := getattr(element, "proto", None)) is not None:
            yield str(proto)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("hides", HIDES)
def test_no_spelling_of_a_hidden_number_is_sent(seed, hides):
    lab, secret = asked_lab(seed, hides)
    assert secret
    told = "\n".join(sent(lab, FIGURES))
    assert [text for text in sorted(secret) if text in told] == []
    # The same looks find them where nothing is asked.
    shown = "\n".join(sent(edited(lab, {"kind": "stop_asking"}), ()))
    assert [text for text in secret if text in shown]


def test_no_count_and_no_answer_of_an_author_is_sent():
    """9,617 + 9,617 numbers are kept in both: the region gives up a slope and keeps what enters it."""
    graph = (
        'x = input(shape=(9617,), seed=1)\na = sin(x)\nwith checkpoint("last"):\n    b = sin(a)\ny = sum(b)'
    )
    about = {"of": "kept", "node": "y"}
    questions = [
        {"kind": "number", **about},
        {"kind": "number", **about, "words": "And after a training?", "right": "73512.5"},
    ]
    lab = opened(start(), parse(graph), "Open")
    asked = edited(lab, {"kind": "ask", "hides": "asked", "questions": questions})
    assert not asked.notice
    told = "\n".join(sent(asked, ("residuals", "runs", "memory", "plans"))).replace("\\", "")
    twice = ["u00d72", "3032272", "\u00d72"]  # as it is escaped, without backslashes
    marks = [*twice, '"dropped":1']  # of a region whose runs JAX makes again, or drops
    secret = ["19,234", "19234", *marks, "73512.5", "saves nothing", "is kept", "runs again"]
    assert [text for text in secret if text in told] == []
    shown = "\n".join(sent(lab, ("residuals",))).replace("\\", "")
    assert any(text in shown for text in marks)
    assert "19,234" in shown or "19234" in shown


def test_no_text_of_a_lesson_tells_what_is_asked_for():
    app = AppTest.from_file(APP, default_timeout=120)
    app.query_params["lesson"], app.query_params["variant"] = KEY, "1"  # a graph of which it asks nothing
    app.run()
    session: Session = app.session_state[SESSION]
    app.run()  # with what is beside the canvas
    told = ("2 is left", "3 + 3 is 6")  # of an exercise, and of the graph on view
    assert [text for text in told if any(text in said for said in texts_of(app))] == [*told]
    question = {"kind": "number", "of": "cotangent", "node": "x"}
    session.lab = edited(session.lab, {"kind": "ask", "hides": "cotangents", "questions": [question]})
    app.run()
    assert [text for text in told if any(text in said for said in texts_of(app))] == []
    session.lab = edited(session.lab, {"kind": "reveal", "at": 0})
    app.run()
    assert [text for text in told if any(text in said for said in texts_of(app))] == [*told]
