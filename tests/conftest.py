"""Set up every test: JAX on the CPU and strict about dtypes, hypothesis without a clock."""

import gc
import os
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("AUTODIFF_VIZ_WORKERS", "off")  # pages drawn in a test show what they say at once
os.environ["AUTODIFF_VIZ_CACHE"] = "off"  # no test finds what another run has left behind
os.environ["AUTODIFF_VIZ_LESSONS"] = str(Path(__file__).parent / "lessons" / "own")  # see tests/own_lesson.py

import jax
import pytest
from hypothesis import HealthCheck, settings

from autodiff_viz.lab.edits import apply
from tests.scheduling import BrowserApart, pytest_collection, pytest_runtest_setup  # noqa: F401 (hooks)
from tests.work import free_programs

# Each after what it imports.
PLUGINS = ("asserting", "seeds", "known_failures", "second_try", "slices", "thorough")
LOADED = {"conftest", "scheduling", "work", *PLUGINS} - {"asserting"}
HELPERS = {path.stem for path in Path(__file__).parent.iterdir() if path.stem[0].isalpha()} - LOADED
pytest.register_assert_rewrite(*(f"tests.{name}" for name in HELPERS))  # so that these, too, say what failed
pytest_plugins = [f"tests.{name}" for name in PLUGINS]

# Imports make nothing that is to be collected; all that they have made is left out afterwards, see below.
gc.disable()

jax.config.update("jax_numpy_dtype_promotion", "strict")  # the project never mixes dtypes silently

# A first example compiles; how long that takes says nothing about the example.
PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("ci", derandomize=True, max_examples=50, **PATIENT)
settings.register_profile("dev", **PATIENT)
settings.register_profile("seed", derandomize=False, database=None, **PATIENT)  # what SEED gives alone
settings.load_profile("seed" if os.environ.get("SEED") else "ci" if os.environ.get("CI") else "dev")


def pytest_collection_finish():
    """Collect garbage seldom, and never look at what has been imported.

    Graphs and traces are freed without it; looking for circles took a tenth of the time of the tests.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    return BrowserApart(config, log)


@pytest.fixture(autouse=True)
def few_programs():
    yield
    free_programs()


@pytest.fixture(autouse=True)
def faults_in_edits(request, monkeypatch):
    """A fault of the program inside an edit fails the test, where the page would only say so."""
    if "says_faults" not in request.keywords:
        monkeypatch.setattr(apply, "report_fault", reraise)


def reraise(kind: str, error: Exception) -> None:
    raise error
