"""Test what is said of a name that cannot be one: it is true of that name, and can be read in a sentence."""

from __future__ import annotations

import pytest

from autodiff_viz.graph.text import name_fault, region_name_fault
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.state import start

OTHERS = "holds signs other than a-z, A-Z, 0-9 and _"
OTHERS_IN_TITLES = "holds signs other than a-z, A-Z, 0-9, spaces and _ . -"


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("2x", "begins with a digit"),
        ("x y", OTHERS),
        ("\u00e9t\u00e9", OTHERS),  # made of letters, but not of these
        ("x-1", OTHERS),
        ("", "is empty"),
        (None, OTHERS),
        ("lambda", "is a word that Python keeps for itself"),
        ("n" * 65, "is longer than 64 characters"),
        ("_x2", ""),
    ],
)
def test_what_is_said_of_a_name_is_true_of_it(name, fault):
    assert name_fault(name) == fault


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("g/h", OTHERS_IN_TITLES),
        (" g", "begins with a space"),
        ("-g", "begins with -"),
        ("g ", "ends with a space"),
        ("", "is empty"),
        ("n" * 65, "is longer than 64 characters"),
        ("layer 1.a", ""),
    ],
)
def test_what_is_said_of_a_regions_name_is_true_of_it(name, fault):
    assert region_name_fault(name) == fault


def test_a_refused_name_is_said_in_a_sentence():
    (problem,) = edited(start(), {"kind": "rename", "node": "a", "name": "x y"}).notice
    assert problem.message == f"Node 'x y' has a name that {OTHERS}."
