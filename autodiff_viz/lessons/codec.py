"""Encode tours and lessons as versioned JSON and as links, and decode them with full checks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from math import isfinite
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlunsplit

from autodiff_viz.asking.authored import check_own_answer
from autodiff_viz.asking.question import HIDES, KINDS, QUANTITIES, Quantity, Question
from autodiff_viz.graph import limits
from autodiff_viz.graph.codec import Reader, parsed, refuse
from autodiff_viz.graph.dtypes import DTYPES
from autodiff_viz.graph.link import Unreadable, packed, parts_of, unpacked
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.graph.problem import GraphError, Problem, kind_of, known_text, whole_number
from autodiff_viz.graph.short_text import TOUR_WORDS, read_short_text, short_text
from autodiff_viz.graph.short_text import VERSION as SHORT
from autodiff_viz.graph.text import quoted, well_formed
from autodiff_viz.lessons.evaluate import CUT, SPLIT, graph_in
from autodiff_viz.lessons.evaluate import QUANTITIES as OF_A_TRACE
from autodiff_viz.lessons.lesson import (
    PLAY,
    STEPS,
    THREE_WAYS,
    Claim,
    Law,
    Lesson,
    Like,
    Part,
    Prediction,
    Try,
)
from autodiff_viz.lessons.tour import REVEALS, Step, Tour
from autodiff_viz.messages.edits import Unreadable as NoEdit
from autodiff_viz.messages.edits import read_edit
from autodiff_viz.training.run import NAMES, Plan
from autodiff_viz.training.state import LEAST, MOST, Settings

FORMAT, VERSION = "autodiff_viz_tour", 1
"""Key of the version number, which marks a document as a tour, and the newest version."""

TOUR, AT = "tour", "tourstep"
"""Names of the parameters of an address that have a tour and the number of its step, counted from 0."""

# Write: a record becomes an object, without the fields that have their default values.

_NOT_FINITE = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}
"""Numbers that JSON has not, as a claim's texts."""


def tour_to_json(tour: Tour, indent: int | None = 2) -> str:
    """Write a tour or a lesson as an ASCII JSON document.

    Args:
      tour: any tour; of a lesson also exercises, claims and sources are written.
      indent: spaces for each level; None gives the shortest document.
    Returns:
      The text, which `read_tour` reads.
    Raises:
      GraphError: `tour` is no `Tour`, or `indent` is no such number.
    """
    if not isinstance(tour, Tour):
        hint = "Tour(title=..., steps=...) makes one, and read_tour reads one."
        raise GraphError(Problem("not-a-tour", f"A tour is needed; found {kind_of(tour)}.", hint))
    indent = indent if indent is None else whole_number("indent", indent, 0, 16)
    document = {FORMAT: VERSION, **plain_data(tour)}
    return json.dumps(document, indent=indent, separators=(",", ":" if indent is None else ": "))


def plain_data(value: Any) -> Any:
    """Return a record, or a value in one, as JSON data, without fields that have their default values."""
    if is_dataclass(value):
        given = ((field, getattr(value, field.name)) for field in fields(value))
        return {field.name: plain_data(item) for field, item in given if not _is_default(field.default, item)}
    if isinstance(value, range):
        return {"first": value.start, "end": value.stop}
    if isinstance(value, (tuple, list)):
        return [plain_data(item) for item in value]
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return value


def _is_default(default: Any, value: Any) -> bool:
    return default is not MISSING and type(default) is type(value) and default == value


def tour_to_link(tour: Tour, at: int = 0, *, base: str | None = None) -> str:
    """Write a tour as letters, digits, - and _, to follow `?tour=` in a URL, or as a whole URL.

    Args:
      tour: any tour.
      at: index of the step that opens, for a whole URL.
      base: address of a page of this program, such as "https://host.example/".
    Returns:
      The payload, or with `base` the address that opens the tour at that step; `read_tour` reads both.
    Raises:
      GraphError: code "link-too-long" for more than `limits.LINK` characters; "link-base" when `base` is no
        address; `tour` is no `Tour`, or has no such step.
    """
    payload = packed(tour_to_json(tour, None))
    at = whole_number("step", at, 0, max(0, len(tour.steps) - 1))
    if len(payload) > limits.LINK:
        message = f"The tour needs a link of {len(payload)} characters; the limit is {limits.LINK}."
        raise GraphError(Problem("link-too-long", message, "Save it as a JSON file, or use smaller tensors."))
    if base is None:
        return payload
    return urlunsplit(parts_of(base)._replace(query=f"{TOUR}={payload}" + (f"&{AT}={at}" if at else "")))


def short_tour(tour: Tour) -> str:
    """Write a tour in fewer letters than `tour_to_link`, as older versions do not read it."""
    return short_text(tour_to_json(tour, None), TOUR_WORDS)


# Read: the fields of each record, each with the function that reads it from a `Reader`.

Read = Callable[[Reader], Any]
R = TypeVar("R")


def read_tour(text: str) -> Tour:
    """Read a tour or a lesson; `read_tour(tour_to_json(tour)) == tour`.

    Args:
      text: as `tour_to_json` writes it, or what `tour_to_link` writes.
    Returns:
      The tour; a `Lesson` if the document has the key of one.
    Raises:
      GraphError: with codes "json-..." and the JSON path of the place in each message; "link-..." for a link
        that is truncated, damaged or too long, or that holds no tour.
    """
    text = (
        known_text(text).removeprefix("\ufeff").strip()
    )  # a byte order mark, which editors of Windows write
    if not text.startswith(("{", "[")):
        text = _document_in(text)
    return tour_in(Reader(well_formed(parsed(text, limits.TOUR)), "$"))


_MARK = re.compile(rf'"{FORMAT}"\s*:')
_IN_ADDRESS = re.compile(rf"[?&]{TOUR}=")


def is_tour(text: str) -> bool:
    """Return whether a text is meant to be a tour: its JSON, or a link that holds one and no graph."""
    if text.lstrip().startswith("{"):
        return _MARK.search(text) is not None
    return _IN_ADDRESS.search(text) is not None and "\n" not in text.strip() and not re.search("[?&]g=", text)


def _document_in(link: str) -> str:
    """Return the JSON document in a link of a tour.

    Raises:
      GraphError: it holds none.
    """
    payload = link
    if "?" in link or "=" in link:
        payload = parse_qs(link.partition("?")[2].partition("#")[0]).get(TOUR, [""])[-1]
        if not payload:
            message = f"This link holds no tour: nothing in it begins with '{TOUR}='."
            raise GraphError(Problem("link-empty", message, "Copy the link in the panel of the tour."))
    if len(payload) > limits.LINK:
        message = f"The link has {len(payload)} characters; the limit is {limits.LINK}."
        raise GraphError(Problem("link-too-long", message))
    return document_of(payload)


def document_of(payload: str) -> str:
    """Return the JSON document of a payload of any length.

    Raises:
      GraphError: it is truncated or damaged.
    """
    try:
        if payload.startswith(SHORT):
            return read_short_text(payload, limits.TOUR, TOUR_WORDS)
        return unpacked(payload, limits.TOUR)
    except Unreadable as error:
        message = f"The tour's link is no whole link of this program ({error.why})."
        raise GraphError(Problem("link-damaged", message, "Copy the whole link.")) from error


def tour_in(document: Reader, is_known: bool = False) -> Tour:
    """Decode a tour or a lesson from parsed JSON, and check all its names against its graphs.

    Args:
      is_known: whether the document is one of the project's own, whose graphs the tests check.
    Raises:
      GraphError: with the JSON path of the place.
    """
    members = document.members()
    if FORMAT not in members:
        message = f"The key {FORMAT!r} is missing, which marks a tour."
        refuse("missing-key", "$", message, "Save a tour as JSON in its panel, and open that file.")
    if not 1 <= members[FORMAT].integer() <= VERSION:
        message = f"The tour has version {members[FORMAT].value}; this program reads up to {VERSION}."
        refuse("version", f"$.{FORMAT}", message, "Reload the page to get the newest program.")
    own = Reader({key: value for key, value in document.value.items() if key != FORMAT}, "$")
    read = _record(own, Lesson, LESSON) if "key" in members else _record(own, Tour, TOUR_FIELDS)
    nodes = 0
    for i, step in enumerate(() if is_known else read.steps):
        nodes += _check_graphs(step, f"$.steps[{i}]")
        if nodes > limits.TOUR_NODES:
            message = f"The graphs up to here have {nodes} nodes; all together may have {limits.TOUR_NODES}."
            refuse("limit", f"$.steps[{i}]", message, "Use fewer steps, or divide the tour.")
    if isinstance(read, Lesson):
        _check_places(read)
    return read


def as_lesson(tour: Tour, key: str) -> Lesson:
    """Return a tour as the lesson `key`, without exercises and claims.

    Raises:
      GraphError: `key` is no key of a lesson, or the tour has no steps.
    """
    document = {**json.loads(tour_to_json(tour)), "key": key}
    return tour_in(Reader(document, "$"))  # type: ignore[return-value]


def _record(item: Reader, kind: type[R], table: Mapping[str, Read]) -> R:
    """Read a record of the fields in `table`; those with a default may be missing."""
    needed = {field.name for field in fields(kind) if field.default is MISSING}
    members = item.object(
        [name for name in table if name in needed], [name for name in table if name not in needed]
    )
    return kind(**{name: table[name](member) for name, member in members.items()})


def _text(most: int, lines: bool = True) -> Read:
    """Return a reader of texts of at most `most` characters, or of one line of so many."""

    def read(item: Reader) -> str:
        text = item.string()
        if len(text) > most:
            message = f"The text has {len(text):,} characters; the limit is {most:,}."
            refuse("limit", item.path, message, "Shorten it.")
        if not lines and not (text.isprintable() or not text):
            refuse("type", item.path, "Found a line break or a control character.", "Write one line.")
        return text

    return read


TITLE, PROSE = _text(limits.TITLE, lines=False), _text(limits.PROSE)
NAME = _text(limits.NAME, lines=False)


def _list(read: Read, most: int) -> Read:
    return lambda item: tuple(map(read, item.items(most)))


def _pair(first: Read, second: Read) -> Read:
    def read(item: Reader) -> tuple[Any, Any]:
        one, other = item.items(2, least=2)
        return first(one), second(other)

    return read


def _range(item: Reader) -> tuple[str, float, float]:
    """Read the range of a slider."""
    name, low, high = item.items(3, least=3)
    if not float(low.number()) < float(high.number()):
        refuse("number", item.path, "The range of a slider begins below its end.")
    return NAME(name), float(low.value), float(high.value)


def _among(*known: str) -> Read:
    return lambda item: item.choice(known)


def _whole(least: int, most: int) -> Read:
    def read(item: Reader) -> int:
        if not least <= item.integer() <= most:
            refuse("number", item.path, f"Found {item.value}; it may be from {least:,} to {most:,}.")
        return item.value

    return read


def _key(item: Reader) -> str:
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,39}", item.string()):
        message = f"{quoted(item.value)} is no key: at most 40 small letters, digits and '-'."
        refuse("type", item.path, message, "Write for example two-knobs.")
    return item.value


def _place(item: Reader) -> int:
    return _whole(0, limits.TOUR_STEPS - 1)(item)


def _settings(item: Reader) -> Settings:
    return _record(item, Settings, SETTINGS)


def _rate(item: Reader) -> float:
    if not 0 <= item.number() <= 100:
        refuse("number", item.path, f"The rate is {item.value:g}; it may be from 0 to 100.")
    return float(item.value)


def _scale(item: Reader) -> float:
    if not LEAST <= item.number() <= MOST:
        message = f"The loss scale is {item.value:g}; it may be from {LEAST:g} to {MOST:g}."
        refuse("number", item.path, message)
    return float(item.value)


def _quantity(item: Reader) -> Quantity:
    return _record(item, Quantity, QUANTITY)


def _expected(item: Reader, depth: int = limits.RANK + 2) -> Any:
    """Read what a claim expects: a number, also one that is not finite, nested lists, a law or a likeness."""
    if isinstance(item.value, dict):
        return _record(item, Law, LAW) if "formula" in item.value else _record(item, Like, LIKE)
    if isinstance(item.value, list) and depth:
        return tuple(_expected(each, depth - 1) for each in item.items(limits.ELEMENTS))
    if isinstance(item.value, str) and item.value in _NOT_FINITE:
        return _NOT_FINITE[item.value]
    return item.number()


def _of(item: Reader) -> Any:
    """Read what a claim is about: nothing, a node, a wire as [node, slot], or two nodes."""
    if item.value is None or isinstance(item.value, str):
        return item.value and NAME(item)
    of, by = item.items(2, least=2)
    return NAME(of), NAME(by) if isinstance(by.value, str) else _whole(0, limits.SLOTS)(by)


def _at(item: Reader) -> int | range:
    """Read the step, or the steps, of a training."""
    if not isinstance(item.value, dict):
        return _whole(0, limits.STEPS)(item)
    ends = item.object(("first", "end"))
    first = _whole(0, limits.STEPS)(ends["first"])
    return range(first, _whole(first + 1, limits.STEPS + 1)(ends["end"]))


def _edit(item: Reader) -> Mapping[str, Any]:
    """Read an edit of an exercise, which may ask for any other value."""
    given = {key: member.value for key, member in item.members().items()}
    try:
        known = read_edit({key: value for key, value in given.items() if key != "any"})
    except NoEdit as error:
        refuse("type", item.path, f"This edit cannot be read: {str(error)[:200]}.")
    if known is None or given.get("any", True) is not True:
        refuse("type", item.path, "This is no edit of the lab.", "Its kinds are in messages/edits.py.")
    return given


def _question(item: Reader) -> Question:
    """Read a question, with the answers that its author gives."""
    question = _record(item, Question, QUESTION)
    try:
        check_own_answer(question)
    except GraphError as error:
        problem = error.problems[0]
        refuse("type", item.path, problem.message, problem.hint)
    return question


QUANTITY: Mapping[str, Read] = {
    "of": _among(*QUANTITIES),
    "node": NAME,
    "slot": _whole(0, limits.SLOTS),
    "element": _list(_whole(0, limits.ELEMENTS), limits.RANK),
}
QUESTION: Mapping[str, Read] = {
    "kind": _among(*KINDS),
    "about": _quantity,
    "other": _quantity,
    "words": _text(limits.WORDS),
    "told": _list(_pair(_text(limits.ANSWER), _text(limits.WORDS)), limits.TOLD),
    "options": _list(_text(limits.OPTION, lines=False), limits.OPTIONS),
    "right": _text(limits.OPTION, lines=False),
}
SETTINGS: Mapping[str, Read] = {
    "optimiser": _among(*NAMES),
    "rate": _rate,
    "seed": _whole(0, limits.SEED),
    "loss_scale": _scale,
    "growth_interval": _whole(0, limits.STEPS),
}
PLAN: Mapping[str, Read] = {"settings": _settings, "steps": _whole(1, limits.STEPS)}
STEP: Mapping[str, Read] = {
    "title": TITLE,
    "formula": _text(limits.TOUR),
    "look_at": NAME,
    "seed": Reader.literal,
    "training": lambda item: _record(item, Plan, PLAN),
    "text": PROSE,
    "collapsed": _list(NAME, limits.GROUPS),
    "dtype": _among(*DTYPES),
    # The page takes the usual figure and choice for one that it does not know, as in an address.
    "figure": NAME,
    "choices": _list(_pair(NAME, NAME), limits.QUESTIONS),
    "forward": _list(_pair(NAME, lambda item: float(item.number())), limits.NODES),
    "pinned": _text(limits.TOUR),
    "letter": _among("A", "B"),
    "caption": PROSE,
    "notes": PROSE,
    "questions": _list(_question, limits.QUESTIONS),
    "hides": _among("", *HIDES),
    "reveal": _among("", *REVEALS),
    "ranges": _list(_range, limits.NODES),
    "trained": _text(limits.TOUR),
    "moment": _text(limits.NAME, lines=False),
}
TOUR_FIELDS: Mapping[str, Read] = {
    "title": TITLE,
    "summary": PROSE,
    "text": PROSE,
    "steps": _list(lambda item: _record(item, Step, STEP), limits.TOUR_STEPS),
    "figure": NAME,
}
LAW: Mapping[str, Read] = {"formula": _text(limits.LINE), "names": _list(NAME, limits.SLOTS)}
LIKE: Mapping[str, Read] = {"variant": _place}
CLAIM: Mapping[str, Read] = {
    "says": PROSE,
    "quantity": _among(*OF_A_TRACE, *CUT, *SPLIT),
    "of": _of,
    "expected": _expected,
    "source": PROSE,
    "variant": _place,
    "within": Reader.number,
    "digits": _whole(1, 16),
    "at": _at,
}
PART: Mapping[str, Read] = {
    "variant": _place,
    "edits": _list(_edit, limits.EXERCISES),
    "steps": _whole(0, limits.STEPS),
    "at": _whole(0, limits.STEPS),
    "seed": _whole(0, limits.SEED),
    "unchanged": Reader.boolean,
    "untrained": Reader.boolean,
    "asks": _among("", PLAY, STEPS, THREE_WAYS),
}
TRY: Mapping[str, Read] = {
    "says": PROSE,
    "parts": _list(lambda item: _record(item, Part, PART), limits.EXERCISES),
    "shows": _list(NAME, limits.EXERCISES),
    "then": _list(lambda item: _record(item, Claim, CLAIM), limits.CLAIMS),
}
PREDICTION: Mapping[str, Read] = {
    "answer": _text(limits.ANSWER),
    "meets": TITLE,
    "step": _place,
    "question": _whole(0, limits.QUESTIONS - 1),
}
LESSON: Mapping[str, Read] = {
    **TOUR_FIELDS,
    "key": _key,
    "to_try": _list(lambda item: _record(item, Try, TRY), limits.EXERCISES),
    "claims": _list(lambda item: _record(item, Claim, CLAIM), limits.CLAIMS),
    "predictions": _list(lambda item: _record(item, Prediction, PREDICTION), limits.CLAIMS),
    "numbers": _list(_place, limits.TOUR_STEPS),
    "sources": _list(PROSE, limits.EXERCISES),
    "track": TITLE,
    "level": _whole(1, 3),
    "minutes": _whole(0, 600),
    "after": _list(_key, limits.EXERCISES),
    "found_by": _list(TITLE, limits.EXERCISES),
    "code": PROSE,
}

# Check what the types cannot say: names of nodes, and places of claims and exercises.


def _check_graphs(step: Step, path: str) -> int:
    """Return the number of nodes of a step's graphs.

    Raises:
      GraphError: a formula cannot be read, or a name is of no node.
    """
    graph = _graph(step.formula, f"{path}.formula")
    names = [("look_at", step.look_at)]
    for i, one in enumerate(step.questions):
        asked = (("about", one.about), ("other", one.other))
        names += [(f"questions[{i}].{field}", quantity.node) for field, quantity in asked if quantity]
    for field, name in names:
        if name is not None and name not in graph:
            message = f"There is no node {quoted(name)} in the formula of this step."
            refuse("unknown-node", f"{path}.{field}", message, "Name one of its nodes.")
    for name, _ in step.forward or ():
        if name not in graph or graph[name].op != INPUT:
            message = f"There is no input {quoted(name)} in the formula of this step."
            refuse("unknown-node", f"{path}.forward", message, "Name one of its inputs.")
    groups = {group.name for group in graph.groups}
    if unknown := [name for name in step.collapsed if name not in groups]:
        message = f"There is no group {quoted(unknown[0])} in the formula of this step."
        refuse("unknown-group", f"{path}.collapsed", message, "Name one of its groups.")
    beside = len(_graph(step.pinned, f"{path}.pinned").nodes) if step.pinned else 0
    return len(graph.nodes) + beside


def _graph(formula: str, path: str) -> Graph:
    """Parse a formula; its problems name the JSON path too."""
    try:
        return graph_in(formula)
    except GraphError as error:
        first = error.problems[0]
        where = f"line {first.line}: " if first.line else ""
        refuse("formula", path, f"{where}{first.message}", first.hint)


def _check_places(lesson: Lesson) -> None:
    """Check that claims, exercises and numbers are about steps that there are.

    Raises:
      GraphError: one is not.
    """
    count = len(lesson.steps)
    places = [(f"claims[{i}]", claim.variant) for i, claim in enumerate(lesson.claims)]
    likes = [
        (f"claims[{i}]", c.expected.variant) for i, c in enumerate(lesson.claims) if type(c.expected) is Like
    ]
    parts = [(f"to_try[{i}]", part.variant) for i, item in enumerate(lesson.to_try) for part in item.parts]
    for path, place in (*places, *likes, *parts):
        if place >= count:
            message = f"Found step {place}; the lesson has {count}, counted from 0."
            refuse("number", f"$.{path}", message, "Name one of its steps.")
    if empty := [i for i, item in enumerate(lesson.to_try) if not item.parts]:
        refuse("limit", f"$.to_try[{empty[0]}].parts", "An exercise has at least one part.")
    if lesson.numbers and sorted(lesson.numbers) != [*range(count)]:
        message = f"Found {[*lesson.numbers]}, where each number from 0 to {count - 1} is needed once."
        refuse("number", "$.numbers", message, "Leave them out unless the steps have changed their order.")
    if not count:
        refuse("limit", "$.steps", "A lesson has at least one step.")
