# SPDX-License-Identifier: LGPL-2.1-or-later
"""A file whose frames are shown in another order than they are decoded in: none is told to be shown before it came.

latency.py PROGRAM FOLDER"""
import pathlib
import shutil
import subprocess
import sys
import time

from program import Monitor

program, folder = sys.argv[1], pathlib.Path(sys.argv[2]) / "monitor-latency"
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
RATE, FRAMES = 10, 60
FORMATS = {"mp4": "h264parse ! mp4mux", "mkv": "h264parse ! matroskamux"}
for name, mux in FORMATS.items():
    subprocess.run(f"gst-launch-1.0 -q scenetestsrc quiet=0 num-buffers={FRAMES} ! video/x-raw,format=I420,width=160,height=90,framerate={RATE}/1 "
                   f"! x264enc bframes=2 b-adapt=false key-int-max={RATE} ! {mux} ! filesink location={folder}/clip.{name}".split(), check=True, timeout=60)
config = folder / "monitor.yaml"
config.write_text("cameras:\n" + "".join(f'  {name}: {{source: "{folder}/clip.{name}", live: {{fps: 30}}, record: {{enabled: false}}}}\n' for name in FORMATS))


with Monitor(program, folder / "data", "--config", str(config)) as m:
    m.wait("pictures", lambda: all(c["state"] == "online" for c in m.get("/api/cameras")))
    late = {camera: [] for camera in FORMATS}
    for _ in range(40):
        for c in m.get("/api/stats")["cameras"]:
            late[c["name"]].append(c["latency_ms"])
        time.sleep(0.05)
    print({camera: f"{min(values):.1f} to {max(values):.1f} ms" for camera, values in late.items()})
    assert all(value >= 0 for values in late.values() for value in values), late
    assert all(c["reconnects"] == 0 for c in m.get("/api/cameras")), m.log
    m.stop()
print("all good")
