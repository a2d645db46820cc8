# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-scan, with its presets full and fast, compared with DVR-Scan (PyPI: dvr-scan) with its defaults on the same files in one run.

scan_vs_dvr.py VIGIL_SCAN DVR_SCAN DATA [--repeat N] [--rounds N]

FILES are the videos below DATA next to which an events.csv says in which frames something is in view (in_view_first, in_view_last).
Each video is repeated N times by ffmpeg, so that starting the programs weighs little, and goes through one program after the other, ROUNDS
times: programs that are compared ran side by side, under the same load of other programs (which is printed). Prints the best round's frames a second
by the clock and by the processors' time, the median over the rounds of how many times as fast as DVR-Scan without padding each was in
the same round, and precision, recall and F of the time that its events cover against the time in which something is in view, of the video unrepeated.
DVR-Scan adds 1.5 s before and 2 s after each event; the row without padding sets both to 0."""
import argparse
import csv
import json
import os
import pathlib
import re
import resource
import statistics
import subprocess
import tempfile
import time

arguments = argparse.ArgumentParser()
arguments.add_argument("vigil")
arguments.add_argument("dvr")
arguments.add_argument("data", type=pathlib.Path)
arguments.add_argument("--repeat", type=int, default=4)
arguments.add_argument("--rounds", type=int, default=3)
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


def vigil(preset):
    def run(video):
        with tempfile.TemporaryDirectory() as folder:
            _, wall, cpu = timed([o.vigil, "--out", folder, "--preset", preset, str(video)])
            lines = [json.loads(x) for x in next(pathlib.Path(folder).glob("*.jsonl")).read_text(encoding="utf-8").splitlines()]
        return [(r["begin"], r["end"]) for r in lines if r["record"] == "event"], wall, cpu
    return run


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


PROGRAMS = {"vigil-scan": vigil("full"), "vigil-scan --preset fast": vigil("fast"), "dvr-scan": dvr(),
            "dvr-scan, no padding": dvr("-tb", "0s", "-tp", "0s")}
print(f"load at the start {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors")
print(f"{'video':40} {'program':24} {'frames':>7} {'frames/s':>9} {'cpu':>6} {'x dvr-scan':>10} {'cpu':>6} {'x real time (cpu)':>18} {'precision':>9} {'recall':>7} {'F':>6}")
with tempfile.TemporaryDirectory(prefix="scan-vs-dvr-") as work:
    for table in sorted(o.data.glob("*/events.csv")):
        video = next(p for p in sorted(table.parent.iterdir()) if p.suffix in {".mp4", ".avi"})
        top, bottom = map(int, probe(video, "r_frame_rate").split("/"))
        fps, frames = top / bottom, int(probe(video, "nb_read_frames"))
        rows = csv.DictReader(line for line in table.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
        truth = [(int(r["in_view_first"]) / fps, int(r["in_view_last"]) / fps) for r in rows]
        long = pathlib.Path(work) / video.name
        subprocess.run(["ffmpeg", "-v", "error", "-stream_loop", str(o.repeat - 1), "-i", video, "-c", "copy", "-an", long], check=True)
        all_frames, times = frames * o.repeat, {name: [] for name in PROGRAMS}
        for _ in range(o.rounds):
            for name, program in PROGRAMS.items():
                times[name].append(program(long)[1:])
        base = times["dvr-scan, no padding"]
        for name, program in PROGRAMS.items():
            wall, cpu = (min(t[k] for t in times[name]) for k in (0, 1))
            faster = [statistics.median(b[k] / t[k] for t, b in zip(times[name], base)) for k in (0, 1)]
            p, r, f = score(program(video)[0], truth, frames, fps)
            print(f"{video.parent.name + '/' + video.name:40} {name:24} {all_frames:7} {all_frames / wall:9.0f} {all_frames / cpu:6.0f} {faster[0]:10.2f} "
                  f"{faster[1]:6.2f} {all_frames / cpu / fps:18.1f} {p:9.3f} {r:7.3f} {f:6.3f}", flush=True)
print(f"load at the end {os.getloadavg()[0]:.1f}")
