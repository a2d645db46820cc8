# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-scan beside DVR-Scan (PyPI: dvr-scan) on the same files, one after the other, both with their defaults.

scan_vs_dvr.py VIGIL_SCAN DVR_SCAN DATA [--repeat N]

FILES are the videos below DATA beside which an events.csv says in which frames something is in view (in_view_first, in_view_last).
Each video is repeated N times by ffmpeg, so that starting the programs weighs little. Prints frames a second by the clock and by
the processors' time of each program (the second does not suffer from the load of other programs, which is printed too), and
precision, recall and F of the time that its events cover against the time in which something is in view, for the first round. DVR-Scan adds 1.5 s
before and 2 s after each event; the row without padding sets both to 0."""
import argparse
import csv
import json
import os
import pathlib
import re
import resource
import subprocess
import tempfile
import time

arguments = argparse.ArgumentParser()
arguments.add_argument("vigil")
arguments.add_argument("dvr")
arguments.add_argument("data", type=pathlib.Path)
arguments.add_argument("--repeat", type=int, default=4)
o = arguments.parse_args()


def probe(video, entry):
    return subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v:0", "-count_frames", "-show_entries", f"stream={entry}", "-of",
                           "csv=p=0", video], capture_output=True, text=True, check=True).stdout.strip().strip(",")


def timed(command):
    """(standard output, seconds by the clock, seconds of processors)"""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    out = subprocess.run(command, capture_output=True, text=True, check=True, timeout=1200).stdout
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return out, wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def seconds(words):
    h, m, s = words.split(":")
    return int(h) * 3600 + int(m) * 60 + float(s)


def vigil(video):
    with tempfile.TemporaryDirectory() as folder:
        _, wall, cpu = timed([o.vigil, "--out", folder, str(video)])
        lines = [json.loads(x) for x in next(pathlib.Path(folder).glob("*.jsonl")).read_text(encoding="utf-8").splitlines()]
    return [(r["begin"], r["end"]) for r in lines if r["record"] == "event"], wall, cpu


def dvr(*more):
    def run(video):
        out, wall, cpu = timed([o.dvr, "-i", str(video), "-so", "-q", *more])
        times = [seconds(x) for x in re.findall(r"\d+:\d\d:\d\d\.\d+", out)]
        return list(zip(times[::2], times[1::2])), wall, cpu
    return run


def score(found, truth, frames, fps):
    covered = lambda spans, t: any(a <= t <= b for a, b in spans)
    pairs = [(covered(found, n / fps), covered(truth, n / fps)) for n in range(frames)]
    tp, fp, fn = (sum(p == kind for p in pairs) for kind in ((True, True), (True, False), (False, True)))
    return tp / max(1, tp + fp), tp / max(1, tp + fn), 2 * tp / max(1, 2 * tp + fp + fn)


print(f"load at the start {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors")
print(f"{'video':40} {'program':24} {'frames':>7} {'clock: frames/s':>16} {'cpu: frames/s':>14} {'x real time (cpu)':>18} {'precision':>9} {'recall':>7} {'F':>6}")
with tempfile.TemporaryDirectory(prefix="scan-vs-dvr-") as work:
    for table in sorted(o.data.glob("*/events.csv")):
        video = next(p for p in sorted(table.parent.iterdir()) if p.suffix in {".mp4", ".avi"})
        top, bottom = map(int, probe(video, "r_frame_rate").split("/"))
        fps, frames = top / bottom, int(probe(video, "nb_read_frames"))
        rows = csv.DictReader(line for line in table.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
        truth = [(int(r["in_view_first"]) / fps, int(r["in_view_last"]) / fps) for r in rows]
        long = pathlib.Path(work) / video.name
        subprocess.run(["ffmpeg", "-v", "error", "-stream_loop", str(o.repeat - 1), "-i", video, "-c", "copy", "-an", long], check=True)
        for name, program in (("vigil-scan", vigil), ("dvr-scan", dvr()), ("dvr-scan, no padding", dvr("-tb", "0s", "-tp", "0s"))):
            found, _, _ = program(video)
            _, wall, cpu = program(long)
            all_frames = frames * o.repeat
            p, r, f = score(found, truth, frames, fps)
            print(f"{video.parent.name + '/' + video.name:40} {name:24} {all_frames:7} {all_frames / wall:16.0f} {all_frames / cpu:14.0f} "
                  f"{all_frames / cpu / fps:18.1f} {p:9.3f} {r:7.3f} {f:6.3f}", flush=True)
print(f"load at the end {os.getloadavg()[0]:.1f}")
