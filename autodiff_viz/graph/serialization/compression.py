"""Compress text to URL-safe characters (zlib and base64), for URLs and for browser storage."""

from __future__ import annotations

import base64
import zlib

DAMAGED, TRUNCATED, TOO_LONG, MORE = "damaged", "truncated", "too-long", "more"
"""Reasons why a text cannot be unpacked: characters are wrong or missing, its end is missing, it would be too
long, or other data follows it."""


class Unreadable(ValueError):
    """Raised for a text that cannot be unpacked; `why` is one of the reasons above."""

    def __init__(self, why: str):
        super().__init__(why)
        self.why = why


def packed(text: str, level: int = 9) -> str:
    """Compress `text` to letters, digits, - and _."""
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), level)).rstrip(b"=").decode("ascii")


def unpacked(letters: str, most: int) -> str:
    """Decompress what `packed` wrote; + and / are read as - and _, since an earlier version wrote them.

    Args:
      letters: untrusted; a few of them may unpack to gigabytes.
      most: greatest number of bytes of the text.
    Returns:
      The text.
    Raises:
      Unreadable: `letters` are not a whole packed text, or the text is longer.
    """
    unpacker = zlib.decompressobj()
    plain = letters.rstrip("=").translate({ord("+"): "-", ord("/"): "_"})
    try:
        found = base64.b64decode(plain + "=" * (-len(plain) % 4), altchars=b"-_", validate=True)
        raw = unpacker.decompress(found, most + 1)
    except (ValueError, zlib.error) as error:  # binascii.Error is a ValueError; so is a letter outside ASCII
        raise Unreadable(DAMAGED) from error
    if len(raw) > most:
        raise Unreadable(TOO_LONG)
    if not unpacker.eof:
        raise Unreadable(TRUNCATED)
    if unpacker.unused_data:
        raise Unreadable(MORE)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise Unreadable(DAMAGED) from error
