"""Run pages without the warm-up: its thread must not be compiling when the interpreter ends."""

from collections.abc import Iterator

import pytest

from autodiff_viz.ui import fragments, scheduling, session, warm_up
from tests.browser.server import Server
from tests.ui.visitor import Visitor, visiting


@pytest.fixture(autouse=True, scope="session")
def _nothing_is_warmed():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(warm_up, "ready", lambda: None)
        patch.setattr(fragments, "is_seen", lambda shown: True)  # no browser says what can be seen
        patch.setattr(fragments, "is_first", lambda shown: False)  # nor asks for what a first run leaves out
        patch.setattr(scheduling, "_last", scheduling.Pace(0.0, 0.0))
        patch.setattr(scheduling, "process_time", lambda: 0.0)  # the tests' own work is no load of the server
        yield


@pytest.fixture(autouse=True)
def _no_action_fails_unseen(caplog):
    """The page goes on after a mistake of ours in an action; a test must not."""
    yield
    assert [r.getMessage() for r in caplog.get_records("call") if r.name == session.__name__] == []


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The app in a process of its own."""
    found = Server(tmp_path_factory.mktemp("server") / "log.txt")
    try:
        found.start()
        yield found
    finally:
        found.stop()


@pytest.fixture
def visitor(server: Server) -> Iterator[Visitor]:
    """Someone who has just opened the lab."""
    with visiting(server.address) as found:
        yield found
