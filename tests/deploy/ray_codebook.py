# SPDX-License-Identifier: LGPL-2.1-or-later
"""deploy/ray/codebook.py to its end on this machine: with four shares, the program of one of which is killed in the middle, and with one
share. Both must give the same bytes.

ray_codebook.py SOURCE_ROOT VIGIL_TRAIN. Needs the Python package ray; without, it is skipped."""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

try:
    import ray  # pylint: disable=unused-import
except ImportError:
    print("SKIPPED: no Python package ray")
    sys.exit(77)

root, train = pathlib.Path(sys.argv[1]), str(pathlib.Path(sys.argv[2]).resolve())
VIDEOS, SHARES, ITERATIONS = 6, 4, 3


def statistics_of(work):
    """A running vigil-train statistics that writes to this folder."""
    for p in pathlib.Path("/proc").iterdir():
        try:
            words = (p / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[:2] == [train.encode(), b"statistics"] and any(str(work).encode() in w for w in words):
            return int(p.name)
    return None


def fit(folder, shares, kill):
    """(bytes of the model, the log-likelihoods)"""
    work, out = folder / f"work-{shares}", folder / f"of-{shares}.model"
    command = [sys.executable, str(root / "deploy/ray/codebook.py"), "--out", str(out), "--work", str(work), "--shares", str(shares), "--cpus",
               "0.25", "--iterations", str(ITERATIONS), "--tolerance", "0", "--train", train, str(folder / "start.model"), str(folder / "list")]
    killed = []
    # a busy machine: time to start, and workers that are no nicer than the rest
    env = {**os.environ, "RAY_ADDRESS": "local", "RAY_raylet_start_wait_time_s": "300", "RAY_worker_niceness": "0"}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as driver:
        def strike():
            while driver.poll() is None and not killed:
                # not in the first iteration: what there is of it must be kept
                if list(work.glob("001-*.statistics")) and (pid := statistics_of(work)):
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
                time.sleep(0.005)
        hunter = threading.Thread(target=strike)
        if kill:
            hunter.start()
        words = driver.stdout.read()
        status = driver.wait(900)
        if kill:
            hunter.join()
    print(words, end="")
    if status or (kill and not killed):
        raise AssertionError(f"codebook.py ended with {status}; {len(killed)} programs were killed")
    return out.read_bytes(), [float(x) for x in re.findall(r"log-likelihood (\S+)", words)]


with tempfile.TemporaryDirectory(prefix="vigil-ray-codebook-") as name:
    base = pathlib.Path(name)
    videos = []
    for i in range(VIDEOS):
        videos.append(base / f"{i}.avi")
        subprocess.run(["gst-launch-1.0", "-q", "scenetestsrc", f"num-buffers={5 + i}", f"seed={i}", "!", "video/x-raw,format=I420,width=128,"
                        "height=96,framerate=5/1", "!", "jpegenc", "!", "avimux", "!", "filesink", f"location={videos[-1]}"], check=True, timeout=60)
    (base / "list").write_text("\n".join(map(str, videos)) + "\n", encoding="utf-8")
    subprocess.run([train, "codebook", "-o", str(base / "start.model"), "--components", "8", "--samples", "4000", "--projected", "12",
                    "--iterations", "1", "--scales", "2", "--backend", "cpu", *map(str, videos)], check=True, timeout=300)
    one, likelihoods = fit(base, 1, False)
    if likelihoods != sorted(likelihoods) or len(likelihoods) != ITERATIONS:
        raise AssertionError(f"log-likelihoods {likelihoods}")
    four, again = fit(base, SHARES, True)
    if four != one or again != likelihoods:
        raise AssertionError("four shares, one killed, give another model than one share")
print(f"the same {len(one)} bytes with 1 and with {SHARES} shares, one of which was killed")
print("all good")
