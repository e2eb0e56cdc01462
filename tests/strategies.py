"""Generate random graphs for property tests: every rule, nested regions and groups, tensors, positions, gaps.

The graphs are structurally sound (`problems` finds nothing but empty slots). What the ops are is up to
the test: `SPECS` is enough for codecs; a test that runs graphs passes specs of ops with like shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from autodiff_viz.graph.check import problems
from autodiff_viz.graph.frames import convex_hull, smallest_group
from autodiff_viz.graph.model import (
    INPUT,
    Call,
    Graph,
    Group,
    Lambda,
    Literal,
    Node,
    Params,
    Region,
    Rule,
    Term,
    params,
)
from autodiff_viz.graph.policies import POLICIES
from autodiff_viz.graph.rule_kinds import FOLLOW, KINDS, WIRES, RuleKind

NO_PARAMS = st.just(())
FACTORS = st.sampled_from([0.5, -1.0, 0.0, -0.0, 2.0, 1e-3])  # numbers of rules


@dataclass(frozen=True)
class Spec:
    """An op as far as structure goes; `slots` is None for an op of any number of slots (1 to 4 here)."""

    name: str
    slots: int | None = 1
    params: SearchStrategy[Params] = NO_PARAMS


SPECS = (
    Spec("identity"),
    Spec("sin"),
    Spec("exp"),
    Spec("add", 2),
    Spec("mul", 2),
    Spec("where", 3),
    Spec("sum", 1, st.sampled_from([(), params(axis=0), params(axis=1, keepdims=True)])),
    Spec("reshape", 1, st.sampled_from([params(shape=(2, 3)), params(shape=(1,))])),
    Spec("concatenate", None, st.sampled_from([(), params(axis=1)])),
    Spec(
        "uniform", 0, st.sampled_from([params(shape=(3,), seed=1), params(low=0.9, high=1.1, shape=(2, 2))])
    ),
)

NUMBERS = st.one_of(
    st.integers(-3, 10),
    st.sampled_from([0.5, -1.0, 10.0, 1e-7, 2.5e20]),
    st.floats(-1e6, 1e6, allow_nan=False),
)
NAMES = st.one_of(
    st.sampled_from(["x", "y", "loss", "x_1", "_t"]), st.from_regex(r"[a-z]{3}_?[0-9]", fullmatch=True)
)
TITLES = st.lists(st.sampled_from(["group", "layer 1", "g.2"]), max_size=3, unique=True)
LABELS = st.lists(st.sampled_from(["r", "block 1", "square", "deep-2"]), max_size=3, unique=True)


@st.composite
def tensors(draw: DrawFn) -> Literal:
    """A vector or a small matrix."""
    columns = draw(st.integers(1, 3))
    row = st.tuples(*[NUMBERS] * columns)
    return draw(st.one_of(row, st.lists(row, min_size=1, max_size=3).map(tuple)))


LITERALS: SearchStrategy[Literal] = st.one_of(NUMBERS, tensors())
POSITIONS = st.tuples(*[st.integers(-2000, 2000).map(lambda half: half / 2)] * 2)


def inputs(literals: SearchStrategy[Literal] = LITERALS) -> SearchStrategy[Params]:
    """Parameters of input nodes: a value, one with a slider's ends, a random tensor."""
    return st.one_of(
        st.builds(lambda value: params(value=value), literals),
        st.builds(lambda value: params(value=value, low=-5.0, high=5.0), NUMBERS),
        st.builds(lambda seed: params(shape=(3, 4), seed=seed), st.integers(0, 9)),
    )


@st.composite
def terms(draw: DrawFn, args: Sequence[str], specs: Sequence[Spec], depth: int = 2) -> Term:
    """The body of a lambda over `args`."""
    callable_specs = [spec for spec in specs if spec.slots and spec.name not in ("identity", "grad")]
    if depth == 0 or not callable_specs or draw(st.booleans()):
        return draw(st.one_of(st.sampled_from(args), NUMBERS))
    spec = draw(st.sampled_from(callable_specs))
    inner = tuple(draw(terms(args, specs, depth - 1)) for _ in range(spec.slots))
    return Call(spec.name, inner, draw(spec.params))


@st.composite
def ruled(draw: DrawFn, node: Node, specs: Sequence[Spec], producers: Sequence[str], empty: bool) -> Node:
    """The node with a random rule that suits it."""
    able = [kind for kind in KINDS.values() if _suits(kind, node, producers)]
    kind = draw(st.sampled_from([KINDS[FOLLOW], *able]))
    if kind.alternative:
        alternatives = st.sampled_from([*producers, None] if empty else list(producers))
        return replace(node, slots=(*node.slots, draw(alternatives)), rule=Rule(kind.name))
    if kind.number is not None:
        return replace(node, rule=Rule(kind.name, number=draw(FACTORS)))
    if not kind.function:
        return replace(node, rule=Rule(kind.name))
    wires = len(node.wires) if kind.function == WIRES else 0
    args = ("v", *(f"x{i}" for i in range(wires)), *(("y",) if kind.function == WIRES else ()))
    body = tuple(draw(terms(args, specs)) for _ in range(wires or 1))
    return replace(node, rule=Rule(kind.name, Lambda(args, body)))


def _suits(kind: RuleKind, node: Node, producers: Sequence[str]) -> bool:
    if kind.alternative:
        return node.op != INPUT and bool(producers)
    return bool(node.wires) or kind.function != WIRES


@st.composite
def nodes(
    draw: DrawFn,
    name: str,
    producers: Sequence[str],
    specs: Sequence[Spec],
    literals: SearchStrategy[Literal],
    empty: bool,
    rules: bool,
    muted: bool,
    cuts: bool,
) -> Node:
    """An input, or an op wired to some of `producers`."""
    if not producers or draw(st.integers(0, 4)) == 0:
        node = Node(name, INPUT, (), draw(inputs(literals)))
    else:
        spec = draw(st.sampled_from(specs))
        count = draw(st.integers(1, 4)) if spec.slots is None else spec.slots
        wire = st.sampled_from(producers)
        slot = st.one_of(wire, wire, wire, literals, *([st.none()] if empty else []))
        node = Node(name, spec.name, tuple(draw(slot) for _ in range(count)), draw(spec.params))
    node = draw(ruled(node, specs, producers, empty)) if rules and draw(st.booleans()) else node
    able = any(isinstance(slot, str) for slot in node.op_slots)
    muted = able and muted and draw(st.integers(0, 3)) == 0
    return replace(node, muted=muted, cut=node.op != INPUT and cuts and draw(st.integers(0, 3)) == 0)


@st.composite
def with_regions(draw: DrawFn, graph: Graph) -> Graph:
    """The graph with up to three regions that can run: side by side, or one inside another."""
    names = [node.name for node in graph.nodes]
    for label in draw(LABELS):
        inside = graph.regions and draw(st.booleans())
        around = sorted(draw(st.sampled_from(graph.regions)).nodes) if inside else names
        hull = convex_hull(graph, draw(st.sets(st.sampled_from(around), min_size=1, max_size=3)))
        policy = draw(st.sampled_from(POLICIES))
        by_names = policy == "save_only_these_names"
        saved = draw(st.sets(st.sampled_from(sorted(hull)), min_size=1)) if by_names else ()
        wider = replace(graph, regions=(*graph.regions, Region(label, hull, policy, frozenset(saved))))
        same = any(region.nodes == hull for region in graph.regions)  # which one is outside is not data
        if not same and all(problem.code == "empty-slot" for problem in problems(wider)):
            graph = wider
    return graph


@st.composite
def with_groups(draw: DrawFn, graph: Graph) -> Graph:
    """The graph with up to three groups that cut through no region and no other group."""
    names = sorted(graph.by_name)
    for title in draw(TITLES):
        inside = smallest_group(graph, draw(st.sets(st.sampled_from(names), min_size=1, max_size=4)))
        if all(group.nodes != inside for group in graph.groups):  # which one is outside is not data
            graph = replace(graph, groups=(*graph.groups, Group(title, inside, draw(st.booleans()))))
    return graph


@st.composite
def graphs(
    draw: DrawFn,
    specs: Sequence[Spec] = SPECS,
    *,
    min_nodes: int = 0,
    max_nodes: int = 8,
    literals: SearchStrategy[Literal] = LITERALS,
    empty: bool = True,
    rules: bool = True,
    regions: bool = True,
    groups: bool = True,
    positions: bool = True,
    muted: bool = True,
    cuts: bool = True,
) -> Graph:
    """A structurally sound graph over the given ops; the flags leave a feature out.

    `literals` are the inputs' values and the constants; `empty` allows empty slots.
    """
    names = draw(st.lists(NAMES, min_size=min_nodes, max_size=max_nodes, unique=True))
    built: list[Node] = []
    for name in names:
        producers = [node.name for node in built]
        built.append(draw(nodes(name, producers, specs, literals, empty, rules, muted, cuts)))
    if positions:
        built = [replace(node, position=draw(st.one_of(st.none(), POSITIONS))) for node in built]
    graph = Graph(tuple(built), (), draw(st.sampled_from(names)) if names else None)
    graph = draw(with_regions(graph)) if regions and names else graph
    return draw(with_groups(graph)) if groups and names else graph
