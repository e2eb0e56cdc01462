"""List shapes with which the tests call many ops; see `Op.examples`."""

from __future__ import annotations

ONE = (
    (((),), {}),
    (((2, 3),), {}),
)
TWO = (
    (((), ()), {}),
    (((2, 3), ()), {}),
    (((2, 1), (3,)), {}),
)
THREE = (
    (((), (), ()), {}),
    (((2, 3), (), (3,)), {}),
)
