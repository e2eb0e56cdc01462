"""Test the lab in JupyterLab and marimo: at night, where requirements-notebook.txt is installed."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.parse import unquote
from urllib.request import urlopen

import pytest
from msgspec import json
from playwright.sync_api import FrameLocator, Page, sync_playwright

from tests.browser.server import FLAGS, HOW_TO_GET_CHROMIUM, chromium

ROOT = Path(__file__).parents[2]
INSTALLED = Path(os.environ.get("AUTODIFF_VIZ_NOTEBOOK", ROOT / "build" / "notebook")) / "bin"
PATIENCE = 180  # seconds: a notebook's server, its kernel and JAX begin one after the other
SHOWN = "iframe[title=Lab]"
GRAPH = "x = 30.0\\ny = sin(x)\\nz = y * x"
STOPPED = "-0.988"  # sin(30): what is left where sin is stopped
BUSY = "import time; print('begun'); time.sleep(600)"
NOT_RUN = "[ ]:"  # before a cell

UNRUN = {"execution_count": None, "outputs": []}
JUPYTER = [
    f"import autodiff_viz as av\nw = av.lab(av.parse('{GRAPH}'))\nw",
    "print('%.3f' % w.trace.gradient['x'], w.graph['y'].rule.kind, w.selected)",
    BUSY,
]
MARIMO = f"""import marimo

app = marimo.App()


@app.cell
def _():
    import autodiff_viz as av
    import marimo as mo

    w = mo.ui.anywidget(av.lab(av.parse("{GRAPH}")))
    w
    return mo, w


@app.cell
def _(mo, w):
    w.value
    mo.md("gradient " + "%.3f" % w.trace.gradient["x"])
    return


if __name__ == "__main__":
    app.run()
"""

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(chromium() is None, reason=HOW_TO_GET_CHROMIUM),
    pytest.mark.skipif(
        not (INSTALLED / "jupyter").exists(), reason="Install requirements-notebook.txt in build/notebook."
    ),
]


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=[*FLAGS])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(PATIENCE * 1000)
        yield page
        browser.close()


@contextmanager
def serving(folder: Path, *command: str) -> Iterator[str]:
    """Run a notebook's server on a free port, and yield its address."""
    with socket.socket() as asking:
        asking.bind(("127.0.0.1", 0))
        port = asking.getsockname()[1]
    settings = {**os.environ, "PYTHONPATH": str(ROOT), "JUPYTER_CONFIG_DIR": str(folder / "config")}
    with (folder / "log.txt").open("w") as log:
        server = subprocess.Popen(
            [str(INSTALLED / command[0]), command[1], "--port", str(port), *command[2:]],
            cwd=folder, env=settings, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    try:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                with urlopen(f"http://127.0.0.1:{port}/", timeout=5):
                    break
            except (URLError, OSError):
                time.sleep(0.5)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(30)


def stop_sin(page: Page) -> FrameLocator:
    """Stop the gradient at `y`, by hand."""
    lab = page.frame_locator(SHOWN)
    lab.locator("[data-id=y]").first.click()
    page.keyboard.press("s")
    lab.locator("[data-id=y].rule-stop").first.wait_for()
    return lab


class Jupyter:
    """A notebook in JupyterLab with these cells."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address
        page.goto(f"{address}/lab/tree/lab.ipynb")
        page.get_by_text("| Idle").wait_for()
        self.cells = page.locator(".jp-CodeCell")

    def run(self, at: int) -> None:
        """Run a cell; what is asked before the kernel is quite ready JupyterLab takes up, and drops."""
        cell = self.cells.nth(at)
        prompt = cell.locator(".jp-InputPrompt")
        before = prompt.inner_text()
        end = time.monotonic() + PATIENCE
        while prompt.inner_text() in (before, NOT_RUN) and time.monotonic() < end:
            cell.locator(".cm-content").click()
            self.page.keyboard.press("Shift+Enter")
            self.page.wait_for_timeout(3000)

    def kernel(self, asked: str) -> None:
        """Have the server "interrupt" or "restart" the kernel."""
        with urlopen(f"{self.address}/api/kernels") as found:
            kernels = json.decode(found.read())
        self.page.request.post(f"{self.address}/api/kernels/{kernels[0]['id']}/{asked}")


@pytest.fixture
def settings() -> dict[str, str]:
    """What the user has set in JupyterLab, by the name of its file."""
    return {}


@pytest.fixture
def jupyter(page, tmp_path, settings) -> Iterator[Jupyter]:
    for name, text in settings.items():
        kept = tmp_path / "config" / "lab" / "user-settings" / name
        kept.parent.mkdir(parents=True)
        kept.write_text(text)
    cells = [
        {"cell_type": "code", "id": f"c{i}", "metadata": {}, "source": text, **UNRUN}
        for i, text in enumerate(JUPYTER)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "lab.ipynb").write_bytes(json.encode(notebook))
    options = ("--no-browser", "--allow-root", "--ServerApp.token=", "--ServerApp.disable_check_xsrf=True")
    with serving(tmp_path, "jupyter", "lab", *options) as address:
        yield Jupyter(page, address)


def test_in_jupyterlab_a_stop_by_hand_reaches_python_and_no_interrupt_hurts_the_lab(jupyter):
    page = jupyter.page
    jupyter.run(0)
    lab = stop_sin(page)
    jupyter.run(1)
    page.get_by_text(f"{STOPPED} stop y").wait_for()
    jupyter.run(2)
    page.get_by_text("begun", exact=True).wait_for()
    jupyter.kernel("interrupt")
    page.get_by_text("KeyboardInterrupt").first.wait_for()
    lab.locator("[data-id=x]").first.click()
    jupyter.run(1)
    page.get_by_text(f"{STOPPED} stop x").wait_for()
    assert not lab.locator(".offline").count()


def test_in_jupyterlab_the_keys_that_save_save_the_notebook_from_within_the_lab(jupyter, tmp_path):
    jupyter.run(0)
    saved = tmp_path / "lab.ipynb"
    stop_sin(jupyter.page)
    assert "widget-view" not in saved.read_text()
    jupyter.page.keyboard.press("Control+s")
    end = time.monotonic() + 30  # JupyterLab itself saves every two minutes
    while "widget-view" not in saved.read_text() and time.monotonic() < end:
        jupyter.page.wait_for_timeout(200)
    assert "widget-view" in saved.read_text()


def test_in_jupyterlab_a_kernel_that_has_died_is_said_and_the_formula_can_be_copied(jupyter):
    page = jupyter.page
    jupyter.run(0)
    lab = stop_sin(page)
    cell = jupyter.cells.nth(1).locator(".cm-content")
    cell.click()
    page.keyboard.press("Control+a")
    page.keyboard.type("import os; os.kill(os.getpid(), 9)")
    page.keyboard.press("Shift+Enter")
    lab.get_by_text("The kernel has stopped; run the cell again.").wait_for()
    assert lab.locator("[data-id=y]").first.is_visible()  # the numbers stay
    page.locator(".jp-Dialog button").first.click()  # JupyterLab's own word about it
    lab.get_by_text("Copy formula").click()
    cell.click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+v")
    page.get_by_text("y = stop_gradient(sin(x))").wait_for()


def test_in_marimo_cells_that_use_the_lab_follow_it(page, tmp_path):
    (tmp_path / "lab.py").write_text(MARIMO)
    with serving(tmp_path, "marimo", "run", "--headless", "--no-token", "lab.py") as address:
        page.goto(address)
        page.get_by_text("gradient 3.640").wait_for()  # 30 cos(30) + sin(30)
        stop_sin(page)
        page.get_by_text(f"gradient {STOPPED}").wait_for()
        assert page.locator(SHOWN).count() == 1


@pytest.mark.parametrize(
    "settings", [{"@jupyter-widgets/jupyterlab-manager/plugin.jupyterlab-settings": '{"saveState": true}'}]
)
def test_in_jupyterlab_a_notebook_that_keeps_its_widgets_shows_the_picture_to_a_new_kernel(jupyter, tmp_path):
    page = jupyter.page
    jupyter.run(0)
    stop_sin(page)
    page.wait_for_timeout(3000)  # until nothing is edited
    page.keyboard.press("Control+s")
    saved = tmp_path / "lab.ipynb"
    end = time.monotonic() + 30
    while "widget-state" not in saved.read_text() and time.monotonic() < end:
        page.wait_for_timeout(200)
    jupyter.kernel("restart")
    page.reload()
    page.get_by_text("If there is none, start it and run the cell to make it live.").wait_for()
    picture = page.locator(".jp-OutputArea img").first
    assert STOPPED.replace("-", "\u2212") in unquote(picture.get_attribute("src"))
    assert not page.get_by_text("model not found").count()
