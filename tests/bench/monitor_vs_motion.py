# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-monitor compared with motion on the same four cameras in one run: processor time, events found and false, time to notice.

monitor_vs_motion.py PROGRAM FOLDER SECONDS [--unwatched] [SETTINGS]

SETTINGS of each of vigil-monitor's cameras, as YAML: 'detect: {height: 180}, cudamog: {min-area: 25}'. Films of an earlier run in FOLDER are taken again.
The cameras are H.264 files of 640x360 at 15 frames a second, drawn scenes of which scenetestsrc tells the truth, played at their own speed by
both programs. Each program is pinned to two processors of its own. Both record. The wall of vigil-monitor is looked at,
with --unwatched only until each camera has shown a picture; nobody looks at motion's. An event is true
when something was there while it lasted; what was there is found when an event began while it was, or up to two seconds before or after."""
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "monitor"))
from program import Monitor  # noqa: E402  pylint: disable=wrong-import-position

program, folder, seconds = sys.argv[1], pathlib.Path(sys.argv[2]).absolute(), int(sys.argv[3])
WIDTH, HEIGHT, RATE = 640, 360, 15
SCENES = {"street": "street density=0.25 quiet=6", "indoor": "indoor density=0.3 quiet=6 seed=3", "foliage": "foliage density=0.3 quiet=6 seed=5",
          "light": "light-switch density=0.3 quiet=6 seed=2"}
TRUTH_W, TRUTH_H = 160, 90
NEAR = 2.0  # seconds

unwatched = "--unwatched" in sys.argv[4:]
settings = "".join(f", {s}" for s in sys.argv[4:] if s != "--unwatched")
for part in "motion", "data":
    shutil.rmtree(folder / part, ignore_errors=True)
(folder / "motion").mkdir(parents=True)
films = folder / f"films-{seconds}"
makers = []
for name, scene in ({} if films.exists() else SCENES).items():
    making = folder / "making"
    making.mkdir(exist_ok=True)
    # A little longer than the run: neither program begins again.
    source = f"scenetestsrc scene={scene} num-buffers={(seconds + 15) * RATE}"
    makers.append(subprocess.Popen(["gst-launch-1.0", "-q", *f"{source} ! video/x-raw,format=I420,width={WIDTH},height={HEIGHT},framerate={RATE}/1 "
                                    f"! x264enc speed-preset=veryfast key-int-max={RATE} bitrate=1500 ! h264parse ! mp4mux ! filesink location={making}/{name}.mp4".split()]))
    makers.append(subprocess.Popen(["gst-launch-1.0", "-q", *f"{source} name=s s.src ! video/x-raw,width={TRUTH_W},height={TRUTH_H},framerate={RATE}/1 ! fakesink "
                                    f"s.truth ! filesink location={making}/{name}.truth".split()]))
for maker in makers:
    if maker.wait(300):
        sys.exit("a camera's film cannot be made")
if makers:
    (folder / "making").rename(films)


def present(name):
    """Spans in which something is in the picture, in seconds of the film; those nearer than two seconds are one."""
    data, size = (films / f"{name}.truth").read_bytes(), TRUTH_W * TRUTH_H
    spans = []
    for n in range(len(data) // size):
        t = n / RATE
        if t > seconds:
            break
        if data[n * size:(n + 1) * size].count(b"\xff") < 0.002 * size:
            continue
        if spans and t - spans[-1][1] < NEAR:
            spans[-1][1] = t
        else:
            spans.append([t, t])
    return spans


def score(events, origin):
    """Of events [(camera, begin, end)] in seconds: true, false, found and missed spans, times to notice."""
    true = false = found = missed = 0
    delays = []
    for name in SCENES:
        spans = present(name)
        mine = [(b - origin[name], e - origin[name]) for c, b, e in events if c == name and b - origin[name] < seconds]
        for b, e in mine:
            if any(b <= last + NEAR and e >= first - NEAR for first, last in spans):
                true += 1
            else:
                false += 1
        for first, last in spans:
            inside = [b for b, e in mine if b <= last + NEAR and e >= first - NEAR]
            found, missed = found + bool(inside), missed + (not inside)
            if inside and min(inside) >= first - NEAR:
                delays.append(min(inside) - first)
    delays.sort()
    return (f"events {true + false}, true {true}, false {false}: precision {true / max(1, true + false):.2f}; appearances found {found} of {found + missed}: recall "
            f"{found / max(1, found + missed):.2f}; from the appearance to the event's begin: median {delays[len(delays) // 2] if delays else float('nan'):.2f} s")


def cpu_of(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


m_dir = folder / "motion"
common = f"""daemon off
log_level 6
log_file {m_dir}/log
target_dir {m_dir}/out
webcontrol_port 0
stream_port 0
width {WIDTH}
height {HEIGHT}
framerate {RATE}
picture_output off
movie_output on
movie_passthrough on
movie_codec mp4
event_gap 5
pre_capture 3
"""
(m_dir / "motion.conf").write_text(common + "".join(f"camera {m_dir}/{name}.conf\n" for name in SCENES))
for number, name in enumerate(SCENES, 1):
    (m_dir / f"{name}.conf").write_text(f"camera_id {number}\nnetcam_url file://{films}/{name}.mp4\n"
                                        f"on_event_start /bin/sh -c 'echo start {name} $(date +%s.%N) >> {m_dir}/events'\n"
                                        f"on_event_end /bin/sh -c 'echo end {name} $(date +%s.%N) >> {m_dir}/events'\n")
config = folder / "monitor.yaml"
config.write_text("record: {pre_capture: 3, post_capture: 5}\ncameras:\n" + "".join(f"  {name}: {{source: {films}/{name}.mp4{settings}}}\n" for name in SCENES))
processors = sorted(os.sched_getaffinity(0))
mine, others = (processors[:2], processors[2:4]) if len(processors) >= 4 else (processors, processors)
motion_log = open(m_dir / "err", "w", encoding="utf-8")  # pylint: disable=consider-using-with
with Monitor(program, folder / "data", "--config", str(config)) as m:
    os.sched_setaffinity(m.process.pid, mine)
    for task in pathlib.Path(f"/proc/{m.process.pid}/task").iterdir():
        os.sched_setaffinity(int(task.name), mine)
    motion_begun = time.time()
    motion = subprocess.Popen(["taskset", "-c", ",".join(map(str, others)), "motion", "-n", "-c", str(m_dir / "motion.conf")], stdout=motion_log, stderr=motion_log)
    first_tile = {}

    def watch():
        for kind, camera, _, _, when, _ in m.live("", seconds + 5):
            if kind == "J":
                first_tile.setdefault(camera, when)
            if unwatched and len(first_tile) == len(SCENES):
                return

    threading.Thread(target=watch, daemon=True).start()
    m.wait("all cameras", lambda: len(first_tile) == len(SCENES), 30)
    before, begun = (m.get("/api/stats")["cpu_seconds"], cpu_of(motion.pid)), time.monotonic()
    time.sleep(seconds - (time.time() - motion_begun))
    stats = m.get("/api/stats")
    lasted = time.monotonic() - begun
    used = stats["cpu_seconds"] - before[0], cpu_of(motion.pid) - before[1]
    frames = {c["name"]: c["frames"] for c in stats["cameras"]}
    now = time.time()
    ours = [(e["camera"], e["start_time"], e["end_time"] or now) for e in m.get("/api/events?limit=500")["events"]]
    clips = sum(e["has_clip"] for e in m.get("/api/events?limit=500")["events"])
    motion.terminate()
    motion.wait(30)
    m.stop()
theirs, open_since = [], {}
for line in (m_dir / "events").read_text().splitlines() if (m_dir / "events").exists() else []:
    what, name, when = line.split()
    if what == "start":
        open_since[name] = float(when)
    elif name in open_since:
        theirs.append((name, open_since.pop(name), float(when)))
theirs += [(name, since, now) for name, since in open_since.items()]
print(f"{lasted:.0f} s, 4 cameras of {WIDTH}x{HEIGHT} at {RATE} a second, H.264; vigil-monitor on processors {mine} with {'nobody looking' if unwatched else 'the wall open'}, motion on {others}")
print(f"vigil-monitor: {used[0] / lasted:.3f} processors; {score(ours, first_tile)}; clips {clips}; frames {frames}")
print(f"motion: {used[1] / lasted:.3f} processors; {score(theirs, dict.fromkeys(SCENES, motion_begun))}")
print(f"processor time of vigil-monitor over motion's: {used[0] / used[1]:.2f}")
