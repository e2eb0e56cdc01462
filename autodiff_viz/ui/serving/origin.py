"""Find the public address of this server, which a proxy may have hidden."""

from __future__ import annotations

import os
import re
from ipaddress import ip_address, ip_network

from starlette.requests import Request

TRUSTED = "FORWARDED_ALLOW_IPS"
"""Uvicorn's own setting: addresses or networks of trusted proxies, separated by commas; "*" trusts all.

Uvicorn reads `X-Forwarded-Proto` and `X-Forwarded-For` by it, but not `X-Forwarded-Host`.
"""

NOBODY_ELSE = "127.0.0.1"
_HOST = re.compile(r"[\w.-]+(:\d{1,5})?|\[[\da-fA-F:.]+\](:\d{1,5})?", re.ASCII)


def origin(request: Request) -> str:
    """Return scheme, host and the path under which the app is mounted; "" if the host is malformed."""
    host = request.headers.get("host", "")
    if _is_trusted(request):
        host = request.headers.get("x-forwarded-host", host).split(",")[0].strip()
    if not _HOST.fullmatch(host):
        return ""
    return f"{request.scope['scheme']}://{host}{request.scope.get('root_path', '')}"


def _is_trusted(request: Request) -> bool:
    """Return whether a trusted proxy has sent this request.

    Uvicorn replaces the client by the visitor whom the proxy names, with port 0, which no client can send
    from.
    """
    if request.client is None or request.client.port == 0:
        return True
    allowed = [entry.strip() for entry in os.environ.get(TRUSTED, NOBODY_ELSE).split(",")]
    return "*" in allowed or any(_is_in(request.client.host, entry) for entry in allowed)


def _is_in(host: str, network: str) -> bool:
    try:
        return ip_address(host) in ip_network(network, strict=False)
    except ValueError:  # `network` is a name
        return host == network
