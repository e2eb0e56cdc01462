"""Write programs of JAX at random as people write them: trees of parameters, optimisers, steps, loops.

    python -m tests.reading.training_programs 7     shows the program of seed 7

What a program computes has names that begin with y, as in `programs.jax_program`.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

from tests.reading.programs import JAX_RULES

BEGIN = """from functools import partial
from typing import Any, Callable, NamedTuple
import jax
import jax.numpy as jnp
from jax import lax, grad, jit, vmap
import jax.random as jr
from jax.flatten_util import ravel_pytree
"""

Draw = random.Random
PIECES: dict[str, list[str]] = {}
for _piece in (Path(__file__).parent / "training_pieces.txt").read_text("utf-8").split("#: ")[1:]:
    _kind, _, _text = _piece.partition("\n")
    PIECES.setdefault(_kind, []).append(_text.rstrip("\n"))
"""Losses, penalties, optimisers, loops and what is asked, as the file beside this one has them."""

IN, HIDDEN, OUT, BATCH = 3, 4, 2, 5

ACTIVATIONS = (
    "jnp.tanh", "jax.nn.relu", "jax.nn.gelu", "jax.nn.sigmoid", "jax.nn.softplus", "jax.nn.silu", "jnp.sin",
    "jax.nn.elu", "clipped", "soft", "implicit", "doubled", "jax.checkpoint(jnp.tanh)", "jit(jnp.tanh)",
    "(lambda t: jnp.where(t > 0, t, 0.1 * t))", "vmap(jnp.tanh)", "(lambda t: scaled(t, t))",
    "(lambda t: lax.stop_gradient(jnp.round(t) - t) + t)", "(lambda t: safe_sqrt(t ** 2 + 0.1))",
    "partial(jax.nn.leaky_relu, negative_slope=0.2)", "(lambda t: t * jax.nn.sigmoid(1.702 * t))",
)  # fmt: skip


def array(draw: Draw, shape: tuple[int, ...]) -> str:
    """The text of an array of short numbers."""

    def nested(shape: tuple[int, ...]) -> Any:
        if shape:
            return [nested(shape[1:]) for _ in range(shape[0])]
        return draw.choice([-1.25, -1, -0.75, -0.5, -0.25, 0.1, 0.25, 0.4, 0.5, 0.8, 1, 1.3]) * 1.0

    return f"jnp.array({nested(shape)})"


def model(draw: Draw) -> tuple[list[str], list[str]]:
    """The lines of `params` and `predict(params, x)`, and how some of its leaves are written."""
    w1, b1 = array(draw, (IN, HIDDEN)), array(draw, (HIDDEN,))
    w2, b2 = array(draw, (HIDDEN, OUT)), array(draw, (OUT,))
    act, act2 = draw.choice(ACTIVATIONS), draw.choice(ACTIVATIONS)
    form = draw.choice(["dict", "list", "nested", "named", "layers", "attention", "rnn", "norm", "einsum"])
    if form == "dict":
        return (
            [
                f"params = {{'w1': {w1}, 'b1': {b1}, 'w2': {w2}, 'b2': {b2}}}",
                "def predict(params, x):",
                f"    h = {act}(x @ params['w1'] + params['b1'])",
                "    return h @ params['w2'] + params['b2']",
            ],
            ["params['w1']", "params['b2']"],
        )
    if form == "list":
        return (
            [
                f"params = [({w1}, {b1}), ({w2}, {b2})]",
                "def predict(params, x):",
                "    *hidden, last = params",
                "    for w, b in hidden:",
                f"        x = {act}(jnp.dot(x, w) + b)",
                "    w, b = last",
                "    return jnp.dot(x, w) + b",
            ],
            ["params[0][0]", "params[1][1]"],
        )
    if form == "nested":
        return (
            [
                f"params = {{'first': {{'w': {w1}, 'b': {b1}}},",
                f"          'last': {{'w': {w2}, 'b': {b2}}}, 'scale': 0.7}}",
                "def dense(p, x):",
                "    return x @ p['w'] + p['b']",
                "def predict(params, x):",
                f"    h = params['scale'] * {act}(dense(params['first'], x))",
                f"    return {act2}(dense(params['last'], h))",
            ],
            ["params['first']['w']", "params['last']['b']", "params['scale']"],
        )
    if form == "named":
        return (
            [
                "class Params(NamedTuple):",
                "    w: Any",
                "    b: Any",
                "    v: Any",
                f"params = Params(w={w1}, b={b1}, v={w2})",
                "def predict(params: Params, x):",
                f"    h = {act}(jnp.einsum('...i,ij->...j', x, params.w) + params.b)",
                "    return h @ params.v",
            ],
            ["params.w", "params.b", "params.v"],
        )
    if form == "layers":
        loop = draw.choice(
            [
                "turn = lambda h, one: (h + {act}(h @ one['w'] + one['b']), None)\n"
                "    h, _ = lax.scan(turn, x, params['layers'])",
                "h, p = x, params['layers']\n"
                "    for i in range(2):\n        h = h + {act}(h @ p['w'][i] + p['b'][i])",
                "p = params['layers']\n"
                "    h = lax.fori_loop(0, 2, lambda i, h: h + {act}(h @ p['w'][i] + p['b'][i]), x)",
                "turn = lambda h, one: (h * 0.5 + {act}(h @ one['w'] + one['b']), jnp.sum(h))\n"
                "    h, sums = lax.scan(jax.checkpoint(turn), x, params['layers'])\n"
                "    h = h + 0.01 * sums[-1]",
            ]
        ).format(act=act)
        return (
            [
                f"params = {{'layers': {{'w': {array(draw, (2, IN, IN))}, 'b': {array(draw, (2, IN))}}}, "
                f"'out': {array(draw, (IN, OUT))}}}",
                "def predict(params, x):",
                *f"    {loop}".split("\n"),
                "    return h @ params['out']",
            ],
            ["params['layers']['w']", "params['out']"],
        )
    if form == "attention":
        return (
            [
                f"params = {{'q': {array(draw, (IN, HIDDEN))}, 'k': {array(draw, (IN, HIDDEN))}, "
                f"'v': {array(draw, (IN, OUT))}}}",
                "def predict(params, x):",
                "    q, k, v = x @ params['q'], x @ params['k'], x @ params['v']",
                "    scores = q @ k.T / jnp.sqrt(q.shape[-1])",
                "    mask = jnp.tril(jnp.ones((x.shape[0], x.shape[0]), bool))",
                f"    scores = jnp.where(mask, scores, {draw.choice(['-jnp.inf', '-1e9'])})",
                "    return jax.nn.softmax(scores, axis=-1) @ v",
            ],
            ["params['q']", "params['v']"],
        )
    if form == "rnn":
        reverse = draw.choice(["", ", reverse=True"])
        return (
            [
                f"params = {{'wx': {array(draw, (IN, HIDDEN))}, 'wh': {array(draw, (HIDDEN, HIDDEN))}, "
                f"'wo': {w2}, 'h0': {b1}}}",
                "def cell(params, h, x):",
                f"    h = {draw.choice(['jnp.tanh', 'jax.nn.sigmoid', 'clipped'])}"
                "(x @ params['wx'] + h @ params['wh'])",
                "    return h, h @ params['wo']",
                "def predict(params, xs):",
                f"    h, ys = lax.scan(partial(cell, params), params['h0'], xs{reverse})",
                "    return ys + 0.1 * h[:2]",
            ],
            ["params['wh']", "params['h0']"],
        )
    if form == "norm":
        return (
            [
                f"params = dict(w={w1}, g={b1}, v={w2})",
                "def norm(x, g, eps=1e-5):",
                "    mean = x.mean(-1, keepdims=True)",
                "    var = "
                + draw.choice(["x.var(-1, keepdims=True)", "jnp.square(x - mean).mean(-1, keepdims=True)"]),
                "    return g * (x - mean) / jnp.sqrt(var + eps)",
                "def predict(params, x):",
                f"    h = norm({act}(x @ params['w']), params['g'])",
                "    return h @ params['v']",
            ],
            ["params['w']", "params['g']"],
        )
    return (
        [
            f"params = ({array(draw, (OUT, IN, HIDDEN))}, {array(draw, (HIDDEN,))})",
            "def predict(params, x):",
            "    w, v = params",
            f"    return jnp.einsum('bi,oij,j->bo', x, w, {act}(v))",
        ],
        ["params[0]", "params[1]"],
    )


def loss(draw: Draw) -> list[str]:
    """The lines of `loss(params, x, y)`."""
    lines = ["def loss(params, x, y):"]
    apply = draw.choice(
        [
            "predict(params, x)",
            "predict(params, x)",
            "jax.checkpoint(predict)(params, x)",
            "jit(predict)(params, x)",
        ]
    )
    return [
        *lines,
        f"    out = {apply}",
        f"    return {draw.choice(PIECES['losses'])}{draw.choice(PIECES['penalties'])}",
    ]


def training_program(seed: int) -> str:
    """A program that trains a model, or asks for derivatives of it."""
    draw = random.Random(seed)
    lines, leaves = model(draw)
    text = BEGIN + JAX_RULES + "\n".join([*lines, *loss(draw), ""])
    text += f"xs = {array(draw, (BATCH, IN))}\nys = {array(draw, (BATCH, OUT))}\n"
    text += f"labels = jnp.array({[draw.randrange(OUT) for _ in range(BATCH)]})\n"
    if draw.random() < 0.6:
        nesterov, jit = draw.choice(["", ", nesterov=True"]), draw.choice(["@jax.jit\n", "", "@jit\n"])
        text += draw.choice(PIECES["optimizers"]).replace("{nesterov}", nesterov) + "\n"
        text += draw.choice(PIECES["loops"]).format(n=draw.randint(1, 3), jit=jit) + "\n"
        text += "".join(f"y_leaf{i} = {leaf}\n" for i, leaf in enumerate(leaves))
    for one in draw.sample(PIECES["asked"], draw.randint(1, 2)):
        text += one.replace("{k}", str(draw.randrange(3))) + "\n"
    return text


if __name__ == "__main__":
    print(training_program(int(sys.argv[1])))
