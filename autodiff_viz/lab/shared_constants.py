"""List the constants that Python and the browser share; `web/base/constants.js` is generated from them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autodiff_viz.canvas import cards, delta, records
from autodiff_viz.canvas.layout import coordinates, placing, tabs
from autodiff_viz.canvas.palette import RANDOM
from autodiff_viz.canvas.records import THINNEST
from autodiff_viz.display import heatmap, numbers
from autodiff_viz.display.colours import light, rgb
from autodiff_viz.display.heatmap import INKS
from autodiff_viz.embedding.contract import CONTRACT, VERSION
from autodiff_viz.embedding.levels import KINDS_OF
from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.graph import limits
from autodiff_viz.graph.dtypes import DTYPES
from autodiff_viz.graph.model import INPUT, PARAMETER
from autodiff_viz.graph.policies import POLICY, Policy
from autodiff_viz.graph.rule_kinds import KINDS, RuleKind
from autodiff_viz.lab.code_examples import CODE_EXAMPLES
from autodiff_viz.lab.edits.nodes import LETTERS, NEW
from autodiff_viz.lab.file_names import FILE_NAMES
from autodiff_viz.lab.glossary import GLOSSARY
from autodiff_viz.lab.inspector.parameters import NEW_PARAMETER
from autodiff_viz.lab.own_data import BYTES, DATA_OF
from autodiff_viz.lab.state import WRITTEN_OUT
from autodiff_viz.language.literals import show_literal
from autodiff_viz.lessons.gallery import LESSONS
from autodiff_viz.messages.typedefs import typedefs
from autodiff_viz.ops import catalog


def shared_constants() -> dict[str, Any]:
    """Return sizes in px, limits and texts as JSON; `web/types.js` describes the fields."""
    return {
        "card": {"w": cards.WIDTH, "h": cards.HEIGHT, "slot": cards.SLOT},
        "pictured": dict(zip("wh", cards.PICTURED, strict=True)),
        "cells": {
            "most": cards.CELLS,
            "beside": cards.BESIDE,
            "head": cards.CELL_HEAD,
            "line": cards.CELL_LINE,
        },
        "group": {
            "w": cards.GROUP_WIDTH,
            "head": cards.GROUP_HEAD,
            "foot": cards.GROUP_FOOT,
            "port": cards.PORT,
            "numbers": cards.GROUP_NUMBERS,
            "steps": cards.GROUP_STEPS,
        },
        "frame": {"pad": coordinates.FRAME, "level": coordinates.LEVEL, "tab": 2 * coordinates.TAB},
        "tab": {
            "h": tabs.HEIGHT,
            "gap": tabs.GAP,
            "near": tabs.NEAR,
            "slack": tabs.SLACK,
            "aside": tabs.ASIDE,
            "under": tabs.UNDER,
        },
        "clear": placing.CARD_CLEARANCE,
        "limits": {
            "answer": limits.ANSWER,
            "branches": limits.BRANCHES,
            "document": limits.JSON,
            "edits": limits.EDITS,
            "line": limits.LINE,
            "message": limits.MESSAGE,
            "name": limits.NAME,
            "npy": BYTES,
            "option": limits.OPTION,
            "options": limits.OPTIONS,
            "prose": limits.PROSE,
            "title": limits.TITLE,
            "tour_steps": limits.TOUR_STEPS,
            "words": limits.WORDS,
        },
        "files": dict(FILE_NAMES),
        "drawings": delta.KEPT,
        "written_out": WRITTEN_OUT,
        "data_of": DATA_OF,
        "alternative": catalog.ALTERNATIVE,
        "letters": LETTERS,
        "inputs": {
            INPUT: _new_input(NEW[INPUT]),
            PARAMETER: _new_input(NEW_PARAMETER),
            RANDOM: _new_input(()),
        },
        "nothing": records.DASH,
        "asked": records.ASKED,
        "minus": numbers.MINUS,
        "vector": numbers.VECTOR,
        "shown": numbers.SHOWN,
        "digits": numbers.DIGITS,
        "plain": numbers.PLAIN,
        "halves": {
            name: {"bits": each.bits, "least": 1 - each.most, "digits": each.digits}
            for name, each in DTYPES.items()
            if each.half
        },
        "thinnest": THINNEST,
        "glossary": GLOSSARY,
        "code_examples": [example._asdict() for example in CODE_EXAMPLES],
        "first_lesson": LESSONS[0].key,
        "figures": [*FIGURES],
        "frames": {
            "version": VERSION,
            "number": limits.NUMBER,
            "kinds": KINDS_OF,
            "parameters": [
                {
                    "name": each.name,
                    "values": [*each.values],
                    "pattern": each.pattern,
                    "otherwise": each.default,
                    "many": each.many,
                }
                for each in CONTRACT[2:]
            ],
        },
        "heat": {
            "alphabet": heatmap.ALPHABET,
            "shades": heatmap.SHADES,
            "marks": heatmap.NAN,
            "inks": {of: [*map(rgb, pair)] for of, pair in INKS.items()},
        },
        "qr": {"ground": light("paper"), "ink": light("black")},
    }


def _new_input(params: Any) -> dict[str, str]:
    """Return the card text of a new input's value, and the value as editable text."""
    value = dict(params).get("value")
    if value is None:
        return {"value": records.DASH}
    return {"value": numbers.scalar(value), "literal": show_literal(value)}


# Generate `web/base/constants.js`: Python's records that the browser's code needs, as a module. `python -m
# autodiff_viz.lab.shared_constants` writes it; a test fails if it is out of date. The code thus has the
# records when it is loaded, in Node too, and no page waits for them.


WEB = Path(__file__).parents[1] / "web"
FILE = WEB / "base" / "constants.js"
MESSAGES = WEB / "messages.js"

_MODULE = """// @ts-check
// Declare Python's records for the browser. `python -m autodiff_viz.lab.shared_constants` writes this file.

/** @typedef {{ label: string, action: string, does: string, says: string, icon: string, colour: string,
 *   key: string, asks: string, replaces: boolean, alternative: boolean }} RuleKind */

/** Kinds of rules, by name. @type {Record<string, RuleKind>} */
export const RULES = %s;

/** @typedef {{ keeps: string, mark: string, takesNames: boolean }} Policy */

/** Policies of checkpoint regions, by name. @type {Record<string, Policy>} */
export const POLICIES = %s;

/** Sizes, limits and texts. @type {import("../types.js").Shared} */
export const shared = %s;
"""

_OF_A_RULE = ("label", "action", "does", "says", "icon", "colour", "key", "asks", "replaces", "alternative")


def constants() -> str:
    """Return the text of the module."""
    rules = {name: _rule(kind) for name, kind in KINDS.items()}
    policies = {name: _policy(policy) for name, policy in POLICY.items()}
    return _MODULE % (_js_object(rules), _js_object(policies), _js_object(shared_constants()))


def _rule(kind: RuleKind) -> dict[str, Any]:
    return {field: getattr(kind, field) for field in _OF_A_RULE}


def _policy(policy: Policy) -> dict[str, Any]:
    return {"keeps": policy.keeps, "mark": policy.mark, "takesNames": policy.takes_names}


def _js_object(records: Mapping[str, Any]) -> str:
    """Return a JavaScript object with one record per line."""
    lines = [
        f"  {json.dumps(name)}: {json.dumps(record, ensure_ascii=False)},\n"
        for name, record in records.items()
    ]
    return "{\n" + "".join(lines) + "}"


if __name__ == "__main__":
    FILE.write_text(constants(), "utf-8")
    MESSAGES.write_text(typedefs(), "utf-8")
