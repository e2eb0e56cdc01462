"""Run two processes of the app behind nginx, by the settings of deploy/nginx.conf, as one server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.server import Server, until_warm
from tests.browser import server as started
from tests.browser.replicas import Proxy, nginx

COUNT = 2


@dataclass(frozen=True, slots=True)
class Replicas:
    """The address of nginx, and the servers behind it."""

    address: str
    servers: tuple[Server, ...]

    @property
    def seconds(self) -> float:
        """Processor time so far of all of them; nginx takes hardly any."""
        return sum(server.seconds for server in self.servers)

    @property
    def own_seconds(self) -> float:
        """Processor time so far of the servers alone, without their workers."""
        return sum(server.own_seconds for server in self.servers)

    @property
    def megabytes(self) -> float:
        return sum(server.megabytes for server in self.servers)


@contextmanager
def replicas() -> Iterator[Replicas | None]:
    """Give the replicas when they are warm; None where no nginx is installed."""
    if nginx() is None:
        yield None
        return
    with TemporaryDirectory() as folder, ExitStack() as ends:
        place = Path(folder)
        settings = {"FORWARDED_ALLOW_IPS": "*", "AUTODIFF_VIZ_WARM_UP": "on"}
        apps = [started.Server(place / f"log{n}.txt", "uvicorn", **settings) for n in range(COUNT)]
        proxy = Proxy(place, apps)
        for each in (proxy, *apps):
            ends.callback(each.stop)
            each.start()
        servers = tuple(Server(app.address, app.process.pid) for app in apps)
        for server in servers:
            until_warm(server)
        yield Replicas(proxy.address, servers)
