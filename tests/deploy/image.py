"""Read the Dockerfile as data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.browser.server import ROOT

DOCKERFILE = ROOT / "deploy" / "Dockerfile"


@dataclass(frozen=True, slots=True)
class Stage:
    """One `FROM`: its base, its name ("" for none), and the instructions after it as (word, rest)."""

    base: str
    name: str
    steps: tuple[tuple[str, str], ...]

    def rests(self, word: str) -> list[str]:
        return [rest for found, rest in self.steps if found == word]

    @property
    def command(self) -> list[str]:
        """What the container runs."""
        return json.loads(self.rests("CMD")[-1])

    @property
    def health(self) -> list[str]:
        """What is run to find out whether it is well."""
        return json.loads(self.rests("HEALTHCHECK")[-1].partition(" CMD ")[2])

    @property
    def variables(self) -> dict[str, str]:
        return dict(pair.split("=", 1) for rest in self.rests("ENV") for pair in rest.split())

    @property
    def copied(self) -> list[str]:
        """Paths of the repository that go into the image."""
        own = [rest.split() for rest in self.rests("COPY") if not rest.startswith("--from")]
        return [source for words in own for source in words[:-1]]


def stages() -> dict[str, Stage]:
    """The stages by name, in order. The last one is what is built when none is named."""
    found: list[tuple[str, str, list]] = []
    for word, rest in _instructions():
        if word == "FROM":
            base, _, name = rest.partition(" AS ")
            found.append((base, name, []))
        else:
            found[-1][2].append((word, rest))
    return {name: Stage(base, name, tuple(steps)) for base, name, steps in found}


def _instructions() -> Iterator[tuple[str, str]]:
    text = re.sub(r"^\s*#.*\n", "", DOCKERFILE.read_text("utf-8"), flags=re.MULTILINE)
    for line in filter(str.strip, text.replace("\\\n", " ").splitlines()):
        word, _, rest = line.partition(" ")
        yield word, " ".join(rest.split())
