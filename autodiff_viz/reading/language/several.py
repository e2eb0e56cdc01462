"""Tell apart the derivatives by one name that a text asks for in several places."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from autodiff_viz.graph.text import listed


@dataclass(frozen=True)
class Site:
    """Where a text asks for a derivative.

    Attributes:
      lines: the lines of the statements that are being read there, innermost first.
      calls: line and column of the calls that are.
      is_grad: whether it is the `.grad` of a leaf; the lines are then those that make the leaf.
    """

    lines: tuple[int, ...]
    calls: tuple[tuple[int, int], ...] = ()
    is_grad: bool = False

    @property
    def line(self) -> int:
        """The innermost line."""
        return self.lines[0] if self.lines else 0


def told_apart(asked: Iterable[tuple[str, Site]], also: Container[str] = ()) -> dict[str, dict[str, int]]:
    """Return the keys of the derivatives by each name that has several, with their places in what is asked.

    So do names in `also`, whose last derivative was not read.

    A place that a loop comes by again has one key, as a name has one value: that of the last time.
    """
    by_name: dict[str, dict[Site, int]] = {}
    for i, (name, site) in enumerate(asked):
        by_name.setdefault(name, {})[site] = i
    return {
        name: dict(zip(_keys(name, list(sites)), sites.values(), strict=True))
        for name, sites in by_name.items()
        if len(sites) > 1 or name in also
    }


def _keys(name: str, sites: Sequence[Site]) -> list[str]:
    """Return a key for each of several places: by its line, by where that is called from, by its order."""

    def told(words: list[str], further: list[str]) -> list[str]:
        pairs = zip(words, further, strict=True)
        return [a if words.count(a) == 1 or not b else f"{a}, {b}" for a, b in pairs]

    words = [f"line {site.line}" for site in sites]
    outer = [f"from line {site.lines[-1]}" if len(site.lines) > 1 else "" for site in sites]
    words = told(words, outer)
    words = told(words, [f"number {words[: i + 1].count(words[i])}" for i in range(len(words))])
    one_leaf = sum(site.is_grad for site in sites) == 1
    return [
        f"{name}.grad" if site.is_grad and one_leaf else f"{name}{'.grad' * site.is_grad} ({where})"
        for site, where in zip(sites, words, strict=True)
    ]


def said(asked: Sequence[tuple[str, Site]]) -> list[tuple[int, str]]:
    """Return what to say of names with several derivatives: (line, sentence)."""
    sentences: dict[tuple[int, tuple[str, ...]], list[str]] = {}
    apart = told_apart(asked)
    for name, keys in apart.items():
        last = asked[max(keys.values())][1]
        ends = tuple(key.removeprefix(name) for key in keys)
        sentences.setdefault((last.line, ends), []).append(name)
    found = []
    for (line, ends), names in sentences.items():
        each = listed([f"`{names[0]}{end}`" for end in ends], 4)
        by = listed([f"`{name}`" for name in names], 3)
        says = f"the text asks for {len(ends)} derivatives by {by}{' each' * (len(names) > 1)}"
        found.append((line, f"{says}: the last is the answer, and answers() has all, as {each}"))
    times: dict[tuple[str, Site], int] = {}
    for one in asked:
        times[one] = times.get(one, 0) + 1
    for (name, site), count in times.items():
        if count > 1 and name not in apart:
            found.append(
                (site.line, f"the derivative by `{name}` is asked for {count} times: the last is the answer")
            )
    return found
