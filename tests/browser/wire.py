"""Hold back messages on the connections to the server, and release them in their order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, WebSocketRoute

SOCKETS = re.compile(r"/_stcore/stream$|/lab-socket$")


class Wire:
    """The websockets of one page: Streamlit's and the lab's own."""

    def __init__(self, page: Page):
        self.held: list[Callable[[], None]] | None = None
        self.sent = 0
        page.route_web_socket(SOCKETS, self._connect)

    def _connect(self, browser: WebSocketRoute) -> None:
        server = browser.connect_to_server()
        browser.on_message(lambda message: self._pass(lambda: server.send(message), 1))
        server.on_message(lambda message: self._pass(lambda: browser.send(message), 0))

    def _pass(self, deliver: Callable[[], None], sent: int) -> None:
        self.sent += sent
        if self.held is None:
            deliver()
        else:
            self.held.append(deliver)

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Let nothing through, either way, until this is left."""
        self.held = []
        yield
        late, self.held = self.held, None
        for deliver in late:
            deliver()
