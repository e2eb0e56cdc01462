"""What Streamlit's own test driver does not reach: the data of the project's components."""

from __future__ import annotations

import json
from typing import Any

from streamlit.testing.v1 import AppTest


def component_data(app: AppTest, key: str) -> dict[str, Any]:
    """The data that the component with this key was last drawn with."""
    (found,) = [e.proto for e in app.get("bidi_component") if e.proto.id.endswith(f"-{key}")]
    return json.loads(found.json)
