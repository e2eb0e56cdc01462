"""Generate `ui/web/constants.js`: Python's records that the browser's code needs, as a module.

`python -m autodiff_viz.ui.lab.constants` writes it; a test fails if it is out of date. The code thus has the
records when it is loaded, in Node too, and no page waits for them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autodiff_viz.graph.registries.policies import POLICY, Policy
from autodiff_viz.graph.registries.rule_kinds import KINDS, RuleKind
from autodiff_viz.views.shared_constants import shared_constants

FILE = Path(__file__).parents[1] / "web" / "constants.js"

_MODULE = """// @ts-check
// Declare Python's records for the browser: made by `python -m autodiff_viz.ui.lab.constants`; change those.

/** @typedef {{ label: string, action: string, does: string, says: string, icon: string, colour: string,
 *   key: string, asks: string, replaces: boolean, alternative: boolean }} RuleKind */

/** Kinds of rules, by name. @type {Record<string, RuleKind>} */
export const RULES = %s;

/** @typedef {{ keeps: string, mark: string, takesNames: boolean }} Policy */

/** Policies of checkpoint regions, by name. @type {Record<string, Policy>} */
export const POLICIES = %s;

/** Sizes, limits and texts. @type {import("./types.js").Shared} */
export const shared = %s;
"""

_OF_A_RULE = ("label", "action", "does", "says", "icon", "colour", "key", "asks", "replaces", "alternative")


def constants() -> str:
    """Return the text of the module."""
    rules = {name: _rule(kind) for name, kind in KINDS.items()}
    policies = {name: _policy(policy) for name, policy in POLICY.items()}
    return _MODULE % (_written(rules), _written(policies), _written(shared_constants()))


def _rule(kind: RuleKind) -> dict[str, Any]:
    return {field: getattr(kind, field) for field in _OF_A_RULE}


def _policy(policy: Policy) -> dict[str, Any]:
    return {"keeps": policy.keeps, "mark": policy.mark, "takesNames": policy.takes_names}


def _written(records: Mapping[str, Any]) -> str:
    """Return a JavaScript object with one record per line."""
    lines = [
        f"  {json.dumps(name)}: {json.dumps(record, ensure_ascii=False)},\n"
        for name, record in records.items()
    ]
    return "{\n" + "".join(lines) + "}"


if __name__ == "__main__":
    FILE.write_text(constants(), "utf-8")
