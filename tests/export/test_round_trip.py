"""Test that what is exported can be pasted: `read` gives values and gradients of the graph back, by name."""

from dataclasses import replace

import numpy as np
import pytest

import autodiff_viz as av
from autodiff_viz.graph.model import INPUT
from autodiff_viz.lessons.evaluate import graph_of
from autodiff_viz.lessons.gallery import LESSONS

VARIANTS = {f"{lesson.key} {i}": variant for lesson in LESSONS for i, variant in enumerate(lesson.steps)}


def fault(text: str, variant) -> str:
    """Return why a text does not give the graph back; empty if it does."""
    graph = graph_of(variant)
    lab = av.trace(graph, seed=variant.seed)
    reading = av.read(text)
    if reading.refused:
        return f"refused: {reading.refused[0].message}"
    if not reading.graph.nodes:
        return "empty"
    try:
        answers = reading.answers()
    except av.GraphError as error:
        return f"answers: {error}"
    for node in graph.nodes:
        if node.op != INPUT:
            continue
        wanted = lab.gradient[node.name]
        given = answers.get(node.name)
        if given is None and not wanted.any():
            continue
        if given is None:
            return f"no gradient of {node.name}"
        room = 2e-5 * max(1.0, np.abs(wanted[np.isfinite(wanted)]).max(initial=0.0))
        if given.shape != wanted.shape or not np.allclose(given, wanted, 2e-5, room, equal_nan=True):
            return f"{node.name}: {given}, not {wanted}"
    return ""


NOT_YET: dict[str, dict[str, str]] = {"jax": {}, "torch": {}}
"""By kind of file, the lessons whose file does not come back yet, with what the reader refuses. A reader
that has learned one of these makes the test fail: take the lesson off the list."""

WRITERS = {"jax": av.to_python, "torch": av.to_torch}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("name", VARIANTS)
def test_the_file_of_a_lesson_comes_back(kind, name):
    variant = VARIANTS[name]
    why = NOT_YET[kind].get(name)
    found = fault(WRITERS[kind](graph_of(variant), variant.seed), variant)
    assert found == (f"refused: {why}" if why else "")


@pytest.mark.parametrize("name", ["neuron 0", "fork 0", "without-derivative 1", "checkpointing 1"])
def test_a_pytorch_file_without_rules_gives_the_same_graph(name):
    graph = graph_of(VARIANTS[name])
    bare = replace(graph, nodes=tuple(replace(node, position=None) for node in graph.nodes))
    assert av.read(av.to_torch(graph)).graph == bare


def test_a_checkpoint_of_a_jax_file_is_the_same_region():
    graph = graph_of(VARIANTS["checkpointing 0"])
    assert av.read(av.to_python(graph)).graph.regions == graph.regions
