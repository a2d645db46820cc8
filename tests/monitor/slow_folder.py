# SPDX-License-Identifier: LGPL-2.1-or-later
"""A folder by FUSE for tests, whose server can be stopped: a disk that hangs."""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import time

from rtsp_camera import PYTHON


def release(mount):
    """Also what a killed run has left."""
    if shutil.which("fusermount3"):
        subprocess.run(["fusermount3", "-u", "-z", str(mount)], capture_output=True, check=False)


@contextlib.contextmanager
def slow_disk(real, mount, skipped):
    """The process that shows the folder `real` as `mount`; None, and a line in `skipped`, where that cannot be."""
    if not os.path.exists("/dev/fuse") or subprocess.run([PYTHON, "-c", "import fusepy"], capture_output=True, check=False).returncode:
        skipped.append("the disk that hangs: no FUSE or no python3-fusepy")
        yield None
        return
    real.mkdir()
    mount.mkdir(parents=True)
    disk = subprocess.Popen([PYTHON, str(pathlib.Path(__file__).parent / "slow_disk.py"), str(real), str(mount)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        end = time.monotonic() + 10
        while not os.path.ismount(mount) and disk.poll() is None and time.monotonic() < end:
            time.sleep(0.1)
        if not os.path.ismount(mount):
            disk.kill()
            skipped.append(f"the disk that hangs: it cannot be mounted here: {disk.stderr.read().decode().strip()[-200:]}")
            yield None
            return
        yield disk
    finally:
        if disk.poll() is None:
            os.kill(disk.pid, signal.SIGCONT)
        release(mount)
        disk.kill()
        disk.wait(10)
