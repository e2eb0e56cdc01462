"""The page in parts, as Streamlit sends it."""

from __future__ import annotations

from pathlib import Path

from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.testing.v1 import AppTest, local_script_runner

from autodiff_viz.ui.pages import lab as lab_page

APP = str(Path(__file__).parents[2] / "app.py")


def test_a_part_that_runs_again_before_it_was_sent_leaves_no_hole(monkeypatch):
    """Streamlit drops then what the part has sent. The browser refuses an element whose place is beyond the
    end of the block that it belongs to."""
    monkeypatch.setattr(lab_page, "ask_for_rest", lambda: None)
    sent = []
    parse = local_script_runner.parse_tree_from_messages
    monkeypatch.setattr(
        local_script_runner,
        "parse_tree_from_messages",
        lambda messages: parse(sent.extend(messages) or messages),
    )
    AppTest.from_file(APP, default_timeout=60).run()
    parts = {message.delta.fragment_id for message in sent} - {""}
    assert len(parts) > 10
    for dropped in [*({part} for part in parts), parts]:
        assert holes(sent, dropped) == []


def holes(sent: list, dropped: set[str]) -> list[list[int]]:
    """Places of elements that the browser would refuse, when these parts' own are dropped and come again."""
    queue = ForwardMsgQueue()
    for message in sent:
        queue.enqueue(message)
    queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=list(dropped))
    again = [message for message in sent if message.delta.fragment_id in dropped]
    known, refused = {}, []
    for message in [*queue.flush(), *again]:
        if message.WhichOneof("type") != "delta":
            continue
        *parent, index = message.metadata.delta_path
        children = known.setdefault(tuple(parent), set())
        if index > len(children):
            refused.append(list(message.metadata.delta_path))
        children.add(index)
    return refused
