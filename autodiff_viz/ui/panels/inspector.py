"""The selected node: rule, local derivative with its numbers, runs and residuals."""

from __future__ import annotations

import streamlit as st

from autodiff_viz.graph.policies import POLICIES, POLICY
from autodiff_viz.graph.rule_kinds import KINDS, ON_INPUTS, RULE_KINDS
from autodiff_viz.ops.indexing import to_text
from autodiff_viz.ui.panels.source import draw_layer, draw_source
from autodiff_viz.ui.session import session
from autodiff_viz.ui.widgets import answered, pressed, renewed
from autodiff_viz.ui.work import asked
from autodiff_viz.views.actions import choose_rule, set_function, set_param, set_policy
from autodiff_viz.views.canvas_edits import edited
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.inspector import NodeView, node_view
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.parts import runs_alone
from autodiff_viz.views.whole_program import program_job

COUNTS = "counts"
LOOK = 400  # milliseconds until the browser asks whether they have come


def draw_inspector(lab: Lab, view: LabView) -> None:
    """The selected node, or what to do when none is."""
    if lab.selected is None:
        st.caption("Select a node to see its derivative, its rule and its numbers.")
        return
    node = node_view(view.graph, view.trace, lab.selected)
    _draw_title(node)
    _draw_rule(node)
    _draw_numbers(node)
    draw_source(node)
    draw_layer(node)
    _draw_params(node)
    _draw_region(lab, node)


def _draw_title(node: NodeView) -> None:
    st.markdown(f"## `{node.name}`")
    st.caption(f"{node.doc} The output of the graph." if node.is_output else node.doc)
    if node.formula:
        st.latex(node.formula)


def _draw_rule(node: NodeView) -> None:
    key = renewed("rule", node.name, node.rule)
    st.segmented_control(
        "Rule",
        ON_INPUTS if node.is_input else RULE_KINDS,
        default=node.rule,
        key=key,
        format_func=lambda kind: KINDS[kind].label,
        on_change=answered,
        args=(key, _choose_rule, node.name),
        kwargs={"node": node.name},
        label_visibility="collapsed",
    )
    st.caption(node.rule_says)
    if node.function:
        key = renewed("function", node.name, node.function)
        given = {"args": (key, set_function, node.name), "kwargs": {"node": node.name}}
        st.text_input("Function", node.function, key=key, on_change=answered, **given)


def _choose_rule(lab: Lab, name: str, kind: str | None) -> Lab:
    return choose_rule(lab, name, kind or "follow")


def _draw_numbers(node: NodeView) -> None:
    shape = f" (shape {node.shape})" if node.shape else ""
    with st.container(horizontal=True):
        with st.container(key="value", gap=None):
            st.caption(f"Value{shape}")
            st.text(node.value or "\u2013")
        with st.container(key="arriving", gap=None):
            st.caption("Arriving cotangent")
            st.text(node.arriving or "\u2013")
    if node.fork:
        st.text(f"Added at the fork: {node.fork}")
    for wire in node.wires:
        with st.container(border=True, gap="small"):
            st.text(f"To {wire.producer} ({wire.label}): passes {wire.passed}")
            if wire.apart:
                st.badge(wire.apart, icon=":material/compare_arrows:", color="orange")
            if wire.derivative:
                st.latex(wire.derivative)
            if wire.numbers:
                st.latex(wire.numbers)


def _draw_params(node: NodeView) -> None:
    for param, value in node.params:
        kind = {"float": float, "int": int, "seed": int, "bool": bool}.get(param.kind)
        if kind:
            key = renewed(f"param_{param.name}", node.name, kind(value))
            draw = st.checkbox if kind is bool else st.number_input
            draw(
                param.name,
                value=kind(value),
                key=key,
                help=param.doc,
                on_change=answered,
                args=(key, set_param, node.name, param.name),
                kwargs={"node": node.name},
            )
        elif param.kind == "choice" and value in param.choices:
            key = renewed(f"param_{param.name}", node.name, value)
            st.selectbox(
                param.name,
                param.choices,
                param.choices.index(value),
                key=key,
                help=param.doc,
                on_change=answered,
                args=(key, set_param, node.name, param.name),
                kwargs={"node": node.name},
            )
        else:
            shown = to_text(value) if param.kind == "index" else str(value)
            st.text(f"{param.name} = {shown}   (change it in the formula)")


def _draw_region(lab: Lab, node: NodeView) -> None:
    region = next((r for r in lab.graph.regions if node.name in r.nodes), None)
    if region is None:
        return
    key = renewed("policy", region.name, region.policy)
    st.selectbox(
        f"Checkpoint {region.name} keeps",
        POLICIES,
        POLICIES.index(region.policy),
        key=key,
        format_func=lambda name: POLICY[name].keeps,
        on_change=answered,
        args=(key, _set_policy, region.name, region.nodes),
    )
    if POLICY[region.policy].takes_names:
        key = renewed("saved", region.name, sorted(region.saved))
        chosen, label = sorted(region.saved), f"Values that {region.name} keeps"
        given = {"on_change": answered, "args": (key, _set_saved, region.name, region.policy)}
        st.multiselect(label, sorted(region.nodes), chosen, key=key, **given)
    edit = {"kind": "uncheckpoint", "region": region.name}
    st.button(f"Remove checkpoint {region.name}", key="uncheckpoint", on_click=pressed, args=(edited, edit))


def _set_policy(lab: Lab, region: str, nodes: frozenset[str], policy: str) -> Lab:
    return set_policy(lab, region, policy, nodes)


def _set_saved(lab: Lab, region: str, policy: str, saved: list[str]) -> Lab:
    return set_policy(lab, region, policy, frozenset(saved))


def draw_runs(lab: Lab, view: LabView) -> None:
    """What the whole program says of the selected node, which a worker works out."""
    if lab.selected is None or not runs_alone(view):
        return
    here = session()
    answer = asked(here.name, COUNTS, program_job(view.trace, lab.selected))
    if answer is None:
        here.parts.polls["runs"] = LOOK
        st.caption("Counting runs and what is kept \u2026")
        return
    for sentence in ("These could not be counted.",) if answer.why else answer.value:
        st.caption(sentence)
