"""Write a small group of layers as formula text, with parameters of the shapes that fit what it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from math import sqrt
from typing import Any

from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.ops.learned import CHANNELS, SIDE, UNITS
from autodiff_viz.ops.misfits import Shape

CLASSES = 10
"""Rows of a new table."""


@dataclass(slots=True)
class Writer:
    """Writer of the lines of a group.

    Attributes:
      shape: of the value that the group reads.
      seeds: of the parameters that it draws.
    """

    shape: Shape
    seeds: Iterator[int]

    @property
    def width(self) -> int:
        """The number of features: the length of the last axis."""
        return self.shape[-1]

    def drawn(self, name: str, *shape: int, init: str = "") -> str:
        """Return the line of a parameter with an initializer: by default the usual one of its shape."""
        given = f'init="{init}", ' if init else ""
        return f"{name} = parameter(shape={shape}, {given}seed={next(self.seeds)})"

    def dense(self, name: str, x: str, number: int, rows: int, columns: int, around: str = "{}") -> list[str]:
        """Return the lines of a dense layer, with a function around it."""
        w, b = f"w_{number}", f"b_{number}"
        layer = around.format(f"dense({x}, {w}, {b})")
        return [self.drawn(w, rows, columns), self.drawn(b, columns), f"{name} = {layer}"]

    def norm(self, name: str, x: str, number: int) -> list[str]:
        """Return the lines of a layer normalization."""
        scale, bias = f"scale_{number}", f"bias_{number}"
        drawn = [self.drawn(scale, self.width, init="ones"), self.drawn(bias, self.width)]
        return [*drawn, f"{name} = layer_norm({x}, {scale}, {bias})"]

    def attention(self, name: str, x: str) -> list[str]:
        """Return the lines of self-attention with one head."""
        # The last two axes are exchanged: [..., rows, features] becomes [..., features, rows].
        axes = (*range(len(self.shape) - 2), len(self.shape) - 1, len(self.shape) - 2)
        names = {"query": "w_q", "key": "w_k", "value": "w_v"}
        lines = [self.drawn(w, self.width, self.width) for w in names.values()]
        lines += [f"{each} = {x} @ {w}" for each, w in names.items()]
        scores = f"query @ transpose(key, axes={axes})"
        return [
            *lines,
            f"weights = softmax({scores} * {1 / sqrt(self.width)!r})",
            f"{name} = weights @ value",
        ]


def _mlp(x: str, writer: Writer) -> list[str]:
    first = writer.dense("hidden", x, 1, writer.width, UNITS, "relu({})")
    return [*first, *writer.dense("mlp", "hidden", 2, UNITS, UNITS)]


def _residual(x: str, writer: Writer) -> list[str]:
    width = writer.width
    # Both layers keep the width, so that their result can be added to x.
    first = writer.dense("hidden", x, 1, width, width, "relu({})")
    return [*first, *writer.dense("residual", "hidden", 2, width, width, f"{x} + {{}}")]


def _attention(x: str, writer: Writer) -> list[str]:
    return writer.attention("attention", x)


def _transformer(x: str, writer: Writer) -> list[str]:
    width = writer.width
    attended = [*writer.norm("normed_1", x, 1), *writer.attention("attended", "normed_1")]
    normed = [f"joined = {x} + attended", *writer.norm("normed_2", "joined", 2)]
    hidden = writer.dense("hidden", "normed_2", 1, width, 2 * width, "gelu({})")
    out = writer.dense("transformer", "hidden", 2, 2 * width, width, "joined + {}")
    return [*attended, *normed, *hidden, *out]


def _conv(x: str, writer: Writer) -> list[str]:
    _, height, width, channels = writer.shape
    layer = f'relu(conv2d({x}, kernel, b_1, padding="SAME"))'
    if min(height, width) >= 2:  # an image of one row or column has no window of 2 by 2
        layer = f"max_pool({layer}, window=2)"
    drawn = [writer.drawn("kernel", SIDE, SIDE, channels, CHANNELS), writer.drawn("b_1", CHANNELS)]
    return [*drawn, f"conv_block = {layer}"]


def _embedding(x: str, writer: Writer) -> list[str]:
    table = writer.drawn("table", CLASSES, UNITS, init="lecun_normal")
    return [table, f"embedding = one_hot({x}, num_classes={CLASSES}) @ table"]


@dataclass(frozen=True, slots=True)
class Block:
    """A group of layers that can be added at once.

    Attributes:
      symbol: on its tile in the palette.
      doc: what it is.
      formula: it in short.
      aliases: other words that find it.
      ranks: least and greatest number of axes of what it reads.
      reads: what that must be, in words.
      example: an input to begin with.
      write: returns its lines, of which the last one has its value.
    """

    symbol: str
    doc: str
    formula: str
    aliases: tuple[str, ...]
    ranks: tuple[int, int]
    reads: str
    example: str
    write: Callable[[str, Writer], list[str]]


_ROWS = "input(shape=(4, 2), seed=0)"
_WORDS = "input(shape=(4, 8), seed=0)"

BLOCKS: Mapping[str, Block] = {
    "mlp": Block(
        "MLP", f"A multilayer perceptron: two dense layers, relu between them, {UNITS} outputs.",
        "dense(relu(dense(x)))", ("block", "network", "multilayer perceptron", "feed forward", "ffn"),
        (1, 5), "a vector or rows of features", _ROWS, _mlp,
    ),
    "residual": Block(
        "x+f", "Two dense layers whose result is added to what they read: a residual block.",
        "x + dense(relu(dense(x)))", ("block", "residual block", "resnet", "skip connection"),
        (1, 5), "a vector or rows of features", _ROWS, _residual,
    ),
    "attention": Block(
        "QKᵀ", "Self-attention with one head: each row is a mixture of the values of all rows.",
        "softmax(q @ kᵀ / √d) @ v", ("block", "self attention", "query", "head"),
        (2, 5), "rows of features", _WORDS, _attention,
    ),
    "transformer": Block(
        "TF", "Attention and two dense layers, each normalized first and added to what it reads.",
        "x + attention(norm(x)) + ...", ("block", "transformer block", "encoder", "gpt", "bert"),
        (2, 5), "rows of features", _WORDS, _transformer,
    ),
    "conv_block": Block(
        "conv", f"A convolution to {CHANNELS} channels with relu, then the largest of each 2 by 2 pixels.",
        "max_pool(relu(conv2d(x)))", ("block", "cnn", "convolution block"),
        (4, 4), "images: [batch, height, width, channels]", "input(shape=(2, 8, 8, 1), seed=0)", _conv,
    ),
    "embedding": Block(
        "emb", f"A row of a table for each whole number from 0 to {CLASSES - 1}; the table is learned.",
        "one_hot(x) @ table", ("embed", "lookup", "table", "tokens"),
        (0, 4), "whole numbers", "[0.0, 3.0, 7.0]", _embedding,
    ),
}  # fmt: skip
"""By name."""


def block_text(name: str, x: str, shape: Shape, seed: int) -> str:
    """Write the group of layers `name` that reads the node `x`.

    Args:
      shape: of the node's value.
      seed: of the first parameter; each further one has the next.
    Raises:
      GraphError: it cannot read a value of this shape.
    """
    block, before = BLOCKS[name], []
    low, high = block.ranks
    if not shape and low == 1:  # a number is read as one row of one feature
        before, x, shape = [f"row = reshape({x}, (1, 1))"], "row", (1, 1)
    if not low <= len(shape) <= high:
        message = f"{name} reads {block.reads}; this has shape {shape}."
        hint = f"Add it from another node, or with an input of its own: {block.example}."
        raise GraphError(Problem("block-shape", message, hint))
    lines = [*before, *block.write(x, Writer(shape, count(seed)))]
    return "\n".join([f'with group("{name.replace("_", " ")}"):', *(f"    {line}" for line in lines)])


def block_entries() -> dict[str, Any]:
    """Return the groups of layers as a group of the palette."""
    entries = [
        {
            "op": name,
            "symbol": block.symbol,
            "slots": ["x"],
            "doc": block.doc,
            "formula": block.formula,
            "aliases": list(block.aliases),
            "fits": "any",
            "block": True,
        }
        for name, block in BLOCKS.items()
    ]
    return {"group": "Groups of layers", "ops": entries}
