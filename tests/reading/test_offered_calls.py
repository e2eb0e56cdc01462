"""Test that a module which is only defined gets a call that fits; PyTorch has run each of these calls."""

from __future__ import annotations

import pytest

from autodiff_viz.lab.code import read_whole
from autodiff_viz.reading.offered_calls import calls, size_for

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n"
SWIGLU = """class SwiGLU(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.w1, self.w2 = nn.Linear(dim, hidden), nn.Linear(dim, hidden)

    def forward(self, x):
        return F.silu(self.w1(x)) * self.w2(x)
"""
ATTENTION = """class Attention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0):
        super().__init__()
        self.heads = num_heads
        self.qkv = nn.Linear(embed_dim, 3 * embed_dim)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k, v = (z.view(b, t, self.heads, c // self.heads).transpose(1, 2) for z in (q, k, v))
        scores = (q @ k.transpose(-2, -1)).softmax(-1)
        return (scores @ v).transpose(1, 2).reshape(b, t, c), scores
"""
CONVOLUTION = """class Block(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, 3, padding=1)

    def forward(self, x):
        return torch.relu(self.conv(x))
"""
EMBEDDING = """class Table(nn.Module):
    def __init__(self, vocab_size, dim):
        super().__init__()
        self.table = nn.Embedding(vocab_size, dim)

    def forward(self, idx):
        return self.table(idx)
"""


@pytest.mark.parametrize(
    ("text", "call"),
    [
        (SWIGLU, "SwiGLU(4, 8)(torch.randn(2, 4)).sum().backward()"),
        (ATTENTION, "Attention(4, 2)(torch.randn(1, 3, 4))[0].sum().backward()"),
        (CONVOLUTION, "Block(4, 4)(torch.randn(1, 4, 5, 5)).sum().backward()"),
        (EMBEDDING, "Table(10, 4)(torch.tensor([[1, 2, 0]])).sum().backward()"),
    ],
)
def test_the_correction_makes_code_that_is_read(text, call):
    (problem,) = read_whole(HEAD + text).refused
    assert problem.correction.text == f"\n\ntorch.manual_seed(0)\n{call}\n"
    lines = (HEAD + text).split("\n")
    assert problem.correction[1:5] == (len(lines), len(lines[-1])) * 2  # at the end
    whole = read_whole(HEAD + text + problem.correction.text)
    assert whole.refused == ()
    assert whole.graph.nodes


def test_torch_is_imported_where_the_text_does_not():
    assert next(calls("from torch import nn\n" + SWIGLU)).startswith("import torch\n")


@pytest.mark.parametrize(
    "text",
    [
        "class Value:\n    def __init__(self, data):\n        self.data = data\n",  # no module
        HEAD + SWIGLU.replace("(self, x)", "(self, *, x)"),  # its call needs names
        HEAD + SWIGLU.replace("(x))", "(x.missing()))"),  # no call of it is read
    ],
)
def test_no_call_is_offered_that_does_not_fit(text):
    (problem,) = read_whole(text).refused
    assert problem.correction is None


def test_a_size_follows_from_a_word_of_the_name():
    assert [size_for(name) for name in ("num_heads", "hidden_dim", "n_classes", "width")] == [
        "2",
        "8",
        "3",
        "4",
    ]
