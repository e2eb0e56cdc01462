"""Test that only the same version finds what outlives the server, where nobody else can write."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from autodiff_viz.workers import disk_cache
from autodiff_viz.workers.disk_cache import (
    VARIABLE,
    VERSIONS,
    directory,
    keep,
    note_begun,
    note_done,
    read,
    version,
    was_interrupted,
)

ONE, OTHER = "a" * 32, "b" * 32
ANSWER = [1.5, -0.0, {"kind": "float32"}, None]


@pytest.fixture
def root(tmp_path: Path, monkeypatch) -> Path:
    found = tmp_path / "cache"
    monkeypatch.setenv(VARIABLE, str(found))
    return found


def test_an_answer_is_found_again_bit_by_bit(root):
    keep(directory(ONE), b"key", ANSWER)
    assert repr(read(directory(ONE), b"key")) == repr(ANSWER)


def test_another_version_and_another_question_find_nothing(root):
    keep(directory(ONE), b"key", ANSWER)
    assert read(directory(OTHER), b"key") is None
    assert read(directory(ONE), b"other") is None


def test_an_answer_under_the_name_of_another_question_is_not_used(root):
    keep(directory(ONE), b"key", ANSWER)
    (file,) = directory(ONE).glob("*.json")
    file.rename(disk_cache._path(directory(ONE), b"other"))
    assert read(directory(ONE), b"other") is None


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text.replace("1.5", "2.5"),
        lambda text: text[:-3],
        lambda text: "",
        lambda text: "[" * 100_000,
        lambda text: json.dumps({"answer": ANSWER}),
        lambda text: json.dumps([text]),
        lambda text: text.replace('"answer"', '"other"'),
    ],
    ids=["another number", "cut off", "empty", "brackets", "no digest", "no object", "no answer"],
)
def test_what_was_changed_is_not_used(root, spoil):
    keep(directory(ONE), b"key", ANSWER)
    (file,) = directory(ONE).glob("*.json")
    file.write_text(spoil(file.read_text("utf-8")), "utf-8")
    assert read(directory(ONE), b"key") is None
    assert not file.exists()


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    limited, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limited, hard))


def test_on_a_full_disk_nothing_is_kept_and_nothing_is_left(root):
    """A limit of the size of files stands for it: what is beyond is not written, and an OSError is raised."""
    keep(directory(ONE), b"key", ANSWER)
    before = sorted(directory(ONE).iterdir())
    with files_of_at_most(1000):
        keep(directory(ONE), b"other", ["x" * 5000])
    assert sorted(directory(ONE).iterdir()) == before
    assert read(directory(ONE), b"other") is None


def test_what_is_far_too_large_is_not_read(root, monkeypatch):
    keep(directory(ONE), b"key", ANSWER)
    monkeypatch.setattr(disk_cache, "LARGEST", 10)
    assert read(directory(ONE), b"key") is None


def test_nobody_else_can_look_into_what_is_made(root):
    assert directory(ONE).stat().st_mode & 0o777 == 0o700
    assert root.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o770, 0o777, 0o702, 0o1777], ids=oct)
def test_a_directory_that_others_can_write_to_is_refused_and_the_log_says_how_to_mend_it(root, mode, caplog):
    root.mkdir()
    root.chmod(mode)
    assert directory(ONE) is None
    assert not list(root.iterdir())
    assert f"others may write to {root}" in caplog.text
    assert "chmod 700" in caplog.text


def test_a_directory_of_somebody_else_is_refused(root, monkeypatch, caplog):
    root.mkdir()
    mine = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: mine + 1)
    assert directory(ONE) is None
    assert f"belongs to the user {mine}; it must belong to {mine + 1}" in caplog.text


def test_a_directory_in_one_where_others_can_exchange_it_is_refused(root, caplog):
    root.parent.chmod(0o777)
    assert directory(ONE) is None
    assert f"they may write to {root.parent}" in caplog.text


def test_as_is_one_that_such_a_link_leads_to(root, tmp_path):
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    root.symlink_to(tmp_path / "open")
    assert directory(ONE) is None


def test_the_directory_for_temporary_files_is_one_where_nobody_can_exchange_it(root):
    root.parent.chmod(0o1777)
    assert directory(ONE) == root / ONE


def test_nothing_is_kept_where_it_is_switched_off_or_nothing_can_be_written(root, monkeypatch):
    root.parent.joinpath("file").touch()
    monkeypatch.setenv(VARIABLE, str(root.parent / "file" / "cache"))
    assert directory(ONE) is None
    monkeypatch.setenv(VARIABLE, "off")
    assert directory(ONE) is None
    keep(None, b"key", ANSWER)
    assert read(None, b"key") is None


def test_without_the_variable_it_is_in_the_users_cache(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "of_user"))
    assert directory(ONE) == tmp_path / "of_user" / "autodiff_viz" / ONE
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert directory(ONE) == tmp_path / "home" / ".cache" / "autodiff_viz" / ONE


def test_only_the_last_versions_are_kept_and_nothing_else_is_touched(root):
    for number in range(VERSIONS + 2):
        found = directory(f"{number:032x}")
        os.utime(found, (number, number))
    (root / "notes").mkdir()
    assert directory(ONE).name == ONE
    left = {path.name for path in root.iterdir()}
    assert left == {"notes", ONE, *(f"{number:032x}" for number in range(3, VERSIONS + 2))}


def test_a_version_is_of_the_source_the_libraries_and_what_tunes_them(tmp_path, monkeypatch):
    monkeypatch.delenv("XLA_FLAGS", raising=False)
    before = version(("jax", "1"))
    assert before == version(("jax", "1"))
    assert before != version(("jax", "2"))
    monkeypatch.setenv("XLA_FLAGS", "--xla_cpu_enable_fast_math=true")
    assert before != version(("jax", "1"))
    monkeypatch.delenv("XLA_FLAGS")
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "/elsewhere")
    assert before == version(("jax", "1"))
    (tmp_path / "one.py").write_text("x = 1")
    monkeypatch.setattr(disk_cache, "PACKAGE", tmp_path)
    with_one = version(("jax", "1"))
    assert with_one != before
    (tmp_path / "one.py").write_text("x = 2")
    assert version(("jax", "1")) != with_one


def test_what_a_process_had_begun_when_it_ended_is_known(tmp_path):
    """Not what this process is at, nor what has been done."""
    note_begun(tmp_path, b"mine")
    note_begun(tmp_path, b"done")
    note_done(tmp_path, b"done")
    lines = f"note_begun(Path({str(tmp_path)!r}), b'its')"
    program = f"from pathlib import Path; from autodiff_viz.workers.disk_cache import note_begun; {lines}"
    subprocess.run([sys.executable, "-c", program], check=True)
    keys = (b"mine", b"done", b"its", b"never")
    assert [was_interrupted(tmp_path, key) for key in keys] == [False, False, True, False]
    note_done(tmp_path, b"its")
    assert not was_interrupted(tmp_path, b"its")


def test_what_could_not_be_noted_on_a_full_disk_was_not_interrupted(tmp_path):
    with files_of_at_most(0):
        note_begun(tmp_path, b"key")
    assert not was_interrupted(tmp_path, b"key")
    note_done(tmp_path, b"key")
    assert list(tmp_path.iterdir()) == []


def test_a_number_of_a_process_that_is_used_again_is_another_process(tmp_path):
    note_begun(tmp_path, b"key")
    (path,) = tmp_path.iterdir()
    path.write_text(path.read_text().replace(" ", " 1", 1))  # it began at another time
    assert was_interrupted(tmp_path, b"key")
    path.write_text("no number")
    assert was_interrupted(tmp_path, b"key")


def test_without_a_directory_nothing_is_noted():
    note_begun(None, b"key")
    assert not was_interrupted(None, b"key")
