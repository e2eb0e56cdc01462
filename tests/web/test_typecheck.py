"""Test that the checker of types refuses what it must, and reads every script of the project."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.web.npm_tools import ROOT
from tests.web.typecheck import TSC

WRONG = """\
/** @param {number} a */
export const twice = (a) => 2 * a;
export const four = twice("2");
"""


def checked(*arguments: str | Path) -> tuple[int, str]:
    """(exit status, what the checker prints)"""
    if not TSC.exists():
        pytest.skip("No TypeScript: `make check` fetches it")
    done = subprocess.run([TSC, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def test_an_argument_of_the_wrong_type_is_refused(tmp_path):
    (tmp_path / "wrong.js").write_text(WRONG)
    config = {"extends": str(ROOT / "jsconfig.json"), "include": [str(tmp_path / "*.js")]}
    (tmp_path / "jsconfig.json").write_text(json.dumps(config))
    status, said = checked("--project", tmp_path / "jsconfig.json")
    assert status != 0
    assert "wrong.js(3,27): error TS2345" in said


EDITS = """\
/** @type {import("%s/autodiff_viz/web/messages.js").NewEdit[]} */
export const edits = [
  { kind: "connect", from: "a", to: "b", slot: 0 },
  { kind: "connect", from: "a", slot: 0 },
  { kind: "connect", from: "a", to: "b", slot: "0" },
  { kind: "conect", from: "a", to: "b", slot: 0 },
];
"""


def test_an_edit_with_a_field_that_is_missing_or_of_the_wrong_type_is_refused(tmp_path):
    (tmp_path / "edits.js").write_text(EDITS % ROOT)
    config = {"extends": str(ROOT / "jsconfig.json"), "include": [str(tmp_path / "*.js")]}
    (tmp_path / "jsconfig.json").write_text(json.dumps(config))
    status, said = checked("--project", tmp_path / "jsconfig.json")
    assert status != 0
    assert [int(line) for line in re.findall(r"edits\.js\((\d+),", said)] == [4, 5, 6]


EVENTS = """\
import { dispatch, listen } from "%s/autodiff_viz/web/base/events.js";
dispatch("runs", { node: "a" });
dispatch("run", { node: "a" });
dispatch("runs", { name: "a" });
dispatch("runs", { node: 1 });
listen("settle", () => {}, () => false);
listen("runs", ({ node }) => node?.length, () => false);
listen("runs", ({ node }) => node.length, () => false);
"""


def test_an_event_of_another_name_or_with_another_detail_is_refused(tmp_path):
    (tmp_path / "events.js").write_text(EVENTS % ROOT)
    config = {"extends": str(ROOT / "jsconfig.json"), "include": [str(tmp_path / "*.js")]}
    (tmp_path / "jsconfig.json").write_text(json.dumps(config))
    status, said = checked("--project", tmp_path / "jsconfig.json")
    assert status != 0
    assert [int(line) for line in re.findall(r"events\.js\((\d+),", said)] == [3, 4, 5, 6, 8]


def test_every_script_is_read():
    _, said = checked("--project", ROOT / "jsconfig.json", "--listFilesOnly")
    read = {Path(line) for line in said.splitlines()}
    assert set((ROOT / "autodiff_viz").rglob("*.js")) <= read
