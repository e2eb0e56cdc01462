"""Declare every edit that the browser sends, one record each, and decode edits, which are untrusted.

A record is all that is said of an edit: `lab/edits` reads its fields, offers and cures are built of it, and
the browser's scripts are checked against it (`web/messages.js` is generated from here). Types and sizes are
checked once, when an edit is decoded. What a field means in the graph, such as whether there is a node of
that name, is checked by the handler.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, ValidationError, convert, field, structs, to_builtins

from autodiff_viz.graph import limits

Point = tuple[float, float]
"""World px on the canvas, x to the right and y down."""

Number = Annotated[float, Meta(ge=-limits.NUMBER, le=limits.NUMBER)]
"""A finite number, as large as an input may be."""

Place = tuple[Number, Number]
"""A point, or a distance to the right and down, of finite numbers."""

Names = Annotated[list[str], Meta(max_length=limits.NODES)]
"""Names of nodes."""

Positions = Annotated[dict[str, Point], Meta(max_length=limits.NODES)]
"""By the name of a node, the top-left corner of its card."""

Changes = Annotated[dict[str, Names], Meta(max_length=limits.REGIONS + limits.GROUPS)]
"""By the name of a region or group, nodes that join or leave it."""

Index = Annotated[int, Meta(ge=0)]


class Producer(Struct, frozen=True):
    """One end of a wire: the node that it comes from, and the slot of a new node that reads it.

    Attributes:
      source: the producer.
      slot: of the new node.
    """

    source: str = field(name="from")
    slot: int


class Consumer(Struct, frozen=True):
    """The other end of a wire: a slot.

    Attributes:
      to: the node that reads.
      slot: its slot.
    """

    to: str
    slot: int


class Edit(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind"):
    """An edit of the lab.

    Attributes:
      seq: number of the edit in its session; None for one that has not been sent.
    """

    seq: int | None = None


# Nodes and wires.


class Add(Edit, tag="add"):
    """Add a node, with the parameters of a layer that reads something.

    With both `wire` and `feeds` the node is inserted into the wire between them.

    Attributes:
      op: its op, or the name of an input in the palette.
      position: its place; null leaves it to the layout.
      wire: what it reads.
      feeds: the slot that it feeds.
      by: beside `wire`, the producer of its second slot; of a grad node the x.
      rule: kind of its rule.
    """

    op: str
    position: Point | None = None
    wire: Producer | None = None
    feeds: Consumer | None = None
    by: str | None = None
    rule: str | None = None


class Select(Edit, tag="select"):
    """Select a node.

    Attributes:
      node: its name; null for none.
    """

    node: str | None


class Delete(Edit, tag="delete"):
    """Delete nodes.

    Attributes:
      nodes: which ones.
    """

    nodes: Names


class Constant(Edit, tag="constant"):
    """Put a constant into a slot, or set the value of an input.

    Attributes:
      node: the node that reads, or the input.
      slot: null for the value of an input.
      text: a number or a tensor, as in a formula.
    """

    node: str
    slot: int | None
    text: str


class Rename(Edit, tag="rename"):
    """Rename a node.

    Attributes:
      node: its name.
      name: its new name.
    """

    node: str
    name: str


class Output(Edit, tag="output"):
    """Make a node the output.

    Attributes:
      node: its name.
    """

    node: str


class Connect(Edit, tag="connect"):
    """Connect a node to a slot.

    Attributes:
      source: the producer.
      to: the node that reads.
      slot: its slot.
    """

    source: str = field(name="from")
    to: str
    slot: int


class Disconnect(Edit, tag="disconnect"):
    """Remove the wire into a slot.

    Attributes:
      to: the node that reads.
      slot: its slot.
    """

    to: str
    slot: int


class Rewire(Edit, tag="rewire"):
    """Move the end of a wire to another slot.

    Attributes:
      source: the producer.
      to: the node that reads from now on.
      slot: its slot.
      old_to: the node that has read.
      old_slot: its slot.
    """

    source: str = field(name="from")
    to: str
    slot: int
    old_to: str = field(name="oldTo")
    old_slot: int = field(name="oldSlot")


class Insert(Edit, tag="insert"):
    """Insert a node into a wire.

    Attributes:
      node: its name.
      source: the producer of the wire.
      to: the node that reads the wire.
      slot: its slot.
      position: where the node was dropped.
    """

    node: str
    source: str = field(name="from")
    to: str
    slot: int
    position: Point


class Write(Edit, tag="write"):
    """Add the nodes of an expression, wired to the nodes that it names, and select them.

    Attributes:
      text: the expression.
      at: where to centre its nodes; null puts them beside what they read.
      feeds: the slot that it feeds.
    """

    text: str
    at: Place | None = None
    feeds: Consumer | None = None


class Block(Edit, tag="block"):
    """Add a group of layers with its parameters.

    Attributes:
      block: its name.
      source: the node that it reads; null gives it an input of its own.
      at: where to centre its nodes; null puts them beside what they read.
      feeds: the slot that it feeds.
    """

    block: str
    source: str | None = field(name="from", default=None)
    at: Place | None = None
    feeds: Consumer | None = None


# Pieces of a graph.


class Move(Edit, tag="move"):
    """Set positions of nodes. Successive nudges of the same nodes are one step of undo.

    Attributes:
      positions: of the nodes that move.
      how: what moves them; null for a drag.
    """

    positions: Positions
    how: Literal["left", "centre", "right", "top", "middle", "bottom", "across", "down", "nudge"] | None = (
        None
    )


class Arrange(Edit, tag="arrange"):
    """Lay out nodes.

    Attributes:
      nodes: null or none for the whole graph.
    """

    nodes: Names | None = None


class Duplicate(Edit, tag="duplicate"):
    """Copy nodes. Wires from outside are kept: the copy reads what the original reads.

    Attributes:
      nodes: what to copy.
      by: px from the original to the copy.
    """

    nodes: Names
    by: Place


class Paste(Edit, tag="paste"):
    """Paste text from this canvas or from elsewhere, clear of all cards.

    Attributes:
      text: JSON or a formula.
      at: the point around which its nodes go.
      collapsed: names of its collapsed groups.
    """

    text: str
    at: Place
    collapsed: Annotated[list[str], Meta(max_length=limits.GROUPS)] = field(default_factory=list)


class Cut(Edit, tag="cut"):
    """Delete nodes that the browser has copied to the clipboard.

    Attributes:
      nodes: what to cut.
    """

    nodes: Names


# Rules, mutes, cuts and checkpoint regions.


class Mute(Edit, tag="mute"):
    """Mute nodes, or unmute them.

    Attributes:
      nodes: which ones.
      on: whether they are to be muted.
    """

    nodes: Names
    on: bool


class CutAfter(Edit, tag="cut_after"):
    """Put a cut after nodes, or remove it.

    Attributes:
      nodes: which ones.
      on: whether a segment is to end there.
    """

    nodes: Names
    on: bool


class Rules(Edit, tag="rules"):
    """Put one rule on nodes.

    Attributes:
      nodes: which ones.
      rule: kind of the rule.
    """

    nodes: Names
    rule: str


class Function(Edit, tag="function"):
    """Set the function or the number of a node's rule.

    Attributes:
      node: its name.
      text: a lambda or its body, or a number.
    """

    node: str
    text: str


class Checkpoint(Edit, tag="checkpoint"):
    """Put nodes into a new checkpoint region.

    Attributes:
      nodes: which ones.
    """

    nodes: Names


class Uncheckpoint(Edit, tag="uncheckpoint"):
    """Remove a checkpoint region.

    Attributes:
      region: its name.
    """

    region: str


class SetRegion(Edit, tag="region"):
    """Set the nodes of a region.

    Attributes:
      region: its name.
      nodes: all of them.
    """

    region: str
    nodes: Names


class Regroup(Edit, tag="regroup"):
    """Move nodes, and put them into regions and groups or take them out.

    Attributes:
      positions: of the nodes that move.
      join: what they join.
      leave: what they leave.
    """

    positions: Positions
    join: Changes
    leave: Changes


class Policy(Edit, tag="policy"):
    """Set the policy of a checkpoint region.

    Attributes:
      region: its name.
      policy: a name of `jax.checkpoint_policies`.
      saved: the nodes that are saved, if the policy takes names.
    """

    region: str
    policy: str
    saved: Names


class RenameRegion(Edit, tag="rename_region"):
    """Rename a region or a group.

    Attributes:
      region: its name.
      name: its new name.
    """

    region: str
    name: str


# Groups and branches.


class MakeGroup(Edit, tag="group"):
    """Put nodes into a new group.

    Attributes:
      nodes: which ones.
    """

    nodes: Names


class Ungroup(Edit, tag="ungroup"):
    """Dissolve a group; its nodes stay.

    Attributes:
      group: its name.
      positions: of other nodes, which have made room for them.
    """

    group: str
    positions: Positions = field(default_factory=dict)


class Collapse(Edit, tag="collapse"):
    """Collapse or expand a group.

    Attributes:
      group: its name.
      on: whether it is to be one card.
      positions: of other nodes, which make room for those of an opened group.
    """

    group: str
    on: bool
    positions: Positions = field(default_factory=dict)


class Branches(Edit, tag="branches"):
    """Set the number of branches of a group.

    Attributes:
      group: its name.
      k: the number.
    """

    group: str
    k: int


class MakeBranches(Edit, tag="make_branches"):
    """Make nodes the only branch of a new group.

    Attributes:
      nodes: which ones.
    """

    nodes: Names


class Tune(Edit, tag="tune"):
    """Train one branch alone.

    Attributes:
      group: name of the group of branches.
      branch: name of the branch; null for all of them.
    """

    group: str
    branch: str | None


# Fields beside the canvas, the formula's text, and sliders.


class Type(Edit, tag="type"):
    """Set the formula's text.

    Attributes:
      text: all of it.
      fresh: whether it begins a new step of undo.
    """

    text: str
    fresh: bool = True


class ReadAgain(Edit, tag="read_again"):
    """Read code again that was not read to its end."""


class AsFormula(Edit, tag="as_formula"):
    """Write the graph of code as a formula."""


class Slide(Edit, tag="slide"):
    """Set the value of an input by its slider.

    Attributes:
      name: the input.
      value: its new value.
      fresh: whether it begins a new step of undo.
    """

    name: str
    value: Number
    fresh: bool = True


class Resample(Edit, tag="resample"):
    """Draw all random values anew."""


class Learn(Edit, tag="learn"):
    """Add parameters in the empty slots of a layer.

    Attributes:
      node: the layer.
    """

    node: str


class SetParam(Edit, tag="param"):
    """Set a parameter of a node's op.

    Attributes:
      node: its name.
      param: name of the parameter.
      value: a number as it was typed, a text, or whether it is ticked.
    """

    node: str
    param: str
    value: str | bool


class Trainable(Edit, tag="trainable"):
    """Make an input a parameter, or a parameter an input.

    Attributes:
      node: its name.
      value: whether it is trained.
    """

    node: str
    value: bool


class Numbers(Edit, tag="numbers"):
    """Set the numbers of an input.

    Attributes:
      node: its name.
      value: as typed.
    """

    node: str
    value: str


class Shape(Edit, tag="shape"):
    """Set the shape of an input that is drawn.

    Attributes:
      node: its name.
      value: as typed.
    """

    node: str
    value: str


class Units(Edit, tag="units"):
    """Set the number of outputs of a layer.

    Attributes:
      node: its name.
      value: as typed.
    """

    node: str
    value: str


class Data(Edit, tag="data"):
    """Set the value of an input to a table or a file, or add an input that has it.

    It has either `text` or `npy`.

    Attributes:
      text: a table.
      npy: a file in base64.
      node: the input; null adds one.
      at: where to add it.
      without: columns to leave out.
      complete: whether rows with empty cells are left out.
    """

    text: str | None = None
    npy: str | None = None
    node: str | None = None
    at: Place | None = None
    without: list[int] = field(default_factory=list)
    complete: bool = False


# The document, its history, and what is beside the graph.


class NewGraph(Edit, tag="new"):
    """Open an empty graph."""


class Undo(Edit, tag="undo"):
    """Take back the last step."""


class Redo(Edit, tag="redo"):
    """Make a step again that was taken back."""


class Jump(Edit, tag="jump"):
    """Go to a step of the history.

    Attributes:
      index: of the step.
    """

    index: int


class Import(Edit, tag="import"):
    """Replace the graph by a document from outside.

    Attributes:
      text: JSON, a link, or a formula.
    """

    text: str


class Trail(Struct, frozen=True):
    """The history as the browser keeps it.

    Attributes:
      at: number of the present step.
      graph: digest of the present graph.
      text: digest of its text.
      steps: each step by its number, as compact JSON.
      documents: by the number of its first step, the other state of each document.
      tour: digest of the tour beside the present graph.
    """

    at: int
    graph: str
    text: str
    steps: dict[str, Any]
    documents: Any = field(default_factory=dict)
    tour: str = ""


class Kept(Edit, tag="kept"):
    """Put the stored history before that of this session.

    Attributes:
      trail: the history.
      link: the graph of the address at which it was stored.
    """

    trail: Trail
    link: str | None = None


class Restored(Edit, tag="restored"):
    """Open the stored query that was too long for the address.

    Attributes:
      query: fields of the address.
    """

    query: dict[str, str]


class ShowFigure(Edit, tag="figure"):
    """Choose the figure on view.

    Attributes:
      figure: its key.
    """

    figure: str


class Forward(Edit, tag="forward"):
    """Switch forward mode on or off.

    Attributes:
      on: whether it is to be on.
    """

    on: bool


class Tangent(Edit, tag="tangent"):
    """Set the tangent of an input.

    Attributes:
      node: the input.
      value: as typed.
    """

    node: str
    value: str


class ShowStep(Edit, tag="step"):
    """Show a step of the training.

    Attributes:
      step: its number.
    """

    step: Index


class OpenVariant(Edit, tag="variant"):
    """Open another graph of the open lesson.

    Attributes:
      lesson: key of the lesson.
      variant: index of the graph.
    """

    lesson: str
    variant: Index


class Mend(Edit, tag="mend"):
    """Apply the cure of an explanation.

    Attributes:
      of: the explanation.
      mend: the text of the cure that the page showed.
      node: the node that it is about, if any.
    """

    of: str
    mend: str
    node: str | None = None


class Pin(Edit, tag="pin"):
    """Pin the present graph as A."""


class Unpin(Edit, tag="unpin"):
    """Unpin the pinned graph."""


class Flip(Edit, tag="flip"):
    """Exchange the present graph and the pinned one."""


class Without(Edit, tag="without"):
    """Pin the present graph as A, and go on as B without a rule, a mute or a checkpoint region.

    Attributes:
      what: which of the three.
      name: of the node, or of the region.
    """

    what: Literal["rule", "mute", "region"]
    name: str


# The visitor's tour, beside the document. Steps are counted from 0.


class NewTour(Edit, tag="tour_new"):
    """Begin a tour; undo brings the one before back.

    Attributes:
      of: what it begins with: no step, or those of the open lesson.
    """

    of: Literal["nothing", "lesson"] = "nothing"


class EditTour(Edit, tag="tour_edit"):
    """Begin to edit the tour, or end it; it is no step of undo.

    Attributes:
      on: whether it is edited from now on.
    """

    on: bool


class AddStep(Edit, tag="tour_add"):
    """Add the present state to the tour, after the step that was opened last; without a tour begin one."""


class UpdateStep(Edit, tag="tour_update"):
    """Put the present state into a step, which keeps its words.

    Attributes:
      step: its place.
    """

    step: Index


class MoveStep(Edit, tag="tour_move"):
    """Move a step of the tour.

    Attributes:
      step: its place.
      to: its place afterwards.
    """

    step: Index
    to: Index


class RemoveStep(Edit, tag="tour_remove"):
    """Remove a step of the tour.

    Attributes:
      step: its place.
    """

    step: Index


class WriteStep(Edit, tag="tour_step_words"):
    """Set a text of a step.

    Attributes:
      step: its place.
      field: which text.
      text: all of it.
      fresh: whether it begins a new step of undo.
    """

    step: Index
    field: Literal["title", "caption", "text", "notes"]
    text: str
    fresh: bool = True


class WriteTour(Edit, tag="tour_words"):
    """Set a text of the tour.

    Attributes:
      field: which text.
      text: all of it.
      fresh: whether it begins a new step of undo.
    """

    field: Literal["title", "summary", "text"]
    text: str
    fresh: bool = True


class Go(Edit, tag="tour_go"):
    """Open a step of the tour as it was made; undo returns to the present state.

    Attributes:
      step: its place.
    """

    step: Index


class CloseTour(Edit, tag="tour_close"):
    """Close the tour; undo brings it back."""


class QuestionRecord(Struct, frozen=True):
    """A question, as `Question` of asking/question.py.

    Attributes:
      kind: number, zero, sign, larger, same, shape, cause or choice.
      of: value, cotangent, passed, kept or runs.
      node: a node; of passed the one that reads.
      slot: of passed, the slot.
      element: index of an element.
      other: of larger the second of both, as node and slot; the slot of a wire alone.
      words: as the author asks it.
      options: of choice, what can be chosen.
      right: of choice the right one, of number one that no trace has; where the browser knows it.
      own: whether the right answer is the author's and stays as it was: the browser is not told it.
    """

    kind: str
    of: str
    node: str
    slot: Index | None = None
    element: Annotated[list[Index], Meta(max_length=limits.RANK)] | None = None
    other: tuple[str, Index | None] | None = None
    words: Annotated[str, Meta(max_length=limits.WORDS)] = ""
    options: Annotated[
        list[Annotated[str, Meta(max_length=limits.OPTION)]], Meta(max_length=limits.OPTIONS)
    ] = field(default_factory=list)
    right: Annotated[str, Meta(max_length=limits.OPTION)] = ""
    own: bool = False


class Ask(Edit, tag="ask"):
    """Ask these questions in place of those before; answers to questions that stay are kept.

    Attributes:
      hides: values, cotangents, or asked for what the questions are about alone.
      questions: in their order.
    """

    hides: str
    questions: Annotated[list[QuestionRecord], Meta(max_length=limits.QUESTIONS)]


class Answer(Edit, tag="answer"):
    """Answer a question.

    Attributes:
      at: its index.
      text: as typed.
    """

    at: Index
    text: Annotated[str, Meta(max_length=limits.ANSWER)]


class Reveal(Edit, tag="reveal"):
    """Show the answer of a question.

    Attributes:
      at: its index.
    """

    at: Index


class StopAsking(Edit, tag="stop_asking"):
    """Show all numbers; the questions are gone."""


# Requests that are numbered and repeated as edits are, and change nothing in the lab.


class Resync(Edit, tag="resync"):
    """Request a full drawing."""


class Check(Edit, tag="check"):
    """Request the check of a large graph, or cancel it.

    Attributes:
      on: whether it is wanted.
    """

    on: bool = True


KINDS: Mapping[str, type[Edit]] = {each.__struct_config__.tag: each for each in Edit.__subclasses__()}
"""The record of each kind of edit."""


class Unreadable(ValueError):
    """Raised for data that is no edit."""


def read_edit(data: Mapping[str, Any]) -> Edit | None:
    """Decode an edit from outside; None for one of an unknown kind.

    Raises:
      Unreadable: a field is missing, of another type, or too large.
    """
    kind = data.get("kind")
    record = KINDS.get(kind) if isinstance(kind, str) else None
    if record is None:
        return None
    try:
        return convert(data, record)
    except (ValidationError, OverflowError) as error:
        raise Unreadable(str(error)) from error


def edit_data(edit: Edit) -> dict[str, Any]:
    """Return an edit as JSON data, as the browser sends it; fields with their default value are left out."""
    return to_builtins(edit)


def edit_template(record: type[Edit], left_out: str, **known: Any) -> dict[str, Any]:
    """Return an edit as JSON data without one field, which the browser fills in with what the user sets.

    Raises:
      TypeError: the record has no such field, or needs more.
    """
    fields = {each.name: each for each in structs.fields(record)}
    needed = {name for name, each in fields.items() if each.required}
    given = {*known, left_out}
    if given - fields.keys() or needed - given:
        raise TypeError(f"{record.__name__} needs {sorted(needed)} and was given {sorted(given)}")
    data = {fields[name].encode_name: value for name, value in known.items()}
    return {"kind": record.__struct_config__.tag, **data}
