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

try:
    import ray
except ImportError:
    print("SKIPPED: no Python package ray")
    sys.exit(77)

root, scan = pathlib.Path(sys.argv[1]), sys.argv[2]
CLIPS = 40


def tree(folder):
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir())}


def program_of(out):
    """A running vigil-scan that writes to this folder, and is a worker's child."""
    for p in pathlib.Path("/proc").iterdir():
        try:
            words = (p / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[0] == scan.encode() and str(out).encode() in words:
            return int(p.name)
    return None


with tempfile.TemporaryDirectory(prefix="vigil-ray-") as name:
    folder = pathlib.Path(name)
    clips = folder / "clips"
    clips.mkdir()
    for i in range(CLIPS):
        subprocess.run(["gst-launch-1.0", "-q", "scenetestsrc", "num-buffers=60", f"seed={i}", "quiet=0.5", "density=2", "!", "video/x-raw,"
                        "format=I420,width=160,height=120,framerate=15/1", "!", "jpegenc", "!", "avimux", "!", "filesink",
                        f"location={clips / f'{i:02}.avi'}"], check=True, timeout=60)
    files = folder / "list"
    files.write_text("\n".join(map(str, sorted(clips.iterdir()))) + "\n", encoding="utf-8")
    subprocess.run([scan, "--out", folder / "one", "--list", files], check=True, timeout=600)

    out = folder / "shared"
    environment = {**os.environ, "RAY_ADDRESS": "local"}
    with subprocess.Popen([sys.executable, root / "deploy/ray/scan.py", "--out", out, "--shares", "4", "--cpus", "0.25", "--scan", scan, files],
                          env=environment) as driver:
        deadline, killed = time.monotonic() + 300, False
        while driver.poll() is None and not killed and time.monotonic() < deadline:
            done = len(list(out.glob("*.jsonl"))) if out.exists() else 0
            if done >= 4 and (pid := program_of(out)):
                os.kill(pid, signal.SIGKILL)
                killed = True
                print(f"killed a worker's program after {done} of {CLIPS} clips")
            time.sleep(0.01)
        status = driver.wait(600)
    if status or not killed:
        raise AssertionError(f"scan.py ended with {status}; a worker was {'' if killed else 'not '}killed")
    found = {n: b for n, b in tree(out).items() if n == "scan.json" or n.endswith(".jsonl")}
    if found != tree(folder / "one"):
        raise AssertionError("the results differ from those of a single process")
    print(f"{len(found) - 1} results, the same bytes as of a single process")
print("all good")
