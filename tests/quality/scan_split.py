# SPDX-License-Identifier: LGPL-2.1-or-later
"""How long the warm-up of vigil-scan --split must be: events of whole files compared with those of files in parts.

scan_split.py PROGRAM DATA [--split SECONDS] [--warm-up SECONDS...] [--expect-same SECONDS] [--chain ELEMENTS | --preset NAME]

Without --chain and --preset the parts are made with what --split takes by itself, and the whole files with --preset parts, which it must be.

Prints, for each video below DATA and each warm-up, how many parts have a warm-up that does not reach back to the file's begin
(the others are alike by construction), how many events the whole file and the parts have, how many of them are the same to
the frame, and by how much the others differ. With --expect-same the exit status is 1 unless all are the same with that
warm-up. The environment's VIGIL_DATA takes DATA's place. Without it the script says so and ends with 77, which meson takes for skipped."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

arguments = argparse.ArgumentParser()
arguments.add_argument("program")
arguments.add_argument("data", type=pathlib.Path)
arguments.add_argument("--split", type=float, default=10)
arguments.add_argument("--warm-up", type=float, nargs="+", default=[2, 5, 10, 20, 40, 60, 120])
arguments.add_argument("--expect-same", type=float)
arguments.add_argument("--chain")
arguments.add_argument("--preset")
o = arguments.parse_args()
o.data = pathlib.Path(os.environ.get("VIGIL_DATA", o.data))
videos = sorted(p for p in o.data.rglob("*") if p.suffix in {".mp4", ".avi"}) if o.data.is_dir() else []
if not videos:
    print(f"SKIPPED: no videos in {o.data} (VIGIL_DATA)")
    sys.exit(77)
chain = ["--chain", o.chain] if o.chain else ["--preset", o.preset] if o.preset else []


def scan(video, out, *arguments):
    """(events, seconds of the last frame)"""
    subprocess.run([o.program, "--out", out, *map(str, arguments), video], check=True, stderr=subprocess.DEVNULL, timeout=1800)
    lines = [json.loads(line) for line in next(pathlib.Path(out).glob("*.jsonl")).read_text(encoding="utf-8").splitlines()]
    return [(r["label"], r["begin"], r["end"]) for r in lines if r["record"] == "event"], lines[-1]["seconds"]


different = []
warm_ups = [o.expect_same] if o.expect_same is not None else o.warm_up
print(f"{'video':44} {'warm-up':>8} {'parts':>6} {'cold':>5} {'whole':>6} {'parts':>6} {'same':>5}  largest difference of a begin or end")
with tempfile.TemporaryDirectory(prefix="scan-split-") as folder:
    for video in videos:
        name = video.relative_to(o.data).as_posix()
        whole, seconds = scan(video, f"{folder}/{name}/whole", *(chain or ["--preset", "parts"]))
        parts = int(seconds // o.split) + 1
        if parts < 2:
            print(f"{name:44} too short")
            continue
        for warm_up in warm_ups:
            found, _ = scan(video, f"{folder}/{name}/{warm_up}", *chain, "--split", o.split, "--warm-up", warm_up)
            cold = sum(p * o.split > warm_up for p in range(parts))
            same = len(set(whole) & set(found))
            shift = f"{max((abs(a - b) for x, y in zip(whole, found) for a, b in zip(x[1:], y[1:])), default=0):.3f} s" \
                if len(whole) == len(found) else "-"
            print(f"{name:44} {warm_up:8g} {parts:6} {cold:5} {len(whole):6} {len(found):6} {same:5}  {shift}", flush=True)
            if whole != found:
                different.append((name, warm_up))
if o.expect_same is not None:
    print(f"{len(different)} videos differ")
    sys.exit(1 if different else 0)
