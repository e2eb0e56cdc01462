"""Count what became of the cases of the grid, and read which wrong ones are known (`wrong.toml`)."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache

from autodiff_viz.reading.reading import reader_of_all
from tests.reading.grid.compare import Outcome, outcome
from tests.reading.grid.libraries import RECORDED, has, recorded
from tests.reading.grid.rows import DIALECTS, FOLDER, Call, alias_of, calls, without
from tests.reading.grid.texts import Case, of_call

MOST = 22
"""Cases that are known to be wrong: whoever adds one mends one first."""

GRAVEST = ("fault", "value", "shape", "gradient", "taken")
"""Kinds of wrong outcomes, the gravest first."""


@cache
def registered() -> frozenset[str]:
    """Return the names of all functions and methods that the reader knows."""
    r = reader_of_all()
    methods = {"ndarray": r.methods["jax"], "torch.Tensor": r.methods["torch"]}
    return frozenset(r.tables) | {f"{of}.{name}" for of, names in methods.items() for name in names}


@cache
def names(dialect: str) -> dict[str, tuple[Call, ...]]:
    """Return the calls of a dialect by name; of a function that the library has not, one."""
    found: dict[str, list[Call]] = {}
    for call in calls(dialect):
        if call.name in registered():
            found.setdefault(call.name, []).append(call)
    return {name: tuple(made if has(made[0]) else made[:1]) for name, made in found.items()}


def cases(dialect: str, name: str) -> list[Case]:
    """Return the cases of a name."""
    made = [case for call in names(dialect)[name] for case in of_call(call)]
    return made if has(names(dialect)[name][0]) else made[:1]


def without_row() -> list[str]:
    """Return the names that have neither a row nor a reason why."""
    held = {name for dialect in DIALECTS for name in names(dialect)} | {*without()}
    return sorted(name for name in registered() if alias_of(name) not in held)


LIST = FOLDER / "wrong.toml"


@cache
def known_wrong() -> frozenset[str]:
    """Return the names of the cases that are known to be wrong."""
    listed = tomllib.loads(LIST.read_text("utf-8"))["wrong"]
    return frozenset(case for entry in listed for case in entry["cases"])


def take_out_right_ones() -> Iterator[str]:
    """Take what is right now, or gone, out of the list of wrong cases, and yield its names."""
    listed = [
        case
        for dialect in DIALECTS
        for name in names(dialect)
        for case in cases(dialect, name)
        if case.name in known_wrong()
    ]
    mended = known_wrong() - {case.name for case in listed if outcome(case).wrong}
    lines = LIST.read_text("utf-8").splitlines(keepends=True)
    written = {f"    {json.dumps(case)},\n": case for case in mended}
    LIST.write_text("".join(line for line in lines if line not in written), "utf-8")
    yield from sorted(mended)


def wrong(dialect: str, name: str) -> dict[str, str]:
    """Return the cases of a name that are wrong, with what is wrong."""
    found = {case.name: outcome(case) for case in cases(dialect, name)}
    return {case: f"{one.kind}: {one.says}" for case, one in found.items() if one.wrong}


def report(dialects: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a report: what is right, refused (by reason) and wrong, by dialect."""
    for dialect in dialects:
        kinds: Counter[str] = Counter()
        reasons: Counter[str] = Counter()
        bad: list[tuple[Case, Outcome]] = []
        nothing = []
        for name in names(dialect):
            found = [(case, outcome(case)) for case in cases(dialect, name)]
            kinds.update(one.kind for _, one in found)
            reasons.update(one.says.partition(":")[0] for _, one in found if one.kind == "refused")
            bad += [(case, one) for case, one in found if one.wrong]
            if all(one.kind == "refused" for _, one in found):
                nothing.append(name)
        version = recorded(dialect)["version"] if dialect in RECORDED else "live"
        yield (
            f"{dialect} ({version}): {len(names(dialect))} names, {sum(kinds.values())} cases: "
            f"{kinds['right']} right, {kinds['refused']} refused, {len(bad)} wrong"
        )
        yield f"  refused: {', '.join(f'{count} {code}' for code, count in reasons.most_common())}"
        yield f"  names with every case refused: {', '.join(nothing) or 'none'}"
        for kind in GRAVEST:
            yield from (f"  {kind}: {case.name}: {one.says}" for case, one in bad if one.kind == kind)


if __name__ == "__main__":
    for case in take_out_right_ones():
        print("right now:", case)
