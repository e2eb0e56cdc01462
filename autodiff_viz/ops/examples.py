"""Shapes that many ops are tested with; see `Op.examples`."""

from __future__ import annotations

ONE = (
    (((),), {}),
    (((3,),), {}),
    (((2, 3),), {}),
)
TWO = (
    (((), ()), {}),
    (((3,), (3,)), {}),
    (((2, 3), ()), {}),
    (((2, 1), (3,)), {}),
)
THREE = (
    (((), (), ()), {}),
    (((3,), (3,), (3,)), {}),
    (((2, 3), (), (3,)), {}),
)
