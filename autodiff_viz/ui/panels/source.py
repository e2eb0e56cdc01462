"""Where an input's value comes from, and what a layer learns, to be changed in the inspector."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from autodiff_viz.ui.widgets import answered, pressed, renewed
from autodiff_viz.views.actions import set_param
from autodiff_viz.views.canvas_edits import edited
from autodiff_viz.views.inspector import NodeView
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.learned import set_units
from autodiff_viz.views.sources import set_numbers, set_shape, set_trainable

MOST_UNITS = 4096

Action = Callable[[Lab, str, Any], Lab]


def draw_source(node: NodeView) -> None:
    """Data or parameter; its numbers, or how they are drawn."""
    source = node.source
    if source is None:
        return
    key = renewed("trainable", node.name, source.trainable)
    st.toggle(
        "Parameter: training may change it",
        source.trainable,
        key=key,
        on_change=answered,
        args=(key, set_trainable, node.name),
        kwargs={"node": node.name},
    )
    drawn = source.seed is not None
    if drawn or source.value is not None:
        _text(node.name, "Numbers", source.value or "", "drawn at random; type some to set them", set_numbers)
    with st.container(horizontal=True):
        help = "The length of each axis, such as (3, 4). Another shape is drawn anew."
        _text(node.name, "Shape", source.shape, "", set_shape, help)
        if source.inits:
            _choice(node.name, source.init, source.inits)
        if drawn:
            _seed(node.name, source.seed)


def draw_layer(node: NodeView) -> None:
    """What a layer learns."""
    if node.learns:
        edit = {"kind": "learn", "node": node.name}
        st.button(
            "Add what it learns",
            key="learn",
            icon=":material/add:",
            help="Parameters with shapes that fit, wired to its empty slots.",
            on_click=pressed,
            args=(edited, edit),
        )
    if node.units is not None:
        key = renewed("units", node.name, node.units)
        st.number_input(
            "Outputs",
            1,
            MOST_UNITS,
            node.units,
            key=key,
            help="All parameters of the layer change their shapes together.",
            on_change=answered,
            args=(key, set_units, node.name),
            kwargs={"node": node.name},
        )


def _text(
    name: str, label: str, shown: str, placeholder: str, action: Action, help: str | None = None
) -> None:
    key = renewed(f"source_{label.lower()}", name, shown)
    st.text_input(
        label,
        shown,
        key=key,
        placeholder=placeholder,
        help=help,
        on_change=answered,
        args=(key, action, name),
        kwargs={"node": name},
    )


def _choice(name: str, shown: str, choices: tuple[str, ...]) -> None:
    key = renewed("source_init", name, shown)
    st.selectbox(
        "Begins as",
        choices,
        choices.index(shown) if shown in choices else 0,
        key=key,
        on_change=answered,
        args=(key, _set_init, name),
        kwargs={"node": name},
    )


def _seed(name: str, shown: int) -> None:
    key = renewed("source_seed", name, shown)
    st.number_input(
        "Seed",
        0,
        None,
        shown,
        key=key,
        on_change=answered,
        args=(key, _set_seed, name),
        kwargs={"node": name},
    )


def _set_init(lab: Lab, name: str, init: str) -> Lab:
    return set_param(lab, name, "init", init)


def _set_seed(lab: Lab, name: str, seed: int) -> Lab:
    return set_param(lab, name, "seed", seed)
