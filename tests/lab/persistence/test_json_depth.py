"""Test the check of the nesting depth of JSON, and the documents that it refuses."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_viz.graph.codec import to_json
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.persistence.address import from_query, to_query
from autodiff_viz.lab.persistence.history import trail
from autodiff_viz.lab.persistence.json_text import nested_deeper, squeezed, unsqueezed
from autodiff_viz.lab.state import start
from autodiff_viz.language.parse import parse
from tests.lab.regression import lab_of, trained

DEEP = "[" * 100_000 + "]" * 100_000
PACKED = "~" + b64encode(zlib.compress(DEEP.encode())).decode()

JSON = st.recursive(
    st.none() | st.integers() | st.text(alphabet='[]{}"\\ab', max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(alphabet='[{"\\', max_size=3), inner, max_size=3)
    ),
    max_leaves=30,
)


def depth(value: object) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(depth, inner), default=0)


@given(JSON, st.integers(0, 6))
def test_brackets_inside_brackets_are_counted(value, most):
    assert nested_deeper(json.dumps(value), most) == (depth(value) > most)


@pytest.mark.parametrize("text", ["", "no JSON", '"[[[[', '"\\"[[[["'])
def test_brackets_in_text_do_not_count(text):
    assert not nested_deeper(text, 2)


@pytest.mark.parametrize("text", [DEEP, PACKED, "[" * 100_000])
def test_what_is_nested_without_end_was_not_squeezed_here(text):
    with pytest.raises(ValueError, match=r"."):
        unsqueezed(text)


def test_the_deepest_lambda_is_kept():
    inner = "exp(" * 58 + "v" + ")" * 58
    graph = parse(f"x = 1.0\ny = rewrite(sin(x), lambda v: {inner})")
    document = json.loads(to_json(graph))
    assert unsqueezed(squeezed(document)) == document


@pytest.mark.parametrize("text", [DEEP, PACKED])
def test_a_link_to_a_training_nested_without_end_opens_the_graph_without_it(text):
    query = to_query(trained(lab_of(), 3))
    assert from_query(query).training is not None
    opened = from_query({**query, "trained": text})
    assert (opened.graph, opened.training) == (lab_of().graph, None)


@pytest.mark.parametrize("text", [DEEP, PACKED])
def test_a_kept_history_nested_without_end_is_left(text):
    lab = start()
    kept = {**trail(lab.history, None).data, "steps": {"0": text}}
    assert kept["at"] == 0
    after = edited(lab, {"kind": "kept", "trail": kept, "seq": 1})
    assert after.history == lab.history
