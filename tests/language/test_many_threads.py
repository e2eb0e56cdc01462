"""Test texts parsed by many threads at once: CPython 3.11 has one counter of depth for all syntax trees."""

from __future__ import annotations

import ast
import gc
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from autodiff_viz.graph.syntax_tree import syntax_tree
from autodiff_viz.language.parse import parse

ROW = f"[{', '.join(f'{i}.5' for i in range(100))}]"
TEXT = "x = [\n" + ",\n".join([ROW] * 20) + "]\n"
THREADS, TIMES = 8, 20


@pytest.fixture
def interrupted() -> Iterator[None]:
    """Collections come often, let other threads in, and threads take every chance."""

    def let_in(*_: object) -> None:
        time.sleep(0)

    thresholds, interval = gc.get_threshold(), sys.getswitchinterval()
    gc.set_threshold(50)
    sys.setswitchinterval(1e-6)
    gc.callbacks.append(let_in)
    yield
    gc.callbacks.remove(let_in)
    sys.setswitchinterval(interval)
    gc.set_threshold(*thresholds)


@pytest.mark.nightly
@pytest.mark.usefixtures("interrupted")
def test_no_text_is_refused_because_another_one_is_parsed_at_the_same_time():
    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(parse, [TEXT] * (THREADS * TIMES)))
    assert all(graph == found[0] for graph in found)


def test_a_library_that_parses_meanwhile_costs_one_more_try(monkeypatch):
    tries = []

    def disturbed(source: str, mode: str) -> ast.AST:
        tries.append(source)
        if len(tries) == 1:
            raise SystemError("AST constructor recursion depth mismatch (before=21, after=13)")
        return compile(source, "<text>", mode, ast.PyCF_ONLY_AST)

    monkeypatch.setattr(ast, "parse", disturbed)
    assert ast.unparse(syntax_tree("y = sin(x)")) == "y = sin(x)"
    assert len(tries) == 2
