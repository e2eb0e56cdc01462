"""Test that a policy is identified by its name: one more in the list changes nothing for the others."""

import sys

import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.export.python_source import to_python
from autodiff_viz.graph.policies import POLICIES, POLICY
from autodiff_viz.lab.actions import set_policy
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.state import opened, start
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show

TEXT = """x = [1.0, 2.0]
with checkpoint("r"{}):
    a = sin(x)
    b = exp(a)
z = sum(b * x)
"""


def said(policy: str) -> tuple:
    """What program, formula, canvas and counts make of a region with this policy."""
    lab = set_policy(opened(start(), parse(TEXT.format("")), "Open"), "r", policy, frozenset("a"))
    view, (region,) = lab_view(lab), lab.graph.regions
    drawn = view.drawing["regions"][0]
    kept = {"policy": drawn["policy"], "saved": drawn["saved"], "head": drawn["head"]}
    runs = {name: (each.forward, each.backward, each.kept) for name, each in view.trace.runs.items()}
    return to_python(lab.graph), show(lab.graph), kept, runs, view.trace.residuals, region


@pytest.mark.parametrize("policy", POLICIES)
def test_one_more_policy_changes_nothing_for_the_others(policy, monkeypatch):
    before = said(policy)
    more = (*POLICIES, "dots_with_no_batch_dims_saveable")
    for module in [m for name, m in sys.modules.items() if name.startswith("autodiff_viz")]:
        if hasattr(module, "POLICIES"):
            monkeypatch.setattr(module, "POLICIES", more)
    assert said(policy) == before


def test_names_are_kept_for_the_policy_that_saves_by_name_alone():
    assert [policy for policy in POLICIES if said(policy)[-1].saved] == ["save_only_these_names"]


def test_what_the_default_says_that_it_keeps_is_what_the_figure_counts():
    found = trace(parse("x = 1.0\nwith checkpoint('r'):\n    a = sin(x)\n    b = sin(a)\ny = identity(b)"))
    assert [residual.producer for residual in found.residuals] == ["x"]  # what enters the region
    assert POLICY["nothing_saveable"].keeps == "only what enters it"
