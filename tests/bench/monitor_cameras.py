# SPDX-License-Identifier: LGPL-2.1-or-later
"""How many cameras one vigil-monitor keeps up with: frame rates, time from a frame to the message of its event, processor, memory.

monitor_cameras.py PROGRAM FOLDER CAMERAS SECONDS [WIDTH HEIGHT RATE | CLIP...]

Makes four H.264 clips of drawn scenes in FOLDER (x264enc) that last 20 seconds, or takes the CLIPs, plays each by as many cameras as it takes,
at its own speed, records each event, and looks at 16 tiles. A clip that ends begins again, which takes a moment: the rate of each second tells
of that. Times are of one clock: that of this machine."""
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "monitor"))
from program import Monitor  # noqa: E402  pylint: disable=wrong-import-position

program, folder, cameras, seconds = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
given = [pathlib.Path(a).resolve() for a in sys.argv[5:] if not a.isdigit()]
width, height, rate = map(int, sys.argv[5:8]) if len(sys.argv) > 7 and not given else (1920, 1080, 30)
SCENES = ("street density=0.5", "indoor density=0.5", "foliage density=0.5", "street seed=9")
WATCHED = 16

folder.mkdir(parents=True, exist_ok=True)
clips = list(given)
makers = []
for n, scene in enumerate([] if given else SCENES):
    clip = folder / f"{n}-{width}x{height}.mp4"
    clips.append(clip)
    if not clip.exists():
        makers.append(subprocess.Popen(["gst-launch-1.0", "-q", *f"scenetestsrc scene={scene} quiet=3 num-buffers={20 * rate} "
                                        f"! video/x-raw,format=I420,width={width},height={height},framerate={rate}/1 "
                                        f"! x264enc speed-preset=veryfast key-int-max={rate} bitrate=4000 ! h264parse ! mp4mux ! filesink location={clip}".split()]))
for maker in makers:
    if maker.wait(300):
        sys.exit("a clip cannot be made")
shutil.rmtree(folder / "data", ignore_errors=True)
config = folder / "monitor.yaml"
config.write_text("record: {pre_capture: 2, post_capture: 2, max_clip: 10}\ncameras:\n" +
                  "".join(f"  c{n:02}: {{source: {clips[n % len(clips)]}, cudamog: {{motion-hold: 500}}}}\n" for n in range(cameras)))

with Monitor(program, folder / "data", "--config", str(config)) as m:
    m.wait("all cameras to be online", lambda: all(c["state"] == "online" for c in m.get("/api/cameras")), 90)
    print(f"{cameras} cameras of {', '.join(c.name for c in clips)}; all online after {time.monotonic() - m.begun:.1f} s", flush=True)
    delays, tiles, tile_ages = [], 0, []

    def watch():
        global tiles
        query = "?cameras=" + ",".join(f"c{n:02}" for n in range(min(WATCHED, cameras)))
        for kind, _, _, _, when, _ in m.live(query, seconds + 8):
            if kind == "J":
                tiles += 1
                tile_ages.append(time.time() - when)

    def listen():
        for kind, _, _, _, _, payload in m.live("?pictures=0", seconds + 8):
            record = json.loads(payload) if kind == "E" else {}
            if record.get("kind") == "event" and record["type"] == "new":
                delays.append(time.time() - record["event"]["start_time"])

    threads = [threading.Thread(target=t, daemon=True) for t in (watch, listen)]
    for t in threads:
        t.start()
    time.sleep(5)
    delays.clear()
    tile_ages.clear()
    before, begun = m.get("/api/stats"), time.monotonic()
    last, seconds_rates = (sum(c["frames"] for c in before["cameras"]), begun), []
    while time.monotonic() - begun < seconds:
        time.sleep(1)
        now = (sum(c["frames"] for c in m.get("/api/stats")["cameras"]), time.monotonic())
        seconds_rates.append((now[0] - last[0]) / (now[1] - last[1]) / cameras)
        last = now
    after, lasted = m.get("/api/stats"), time.monotonic() - begun
    first = {c["name"]: c for c in before["cameras"]}
    rates = [(c["frames"] - first[c["name"]]["frames"]) / lasted for c in after["cameras"]]
    drops = sum(c["drops"] - first[c["name"]]["drops"] for c in after["cameras"])
    reconnects = sum(c["reconnects"] for c in after["cameras"])
    events = m.get("/api/events?limit=500")["events"]

    def shown(values):
        s = sorted(values)
        return f"median {statistics.median(s) * 1000:.0f} ms, 99 % {s[int(0.99 * (len(s) - 1))] * 1000:.0f} ms of {len(s)}" if s else "none"

    print(f"over {lasted:.1f} s: frames a second of a camera: least {min(rates):.2f}, mean {statistics.mean(rates):.2f}, most {max(rates):.2f}; dropped {drops}; reconnects {reconnects}")
    print("frames a second of a camera, second by second: " + " ".join(f"{r:.1f}" for r in seconds_rates))
    print(f"processor: {(after['cpu_seconds'] - before['cpu_seconds']) / lasted:.2f} cores; memory {after['memory_bytes'] / 1e6:.0f} MB; threads {after['threads']}")
    print(f"frame to the message of its event, at the viewer: {shown(delays)}")
    print(f"frame to its tile, at the viewer: {shown(tile_ages)}")
    print(f"events {len(events)} (500 at most are asked for), with clips {sum(e['has_clip'] for e in events)}, ended {sum(e['end_time'] is not None for e in events)}")
    for line in m.log[-5:]:
        print("log:", line.rstrip())
    for t in threads:
        t.join(15)
    m.stop()
