"""Draw problems as text on the page: what was found, where, and how to mend it."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from autodiff_viz.graph.problem import Problem

SHOWN = 4  # the first mistakes are the ones to mend; the rest often follow from them


def draw_problems(problems: Iterable[Problem]) -> None:
    """Draw one box per problem. User text goes through `st.text` and `st.code`, never through Markdown."""
    problems = tuple(problems)
    for problem in problems[:SHOWN]:
        with st.container(border=True, gap="small"):
            st.text(f"\u26a0 {_where(problem)}{problem.message}")
            if problem.caret:
                st.code(problem.caret, language=None, wrap_lines=False)
            if problem.hint:
                st.text(problem.hint)
    if len(problems) > SHOWN:
        st.caption(f"And {len(problems) - SHOWN} more.")


def _where(problem: Problem) -> str:
    return f"Line {problem.line}: " if problem.line is not None else ""
