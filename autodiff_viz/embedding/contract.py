"""Define the parameters of a frame as one table, read them from an address, and write the code of a frame.

The table is the contract with pages that have been written: within a version no parameter or value changes
its meaning or goes away. What an address has besides is ignored, and what cannot be read is the default.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from types import MappingProxyType
from urllib.parse import parse_qsl, urlencode

from autodiff_viz.graph import limits

VERSION = "1"


@dataclass(frozen=True, slots=True)
class Parameter:
    """Describe a parameter of a frame's address.

    Attributes:
      name: its key.
      default: what holds without it; of a list, its words between commas.
      says: what it does, in a sentence.
      values: its words, each with what it means.
      open: words besides those, such as the name of a slider, as people read them; "" for none.
      pattern: what such a word has to look like.
      many: whether it is a list of words between commas.
      example: a query with it, without `embed` and `v`.
      label: what stands before its widget; "" for none.
    """

    name: str
    default: str
    says: str
    values: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    open: str = ""
    pattern: str = ""
    many: bool = False
    example: str = ""
    label: str = ""


_NAME = rf"[^\s,:]{{1,{limits.NAME}}}"

CONTROLS: Mapping[str, str] = MappingProxyType(
    {
        "canvas": "the graph",
        "question": "the question, and the field for the answer",
        "lesson": "the text of the lesson or the tour, with its title and the way to the next step",
        "formula": "the formula",
        "sliders": "the sliders of all inputs",
        "inspector": "the selected node, its derivative and its numbers",
        "plot": "the figure of the link",
        "check": "whether the independent checks agree",
        "play": "the bar that plays the pass step by step",
        "toolbar": "zoom, and the buttons that change the graph",
        "open": "a link to the whole lab, with everything kept",
    }
)
"""Public names of what a frame can show."""

NOTHING, VALUES, RULES, EVERYTHING = "none", "values", "rules", "all"
NOW, ASK, STEPS = "now", "ask", "steps"
AUTO, LIGHT, DARK, CONTRAST = "auto", "light", "dark", "contrast"

CONTRACT: tuple[Parameter, ...] = (
    Parameter("embed", "", "Shows the lab for a frame.", {"1": "for a frame"}),
    Parameter("v", "", "Version of these parameters.", {VERSION: "the first"}),
    Parameter(
        "show",
        "canvas,question,sliders,play,open",
        "What the frame shows.",
        CONTROLS,
        open="slider:NAME, plot:KEY",
        pattern=rf"slider:{_NAME}|plot:[a-z_]{{1,40}}",
        many=True,
        example="lesson=fork&show=canvas,formula,slider:x,open",
        label="What the frame shows",
    ),
    Parameter(
        "hide",
        "",
        "What the frame leaves out: the same names, or",
        CONTROLS,
        open="slider:NAME",
        pattern=rf"slider:{_NAME}",
        many=True,
        example="lesson=fork&hide=play,open",
    ),
    Parameter(
        "edit",
        VALUES,
        "What readers may change; the server refuses everything else.",
        {
            NOTHING: "nothing",
            VALUES: "numbers of inputs, and where cards stand",
            RULES: "also stops, rules, cuts and checkpoints",
            EVERYTHING: "everything",
        },
        example="lesson=fork&edit=none",
        label="Readers may change",
    ),
    Parameter(
        "reveal",
        NOW,
        "When the numbers come.",
        {
            NOW: "at once",
            ASK: "after an answer",
            STEPS: "step by step, as the pass is played",
        },
        example="reveal=steps",
        label="The numbers come",
    ),
    Parameter(
        "theme",
        AUTO,
        "The colours.",
        {
            AUTO: "as the reader's system has them",
            LIGHT: "dark on light",
            DARK: "light on dark",
            CONTRAST: "as the system has them, with more contrast",
        },
        example="theme=dark",
        label="Colours",
    ),
    Parameter(
        "type",
        "usual",
        "The size of text.",
        {"usual": "as usual", "large": "for a projector"},
        example="type=large",
        label="Size of text",
    ),
    Parameter(
        "wheel",
        "page",
        "What the mouse wheel does over the graph.",
        {"page": "scrolls the page until a click or Ctrl", "zoom": "zooms the graph"},
        example="wheel=zoom",
        label="The mouse wheel",
    ),
    Parameter(
        "start",
        "touch",
        "When the frame connects to the server; until then it is a picture, of more than "
        f"{limits.VERIFIED_AT_ONCE} nodes their number alone.",
        {"touch": "at the first touch, click or key", "now": "at once"},
        example="start=now",
        label="It starts",
    ),
    Parameter(
        "step",
        "",
        "The step on view, of the training if the link has one, otherwise of the pass:",
        open="a whole number",
        pattern=r"[0-9]{1,9}|last",
        example="step=3",
    ),
    Parameter(
        "node",
        "",
        "The node that is selected:",
        open="its name",
        pattern=_NAME,
        example="node=b&show=canvas,inspector,open",
    ),
)
"""All parameters of version 1, in the order in which a frame's address has them."""

PARAMETERS: Mapping[str, Parameter] = {each.name: each for each in CONTRACT}
OF_LINKS = frozenset({"step", "node"})
"""Parameters that every link of the lab has, not only that of a frame."""


def table() -> str:
    """Return docs/teachers.md's table: each parameter with its words, and a link that shows what it does."""
    lines = ["| parameter | what it does | for example |", "|---|---|---|"]
    for each in CONTRACT[2:]:
        words = [f"`{word}`: {says}" for word, says in each.values.items() if each.name != "hide"]
        words += [f"or {each.open}"] if words and each.open else [each.open] if each.open else []
        listed = "; ".join(words)
        also = f" Default: `{each.default}`." if each.default else ""
        lines.append(f"| `{each.name}` | {each.says} {listed}.{also} | `?embed=1&v=1&{each.example}` |")
    return "\n".join(lines)


SANDBOX = "allow-scripts allow-same-origin allow-popups allow-forms allow-downloads"
"""What a frame needs to do all that it can; with `allow-scripts` alone it works, and remembers nothing."""


@dataclass(frozen=True, slots=True)
class Embed:
    """Hold what an address says of its frame; a field for each parameter, with its words.

    Attributes:
      show, hide: names of controls.
      step, node: "" for none.
    """

    show: tuple[str, ...] = tuple(PARAMETERS["show"].default.split(","))
    hide: tuple[str, ...] = ()
    edit: str = VALUES
    reveal: str = NOW
    theme: str = AUTO
    type: str = "usual"
    wheel: str = "page"
    start: str = "touch"
    step: str = ""
    node: str = ""

    def shows(self, control: str) -> bool:
        """Return whether a control of `CONTROLS` is shown; of sliders and plots, whether any is."""
        one = {"sliders": "slider:", "plot": "plot:"}.get(control)
        named = control in self.show or (one and any(name.startswith(one) for name in self.show))
        return bool(named) and control not in self.hide

    def shows_slider(self, name: str) -> bool:
        """Return whether the slider of the input `name` is shown."""
        hidden = {"sliders", f"slider:{name}"} & {*self.hide}
        return not hidden and self.edit != NOTHING and bool({"sliders", f"slider:{name}"} & {*self.show})

    @property
    def plots(self) -> tuple[str, ...]:
        """The keys of the figures that are named."""
        return tuple(name.removeprefix("plot:") for name in self.show if name.startswith("plot:"))

    def to_query(self) -> dict[str, str]:
        """Return the parameters of the address, without those that have their default values."""
        query = {"embed": "1", "v": VERSION}
        for each in CONTRACT:
            if each.name not in query:
                value = getattr(self, each.name)
                text = ",".join(value) if each.many else value
                if text != each.default:
                    query[each.name] = text
        return query


def read_embed(query: Mapping[str, str]) -> Embed | None:
    """Read the parameters of a frame; None for an address that is not for a frame, or of another version."""
    if query.get("embed") != "1" or query.get("v") != VERSION:
        return None
    return Embed(**{each.name: _read(each, query.get(each.name)) for each in CONTRACT[2:]})


def _read(parameter: Parameter, text: str | None) -> str | tuple[str, ...]:
    """Read one parameter; what cannot be read is left out of a list, and otherwise the default."""
    if parameter.many:
        given = dict.fromkeys(word.strip() for word in (text or "")[: limits.LINE].split(","))
        known = tuple(word for word in given if _is_one(parameter, word))
        return known or tuple(filter(None, parameter.default.split(",")))
    return text if text is not None and _is_one(parameter, text) else parameter.default


def _is_one(parameter: Parameter, word: str) -> bool:
    pattern = parameter.pattern
    return word in parameter.values or bool(pattern and re.fullmatch(pattern, word))


def without_embed(query: Mapping[str, str]) -> dict[str, str]:
    """Return the query of the same state in the whole lab."""
    return {name: text for name, text in query.items() if name not in PARAMETERS or name in OF_LINKS}


def state_of(query: Mapping[str, str], embed: Embed) -> dict[str, str]:
    """Return the query of the lab's state in a frame.

    Without a training `step` is one of the pass, which the browser plays. Of the named plots one is on view.
    """
    state = without_embed(query)
    if "trained" not in state:
        state.pop("step", None)
    if embed.plots and state.get("figure") not in embed.plots:
        state["figure"] = embed.plots[0]
    return state


def of_address(embed: Embed) -> dict[str, str]:
    """Return the parameters that a frame's script writes before the state into its own address."""
    return {name: text for name, text in embed.to_query().items() if name not in ("embed", "node")}


def embed_link(origin: str, state: Mapping[str, str], embed: Embed) -> str:
    """Return the address of a frame.

    Args:
      origin: address of the server, up to the path under which the lab is.
      state: query of the state of the lab, as in its address bar.
    """
    return f"{origin.rstrip('/')}/?{urlencode({**embed.to_query(), **without_embed(state)})}"


POSTER = "/embed.svg"
"""Path of the picture of a frame, with the query of the frame."""


def frame_code(url: str, title: str, height: int, width: int | None = None, ratio: bool = False) -> str:
    """Return the HTML of a frame, with a picture and a link for print and for hosts that show no frames.

    Args:
      url: address of the frame, of `embed_link`.
      title: for screen readers.
      height: in px.
      width: in px; None for all the width that there is.
      ratio: whether the height follows the width, for hosts without scripts; then both are a proportion.
    """
    origin, _, query = url.partition("/?")
    whole = f"{origin}/?{urlencode(without_embed(_pairs(query)))}"
    size = f"width: {width}px; max-width: 100%" if width else "width: 100%"
    high = f"aspect-ratio: {width or 16 * height // 9} / {height}" if ratio else f"height: {height}px"
    attributes = {
        "src": url,
        "title": title,
        "loading": "lazy",
        "allow": "fullscreen; clipboard-write",
        "sandbox": SANDBOX,
        "style": f"{size}; {high}; border: 0",
    }
    text = " ".join(f'{name}="{escape(value)}"' for name, value in attributes.items())
    picture = f'<img src="{escape(f"{origin}{POSTER}?{query}")}" alt="{escape(title)}">'
    return f'<iframe {text}></iframe>\n<noscript><a href="{escape(whole)}">{picture}</a></noscript>'


def _pairs(query: str) -> dict[str, str]:
    return dict(parse_qsl(query, keep_blank_values=True))
