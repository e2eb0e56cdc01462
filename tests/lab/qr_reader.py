"""Read QR codes by the standard alone: format, mask, blocks, error correction, bytes.

ISO/IEC 18004, of versions 1 to 10 and in byte mode. It shares nothing with what writes the codes: where one
module were wrong, a syndrome of Reed and Solomon would not be zero.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

LEVELS = {0b01: "L", 0b00: "M", 0b11: "Q", 0b10: "H"}
FORMAT = 0b101010000010010
"""What format bits are combined with by exclusive or."""

ALIGNED = {1: [], 2: [6, 18], 3: [6, 22], 4: [6, 26], 5: [6, 30], 6: [6, 34]} | {
    7: [6, 22, 38], 8: [6, 24, 42], 9: [6, 26, 46], 10: [6, 28, 50], 11: [6, 30, 54],
}  # fmt: skip
"""Rows and columns of the middles of alignment patterns, by version: table E.1."""

BLOCKS = {
    1: {"L": (7, [19]), "M": (10, [16]), "Q": (13, [13]), "H": (17, [9])},
    2: {"L": (10, [34]), "M": (16, [28]), "Q": (22, [22]), "H": (28, [16])},
    3: {"L": (15, [55]), "M": (26, [44]), "Q": (18, [17] * 2), "H": (22, [13] * 2)},
    4: {"L": (20, [80]), "M": (18, [32] * 2), "Q": (26, [24] * 2), "H": (16, [9] * 4)},
    5: {
        "L": (26, [108]),
        "M": (24, [43] * 2),
        "Q": (18, [15] * 2 + [16] * 2),
        "H": (22, [11] * 2 + [12] * 2),
    },
    6: {"L": (18, [68] * 2), "M": (16, [27] * 4), "Q": (24, [19] * 4), "H": (28, [15] * 4)},
    7: {"L": (20, [78] * 2), "M": (18, [31] * 4), "Q": (18, [14] * 2 + [15] * 4), "H": (26, [13] * 4 + [14])},
    8: {
        "L": (24, [97] * 2),
        "M": (22, [38] * 2 + [39] * 2),
        "Q": (22, [18] * 4 + [19] * 2),
        "H": (26, [14] * 4 + [15] * 2),
    },
    9: {
        "L": (30, [116] * 2),
        "M": (22, [36] * 3 + [37] * 2),
        "Q": (20, [16] * 4 + [17] * 4),
        "H": (24, [12] * 4 + [13] * 4),
    },
    10: {
        "L": (18, [68] * 2 + [69] * 2),
        "M": (26, [43] * 4 + [44]),
        "Q": (24, [19] * 6 + [20] * 2),
        "H": (28, [15] * 6 + [16] * 2),
    },
    11: {
        "L": (20, [81] * 4),
        "M": (30, [50] + [51] * 4),
        "Q": (28, [22] * 4 + [23] * 4),
        "H": (24, [12] * 3 + [13] * 8),
    },
}
"""Codewords of error correction in each block, and the data codewords of the blocks: table 9."""

MASKS = (
    lambda r, c: (r + c) % 2,
    lambda r, c: r % 2,
    lambda r, c: c % 3,
    lambda r, c: (r + c) % 3,
    lambda r, c: (r // 2 + c // 3) % 2,
    lambda r, c: r * c % 2 + r * c % 3,
    lambda r, c: (r * c % 2 + r * c % 3) % 2,
    lambda r, c: ((r + c) % 2 + r * c % 3) % 2,
)
"""Data modules are turned over where this is 0: table 10."""


def modules_of(path: str, size: int) -> list[list[int]]:
    """The dark modules of a drawing, as `lab/share.py` makes it, without a margin of four modules."""
    rows = [[0] * size for _ in range(size)]
    for x, y, width in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\d+z", path):
        rows[int(y)][int(x) : int(x) + int(width)] = [1] * int(width)
    assert not any(any(row[:4]) or any(row[-4:]) for row in rows), "the margin is quiet"
    assert not any(map(any, [*rows[:4], *rows[-4:]])), "the margin is quiet"
    return [row[4:-4] for row in rows[4:-4]]


def text_of(modules: list[list[int]]) -> str:
    """The text of a code."""
    size = len(modules)
    version = (size - 17) // 4
    places = [(8, c) for c in (0, 1, 2, 3, 4, 5, 7, 8)] + [(r, 8) for r in (7, 5, 4, 3, 2, 1, 0)]
    bits = int("".join(str(modules[r][c]) for r, c in places), 2) ^ FORMAT
    level, mask = LEVELS[bits >> 13], MASKS[bits >> 10 & 7]
    stream = [modules[r][c] ^ (mask(r, c) == 0) for r, c in data_places(size, version)]
    words = [int("".join(map(str, stream[i : i + 8])), 2) for i in range(0, len(stream) - 7, 8)]
    correction, lengths = BLOCKS[version][level]
    words = iter(words)
    blocks: list[list[int]] = [[] for _ in lengths]
    for i in range(max(lengths)):
        for block, length in zip(blocks, lengths, strict=True):
            if i < length:
                block.append(next(words))
    data = [word for block in blocks for word in block]
    for _ in range(correction):
        for block in blocks:
            block.append(next(words))
    assert [one for block in blocks for one in syndromes(block, correction) if one] == []
    return bytes_in("".join(f"{word:08b}" for word in data), 8 if version < 10 else 16)


def data_places(size: int, version: int) -> Iterator[tuple[int, int]]:
    """Row and column of the modules that hold data, in their order: pairs of columns, up and down."""
    middles = [(r, c) for r in ALIGNED[version] for c in ALIGNED[version]]
    corners = [(6, 6), (6, size - 7), (size - 7, 6)]
    taken = {(r, c) for r in range(9) for c in range(9)}
    taken |= {(r, c) for r in range(9) for c in range(size - 8, size)}
    taken |= {(r, c) for r in range(size - 8, size) for c in range(9)}
    taken |= {(6, i) for i in range(size)} | {(i, 6) for i in range(size)}
    around = range(-2, 3)
    taken |= {(r + i, c + j) for r, c in middles if (r, c) not in corners for i in around for j in around}
    if version >= 7:
        taken |= {(r, c) for r in range(6) for c in range(size - 11, size - 8)}
        taken |= {(r, c) for r in range(size - 11, size - 8) for c in range(6)}
    up = True
    for right in [*range(size - 1, 6, -2), 5, 3, 1]:
        for r in range(size - 1, -1, -1) if up else range(size):
            for c in (right, right - 1):
                if (r, c) not in taken:
                    yield r, c
        up = not up


def syndromes(block: list[int], correction: int) -> list[int]:
    """The block as a polynomial over GF(256), at the first powers of 2: all zero, if nothing is wrong."""
    powers, power = [], 1
    for _ in range(correction):
        value = 0
        for word in block:
            value = times(value, power) ^ word
        powers.append(value)
        power = times(power, 2)
    return powers


def times(a: int, b: int) -> int:
    """Multiply modulo x^8 + x^4 + x^3 + x^2 + 1."""
    product = 0
    while b:
        product ^= a if b & 1 else 0
        a = a << 1 ^ (0x11D if a & 0x80 else 0)
        b >>= 1
    return product


def bytes_in(bits: str, counted: int) -> str:
    assert bits[:4] == "0100", "byte mode"
    count = int(bits[4 : 4 + counted], 2)
    start = 4 + counted
    return bytes(int(bits[start + 8 * i :][:8], 2) for i in range(count)).decode()
