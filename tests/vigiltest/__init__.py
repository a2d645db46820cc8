# SPDX-License-Identifier: LGPL-2.1-or-later
"""What test programs in Python share. A program of tests/FOLDER finds it by PYTHONPATH, which Meson sets, or by
`sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))` before the import."""
import contextlib
import faulthandler
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

faulthandler.register(signal.SIGTERM, chain=True)  # Meson ends a test by it that takes too long; the stacks say where it waited
SKIPPED = 77  # Meson's status of a test that cannot run here
SLOWER = float(os.environ.get("CK_TIMEOUT_MULTIPLIER", "1"))  # limits grow by it, as Check's own do: for a machine that is emulated


def skip(why):
    """Ends the program as a skipped test."""
    print(f"SKIPPED: {why}")
    sys.exit(SKIPPED)


def skip_for(*reasons):
    """Ends the program as a skipped test for the first of the reasons that is none of None and ""."""
    for why in filter(None, reasons):
        skip(why)


def same(found, expected, what):
    if found != expected:
        raise AssertionError(f"{what}: {found!r}, expected {expected!r}")


def true(value, what):
    if not value:
        raise AssertionError(what)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def answer_of(connection, method, path, body=None, headers=None):
    """Asks once by this connection, and closes it: status, body, headers."""
    with contextlib.closing(connection) as c:
        c.request(method, path, body, headers or {})
        r = c.getresponse()
        return r.status, r.read(), dict(r.getheaders())


def wait_for(what, condition, seconds=40, pause=0.1, detail=lambda: ""):
    """Asks again and again until the condition gives something true, which is returned. `detail`: text for the error."""
    seconds *= SLOWER
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {seconds:g} s; {detail()}")
        time.sleep(pause)


@contextlib.contextmanager
def gstreamer_without(*names):
    """An environment in which GStreamer lacks the plugins whose files have one of these names.

    Its folder is not in the build folder: GStreamer searches that one for plugins, and other tests would find these."""
    system = subprocess.run(["pkg-config", "--variable=pluginsdir", "gstreamer-1.0"], capture_output=True, text=True, check=True).stdout.strip()
    with tempfile.TemporaryDirectory(prefix="vigil-plugins-") as made:
        for plugin in pathlib.Path(system).glob("*.so"):
            if not any(name in plugin.name for name in names):
                (pathlib.Path(made) / plugin.name).symlink_to(plugin)
        registry = f"{made}/registry.bin"
        yield {**os.environ, "GST_PLUGIN_SYSTEM_PATH": made, "GST_PLUGIN_SYSTEM_PATH_1_0": made, "GST_REGISTRY": registry, "GST_REGISTRY_1_0": registry}
