"""Read hooks of PyTorch: functions that get the gradient on its way, and may return another one.

No node changes once it is there. A backward pass calls the hooks that are registered when it is called, and
differentiates a copy of what it goes through, in which they are rules of nodes: what was asked before, or is
asked after a hook was removed, has the graph without it. With `create_graph=True` the
derivative is written out in parts (`again.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import GRAD, IDENTITY, Call, Lambda, Rule, Term
from autodiff_viz.graph.model import params as as_params
from autodiff_viz.graph.rule_kinds import PULLBACK, REWRITE, STOP
from autodiff_viz.reading.functions.arrays import known, shape_of
from autodiff_viz.reading.functions.declared import passed_by, zeros_of
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import Array, Instance, Native, Refused
from autodiff_viz.reading.nodes.builder import Builder, Ref
from autodiff_viz.reading.nodes.costs import LibraryError
from autodiff_viz.reading.tensors.torch_memory import Memory, base_requires_grad, info, refreshed, source
from autodiff_viz.reading.tensors.torch_tensors import TENSOR
from autodiff_viz.reading.torch.again import Parts, below_derivatives, reads_itself, way_of, written_out
from autodiff_viz.reading.torch.passes import Autograd, between, gradient_node


@dataclass(frozen=True)
class Changed:
    """What a hook makes of the gradient that arrives at a node.

    Attributes:
      rule: that of a node in between, which reads `reads` beside the tensor.
      instead: what passes on, if that is no rule.
    """

    rule: Rule
    reads: tuple[Ref, ...] = ()
    instead: Ref | None = None


Gradients = Sequence[Array | None]


@dataclass(frozen=True, eq=False)
class Place:
    """Where hooks stand.

    Attributes:
      tensors: those whose gradients they get together: one, or what a module gets or returns.
      nodes: where these arrive; None for a leaf, which has one for each set of numbers.
      call: call the hooks with the gradients; returns what passes on.
      module: whether they are a module's.
    """

    tensors: tuple[Array, ...]
    nodes: tuple[Ref, ...] | None
    call: Callable[[Gradients], Gradients]
    module: bool = False

    def at(self, reader: Reader) -> list[list[Ref]]:
        """Return the nodes of each tensor."""
        if self.nodes is None:
            return [list(info(reader, one).sources) for one in self.tensors]
        return [[node] for node in self.nodes]


@dataclass(eq=False)
class Hooks:
    """What hooks a text has registered, and the copies of nodes that have them as rules.

    Attributes:
      places: where hooks stand, or have stood.
      of: the functions at a tensor by the node, in order.
      copies: nodes with other slots, and those of hooks, by (node, slots, rule); made: their numbers.
      after: functions that are called when a leaf has got its gradient.
    """

    places: list[Place] = field(default_factory=list)
    of: dict[tuple[Array, int | None], list[Any]] = field(default_factory=dict)
    copies: dict[Any, Ref] = field(default_factory=dict)
    made: set[int] = field(default_factory=set)
    after: dict[Array, list[Any]] = field(default_factory=dict)


def handle(functions: list[Any], hook: Any) -> Native:
    """Return what registering gives back: its `remove()` takes the hook out of a list."""
    entry = [hook]  # the same function may stand there twice
    functions.append(entry)

    def remove(*_: Any) -> None:
        functions[:] = [one for one in functions if one is not entry]

    return Native(lambda *_: None, "hook", attributes={"remove": Native(remove, "remove")})


def standing(functions: Iterable[Any]) -> list[Any]:
    """Return the functions that are registered now, in order."""
    return [entry[0] for entry in functions]


@known("register_hook", table=TENSOR)
def register_hook(reader: Reader, x: Array, hook: Any) -> Native:
    """Read a hook: what it returns replaces the gradient that arrives at the tensor."""
    # A view that was made in no_grad mode says that it requires a gradient, and gets none. Its hooks are
    # called from when on it is told to by requires_grad_().
    if not refreshed(reader, x).requires_grad and not (x.leaf and base_requires_grad(reader, x)):
        raise LibraryError(
            "cannot register a hook on a tensor that doesn't require gradient",
            "Write requires_grad=True.",
            "requires-grad",
        )
    if not isinstance(reader.builder, Builder):
        raise Refused("A hook inside a declared derivative is not read.")
    node = source(reader, x)  # a change in place later gives the tensor another one, and leaves the hook here
    state, at = reader.state(Hooks), (x, None if x.leaf else node.number)
    if at not in state.of:
        functions = state.of[at] = []

        def call(given: Gradients) -> Gradients:
            (value,) = given
            for one in standing(functions):
                assert value is not None
                value = _returned(reader, reader.call(one, [value], {}), value)
            return [value]

        state.places.append(Place((x,), None if x.leaf else (node,), call))
    return handle(state.of[at], hook)


def _returned(reader: Reader, new: Any, old: Array) -> Array:
    """Return the gradient that a hook returns; the old one if it returns none.

    Raises:
      LibraryError: it is no tensor of the same size.
    """
    if new is None:
        return old
    if not isinstance(new, Array) or new.framework != "torch":
        raise LibraryError("expected Variable, but hook returned something else.", "Return a tensor.")
    if shape_of(reader, new) != shape_of(reader, old):
        raise LibraryError("hook has changed the size of value", "Return a gradient of the same shape.")
    return new


@known("register_post_accumulate_grad_hook", table=TENSOR)
def register_post_accumulate_grad_hook(reader: Reader, x: Array, hook: Any) -> Native:
    """Read a function that is called with a leaf when its `.grad` has been added to."""
    if not x.leaf or not x.requires_grad:
        raise LibraryError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    return handle(reader.state(Hooks).after.setdefault(x, []), hook)


def accumulated(reader: Reader, x: Array) -> None:
    """Call the functions that wait for the gradient of a leaf."""
    for hook in standing(reader.state(Hooks).after.get(x, ())):
        with reader.grad_enabled(False):
            reader.call(hook, [x], {})


# A backward pass with hooks.


@dataclass(eq=False)
class Hooked:
    """An output as a backward pass differentiates it.

    Attributes:
      root: the output; a copy, if hooks change gradients on the way.
      nodes: the copies of what it is differentiated by.
      made: the gradients of leaves that hooks have changed, by their nodes.
      parts: in which it is differentiated, where the derivative has a graph of its own.
      arrived: what came to computed tensors before their hooks were called, by node.
    """

    root: Array
    nodes: Mapping[int, Ref] = field(default_factory=dict)
    made: Mapping[tuple[int, ...], Array] = field(default_factory=dict)
    parts: Parts | None = None
    arrived: dict[int, Array] = field(default_factory=dict)

    def captured(
        self, reader: Reader, wrt: Sequence[Ref], dtype: str, create: bool, goes_on: set[int]
    ) -> Array:
        """Return what `autograd.grad` does: where the pass goes on from a tensor, what came to it."""
        if len(wrt) == 1 and wrt[0].number in goes_on and wrt[0].number in self.arrived:
            return self.arrived[wrt[0].number]
        return self.gradient(reader, wrt, dtype, create)

    def gradient(self, reader: Reader, wrt: Sequence[Ref], dtype: str, create: bool) -> Array:
        """Return the derivative by the sum of some nodes."""
        given = self.made.get(tuple(ref.number for ref in wrt))
        if given is not None:  # a copy: `.grad` never has the memory of a tensor that a hook may hold
            return Array(given.held, given.framework, given.dtype, given.requires_grad, given.leaf)
        if self.parts is not None:
            return self.parts.by_all(reader, wrt, dtype)
        return gradient_node(
            reader, self.root, [self.nodes.get(ref.number, ref) for ref in wrt], dtype, create
        )


Found = tuple[int, bool, int, Place, list[list[Ref]]]
"""What hooks are sorted by, where they stand, and the nodes of each tensor there that a pass comes by."""


def hooked(reader: Reader, root: Array, wrt: Sequence[Ref], create: bool) -> Hooked:
    """Call the hooks that a backward pass comes by, and return the output with them on its way.

    Raises:
      Refused: the effect of a hook is not read.
    """
    if not root.is_node:
        return Hooked(root)
    builder, inside = reader.builder, set()
    again = [n for n in passed_by(builder, root.held) if builder.drafts[n].op == GRAD]
    for number in again:  # a derivative is one node of the graph, and depends on what its nodes between read
        inside |= way_of(reader, number)
    state, way = reader.state(Autograd), between(reader, root.held, wrt)
    _refuse_left(reader, way)
    stops = state.with_originals(inside & way) & {ref.number for ref in (*wrt, *_standing(reader))}
    for number in sorted(stops):
        _refuse_result(reader, Ref(number))
    if stops:
        root = written_out(reader, root, stops)
        way = between(reader, root.held, wrt)
    found = _found(reader, way)
    below = below_derivatives(reader, root.held) if again else set()
    for ref in (*wrt, *(ref for *_, nodes in found for refs in nodes for ref in refs)):
        if ref.number in below:
            _refuse_result(reader, ref)
    if any(place.module for *_, place, _ in found) and (create or again):
        raise Refused(
            "A hook of a module is not read where a derivative is differentiated.", "Register it at an input."
        )
    if create and any(place.nodes is not None for *_, place, _ in found):
        return _in_parts(reader, root, found)
    rules: dict[int, list[Changed]] = {}
    made: dict[tuple[int, ...], Array] = {}
    arrived: dict[int, Array] = {}
    for *_, place, nodes in found:
        # A rule at a tensor that was not computed changes nothing that arrives elsewhere.
        inner = {number: one for number, one in rules.items() if reader.builder.drafts[number].slots}
        now = Hooked(*_copied(reader, root, inner))
        arriving = [
            now.gradient(reader, each, one.dtype, create) if each else None
            for each, one in zip(nodes, place.tensors, strict=True)
        ]
        for each, old, new in zip(nodes, arriving, _called(reader, place, arriving, create), strict=True):
            if old is None or new is None or new is old:
                continue
            if place.nodes is not None:
                arrived.setdefault(each[0].number, old)
            if place.nodes is None and (create or again or len(each) > 1):
                made[tuple(ref.number for ref in each)] = new
            else:
                rules.setdefault(each[0].number, []).append(_changed(reader, old, new))
    copy, nodes_of = _copied(reader, root, rules)
    if copy is not root:
        reader.builder.replaced -= reader.builder.ancestors(copy.held) & reader.state(Hooks).made
    return Hooked(copy, nodes_of, made, arrived=arrived)


def _refuse_result(reader: Reader, node: Ref) -> None:
    """Refuse the gradient that comes to a value which the derivative of its own function reads."""
    if name := reads_itself(reader, node):
        raise Refused(
            f"The gradient that comes to what {name}() returned is not read where a derivative is "
            "differentiated: the derivative reads that value too.",
            "Differentiate by an input, and register hooks there.",
        )


def _standing(reader: Reader) -> list[Ref]:
    """Return the nodes of computed tensors at which hooks stand."""
    state = reader.state(Hooks)
    return [ref for place in state.places if place.nodes is not None for ref in place.nodes]


def _found(reader: Reader, way: set[int]) -> list[Found]:
    """Return the places of hooks that a backward pass comes by, in its order.

    Those nearest to the output come first; at one node those of tensors do, and the first registered.
    """
    found: list[Found] = []
    for i, place in enumerate(reader.state(Hooks).places):
        nodes = [[ref for ref in refs if ref.number in way] for refs in place.at(reader)]
        if any(nodes):
            found.append(
                (min(ref.number for refs in nodes for ref in refs), not place.module, -i, place, nodes)
            )
    return sorted(found, key=lambda one: one[:3], reverse=True)


def _called(reader: Reader, place: Place, arriving: Gradients, create: bool) -> Gradients:
    """Call the hooks of a place; return what passes on."""
    first = len(reader.builder.drafts)
    for one in arriving:
        if one is not None:
            info(reader, one).readonly = "A hook that changes its argument in place is not read."
    with reader.grad_enabled(create):
        passed = place.call(arriving)
    reader.builder.replaced |= set(range(first, len(reader.builder.drafts)))
    if any(new not in (None, old) for old, new in zip(arriving, passed, strict=True)):
        reader.say(reader.line, "a hook rewrites the gradient on its way")
    return passed


def _in_parts(reader: Reader, root: Array, found: Sequence[Found]) -> Hooked:
    """Return a derivative of which each part between hooks is nodes that can be differentiated again."""
    at = {nodes[0][0].number for *_, place, nodes in found if place.nodes is not None}
    parts, made = Parts(at, {root.held.number: None}), dict[tuple[int, ...], Array]()
    now = Hooked(root, made=made, parts=parts)
    for *_, place, (nodes,) in found:
        old = now.gradient(reader, nodes, place.tensors[0].dtype, True)
        (new,) = _called(reader, place, [old], True)
        assert new is not None
        made[tuple(ref.number for ref in nodes)] = new
        if place.nodes is not None:
            now.arrived.setdefault(nodes[0].number, old)
            parts.ends[nodes[0].number] = reader.held(new)
    return now


def _refuse_left(reader: Reader, way: set[int]) -> None:
    """Refuse hooks, and gradients to keep, at what views were before they were changed in place.

    PyTorch goes past them there, and our graph through them.
    """
    left = reader.state(Memory).left & way
    hooks = {number for (_, number), functions in reader.state(Hooks).of.items() if functions}
    kept = {ref.number for x, about in reader.state(Memory).of.items() if x.retains for ref in about.sources}
    if left & (hooks | kept):
        raise Refused(
            "A hook or retain_grad() of a view is not read where the view is changed in place afterwards.",
            "Write it behind the change, or clone() before.",
            "view",
        )


def refuse_hooks(reader: Reader, root: Array) -> None:
    """Refuse a derivative that `torch.func` takes of what has hooks on its way."""
    below = passed_by(reader.builder, root.held) if root.is_node and reader.state(Hooks).places else {}
    if any(
        ref.number in below
        for place in reader.state(Hooks).places
        for refs in place.at(reader)
        for ref in refs
    ):
        raise Refused("Hooks are read with backward() and autograd.grad() only.")


def _copied(
    reader: Reader, root: Array, rules: Mapping[int, Sequence[Changed]]
) -> tuple[Array, dict[int, Ref]]:
    """Return an output whose gradient comes by hooks, and the copies of what it was computed from.

    Whatever reads a tensor reads it through the nodes of its hooks; the tensor itself stands below them.
    """
    below: dict[int, Ref] = {}
    above: dict[int, Ref] = {}
    products: list[Ref] = []
    for number in sorted(passed_by(reader.builder, root.held)) if rules else ():
        draft = reader.builder.drafts[number]
        slots = draft.slots
        if draft.rule.kind != STOP:
            slots = tuple(above.get(slot.number, slot) if isinstance(slot, Ref) else slot for slot in slots)
        below[number] = above[number] = (
            Ref(number) if slots == draft.slots else _with(reader, number, slots, draft.rule)
        )
        for one in reversed(rules.get(number, ())):
            if one.instead is not None:  # it passes nothing itself, and the product passes this in its place
                product = reader.builder.add("mul", (above[number], one.instead))
                products.append(
                    product if not reader.builder.shape(product) else reader.builder.add("sum", (product,))
                )
            above[number] = _with(reader, number, (above[number], *one.reads), one.rule)
    held = above.get(root.held.number, root.held)
    if products and reader.builder.shape(held):
        held = reader.builder.add("sum", (held,))
    for one in products:
        held = reader.builder.add("add", (held, one))
    return (root if held == root.held else replace(root, held=held)), below


def _with(reader: Reader, number: int, slots: tuple[Any, ...], rule: Rule) -> Ref:
    """Return a copy of a node with other slots, or the node of a hook that stands on top of it."""
    old, copies = reader.builder.drafts[number], reader.state(Hooks).copies
    key = number, slots, rule
    if key not in copies:
        if rule == old.rule:
            made = reader.builder.add(old.op, slots, rule, **old.params)
            reader.builder.drafts[made.number].hint = old.hint
            reader.builder.replaced.add(number)
        else:
            made = reader.builder.add("first" if rule.kind == PULLBACK else IDENTITY, slots, rule)
        new = reader.builder.drafts[made.number]
        new.lines, new.framework = old.lines, old.framework
        for frame in reader.builder.frames:
            if number in frame.numbers:
                frame.numbers.add(made.number)
        copies[key] = made
        reader.state(Hooks).made.add(made.number)
        reader.builder.replaced.add(made.number)
    return copies[key]


# What a hook does, as a rule.


def _changed(reader: Reader, arriving: Array, value: Array) -> Changed:
    """Return the rule that rewrites a cotangent as a value was computed from the arriving one."""
    names: dict[int, str] = {}
    terms: dict[int, Term] = {arriving.held.number: "v"}

    def term(slot: Any) -> Term:
        if not isinstance(slot, Ref):
            return slot
        return terms.get(slot.number) or names.setdefault(slot.number, f"r{len(names) + 1}")

    for number in sorted(reader.builder.ancestors(value.held)) if isinstance(value.held, Ref) else ():
        draft = reader.builder.drafts[number]
        if number in terms or not any(isinstance(one, Ref) and one.number in terms for one in draft.slots):
            continue
        if draft.op == GRAD or len(terms) > limits.LAMBDA_TERMS // 4:
            return Changed(Rule(STOP), instead=reader.builder.stopped(value.held))
        slots = draft.slots[:1] if draft.op == IDENTITY else draft.slots
        terms[number] = Call(draft.op, tuple(map(term, slots)), as_params(**draft.params))
    body = term(value.held)
    if not names:
        return Changed(Rule(REWRITE, Lambda(("v",), (body,))))
    zeros = map(zeros_of, names.values())
    rule = Rule(PULLBACK, Lambda(("v", "x", *names.values(), "out"), (body, *zeros)))
    return Changed(rule, tuple(Ref(number) for number in names))


# Hooks of modules.


def watched(
    reader: Reader, module: Instance, args: list[Any], hooks: Sequence[Any], before: Sequence[Any]
) -> tuple[list[Any], Callable[[Any], Any]]:
    """Return a module's arguments as what its hooks get the gradients of, and what makes that of its value.

    Args:
      hooks: functions of the module, the gradients of its arguments and those of its value.
      before: functions of the module and the gradients of its value.
    """
    given, inputs = _apart(reader, args)
    out: list[tuple] = []  # the gradients of the value, until the hooks have had them

    def leave(value: Any) -> Any:
        values = list(value) if isinstance(value, tuple) else [value]
        results, outputs = _apart(reader, values)

        def arrive(arriving: Gradients) -> Gradients:
            grads = _in_their_places(results, outputs, arriving)
            for one in before:
                grads = _as_many(reader.call(one, [module, grads], {}), grads)
            out[:] = [] if not inputs else [grads]
            for one in () if inputs else hooks:
                if reader.call(one, [module, (None,) * len(args), grads], {}) is not None:
                    raise LibraryError(
                        "Backward hook for Modules where no input requires gradient should always "
                        "return None."
                    )
            return _of_size(reader, [grads[i] for i in _indices(results, outputs)], arriving)

        _place(reader, outputs, arrive)
        return tuple(results) if isinstance(value, tuple) else results[0]

    def arrive(arriving: Gradients) -> Gradients:
        if not out:
            return arriving
        zeros = [reader.make("zeros_like", [one]) if isinstance(one, Array) else None for one in given]
        grads = tuple(
            one if one is not None else zero
            for one, zero in zip(_in_their_places(given, inputs, arriving), zeros, strict=True)
        )
        for one in hooks:
            grads = _as_many(reader.call(one, [module, grads, out[0]], {}), grads)
        out.clear()
        return _of_size(reader, [grads[i] for i in _indices(given, inputs)], arriving)

    _place(reader, inputs, arrive)
    return given, leave


def _apart(reader: Reader, values: list[Any]) -> tuple[list[Any], list[Array]]:
    """Return values of which those that require a gradient are nodes of their own, and these."""
    if reader.no_grad or not isinstance(reader.builder, Builder):
        return values, []
    made = [reader.copied(reader.fresh(x)) if isinstance(x, Array) and x.requires_grad else x for x in values]
    apart = [new for new, old in zip(made, values, strict=True) if new is not old]
    for one in apart:
        info(
            reader, one
        ).readonly = "A change in place of what a module with hooks gets or returns is not read."
    return made, apart


def _place(reader: Reader, tensors: list[Array], call: Callable[[Gradients], Gradients]) -> None:
    if tensors:
        reader.state(Hooks).places.append(
            Place(tuple(tensors), tuple(one.held for one in tensors), call, True)
        )


def _indices(values: list[Any], those: list[Array]) -> list[int]:
    return [i for one in those for i, value in enumerate(values) if value is one]


def _in_their_places(values: list[Any], those: list[Array], gradients: Gradients) -> tuple:
    found = dict(zip(_indices(values, those), gradients, strict=True))
    return tuple(found.get(i) for i in range(len(values)))


def _as_many(new: Any, old: tuple) -> tuple:
    """Return the gradients that a hook returns; the old ones if it returns none."""
    if new is None:
        return old
    if not isinstance(new, (tuple, list)) or len(new) != len(old):
        raise LibraryError(
            f"Backward hook returned an invalid number of gradients, and expected {len(old)}.",
            "Return a tuple with one for each.",
        )
    return tuple(new)


def _of_size(reader: Reader, new: Sequence[Any], old: Gradients) -> Gradients:
    """Return gradients of which each has the size of the one that arrived; None is zero."""
    return [
        was
        if was is None
        else reader.make("zeros_like", [was])
        if one is None
        else _returned(reader, one, was)
        for one, was in zip(new, old, strict=True)
    ]
