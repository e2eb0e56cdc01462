"""Compare remedies against Streamlit's garbage collection after every run, on reruns of the real lab."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from functools import partial

from streamlit.testing.v1 import AppTest

from autodiff_viz.graph.link import to_link
from benchmarks.clock import ratio, times
from benchmarks.graphs import example
from benchmarks.server import ROOT
from benchmarks.table import Row

SIZE, ROUNDS = 30, 25
SETTINGS = {  # (collect after every run, freeze existing objects first)
    "Streamlit's default": (True, False),
    "gc.freeze() after the imports": (True, True),
    "postScriptGC = false": (False, False),
    "both, as the app has it": (False, True),
}


def settings() -> Iterator[Row]:
    """Compare three remedies with Streamlit's default, in turn on the same page."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["g"] = to_link(example(SIZE, 0).graph)
    for _ in range(3):
        app.run()
    reruns = [partial(_rerun, app, collect) for collect, _ in SETTINGS.values()]
    default, *others = times(ROUNDS, *reruns, before=_apply)
    for name, taken in zip(list(SETTINGS)[1:], others, strict=True):
        yield Row(f"rerun of the lab, {SIZE} nodes: {name} / Streamlit's default", ratio(taken, default))


def _rerun(app: AppTest, collect: bool, _: int) -> None:
    app.run()
    if collect:
        gc.collect(2)  # as Streamlit does after a run, and AppTest does not


def _apply(which: int) -> None:
    _, freeze = tuple(SETTINGS.values())[which]
    gc.unfreeze()
    gc.collect()
    if freeze:
        gc.freeze()
