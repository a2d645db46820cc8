# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-scan --split is killed before each change that it makes to its folder, one run a change, and started again: the results are then byte for
byte those of a run that nobody killed, nothing is there twice and nothing is left behind.

vigil_scan_killed.py PROGRAM KILLED_AT [VIGIL_TRAIN]

KILLED_AT is the library made of killed_at.cpp. With VIGIL_TRAIN, which makes a model, files of vectors are among the results."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

program, library, *trainers = sys.argv[1:]


def scan(out, *arguments, **environment):
    return subprocess.run([program, "--out", out, "--split", "2", "--warm-up", "4", *arguments], env={**os.environ, **environment}, timeout=120, check=False,
                          stderr=subprocess.DEVNULL).returncode


def tree(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir()}


def ids(folder):
    lines = [json.loads(line) for p in folder.glob("*.jsonl") for line in p.read_text(encoding="utf-8").splitlines()]
    return [r["id"] for r in lines if r["record"] == "event"]


def later(folder):
    """As if some time had gone by: files that a writer was killed over are taken away when they are older than two seconds."""
    for p in folder.iterdir():
        os.utime(p, (p.stat().st_atime - 60, p.stat().st_mtime - 60))


def kill_everywhere(work, name, arguments, most=400):
    """How many changes a run makes; each was the last but one of some run."""
    expected = work / name
    assert scan(expected, *arguments) == 0
    assert ids(expected) and len(set(ids(expected))) == len(ids(expected))
    states = set()
    for at in range(1, most):
        out = work / f"{name}-{at}"
        status = scan(out, *arguments, LD_PRELOAD=library, VIGIL_TEST_KILL_IN=str(out), VIGIL_TEST_KILL_AT=str(at))
        if status == 0:
            assert at > 20 and any("part-" in s for s in states), (at, states)
            print(f"{name}: killed before each of {at - 1} changes; the names that a kill left: {len(states)} different sets")
            return
        assert status == -signal.SIGKILL, f"{name}, change {at}: status {status}"
        states.add(" ".join(sorted(tree(out))))
        later(out)
        assert scan(out, *arguments) == 0
        assert tree(out) == tree(expected), f"{name}, killed before change {at}: {sorted(tree(out))}, not {sorted(tree(expected))}"
    raise AssertionError(f"{name}: more than {most} changes")


with tempfile.TemporaryDirectory(prefix="vigil-scan-killed-") as folder:
    root = pathlib.Path(folder)
    video = root / "camera.avi"
    subprocess.run(["gst-launch-1.0", "-q", "scenetestsrc", "num-buffers=90", "seed=3", "quiet=0.5", "density=3", "!", "video/x-raw,format=I420,"
                    "width=160,height=120,framerate=15/1", "!", "jpegenc", "quality=95", "!", "avimux", "!", "filesink", f"location={video}"], check=True,
                   timeout=60)
    kill_everywhere(root, "one job", [video])
    kill_everywhere(root, "three jobs", ["--jobs", "3", video])
    for trainer in trainers:
        model = root / "codebook.model"
        subprocess.run([trainer, "codebook", "-o", model, "--components", "4", "--samples", "2000", "--projected", "8", "--iterations", "3", "--scales",
                        "1", "--every", "15", "--backend", "cpu", video], check=True, stdout=subprocess.DEVNULL, timeout=200)
        kill_everywhere(root, "vectors", ["--vectors", model, video])
print("all good")
