"""List the usual mistakes, each with the numbers that it would give instead of the right one.

All numbers come from the trace, so no author has to foresee a wrong answer. `guesses` gives those of one
question, in the order in which an answer is held against them: what needs the least imagination comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import inf, isfinite, isnan, nan, prod
from typing import Any

import numpy as np

from autodiff_viz.asking import counting
from autodiff_viz.asking.answers import written_number
from autodiff_viz.asking.case import MEANS, TWINS, Case, Found, array_of, following
from autodiff_viz.asking.question import COTANGENT, COUNTS, KEPT, PASSED, RUNS, VALUE
from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.graph.dtypes import DTYPES
from autodiff_viz.graph.grad_nodes import readers
from autodiff_viz.graph.model import GRAD, IDENTITY, INPUT, Graph, Node, Rule
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.rule_kinds import BACKWARD_AS, FOLLOW, KINDS, STOP
from autodiff_viz.graph.text import listed

SURE, PLAIN, FAR, LAST = range(4)
"""Tiers of mistakes, by how much imagination they need."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """One usual mistake.

    Attributes:
      code: its short name in results, such as "one-path".
      name: the same in words.
      says: the sentence of feedback, with <guess> and what `find` names.
      find: yields the numbers that it gives in a case.
      of: the kinds of quantities of which it is made.
      tier: of several mistakes that give one number only those of the lowest tier are named: `SURE`, `PLAIN`,
        `FAR` (away from the node that is asked about, or of a part alone), `LAST`.
    """

    code: str
    name: str
    says: str
    find: Callable[[Case], Found]
    of: tuple[str, ...] = (COTANGENT, PASSED)
    tier: int = PLAIN


@dataclass(frozen=True, slots=True)
class Guess:
    """What a mistake would answer.

    Attributes:
      mistake: the mistake.
      numbers: one for each number that is asked for.
      wire: the wire that it points to, as in `Trace.passed`; None for none.
      says: the sentence of feedback.
      tier: as in `Mistake`, or another one that the case decides.
    """

    mistake: Mistake
    numbers: tuple[float, ...]
    wire: Wire | None = None
    says: str = field(default="", compare=False)
    tier: int = PLAIN


def guesses(case: Case) -> list[Guess]:
    """Return what each mistake would answer, in the order in which they are tried.

    Right numbers are left out, and so is a number that the same mistake gives again.
    """
    found, seen = [], set()
    with np.errstate(all="ignore"):
        for mistake in MISTAKES:
            if case.asked.of not in mistake.of:
                continue
            for array, wire, names in mistake.find(case):
                numbers = None if array is None else case.picked(array)
                key = mistake.code, numbers
                if numbers is None or str(key) in seen or _same(numbers, case.numbers):
                    continue
                seen.add(str(key))
                tier = names.get("tier", mistake.tier)
                found.append(Guess(mistake, numbers, wire, _worded(mistake.says, numbers, names), tier))
    return sorted(found, key=lambda guess: guess.tier)


def _same(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return all(a == b or (isnan(a) and isnan(b)) for a, b in zip(one, other, strict=True))


def _worded(says: str, numbers: tuple[float, ...], names: Mapping[str, Any]) -> str:
    text = str(names.get("says", says)).replace("<guess>", guess_text(numbers))
    for name, each in names.items():
        text = text.replace(f"<{name}>", str(each))
    return text


def guess_text(numbers: tuple[float, ...]) -> str:
    """Return numbers as feedback names them: with four digits, several in brackets; equal ones once."""
    texts = [written_number(float(f"{n:.4g}")) if isfinite(n) else written_number(n) for n in numbers]
    return texts[0] if len({*texts}) == 1 else f"[{', '.join(texts)}]"


def from_wire(case: Case, wire: Wire) -> str:
    """Name a wire by where it comes from on the way back."""
    name, slot = wire
    node = case.found.graph[name]
    twice = sum(each == node.slots[slot] for _, each in node.wires) > 1
    return f"one of the wires from `{name}`" if twice else f"the wire from `{name}`"


# Sums over wires and paths


def _largest(case: Case) -> Wire | None:
    """Return the wire that brings most."""
    sizes = {wire: float(np.abs(part).max(initial=0.0)) for wire, part in case.parts.items()}
    return max(sizes, key=lambda wire: sizes[wire] if isfinite(sizes[wire]) else inf, default=None)


def _sign_turned(case: Case) -> Found:
    # At a corner the other sign may be the slope on its other side, which says more.
    is_corner = len(case.wires) == 1 and case.wires[0] in case.corners
    yield -case.full, _largest(case), {"tier": FAR if is_corner else PLAIN}
    one = "<guess> has the sign turned on <wire>. Follow the signs along it."
    for wire, part in _alike(case):
        yield case.full - 2 * part, wire, {"says": one, "wire": from_wire(case, wire), "tier": FAR}
    by = one.replace("<wire>", "one path, by <path>")
    for path in case.paths if len(case.paths) > 1 else ():
        wire = path.wires[0] if path.wires else None
        yield case.full - 2 * path.product, wire, {"says": by, "path": _through(path.nodes), "tier": FAR}


def _through(nodes: tuple[str, ...]) -> str:
    return listed([f"`{name}`" for name in nodes[1:]], 3)


def _alike(case: Case) -> Iterator[tuple[Wire, np.ndarray]]:
    """Yield the wires that bring something, if there is more than one."""
    parts = {wire: part for wire, part in case.parts.items() if part.any()}
    if len(parts) > 1:
        yield from parts.items()


def _one_path(case: Case) -> Found:
    for wire, part in _alike(case):
        others = (
            "The other brings something as well" if len(case.wires) == 2 else "Others bring something as well"
        )
        yield part, wire, {"wire": from_wire(case, wire), "others": others}
    if len(case.paths) > 1:
        says = "<guess> is what comes along one path, by <path>. Other paths bring something as well."
        for path in case.paths:
            if path.wires and path.product.any():
                yield path.product, path.wires[0], {"says": says, "path": _through(path.nodes)}
        all_but = "<guess> comes of all paths but one: that by <path> is missing."
        for path in case.paths if len(case.paths) > 2 else ():
            if path.wires:
                names = {"says": all_but, "path": _through(path.nodes), "tier": FAR}
                yield case.full - path.product, path.wires[0], names


def _some_paths(case: Case) -> Found:
    """Yield the sum of the shortest paths, and that of the shortest and the longest one."""
    by_length: dict[int, list[np.ndarray]] = {}
    for path in case.paths:
        by_length.setdefault(len(path.nodes), []).append(path.product)
    lengths = sorted(by_length)
    # Of a shortcut around each layer a path that takes one layer more has the same or more nodes.
    sets = [lengths[:n] for n in range(2, len(lengths))] + (
        [[lengths[0], lengths[-1]]] if len(lengths) > 2 else []
    )
    for chosen in sets:
        products = [product for length in chosen for product in by_length[length]]
        fields = {"k": len(products), "n": len(case.paths)}
        yield sum(products), _largest(case), fields


def _product_of_paths(case: Case) -> Found:
    for parts in ([part for _, part in _alike(case)], [path.product for path in case.paths]):
        if len(parts) > 1 and all(part.any() for part in parts):
            yield np.prod(parts, axis=0), _largest(case), {"node": case.producer}


def _mean_for_sum(case: Case) -> Found:
    for parts in ([part for _, part in _alike(case)], [path.product for path in case.paths]):
        if len(parts) > 1:
            says = "<guess> is the mean of what comes back. Nothing divides it by how many there are."
            yield case.full / len(parts), _largest(case), {"says": says}
    yield from _reduced(case, False)
    yield from _reduced(case, False, rows=True)
    says = "<guess> is the mean over the <n> places that read <node>. They add up."
    for name, _ in case.wires:
        shape, ndim = case.found.value[name].shape, case.full.ndim
        copies = prod(shape[: len(shape) - ndim])
        if copies > 1 and shape[len(shape) - ndim :] == case.full.shape:
            fields = {"says": says, "n": copies, "node": f"`{case.producer}`", "tier": FAR}
            yield case.full / copies, _largest(case), fields


def _sum_for_mean(case: Case) -> Found:
    yield from _reduced(case, True)


def _reduced(case: Case, means: bool, rows: bool = False) -> Found:
    """Yield what arrives if an op on the way divided, or did not divide, by how many it adds.

    Args:
      rows: of a matrix by its rows alone.
    """
    count = _rows if rows else _count
    factors = {
        node.name: count(case.found, node)
        for node in case.between
        if MEANS.get(node.op) is means and case.within_limits and count(case.found, node) > 1
    }
    chosen = [(name,) for name in factors] + ([tuple(factors)] if len(factors) > 1 else [])
    for names in chosen[: TWINS + 1]:

        def other(name: str, slot: int, came: np.ndarray, passed: np.ndarray, names=names) -> np.ndarray:
            if name not in names:
                return passed
            return passed * factors[name] if means else passed / factors[name]

        wire = next(((name, slot) for name in names for slot, _ in case.found.graph[name].wires), None)
        fields = {"node": listed([f"`{name}`" for name in names]), "n": factors[names[0]]}
        yield case.walked(other), wire, fields


def _count(found: Trace, node: Node) -> int:
    """Return how many numbers an op adds for one of its results."""
    size = max((prod(found.value[name].shape) for _, name in node.wires), default=1)
    return size // max(1, prod(found.value[node.name].shape))


def _rows(found: Trace, node: Node) -> int:
    """Return the rows of the matrix of which an op adds all numbers; 0 of anything else."""
    shapes = {found.value[name].shape for _, name in node.wires}
    shape = shapes.pop() if len(shapes) == 1 else ()
    return shape[0] if len(shape) == 2 and shape[1] > 1 and not found.value[node.name].shape else 0


# Stops and rules


def _ignored(case: Case, names: tuple[str, ...], words: Mapping[str, Any]) -> Found:
    if not names or not case.within_limits:
        return
    sets = [*((name,) for name in names[:TWINS])]
    if 2 < len(names) <= 4:
        sets += [*combinations(names, 2)]
    if len(names) > 1:
        sets.append(names)
    for each in sets:
        wire = next(((name, slot) for name in each for slot, _ in case.found.graph[name].wires), None)
        yield case.without(each), wire, {**words, "at": listed([f"`{name}`" for name in each], 3)}


def _stop_ignored(case: Case) -> Found:
    yield from _ignored(case, case.stops, {})


def _rule_ignored(case: Case) -> Found:
    for name in case.rules:
        kind = KINDS[case.found.graph[name].rule.kind]
        yield from _ignored(case, (name,), {"does": kind.does})
    if len(case.rules) > 1:
        yield from _ignored(case, case.rules, {"does": "has a rule"})


def _stop_takes_all(case: Case) -> Found:
    if case.stops:
        wire = (case.stops[0], case.found.graph[case.stops[0]].wires[0][0])
        yield 0.0, wire, {"at": f"`{case.stops[0]}`"}


def _stop_moved(case: Case) -> Found:
    """Yield what arrives if a stop stood a little nearer to the output, or farther from it."""
    graph = case.found.graph
    for name in case.stops if case.within_limits else ():
        plain = following(graph, [name])
        for other in _near(graph, name):
            nodes = tuple(replace(n, rule=Rule(STOP)) if n.name == other else n for n in plain.nodes)
            fields = {"at": f"`{name}`", "other": f"`{other}`"}
            yield case.again(replace(graph, nodes=nodes)), _wire_into(case, name), fields


def _near(graph: Graph, name: str) -> list[str]:
    """Return the nodes up to two wires away from a node, without inputs and the output."""
    reads, found = readers(graph), {name: None}
    for _ in range(2):
        for each in [*found]:
            found |= dict.fromkeys(reader for reader, _ in reads[each])
            found |= dict.fromkeys(read for _, read in graph[each].wires)
    kept = (each for each in found if graph[each].op not in (INPUT, GRAD) and graph[each].rule.kind == FOLLOW)
    return [each for each in kept if each not in (name, graph.output)][:TWINS]


def _alternative_forward(case: Case) -> Found:
    """Yield what arrives if a node computed forward what it declares for the way back."""
    graph = case.found.graph
    for name in case.rules if case.within_limits else ():
        node = graph[name]
        if node.rule.kind == BACKWARD_AS and isinstance(node.slots[-1], str):
            same = replace(node, op=IDENTITY, slots=node.slots[-1:], params=(), rule=Rule())
            nodes = tuple(same if each.name == name else each for each in graph.nodes)
            yield case.again(replace(graph, nodes=nodes)), _wire_into(case, name), {"at": f"`{name}`"}


def _rule_beside(case: Case) -> Found:
    """Yield what arrives if a rule's number came beside the one that JAX passes, times it or added to it."""
    for name in case.rules if case.within_limits else ():
        for slot, _ in case.found.graph[name].wires:
            wire = name, slot
            own = _passed_in(case, following(case.found.graph, [name]), wire)
            if own is None or own.shape != case.found.passed[wire].shape:
                continue
            for combined in (np.multiply, np.add):

                def other(at, into, came, passed, wire=wire, own=own, combined=combined):
                    return combined(passed, own) if (at, into) == wire else passed

                yield case.walked(other), wire, {"at": f"`{name}`"}


def _clipped_by_length(case: Case) -> Found:
    """Yield what arrives if a rule that clips each number scaled all of them to the limit alike."""
    for name in case.rules if case.within_limits else ():
        came = case.found.cotangent[name].astype(np.float64)
        for slot, _ in case.found.graph[name].wires:
            wire = name, slot
            passed = case.found.passed[wire].astype(np.float64)
            limit = float(np.abs(passed).max(initial=0.0))
            if passed.shape != came.shape or came.size < 2 or not np.isfinite(came).all() or not limit:
                continue
            if _equal(came, passed) or not np.allclose(np.clip(came, -limit, limit), passed, rtol=1e-5):
                continue
            for size in (float(np.linalg.norm(came)), float(np.abs(came).max())):

                def other(at, into, came, passed, wire=wire, by=limit / size):
                    return came * by if (at, into) == wire else passed

                yield case.walked(other), wire, {"at": f"`{name}`"}


def _passed_in(case: Case, graph: Graph, wire: Wire) -> np.ndarray | None:
    """Return what a wire passes in another graph; None where it cannot run, or has no such wire."""
    name, slot = wire
    try:
        passed = trace(graph, case.found.inputs, case.found.seed, dtype=case.found.dtype).passed
        return passed[name, slot].astype(np.float64)
    except (GraphError, KeyError):
        return None


def _grad_as_number(case: Case) -> Found:
    """Yield what arrives if a grad node were a number, as where no graph is kept behind it."""
    grads = [node.name for node in case.between if node.op == GRAD and node.rule.kind == FOLLOW]
    for name in grads[:TWINS] if case.within_limits else ():
        nodes = tuple(
            replace(node, rule=Rule(STOP)) if node.name == name else node for node in case.found.graph.nodes
        )
        wire = next(((each, slot) for each, slot in case.wires if each == name), _wire_into(case, name))
        yield case.again(replace(case.found.graph, nodes=nodes)), wire, {"node": f"`{name}`"}


# One factor of two


def _slope_alone(case: Case) -> Found:
    near = [wire for wire in case.wires if wire not in case.closed]
    for wire in near if case.within_limits else ():
        slope = case.slope(wire)
        # An arriving 1 hides the difference: then the number is what the wire brings.
        if slope is not None and not _equal(slope, case.parts[wire]):
            yield slope, wire, {"node": f"`{wire[0]}`"}
    slopes = [case.slope(wire) for wire in near] if case.within_limits else []
    if len(slopes) > 1 and all(slope is not None and slope.shape == case.full.shape for slope in slopes):
        over = listed([f"`{name}`" for name in dict.fromkeys(name for name, _ in near)], 4)
        says = "<guess> is the sum of the slopes of <node>. What arrives at each multiplies its slope."
        yield sum(slopes), _largest(case), {"says": says, "node": over, "tier": FAR}
        says = "<guess> is the mean of the slopes of <node>. What arrives at each weighs its slope."
        yield sum(slopes) / len(slopes), _largest(case), {"says": says, "node": over, "tier": FAR}
    for wire in case.way if case.within_limits else ():
        if wire not in near and not case.found.passed.is_symbolic_zero(wire):
            slope = case.slope(wire)
            passed = case.found.passed[wire].astype(np.float64)
            if slope is not None and slope.size == 1 and not _equal(slope, passed):
                yield slope, wire, {"node": f"`{wire[0]}`", "tier": FAR}


def _slopes_added(case: Case) -> Found:
    """Yield the sum of the slopes along the way, where there is only one."""
    wires = (*case.wires, *case.way)
    if case.within_limits and len(wires) > 1 and len(case.wires) == 1 and len(wires) == len(case.between):
        slopes = [case.slope(wire) for wire in wires]
        if all(slope is not None and slope.size == 1 for slope in slopes):
            steep = [float(slope.reshape(())) for slope in slopes if slope.reshape(()) != 1]
            yield (sum(steep) if len(steep) > 1 else None), wires[0], {}


def _paths_counted(case: Case) -> Found:
    """Yield how many paths there are, each of which would bring a 1."""
    if len(case.paths) > 1:
        yield float(len(case.paths)), _largest(case), {"node": f"`{case.producer}`"}


def _arriving_alone(case: Case) -> Found:
    names = dict.fromkeys(name for name, _ in case.wires)
    far = (node.name for node in case.between if node.name not in names) if case.within_limits else ()
    for name in (*names, *far):
        came = case.found.cotangent[name].astype(np.float64)
        wire = next((w for w in case.wires if w[0] == name), None) or _wire_into(case, name)
        if wire in case.parts and _equal(came, case.parts[wire]):
            continue  # its own slope is 1
        if case.found.cotangent.is_symbolic_zero(name) or name == case.found.output:
            continue  # the seed has a mistake of its own
        tier = PLAIN if name in names else FAR
        yield came, wire, {"node": f"`{name}`", "tier": tier}
        if came.size > 1:
            says = "<guess> adds up what arrives at <node>. Each of it is multiplied by its own slope first."
            yield came.sum(), wire, {"node": f"`{name}`", "says": says, "tier": tier}
        if case.asked.element is not None and 1 < came.ndim == case.full.ndim:
            columns = came.sum(axis=0, keepdims=True)
            if columns.shape[1:] == case.full.shape[1:]:
                says = "<guess> adds up what arrives at <node> from all rows. Which of them come of this one?"
                fields = {"node": f"`{name}`", "says": says, "tier": FAR}
                yield np.broadcast_to(columns, case.full.shape), wire, fields


def _wire_into(case: Case, name: str) -> Wire | None:
    return next((wire for wire in case.way if wire[0] == name), None)


def _equal(one: np.ndarray, other: np.ndarray) -> bool:
    """Return whether two arrays are the same to who works by hand."""
    return np.shape(one) == np.shape(other) and bool(
        np.allclose(one, other, rtol=0.01, atol=0, equal_nan=True)
    )


def _own_factor(case: Case) -> Found:
    for wire, node, came, own in _products(case):
        if node.op in ("mul", "dot"):
            try:
                part = np.broadcast_to(came, np.broadcast_shapes(came.shape, own.shape)) * own
            except ValueError:
                continue
            yield _summed(case, wire, part), wire, {"node": f"`{case.producer}`", "at": f"`{node.name}`"}


def _factor_forgotten(case: Case) -> Found:
    """Yield what arrives without a constant factor on the way."""
    for name, slot in (*case.wires, *case.way) if case.within_limits else ():
        node = case.found.graph[name]
        factors = [each for each in node.op_slots if isinstance(each, int | float) and each not in (0, 1)]
        if node.op != "mul" or not factors or node.rule.kind != FOLLOW:
            continue

        def other(at: str, into: int, came: np.ndarray, passed: np.ndarray, wire=(name, slot), by=factors[0]):
            return passed / by if (at, into) == wire else passed

        fields = {"factor": written_number(factors[0]), "node": f"`{name}`"}
        yield case.walked(other), (name, slot), fields


def _transposed(case: Case) -> Found:
    """Yield what a product of matrices passes if it is read along rows where columns are meant."""
    for wire, node, came, _ in _products(case):
        if node.op != "matmul":
            continue
        other = node.slots[1 - wire[1]]
        other = np.asarray(case.found.value[other] if isinstance(other, str) else other, np.float64)
        for one, two in ((other, came), (came, other)):
            try:
                part = one @ two
            except ValueError:
                continue
            part = part.reshape(case.full.shape) if part.size == case.full.size else part
            if part.shape == case.full.shape:
                yield _summed(case, wire, part), wire, {"node": f"`{node.name}`"}


def _products(case: Case) -> Iterator[tuple[Wire, Node, np.ndarray, np.ndarray]]:
    """Yield the products that the producer is a factor of: wire, node, what arrives, the producer's value."""
    for wire in case.wires:
        node = case.found.graph[wire[0]]
        if node.op in ("mul", "dot", "matmul") and wire not in case.closed:
            came = case.found.cotangent[wire[0]].astype(np.float64)
            yield wire, node, came, case.found.value[case.producer].astype(np.float64)


def _summed(case: Case, wire: Wire, part: np.ndarray) -> np.ndarray:
    """Return the sum of what all wires bring if this one brings `part`."""
    if np.shape(part) != case.full.shape:
        return part
    others = [each for other, each in case.parts.items() if other != wire]
    return part + sum(others, np.zeros(case.full.shape))


# Other numbers


def _value(case: Case) -> Found:
    graph, found = case.found.graph, case.found
    shown = [case.producer, graph.output, *(name for name, _ in case.wires)]
    for name in dict.fromkeys(shown):
        wire = next((wire for wire in case.wires if name in (wire[0], case.producer)), None)
        tier = PLAIN if name in shown[:2] else FAR
        place = "" if case.asked.element is None else f", at {list(case.asked.element)}"
        named = f"`{name}`{place if found.value[name].shape == case.full.shape else ''}"
        yield found.value[name], wire, {"node": named, "tier": tier}


def _seed(case: Case) -> Found:
    seed, output = case.found.seed.astype(np.float64), case.found.output
    wire = next((wire for wire in (*case.way, *case.wires) if wire[0] == output), None)
    says = "<guess> is the seed, with which the way back begins. Each node on the way has a slope of its own."
    yield seed, wire, {"says": says, "tier": FAR}
    if np.any(seed != 1) and case.within_limits:
        found = case.found
        ones = trace(found.graph, found.inputs, np.ones_like(found.seed), dtype=found.dtype)
        yield array_of(ones, case.asked), wire, {}


def _other_side(case: Case) -> Found:
    for wire in case.corners[:TWINS] if case.within_limits else ():
        for step in (1e-3, -1e-3):
            beside = case.side(wire, step)
            if beside is None:
                continue

            def other(name: str, slot: int, came: np.ndarray, passed: np.ndarray, wire=wire, beside=beside):
                return came * beside if (name, slot) == wire else passed

            try:
                yield case.walked(other), wire, {"node": f"`{wire[0]}`"}
            except ValueError:  # of other shapes: it was broadcast
                continue


CONVENTIONS = (0.0, 0.5, 1.0)
"""Slopes that libraries take at corners, beside the mean of both sides."""


def _other_convention(case: Case) -> Found:
    for wire in case.corners[:TWINS] if case.within_limits else ():
        sides = [side for side in (case.side(wire, step) for step in (1e-3, -1e-3)) if side is not None]
        mean = [sum(sides) / 2] if len(sides) == 2 else []
        for slope in (*CONVENTIONS, *mean):

            def other(name, slot, came, passed, wire=wire, slope=slope):
                return came * slope if (name, slot) == wire else passed

            try:
                yield case.walked(other), wire, {"node": f"`{wire[0]}`"}
            except ValueError:  # of other shapes: it was broadcast
                continue


def _zero_for_nan(case: Case) -> Found:
    if any(map(isnan, case.numbers)):
        yield 0.0, _first_nan(case), {}


def _infinity_for_nan(case: Case) -> Found:
    if any(map(isnan, case.numbers)):
        yield inf, _first_nan(case), {}
        yield -inf, _first_nan(case), {}


def _nan_for_number(case: Case) -> Found:
    if all(map(isfinite, case.numbers)):
        yield nan, _largest(case), {}


def _first_nan(case: Case) -> Wire | None:
    """Return the wire of the way at which NaN begins: what arrives there is none."""
    passed, cotangent = case.found.passed, case.found.cotangent
    wires = [wire for wire in (*case.wires, *case.way) if np.isnan(passed[wire]).any()]
    begun = [wire for wire in wires if not np.isnan(cotangent[wire[0]]).any()]
    return next(iter(begun or wires), None)


def _true_slope(case: Case) -> Found:
    if not case.within_limits:
        return
    odd = not all(map(isfinite, case.numbers)) or DTYPES[case.found.dtype].half or bool(case.corners)
    if odd or case.stops or case.rules:
        # At a corner, and where numbers are lost, calculus is what comes to mind first.
        yield case.true_slopes(), _largest(case), {"tier": PLAIN if odd else LAST}


def _twin(case: Case) -> Found:
    if case.pinned is not None:
        try:
            yield (
                array_of(case.pinned, case.asked),
                _largest(case),
                {"letter": case.letter, "other": "AB".replace(case.letter, "")},
            )
        except GraphError:
            return


def _elsewhere(case: Case) -> Found:
    """Yield what arrives at other nodes."""
    names = [name for name in case.found.cotangent if name not in (case.producer, case.found.output)]
    for name in names if case.within_limits else ():
        wire = next((wire for wire in (*case.wires, *case.way) if wire[0] == name), None)
        asked = from_wire(case, case.wires[0]) if case.asked.of == PASSED else f"`{case.producer}`"
        yield case.found.cotangent[name], wire, {"node": f"`{name}`", "asked": asked}


def _nothing(case: Case) -> Found:
    if all(map(isfinite, case.numbers)):
        yield 0.0, _largest(case), {"node": f"`{case.producer}`"}


# Mistakes about values


def _operand(case: Case) -> Found:
    node = case.found.graph[case.producer]
    for slot, name in node.wires:
        yield case.found.value[name], (node.name, slot), {"node": f"`{name}`", "at": f"`{node.name}`"}


def _other_reduction(case: Case) -> Found:
    node = case.found.graph[case.producer]
    count = _count(case.found, node)
    if node.op in MEANS and count > 1:
        wire = (node.name, node.wires[0][0]) if node.wires else None
        means = MEANS[node.op]
        says = "`%s` is a %s; <guess> would be the %s."
        words = ("mean", "sum") if means else ("sum", "mean")
        yield (
            case.full * count if means else case.full / count,
            wire,
            {"says": says % (node.name, *words)},
        )


def _value_sign(case: Case) -> Found:
    yield -case.full, None, {"says": "<guess> has the sign turned."}


def _gradient_for_value(case: Case) -> Found:
    if case.producer in case.found.cotangent:
        yield case.found.cotangent[case.producer], None, {"node": f"`{case.producer}`"}


MISTAKES: tuple[Mistake, ...] = (
    Mistake(
        "zero-for-nan",
        "0 for NaN",
        "A 0 wipes out any number, but it is no match for ∞ or NaN. What does it multiply here?",
        _zero_for_nan,
        of=(COTANGENT, PASSED, VALUE),
        tier=SURE,
    ),
    Mistake(
        "sign-turned",
        "sign turned",
        "<guess> has the right size and the sign turned. Multiply the signs along the way.",
        _sign_turned,
    ),
    Mistake(
        "one-path",
        "one path",
        "<guess> is what comes along <wire>. <others>.",
        _one_path,
    ),
    Mistake(
        "some-paths",
        "some of the paths",
        "<guess> is what comes along <k> of <n> paths. The others bring something as well.",
        _some_paths,
        tier=FAR,
    ),
    Mistake(
        "product-of-paths",
        "product of paths",
        "<guess> is the product of what comes back. `<node>` moves along all paths at once: they add up.",
        _product_of_paths,
    ),
    Mistake(
        "mean-for-sum",
        "mean for sum",
        "<guess> would arrive if <node> were a mean of <n>. It is a sum.",
        _mean_for_sum,
    ),
    Mistake(
        "sum-for-mean",
        "sum for mean",
        "<guess> would arrive if <node> were a sum. It is a mean, of <n>.",
        _sum_for_mean,
    ),
    Mistake(
        "stop-ignored",
        "stop ignored",
        "<guess> would arrive without the stop at <at>. A stop lets values through and no gradient.",
        _stop_ignored,
    ),
    Mistake(
        "rule-ignored",
        "rule ignored",
        "<guess> would arrive without the rule at <at>, which <does>.",
        _rule_ignored,
    ),
    Mistake(
        "grad-as-number",
        "gradient as a number",
        "<guess> takes <node> for a number. It is computed from what it reads, so it has a slope as well.",
        _grad_as_number,
    ),
    Mistake(
        "stop-takes-all",
        "stop takes all",
        "<guess> would arrive if all paths met the stop at <at>. One goes past it.",
        _stop_takes_all,
    ),
    Mistake(
        "true-slope",
        "true slope",
        "<guess> is the true slope, which calculus gives. What runs is each op's own slope, or its rule.",
        _true_slope,
    ),
    Mistake(
        "other-side",
        "other side",
        "<guess> takes the slope on one side of the corner at <node>. JAX takes another one at the corner.",
        _other_side,
    ),
    Mistake(
        "other-convention",
        "another convention",
        "<guess> would arrive for another slope at the corner of <node>. Each op has its own convention.",
        _other_convention,
        tier=FAR,
    ),
    Mistake(
        "stop-moved",
        "stop elsewhere",
        "<guess> would arrive if the stop stood at <other>. It stands at <at>.",
        _stop_moved,
        tier=FAR,
    ),
    Mistake(
        "rule-beside",
        "rule beside JAX",
        "<guess> takes the rule of <at> beside JAX's own number. A rule stands in its place.",
        _rule_beside,
        tier=FAR,
    ),
    Mistake(
        "clipped-by-length",
        "clipped by length",
        "<guess> makes all numbers smaller alike, which keeps the direction. <at> clips each by itself.",
        _clipped_by_length,
        tier=FAR,
    ),
    Mistake(
        "alternative-forward",
        "alternative forward",
        "<guess> takes <at> for its alternative forward too. Slopes are taken at what it computes.",
        _alternative_forward,
        tier=FAR,
    ),
    Mistake(
        "slope-alone",
        "a slope without what arrives",
        "<guess> is the slope of <node> alone. What arrives there multiplies it.",
        _slope_alone,
    ),
    Mistake(
        "arriving-alone",
        "what arrives without slopes",
        "<guess> is what arrives at <node>. Slopes on the way multiply it.",
        _arriving_alone,
    ),
    Mistake(
        "own-factor",
        "a factor itself, not the other",
        "<guess> takes the value of <node> itself. The slope of a product, here <at>, is the other factor.",
        _own_factor,
    ),
    Mistake(
        "factor-forgotten",
        "factor forgotten",
        "<guess> leaves out the factor <factor> at <node>.",
        _factor_forgotten,
    ),
    Mistake(
        "transposed",
        "row for column",
        "<guess> reads <node> along the row. On the way back the matrix is transposed: down the column.",
        _transposed,
    ),
    Mistake(
        "value",
        "the value, not the slope",
        "<guess> is the value of <node>. Asked is how fast the output moves, not how large something is.",
        _value,
    ),
    Mistake(
        "slopes-added",
        "slopes added",
        "<guess> adds the slopes along the way. Along one way they multiply.",
        _slopes_added,
        tier=FAR,
    ),
    Mistake(
        "paths-counted",
        "paths counted",
        "<guess> counts the paths from <node>. Each brings the product of its slopes.",
        _paths_counted,
        tier=FAR,
    ),
    Mistake("seed", "seed", "<guess> would arrive for a seed of 1. The seed is another one.", _seed),
    Mistake(
        "infinity-for-nan",
        "∞ for NaN",
        "∞ is one factor. What else meets it on the way?",
        _infinity_for_nan,
        tier=LAST,
    ),
    Mistake(
        "nan-for-number",
        "NaN for a number",
        "NaN is what 0 · ∞ and 0/0 give. Neither is on the way: every op has a slope here.",
        _nan_for_number,
    ),
    Mistake(
        "twin",
        "the other graph",
        "<guess> is the number in <letter>. Asked is the one in <other>.",
        _twin,
        of=(COTANGENT, PASSED, VALUE, *COUNTS),
        tier=LAST,
    ),
    Mistake(
        "elsewhere",
        "another node",
        "<guess> is what arrives at <node>. Asked is <asked>.",
        _elsewhere,
        tier=LAST,
    ),
    Mistake(
        "nothing",
        "nothing",
        "0 would mean that the output stands still when <node> moves. Which way leads from one to the other?",
        _nothing,
        tier=LAST,
    ),
    Mistake(
        "operand", "operand", "<guess> goes into <at>: it is the value of <node>.", _operand, of=(VALUE,)
    ),
    Mistake("sum-or-mean", "sum or mean", "<guess>.", _other_reduction, of=(VALUE,)),
    Mistake("sign-of-value", "sign turned", "<guess> has the sign turned.", _value_sign, of=(VALUE,)),
    Mistake(
        "gradient-for-value",
        "gradient for value",
        "<guess> is what arrives at <node>. Asked is its value.",
        _gradient_for_value,
        of=(VALUE,),
        tier=LAST,
    ),
    Mistake("region-ignored", "checkpoint ignored", "<guess>.", counting.without_region, of=COUNTS),
    Mistake(
        "results-taken-off",
        "results taken off",
        "<guess> takes off all results in <at>. Kept is what slopes need, and what enters a checkpoint.",
        counting.results_taken_off,
        of=(KEPT,),
    ),
    Mistake(
        "policy-ignored",
        "policy ignored",
        "<guess> would be right if <at> had no policy. What its policy names is kept.",
        counting.without_policy,
        of=COUNTS,
    ),
    Mistake(
        "product-of-levels",
        "product of levels",
        "<guess> doubles for each checkpoint around <node>. Each of them adds one run.",
        counting.product_of_levels,
        of=(RUNS,),
    ),
    Mistake(
        "nothing-given-up",
        "nothing given up",
        "<guess> keeps all as before, and what enters <at> too. What slopes inside need is given up for it.",
        counting.nothing_given_up,
        of=(KEPT,),
        tier=FAR,
    ),
    Mistake(
        "nothing-kept",
        "nothing kept",
        "Slopes are made of something: what they need is kept, and of a checkpoint what enters it.",
        counting.nothing_kept,
        of=(KEPT,),
        tier=FAR,
    ),
    Mistake(
        "one-region",
        "one checkpoint",
        "<guess> would be kept with one checkpoint around all. Here are <n>: what enters each is kept.",
        counting.one_region,
        of=(KEPT,),
        tier=FAR,
    ),
    Mistake(
        "arrays-for-numbers",
        "arrays for numbers",
        "<guess> counts arrays. Each of them holds as many numbers as its shape says.",
        counting.arrays,
        of=(KEPT,),
        tier=FAR,
    ),
    Mistake(
        "every-result",
        "every result",
        "<guess> counts all results. Kept is what a slope on the way back is made of.",
        counting.every_result,
        of=(KEPT,),
        tier=FAR,
    ),
)
"""All mistakes, in the order in which an answer is held against them."""
