"""Pages run without the warm-up: its thread must not be compiling when the interpreter ends."""

import pytest

from autodiff_viz.ui import parts, warm


@pytest.fixture(autouse=True, scope="session")
def _nothing_is_warmed():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(warm, "ready", lambda: None)
        patch.setattr(parts, "is_seen", lambda key: True)  # no browser says what can be seen
        patch.setattr(parts, "CANVAS_FIRST", 0.0)  # no browser paints
        yield
