"""Find the public address of this server, which a proxy may have hidden, and which pages may connect to it.

Whoever sends a request writes its `Host`. An address that others may see, in a link preview or in the cache
of a proxy, is therefore made only of hosts that the environment lists.
"""

from __future__ import annotations

import os
import re
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection, Request
from streamlit import config
from streamlit.net_util import get_internal_ip
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

HOSTS = "AUTODIFF_VIZ_HOSTS"
"""Hosts under which visitors reach the server, as in its addresses, separated by commas; "*" for any."""

TRUSTED = "FORWARDED_ALLOW_IPS"
"""Uvicorn's own setting: addresses or networks of trusted proxies, separated by commas; "*" trusts all.

Uvicorn reads `X-Forwarded-Proto` and `X-Forwarded-For` by it, but not `X-Forwarded-Host`.
"""

NOBODY_ELSE = "127.0.0.1"
_HOST = re.compile(r"[\w.-]+(:\d{1,5})?|\[[\da-fA-F:.]+\](:\d{1,5})?", re.ASCII)


def origin(request: Request) -> str:
    """Return scheme, host and the path under which the app is mounted; for an unlisted host the path."""
    host = _public_host(request)
    path = request.scope.get("root_path", "")
    listed = _entries(HOSTS, "")
    if not _HOST.fullmatch(host) or not ("*" in listed or host.lower() in map(str.lower, listed)):
        return path
    return f"{request.scope['scheme']}://{host}{path}"


def is_from_own_page(connection: HTTPConnection) -> bool:
    """Return whether a websocket is opened by a page of this server or one that Streamlit's settings allow.

    Streamlit's own check does the same, and then asks a server on the internet for the address of this one,
    up to two seconds in which nobody is served.
    """
    host = connection.headers.get("host")
    if not is_host_allowed(host):
        return False
    page = connection.headers.get("origin")
    if page is None or not config.get_option("server.enableCORS"):
        return True
    try:
        asking = urlsplit(page)
        name = asking.hostname
    except ValueError:
        return False
    allowed = [*config.get_option("server.corsAllowedOrigins"), config.get_option("browser.serverAddress")]
    names = [urlsplit(entry if "//" in entry else f"//{entry}").hostname for entry in filter(None, allowed)]
    return asking.netloc in (host, _public_host(connection)) or (
        name is not None and name in ["localhost", "0.0.0.0", "127.0.0.1", get_internal_ip(), *names]
    )


def _public_host(connection: HTTPConnection) -> str:
    """Return the host that the visitor has asked for, as a trusted proxy says or else the request itself."""
    host = connection.headers.get("host", "")
    if not _is_trusted(connection):
        return host
    return connection.headers.get("x-forwarded-host", host).split(",")[0].strip()


def _is_trusted(connection: HTTPConnection) -> bool:
    """Return whether a trusted proxy has sent this request.

    Uvicorn replaces the client by the visitor whom the proxy names, with port 0, which no client can send
    from.
    """
    if connection.client is None or connection.client.port == 0:
        return True
    allowed = _entries(TRUSTED, NOBODY_ELSE)
    return "*" in allowed or any(_is_in(connection.client.host, entry) for entry in allowed)


def _entries(variable: str, otherwise: str) -> list[str]:
    """Return the entries of a variable of the environment, which commas separate."""
    return [entry.strip() for entry in os.environ.get(variable, otherwise).split(",")]


def _is_in(host: str, network: str) -> bool:
    try:
        return ip_address(host) in ip_network(network, strict=False)
    except ValueError:  # `network` is a name
        return host == network
