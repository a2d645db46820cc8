# SPDX-License-Identifier: LGPL-2.1-or-later
"""Motion events of cudamog, as vigil-monitor sets it, with fewer pictures a second (detect: {fps: N}), against labelled video.

detect_rates.py DATA [RATE]...

Below DATA: cdnet_*/ (input/*.jpg and groundtruth/*.png, played at 25 frames a second) and each folder with an events.csv and a video (in_view_first and
in_view_last, in frames). Something is in view in a CDnet frame when 0.1 % of its labelled pixels are foreground. RATE: 0 is all frames; without one 0, 15, 7, 5, 3.

The frames go through as fast as they can, so the load of the machine changes nothing. Spans in view with less than two seconds between them are one. An event is true when it
overlaps a span, and left out when it overlaps frames without labels alone; a span is found when an event overlaps it. Then the same at 10 moments a second; the 1.5 s for
which an event is held are taken off its end. The plugin is found by GStreamer."""
import csv
import pathlib
import re
import subprocess
import sys

data = pathlib.Path(sys.argv[1]).absolute()
rates = [float(r) for r in sys.argv[2:]] or [0, 15, 7, 5, 3]
NEAR, CDNET_RATE, HOLD, HISTORY = 2.0, 25, 1.5, 500


def runs(labels, rate, value):
    found = []
    for n, label in enumerate(labels):
        if label is not value:
            continue
        if found and n / rate - found[-1][1] < (NEAR if value else 1.5 / rate):
            found[-1][1] = n / rate
        else:
            found.append([n / rate, n / rate])
    return found


def cdnet(where):
    truth = sorted((where / "groundtruth").glob("*.png"))
    first = int(truth[0].stem[2:])
    size = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", truth[0]], capture_output=True, text=True, check=True).stdout
    width, height = map(int, size.strip().strip(",").split(","))
    values = subprocess.run(["ffmpeg", "-v", "error", "-start_number", str(first), "-i", str(where / "groundtruth/gt%06d.png"), "-f", "rawvideo", "-pix_fmt", "gray", "-"],
                            capture_output=True, check=True).stdout
    labels = [None] * len(list((where / "input").glob("*.jpg")))
    for n in range(len(truth)):
        frame = values[n * width * height:(n + 1) * width * height]
        background, foreground = frame.count(0) + frame.count(50), frame.count(255)  # 85 and 170: not judged
        labels[first - 1 + n] = foreground >= 0.001 * (background + foreground)
    source = ["multifilesrc", f"location={where}/input/in%06d.jpg", "index=1", f"caps=image/jpeg,framerate={CDNET_RATE}/1", "!", "jpegdec"]
    return where.name, source, CDNET_RATE, labels, height


def listed(table):
    video = next(p for p in sorted(table.parent.iterdir()) if p.suffix in {".mp4", ".avi"})
    shown = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v:0", "-count_frames", "-show_entries", "stream=height,r_frame_rate,nb_read_frames", "-of", "csv=p=0", video],
                           capture_output=True, text=True, check=True).stdout.strip().strip(",").split(",")
    top, bottom = map(int, shown[1].split("/"))
    labels = [False] * int(shown[2])
    for row in csv.DictReader(line for line in table.read_text(encoding="utf-8").splitlines() if not line.startswith("#")):
        for n in range(int(row["in_view_first"]), min(len(labels), int(row["in_view_last"]) + 1)):
            labels[n] = True
    return table.parent.name, ["filesrc", f"location={video}", "!", "decodebin"], top / bottom, labels, int(shown[0])


def events_of(source, rate, height, wanted):
    """(begin, end) in seconds."""
    fewer = 0 < wanted < rate
    chain = source + ["!", "videoconvert"]
    if fewer:
        chain += ["!", "videorate", "drop-only=true", f"max-rate={round(wanted)}"]
    half = height >= 360
    if half:
        chain += ["!", "videoscale", "add-borders=false", "!", f"video/x-raw,height={height // 2},pixel-aspect-ratio=1/1"]
    chain += ["!", "cudamog", "backend=cpu", "threads=1", "output=passthrough", "motion-hold=1500"]
    chain += (["min-area=25"] if half else []) + ([f"learning-time={HISTORY / rate}"] if fewer else [])
    done = subprocess.run(["gst-launch-1.0", "-m", *chain, "!", "fakesink"], capture_output=True, text=True, timeout=1800, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    events = []
    for kind, time in re.findall(r"motion-(begin|end),.*?running-time=\(guint64\)(\d+)", done.stdout):
        if kind == "begin":
            events.append([int(time) / 1e9, 1e9])
        else:
            events[-1][1] = int(time) / 1e9 - HOLD
    return [(a, max(a, b)) for a, b in events]


def score(rate, labels, events):
    overlaps = lambda a, b: a[0] <= b[1] and a[1] >= b[0]
    spans, silent, seconds = runs(labels, rate, True), runs(labels, rate, None), len(labels) / rate
    judged = [e for e in events if any(overlaps(e, s) for s in spans) or not any(s[0] <= e[0] and e[1] <= s[1] + 0.5 for s in silent)]
    true = sum(any(overlaps(e, s) for s in spans) for e in judged)
    found = sum(any(overlaps(e, s) for e in events) for s in spans)
    both = only = missed = 0
    for k in range(int(seconds * 10)):
        label = labels[min(len(labels) - 1, int(k / 10 * rate))]
        inside = any(a <= k / 10 <= b for a, b in events)
        both, only, missed = both + bool(label and inside), only + (label is False and inside), missed + bool(label and not inside)
    return [true, len(judged) - true, found, len(spans), both, only, missed]


films = [cdnet(p) for p in sorted(data.glob("cdnet_*"))] + [listed(t) for t in sorted(data.glob("*/events.csv"))]
if not films:
    sys.exit(f"no labelled video in {data}")
print(f"{'film':22} {'fps':>5} {'true':>5} {'false':>5} {'found':>6} {'of':>3} {'precision':>9} {'recall':>7} {'F':>6}   (of time)")
for wanted in rates:
    total = [0] * 7
    for name, source, rate, labels, height in films:
        s = score(rate, labels, events_of(source, rate, height, wanted))
        total = [a + b for a, b in zip(total, s)]
        for shown, counts in ((name, s), ("all", total)):
            if shown == "all" and name != films[-1][0]:
                continue
            true, false, found, spans, both, only, missed = counts
            print(f"{shown:22} {wanted or 'all':>5} {true:5} {false:5} {found:6} {spans:3} {both / max(1, both + only):9.3f} {both / max(1, both + missed):7.3f} "
                  f"{2 * both / max(1, 2 * both + only + missed):6.3f}", flush=True)
