"""Test the figures of a training, from records made up by hand: what is drawn where."""

import re
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from autodiff_viz.training.course import Progress
from autodiff_viz.training.figure import COLUMNS, TRAINING_FIGURES, flow_of
from autodiff_viz.training.figure_axes import columns
from autodiff_viz.training.updates import Records
from tests.explain.test_every_explanation import fonts, sent

NAN, INF = np.nan, np.inf


def made(loss, cotangent, ratio, phases=(), shown=None, nodes=("w", "h"), parameters=("w",), skipped=()):
    """A training of two nodes; rows are steps."""
    loss, cotangent, ratio = (np.asarray(rows, "float32") for rows in (loss, cotangent, ratio))
    wide, scale = (cotangent, cotangent, cotangent, ratio), np.ones_like(loss)
    records = Records(nodes, parameters, 0, loss, *wide, scale, np.isin(np.arange(len(loss)), skipped))
    return Progress(records, phases, shown, nodes)


SHORT = made(
    [2.0, 1.0, 0.5], [[1.0, 10.0], [0.0, 1.0], [0.0, NAN]], [[0.1], [0.0], [0.01]], ((1, "stop at w"),), 1
)
ONE = made([1.0], [[1.0, 1.0]], [[0.0]])
SPOILT = made([1.0, INF, NAN], [[1.0, 1.0], [INF, 1.0], [NAN, NAN]], [[0.1], [INF], [NAN]], shown=3)
START = replace(ONE, nodes=("w", "h"), planned=40)
LONG = made(np.ones(1000), np.ones((1000, 2)), np.ones((1000, 1)))


@pytest.mark.parametrize("key", TRAINING_FIGURES)
@pytest.mark.parametrize("progress", [SHORT, ONE, SPOILT, LONG, START])
def test_every_figure_can_be_built_sent_and_read(key, progress):
    spec = TRAINING_FIGURES[key]
    figure = spec.build(progress)
    layout = sent(go.Figure(figure.to_dict()))["layout"]  # this constructor checks every property
    assert min(fonts({k: v for k, v in layout.items() if k != "template"})) >= 13
    assert re.fullmatch(r"[A-Z][^\n<>]+\.", spec.text(progress))


@pytest.mark.parametrize("key", TRAINING_FIGURES)
def test_curves_of_a_training_fit_the_dock_of_a_window_of_1280_by_720(key):
    """The dock has 240 px, of which its border, the figure's tabs and the gaps take 46."""
    names = tuple("abcdefghijk")  # as many nodes as a lesson on XOR has, and more parameters
    xor = made([1.0], np.ones((1, 11)), np.ones((1, 6)), nodes=names, parameters=names[:6])
    for progress in (ONE, xor):
        assert TRAINING_FIGURES[key].build_for(low=True)(progress).layout.height <= 240 - 46


def test_rows_of_the_flow_are_as_high_as_ever_where_there_is_room():
    names = tuple("abcdefghijk")
    xor = made([1.0], np.ones((1, 11)), [[1.0]], nodes=names)
    low, high = (TRAINING_FIGURES["flow"].build_for(low=low)(xor).layout.height for low in (True, False))
    assert high - low > 100


def test_a_low_flow_explains_only_what_is_in_it():
    said = [TRAINING_FIGURES["flow"].build_for(low=True)(one).layout.annotations for one in (ONE, SHORT)]
    plain, spoilt = (" ".join(each.text for each in notes) for notes in said)
    assert "Norm of what arrives" in plain
    assert "nothing" not in plain
    assert "nothing" in spoilt
    assert "not finite" in spoilt


@pytest.mark.parametrize("key", TRAINING_FIGURES)
def test_a_phase_has_a_line_and_its_name_and_the_shown_step_a_line(key):
    layout = sent(TRAINING_FIGURES[key].build(SHORT))["layout"]
    assert [shape["x0"] for shape in layout["shapes"]] == [1, 1]
    assert any("stop at w" in each["text"] for each in layout["annotations"])


@pytest.mark.parametrize("key", TRAINING_FIGURES)
def test_the_marks_of_the_shown_step_are_told_to_the_browser(key):
    layout = sent(TRAINING_FIGURES[key].build(SHORT))["layout"]
    steps = layout["meta"]["steps"]
    assert layout["shapes"][steps["shape"]]["line"].get("dash") is None  # the phases' lines are dotted
    if "note" in steps:
        assert "step 1: <b>1</b>" in layout["annotations"][steps["note"]]["text"]
    assert ("note" in steps) == (key == "loss")
    assert sent(TRAINING_FIGURES[key].build(ONE))["layout"]["meta"] == {"steps": {}}


@pytest.mark.parametrize("key", TRAINING_FIGURES)
def test_names_are_escaped(key):
    evil = made([1.0], [[1.0, 0.0]], [[1.0]], ((0, "<i>stop"),), nodes=("<u>w", "<s>h"), parameters=("<u>w",))
    said = repr(sent(TRAINING_FIGURES[key].build(evil))["layout"]["annotations"])
    assert not re.search(r"<(i|u|s)>", said)


def test_nothing_and_what_is_not_finite_are_told_apart_by_words_and_dashes():
    figure = sent(TRAINING_FIGURES["flow"].build(SHORT))
    lines = {trace["name"]: trace for trace in figure["data"] if trace["type"] == "scatter"}
    assert (lines["0"]["x"], lines["0"]["y"]) == ([0.5, 2.5, None], [0, 0, None])
    assert (lines["not finite"]["x"], lines["not finite"]["y"]) == ([1.5, 2.5, None], [1, 1, None])
    assert lines["0"]["line"]["dash"] != lines["not finite"]["line"]["dash"]
    words = [each["text"] for each in figure["layout"]["annotations"]]
    assert any("<b>0</b>" in word for word in words)
    assert any("<b>not finite</b>" in word for word in words)


@pytest.mark.parametrize("key", ["loss", "flow"])
def test_before_the_first_step_the_axis_has_room_for_the_steps_and_words_say_who_draws_them(key):
    layout = sent(TRAINING_FIGURES[key].build(START))["layout"]
    assert layout["xaxis"]["range"] == [-0.5, 40.5]
    assert any("Train draws" in each["text"] for each in layout["annotations"])
    begun = sent(TRAINING_FIGURES[key].build(ONE))["layout"]["annotations"]
    assert not any("Train draws" in each["text"] for each in begun)


def test_cells_are_powers_of_ten():
    (cells,) = [trace for trace in TRAINING_FIGURES["flow"].build(SHORT).data if trace.type == "heatmap"]
    np.testing.assert_array_equal(cells.z, [[0, NAN, NAN], [1, 0, NAN]])


def test_a_long_course_is_put_into_few_columns_that_keep_the_largest():
    peak = np.ones((1000, 2))
    peak[503, 0] = 50.0
    flow = flow_of(made(np.ones(1000), peak, np.ones((1000, 1))))
    assert len(flow.starts) <= COLUMNS
    column = np.searchsorted(flow.starts, 503, side="right") - 1
    assert flow.sizes[0, column] == 50.0
    assert list(columns(5, 120)) == [0, 1, 2, 3, 4]


def test_the_map_of_gradients_has_float64_numbers_that_float32_does_not_hold():
    progress = made([1.0], [[1.0, 1.0]], [[1.0]])
    sizes = np.array([[1e50, 1e-60]])
    wide = replace(progress, records=replace(progress.records, cotangent=sizes))
    figure = TRAINING_FIGURES["flow"].build(wide)
    (found,) = (each for each in figure.data if each.type == "heatmap")
    np.testing.assert_allclose(np.ravel(found.customdata), [1e50, 1e-60])


def test_a_parameter_that_stays_still_lies_on_the_line_of_0():
    figure = sent(TRAINING_FIGURES["ratio"].build(made([1.0, 1.0], [[1, 1]] * 2, [[0.0], [0.0]])))
    ticks = figure["layout"]["yaxis"]
    floor = ticks["tickvals"][ticks["ticktext"].index("<b>0</b>")]
    (line,) = TRAINING_FIGURES["ratio"].build(made([1.0, 1.0], [[1, 1]] * 2, [[0.0], [0.0]])).data
    np.testing.assert_allclose(line.y, [floor, floor])
    assert "still" in repr(figure["layout"]["annotations"])


def test_a_loss_that_is_not_finite_has_a_cross_and_leaves_a_gap():
    traces = TRAINING_FIGURES["loss"].build(SPOILT).data
    assert list(traces[-1].x) == [1, 2]
    assert traces[-1].marker.symbol == "x"
    np.testing.assert_array_equal(np.isnan(traces[0].y), [False, True, True])


def skips(loss, *steps):
    count = len(loss)
    return made(loss, np.ones((count, 2)), np.ones((count, 1)), skipped=steps)


def test_a_step_that_was_skipped_has_a_mark_at_its_loss_and_a_count_above():
    figure = TRAINING_FIGURES["loss"].build(skips([2.0, 3.0, 3.0, INF], 1, 3))
    (marks,) = [trace for trace in figure.data if trace.name == "skipped"]
    assert (marks.x, marks.y, marks.marker.symbol) == ((1, 3), (3.0, 3.0), "diamond-open")
    assert any("2 skipped" in each.text for each in figure.layout.annotations)
    said = TRAINING_FIGURES["loss"].text(skips([2.0, 3.0, 3.0], 1))
    assert said.endswith("; step 1: gradient not finite, skipped.")
    plain = TRAINING_FIGURES["loss"]
    assert not [trace for trace in plain.build(SHORT).data if trace.name == "skipped"]
    assert "skipped" not in plain.text(SHORT)


def test_of_many_skipped_steps_some_have_marks_and_all_are_counted():
    figure = TRAINING_FIGURES["loss"].build(skips(np.ones(1000), *range(1000)))
    (marks,) = [trace for trace in figure.data if trace.name == "skipped"]
    assert 100 <= len(marks.x) <= 200
    assert any("1,000 skipped" in each.text for each in figure.layout.annotations)
