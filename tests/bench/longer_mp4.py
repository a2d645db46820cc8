# SPDX-License-Identifier: LGPL-2.1-or-later
"""An MP4 file that shows a shorter one's frames several times over, without decoding them.

longer_mp4.py IN.mp4 TIMES OUT.mp4

IN.mp4 has one video track, as mp4mux writes it from a stream without B-frames. Its samples are copied TIMES times and the tables
of the samples (times, sizes, key frames, places) are written for all of them."""
import struct
import sys

NESTED = {b"moov", b"trak", b"mdia", b"minf", b"stbl", b"edts"}


def boxes(data):
    """The boxes in `data`: (name, content, where the content begins)."""
    at, found = 0, []
    while at < len(data):
        size, name, header = *struct.unpack_from(">I4s", data, at), 8
        if size == 1:
            size, header = struct.unpack_from(">Q", data, at + 8)[0], 16
        found.append((name, data[at + header:at + size], at + header))
        at += size
    return found


def box(name, content):
    return struct.pack(">I4s", 8 + len(content), name) + content


def table(content, row):
    """The rows of a table that counts them behind its version and flags."""
    return list(struct.iter_unpack(row, content[8:8 + struct.unpack_from(">I", content, 4)[0] * struct.calcsize(row)]))


def with_rows(content, row, rows):
    return content[:4] + struct.pack(">I", len(rows)) + b"".join(struct.pack(row, *r) for r in rows)


def times_longer(content, places, times):
    """`content` with the duration at the place that its version has, multiplied."""
    at, row = places[content[0]]
    return content[:at] + struct.pack(row, struct.unpack_from(row, content, at)[0] * times) + content[at + struct.calcsize(row):]


def longer(data, times):
    """The pieces of the longer file, in order."""
    top = {name: (content, at) for name, content, at in boxes(data)}
    samples, samples_at = top[b"mdat"]
    begin = box(b"ftyp", top[b"ftyp"][0])
    place = len(begin) + 16 - samples_at  # of the first copy, less that in the old file

    def changed(name, content, count):
        if name in {b"mvhd", b"mdhd"}:
            return name, times_longer(content, {0: (16, ">I"), 1: (24, ">Q")}, times)
        if name == b"tkhd":
            return name, times_longer(content, {0: (20, ">I"), 1: (28, ">Q")}, times)
        if name == b"elst":
            return name, times_longer(content, {0: (8, ">I"), 1: (8, ">Q")}, times)
        if name in {b"stts", b"ctts"}:
            return name, with_rows(content, ">II", table(content, ">II") * times)
        if name == b"stss":
            return name, with_rows(content, ">I", [(n + i * count,) for i in range(times) for n, in table(content, ">I")])
        if name == b"stsz":
            sizes = content[12:] * (struct.unpack_from(">I", content, 4)[0] == 0)
            return name, content[:8] + struct.pack(">I", count * times) + sizes * times
        if name in {b"stco", b"co64"}:
            old = table(content, ">I" if name == b"stco" else ">Q")
            return b"co64", with_rows(content, ">Q", [(o + place + i * len(samples),) for i in range(times) for o, in old])
        return name, content

    def nested(content, count=0):
        inner = boxes(content)
        names = {name: c for name, c, _ in inner}
        if b"stsz" in names:
            count = struct.unpack_from(">I", names[b"stsz"], 8)[0]
            chunks = len(table(names.get(b"stco", names.get(b"co64")), ">I" if b"stco" in names else ">Q"))
        out = b""
        for name, c, _ in inner:
            if name == b"stsc":
                c = with_rows(c, ">III", [(first + i * chunks, n, d) for i in range(times) for first, n, d in table(c, ">III")])
            elif name in NESTED:
                c = nested(c, count)
            else:
                name, c = changed(name, c, count)
            out += box(name, c)
        return out

    yield begin + struct.pack(">I4sQ", 1, b"mdat", 16 + times * len(samples))
    for _ in range(times):
        yield samples
    yield box(b"moov", nested(top[b"moov"][0]))


def write_longer(source, times, target):
    with open(source, "rb") as file:
        data = file.read()
    with open(target, "wb") as file:
        for piece in longer(data, times):
            file.write(piece)


if __name__ == "__main__":
    write_longer(sys.argv[1], int(sys.argv[2]), sys.argv[3])
