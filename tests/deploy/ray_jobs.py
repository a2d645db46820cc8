# SPDX-License-Identifier: LGPL-2.1-or-later
"""deploy/ray/scan.py on this machine: four workers over 40 drawn clips, one worker's program killed in the middle, and the results byte for
byte those of a single process.

ray_jobs.py SOURCE_ROOT VIGIL_SCAN. Needs the Python package ray; without, it is skipped."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import archive

try:
    import ray
except ImportError:
    print("SKIPPED: no Python package ray")
    sys.exit(77)

root, scan = pathlib.Path(sys.argv[1]), sys.argv[2]

with tempfile.TemporaryDirectory(prefix="vigil-ray-") as name:
    folder = pathlib.Path(name)
    files = archive.draw(folder)
    subprocess.run([scan, "--out", folder / "one", "--list", files], check=True, timeout=600)

    out = folder / "shared"
    environment = {**os.environ, "RAY_ADDRESS": "local"}
    with subprocess.Popen([sys.executable, root / "deploy/ray/scan.py", "--out", out, "--shares", "4", "--cpus", "0.25", "--scan", scan, files],
                          env=environment) as driver:
        deadline, killed = time.monotonic() + 300, False
        while driver.poll() is None and not killed and time.monotonic() < deadline:
            done = archive.finished(out)
            if done >= 4 and (pid := archive.program_of(scan, out)):
                os.kill(pid, signal.SIGKILL)
                killed = True
                print(f"killed a worker's program after {done} of {archive.CLIPS} clips")
            time.sleep(0.01)
        status = driver.wait(600)
    if status or not killed:
        raise AssertionError(f"scan.py ended with {status}; a worker was {'' if killed else 'not '}killed")
    found = archive.results(out)
    if found != archive.results(folder / "one"):
        raise AssertionError("the results differ from those of a single process")
    print(f"{len(found) - 1} results, the same bytes as of a single process")
print("all good")
