"""Test that constants which Python and the browser share are written in Python alone."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from autodiff_viz.lab.shared_constants import shared_constants

WEB = Path(__file__).parents[2] / "autodiff_viz" / "web"
DESCRIBED = WEB / "types.js"
MADE = {"types.js", "constants.js"}
MODULES = {path: path.read_text("utf-8") for path in WEB.rglob("*.js") if path.name not in MADE}


def test_they_can_be_sent_as_they_are():
    assert json.loads(json.dumps(shared_constants(), allow_nan=False))


@pytest.mark.parametrize("name", sorted(shared_constants()))
def test_each_is_described_and_read_by_the_browser(name):
    read = rf"shared\.{name}\b|\b{name}(?:: \w+)?[ ,][^\n;]*\}} = shared;"
    assert re.search(rf"\b{name}: ", DESCRIBED.read_text("utf-8"))
    assert any(re.search(read, text) for text in MODULES.values())


def test_no_module_repeats_what_python_says():
    assert [path.name for path, text in MODULES.items() if ".py says the same" in text] == []
