"""Test that the server's memory holds no library that no page needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = """
import sys
from dataclasses import replace
from time import monotonic, sleep

from streamlit.testing.v1 import AppTest

from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.ui.session import SESSION
from autodiff_viz.lab.state import start
from tests.ui.page import figures

def drawn(**query):
    app = AppTest.from_file("app.py", default_timeout=120)
    app.query_params.update(query)
    for _ in range(2):
        app.run()
        assert not app.exception, app.exception
    return app

drawn(view="lessons")
drawn(lesson="split-model", variant="0")
drawn(lesson="xor-tutorial", variant="0")
app = drawn()
here = app.session_state[SESSION]
here.parts.seen = True
for figure in FIGURES:
    here.lab = replace(here.lab, figure=figure)
    until = monotonic() + 60
    while True:  # a worker makes some figures
        app.run()
        if figures(app) or monotonic() > until:
            break
        sleep(0.2)
    assert figures(app), figure
here.lab = replace(start(), selected="x")
app.run()
print(*sorted({"pandas", "pyarrow", "polars", "scipy"} & set(sys.modules)))
"""


@pytest.mark.nightly
def test_no_page_loads_a_library_for_tables():
    """Streamlit does for a component's dictionary, when lists or dictionaries are in it: 60 MB for pandas
    alone."""
    command = [sys.executable, "-c", PAGES]
    beside = {**os.environ, "AUTODIFF_VIZ_WORKERS": "1", "AUTODIFF_VIZ_WARM_UP": "off"}  # claims take 20 s
    done = subprocess.run(command, cwd=ROOT, env=beside, capture_output=True, text=True, timeout=300)
    assert (done.stdout.strip(), done.returncode) == ("", 0), done.stderr[-2000:]
