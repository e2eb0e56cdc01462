"""Test that a message of the browser is decoded whole, and one from elsewhere as far as it can be read."""

from __future__ import annotations

import json

import pytest
from msgspec import UNSET

from autodiff_viz.messages.envelope import Answer, Message, answer_text, encoded, read_message, streamlit_data

WANTED = {
    "key": "0123456789",
    "edits": [{"seq": 1, "kind": "undo"}],
    "have": 3,
    "seen": True,
    "want": [["x", "1a"], ["y", "2b"]],
}


def test_what_the_browser_sends_is_read_field_by_field():
    found = read_message(WANTED)
    assert (found.key, found.edits, found.have) == ("0123456789", [{"seq": 1, "kind": "undo"}], 3)
    assert (found.seen, found.want, found.rest) == (True, [("x", "1a"), ("y", "2b")], UNSET)


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("have", "3"),
        ("have", True),
        ("have", 1.5),
        ("seen", 1),
        ("details", "yes"),
        ("second", 7),
        ("play", "2"),
        ("stepped", None),
        ("noticed", [True]),
        ("noticed", {"1": 2}),
        *(("want", pairs) for pairs in ("x", {"x": "1a"}, ["x"], [["x"]], [["x", 1]], [["x", "1a", "2"]])),
        ("edits", {"seq": 5}),
        ("edits", ["undo"]),
        ("key", 7),
    ],
)
def test_a_field_of_another_type_is_left_out_and_the_others_are_read(field, wrong):
    found = read_message({**WANTED, field: wrong})
    assert getattr(found, field) == getattr(Message(), field)
    assert [found.seen, found.have, found.key].count(None) == (field in ("have", "key"))


ANSWER = Answer(
    rev=2, base=1, patch=encoded({"text": 'a "b" \u00e9', "number": 0.1}), socket="1a", tables=encoded([]),
    page=False, due=True, rest=None, turn=4, seen=False, key="k", ack=3, before=("j", 2),
)  # fmt: skip


def test_the_labs_own_socket_carries_no_json_inside_json():
    told = json.loads(answer_text(ANSWER))
    assert told["patch"] == {"text": 'a "b" \u00e9', "number": 0.1}
    assert (told["tables"], told["from"], told["rest"]) == ([], ["j", 2], None)
    assert not told.keys() & {"full", "play", "query"}


def test_streamlits_channel_carries_them_as_texts():
    data = streamlit_data(ANSWER)
    assert json.loads(data["patch"]) == json.loads(answer_text(ANSWER))["patch"]
    others = {name: value for name, value in json.loads(answer_text(ANSWER)).items() if name in data}
    assert data.keys() == others.keys()
    assert {type(data[name]) for name in ("patch", "tables")} == {str}
