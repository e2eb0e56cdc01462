"""Test the page in parts, as Streamlit sends it."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.testing.v1 import AppTest, local_script_runner

from autodiff_viz.embedding.contract import CONTROLS
from autodiff_viz.lab.actions import typed
from autodiff_viz.lab.exercises import PLOTS
from autodiff_viz.lab.parts import LESSON, PARTS
from autodiff_viz.lab.state import start
from autodiff_viz.lab.training import pauses, trains
from autodiff_viz.ui import fragments
from autodiff_viz.ui.exchange import apply_message
from autodiff_viz.ui.fragments import LAB
from autodiff_viz.ui.pages import DRAWS
from autodiff_viz.ui.session import SESSION, Session
from tests.lab.regression import lab_of
from tests.ui.page import put

APP = str(Path(__file__).parents[2] / "app.py")


@pytest.mark.parametrize("lab", [start(), trains(lab_of(), 20_000)], ids=["at rest", "training"])
def test_a_part_that_runs_again_before_it_was_sent_leaves_no_hole(monkeypatch, lab):
    """Streamlit drops then what the part has sent. The browser refuses an element whose place is beyond the
    end of the block that it belongs to."""
    sent = []
    parse = local_script_runner.parse_tree_from_messages
    monkeypatch.setattr(
        local_script_runner,
        "parse_tree_from_messages",
        lambda messages: parse(sent.extend(messages) or messages),
    )
    app = AppTest.from_file(APP, default_timeout=60)
    put(app, lab)
    app.run()
    if lab.training:
        app.session_state[SESSION].trainer.put(None)
    parts = {message.delta.fragment_id for message in sent} - {""}
    assert len(parts) > 10
    for dropped in [*({part} for part in parts), parts]:
        assert holes(sent, dropped) == []


@pytest.mark.parametrize("beside", [{"want": []}, {"play": 0}, {"details": True}])
def test_a_figure_that_comes_into_view_is_due_whichever_message_says_so(monkeypatch, beside):
    """A phone asks for the tables of its sliders by itself. Streamlit keeps one message of two that come at
    once: here the one that says what is in view, and not the one that asks for the page's other parts."""
    monkeypatch.setattr(fragments, "is_seen", lambda parts: parts.seen)
    here = Session(start())
    for name in PARTS.keys() - {"figure"}:
        fragments.note_shown(here, name)
    assert fragments.rest_due(here)["due"] is False
    apply_message(here, {"key": here.inbox.key, "edits": [], "have": None, "seen": True, **beside})
    assert fragments.rest_due(here)["due"] is True


def test_a_training_that_began_with_a_run_of_the_whole_page_is_followed_though_its_part_comes_later():
    here = Session(trains(typed(start(), "w = parameter(1.0)\ny = w * w"), 3))
    for name in PARTS:
        fragments.note_shown(here, name)
    here.parts.shown[LAB], here.parts.settled = None, here.lab
    assert fragments.rest_due(here)["rest"] is None
    with fragments.whole_page(here, {}):
        asked = fragments.rest_due(here)
    assert asked == {"page": True, "due": False, "rest": fragments.AFTER_ALL}
    here.lab = pauses(here.lab)
    here.parts.settled = here.lab
    with fragments.whole_page(here, {}):
        assert fragments.rest_due(here)["rest"] is None


def test_each_part_is_drawn_somewhere_and_says_where_it_is_shown():
    assert {*DRAWS} == {LAB, *PARTS} - {LESSON.key}
    assert {part.frame for part in PARTS.values() if part.frame} <= {*CONTROLS}
    assert {part.plot for part in PARTS.values() if part.plot} < {*PLOTS}


def holes(sent: list, dropped: set[str]) -> list[list[int]]:
    """Places of elements that the browser would refuse, when these parts' own are dropped and come again: in
    a block that is not there, or beyond its end."""
    queue = ForwardMsgQueue()
    for message in sent:
        queue.enqueue(message)
    queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=list(dropped))
    again = [message for message in sent if message.delta.fragment_id in dropped]
    known, refused = {}, []
    for message in [*queue.flush(), *again]:
        if message.WhichOneof("type") != "delta":
            continue
        *parent, index = message.metadata.delta_path  # of the first numbers each is a root of its own
        children = known.setdefault(tuple(parent), set())
        is_known = len(parent) == 1 or parent[-1] in known.get(tuple(parent[:-1]), ())
        if index > len(children) or not is_known:
            refused.append(list(message.metadata.delta_path))
        children.add(index)
    return refused
