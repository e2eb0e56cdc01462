"""Test texts compressed to letters that an address may hold."""

import base64
import re
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_viz.graph.link import DAMAGED, MORE, TOO_LONG, TRUNCATED, Unreadable, packed, unpacked

TEXT = '{"x": [1.0, 2.0]}' * 5


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
def test_what_is_packed_is_unpacked(text):
    letters = packed(text)
    assert re.fullmatch("[A-Za-z0-9_-]*", letters)
    assert unpacked(letters, 10_000) == text


def test_what_an_earlier_version_wrote_with_other_letters_is_read():
    text = "".join(chr(33 + i * i % 90) for i in range(400))
    letters = base64.b64encode(zlib.compress(text.encode(), 6)).decode()
    assert set("+/") & set(letters)
    assert unpacked(letters, 10_000) == text


@pytest.mark.parametrize(
    ("letters", "why"),
    [
        ("", TRUNCATED),
        ("?", DAMAGED),
        ("\u00e9\u00e9\u00e9\u00e9", DAMAGED),
        ("AAAA", DAMAGED),
        (base64.urlsafe_b64encode(zlib.compress(b"\xff")).decode(), DAMAGED),
        (packed(TEXT)[:20], TRUNCATED),
        (base64.urlsafe_b64encode(zlib.compress(b"a") + b"bc").decode(), MORE),
        (packed("a" * 101), TOO_LONG),
    ],
)
def test_what_is_no_packed_text_is_refused(letters, why):
    with pytest.raises(Unreadable) as refused:
        unpacked(letters, 100)
    assert refused.value.why == why


def test_a_few_letters_that_would_be_gigabytes_are_refused_early():
    packer = zlib.compressobj(9)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(64)) + packer.flush()
    with pytest.raises(Unreadable, match=TOO_LONG):
        unpacked(base64.urlsafe_b64encode(bomb).decode(), 1000)
