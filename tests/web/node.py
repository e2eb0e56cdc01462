"""Node as the tests of the browser code need it: with what Python and the browser share."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from autodiff_viz.views.shared_constants import shared_constants

SHARED = Path(__file__).parent / "shared.mjs"


def node() -> str | None:
    """The path of Node, if there is one."""
    return shutil.which("node") or shutil.which("nodejs")


def environment() -> dict[str, str]:
    """The environment in which every module finds `ui/web/shared.js` filled."""
    return {
        **os.environ,
        "AUTODIFF_VIZ_SHARED": json.dumps(shared_constants()),
        "NODE_OPTIONS": f"--import {SHARED.as_uri()}",
    }
