"""Count the fields of a protobuf message without parsing it.

A field of two bytes becomes an object of a hundred, so a message within its limit of bytes could still take
all memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from google.protobuf.descriptor import Descriptor, FieldDescriptor

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5  # wire types
_WIDTH = {FIXED64: 8, FIXED32: 4}
_TEXT = (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES)
_LONGEST_VARINT = 10  # bytes


def has_more_fields(data: bytes, message: Descriptor, most: int) -> bool:
    """Return whether an encoded `message` has more than `most` fields, those of its messages included.

    Each byte of packed numbers counts as a field.

    Raises:
      ValueError: it is no such message.
    """
    return any(number > most for number, _ in enumerate(_fields(memoryview(data), message), 1))


def _fields(data: memoryview, message: Descriptor) -> Iterator[None]:
    """Yield once for each field."""
    waiting = [(data, message)]
    for part, kind in waiting:
        place = 0
        while place < len(part):
            tag, place = _varint(part, place)
            wire = tag & 7
            if wire == LENGTH:
                size, place = _varint(part, place)
            elif wire == VARINT:
                size, place = 0, _varint(part, place)[1]
            elif wire in _WIDTH:
                size = _WIDTH[wire]
            else:
                raise ValueError("a group, which Streamlit does not use")
            if place + size > len(part):
                raise ValueError("a field ends after its message")
            yield
            field = kind.fields_by_number.get(tag >> 3)
            if wire == LENGTH and field is not None:
                if field.message_type is not None:
                    waiting.append((part[place : place + size], field.message_type))
                elif field.type not in _TEXT:
                    yield from (None for _ in range(size))  # packed numbers: each takes a byte or more
            place += size


def _varint(data: memoryview, place: int) -> tuple[int, int]:
    """Return a number and the place after it."""
    number = 0
    for i in range(_LONGEST_VARINT):
        if place + i >= len(data):
            break
        byte = data[place + i]
        number |= (byte & 127) << 7 * i
        if byte < 128:
            return number, place + i + 1
    raise ValueError("a number that ends after its message, or has more than 64 bits")
