# SPDX-License-Identifier: LGPL-2.1-or-later
"""Events of vigil-monitor on labelled video, compared with those of motion with its defaults, on the same files as cameras in one run.

monitor_labelled.py PROGRAM DATA FOLDER [SETTINGS]...

Below DATA: cdnet_*/ (input/*.jpg and groundtruth/*.png, played at 25 frames a second) and each folder with an events.csv next to a video (in_view_first and
in_view_last, in frames). vigil-monitor runs with default settings, and with each of SETTINGS (YAML of a camera, as 'detect: {height: 180}'): one camera more of each file.
Something is in view in a CDnet frame when 0.1 % of its labelled pixels are foreground.

An event is true when it overlaps a span in which something is in view, and left out when it overlaps frames without labels alone. A span is found when an event
overlaps it. Spans with less than two seconds between them are one. Then the same for time, at 10 moments a second: precision is the share of the time of events in which something is
in view, recall the share of that time in which there was an event. The time for which a program holds an event after the last motion (vigil-monitor 1.5 s, motion's event_gap of 5 s) is
taken off its end. The programs read H.264 made by x264enc (crf 18). Each film begins and ends once; no camera begins again."""
import csv
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "monitor"))
from program import Monitor  # noqa: E402  pylint: disable=wrong-import-position

program, data, folder = sys.argv[1], pathlib.Path(sys.argv[2]).absolute(), pathlib.Path(sys.argv[3]).absolute()
variants = ["", *sys.argv[4:]]
NEAR, CDNET_RATE, HOLD, GAP = 2.0, 25, 1.5, 5
for part in "motion", "data":
    shutil.rmtree(folder / part, ignore_errors=True)
(folder / "films").mkdir(parents=True, exist_ok=True)
(folder / "motion").mkdir()


def ffprobe(video, entry):
    return subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v:0", "-count_frames", "-show_entries", f"stream={entry}", "-of", "csv=p=0", video],
                          capture_output=True, text=True, check=True).stdout.strip().strip(",")


class Film:
    """One sequence: its film, its rate, and of each frame whether something is in view (None: nobody says)."""

    def __init__(self, name, source, rate, labels):
        self.name, self.rate, self.labels = name, rate, labels
        self.file = folder / "films" / f"{name}.mp4"
        self.seconds = len(labels) / rate
        if not self.file.exists():
            subprocess.run(["ffmpeg", "-v", "error", *source, "-an", "-vf", "scale=trunc(iw/2)*2:trunc(ih/2)*2,format=yuv420p", "-r", str(rate), "-c:v", "libx264", "-preset", "veryfast",
                            "-crf", "18", "-g", str(round(rate)), "-y", self.file], check=True)
        self.spans, self.silent = self.runs(True), self.runs(None)

    def runs(self, value):
        found = []
        for n, label in enumerate(self.labels):
            if label is not value:
                continue
            if found and n / self.rate - found[-1][1] < (NEAR if value else 1.5 / self.rate):
                found[-1][1] = n / self.rate
            else:
                found.append([n / self.rate, n / self.rate])
        return found


def cdnet(where):
    truth = sorted((where / "groundtruth").glob("*.png"))
    first, size = int(truth[0].stem[2:]), ffprobe(truth[0], "width,height").split(",")
    values = subprocess.run(["ffmpeg", "-v", "error", "-start_number", str(first), "-i", str(where / "groundtruth/gt%06d.png"), "-f", "rawvideo", "-pix_fmt", "gray", "-"],
                            capture_output=True, check=True).stdout
    pixels = int(size[0]) * int(size[1])
    if len(values) != len(truth) * pixels:
        sys.exit(f"{where}: {len(values)} bytes of ground truth for {len(truth)} pictures of {pixels}")
    labels = [None] * len(list((where / "input").glob("*.jpg")))
    for n in range(len(truth)):
        frame = values[n * pixels:(n + 1) * pixels]
        background, foreground = frame.count(0) + frame.count(50), frame.count(255)  # 85 and 170: not judged
        labels[first - 1 + n] = foreground >= 0.001 * (background + foreground)
    return Film(where.name, ["-framerate", str(CDNET_RATE), "-i", str(where / "input/in%06d.jpg")], CDNET_RATE, labels)


def listed(table):
    video = next(p for p in sorted(table.parent.iterdir()) if p.suffix in {".mp4", ".avi"})
    top, bottom = map(int, ffprobe(video, "r_frame_rate").split("/"))
    labels = [False] * int(ffprobe(video, "nb_read_frames"))
    for row in csv.DictReader(line for line in table.read_text(encoding="utf-8").splitlines() if not line.startswith("#")):
        for n in range(int(row["in_view_first"]), min(len(labels), int(row["in_view_last"]) + 1)):
            labels[n] = True
    return Film(table.parent.name, ["-i", str(video)], top / bottom, labels)


films = [cdnet(p) for p in sorted(data.glob("cdnet_*"))] + [listed(t) for t in sorted(data.glob("*/events.csv"))]
if not films:
    sys.exit(f"no labelled video in {data}")


def score(film, events):
    """Of (begin, end) in seconds of the film: counts, and shares of time."""
    overlaps = lambda a, b: a[0] <= b[1] and a[1] >= b[0]
    events = [e for e in events if e[0] < film.seconds]
    judged = [e for e in events if any(overlaps(e, s) for s in film.spans) or not any(s[0] <= e[0] and e[1] <= s[1] + 0.5 for s in film.silent)]
    true = sum(any(overlaps(e, s) for s in film.spans) for e in judged)
    found = sum(any(overlaps(e, s) for e in events) for s in film.spans)
    both = only = missed = 0
    for k in range(int(film.seconds * 10)):
        label = film.labels[min(len(film.labels) - 1, int(k / 10 * film.rate))]
        inside = any(a <= k / 10 <= b for a, b in events)
        both, only, missed = both + bool(label and inside), only + (label is False and inside), missed + bool(label and not inside)
    return [true, len(judged) - true, found, len(film.spans), both, only, missed]


def shown(name, film, s):
    true, false, found, spans, both, only, missed = s
    print(f"{film:20} {name:60} events true {true}, false {false}; found {found} of {spans}; time: precision {both / max(1, both + only):.3f}, recall "
          f"{both / max(1, both + missed):.3f}, F {2 * both / max(1, 2 * both + only + missed):.3f}", flush=True)


m_dir, last = folder / "motion", max(f.seconds for f in films)
(m_dir / "motion.conf").write_text(f"daemon off\nlog_level 6\nlog_file {m_dir}/log\ntarget_dir {m_dir}/out\nwebcontrol_port 0\nstream_port 0\npicture_output off\nmovie_output off\n"
                                   f"event_gap {GAP}\n" + "".join(f"camera {m_dir}/{f.name}.conf\n" for f in films))
for number, f in enumerate(films, 1):
    w, h = ffprobe(f.file, "width,height").split(",")
    (m_dir / f"{f.name}.conf").write_text(f"camera_id {number}\nwidth {w}\nheight {h}\nframerate {round(f.rate)}\nnetcam_url file://{f.file}\n" + "".join(
        f"on_event_{what} /bin/sh -c 'echo {what} {f.name} $(date +%s.%N) >> {m_dir}/events'\n" for what in ("start", "end")))
config = folder / "monitor.yaml"
config.write_text("record: {enabled: false, post_capture: 0}\ncameras:\n" + "".join(
    f"  {f.name}-{n}: {{source: {f.file}, loop: false{', ' + v if v else ''}}}\n" for f in films for n, v in enumerate(variants)))
first_tile = {}
with Monitor(program, folder / "data", "--config", str(config)) as m:
    with open(m_dir / "err", "w", encoding="utf-8") as err:
        motion_begun = time.time()
        motion = subprocess.Popen(["motion", "-n", "-c", str(m_dir / "motion.conf")], stdout=err, stderr=err)

    def watch():
        for kind, camera, _, _, when, _ in m.live("", last + 5):
            if kind == "J":
                first_tile.setdefault(camera, when)

    threading.Thread(target=watch, daemon=True).start()
    time.sleep(last + GAP + 3)
    ours = m.get("/api/events?limit=500")["events"]
    frames = {c["name"]: (c["frames"], c["drops"]) for c in m.get("/api/stats")["cameras"]}
    motion.terminate()
    motion.wait(30)
    m.stop()
theirs, open_since = [], {}
for line in (m_dir / "events").read_text(encoding="utf-8").splitlines() if (m_dir / "events").exists() else []:
    what, name, when = line.split()
    if what == "start":
        open_since[name] = float(when)
    elif name in open_since:
        theirs.append((name, open_since.pop(name), float(when) - GAP))
theirs += [(name, since, time.time()) for name, since in open_since.items()]
print(f"load {os.getloadavg()[0]:.0f}; frames and drops {frames}")
totals = {}
for f in films:
    rows = {"motion": [(b - motion_begun, e - motion_begun) for name, b, e in theirs if name == f.name]}
    for n, v in enumerate(variants):
        origin = first_tile[f"{f.name}-{n}"]
        rows["vigil-monitor " + v] = [(e["start_time"] - origin, (e["end_time"] or origin + f.seconds + HOLD) - HOLD - origin) for e in ours if e["camera"] == f"{f.name}-{n}" and e["label"] == "motion"]
    for name, events in rows.items():
        s = score(f, events)
        totals[name] = [a + b for a, b in zip(totals.get(name, [0] * len(s)), s)]
        shown(name, f.name, s)
for name, s in totals.items():
    shown(name, "all", s)
