"""Test code that workers read: whatever a text does, the server goes on and its author is told."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autodiff_viz.graph.short_text import FORMULA, short_text
from autodiff_viz.lab.code import (
    INTERRUPTED,
    NO_ROOM,
    READINGS,
    STOPPED,
    TOO_MUCH,
    known_reading,
)
from autodiff_viz.lab.formula import formula
from autodiff_viz.lab.persistence.address import from_query
from autodiff_viz.lab.state import start
from autodiff_viz.ui import code_reading, exchange, worker_jobs
from autodiff_viz.ui.code_reading import with_code
from autodiff_viz.ui.exchange import apply_message, go_on_reading
from autodiff_viz.ui.session import Session
from autodiff_viz.workers.jobs import DROPPED, Answer, Job, done_here
from autodiff_viz.workers.pool import Pool
from tests.workers.errands import read_without_end

SQUARE = "import jax.numpy as jnp\nx = jnp.array(3.0)\ny = x * x\n"
LONG = "import jax\n"
PATIENCE = 60.0


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    found = Pool(("autodiff_viz.lab.code",))
    found.listen(code_reading._collect)
    yield found
    found.end()


@pytest.fixture
def without_end(server: Path, monkeypatch) -> None:
    """Texts make the reader do what nothing in Python ends, but for those of `SQUARE`."""
    begun = code_reading.job_of

    def job_of(function, text: str, **options: Any):
        return begun(function if text.startswith(SQUARE) else read_without_end, text, **options)

    monkeypatch.setattr(code_reading, "job_of", job_of)


@pytest.fixture
def server(monkeypatch, tmp_path: Path, pool: Pool) -> Iterator[Path]:
    """A server that has code read by workers; returns where it notes what it has begun."""
    for module in (worker_jobs, code_reading, exchange):
        monkeypatch.setattr(module, "workers", lambda: pool, raising=False)
    monkeypatch.setattr(code_reading, "kept", lambda: tmp_path)
    READINGS.clear()
    monkeypatch.setattr(READINGS, "apart", True)
    yield tmp_path
    READINGS.clear()


def sends(session: Session, *edits: dict[str, Any], **beside: Any) -> None:
    """Send edits, as the lab's websocket does."""
    with session.lock:
        apply_message(session, {"key": session.inbox.key, "edits": list(edits), **beside})
        go_on_reading(session)


def goes_on(session: Session) -> bool:
    """Wait until the code that the session waits for has been read, and go on."""
    deadline = time.monotonic() + PATIENCE
    while session.reading.key and code_reading.is_under_way(session.reading.key):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    with session.lock:
        go_on_reading(session)
    return session.reading.key is None


def typing(text: str, seq: int = 1) -> dict[str, Any]:
    return {"kind": "type", "text": text, "seq": seq}


def library(session: Session) -> str:
    return formula(session.lab)["code"]["library"]


def test_code_that_is_typed_becomes_its_graph_when_it_has_been_read(server):
    session = Session(start())
    sends(session, typing(SQUARE))
    assert session.reading.key is not None
    assert session.inbox.ack == 1  # the text is in the address, as a draft
    assert goes_on(session)
    assert library(session) == "JAX"
    assert [*server.iterdir()] == []  # nothing is noted as begun


def test_a_text_that_compares_without_end_is_ended_and_its_author_is_told(without_end):
    session, other = Session(start()), Session(start())
    sends(session, typing(LONG))
    other.origin = "elsewhere"
    sends(other, typing(SQUARE))  # beside it
    assert goes_on(other)
    assert library(other) == "JAX"
    assert goes_on(session)
    assert session.lab.mistakes == (TOO_MUCH,)
    assert session.lab.graph == start().graph


def test_what_is_read_can_be_stopped_and_read_again(without_end):
    session = Session(start())
    sends(session, typing(LONG + "# stopped\n"))
    sends(session, stop=True)
    assert session.reading.key is None
    assert session.lab.mistakes == (STOPPED,)
    sends(session, {"kind": "read_again", "seq": 2})
    assert session.reading.key is not None
    sends(session, typing(SQUARE, 3))  # which takes its place
    assert goes_on(session)
    assert library(session) == "JAX"


def test_an_import_waits_unacknowledged_and_so_does_what_follows(server, monkeypatch):
    session, holding = Session(start()), Holding()
    monkeypatch.setattr(code_reading, "workers", lambda: holding)
    edits = [
        {"kind": "import", "text": SQUARE, "seq": 1},
        {"kind": "slide", "name": "x", "value": 4.0, "seq": 2},
    ]
    sends(session, *edits)
    assert session.inbox.ack == 0
    sends(session, *edits, {"kind": "select", "node": "y", "seq": 3})  # the browser sends all of them again
    assert session.inbox.ack == 0
    holding.release()
    assert goes_on(session)
    assert session.inbox.ack == 3
    assert session.lab.graph["x"].param("value") == 4.0
    assert session.lab.selected == "y"


def test_an_import_that_is_stopped_is_not_done_and_what_follows_is(without_end):
    session = Session(start())
    waits = [
        {"kind": "import", "text": LONG + "# import\n", "seq": 1},
        {"kind": "slide", "name": "x", "value": 4.0, "seq": 2},
    ]
    sends(session, *waits)
    sends(session, *waits, stop=True)
    assert session.inbox.ack == 2
    assert session.reading.key is None
    assert session.lab.graph["x"].param("value") == 4.0
    assert [problem.code for problem in session.lab.notice] == [STOPPED.code]


def test_a_page_waits_for_the_code_of_its_address(without_end):
    query = {FORMULA: short_text(SQUARE + "z = y\n")}
    lab = with_code(lambda: from_query(query), "anna", None)
    assert "y" in lab.graph
    bomb = with_code(lambda: from_query({FORMULA: short_text(LONG + "# link\n")}), "anna", None)
    assert not bomb.graph.nodes
    assert formula(bomb)["mistakes"][0]["again"]


def test_without_room_it_is_said_and_asking_again_tries_again(server, monkeypatch):
    session = Session(start())
    dropping = Dropping()
    monkeypatch.setattr(code_reading, "workers", lambda: dropping)
    sends(session, typing(SQUARE + "# busy\n"))
    assert goes_on(session)
    assert session.lab.mistakes == (NO_ROOM,)
    monkeypatch.setattr(code_reading, "workers", worker_jobs.workers)
    sends(session, {"kind": "read_again", "seq": 2})
    assert goes_on(session)
    assert library(session) == "JAX"


class Holding:
    """Workers that answer when they are told to."""

    def __init__(self) -> None:
        self._jobs: dict[bytes, Job] = {}
        self._answers = False

    def ask(self, asker, job):
        self._jobs[job.key] = job

    def at_once(self, act):
        act()

    def take(self, key):
        return done_here(self._jobs.pop(key)) if self._answers else None

    def is_under_way(self, key):
        return key in self._jobs

    def cancel(self, asker):
        pass

    def release(self) -> None:
        self._answers = True
        code_reading._collect()


class Dropping:
    """Workers that have no room."""

    def ask(self, asker, job):
        pass

    def at_once(self, act):
        act()

    def take(self, key):
        return Answer(why=DROPPED)

    def cancel(self, asker):
        pass


def test_what_was_read_as_a_server_ended_is_read_only_when_asked(server):
    text = SQUARE + "# ended\n"
    program = (
        "from pathlib import Path; from autodiff_viz.workers.disk_cache import note_begun; "
        "from autodiff_viz.workers.jobs import job_of; from autodiff_viz.lab.code import read_bounded; "
        f"note_begun(Path({str(server)!r}), job_of(read_bounded, {text!r}).key)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    session = Session(start())
    sends(session, typing(text))
    assert goes_on(session)
    assert session.lab.mistakes == (INTERRUPTED,)
    sends(session, {"kind": "read_again", "seq": 2})
    assert goes_on(session)
    assert library(session) == "JAX"


def test_one_reading_serves_all_who_ask_for_it(server):
    text = SQUARE + "# together\n"
    before = READINGS.missed
    here = [Session(start()) for _ in range(4)]
    for session in here:
        sends(session, typing(text))
    assert all(goes_on(session) for session in here)
    assert [library(session) for session in here] == ["JAX"] * 4
    assert READINGS.missed - before == 1
    assert known_reading(text) is not None
