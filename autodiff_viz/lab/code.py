"""Show code as the text of a graph: what it became, what of it was refused, and when it no longer fits.

The author's text of a graph is a formula, or code of another library. Its reading follows from the text and
is memoised, so that history, link and draft keep nothing but the text. A server reads code in another
process, which can be ended: there a text that has not been read yet raises `BeingRead`, and whoever needs the
reading goes on once it has come.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import replace
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

from autodiff_viz.graph import limits
from autodiff_viz.graph.dtypes import FLOAT32
from autodiff_viz.graph.identity import EVERYTHING, remembered, same
from autodiff_viz.graph.model import INPUT, Graph, Node, params
from autodiff_viz.graph.problem import Correction, GraphError, Problem
from autodiff_viz.graph.size import size_of
from autodiff_viz.graph.syntax_tree import syntax_tree
from autodiff_viz.graph.text import listed, quoted
from autodiff_viz.language.amend import amended
from autodiff_viz.language.scanner import Places, Span
from autodiff_viz.reading.offered_calls import offered_call
from autodiff_viz.reading.reading import Reading, is_code, read
from autodiff_viz.workers.bounds import Bound, bounded

REMEMBERED = 32  # texts of which a part of the page is kept; those of recent visitors
RECENT, KEPT_BYTES = 128, 64_000_000  # number and bytes of all readings that no visitor has on view
PARSED = 20_000  # characters of a text without imports that is parsed to see whether it is code
MOST_BYTES = 16_000_000  # of the graph of one of them: 500,000 numbers
CHANGES = 40  # sentences that are sent
LINES = 12  # of which one of them is said
NAMED = 3  # inputs whose numbers differ that a sentence names


_BEYOND = re.compile(r"\b(import|class)\b|\.\s*[A-Za-z_]")  # what no formula has, but in a comment
_IMPORTS = re.compile(r"^(import [A-Za-z_]|from [A-Za-z_.]+ import\b)", re.MULTILINE)


@remembered(REMEMBERED)
def _parsed_as_code(text: str) -> bool:
    """Parse a text to see whether it is code. Of one that is not Python its imports say so."""
    try:
        return is_code(syntax_tree(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return imports(text)


def code_in(text: str | None) -> bool:
    """Return whether a text is code of another library, and no formula.

    Parsing holds Python's lock, so code that is long is known by its imports alone.
    """
    if text is None or len(text) > limits.TEXT or not _BEYOND.search(text):
        return False
    return _parsed_as_code(text) if len(text) <= PARSED else imports(text)


def imports(text: str) -> bool:
    """Return whether a text has a line that imports, as no formula has."""
    return _IMPORTS.search(text) is not None


NO_VALUE = Problem(
    "no-value",
    "This code makes no array: a number of Python's own is no node.",
    "Write a line such as x = torch.tensor(2.0).",
)


TOO_LARGE = Problem("too-large", "The arrays of this code hold too many numbers.", "Make them smaller.")


READS = Bound(seconds=2.0, megabytes=200.0)
"""What reading one text may use: of the processor, and of memory."""

COMPUTES = Bound(seconds=10.0, megabytes=1_500.0)
"""What JAX may use for it beside that: a branch on numbers has to compile what it depends on."""


class BeingRead(Exception):
    """Raised where the reading of a text is needed that has not come yet.

    Attributes:
      text: what is to be read.
    """

    def __init__(self, text: str):
        super().__init__("a text has not been read yet")
        self.text = text


class _Readings:
    """The readings that have come, by text: those that somebody has on view, and recent ones within a bound.

    Attributes:
      apart: whether texts are read in another process.
      most: greatest number of recent ones.
    """

    def __init__(self) -> None:
        self.apart = False
        self.most = RECENT
        self._lock = Lock()
        self._on_view: WeakValueDictionary[str, Reading] = WeakValueDictionary()
        self._recent: OrderedDict[str, tuple[Reading, int]] = OrderedDict()
        self._bytes = self._missed = 0

    def known(self, text: str) -> Reading | None:
        with self._lock:
            if text in self._recent:
                self._recent.move_to_end(text)
            return self._on_view.get(text)

    def keep(self, text: str, reading: Reading) -> None:
        size = len(text) + sum(map(size_of, reading.graph.nodes))
        with self._lock:
            self._missed += 1
            self._forget(text)
            self._on_view[text] = reading
            self._recent[text] = reading, size
            self._bytes += size
            while len(self._recent) > self.most or (self._bytes > KEPT_BYTES and len(self._recent) > 1):
                self._forget(next(iter(self._recent)))

    def forget(self, text: str) -> None:
        """Forget the reading of a text, so that it is read anew."""
        with self._lock:
            self._forget(text)
            self._on_view.pop(text, None)

    def _forget(self, text: str) -> None:
        if text in self._recent:
            self._bytes -= self._recent.pop(text)[1]

    def clear(self) -> None:
        with self._lock:
            self._on_view.clear()
            self._recent.clear()
            self._bytes = 0

    @property
    def count(self) -> int:
        return len(self._recent)

    @property
    def missed(self) -> int:
        return self._missed


READINGS = _Readings()


def reading_of(text: str) -> Reading:
    """Return the reading of code, with its graph and its sentences alone, since it is kept.

    Raises:
      BeingRead: it is read in another process, and has not come yet.
    """
    if READINGS.apart and READINGS.known(text) is None:
        raise BeingRead(text)
    return read_ours(text)


reading_of.most, reading_of.forget = READINGS.most, READINGS.clear
reading_of.kept, reading_of.misses = lambda: READINGS.count, lambda: READINGS.missed
EVERYTHING.append(reading_of)


def read_ours(text: str) -> Reading:
    """Read code of the project's own, such as a lesson's, in this process."""
    reading = READINGS.known(text)
    if reading is None:
        READINGS.keep(text, reading := read_whole(text))
    return reading


def known_reading(text: str) -> Reading | None:
    """Return the reading of code; None if it has not come yet."""
    try:
        return reading_of(text)
    except BeingRead:
        return None


def read_whole(text: str) -> Reading:
    """Read code, without what computes its answers."""
    try:
        reading = replace(read(text), compute_answers=None, compute_values=None)
    except GraphError as error:
        return replace(unread(error.problems[0]), refused=error.problems)
    if sum(map(size_of, reading.graph.nodes)) > MOST_BYTES:  # a short text can make long literals
        return replace(reading, graph=Graph(), lines={}, refused=(TOO_LARGE,))
    if reading.graph.nodes or reading.refused:
        return reading
    return replace(reading, refused=(_without_value(text, reading),))


def _without_value(text: str, reading: Reading) -> Problem:
    """Return the problem of code that makes no array; of a module of PyTorch with a call that makes one."""

    def is_read(longer: str) -> bool:
        tried = read(longer)
        return bool(tried.graph.nodes) and not tried.refused

    call = offered_call(text, is_read) if reading.dialect == "torch" else ""
    if not call:
        return NO_VALUE
    end = text.count("\n") + 1
    width = len(text.rpartition("\n")[2])
    return replace(
        NO_VALUE,
        message="This code defines a module and does not call it.",
        hint=f"Write a line such as {call.splitlines()[-1]}",
        correction=Correction("Add this call", end, width, end, width, f"\n\n{call}"),
    )


def read_bounded(text: str) -> Reading:
    """Read code in a worker, which ends if that takes more than `READS`."""
    with bounded(READS, COMPUTES):
        try:
            return read_whole(text)
        except MemoryError:
            return unread(TOO_MUCH)


def unread(problem: Problem) -> Reading:
    """Return the reading of code of which nothing was read, for this reason; it has no dialect."""
    return Reading(Graph(), "", (), (problem,), {}, FLOAT32)


TOO_MUCH = Problem(
    "reading-too-long",
    f"To read this code takes more than {READS.seconds:g} seconds of the processor, or more than "
    f"{READS.megabytes:.0f} MB: it was ended.",
    "Use fewer repetitions, shorter lists or smaller arrays.",
)
BEING_READ = Problem("being-read", "This code is being read.")
STOPPED = Problem("reading-stopped", "You have stopped the reading of this code.")
NO_ROOM = Problem(
    "reading-busy",
    "Nobody had time to read this code: many texts are being read here.",
    "Read it again in a moment.",
)
INTERRUPTED = Problem(
    "reading-interrupted",
    "The server ended while it read this code, so it is not read again unless you ask for it.",
)
UNREAD = frozenset(problem.code for problem in (TOO_MUCH, STOPPED, NO_ROOM, INTERRUPTED))
"""Codes of the reasons for which code was not read to its end; it can be read again."""


def is_read(text: str) -> bool:
    """Return whether code of the project's own can be read in full."""
    reading = read_ours(text)
    return bool(reading.graph.nodes) and not reading.refused


def matching_text(text: str | None, graph: Graph, before: Graph | None = None) -> str | None:
    """Return the author's text of an edited graph; None where it no longer fits.

    A formula is amended. Code stays as it is while nothing but numbers, places and ranges of inputs differ.

    Args:
      before: a graph that the text fits; None for the one that it is read as.
    """
    if text is None or not code_in(text):
        return None if text is None else amended(text, graph)
    return text if _alike(before or reading_of(text).graph, graph) else None


def _alike(one: Graph, other: Graph) -> bool:
    """Return whether two graphs differ at most in what sliders and drags change."""
    if len(one.nodes) != len(other.nodes) or not same(replace(one, nodes=()), replace(other, nodes=())):
        return False
    # Two versions of a graph share their nodes, so that few are compared.
    pairs = [pair for pair in zip(one.nodes, other.nodes, strict=True) if pair[0] is not pair[1]]
    return all(same(_without_number(a), _without_number(b)) for a, b in pairs)


def _without_number(node: Node) -> Node:
    node = replace(node, position=None)
    if node.op != INPUT:
        return node
    kept = {key: value for key, value in node.params if key not in ("value", "low", "high")}
    return replace(node, params=params(**kept))


@remembered(REMEMBERED)
def places_of(text: str) -> Places:
    """Return the line that each node comes from: the innermost one, in the function that made it."""
    lines = text.split("\n")
    spans = {}
    for name, at in reading_of(text).lines.items():
        if at and at[0] <= len(lines):
            row = lines[at[0] - 1]
            spans[name] = Span(at[0], len(row) - len(row.lstrip()), at[0], len(row))
    return Places(spans, {})


LIBRARIES = {"jax": "JAX", "torch": "PyTorch", "tf": "TensorFlow", "numpy": "NumPy"}
"""Names of the libraries whose code is read, by dialect."""


def unmarked(says: str) -> str:
    """Return a sentence without the backticks around its names: the page shows it as plain text."""
    return says.replace("`", "")


def code_view(text: str, graph: Graph, dtype: str) -> dict[str, Any] | None:
    """Return what the page says of code: its library, what became what, and what is another here than there.

    None of code that is being read, or of which nothing was read.

    `web/types.js` describes the fields.
    """
    reading = known_reading(text)
    if reading is None or not reading.dialect:
        return None
    # The graph is the one that was read but for its numbers; a stored history may say otherwise.
    pairs = [pair for pair in zip(reading.graph.nodes, graph.nodes, strict=False) if pair[0] is not pair[1]]
    inputs = [(was, now) for was, now in pairs if was.op == INPUT == now.op]
    moved = [quoted(now.name) for was, now in inputs if not same(was.param("value"), now.param("value"))]
    other = [f"The numbers of {listed(moved, NAMED)} are others here than in the code."] if moved else []
    if dtype != reading.dtype:
        other.append(f"The code computes in {reading.dtype}, this page in {dtype}.")
    return {
        "library": LIBRARIES.get(reading.dialect, reading.dialect),
        "extent": unmarked(reading.extent),
        "other": " ".join(other),
        "changes": [
            {"lines": list(change.lines or (change.line,))[:LINES], "says": unmarked(change.says)}
            for change in reading.changes[:CHANGES]
        ],
        "more": max(0, len(reading.changes) - CHANGES),
    }
