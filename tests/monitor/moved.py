# SPDX-License-Identifier: LGPL-2.1-or-later
"""Motion of the past, written into the history of a program that does not run."""
import sqlite3
import time
import zlib

ALL_DAY = [60 * hour + minute for hour in range(24) for minute in (3, 20, 37, 55)]  # minutes before now


def a_minute(left, top, width, height):
    """A minute in which a rectangle of cells moved all the time, in the form of motion_minute.h."""
    edges = bytes(b for row in (top, top + height) for b in (row | 0x80, left, width))
    body = bytes([1, 2]) + edges + bytes([0x80 + 58])
    return body + zlib.crc32(body).to_bytes(4, "little")


def moved(data, camera, cells, minutes=tuple(ALL_DAY)):
    """`data`: the storage folder, of which the program has made the history; `cells`: left, top, width, height."""
    now = int(time.time()) // 60
    db = sqlite3.connect(data / "motion.db")
    with db:
        db.executemany("INSERT OR REPLACE INTO motion_minutes VALUES(?, ?, ?)", [(camera, now - ago, a_minute(*cells)) for ago in minutes])
    db.close()
