"""Name the lesson of the tests, `lessons/own/two-uses.json`: its key, its words and its numbers by hand.

The project's lessons may get other keys, words and graphs; a test that needs any lesson takes this one.
"""

from __future__ import annotations

from autodiff_viz.lessons.gallery import lesson

KEY = "two-uses"
TITLE = "One number, used in two places: what does it hear?"
GRAPHS = ("Doubled and squared", "Both factors of a product", "Two waves")
"""Titles of its three graphs."""

LAST = 2
"""Index of the last graph."""

BRINGS, ARRIVES = "What each use of x brings", "What arrives at x in all"
"""What its two claims about each graph say."""

LESSON = lesson(KEY)
