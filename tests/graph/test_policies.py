"""Test that a checkpoint policy is one record, whatever its place in the list."""

import json

import jax
import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.engine.verify import verify
from autodiff_viz.export.python_source import to_python
from autodiff_viz.graph.codec import to_json
from autodiff_viz.graph.policies import POLICIES, POLICY
from autodiff_viz.language.documents import from_json
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show

TEXT = """x = [[1.0, 2.0], [3.0, 4.0]]
with checkpoint("r", policy="{}"{}):
    h = tanh(x @ x)
    k = sin(h)
y = sum(k * h)
"""


def graph_with(name: str):
    return parse(TEXT.format(name, ', names=("h", "k")' if POLICY[name].takes_names else ""))


@pytest.mark.parametrize("name", POLICIES)
def test_jax_has_it_and_takes_names_where_the_record_says_so(name):
    policy = getattr(jax.checkpoint_policies, name)
    if POLICY[name].takes_names:
        policy = policy("h", "k")
    assert policy(jax.lax.sin_p) in (True, False)


@pytest.mark.parametrize("name", POLICIES)
def test_graphs_with_it_go_to_text_and_documents_and_back(name):
    graph = graph_with(name)
    assert graph.regions[0].policy == name
    assert parse(show(graph)) == graph
    assert from_json(to_json(graph)) == graph
    assert name in to_python(graph) or name == "nothing_saveable"  # JAX's default


@pytest.mark.parametrize("name", POLICIES)
def test_it_changes_no_number(name):
    assert verify(trace(graph_with(name))).agrees


BATCH = "x = [[[1.0, 2.0], [3.0, 4.0]], [[0.5, 0.1], [0.2, 0.3]]]"
ONE = "x = [[1.0, 2.0], [3.0, 4.0]]"


@pytest.mark.parametrize(
    ("policy", "source", "again"),
    [
        ("dots_saveable", ONE, 0),
        ("dots_saveable", BATCH, 0),
        ("dots_with_no_batch_dims_saveable", ONE, 0),
        ("dots_with_no_batch_dims_saveable", BATCH, 1),  # its dot_general has a batch dimension
        ("nothing_saveable", ONE, 1),
    ],
)
def test_which_products_run_again(policy, source, again):
    """As the documentation of `jax.checkpoint_policies` says of dots with and without batch dimensions."""
    head = f'{source}\nwith checkpoint("r", policy="{policy}"):\n'
    found = trace(parse(f"{head}    p = x @ x\n    s = sin(p)\ny = sum(s * s)"))
    assert found.runs["p"].kept == again


def test_only_a_document_with_a_new_policy_has_the_version_for_it():
    versions = {name: json.loads(to_json(graph_with(name)))["autodiff_viz"] for name in POLICIES}
    assert versions.pop("dots_with_no_batch_dims_saveable") == 5
    assert set(versions.values()) == {1}


@pytest.mark.parametrize("field", ["keeps", "mark"])
def test_no_two_are_called_alike(field):
    said = [getattr(policy, field) for policy in POLICY.values()]
    assert len(set(said)) == len(said)
