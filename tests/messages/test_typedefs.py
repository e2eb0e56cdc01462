"""Test that the scripts' types of messages are those of Python's records."""

from __future__ import annotations

import inspect
import re

import pytest
from msgspec import structs

from autodiff_viz.lab.shared_constants import MESSAGES
from autodiff_viz.messages.edits import KINDS
from autodiff_viz.messages.envelope import Answer, Message
from autodiff_viz.messages.typedefs import ENDS, typedefs

RECORDS = [*ENDS, *KINDS.values(), Message, Answer]


def test_the_module_of_types_is_up_to_date():
    assert MESSAGES.read_text("utf-8") == typedefs(), "Run python -m autodiff_viz.lab.shared_constants."


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_a_record_says_what_each_of_its_fields_is(record):
    said = re.findall(r"^  (\w+): ", inspect.getdoc(record).partition("Attributes:\n")[2], re.M)
    own = [each.name for each in structs.fields(record) if each.name != "seq"]
    assert said == own


def test_a_field_has_a_line_with_its_type_and_what_it_is():
    text = typedefs()
    assert " * @property {[number, number] | null} [position] its place; null leaves" in text
    assert ' * @property {"mute" | "region" | "rule"} what which of the three.\n' in text
    assert " * @property {Record<string, string[]>} join what they join.\n" in text
    assert " * @property {string} oldTo the node that has read.\n" in text
    assert " * @property {boolean} [fresh] whether it begins a new step of undo.\n" in text
