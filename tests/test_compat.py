"""Test how the newest Python of a machine is found, and that the versions are said where numbers are."""

from pathlib import Path

import jax
import jax.lib

import autodiff_viz as av
from autodiff_viz.engine.compilation_cache import LIBRARIES
from autodiff_viz.workers import disk_cache
from tests.compat import EVERYTHING, PAGE, REGIONS, ROOT, TURNS, in_turn, newest


def python(folder: Path, name: str, prints: str, code: int = 0) -> str:
    """A command that answers as a Python of that version does."""
    path = folder / name
    path.write_text(f"#!/bin/sh\necho {prints}\nexit {code}\n", "utf-8")
    path.chmod(0o755)
    return str(path)


def test_a_shim_without_a_version_is_passed_over(tmp_path):
    shim = python(tmp_path, "python3.14", "not found", 127)
    real = python(tmp_path, "python3.13", "3.13.0")
    assert newest(iter([shim, real])) == (real, "3.13.0")


def test_without_a_newer_python_there_is_none(tmp_path):
    assert newest(iter([])) is None
    assert newest(iter([python(tmp_path, "python3.12", "broken", 1)])) is None


def test_the_api_and_an_exported_file_say_the_versions():
    found = av.versions()
    assert (found["autodiff_viz"], found["jax"]) == (av.__version__, jax.__version__)
    graph = av.parse("x = parameter(1.0)\ny = sin(x)")
    for text in (av.to_python(graph), av.training_to_python(graph, "sgd", 0.1, 3)):
        assert f"autodiff_viz {av.__version__} with JAX {jax.__version__}" in text.split('"""')[1]


def test_what_is_kept_on_disk_depends_on_jaxlib_and_on_the_form_of_regions(monkeypatch):
    assert {jax.__version__, jax.lib.__version__} <= {*LIBRARIES}
    monkeypatch.delenv("JAX_REMAT3", raising=False)
    plain = disk_cache.version(LIBRARIES)
    assert disk_cache.version((*LIBRARIES[:1], "0.0.1", *LIBRARIES[2:])) != plain
    monkeypatch.setenv("JAX_REMAT3", "1")
    assert disk_cache.version(LIBRARIES) != plain


def test_what_it_names_is_there():
    for name in (*EVERYTHING, *REGIONS, *PAGE):
        path, _, test = name.partition("::")
        assert (ROOT / path).exists(), name
        assert not test or f"def {test}(" in (ROOT / path).read_text("utf-8"), name


def test_each_file_has_its_turn():
    for folders in (EVERYTHING, REGIONS):
        turns = [in_turn(folders, turn) for turn in range(TURNS)]
        assert all(turns)
        assert sorted(name for turn in turns for name in turn) == in_turn(folders, None)
