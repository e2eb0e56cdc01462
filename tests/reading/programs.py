"""Write programs at random as people write them: PyTorch with its tape, JAX with its transformations.

    python -m tests.reading.programs torch 7     shows the program of seed 7

A program names what it computes, so that every number in it can be compared with the library's.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

VECTOR, MATRIX, NUMBER = (3,), (2, 3), ()

FUNCTIONS = """class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return 2 * g * x
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.exp(x * 0.5)
        ctx.save_for_backward(y)
        return y
    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return g * y * 0.5
class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        return x.view_as(x)
    @staticmethod
    def backward(ctx, g):
        return -ctx.scale * g, None
class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)
    @staticmethod
    def backward(ctx, g):
        return g.clone()
class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        s, d = x + y, x * y
        ctx.save_for_backward(x, y)
        return s, d
    @staticmethod
    def backward(ctx, gs, gd):
        x, y = ctx.saved_tensors
        return gs + gd * y, gs + gd * x
"""

HOOKS = (
    "lambda g: g * 2",
    "lambda g: g * g",
    "lambda g: g.clamp(-1.0, 1.0)",
    "lambda g: g + 1",
    "lambda g: -g",
    "lambda g: seen.append(g)",
    "lambda g: None",
    "lambda g: torch.tanh(g)",
    "lambda g: g.detach() * 3",
)
MODULE_HOOKS = (
    "lambda m, gi, go: (gi[0] * 2,)",
    "lambda m, gi, go: (gi[0].clamp(min=0),)",
    "lambda m, gi, go: seen.append(go[0])",
    "lambda m, gi, go: (torch.relu(go[0]).sum() + gi[0],)",
)


@dataclass
class Torch:
    """A program of PyTorch that is being written."""

    draw: random.Random
    lines: list[str] = field(default_factory=list)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    leaves: list[str] = field(default_factory=list)
    handles: list[str] = field(default_factory=list)
    count: int = 0
    indent: str = ""

    def write(self, line: str) -> None:
        self.lines.append(self.indent + line)

    def new(self, shape: tuple[int, ...], text: str, stem: str = "h") -> str:
        self.count += 1
        name = f"{stem}{self.count}"
        self.write(f"{name} = {text}")
        self.shapes[name] = shape
        return name

    def of(self, shape: tuple[int, ...]) -> str:
        """The name of a tensor of this shape; one that was made lately, mostly."""
        names = [name for name, own in self.shapes.items() if own == shape]
        if not names:
            return self.new(shape, numbers(self.draw, shape))
        return self.draw.choice(names[-3:] if self.draw.random() < 0.7 else names)

    def any(self) -> tuple[str, tuple[int, ...]]:
        name = self.draw.choice(list(self.shapes)[-4:] if self.draw.random() < 0.7 else list(self.shapes))
        return name, self.shapes[name]


def numbers(draw: random.Random, shape: tuple[int, ...], more: str = "") -> str:
    def one() -> float:
        return draw.choice([-2, -1.5, -1, -0.75, -0.5, -0.25, 0.25, 0.5, 0.75, 1, 1.5, 2]) * 1.0

    def nested(shape: tuple[int, ...]) -> object:
        return [nested(shape[1:]) for _ in range(shape[0])] if shape else one()

    return f"torch.tensor({nested(shape)}{more})"


UNARY = (
    "torch.sin({0})",
    "{0}.cos()",
    "torch.tanh({0})",
    "torch.sigmoid({0})",
    "torch.exp({0} * 0.3)",
    "F.softplus({0})",
    "F.relu({0})",
    "{0} ** 2",
    "{0} * 0.5",
    "-{0}",
    "1.5 - {0}",
    "{0}.abs() + 0.5",
    "F.leaky_relu({0}, 0.1)",
    "torch.log1p({0} ** 2)",
    "F.gelu({0})",
    "{0}.clamp(-1.1, 1.1)",
    "F.elu({0})",
    "torch.sqrt({0} * {0} + 1)",
    "Square.apply({0})",
    "Exp.apply({0})",
    "Reverse.apply({0}, 0.5)",
    "{0}.detach()",
    "{0}.clone()",
    "F.hardtanh({0}, -1.2, 1.2)",
    "Round.apply({0} * 1.3)",
    "{0} / 2",
    "torch.where({0} > 0.1, {0}, {0} * 0.3)",
    "{0}.pow(3) * 0.2",
    "torch.atan({0})",
    "F.silu({0})",
    "torch.utils.checkpoint.checkpoint(torch.sin, {0}, use_reentrant=False)",
)
BINARY = (
    "{0} + {1}",
    "{0} - {1}",
    "{0} * {1}",
    "{0} / ({1} ** 2 + 1)",
    "torch.maximum({0}, {1} + 0.05)",
    "torch.where({0} > {1}, {0}, {1} * 2)",
    "Both.apply({0}, {1})[0]",
    "Both.apply({0}, {1})[1]",
    "torch.stack([{0}, {1}]).mean(0)",
    "torch.lerp({0}, {1}, 0.3)",
    "torch.addcmul({0}, {0}, {1}, value=0.5)",
    "torch.atan2({0}, {1} ** 2 + 1)",
    "torch.hypot({0}, {1} + 0.3)",
)


def compute(p: Torch) -> None:
    """Compute something of what is there."""
    draw = p.draw
    what = draw.random()
    if what < 0.45:
        name, shape = p.any()
        p.new(shape, draw.choice(UNARY).format(name))
    elif what < 0.7:
        name, shape = p.any()
        p.new(shape, draw.choice(BINARY).format(name, p.of(shape)))
    elif what < 0.8:
        p.new((2,), f"{p.of(MATRIX)} @ {p.of(VECTOR)}")
    elif what < 0.9:
        name, shape = p.any()
        if shape == MATRIX:
            text, made = draw.choice(
                [
                    ("{0}.sum(0)", VECTOR),
                    ("{0}[1]", VECTOR),
                    ("{0}.mean(dim=0)", VECTOR),
                    ("{0}.t()[:, 0]", VECTOR),
                    ("torch.softmax({0}, dim=1)", MATRIX),
                    ("{0}.view(-1)[1:4]", VECTOR),
                    ("{0}.amax(dim=0)", VECTOR),
                    ("{0} - {0}.mean(dim=1, keepdim=True)", MATRIX),
                    ("{0}.flip(0)", MATRIX),
                    ("{0}.sum()", NUMBER),
                    ("{0}.reshape(3, 2).t()", MATRIX),
                    ("{0}.max(dim=0).values", VECTOR),
                    ("{0}.norm()", NUMBER),
                ]
            )
        elif shape == VECTOR:
            text, made = draw.choice(
                [
                    ("{0}.sum()", NUMBER),
                    ("{0}.mean()", NUMBER),
                    ("{0}.unsqueeze(0).expand(2, 3)", MATRIX),
                    ("torch.cumsum({0}, 0)", VECTOR),
                    ("{0}[[2, 0, 1]]", VECTOR),
                    ("torch.softmax({0}, 0)", VECTOR),
                    ("torch.outer({0}[:2], {0})", MATRIX),
                    ("{0}.flip(0)", VECTOR),
                    ("{0}[1]", NUMBER),
                    ("torch.logsumexp({0}, 0)", NUMBER),
                    ("{0}.roll(1)", VECTOR),
                    ("{0}.prod()", NUMBER),
                    ("torch.stack([{0}, {0} * 2])", MATRIX),
                    ("{0}.norm()", NUMBER),
                    ("torch.cat([{0}[1:], {0}[:1]])", VECTOR),
                ]
            )
        elif shape == NUMBER:
            text, made = draw.choice(
                [("{0} * torch.ones(3)", VECTOR), ("{0}.expand(3)", VECTOR), ("{0} * 2", NUMBER)]
            )
        else:
            text, made = "{0}.sum()", NUMBER
        p.new(made, text.format(name))
    else:
        p.new(VECTOR, f"lin({p.of(VECTOR)})")


def change_in_place(p: Torch) -> None:
    """Change a tensor in place, or a view of it."""
    draw = p.draw
    name, shape = p.any()
    if draw.random() < 0.7:
        name = p.new(shape, f"{name}.clone()" if draw.random() < 0.6 else f"{name} * 1.5")
    if shape == NUMBER:
        p.write(draw.choice(["{0}.mul_(2)", "{0} += 1", "{0}.add_(0.5)"]).format(name))
        return
    other = p.of(shape)
    if shape == (2,) or draw.random() < 0.5:
        p.write(
            draw.choice(
                [
                    "{0}.mul_(2)",
                    "{0} += {1}",
                    "{0} *= 0.5",
                    "{0}.add_({1})",
                    "{0}.sub_({1}, alpha=0.5)",
                    "{0}.tanh_()",
                    "{0}.clamp_(-1.0, 1.0)",
                    "{0}[0] = 0.5",
                    "{0}[1:] *= 2",
                    "{0}.relu_()",
                    "{0}.neg_()",
                    "{0}.zero_()",
                ]
            ).format(name, other)
        )
    elif shape == VECTOR:
        view = p.new(
            (2,), draw.choice([f"{name}[1:]", f"{name}.narrow(0, 0, 2)", f"{name}.view(3)[:2]"]), "v"
        )
        p.write(
            draw.choice(["{0} += 1", "{0}.mul_(3)", "{0}[0] = {1}[0]", "{0}.copy_({1}[:2])"]).format(
                view, other
            )
        )
    else:
        row = p.new(VECTOR, draw.choice([f"{name}[0]", f"{name}.view(2, 3)[1]", f"{name}.select(0, 1)"]), "v")
        p.write(
            draw.choice(["{0} += 1", "{0}.mul_(3)", "{0}[0] = {1}[0, 1]", "{0}[1:] += 2"]).format(row, other)
        )


def hook(p: Torch) -> None:
    """Register a hook, or remove one."""
    draw = p.draw
    if p.handles and draw.random() < 0.4:
        p.write(f"{p.handles.pop(draw.randrange(len(p.handles)))}.remove()")
        return
    p.count += 1
    handle = f"hook{p.count}"
    if draw.random() < 0.75:
        name, _ = p.any()
        if draw.random() < 0.3:
            name = draw.choice(p.leaves)
        p.write(f"if {name}.requires_grad:")
        p.write(f"    {handle} = {name}.register_hook({draw.choice(HOOKS)})")
        return
    kind = draw.choice(["full_backward", "full_backward", "forward", "full_backward_pre"])
    text = {
        "full_backward": draw.choice(MODULE_HOOKS),
        "forward": draw.choice(["lambda m, i, o: o * 2", "lambda m, i, o: seen.append(o)"]),
        "full_backward_pre": draw.choice(["lambda m, go: (go[0] * 3,)", "lambda m, go: seen.append(go[0])"]),
    }[kind]
    on = draw.choice(["lin", "act"])
    p.write(f"{handle} = {on}.register_{kind}_hook({text})")
    p.handles.append(handle)


def differentiate(p: Torch) -> None:
    """Call backward() or autograd.grad()."""
    draw = p.draw
    name, shape = p.any()
    loss = name if shape == NUMBER else f"{name}.sum()"
    if draw.random() < 0.15 and shape == VECTOR:
        loss = f"({name} * torch.tensor([1.0, -2.0, 0.5])).sum()"
    what = draw.random()
    retain = draw.choice(["", "retain_graph=True", "retain_graph=True"])
    if what < 0.55:
        p.count += 1
        p.write(f"loss{p.count} = {loss}")
        p.write(f"if loss{p.count}.requires_grad:")
        p.write(f"    loss{p.count}.backward({retain})")
    else:
        leaf = draw.choice(p.leaves)
        create = draw.choice([True, False])
        more = ", create_graph=True" if create else f", {retain}" if retain else ""
        p.count += 1
        p.write(f"loss{p.count} = {loss} + ({leaf} ** 2).sum() * 0.1")
        made = p.new(p.shapes[leaf], f"torch.autograd.grad(loss{p.count}, {leaf}{more})[0]", "g")
        if create and draw.random() < 0.6:
            p.write(f"pen{p.count} = ({made} ** 2).sum() + {p.draw.choice(p.leaves)}.sum()")
            p.write(f"pen{p.count}.backward()")


def train(p: Torch) -> None:
    """Train for some steps."""
    draw = p.draw
    which = draw.sample(p.leaves, draw.randint(1, len(p.leaves)))
    given = "list(lin.parameters())" if draw.random() < 0.4 else "[" + ", ".join(which) + "]"
    optimizer = draw.choice(
        [
            "SGD({0}, lr=0.1)",
            "SGD({0}, lr=0.05, momentum=0.9)",
            "Adam({0}, lr=0.05)",
            "AdamW({0}, lr=0.05)",
            "RMSprop({0}, lr=0.01)",
            "SGD({0}, lr=0.1, weight_decay=0.1, nesterov=True, momentum=0.5)",
            "Adagrad({0}, lr=0.1)",
        ]
    ).format(given)
    p.count += 1
    own = p.count
    p.write(f"opt{own} = torch.optim.{optimizer}")
    p.write(f"for step in range({draw.randint(1, 3)}):")
    known = dict(p.shapes)
    p.shapes = {name: shape for name, shape in known.items() if name in p.leaves}
    p.indent = "    "
    zero = draw.choice([f"opt{own}.zero_grad()", f"opt{own}.zero_grad(set_to_none=False)", ""])
    if zero:
        p.write(zero)
    for _ in range(draw.randint(1, 3)):
        compute(p)
    if draw.random() < 0.3:
        change_in_place(p)
    name, shape = p.any()
    p.write(f"loss{own} = {name if shape == NUMBER else name + '.sum()'} + (lin({p.of(VECTOR)}) ** 2).sum()")
    p.write(f"loss{own}.backward()")
    if draw.random() < 0.3:
        p.write(
            draw.choice(
                [
                    f"torch.nn.utils.clip_grad_norm_({given}, 0.7)",
                    f"torch.nn.utils.clip_grad_value_({given}, 0.4)",
                ]
            )
        )
    p.write(f"opt{own}.step()")
    p.indent = ""
    p.shapes = {name: shape for name, shape in known.items() if name in p.leaves} | {
        name: shape for name, shape in p.shapes.items() if name in known
    }


def state(p: Torch) -> None:
    """Change what the tape records, or what was gathered."""
    draw = p.draw
    leaf = draw.choice(p.leaves)
    name, shape = p.any()
    what = draw.randrange(7)
    if what == 0:
        p.write(f"{leaf}.grad = None")
    elif what == 1:
        p.write(f"if {name}.requires_grad:")
        p.write(f"    {name}.retain_grad()")
    elif what == 2:
        p.write("with torch.no_grad():")
        p.indent = "    "
        compute(p)
        p.write(f"{leaf} *= 0.9")
        p.indent = ""
    elif what == 3:
        p.write("lin.zero_grad()")
    elif what == 4:
        p.write(f"if {leaf}.grad is not None:")
        p.write(f"    {leaf}.grad.zero_()")
    elif what == 5:
        made = p.new(shape, f"{name}.detach().clone().requires_grad_()", "x")
        p.leaves.append(made)
    else:
        p.write("with torch.no_grad():")
        p.write(f"    {leaf} -= 0.1")


def torch_program(seed: int) -> str:
    """A program of PyTorch."""
    draw = random.Random(seed)
    p = Torch(draw)
    p.lines = [
        "import torch",
        "import torch.nn as nn",
        "import torch.nn.functional as F",
        "import torch.utils.checkpoint",
    ]
    p.lines += FUNCTIONS.splitlines()
    p.write("seen = []")
    p.write("lin, act = nn.Linear(3, 3), nn.Tanh()")
    p.write("with torch.no_grad():")
    p.write("    lin.weight.copy_(torch.tensor([[0.5, -0.25, 1.0], [-1.0, 0.75, 0.25], [0.25, 0.5, -0.5]]))")
    p.write("    lin.bias.fill_(0.1)")
    for name, shape in (("x", VECTOR), ("w", VECTOR), ("A", MATRIX)):
        p.write(f"{name} = {numbers(draw, shape, ', requires_grad=True')}")
        p.shapes[name] = shape
        p.leaves.append(name)
    p.new(VECTOR, f"act({p.of(VECTOR)})")
    steps: list[Callable[[Torch], None]] = draw.choices(
        [compute, change_in_place, hook, differentiate, train, state],
        [10, 2, 3, 3, 1, 2],
        k=draw.randint(6, 16),
    )
    for step in steps:
        step(p)
    differentiate(p)
    for name in p.leaves:
        p.write(f"grad_{name} = {name}.grad")
    p.write("grad_weight = lin.weight.grad")
    p.write("last = seen[-1] if seen else None")
    return "\n".join(p.lines) + "\n"


# JAX.

JAX_RULES = """import functools
@jax.custom_vjp
def clipped(x):
    return x * 1.0
clipped.defvjp(lambda x: (clipped(x), None), lambda res, g: (jnp.clip(g, -0.5, 0.5),))
@jax.custom_vjp
def safe_sqrt(x):
    return jnp.sqrt(x)
def safe_sqrt_fwd(x):
    s = jnp.sqrt(x)
    return s, (x, s)
def safe_sqrt_bwd(res, g):
    x, s = res
    return (jnp.where(x > 0, g / (2 * jnp.where(x > 0, s, 1.0)), 0.0),)
safe_sqrt.defvjp(safe_sqrt_fwd, safe_sqrt_bwd)
@jax.custom_jvp
def soft(x):
    return jnp.log1p(jnp.exp(x))
@soft.defjvp
def soft_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    return soft(x), jax.nn.sigmoid(x) * t * 0.5
@jax.custom_jvp
def scaled(x, y):
    return jnp.sin(x) * y
scaled.defjvps(lambda t, ans, x, y: 2.0 * t * y, lambda t, ans, x, y: t * ans)
@jax.custom_vjp
def implicit(a):
    return jnp.sqrt(a ** 2 + 1.0)
def implicit_fwd(a):
    y = implicit(a)
    return y, (a, y)
def implicit_bwd(res, g):
    a, y = res
    _, pull = jax.vjp(lambda a, y: y ** 2 - a ** 2 - 1.0, a, y)
    da, dy = pull(jnp.ones_like(y))
    return (-g * da / dy,)
implicit.defvjp(implicit_fwd, implicit_bwd)
@jax.custom_gradient
def doubled(x):
    out, pull = jax.vjp(jnp.tanh, x)
    return out, lambda g: pull(2.0 * g)
@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def steep(n, x):
    return x ** n
steep.defvjp(lambda n, x: (steep(n, x), x), lambda n, x, g: (n * x * g,))
@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def bent(x, k):
    return jnp.tanh(k * x)
@bent.defjvp
def bent_jvp(k, primals, tangents):
    out = bent(primals[0], k)
    return out, k * (1.0 - out ** 2) * tangents[0] + 0.1 * tangents[0]
@jax.custom_vjp
def weighed(p):
    return p["x"] * p["w"]
weighed.defvjp(
    lambda p: (weighed(p), p), lambda p, g: ({"x": g * p["w"], "w": 0.5 * g * p["x"]},)
)
@jax.custom_vjp
def straight(x):
    return jnp.round(x)
straight.defvjp(lambda x: (straight(x), None), lambda _, g: (g,))
"""

JAX_UNARY = (
    "jnp.sin({0})",
    "jnp.cos({0})",
    "jnp.tanh({0})",
    "jax.nn.sigmoid({0})",
    "jnp.exp({0} * 0.3)",
    "jax.nn.softplus({0})",
    "jax.nn.relu({0} + 0.05)",
    "{0} ** 2",
    "{0} * 0.5",
    "-{0}",
    "1.5 - {0}",
    "jnp.abs({0}) + 0.5",
    "jnp.log1p({0} ** 2)",
    "jax.nn.gelu({0})",
    "jnp.clip({0}, -1.1, 1.1)",
    "jnp.sqrt({0} * {0} + 1.0)",
    "jax.lax.stop_gradient({0})",
    "jnp.where({0} > 0.1, {0}, {0} * 0.3)",
    "jnp.arctan({0})",
    "clipped({0})",
    "safe_sqrt({0} ** 2 + 0.1)",
    "soft({0})",
    "implicit({0})",
    "doubled({0})",
    "jax.checkpoint(jnp.sin)({0})",
    "jax.jit(lambda t: t * jnp.cos(t))({0})",
    "jax.lax.cond(True, jnp.sin, jnp.cos, {0})",
    "jax.lax.fori_loop(0, 3, lambda i, t: jnp.sin(t) + 0.1 * i, {0})",
    "jax.lax.cond(jnp.sum({0}) > 0.2, jnp.sin, lambda t: t * 0.5, {0})",
    "jax.lax.switch(1, [jnp.sin, jnp.cos, jnp.tanh], {0})",
    "jax.lax.scan(lambda c, _: (jnp.tanh(c) + 0.1, None), {0}, None, length=2)[0]",
    "sum(jax.tree.leaves(jax.tree.map(lambda t: t * t, {{'b': {0}, 'a': [{0} * 0.5]}})))",
    "jax.jvp(jnp.sin, ({0},), ({0} * 0.5,))[1]",
    "jax.vjp(jnp.tanh, {0})[1]({0})[0]",
    "jax.grad(lambda t: jnp.sum(jnp.sin(t) * t))({0})",
    "jnp.select([{0} > 0.5, {0} > -0.5], [{0}, {0} ** 2], 0.1)",
    "jax.nn.silu({0})",
    "jax.nn.elu({0})",
    "jax.nn.log_sigmoid({0})",
    "jnp.expm1({0} * 0.2)",
    "jnp.sign({0}) * {0}",
    "jnp.round({0}) + {0}",
    "{0} * 0.9 ** jnp.arange(3)[1]",
    "jax.remat(lambda t: jnp.exp(-t ** 2))({0})",
    "jax.checkpoint(lambda t: jnp.sin(jnp.cos(t)), policy=jax.checkpoint_policies.dots_saveable)({0})",
    "jax.vmap(lambda s: s * {0}, out_axes=-1)(jnp.arange(2.0)).sum(-1)",
    "jax.vmap(lambda t: jax.lax.cond(t > 0.2, jnp.sin, lambda t: t ** 2, t))({0}.ravel()).reshape({0}.shape)",
    "jnp.where({0} > 0.2, jnp.sqrt(jnp.where({0} > 0.2, {0}, 1.0)), 0.0)",
    "jnp.stack([{0}, jnp.sin({0})], axis=-1).max(-1)",
    "jax.lax.stop_gradient(jnp.round({0}) - {0}) + {0}",
    "steep(3, {0})",
    "bent({0}, 1.5)",
    "straight({0} * 1.3)",
    "functools.partial(jnp.clip, max=0.9)({0})",
    "jnp.power({0} ** 2 + 0.1, 1.5)",
    "jnp.mod({0}, 0.7)",
)
JAX_BINARY = (
    "{0} + {1}",
    "{0} - {1}",
    "{0} * {1}",
    "{0} / ({1} ** 2 + 1.0)",
    "jnp.maximum({0}, {1} + 0.05)",
    "scaled({0}, {1})",
    "jnp.where({0} > {1}, {0}, {1} * 2.0)",
    "jnp.hypot({0}, {1} + 0.3)",
    "jnp.logaddexp({0}, {1})",
    "jnp.arctan2({0}, {1} ** 2 + 1.0)",
    "weighed({{'x': {0}, 'w': {1}}})",
    "jax.lax.select({0} > {1}, {0} * 0.5, {1})",
    "jax.lax.cond({0}.sum() > {1}.sum(), lambda a, b: a * b, lambda a, b: a - b, {0}, {1})",
    "jax.vjp(lambda a, b: jnp.sin(a) * b, {0}, {1})[1]({1})[0]",
    "jax.jvp(lambda a, b: jnp.sin(a) * b, ({0}, {1}), ({1}, {0}))[1]",
    "jax.vmap(lambda a, b: a * jnp.cos(b))({0}.reshape(-1), {1}.reshape(-1)).reshape({0}.shape)",
    "jax.grad(lambda t: jnp.sum((t * {1}) ** 2))({0})",
    "jax.lax.fori_loop(0, 2, lambda i, c: (c[1] * 0.5, c[0] + i), ({0}, {1}))[0]",
    "jnp.minimum({0}, {1} - 0.05)",
    "jnp.where(jnp.isfinite({0}), {0}, {1})",
)
JAX_FOLDS = {
    VECTOR: (
        ("jnp.sum({0})", NUMBER),
        ("jnp.mean({0})", NUMBER),
        ("jnp.cumsum({0})", VECTOR),
        ("{0}[::-1]", VECTOR),
        ("jnp.broadcast_to({0}, (2, 3))", MATRIX),
        ("jax.nn.softmax({0})", VECTOR),
        ("jnp.outer({0}[:2], {0})", MATRIX),
        ("{0}[1]", NUMBER),
        ("jax.nn.logsumexp({0})", NUMBER),
        ("{0}.at[0].set(0.5)", VECTOR),
        ("{0}.at[1:].multiply(2.0)", VECTOR),
        ("jnp.stack([{0}, {0} * 2.0])", MATRIX),
        ("jnp.linalg.norm({0} + 0.1)", NUMBER),
        ("jnp.roll({0}, 1)", VECTOR),
        ("jax.lax.scan(lambda c, t: (c * 0.5 + t, c + t), 0.1, {0})[1]", VECTOR),
        ("jax.vmap(lambda t: jnp.sin(t) * t)({0})", VECTOR),
        ("jnp.dot({0}, {0})", NUMBER),
        ("{0}[jnp.array([2, 0, 1])]", VECTOR),
        ("jnp.einsum('i,i', {0}, {0})", NUMBER),
        ("jnp.einsum('i,j->ij', {0}[:2], {0})", MATRIX),
        ("{0}.at[jnp.array([0, 2])].add({0}[:2])", VECTOR),
        ("{0}.at[{0}.argmax()].set(0.2)", VECTOR),
        ("{0}[jnp.argsort({0})]", VECTOR),
        ("jnp.sort({0})", VECTOR),
        ("jnp.take({0}, jnp.array([2, 0, 0]))", VECTOR),
        ("{0}[jnp.array([2, 7, -1])]", VECTOR),
        ("jax.lax.dynamic_slice({0}, (1,), (2,)) @ {0}[:2]", NUMBER),
        ("jax.lax.fori_loop(0, 3, lambda i, c: c * 0.5 + {0}[i], 0.1)", NUMBER),
        ("jax.lax.fori_loop(0, 3, lambda i, c: c.at[i].add({0}[2 - i]), {0})", VECTOR),
        ("jax.lax.map(lambda t: jnp.cos(t) + t, {0})", VECTOR),
        ("jax.lax.associative_scan(jnp.multiply, {0})", VECTOR),
        ("jax.lax.scan(lambda c, t: (c + jnp.sin(t), c * t), 0.5, {0}, reverse=True)[1]", VECTOR),
        ("jnp.prod({0})", NUMBER),
        ("jnp.max({0})", NUMBER),
        ("jnp.var({0})", NUMBER),
        ("jnp.diag({0})[:2]", MATRIX),
        ("jnp.tile({0}, (2, 1))", MATRIX),
        ("jnp.where(jnp.arange(3) < 2, {0}, 0.0)", VECTOR),
        ("-jax.nn.log_softmax({0})[1]", NUMBER),
        ("jnp.sum(jax.nn.one_hot(jnp.array([0, 2]), 3) * {0})", NUMBER),
        ("jax.vmap(lambda t, i: t * i)({0}, jnp.arange(3))", VECTOR),
        ("jax.vmap(lambda i: {0}[i] * {0})(jnp.array([0, 2]))", MATRIX),
        ("jax.vmap(lambda s: s * {0})(jnp.array([0.5, 2.0]))", MATRIX),
        ("jax.vmap(lambda i: {0}.at[i].set(0.3))(jnp.array([0, 2]))", MATRIX),
        ("jnp.linalg.norm({0}, ord=1)", NUMBER),
        ("jnp.pad({0}, (1, 0))[:3]", VECTOR),
        ("jnp.cumprod({0})", VECTOR),
        ("jnp.repeat({0}, 2).reshape(2, 3)", MATRIX),
        ("jax.jacfwd(lambda t: jnp.sin(t) * t[0])({0})[:2]", MATRIX),
        ("jax.hessian(lambda t: jnp.sum(t ** 3))({0})[0]", VECTOR),
        ("jax.jacrev(jnp.cumsum)({0})[1]", VECTOR),
    ),
    MATRIX: (
        ("jnp.einsum('ij,ij->j', {0}, {0})", VECTOR),
        ("jnp.einsum('ij->ji', {0})[:, 1]", VECTOR),
        ("jnp.trace({0}[:, :2])", NUMBER),
        ("{0}.at[0].set({0}[1] * 2.0)", MATRIX),
        ("{0}.at[:, 1].add(1.0)", MATRIX),
        ("{0}.at[:, jnp.array([0, 2])].set(0.5)", MATRIX),
        ("jnp.take_along_axis({0}, jnp.array([[2], [0]]), axis=1).sum()", NUMBER),
        ("{0}[jnp.arange(2), jnp.array([2, 0])].sum()", NUMBER),
        ("{0}[:, jnp.array([1, 1, 0])]", MATRIX),
        ("jax.vmap(jnp.cumsum)({0})", MATRIX),
        ("jax.vmap(jax.grad(lambda t: jnp.sum(jnp.sin(t) * t[0])))({0})", MATRIX),
        ("jax.vmap(lambda t: t * jnp.sum(t), in_axes=1, out_axes=1)({0})", MATRIX),
        ("jax.vmap(lambda t: jax.lax.cond(t[0] > 0, jnp.sin, lambda t: t * t[1], t))({0})", MATRIX),
        ("jax.vmap(lambda i, t: t[i] * t)(jnp.array([2, 0]), {0})", MATRIX),
        ("jax.vmap(implicit)({0})", MATRIX),
        ("jax.vmap(lambda t: weighed({{'x': t, 'w': t * 2.0}}))({0})", MATRIX),
        ("jax.vmap(jnp.dot, in_axes=(0, None))({0}, {0}[0]) @ {0}", VECTOR),
        ("jax.lax.scan(lambda c, t: (jnp.tanh(c + t), c), jnp.zeros(3), {0})[0]", VECTOR),
        ("jax.lax.scan(lambda c, t: (c * 0.5 + t, c * t), {0}[0], {0})[1]", MATRIX),
        ("jax.nn.logsumexp({0}, axis=0)", VECTOR),
        ("jnp.argmax({0}, axis=1).astype(float).sum() * jnp.sum({0})", NUMBER),
        ("jnp.var({0}, axis=0)", VECTOR),
        ("jnp.tensordot({0}, {0}, 2)", NUMBER),
        ("jnp.linalg.solve(jnp.eye(2) * 3.0 + {0} @ {0}.T, {0})", MATRIX),
        ("jnp.roll({0}, 1, axis=1)", MATRIX),
        ("jnp.split({0}, 2)[1][0]", VECTOR),
        ("jnp.sum({0}, axis=0)", VECTOR),
        ("{0}[1]", VECTOR),
        ("jnp.mean({0}, axis=0)", VECTOR),
        ("{0}.T[:, 0]", VECTOR),
        ("jax.nn.softmax({0}, axis=1)", MATRIX),
        ("{0}.reshape(-1)[1:4]", VECTOR),
        ("jnp.max({0}, axis=0)", VECTOR),
        ("{0} - jnp.mean({0}, axis=1, keepdims=True)", MATRIX),
        ("jnp.sum({0})", NUMBER),
        ("{0}.reshape(3, 2).T", MATRIX),
        ("jax.vmap(jnp.sum)({0}) @ {0}", VECTOR),
        ("{0} @ jnp.array([1.0, -0.5, 2.0]) @ {0}", VECTOR),
    ),
    NUMBER: (("{0} * jnp.ones(3)", VECTOR), ("jnp.full(3, {0})", VECTOR), ("{0} * 2.0", NUMBER)),
}


def jax_lines(draw: random.Random, shapes: dict[str, tuple[int, ...]], count: int, stem: str) -> list[str]:
    """Lines that compute something of names with shapes, which get those of the results too."""
    lines = []
    for i in range(count):
        recent = list(shapes)[-3:] if draw.random() < 0.7 else list(shapes)
        name = draw.choice(recent)
        shape = shapes[name]
        what = draw.random()
        if what < 0.45:
            text, made = draw.choice(JAX_UNARY).format(name), shape
        elif what < 0.7:
            others = [other for other, own in shapes.items() if own == shape]
            text, made = draw.choice(JAX_BINARY).format(name, draw.choice(others)), shape
        else:
            text, made = draw.choice(JAX_FOLDS[shape])
            text = text.format(name)
        new = f"{stem}{i}"
        lines.append(f"{new} = {text}")
        shapes[new] = made
    return lines


def jax_function(draw: random.Random, name: str, more: int = 0) -> list[str]:
    """A function of x and w that returns a number, or a vector with its name ending in v."""
    shapes: dict[str, tuple[int, ...]] = {"x": VECTOR, "w": VECTOR}
    lines = [f"def {name}(x, w):"] + [
        f"    {line}" for line in jax_lines(draw, shapes, draw.randint(2, 6) + more, "h")
    ]
    last, shape = list(shapes.items())[-1]
    total = last if shape == NUMBER else f"jnp.sum({last} * {draw.choice(['0.5', last, '1.5'])})"
    if name.endswith("v"):
        vectors = [one for one, own in shapes.items() if own == VECTOR]
        return [*lines, f"    return {vectors[-1]} * 1.5 + jnp.sin(x)"]
    return [*lines, f"    return {total} + 0.1 * jnp.sum(x * w)"]


JAX_ASKED = (
    "y{i} = jax.grad({f})(x0, w0)",
    "y{i}, z{i} = jax.grad({f}, argnums=(0, 1))(x0, w0)",
    "y{i}, z{i} = jax.value_and_grad({f})(x0, w0)",
    "y{i} = jax.grad(lambda x: jnp.sum(jax.grad({f})(x, w0) ** 2))(x0)",
    "y{i} = jax.jacrev({f}v)(x0, w0)",
    "y{i} = jax.jacfwd({f}v, argnums=1)(x0, w0)",
    "y{i}, z{i} = jax.jvp({f}v, (x0, w0), (w0, x0))",
    "y{i}, back{i} = jax.vjp({f}v, x0, w0)\nz{i}, u{i} = back{i}(w0)",
    "y{i} = jax.hessian({f})(x0, w0)",
    "y{i} = jax.jvp(jax.grad({f}), (x0, w0), (w0, x0))[1]",
    "y{i} = jax.vmap(jax.grad({f}), in_axes=(0, None))(X0, w0)",
    "y{i} = jax.vmap({f}v, in_axes=(0, None))(X0, w0)",
    "y{i} = jax.jit(jax.grad({f}))(x0, w0)",
    "y{i} = jax.grad(jax.checkpoint({f}))(x0, w0)",
    "y{i} = jax.grad(lambda w: jnp.sum(jax.vmap(lambda x: {f}(x, w))(X0)))(w0)",
    "y{i} = jax.grad(lambda x: jnp.dot(jax.vjp({f}v, x, w0)[1](w0)[0], x))(x0)",
    "y{i} = jax.lax.scan(lambda c, _: (c - 0.1 * jax.grad({f})(c, w0), {f}(c, w0)), x0, None, length=3)[1]",
    "y{i} = jax.grad(lambda x: {f}(x - 0.1 * jax.grad({f})(x, w0), w0))(x0)",
    "y{i} = {f}(x0, w0)",
    "y{i} = jax.linearize(lambda x: {f}v(x, w0), x0)[1](w0)",
    "y{i} = jax.vmap(lambda v: jax.jvp(lambda x: {f}v(x, w0), (x0,), (v,))[1])(jnp.eye(3))",
    "y{i} = jax.vmap(jax.vjp(lambda x: {f}v(x, w0), x0)[1])(jnp.eye(3))[0]",
    "p{i} = {{'a': x0, 'b': [w0]}}\ny{i} = jax.grad(lambda p: {f}(p['a'], p['b'][0]))(p{i})['b'][0]",
    "(y{i}, z{i}), u{i} = jax.value_and_grad(lambda x: ({f}(x, w0), {f}v(x, w0)), has_aux=True)(x0)",
    "y{i} = jax.lax.fori_loop(0, 2, lambda k, x: x - 0.05 * jax.grad({f})(x, w0), x0)",
    "y{i} = jax.jacfwd(jax.grad({f}))(x0, w0)",
    "y{i} = jax.jacrev(jax.grad({f}), argnums=1)(x0, w0)",
    "y{i} = jax.vmap({f}, in_axes=(0, 0))(X0, X0[::-1])",
    "y{i} = jax.jvp(lambda x: jax.lax.while_loop(lambda s: s[0] < 2, "
    "lambda s: (s[0] + 1, {f}v(s[1], w0) * 0.3), (0, x))[1], (x0,), (w0,))[1]",
    "y{i} = jax.grad(jax.grad(lambda t: {f}(x0 + t * w0, w0)))(0.1)",
    "y{i} = jax.lax.scan(lambda c, x: (c + {f}(x, w0), {f}v(x, c * w0)), 0.1, X0)[1]",
    "y{i} = jax.grad(lambda w: jax.lax.scan(lambda c, x: (c * 0.5 + {f}(x, w), None), 0.0, X0)[0])(w0)",
    "y{i} = jax.vmap(jax.hessian({f}), in_axes=(0, None))(X0, w0)",
    "y{i} = jax.grad(lambda x: jnp.sum(jax.jacrev(lambda z: {f}v(z, w0))(x) ** 2))(x0)",
    "for k in range(2):\n    x0 = x0 - 0.1 * jax.grad({f})(x0, w0)\ny{i} = x0",
    "y{i} = jax.vmap(lambda k: {f}(x0 + 0.1 * jax.random.normal(k, (3,)), w0))("
    "jax.random.split(jax.random.PRNGKey(1), 2))",
    "y{i} = jax.vmap(jax.vmap({f}, (None, 0)), (0, None))(X0, X0)",
)


def jax_program(seed: int) -> str:
    """A program of JAX."""
    draw = random.Random(seed)
    lines = ["import jax", "import jax.numpy as jnp", *JAX_RULES.splitlines()]

    def array(shape: tuple[int, ...]) -> str:
        return numbers(draw, shape).replace("torch.tensor", "jnp.array")

    lines += [f"x0 = {array(VECTOR)}", f"w0 = {array(VECTOR)}", f"X0 = {array(MATRIX)}"]
    for k in range(draw.randint(1, 2)):
        lines += jax_function(draw, f"f{k}") + jax_function(draw, f"f{k}v")
        for i in range(draw.randint(1, 3)):
            lines += draw.choice(JAX_ASKED).format(i=f"{k}{i}", f=f"f{k}").split("\n")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print({"torch": torch_program, "jax": jax_program}[sys.argv[1]](int(sys.argv[2])))
