"""Write the files that are made from others: `python -m autodiff_viz.ui.made_files`; a test says when to.

The colours in `.streamlit/config.toml`, logo and icon are those of display/colours.py, and `ui/start` has
copies of `app.py` and `.streamlit/config.toml` for an installed package, which has no folder above it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from autodiff_viz.display.colours import dark, light

ROOT = Path(__file__).parents[2]
ASSETS = Path(__file__).parent / "assets"
CONFIG = Path(".streamlit") / "config.toml"

_OF_THE_THEME = {
    "primaryColor": "primary",
    "backgroundColor": "ground",
    "secondaryBackgroundColor": "under",
    "textColor": "ink",
    "borderColor": "line",
}
"""By option of Streamlit's theme, its colour."""

_OF_THE_MARK = {"ink": "ink", "ground": "mark-ground", "forward": "mark-forward", "back": "mark-back"}
"""By variable of logo and icon, its colour."""

_COLOURS = re.compile(r":root \{[^{}]*\}")


def made_files() -> dict[Path, str]:
    """Return the text that each of these files must have."""
    app, config = (ROOT / "app.py").read_text("utf-8"), _with_theme((ROOT / CONFIG).read_text("utf-8"))
    copies = Path(__file__).parent / "start"
    return {
        ROOT / CONFIG: config,
        copies / CONFIG: config,
        copies / "app.py": app,
        ASSETS / "logo.svg": _painted(ASSETS / "logo.svg", light, dark),
        ASSETS / "icon.svg": _painted(ASSETS / "icon.svg", dark),
    }


def _with_theme(config: str) -> str:
    """Return the settings with the colours of both themes at their end."""
    parts = [config.partition("[theme.light]")[0].rstrip()]
    for theme, shade in (("light", light), ("dark", dark)):
        lines = (f'{option} = "{shade(name)}"' for option, name in _OF_THE_THEME.items())
        parts.append("\n".join([f"[theme.{theme}]", *lines]))
    return "\n\n".join(parts) + "\n"


def _painted(picture: Path, *themes: Callable[[str], str]) -> str:
    """Return the text of a picture whose rules for `:root` declare its colours, one for each theme."""
    rules = (
        f":root {{ {' '.join(f'--{own}: {shade(name)};' for own, name in _OF_THE_MARK.items())} }}"
        for shade in themes
    )
    return _COLOURS.sub(lambda _: next(rules), picture.read_text("utf-8"))


if __name__ == "__main__":
    for path, text in made_files().items():
        path.write_text(text, "utf-8")
