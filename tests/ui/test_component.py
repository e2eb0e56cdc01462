from __future__ import annotations

import re
from graphlib import CycleError
from pathlib import Path

import pytest

from autodiff_viz.ui import component
from autodiff_viz.ui.component import WEB, bundle, fresh, linked
from autodiff_viz.ui.inbox import word

ENTRIES = ["editor/web/main.js", "formula/web/main.js", "sliders/web/main.js", "sweeps/web/main.js"]
INBOX = {"key": "session", "ack": 4}


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


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_module_comes_after_those_it_imports(entry):
    seen: set[str] = set()
    for name, text in bundle(entry):
        assert set(re.findall(r'from "([^"]+)"', text)) <= seen
        seen.add(name)


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_bundle_holds_every_module_of_its_folder_that_has_code(entry):
    folder = Path(entry).parent
    found = {Path(name).name for name, _ in bundle(entry) if Path(name).parent == folder}
    assert found == {path.name for path in (WEB / folder).glob("*.js")} - {"types.js"}


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_linked_script_has_no_import_and_no_export_left(entry):
    assert re.findall(r"^(?:import|export)\b.*", linked(bundle(entry)), re.MULTILINE) == []


def test_a_linked_module_takes_what_it_imports_and_gives_what_it_exports(tmp_path):
    (tmp_path / "one.js").write_text("export const a = 1;\nexport function b() {}\n")
    (tmp_path / "main.js").write_text(
        'import { a, b as c } from "./one.js";\nexport default function main() {}\n'
    )
    one, main = re.split(r"(?<=\(\);)\n", linked(bundle("main.js", tmp_path)))
    assert one.startswith('modules["one.js"] = ')
    assert "\nconst a = 1;\nfunction b() {}\n" in one
    assert "return { a, b };" in one
    assert '\nconst { a, b: c } = modules["one.js"];\nfunction main() {}\n' in main
    assert "return { default: main };" in main


def test_modules_that_import_each_other_are_refused(tmp_path):
    (tmp_path / "main.js").write_text('import { a } from "./other.js";')
    (tmp_path / "other.js").write_text('import { b } from "./main.js";')
    with pytest.raises(CycleError):
        bundle("main.js", tmp_path)


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_browser_code_asks_nothing_of_other_hosts(entry):
    for _, text in bundle(entry):
        assert re.findall(r"https?://[^\s\"']+", text) in ([], ["http://www.w3.org/2000/svg"])


def test_edits_of_several_components_that_come_together_are_done_in_the_order_they_were_made(monkeypatch):
    state: dict = {}
    monkeypatch.setattr(component.st, "session_state", state)
    done: list[str] = []
    key = word("canvas")["key"]
    for name, made in (("canvas", [3, 4, 9]), ("formula", [1, 5]), ("sliders", [2, 6])):
        on_edit = lambda edits, name=name: done.extend(f"{name} {edit['made']}" for edit in edits)  # noqa: E731
        state[component._receiver(name)] = (on_edit, lambda message: None)
        edits = [{"seq": i, "kind": "any", "made": when} for i, when in enumerate(made, 1)]
        state[name] = {"outbox": {"key": key, "edits": edits}}
    for name in ("sliders", "canvas", "formula"):  # whatever Streamlit calls first
        component._deliver(name)
    assert done == [
        "formula 1", "sliders 2", "canvas 3", "canvas 4", "formula 5", "sliders 6", "canvas 9",
    ]  # fmt: skip
    assert [word(name)["ack"] for name in ("canvas", "formula", "sliders")] == [3, 2, 2]
