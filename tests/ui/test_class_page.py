"""Test the page that counts the results of a class, run by Streamlit without a browser."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.own_lesson import KEY, TITLE

APP = str(Path(__file__).parents[2] / "app.py")


def test_pasted_results_are_counted_and_what_is_no_result_is_shown_as_text():
    app = AppTest.from_file(APP, default_timeout=300)
    app.query_params["view"] = "class"
    app.run()
    assert not app.exception
    assert app.title[0].value == "What your class answered"
    assert "nothing of it is stored" in app.caption[0].value.replace("\n", " ")
    lines = f"av1 {KEY}: number 2 tries one-path right\nav1 {KEY}: number 1 try right\n<b>me</b>"
    app.text_area(key="class_results").set_value(lines).run()
    assert not app.exception
    shown = "".join(element.proto.body for element in app.get("html"))
    assert "2 results counted" in shown
    assert "<th scope='row'>right at the first try</th><td>1</td>" in shown
    assert "<th scope='row'>one path</th><td>1</td>" in shown
    assert "&lt;b&gt;me" in shown
    assert "<b>me" not in shown
    assert "<p class='av-of'>" + TITLE in shown
    choice = 'av1 z-1f2e: choice "Which of <these>?" 1 try "the larger one wins"'
    app.text_area(key="class_results").set_value(choice).run()
    shown = "".join(element.proto.body for element in app.get("html"))
    assert "z-1f2e · question 1</p><h2>Which of &lt;these&gt;?</h2>" in shown
    assert "<th scope='row'>the larger one wins</th><td>1</td>" in shown
    assert "class" in app.query_params["view"]
