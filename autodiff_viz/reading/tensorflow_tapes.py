"""Read TensorFlow: tapes and what they watch, `tf.gradients`, placeholders with what is fed, stops.

A tape records what its block computes from what it watches: variables of themselves, other tensors if they are
told. What a tape has not recorded has no gradient, and TensorFlow answers None.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff_viz.graph.model import IDENTITY, Rule
from autodiff_viz.graph.rule_kinds import STOP
from autodiff_viz.reading import arrays
from autodiff_viz.reading.arrays import constant, dtype_of, fold, named_dtype, shape_of
from autodiff_viz.reading.builder import Ref
from autodiff_viz.reading.interpreter import Interpreter, Request
from autodiff_viz.reading.jax_transforms import pulled
from autodiff_viz.reading.torch_autograd import absolute, clamp
from autodiff_viz.reading.values import BOOL, INT, Array, Native, Path, Refused, leaves

TF: arrays.Table = {}
ROWS = 64

for _name, _op in {
    **{
        name: name
        for name in (
            "exp",
            "sin",
            "cos",
            "tan",
            "tanh",
            "sqrt",
            "square",
            "sign",
            "round",
            "floor",
            "maximum",
            "minimum",
            "add",
            "pow",
            "sigmoid",
            "identity",
        )
    },
    "multiply": "mul",
    "divide": "div",
    "subtract": "sub",
    "negative": "neg",
    "truediv": "div",
}.items():
    TF[f"tensorflow.{_name}"] = TF[f"tensorflow.math.{_name}"] = arrays.elementwise(_op)
for _name in ("log", "log1p", "expm1", "erf", "softplus"):
    TF[f"tensorflow.math.{_name}"] = arrays.elementwise(_name)
for _name in ("relu", "elu", "silu", "sigmoid", "tanh", "softplus"):
    TF[f"tensorflow.nn.{_name}"] = arrays.elementwise(_name)
TF["tensorflow.nn.swish"] = arrays.elementwise("silu")
TF["tensorflow.math.reciprocal"] = lambda r, x: r.make("div", [1.0, x])
TF["tensorflow.nn.gelu"] = lambda r, x, approximate=False: arrays.gelu(r, x, approximate)
TF["tensorflow.nn.leaky_relu"] = lambda r, x, alpha=0.2: r.make("maximum", [x, r.make("mul", [x, alpha])])
for _name in ("softmax", "log_softmax"):
    TF[f"tensorflow.nn.{_name}"] = lambda r, x, axis=-1, _name=_name: r.make(_name, [x], axis=axis)


def _reduction(op: str) -> Callable[..., Any]:
    return lambda r, input_tensor, axis=None, keepdims=False: fold(r, op, input_tensor, axis, keepdims)


for _op in ("sum", "mean", "max", "min", "prod"):
    TF[f"tensorflow.reduce_{_op}"] = TF[f"tensorflow.math.reduce_{_op}"] = _reduction(_op)
TF["tensorflow.reduce_logsumexp"] = TF["tensorflow.math.reduce_logsumexp"] = _reduction("logsumexp")
TF["tensorflow.matmul"] = TF["tensorflow.linalg.matmul"] = lambda r, a, b: arrays.product(r, a, b)
TF["tensorflow.abs"] = TF["tensorflow.math.abs"] = absolute
TF["tensorflow.clip_by_value"] = lambda r, t, clip_value_min, clip_value_max: clamp(
    r, t, clip_value_min, clip_value_max
)
TF["tensorflow.nn.sparse_softmax_cross_entropy_with_logits"] = lambda r, labels, logits: r.make(
    "softmax_cross_entropy_with_integer_labels", [logits, labels]
)
TF["tensorflow.nn.softmax_cross_entropy_with_logits"] = lambda r, labels, logits: r.make(
    "neg", [fold(r, "sum", r.make("mul", [labels, r.make("log_softmax", [logits], axis=-1)]), -1, False)]
)
TF["tensorflow.nn.sigmoid_cross_entropy_with_logits"] = lambda r, labels, logits: r.make(
    "sigmoid_binary_cross_entropy", [logits, labels]
)
TF["tensorflow.where"] = lambda r, condition, x, y: r.make("where", [condition, x, y])
TF["tensorflow.reshape"] = lambda r, tensor, shape: arrays.reshape(r, tensor, *shape)
TF["tensorflow.transpose"] = lambda r, a, perm=None: arrays.transpose(r, a, *([tuple(perm)] if perm else []))
TF["tensorflow.concat"] = lambda r, values, axis: r.make("concatenate", list(values), axis=axis)
TF["tensorflow.stack"] = lambda r, values, axis=0: r.make("stack", list(values), axis=axis)
TF["tensorflow.expand_dims"] = lambda r, input, axis: arrays.expand(r, input, axis)
TF["tensorflow.zeros_like"] = lambda r, x: r.make("zeros_like", [x])
TF["tensorflow.ones_like"] = lambda r, x: r.make("ones_like", [x])
TF["tensorflow.shape"] = lambda r, x: shape_of(r, x)
TF["tensorflow.function"] = lambda r, f=None, **_: (
    f if f is not None else Native(lambda _, a, k: a[0], "function")
)
TF["tensorflow.random.set_seed"] = lambda r, seed: None
for _name, _op in {
    "greater": ast.Gt,
    "less": ast.Lt,
    "greater_equal": ast.GtE,
    "less_equal": ast.LtE,
    "equal": ast.Eq,
}.items():
    TF[f"tensorflow.{_name}"] = TF[f"tensorflow.math.{_name}"] = lambda r, a, b, _op=_op: r.compare(
        _op(), a, b, ast.Constant(0)
    )


def _tensor(r: Interpreter, value: Any, dtype: Any = None, **_: Any) -> Array:
    if isinstance(value, Array):
        return Array(value.held, "tf", named_dtype(r, dtype) or value.dtype)
    kind = dtype_of(value)
    return constant(r, value, "tf", named_dtype(r, dtype) or ("float32" if kind == "float" else kind))


def _variable(
    r: Interpreter, initial_value: Any, trainable: bool = True, dtype: Any = None, name: Any = None, **_: Any
) -> Array:
    made = _tensor(r, initial_value, dtype)
    made.requires_grad = trainable and made.dtype not in (INT, BOOL)
    if isinstance(made.held, Ref):
        made.held = r.builder.add(IDENTITY, [made.held], Rule(STOP))
    r.extra.setdefault("variables", []).append(made)
    return made


TF["tensorflow.constant"] = TF["tensorflow.convert_to_tensor"] = _tensor
TF["tensorflow.Variable"] = _variable
TF["tensorflow.cast"] = lambda r, x, dtype: (
    arrays.cast(r, x, named_dtype(r, dtype)) if isinstance(x, Array) else _tensor(r, x, dtype)
)
TF["tensorflow.zeros"] = lambda r, shape, dtype=None: _tensor(
    r, np.zeros(arrays.shape_argument(shape)), dtype or "float32"
)
TF["tensorflow.ones"] = lambda r, shape, dtype=None: _tensor(
    r, np.ones(arrays.shape_argument(shape)), dtype or "float32"
)
TF["tensorflow.range"] = lambda r, *args, dtype=None: Array(
    arrays._arange(r, "jax", args, dtype).held, "tf", named_dtype(r, dtype) or INT
)


@arrays.known("tensorflow.stop_gradient", table=TF)
def stop_gradient(r: Interpreter, x: Any) -> Any:
    """Read a stop."""
    return r.make(IDENTITY, [x], rule=Rule(STOP)) if isinstance(x, Array) and x.is_node else x


@dataclass(eq=False)
class Tape:
    """A `tf.GradientTape`: from which node on it records, until which, and what it watches."""

    persistent: bool = False
    watches_variables: bool = True
    watched: list[Array] = field(default_factory=list)
    first: int = 0
    last: int | None = None
    used: bool = False
    pauses: list[tuple[int, int]] = field(default_factory=list)


TF["tensorflow.GradientTape"] = lambda r, persistent=False, watch_accessed_variables=True: Tape(
    persistent, watch_accessed_variables
)


def enter_tape(r: Interpreter, tape: Tape) -> tuple[Tape, Callable[[], None]]:
    """Enter the block of a tape."""
    tape.first, tape.last = len(r.builder.drafts), None

    def leave() -> None:
        tape.last = len(r.builder.drafts)

    return tape, leave


@dataclass(eq=False)
class Pause:
    """What `tape.stop_recording()` is."""

    tape: Tape


def enter_pause(r: Interpreter, pause: Pause) -> tuple[None, Callable[[], None]]:
    """Enter a block that the tape does not record."""
    begin = len(r.builder.drafts)
    return None, lambda: pause.tape.pauses.append((begin, len(r.builder.drafts)))


def tape_attribute(r: Interpreter, tape: Tape, name: str, node: ast.AST) -> Native:
    """Return what a tape does: watch, gradient, jacobian, stop_recording."""

    def watch(_: Interpreter, args: list, keywords: dict) -> None:
        for _path, leaf in leaves(args[0]):
            if not isinstance(leaf, Array):
                raise Refused("A tape watches tensors.", at=node)
            if not leaf.is_node:
                leaf.held = r.builder.input(leaf.held, "x")
            tape.watched.append(leaf)

    def gradient(_: Interpreter, args: list, keywords: dict) -> Any:
        names = ("target", "sources", "output_gradients", "unconnected_gradients")
        given = {**dict(zip(names, args, strict=False)), **keywords}
        if tape.used and not tape.persistent:
            raise Refused(
                "A non-persistent GradientTape can only be used to compute one set of gradients.",
                "Write tf.GradientTape(persistent=True).",
                "tape-used",
                node,
            )
        tape.used = True
        targets = [leaf for _path, leaf in leaves(given["target"])]
        seeds = [leaf for _path, leaf in leaves(given.get("output_gradients"))]
        zero = given.get("unconnected_gradients") not in (None, "none")
        return gradients(r, targets, given["sources"], seeds if seeds != [None] else None, tape, zero)

    def jacobian(_: Interpreter, args: list, keywords: dict) -> Any:
        given = {**dict(zip(("target", "sources"), args, strict=False)), **keywords}
        target, shape = given["target"], shape_of(r, given["target"])
        size = int(np.prod(shape))
        if size > ROWS:
            raise Refused(f"A Jacobian is read of at most {ROWS} outputs.", "", "too-large", node)
        flat = target if len(shape) == 1 else r.make("reshape", [target], shape=(size,))
        tape.last = None  # the rows are picked after the block
        before = len(r.requests)
        rows = [
            gradients(r, [r.make("getitem", [flat], index=(i,))], given["sources"], None, tape, False)
            for i in range(size)
        ]
        label = r.requests[-1].name
        del r.requests[before:]
        if any(row is None for row in rows):
            return None
        stacked = r.make("stack", rows, axis=0)
        whole = r.make("reshape", [stacked], shape=(*shape, *shape_of(r, given["sources"])))
        r.requests.append(Request(label, None, given["sources"].held, r.line, whole.held))
        return whole

    known = {
        "watch": watch,
        "gradient": gradient,
        "jacobian": jacobian,
        "stop_recording": lambda _, args, kw: Pause(tape),
        "reset": lambda _, args, kw: enter_tape(r, tape)[0],
    }
    if name not in known:
        raise Refused(f"A tape has no {name!r} that is read.", at=node)
    return Native(known[name], name)


def _recorded(r: Interpreter, root: Ref, source: Array, tape: Tape | None, asked: int) -> bool:
    """Return whether a tape has recorded a way from a source to an output; nodes from `asked` on seed the output."""
    if not isinstance(source.held, Ref):
        return False
    if tape is None:
        return source.held.number in r.builder.ancestors(root)
    reached, waiting = set(), [root.number]
    last = len(r.builder.drafts) if tape.last is None else tape.last
    while waiting:
        number = waiting.pop()
        if number in reached:
            continue
        reached.add(number)
        if number == source.held.number:
            return True
        inside = number >= tape.first and (number < last or number >= asked)
        if inside and not any(a <= number < b for a, b in tape.pauses):
            waiting += [slot.number for slot in r.builder.drafts[number].slots if isinstance(slot, Ref)]
    return False


def gradients(
    r: Interpreter, targets: list[Array], sources: Any, seeds: list[Any] | None, tape: Tape | None, zero: bool
) -> Any:
    """Return the gradient of the sum of targets by each source: None where nothing leads to it."""
    total: Any = None
    asked = len(r.builder.drafts)
    for i, target in enumerate(targets):
        seed = seeds[i] if seeds else None
        part = (
            pulled(r, target, seed)
            if seed is not None
            else target
            if shape_of(r, target) == ()
            else r.make("sum", [target])
        )
        total = part if total is None else r.make("add", [total, part])
    if total is None or not total.is_node:
        raise Refused("There is nothing to differentiate.")
    r.roots.append(total.held)

    def one(source: Any) -> Any:
        if not isinstance(source, Array):
            raise Refused("A gradient is taken by tensors and variables.")
        label = r.builder.drafts[source.held.number].hint if isinstance(source.held, Ref) else "x"
        watched = tape is None or source in tape.watched or (source.requires_grad and tape.watches_variables)
        watched = watched or (
            tape is not None and isinstance(source.held, Ref) and source.held.number >= tape.first
        )
        if not watched or not _recorded(r, total.held, source, tape, asked):
            r.requests.append(Request(label or "x", total.held, None, r.line))
            return r.make("zeros_like", [source]) if zero else None
        grad = r.gradient(total, source)
        r.requests.append(Request(label or "x", total.held, source.held, r.line, grad.held))
        return grad

    from autodiff_viz.reading.values import mapped

    return mapped(one, sources)


TF["tensorflow.gradients"] = lambda r, ys, xs, grad_ys=None, **_: [
    one
    for one in gradients(
        r,
        [leaf for _p, leaf in leaves(ys)],
        list(xs) if isinstance(xs, (tuple, list)) else [xs],
        None if grad_ys is None else [leaf for _p, leaf in leaves(grad_ys)],
        None,
        False,
    )
]


# Graphs of the first version: placeholders, and a session that feeds them.


def _placeholder(r: Interpreter, dtype: Any = None, shape: Any = None, name: Any = None) -> Array:
    made = Array(r.builder.input(1.0, "x"), "tf", named_dtype(r, dtype) or "float32")
    r.builder.drafts[made.held.number].hint = ""
    r.extra.setdefault("placeholders", []).append(made)
    return made


TF["tensorflow.placeholder"] = TF["tensorflow.compat.v1.placeholder"] = _placeholder


class Session:
    """What `tf.Session()` is."""


def session_attribute(r: Interpreter, session: Session, name: str, node: ast.AST) -> Native:
    """Return `sess.run`, which feeds the placeholders."""
    if name == "close":
        return Native(lambda _, args, kw: None, name)
    if name != "run":
        raise Refused(f"A session has no {name!r} that is read.", at=node)

    def run(_: Interpreter, args: list, keywords: dict) -> Any:
        feed = keywords.get("feed_dict", args[1] if len(args) > 1 else {})
        for key, value in feed.items():
            draft = r.builder.drafts[key.held.number]
            draft.params["value"] = arrays.as_literal(value.held if isinstance(value, Array) else value)
        r.builder.forget_shapes()
        return args[0]

    return Native(run, name)


TF["tensorflow.Session"] = TF["tensorflow.compat.v1.Session"] = lambda r, *_, **__: Session()
TF["tensorflow.global_variables_initializer"] = lambda r: None


def install(r: Interpreter) -> None:
    """Teach an interpreter TensorFlow."""
    r.tables |= TF
    r.handlers.enter[Tape] = enter_tape
    r.handlers.enter[Pause] = enter_pause
    r.handlers.attribute[Tape] = tape_attribute
    r.handlers.attribute[Session] = session_attribute
    r.handlers.enter[Session] = lambda r, session: (session, lambda: None)
    r.methods["tf"] = {
        **arrays.METHODS,
        "numpy": lambda r, x: Array(x.held, "numpy", x.dtype),
        "assign": lambda r, x, value: _assigned(r, x, value),
    }


def _assigned(r: Interpreter, x: Array, value: Any) -> Array:
    x.held = r.builder.add(IDENTITY, [r.held(value)], Rule(STOP))
    return x


_ = Path
