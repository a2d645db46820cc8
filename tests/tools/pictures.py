# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes small label pictures, byte by byte, so that the tests need no imaging library."""
import struct
import zlib


def _chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(path, rows, palette=False):
    """Rows of 8-bit grey values; with a palette the values are colours of it, stored in reverse order."""
    height, width = len(rows), len(rows[0])
    stored = [[255 - v for v in row] if palette else row for row in rows]
    body = zlib.compress(b"".join(b"\0" + bytes(row) for row in stored))
    colours = _chunk(b"PLTE", bytes(v for i in range(256) for v in (255 - i,) * 3)) if palette else b""
    header = struct.pack(">IIBBBBB", width, height, 8, 3 if palette else 0, 0, 0, 0)
    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + colours + _chunk(b"IDAT", body) + _chunk(b"IEND", b""))


def bmp(path, rows, bits=8):
    """Rows of 8-bit grey values, as 8 bits with a palette or as 24 bits."""
    height, width = len(rows), len(rows[0])
    palette = b"".join(bytes((i, i, i, 0)) for i in range(256)) if bits == 8 else b""
    pad = b"\0" * (-width * bits // 8 % 4)
    body = b"".join(bytes(v for v in row for _ in range(bits // 8)) + pad for row in reversed(rows))
    start = 14 + 40 + len(palette)
    with open(path, "wb") as f:
        f.write(b"BM" + struct.pack("<IHHI", start + len(body), 0, 0, start))
        f.write(struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, 0, len(body), 0, 0, 0, 0))
        f.write(palette + body)
