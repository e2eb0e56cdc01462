"""Test the words beside a figure."""

from autodiff_viz.display.theme import coloured
from autodiff_viz.ui.panels.charts import with_marks


def test_a_mark_of_the_legend_and_its_word_are_never_in_two_lines():
    told = with_marks(f"{coloured('■', '#123456')} values kept, ○ finite differences")
    assert "■</span>&nbsp;values kept," in told
    assert "○&nbsp;finite differences" in told
