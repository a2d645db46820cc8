# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-scan on a GPU compared with its decoders alone: how much of what they reach is left when cudamog and gpufisher look at the frames.

scan_vs_decoding.py VIGIL_SCAN BENCH_STREAMS CLIP.mp4 [--model MODEL] [--files N] [--seconds S...] [--jobs N...] [--rounds N] [--limit SECONDS]

CLIP.mp4 (H.264) is made longer, to S seconds, and lies in N files, hard links to one. Decoding alone is what bench-streams reaches with nvh264dec
of that file, with frames that stay on the GPU, once its streams run: before and after each run of vigil-scan, whose frames a second
count from the program's start to its end. The first run, of the clip as it is, only warms up. Exit status 1 when no length and number of jobs has
a median of 90 % of the mean of decoding before and after. Nothing new begins that would end after --limit."""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

from longer_mp4 import write_longer

arguments = argparse.ArgumentParser()
arguments.add_argument("program")
arguments.add_argument("bench")
arguments.add_argument("clip", type=pathlib.Path)
arguments.add_argument("--clip-seconds", type=int, default=10)
arguments.add_argument("--model", type=pathlib.Path, help="gpufisher's; without it cudamog alone looks at the frames")
arguments.add_argument("--files", type=int, default=16)
arguments.add_argument("--seconds", type=int, nargs="+", default=[320, 640])
arguments.add_argument("--jobs", type=int, nargs="+", default=[8])
arguments.add_argument("--rounds", type=int, default=2)
arguments.add_argument("--limit", type=float, default=3600)
arguments.add_argument("--decoder", default="nvh264dec")
arguments.add_argument("--caps", default="video/x-raw(memory:CUDAMemory)", help="what bench-streams asks the decoder for")
arguments.add_argument("--share", default="cuda", help="bench-streams' --share: no, where there is no GPU")
o = arguments.parse_args()
start = time.monotonic()
chain = "cudamog output=passthrough async-depth=1"
if o.model:
    chain += f" ! gpufisher every=5 async-depth=1 model-location={o.model}"


def decode(file):
    """Frames a second of eight decoders, or None."""
    said = subprocess.run([o.bench, "--file", file, "--count", "8", "--share", o.share, "--decoder", f"{o.decoder} ! {o.caps}", "--element",
                           "identity", "--alone", "no", "--seconds", "7", "--rounds", "1"], capture_output=True, text=True, timeout=120, check=True).stdout
    fps = float(re.findall(r": ([0-9.]+) fps", said)[-1])
    print(f"decoding alone, 8 streams: {fps:.0f} frames/s; load {os.getloadavg()[0]:.1f}", flush=True)
    return fps


def scan(folder, jobs):
    """(frames, seconds from the program's start to its end, seconds from its start when files were done)"""
    with tempfile.TemporaryDirectory(dir=folder.parent) as out:
        begin, clock = time.time(), time.monotonic()
        subprocess.run([o.program, "--out", out, "--jobs", str(jobs), "--chain", chain, folder], check=True, stderr=subprocess.DEVNULL, timeout=600)
        wall = time.monotonic() - clock
        results = list(pathlib.Path(out).glob("*.jsonl"))
        ends = [json.loads(r.read_text(encoding="utf-8").splitlines()[-1]) for r in results]
        assert len(ends) == o.files and all(e["complete"] for e in ends), ends
        done = sorted(r.stat().st_mtime - begin for r in results)
    return sum(e["frames"] for e in ends), wall, done


def run(folder, seconds, jobs, before, after):
    frames, wall, done = scan(folder, jobs)
    times = " ".join(f"{d:.1f}" for d in done)
    after = after()
    share = 2 * frames / wall / (before + after)
    print(f"{o.files} x {seconds} s, --jobs {jobs}: {frames} frames in {wall:.2f} s, {frames / wall:.0f} frames/s, {100 * share:.1f} % of decoding alone; files done after {times} s",
          flush=True)
    return share, after


def main():
    shares = {}
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        for s in {o.clip_seconds, *o.seconds}:
            (work / str(s)).mkdir()
            first = work / str(s) / "00.mp4"
            write_longer(o.clip, s // o.clip_seconds, first)
            for i in range(1, o.files):
                os.link(first, work / str(s) / f"{i:02}.mp4")
        print(f"clips after {time.monotonic() - start:.0f} s", flush=True)
        longest = work / str(max(o.seconds)) / "00.mp4"
        scan(work / str(o.clip_seconds), o.jobs[0])
        before = decode(longest)
        for _ in range(o.rounds):
            for jobs in o.jobs:
                for s in o.seconds:
                    expected = o.files * s * 30 / (0.85 * before) + 14
                    if time.monotonic() - start + expected > o.limit:
                        print(f"{o.files} x {s} s, --jobs {jobs}: left out for want of time")
                        continue
                    share, before = run(work / str(s), s, jobs, before, lambda: decode(longest))
                    shares.setdefault((s, jobs), []).append(share)
    for (s, jobs), all_of in shares.items():
        print(f"{o.files} x {s} s, --jobs {jobs}: median {100 * statistics.median(all_of):.1f} % of {len(all_of)} runs")
    good = bool(shares) and max(statistics.median(x) for x in shares.values()) >= 0.9
    print(">= 90 %" if good else "BELOW 90 %")
    return 0 if good else 1


sys.exit(main())
