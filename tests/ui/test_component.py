"""Test the lab's component: edits applied once and in order, and its modules linked into one script."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from graphlib import CycleError
from pathlib import Path

import pytest

from autodiff_viz.standalone.modules import imported_later
from autodiff_viz.ui.bundle import ENTRY, PART_SHEETS, WEB, bundle, linked, parts, script
from autodiff_viz.ui.inbox import Inbox, fresh

ROOT = Path(__file__).parents[2]
FOLDERS = ["base", "canvas", "formula", "sliders", "connection"]
INBOX = Inbox("session", 4)
SHARED = {"mark", "sheet", "text-dialog"}  # classes that other sheets have rules for too
BUDGET = 254_000
"""Packed bytes that a browser loads of this project's code before the first number. What is used after a
click alone is a part (`web/later.js`)."""


def message(*numbers: int, key: str = "session") -> dict:
    return {"key": key, "edits": [{"seq": number, "kind": "undo"} for number in numbers]}


def numbers(edits: list[dict]) -> list[int]:
    return [edit["seq"] for edit in edits]


def test_edits_that_were_applied_before_are_left_out():
    assert numbers(fresh(message(3, 4, 5, 6), INBOX)) == [5, 6]


def test_edits_come_once_and_in_order_however_they_were_sent():
    assert numbers(fresh(message(6, 5, 6), INBOX)) == [5, 6]


def test_a_message_for_another_session_holds_nothing():
    assert fresh(message(5, key="before the restart"), INBOX) == []


@pytest.mark.parametrize(
    "broken",
    [
        None,
        "edits",
        [],
        {},
        {"key": "session"},
        {"key": "session", "edits": {"seq": 5}},
        {"key": "session", "edits": ["undo"]},
        {"key": "session", "edits": [{"seq": "5", "kind": "undo"}]},
        {"key": "session", "edits": [{"seq": True, "kind": "undo"}]},
        {"key": "session", "edits": [{"seq": 5}]},
        {"key": "session", "edits": [{"seq": 5 + i, "kind": "undo"} for i in range(5_000)]},
    ],
)
def test_a_message_not_made_as_the_browser_makes_it_holds_nothing(broken):
    assert fresh(broken, INBOX) == []


def test_every_module_comes_after_those_it_imports():
    seen: set[str] = set()
    for name, text in bundle(ENTRY):
        assert set(re.findall(r'from "([^"]+)"', text)) <= seen
        seen.add(name)


@pytest.mark.parametrize("folder", FOLDERS)
def test_script_and_parts_hold_every_module_of_a_folder_that_has_code(folder):
    modules = [name for entry in (ENTRY, *parts()) for name, _ in bundle(entry)]
    found = {name for name in modules if name.startswith(f"{folder}/")}
    there = {path.relative_to(WEB).as_posix() for path in (WEB / folder).rglob("*.js")}
    alone = {"base/theme.js"}  # runs before the page, see ui/server/routes.py
    assert found == there - {f"{folder}/types.js"} - alone


def test_no_string_of_a_script_has_a_line_break():
    """Else it would lose the spaces after it, as the indentation of a line."""
    broken = [
        (name, line)
        for name, text in bundle(ENTRY)
        for line in text.split("\n")
        if re.sub(r"\\\\|\\`|\"[^\"]*\"", "", line).count("`") % 2
    ]
    assert broken == []


def test_the_linked_script_has_no_import_and_no_export_left():
    assert re.findall(r"^(?:import|export)\b.*", linked(bundle(ENTRY)), re.MULTILINE) == []


def test_the_first_script_is_small():
    assert len(script().compressed) <= BUDGET


def test_parts_have_nothing_of_the_first_script_and_it_has_nothing_of_them():
    of = re.compile(r'^modules\["([^"]+)"\] \?\?= ', re.MULTILINE)
    first = {*of.findall(script().text)}
    assert first == {name for name, _ in bundle(ENTRY)}
    for name, part in parts().items():
        assert name in of.findall(part.text)
        assert not first & {*of.findall(part.text)}
        assert part.path in script().text


def test_parts_have_their_style_sheets_which_the_first_script_has_not():
    for name, sheets in PART_SHEETS.items():
        written = "".join(file.read_text("utf-8") for sheet in sheets for file in WEB.glob(sheet))
        classes = {*re.findall(r"^\.([\w-]+)", written, re.MULTILINE)}
        assert classes
        assert all(f".{one}" in parts()[name].text for one in classes)
        assert not any(re.search(rf"\.{one}{{{{", script().text) for one in classes - SHARED)


@pytest.mark.nightly
def test_the_code_has_the_same_name_on_every_server():
    """Those behind one address send each other's visitors to it."""
    written = "from autodiff_viz.ui.bundle import parts, script; print(script().name, *parts())"
    command = [sys.executable, "-c", written]
    names = {
        subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, cwd=ROOT
        ).stdout
        for seed in "12"
    }
    assert names == {f"{' '.join((script().name, *parts()))}\n".encode()}


def test_a_linked_module_takes_what_it_imports_and_gives_what_it_exports(tmp_path):
    (tmp_path / "one.js").write_text("export const a = 1;\nexport function b() {}\n")
    (tmp_path / "main.js").write_text(
        'import { a, b as c } from "./one.js";\nexport default function main() {}\n'
    )
    one, main = re.split(r"(?<=\(\);)\n", linked(bundle("main.js", tmp_path)))
    assert one.startswith('modules["one.js"] ??= ')
    assert "\nconst a = 1;\nfunction b() {}\n" in one
    assert "return { a, b };" in one
    assert '\nconst { a, b: c } = modules["one.js"];\nfunction main() {}\n' in main
    assert "return { default: main };" in main


def test_what_is_imported_by_a_call_is_no_part_of_the_script(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/late.js").write_text(
        'import { main } from "../main.js";\nexport const late = () => main;\n'
    )
    (tmp_path / "main.js").write_text('export const main = () => import("./a/late.js");\n')
    modules = bundle("main.js", tmp_path)
    assert [name for name, _ in modules] == ["main.js"]
    assert imported_later(modules) == ["a/late.js"]
    assert 'const main = () => part("a/late.js");' in linked(modules)


def test_modules_that_import_each_other_are_refused(tmp_path):
    (tmp_path / "main.js").write_text('import { a } from "./other.js";')
    (tmp_path / "other.js").write_text('import { b } from "./main.js";')
    with pytest.raises(CycleError):
        bundle("main.js", tmp_path)


def test_the_browser_code_asks_nothing_of_other_hosts():
    for _, text in bundle(ENTRY):
        assert re.findall(r"https?://[^\s\"']+", text) in ([], ["http://www.w3.org/2000/svg"])
