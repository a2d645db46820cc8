# SPDX-License-Identifier: LGPL-2.1-or-later
"""A file whose frames are shown in another order than they are decoded in: no frame gets a time before its arrival. A camera whose
frames are looked at three seconds late, longer than an event waits: its events follow each other and none is empty.

latency.py PROGRAM FOLDER"""
import json
import subprocess
import time

from program import Monitor, begin

program, folder = begin("monitor-latency")
RATE, FRAMES = 10, 60
FORMATS = {"mp4": "h264parse ! mp4mux", "mkv": "h264parse ! matroskamux"}
for name, mux in FORMATS.items():
    subprocess.run(f"gst-launch-1.0 -q scenetestsrc quiet=0 num-buffers={FRAMES} ! video/x-raw,format=I420,width=160,height=90,framerate={RATE}/1 "
                   f"! x264enc bframes=2 b-adapt=false key-int-max={RATE} ! {mux} ! filesink location={folder}/clip.{name}".split(), check=True, timeout=60)
LATE = 3
config = folder / "monitor.yaml"
config.write_text("cameras:\n" + "".join(f'  {name}: {{source: "{folder}/clip.{name}", live: {{fps: 30}}, record: {{enabled: false}}}}\n' for name in FORMATS) +
                  f'  late: {{source: "scenetestsrc is-live=true quiet=0.5 density=0.5 seed=2 ! video/x-raw,format=I420,width=160,height=90,framerate={RATE}/1 ! queue '
                  f'max-size-buffers=0 max-size-bytes=0 max-size-time=0 min-threshold-time={LATE}000000000", cudamog: {{motion-hold: 300}}, '
                  'record: {pre_capture: 0, post_capture: 1, max_clip: 2}}\n')


with Monitor(program, folder / "data", "--config", str(config)) as m:
    m.wait("pictures", lambda: all(c["state"] == "online" for c in m.get("/api/cameras")))
    late = {camera: [] for camera in FORMATS}
    for _ in range(40):
        for c in m.get("/api/stats")["cameras"]:
            if c["name"] in FORMATS:
                late[c["name"]].append(c["latency_ms"])
        time.sleep(0.05)
    print({camera: f"{min(values):.1f} to {max(values):.1f} ms" for camera, values in late.items()})
    assert all(value >= 0 for values in late.values() for value in values), late
    assert all(c["reconnects"] == 0 for c in m.get("/api/cameras")), m.log
    m.wait("the late camera's latency",
           lambda: next(c["latency_ms"] for c in m.get("/api/stats")["cameras"] if c["name"] == "late") > 1000 * (LATE - 0.5))
    m.wait("ten events of the late camera", lambda: sum(e["end_time"] is not None for e in m.get("/api/events?camera=late&limit=100")["events"]) >= 10, 120)
    m.stop()
events = [e for line in (folder / "data/events.jsonl").read_text(encoding="utf-8").splitlines() if (e := json.loads(line))["camera"] == "late" and e["label"] == "motion"]
print("the late camera's events:", ", ".join(f"{e['start_time'] - events[0]['start_time']:.2f} to {e['end_time'] - events[0]['start_time']:.2f}" for e in events))
for before, after in zip(events, events[1:]):
    assert before["start_time"] < before["end_time"] <= after["start_time"], (before, after)
print("all good")
