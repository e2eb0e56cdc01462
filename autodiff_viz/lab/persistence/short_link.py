"""Choose the shortest address that opens exactly a state of the lab, with nothing stored on the server."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode

from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.short_text import FORMULA, short_text
from autodiff_viz.lab.persistence.address import (
    GRAPH,
    KEPT,
    LESSON,
    SELECTED,
    TEXT,
    VARIANT,
    from_query,
    to_query,
)
from autodiff_viz.lab.persistence.asking import ASK, GUESS
from autodiff_viz.lab.state import Lab, formula_text
from autodiff_viz.lessons.codec import AT, TOUR, short_tour

SAFE = ",:"
"""Signs that need no percent sign in a query, beside letters and digits."""


def short_query(lab: Lab) -> dict[str, str]:
    """Return the shortest query that opens this state.

    An unchanged lesson is its name, and an unchanged step of a tour the tour; else the formula or the graph
    is packed, whichever is shorter. The whole query, if the address has no room for the graph.
    """
    whole = to_query(lab)
    if KEPT in whole:
        return whole
    shorter = sorted(_candidates(lab, whole), key=lambda query: len(written(query)))
    return next((query for query in shorter if _opens(query, whole)), whole)


def written(query: dict[str, str]) -> str:
    """Write a query as it stands in an address, with as few percent signs as may be."""
    return urlencode(query, safe=SAFE)


def _candidates(lab: Lab, whole: dict[str, str]) -> Iterator[dict[str, str]]:
    """Yield queries that may open this state; the shortest that does is taken."""
    yield whole
    if lab.tour is not None and TOUR in whole:
        whole = {**whole, TOUR: short_tour(lab.tour)}
        yield whole
    for kind in ((LESSON, VARIANT), (TOUR, AT)):  # one that is as it was made
        if kind[0] not in whole:
            continue
        for keys in (kind, (*kind, ASK, GUESS)):  # its own questions, nothing answered; or others
            named = {key: whole[key] for key in keys if key in whole}
            yield named
            yield {kind[1]: "0", **named}  # not every lesson begins with the graph that links number 0
            if SELECTED in whole:
                yield {**named, SELECTED: whole[SELECTED]}
    if GRAPH in whole and lab.draft is None:
        beside = {key: value for key, value in whole.items() if key not in (GRAPH, TEXT)}
        yield {FORMULA: short_text(formula_text(lab)), **beside}


def _opens(query: dict[str, str], whole: dict[str, str]) -> bool:
    """Return whether a query opens the state that the whole query is of."""
    try:
        return to_query(from_query(query)) == whole
    except GraphError:
        return False
