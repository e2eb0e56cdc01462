"""Text packed into few letters, for addresses and for what a browser keeps."""

from __future__ import annotations

import base64
import zlib

DAMAGED, TRUNCATED, TOO_LONG, MORE = "damaged", "truncated", "too-long", "more"
"""Why a text cannot be read: letters are wrong or missing, its end is missing, it would be too long, or
something else comes after it."""


class Unreadable(ValueError):
    """What was to be unpacked is no packed text; `why` is one of the words above."""

    def __init__(self, why: str):
        super().__init__(why)
        self.why = why


def packed(text: str, level: int = 9) -> str:
    """Compress a text to letters, digits, - and _."""
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), level)).rstrip(b"=").decode("ascii")


def unpacked(letters: str, most: int) -> str:
    """Read what `packed` wrote; + and / stand for - and _ where an earlier version wrote it.

    Args:
      letters: from outside; a few of them may unpack to gigabytes.
      most: bytes that the text may have.
    Raises:
      Unreadable: they are not a whole packed text, or the text is longer.
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
