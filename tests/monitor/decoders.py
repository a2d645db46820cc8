# SPDX-License-Identifier: LGPL-2.1-or-later
"""A camera's events are the same whichever decoder made the frames.

decoders.py PROGRAM FOLDER"""
import os
import subprocess

from program import Monitor, begin
from vigiltest import same, skip

program, folder = begin("monitor-decoders")
DECODERS = ("avdec_h264", "openh264dec")
for needed in ("x264enc", *DECODERS):
    if subprocess.run(["gst-inspect-1.0", "--exists", needed], check=False, timeout=60).returncode:
        skip(f"GStreamer has no {needed} here")
RATE, SECONDS = 5, 30
FILMS = {"street": "scene=street density=0.6", "traffic": "scene=traffic", "bag": "scene=left-bag"}
for name, scene in FILMS.items():  # no whole macroblocks: decoders cut both edges
    subprocess.run(f"gst-launch-1.0 -q scenetestsrc quiet=2 {scene} num-buffers={RATE * SECONDS} ! video/x-raw,format=I420,width=182,height=134,framerate={RATE}/1 "
                   f"! x264enc speed-preset=veryfast tune=zerolatency key-int-max=10 ! h264parse ! mp4mux ! filesink location={folder}/{name}.mp4".split(), check=True, timeout=120)
config = folder / "monitor.yaml"
config.write_text("record: {enabled: false}\ncameras:\n" + "".join(f"""  {name}:
    source: {folder}/{name}.mp4
    loop: false
    detect: {{fps: all, height: full}}
    cudamog: {{motion-hold: 300, min-area: 30}}
    zones:
      left: {{coordinates: "0,0,0.5,0,0.5,1,0,1"}}
      right: {{coordinates: "0.5,0,1,0,1,1,0.5,1"}}
""" for name in FILMS), encoding="utf-8")


def started(decoder, number):
    ranks = ",".join(f"{d}:{'MAX' if d == decoder else 'NONE'}" for d in DECODERS)
    env = {**os.environ, "GST_PLUGIN_FEATURE_RANK": ranks, "GST_DEBUG": "GST_ELEMENT_FACTORY:4", "GST_DEBUG_NO_COLOR": "1"}
    return Monitor(program, folder / f"{decoder}-{number}", "--config", str(config), env=env)


def found(m, decoder):
    """When the films have ended: the number of pictures of each, and all of each event but the hour."""
    m.wait(f"the films' end with {decoder}", lambda: all(c["state"] == "ended" for c in m.get("/api/cameras")), 240)
    m.wait(f"the events' end with {decoder}", lambda: all(e["end_time"] for e in m.get("/api/events?limit=500")["events"]), 60)
    made = {d for d in DECODERS if any(f'creating element "{d}"' in line for line in list(m.log))}
    same(made, {decoder}, "decoders that were made")
    pictures = {c["name"]: c["frames"] for c in m.get("/api/stats")["cameras"]}
    events = sorted(m.get("/api/events?limit=500")["events"], key=lambda e: (e["camera"], e["start_time"]))
    print(f"{decoder}: {pictures}, {[(e['camera'], e['label'], e['zones']) for e in events]}")
    all_of = []
    for e in events:
        begun = next(first["start_time"] for first in events if first["camera"] == e["camera"])
        all_of.append({**{k: v for k, v in e.items() if k not in ("id", "start_time", "end_time")},
                        "begins": round(e["start_time"] - begun, 3), "ends": round(e["end_time"] - begun, 3)})
    m.stop()
    return pictures, all_of


# A machine that is too slow leaves pictures out: that is another film.
for attempt in range(4):
    with started(DECODERS[0], attempt) as one, started(DECODERS[1], attempt) as other:
        (pictures, events), (more, others) = found(one, DECODERS[0]), found(other, DECODERS[1])
    if pictures == more == dict.fromkeys(FILMS, RATE * SECONDS):
        break
    print("pictures were left out")
else:
    raise AssertionError(f"in four attempts pictures were left out: {pictures} and {more} of {RATE * SECONDS}")
same({e["camera"] for e in events}, set(FILMS), "cameras with events")
for event, expected in zip(others, events):
    same(event, expected, f"an event by {DECODERS[1]}")
same(len(others), len(events), "events")
print("all good")
