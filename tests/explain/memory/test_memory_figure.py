"""Test that the figures of memory and plans draw what the engine says."""

from __future__ import annotations

import json
import re

import pytest

from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.explain.memory.compute import memory
from autodiff_viz.explain.memory.figure import memory_figure, memory_text
from autodiff_viz.explain.plans.compute import planned
from autodiff_viz.explain.plans.figure import plans_figure, plans_figure_of, plans_text, plans_text_of
from autodiff_viz.graph.model import Graph, Node, Region, params
from autodiff_viz.language.parse import parse
from tests.engine.references.sin_chains import chain

FORK = "x = 0.6\ny = 1.5\na = sin(x)\nb = a * y\nz = b + exp(a)"


def plain(text: str) -> str:
    return re.sub(r"<[^>]*>", " ", text)


@pytest.mark.parametrize("text", [FORK, "x = [1.0, -2.0, 3.0]\ny = sum(relu(x) * x)", chain(30)])
def test_the_bars_of_a_step_add_up_to_what_is_live(text):
    whole = trace(parse(text))
    found, figure = memory(whole), memory_figure(whole)
    *bars, hovers = figure.data
    for i, step in enumerate(found.steps):
        assert sum(bar.y[i] for bar in bars) == hovers.y[i] == step.live
    (button,) = figure.layout.updatemenus[0].buttons
    elements, size = button.args2[0]["y"], button.args[0]["y"]
    assert [tuple(y) for y in elements[:-1]] == [tuple(bar.y) for bar in bars]
    assert [sum(column) for column in zip(*size[:-1], strict=True)] == [*size[-1]] == [*found.bytes]


def test_from_60_steps_on_a_stack_is_one_shape():
    """A bar for each step of each stack would be thousands of elements of the page."""
    *stacks, _ = memory_figure(trace(parse(chain(30)))).data
    assert {(stack.type, stack.stackgroup) for stack in stacks} == {("scatter", "live")}
    *bars, _ = memory_figure(trace(parse(FORK))).data
    assert {bar.type for bar in bars} == {"bar"}


def test_peak_and_turn_of_a_fork_are_marked():
    figure = memory_figure(trace(parse(FORK)))
    forward, backward, peak = figure.layout.annotations
    assert (plain(forward.text).strip(), plain(backward.text).strip()) == ("forward", "backward")
    assert (peak.x, peak.y) == (6, 6)  # by hand: tests/explain/memory/test_memory.py
    assert figure.layout.shapes[0].x0 == 5.5  # between the sixth step and the seventh
    assert "Peak: 6 elements, 24 bytes, after the pullback of z" in plain(figure.layout.title.text)


def test_names_below_many_bars_stand_upright_since_slanted_ones_would_cover_each_other():
    """Of a line of 12 px slanted by 45 degrees, 17 px across; 300 px hold 17 of them."""
    chains = [chain(length).replace("x", "layer_") for length in (6, 10)]
    angles = [memory_figure(trace(parse(text))).layout.xaxis.tickangle for text in chains]
    assert angles == [-45, -90]


@pytest.mark.parametrize("low", [False, True])
@pytest.mark.parametrize("text", [FORK, chain(12)])
def test_the_words_at_the_top_never_touch_the_peaks(text, low):
    """All in pixels: a word takes 1.3 of its size, the arrow below the peak's word what it says."""
    layout = memory_figure(trace(parse(text)), low=low).layout
    *words, peak = layout.annotations
    drawing = layout.height - layout.margin.t - layout.margin.b
    line = 1.3 * max(word.font.size for word in (*words, peak))
    above = drawing * (1 - layout.yaxis.domain[1] * peak.y / layout.yaxis.range[1])
    assert above - abs(peak.ay) - line >= line
    assert layout.yaxis.domain[1] * drawing >= 100  # the bars have room


FEW_BACKWARD = "x = 1.0\na = sin(x)\nb = sin(a)\nc = sin(b)\nd = sin(c)\nz = stop_gradient(sin(d))"
SHORT, BUTTON = 160, 50  # px of the axis in a window of 900 px, and of the button


@pytest.mark.parametrize("text", [FORK, FEW_BACKWARD], ids=["fork", "few"])
def test_the_button_of_the_units_leaves_the_words_over_the_phases_free(text):
    """Letters of 12 px are 7 px wide at most."""
    figure = memory_figure(trace(parse(text)))
    low, high = figure.layout.xaxis.range
    turn = SHORT * (figure.layout.shapes[0].x0 - low) / (high - low)
    (button,) = figure.layout.updatemenus
    start = SHORT * button.x - (BUTTON if button.xanchor == "right" else 0)
    assert -figure.layout.margin.l <= start
    for note in figure.layout.annotations[:2]:
        wide = 7 * len(plain(note.text).strip())
        left = turn + note.xshift - (wide if note.xanchor == "right" else 0)
        assert left + wide < start or left > start + BUTTON, plain(note.text)


def test_a_step_says_who_keeps_what_for_whom():
    said = memory_figure(trace(parse(FORK))).data[-1].hovertext[5]
    for line in (
        "4 elements live, 16 bytes",
        "y (1) for the pullback of b",
        "a (1) for the pullback of b",
        "what the derivative of a needs (1) for the pullback of a",
        "exp_1 (1) for the pullback of exp_1",
    ):
        assert line in plain(said)


def test_xlas_numbers_are_named_as_such_and_differ_for_a_reason():
    said = plain(memory_figure(trace(parse(FORK))).layout.title.text)
    assert "XLA's memory_analysis" in said
    assert "it fuses ops and reuses buffers" in said
    assert "XLA says" in memory_text(trace(parse(FORK)))


def test_a_graph_of_too_many_steps_is_a_note():
    whole = trace(parse(chain(301)))
    assert "cannot be drawn" in memory_figure(whole).layout.annotations[0].text
    assert "cannot be drawn" in memory_text(whole)
    assert "cannot be compared" in plans_figure_of(whole).layout.annotations[0].text
    assert "cannot be compared" in plans_text_of(whole)


def test_points_are_the_plans_and_the_ring_is_the_chosen_one():
    found = planned(trace(parse(chain(6))))
    for by, mark in (("peak", "optimal"), ("kept", "least_kept")):
        chosen = found.plans[0]
        cloud, best, _, known, here, ring = plans_figure(found, by, 4, chosen).data
        assert set(zip(cloud.x, cloud.y, strict=True)) == {(p[by == "kept"], p[2]) for p in found.points}
        marked = [plan for plan in found.plans if getattr(plan, mark)]
        assert sorted(zip(best.x, best.y, strict=True)) == sorted((getattr(p, by), p.reruns) for p in marked)
        assert len(known.x) == sum(bool(plan.formula) for plan in found.plans)
        assert (*here.x, *here.y) == (6, 0)
        assert (*ring.x, *ring.y) == (getattr(chosen, by), chosen.reruns)


def test_axes_of_few_counts_have_whole_numbers_alone():
    # Three products of one number: 5 are live at the peak, and no plan has less.
    found = planned(trace(parse("w = 0.5\nh0 = 1.0\nh1 = w * h0\nh2 = w * h1\nh3 = w * h2")))
    layout = plans_figure(found).layout
    low, high = layout.xaxis.range
    assert low < 5 < high
    assert (layout.xaxis.tick0, layout.xaxis.dtick, layout.yaxis.dtick) == (0, 1, 1)


def test_the_words_of_plans_name_the_present_one_and_the_best():
    text = plans_text(planned(trace(parse(chain(6)))))
    assert "now (peak 6, kept 6, 0 values again)" in text
    assert "x1 to x2 (peak 5" in text or "peak 5" in text


def broken() -> Trace:
    nodes = (
        Node("x", "input", (), params(value=1.0)),
        Node("a", "sin", ("x",)),
        Node("b", "exp", ("a",)),
        Node("z", "mul", ("a", "b")),
    )
    return trace(Graph(nodes, (Region("r", frozenset({"a", "z"})),), "z"))


def test_regions_that_cannot_run_are_a_note_with_the_problem():
    for figure in (memory_figure(broken()), plans_figure_of(broken())):
        assert "cannot run as a whole" in figure.layout.annotations[0].text
    assert "cannot run as a whole" in memory_text(broken())
    assert "cannot run as a whole" in plans_text_of(broken())


def test_plans_that_the_search_does_not_count_as_jax_does_are_not_called_best():
    """Row R8: JAX keeps the constant vector of the product, which the search of plans does not count."""
    found = planned(
        trace(parse("x = [1.0, 2.0, 3.0]\ny = x.at[0].set(5.0)\nz = sum(y * [1.0, 10.0, 100.0])"))
    )
    assert found.searched
    assert not any(plan.optimal for plan in found.plans)
    assert "to choose from:" in plans_text(found)
    assert "best of" not in plans_figure(found).layout.title.text
    assert len(plans_figure(found).data[0].x) == 0


def test_one_element_is_kept():
    assert "; 1 element is kept for the backward pass" in memory_text(trace(parse("x = 1.0\ny = sin(x)")))


def test_a_run_that_jax_drops_is_told_from_one_that_it_makes():
    # By hand: the slope of c * c is 2c, and c is kept; that of sin(c) is cos(c), which is made again.
    for last, said in (
        ("c * c", "y would run again, which JAX drops"),
        ("sin(c)", "the slope of y is made again"),
    ):
        figure = memory_figure(trace(parse(f'x = 1.0\nc = cos(x)\nwith checkpoint("r"):\n    y = {last}')))
        steps = [plain(text.partition(" live")[0]) for text in figure.data[-1].hovertext]
        again = [" ".join(text.split()) for text in steps if " again" in text]
        assert [re.sub(r" \d+ elements?$", "", text.partition("after ")[2]) for text in again] == [said]
        under = plain(json.dumps(figure.to_plotly_json()["layout"], default=str, ensure_ascii=False))
        assert ("\u2020 would, JAX drops it" in under) == ("drops" in said)
        assert ("* runs again" in under) == ("drops" not in said)


def test_the_axis_has_a_few_round_numbers_up_to_the_peak_in_both_units_where_no_button_stands():
    layout = memory_figure(
        trace(parse("x = 0.6\ny = 1.5\na = sin(x)\nb = a * y\nz = b + exp(a)")), low=True
    ).layout
    args = layout.updatemenus[0].buttons[0]
    shown = {
        "elements": (layout.yaxis.tickvals, layout.annotations[2].y),
        "bytes": (args.args[1]["yaxis.tickvals"], args.args[1]["annotations[2].y"]),
    }
    for unit, (marks, peak) in shown.items():
        assert marks[0] == 0, unit
        assert 2 <= len(marks) <= 5, unit
        assert peak / 2 < marks[-1] <= peak, unit


def test_names_of_steps_have_room_at_both_ends_by_which_plotly_slants_those_that_would_touch():
    ticks = memory_figure(trace(parse("x = 0.6\ny = exp(x)"))).layout.xaxis.ticktext
    names = [re.sub(r"<[^>]*>", "", tick) for tick in ticks]
    assert names
    assert names == [f"\u00a0{name.strip()}\u00a0" for name in names]
