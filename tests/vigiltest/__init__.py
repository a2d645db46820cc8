# SPDX-License-Identifier: LGPL-2.1-or-later
"""What test programs in Python share. A program of tests/FOLDER finds it by PYTHONPATH, which Meson sets, or by
`sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))` before the import."""
import socket
import sys
import time

SKIPPED = 77  # Meson's status of a test that cannot run here


def skip(why):
    """Ends the program as a skipped test."""
    print(f"SKIPPED: {why}")
    sys.exit(SKIPPED)


def same(found, expected, what):
    if found != expected:
        raise AssertionError(f"{what}: {found!r}, expected {expected!r}")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(what, condition, seconds=40, pause=0.1, detail=lambda: ""):
    """Asks again and again until the condition gives something true, which is returned. `detail`: text for the error."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {seconds} s; {detail()}")
        time.sleep(pause)
