"""What the canvas sends to the browser."""

from autodiff_viz.ui.editor.component import lean


def test_fields_that_hold_nothing_do_not_travel():
    assert lean(
        {"problem": None, "isInput": False, "ruleText": "", "via": [], "slots": [{"wired": False}]}
    ) == {"slots": [{}]}


def test_zero_is_not_nothing():
    assert lean({"slot": 0, "sign": 0, "width": 0.0}) == {"slot": 0, "sign": 0, "width": 0.0}


def test_a_full_text_travels_only_where_it_says_more():
    assert lean({"value": "10", "valueFull": "10"}) == {"value": "10"}
    assert lean({"value": "0.7", "valueFull": "0.70404"}) == {"value": "0.7", "valueFull": "0.70404"}


def test_an_id_that_looks_like_a_usual_word_is_kept():
    assert lean({"id": "follow", "rule": "follow"}) == {"id": "follow", "rule": "follow"}
