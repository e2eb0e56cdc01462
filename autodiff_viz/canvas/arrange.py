"""Place nodes where an edit needs it: a piece clear of others, collapsed groups, and all as they stand now.

Nodes keep their places while an edit adds or removes others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from operator import attrgetter

from autodiff_viz.canvas.cards import WIDEST, WINDOW, group_size, pictured, room, size
from autodiff_viz.canvas.drawing import node_places
from autodiff_viz.canvas.layout.placing import CARD_CLEARANCE, GAP, Box, Point
from autodiff_viz.canvas.layout.sugiyama import Space, layout
from autodiff_viz.canvas.layout.tabs import FEW, attached, fitted, layers_of
from autodiff_viz.graph import edits
from autodiff_viz.graph.frames import outermost_first
from autodiff_viz.graph.model import Graph, Group, Node
from autodiff_viz.graph.order import order
from autodiff_viz.graph.subgraph import detached, extract
from autodiff_viz.ops.misfits import Shape

Positions = Mapping[str, Point]


# A piece of a graph: laid out by itself, centred, clear of other nodes.


def arranged(graph: Graph, names: Iterable[str]) -> dict[str, Point]:
    """Lay out the named nodes by themselves, centred where they are now."""
    names = tuple(names)
    positions = node_places(graph).positions
    now = {name: positions[name] for name in names}
    return arranged_at(graph, names, _middle(extract(graph, names), now, pictured(graph)))


def arranged_at(graph: Graph, names: Iterable[str], at: Point) -> dict[str, Point]:
    """Lay out the named nodes by themselves, centred at a point."""
    piece = detached(extract(graph, names))
    loose = replace(piece, nodes=tuple(replace(node, position=None) for node in piece.nodes))
    tall = pictured(graph)  # shapes are known in the whole graph alone
    return centred(loose, node_places(loose, tall).positions, at, tall)


def centred(
    graph: Graph, positions: Positions, at: Point, tall: Mapping[str, Shape] | None = None
) -> dict[str, Point]:
    """Translate all positions so that the centre of their bounding box is `at`, in whole px.

    Args:
      tall: shapes of the tensors that are drawn, by node; by default those that follow from `graph`.
    """
    x, y = _middle(graph, positions, tall)
    return moved_by(positions, (round(at[0] - x), round(at[1] - y)))


def moved_by(positions: Positions, by: Point) -> dict[str, Point]:
    """Translate all positions by the same offset, in tenths of px, as positions are kept."""
    return {name: (round(x + by[0], 1), round(y + by[1], 1)) for name, (x, y) in positions.items()}


def clear_of_cards(
    piece: Graph, positions: Positions, graph: Graph, tall: Mapping[str, Shape] | None = None
) -> dict[str, Point]:
    """Translate all positions up or down by the smallest distance that clears the cards of `graph`.

    web/canvas/state/copies.js predicts it.

    Args:
      tall: shapes of the piece's tensors that are drawn, by node; by default those that follow
        from `piece`.
    """
    now = node_places(graph).positions
    taken = _boxes(graph, now, pictured(graph))
    boxes = _boxes(piece, positions, pictured(piece) if tall is None else tall)
    near = [
        (other.y - CARD_CLEARANCE - box.bottom, other.bottom + CARD_CLEARANCE - box.y)
        for box in boxes
        for other in taken
        if other.x - CARD_CLEARANCE < box.right and box.x < other.right + CARD_CLEARANCE
    ]  # open intervals that the translation must avoid
    # The smallest one is 0 or ends where an interval does.
    shifts = [0.0, *(end for pair in near for end in pair)]
    free = (by for by in shifts if not any(high < by < low for high, low in near))
    return moved_by(positions, (0.0, min(free, key=lambda by: (abs(by), -by))))


def _middle(graph: Graph, positions: Positions, tall: Mapping[str, Shape] | None = None) -> Point:
    """Return the centre of the bounding box of all nodes."""
    tall = pictured(graph) if tall is None else tall
    boxes = _boxes(graph, positions, tall)
    left, right = min(box.x for box in boxes), max(box.right for box in boxes)
    top, bottom = min(box.y for box in boxes), max(box.bottom for box in boxes)
    return (left + right) / 2, (top + bottom) / 2


def _boxes(graph: Graph, positions: Positions, tall: Mapping[str, Shape]) -> list[Box]:
    """Return the cards of all nodes, where parameters below their layers are tabs."""
    sizes = {node.name: size(node, tall.get(node.name)) for node in graph.nodes}
    cards = fitted(attached(layers_of(graph), sizes, positions), sizes)
    return [Box(*positions[name], *cards[name]) for name in sizes]


# All nodes of a canvas with collapsed groups. A collapsed group takes the room of its card; its nodes are
# laid out by themselves around the card's centre.


HIGHEST = 866  # px of a graph from top to foot: as many as have their numbers on the canvas of a small window


MANY = 50  # nodes up to which a graph is first seen with its groups open


def closed_at_first(graph: Graph) -> frozenset[str]:
    """Return the groups that are cards when the graph is first seen, so that it can be read as a whole.

    Of many nodes the outermost groups, of fewer those of branches if it is too high with them. None if it is
    small, or if its nodes have been placed.
    """
    if len(graph.nodes) <= FEW or any(node.position for node in graph.nodes):
        return frozenset()
    if len(graph.nodes) > MANY:
        outer = outermost(graph)
        return outer if len(outer) > 1 else frozenset()
    groups = frozenset(group.name for group in graph.groups if group.branches)
    if not groups:
        return frozenset()
    tall, positions = pictured(graph), node_places(graph).positions
    feet = [positions[node.name][1] + size(node, tall.get(node.name))[1] for node in graph.nodes]
    top = min(y for _, y in positions.values())
    return groups if max(feet) - top > HIGHEST else frozenset()


def outermost(graph: Graph) -> frozenset[str]:
    """Return the names of the groups that are in no other ones."""
    inside: set[str] = set()
    outer = []
    for frame in outermost_first(graph.frames):
        if isinstance(frame, Group) and not frame.nodes <= inside:
            outer.append(frame.name)
            inside |= frame.nodes
    return frozenset(outer)


def folded_places(graph: Graph, collapsed: Collection[str]) -> dict[str, Point]:
    """Lay out all nodes, ignoring their own positions, with each of the `collapsed` groups as one card."""
    card_of = cards_of(graph, collapsed)
    folded, ports = folded_graph(graph, card_of)
    tall = pictured(graph)
    stacked = {f"group {group.name}" for group in graph.groups if group.branches}
    sizes = {card: group_size(*count, card in stacked) for card, count in ports.items()}

    def size_of(node: Node) -> tuple[float, float]:
        """Return the size of a card or of a node in px."""
        return sizes[node.name] if node.name in sizes else size(node, tall.get(node.name))

    space = Space(size_of, room, widest=WIDEST, window=WINDOW)
    positions = dict(layout(folded, space).positions)
    inside: dict[str, list[str]] = {card: [] for card in ports}
    for name, card in card_of.items():
        inside[card].append(name)
    for card, names in inside.items():
        (x, y), (w, h) = positions.pop(card), sizes[card]
        positions |= arranged_at(graph, names, (x + w / 2, y + h / 2))
    return positions


def as_first_seen(graph: Graph) -> tuple[Graph, frozenset[str]]:
    """Return the graph with the places that it has when first seen, and the groups that are closed then."""
    cards = closed_at_first(graph)
    return (edits.with_positions(graph, folded_places(graph, cards)) if cards else graph), cards


def cards_of(graph: Graph, collapsed: Collection[str]) -> dict[str, str]:
    """Return the card of each node in a collapsed group: `group ` and the name of the outermost one.

    A card's name has a space, which no node's name has.
    """
    card_of: dict[str, str] = {}
    for frame in outermost_first(graph.frames):
        if isinstance(frame, Group) and frame.name in collapsed:
            for name in frame.nodes:
                card_of.setdefault(name, f"group {frame.name}")
    return card_of


def folded_graph(graph: Graph, card_of: Mapping[str, str]) -> tuple[Graph, dict[str, tuple[int, int]]]:
    """Replace nodes by their cards; also return by card how many nodes feed it and how many leave it."""
    reads: dict[str, dict[str, None]] = {card: {} for card in card_of.values()}
    gives: dict[str, set[str]] = {card: set() for card in reads}
    for node in graph.nodes:
        reader_card = card_of.get(node.name)
        for _, producer in node.wires:
            producer_card = card_of.get(producer)
            if producer_card == reader_card:
                continue
            if reader_card is not None:
                reads[reader_card][producer] = None
            if producer_card is not None:
                gives[producer_card].add(producer)
    if graph.output in card_of:
        gives[card_of[graph.output]].add(graph.output)

    def led(slot: object) -> object:
        """Return a slot's contents, with a node on a card replaced by the card."""
        return card_of.get(slot, slot) if isinstance(slot, str) else slot

    nodes = [
        replace(node, slots=tuple(map(led, node.slots)), position=None)
        for node in graph.nodes
        if node.name not in card_of
    ]
    nodes += [Node(card, "", tuple(map(led, sources))) for card, sources in reads.items()]
    frames = [
        replace(frame, nodes=frozenset(card_of.get(name, name) for name in frame.nodes))
        for frame in graph.frames
        if len({card_of.get(name, name) for name in frame.nodes}) > 1
    ]
    groups = tuple(Group(frame.name, frame.nodes) for frame in frames)  # all frames are laid out alike
    ports = {card: (len(reads[card]), len(gives[card])) for card in reads}
    return Graph(tuple(nodes), (), None, groups), ports


# All nodes as they stand now.


_POSITION = attrgetter("position")


def standing(graph: Graph) -> Mapping[str, Point]:
    """Return the present position of every node by name. Nothing is laid out if all nodes have positions."""
    if _has_places(graph):
        return {node.name: node.position for node in graph.nodes}
    return node_places(graph).positions


def _has_places(graph: Graph) -> bool:
    """Return whether all nodes have positions."""
    return None not in map(_POSITION, graph.nodes)


def pinned(graph: Graph) -> Graph:
    """Set every node's position to where it is drawn; else each new wire would move all nodes."""
    if _has_places(graph):
        return graph
    positions = node_places(graph).positions.items()
    return edits.with_positions(graph, {name: (round(x, 1), round(y, 1)) for name, (x, y) in positions})


def without_backward_places(graph: Graph, before: Graph) -> Graph:
    """Remove the positions of nodes that now lie left of what they read, and did not do so before.

    A change of the text gives nodes other wires and moves what has no position. A node that was put left of
    what it reads by hand stays there.

    Args:
      before: the graph before its text was changed.
    """
    if not any(map(_POSITION, graph.nodes)):
        return graph
    positions, tall = node_places(before).positions, pictured(before)
    were_leftward = {
        (name, node.name)
        for node in before.nodes
        for _, name in node.wires
        if name in before
        and positions[node.name][0] < positions[name][0] + size(before[name], tall.get(name))[0]
    }
    placed, tall = node_places(graph), pictured(graph)
    ends: dict[str, float] = {}
    lost = []
    for node in order(graph):
        left, width = placed.positions[node.name][0], size(node, tall.get(node.name))[0]
        # A tab is not left of its reader as a card is: it stands below it, or at its edge.
        sources = [name for _, name in node.wires if name in ends and name not in placed.tabs]
        if node.position is not None and any(
            left < ends[name] and (name, node.name) not in were_leftward for name in sources
        ):
            lost.append(node.name)
            # It will be laid out right of what it reads, and its readers are judged by that.
            left = max(ends[name] for name in sources) + GAP
        ends[node.name] = left + width
    return edits.with_positions(graph, dict.fromkeys(lost)) if lost else graph
