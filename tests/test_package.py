"""Test the package as pip makes it: its files, its requirements, and that the README's Python runs there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

from autodiff_viz.graph.version import VERSION
from tests.readme import PROGRAMS, program
from tests.test_architecture import APP, PACKAGE, ROOT, draws, imports, library, place

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
NEEDS = [Requirement(text) for text in PROJECT["project"]["dependencies"]]
APP_NEEDS = [Requirement(text) for text in PROJECT["project"]["optional-dependencies"]["app"]]
NOTEBOOK_NEEDS = [Requirement(text) for text in PROJECT["project"]["optional-dependencies"]["notebook"]]
BUILD_NEEDS = [Requirement(text) for text in PROJECT["build-system"]["requires"]]
ON_THE_PAGE = {"ui", "notebook", "app.py"}
INSTALLED_AS = {"google": "protobuf", "PIL": "pillow"}
"""Where the page's own libraries may be imported."""


PYTHONS = ("3.11", "3.12", "3.13", "3.14")
"""The versions of Python that requirements.txt has pins for."""


def pins(file: str) -> list[Requirement]:
    """The requirements of a file."""
    lines = [line.split("#")[0].strip() for line in (ROOT / file).read_text("utf-8").splitlines()]
    return [Requirement(line) for line in lines if "==" in line]


def pinned(file: str, python: str) -> dict[str, str]:
    """The version of each library that pip installs for a Python; a library must not have two."""
    environment = {"python_version": python, "python_full_version": f"{python}.0"}
    found = [r for r in pins(file) if r.marker is None or r.marker.evaluate(environment)]
    versions = {r.name: str(r.specifier).removeprefix("==") for r in found}
    assert len(versions) == len(found)
    return versions


def run(*arguments: object, **options: object) -> str:
    """Run Python; what it printed. Nothing is asked of an index."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    env |= {"PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", **options.pop("env", {})}
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """What `python -m build` makes of a copy, so that nothing of an older build gets in or is left behind."""
    copy = tmp_path_factory.mktemp("project")
    ours = shutil.ignore_patterns("__pycache__")
    for name in ("pyproject.toml", "LICENSE", "MANIFEST.in", "CHANGELOG.md", "CITATION.cff"):
        shutil.copy(ROOT / name, copy)
    for name in (PACKAGE, "docs", "tests/ops"):
        shutil.copytree(ROOT / name, copy / name, ignore=ours)
    run("-m", "build", "--no-isolation", "--outdir", "made", ".", cwd=copy)
    return copy / "made"


@pytest.fixture(scope="module")
def wheel(built) -> Path:
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    target = tmp_path_factory.mktemp("installed")
    run("-m", "pip", "install", "--no-deps", "--target", target, wheel)
    return target


FOR_DEVELOPERS = ("package.json", "README.md")


@pytest.mark.nightly
def test_everything_that_the_package_reads_is_in_it(installed):
    def files(root):
        found = (path.relative_to(root) for path in (root / PACKAGE).rglob("*") if path.is_file())
        return {str(path) for path in found if path.suffix != ".pyc" and path.name not in FOR_DEVELOPERS}

    assert files(installed) == files(ROOT)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("block", PROGRAMS)
def test_the_readmes_python_runs_where_only_the_package_is_installed(installed, tmp_path, block):
    text = program(block) + "import autodiff_viz\nprint(autodiff_viz.__file__)\n"
    (tmp_path / "snippet.py").write_text(text, "utf-8")
    found = run("snippet.py", cwd=tmp_path, env={"PYTHONPATH": str(installed)})
    assert found.splitlines()[-1] == str(installed / PACKAGE / "__init__.py")


def test_an_index_takes_both_files_and_neither_has_tests(built, wheel):
    """`--strict`: what the index would show of the description is looked at too."""
    (source,) = built.glob("*.tar.gz")
    assert run("-m", "twine", "check", "--strict", wheel, source).count("PASSED") == 2
    with tarfile.open(source) as packed:
        names = [*zipfile.ZipFile(wheel).namelist(), *packed.getnames()]
    assert {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()} == {
        PACKAGE,
        wheel.name.removesuffix("-py3-none-any.whl") + ".dist-info",
    }
    assert [name for name in names if "tests" in name.split("/")] == []
    assert any(name.endswith("/CITATION.cff") for name in names)


def test_the_description_leads_nowhere_else():
    """On the page of an index no relative link or picture works."""
    text = (ROOT / PROJECT["project"]["readme"]).read_text("utf-8")
    assert re.findall(r"\]\((?!https://)", text) == []


def test_what_is_installed_reads_traces_and_draws(installed, tmp_path):
    code = """
import autodiff_viz as av
reading = av.read("import torch\\nx = torch.tensor(3.0, requires_grad=True)\\ny = x * x\\ny.backward()")
trace = av.trace(reading.graph)
print(float(reading.answers()["x"]), float(trace.gradient["x"]))
print(len(av.to_html(trace, check=False)) > 100_000)
"""
    said = run("-c", code, cwd=tmp_path, env={"PYTHONPATH": str(installed)})
    assert said.split() == ["6.0", "6.0", "True"]


STARTS = """
import os, subprocess, sys, threading
started = []
for owner, name in ((threading.Thread, "start"), (subprocess, "Popen"), (os, "fork"), (os, "posix_spawn")):
    setattr(owner, name, lambda *given, _name=name, **named: started.append(_name))
sys.addaudithook(lambda event, given: started.append(event) if event == "socket.bind" else None)
import autodiff_viz as av
print(*sorted({"jax", "numpy", "plotly", "streamlit"} & {*sys.modules}))
graph = av.read("import jax.numpy as jnp\\ndef f(x):\\n    return jnp.sin(x)\\ny = f(2.0)").graph
str(av.trace(graph)), av.trace(graph)._repr_mimebundle_(include=["text/html"])
print(threading.active_count(), started)
"""


def test_an_import_loads_no_jax_and_nothing_starts_a_thread_a_process_or_a_server(installed, tmp_path):
    """So core, reader and canvas run where there are none, as in a browser."""
    said = run("-c", STARTS, cwd=tmp_path, env={"PYTHONPATH": str(installed)})
    assert said.split("\n") == ["", "1 []", ""]


def test_the_citation_names_this_version():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert cited["version"] == VERSION
    assert cited["license"] == PROJECT["project"]["license"]
    assert cited["cff-version"] == "1.2.0"


def test_the_api_needs_no_library_of_the_page(installed, tmp_path):
    names = sorted(requirement.name for requirement in APP_NEEDS)
    blocked = "".join(f"sys.modules[{name!r}] = None\n" for name in names)
    code = f"import sys\n{blocked}import autodiff_viz as av\n[getattr(av, name) for name in av.__all__]"
    run("-c", code, cwd=tmp_path, env={"PYTHONPATH": str(installed)})


def test_the_version_is_said_in_one_place(wheel, installed, tmp_path):
    code = "import autodiff_viz, importlib.metadata as m\n"
    code += "print(autodiff_viz.__version__, m.version('autodiff_viz'))"
    said = run("-c", code, cwd=tmp_path, env={"PYTHONPATH": str(installed)})
    assert said.split() == [wheel.name.split("-")[1]] * 2
    assert "version" in PROJECT["project"]["dynamic"]


def test_what_is_imported_is_what_is_required():
    own = {PACKAGE, *sys.stdlib_module_names}
    used = {
        (
            INSTALLED_AS.get(library(module), library(module)),
            place(path) in ON_THE_PAGE or draws(path) or path.stem == "painted",
        )
        for path in APP
        for module in imports(path)
    }
    api = {name for name, on_the_page in used if not on_the_page} - own
    assert api == {requirement.name for requirement in NEEDS}
    assert {name for name, _ in used} - own == {r.name for r in (*NEEDS, *APP_NEEDS, *NOTEBOOK_NEEDS)}


@pytest.mark.parametrize("requirement", [*NEEDS, *APP_NEEDS, *BUILD_NEEDS], ids=str)
def test_what_is_required_is_pinned_to_a_version_that_fits(requirement):
    file = "requirements-dev.txt" if requirement in BUILD_NEEDS else "requirements.txt"
    for python in PYTHONS:
        assert requirement.specifier.contains(pinned(file, python)[requirement.name])


@pytest.mark.parametrize("python", PYTHONS)
def test_each_python_has_one_pin_of_each_library(python):
    names = {r.name for r in pins("requirements.txt")}
    assert names == pinned("requirements.txt", python).keys()
    assert {"jax", "jaxlib", "numpy", "scipy", "ml_dtypes"} <= names


def test_the_newest_jax_is_pinned_where_python_is_new_enough():
    """JAX 0.12 needs Python 3.12; 0.10.2 was the last for 3.11."""
    old, new = (pinned("requirements.txt", python) for python in ("3.11", "3.13"))
    assert (old["jax"], old["jaxlib"]) == ("0.10.2", "0.10.2")
    assert Version(new["jax"]) == Version(new["jaxlib"]) >= Version("0.12.0.1")
    (bounds,) = (r.specifier for r in NEEDS if r.name == "jax")
    assert not bounds.contains("0.10.1")
    assert not bounds.contains("0.13.0")


def test_the_container_has_a_python_with_the_newest_jax():
    dockerfile = (ROOT / "deploy" / "Dockerfile").read_text("utf-8")
    (python,) = re.findall(r"^FROM python:(\d\.\d+)-", dockerfile, re.M)
    assert python in PYTHONS
    assert pinned("requirements.txt", python)["jax"] == pinned("requirements.txt", PYTHONS[-1])["jax"]
    assert set(re.findall(r"/lib/python(\d\.\d+)/", dockerfile)) == {python}


@pytest.mark.parametrize("name", ["uv.lock", "Pipfile", "environment.yml", "environment.yaml"])
def test_no_file_comes_before_the_pins_on_streamlits_hosts(name):
    """Community Cloud installs from the first that it finds of uv.lock, Pipfile, environment.yml,
    requirements.txt and pyproject.toml.

    Source: https://docs.streamlit.io/deploy/streamlit-community-cloud/deploy-your-app/app-dependencies
    """
    assert not (ROOT / name).exists()
    assert (ROOT / "requirements.txt").exists()
