"""Sort nodes topologically; find cycles, consumers, ancestors and descendants."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from autodiff_viz.graph.model import IDENTITY, Graph, Node


def array_sources(nodes: Iterable[Node]) -> dict[str, str]:
    """Return, by identity node, the node that computed its array.

    An identity, such as a stop, computes none: it returns the array that it reads.

    Args:
      nodes: each after those that it reads.
    """
    source_of: dict[str, str] = {}
    for node in nodes:
        read = node.op_slots[0] if node.op == IDENTITY else None
        if isinstance(read, str):
            source_of[node.name] = source_of.get(read, read)
    return source_of


def order(graph: Graph) -> tuple[Node, ...]:
    """Return the nodes in topological order; ties in the order of `graph.nodes`.

    Wires to unknown names are ignored, and so is one wire of each cycle, for which no order exists.
    """
    done, ordered = set(), []
    for root in graph.nodes:
        if root.name in done:
            continue
        for slot in root.slots:
            if type(slot) is str and slot not in done:
                break
        else:  # fast path for live traces: all producers of the node have come already
            done.add(root.name)
            ordered.append(root)
            continue
        by_name = graph.by_name
        # Depth first with an explicit stack: a chain may be longer than Python's recursion limit.
        stack, open_names = [(root, iter(root.slots))], {root.name}
        while stack:
            node, rest = stack[-1]
            for slot in rest:
                if type(slot) is str and slot not in done and slot not in open_names and slot in by_name:
                    child = by_name[slot]
                    open_names.add(slot)
                    stack.append((child, iter(child.slots)))
                    break
            else:
                stack.pop()
                open_names.discard(node.name)
                done.add(node.name)
                ordered.append(node)
    return tuple(ordered)


def find_cycle(graph: Graph) -> tuple[str, ...] | None:
    """Return the names along one cycle in wire order, the first repeated at the end; None without cycles."""
    if _is_in_order(graph):  # the usual case
        return None
    state: dict[str, bool] = {}  # absent: not visited; True: on the current path; False: finished
    for root in graph.by_name:
        path, stack = [], [(root, False)]
        while stack:
            name, leaving = stack.pop()
            if leaving:
                state[name] = False
                path.pop()
            elif state.get(name):
                return tuple(reversed([*path[path.index(name) :], name]))
            elif name not in state:
                state[name] = True
                path.append(name)
                stack.append((name, True))
                wired = (slot for _, slot in graph[name].wires if slot in graph)
                stack.extend((slot, False) for slot in wired if state.get(slot, True))
    return None


def _is_in_order(graph: Graph) -> bool:
    """Return whether each wire comes from an earlier node, so that there is no cycle."""
    known, done = graph.by_name, set()
    for node in graph.nodes:
        if any(slot not in done and slot in known for _, slot in node.wires):
            return False
        done.add(node.name)
    return True


def consumers(graph: Graph) -> dict[str, tuple[tuple[str, int], ...]]:
    """Map each node to the (node, slot) pairs that its output is wired to."""
    readers: dict[str, list[tuple[str, int]]] = {node.name: [] for node in graph.nodes}
    for node in graph.nodes:
        for slot, producer in node.wires:
            if producer in readers:
                readers[producer].append((node.name, slot))
    return {name: tuple(pairs) for name, pairs in readers.items()}


def ancestors(
    graph: Graph, names: Iterable[str], reads: Callable[[Node], Iterable[str]] | None = None
) -> frozenset[str]:
    """Return the named nodes and all nodes that they depend on.

    Args:
      reads: gives the nodes that a node depends on; by default those on its wires.
    """
    if reads is None:
        return _reach(graph, names, lambda name: (producer for _, producer in graph[name].wires))
    return _reach(graph, names, lambda name: reads(graph[name]))


def descendants(graph: Graph, names: Iterable[str]) -> frozenset[str]:
    """Return the named nodes and all nodes that depend on them."""
    uses = consumers(graph)
    return _reach(graph, names, lambda name: (consumer for consumer, _ in uses[name]))


def _reach(graph: Graph, start: Iterable[str], next_of: Callable[[str], Iterable[str]]) -> frozenset[str]:
    seen, todo = set(), list(start)
    while todo:
        name = todo.pop()
        if name in graph and name not in seen:
            seen.add(name)
            todo.extend(next_of(name))
    return frozenset(seen)
