# SPDX-License-Identifier: LGPL-2.1-or-later
"""What privacy costs: processor seconds of vigil-monitor for each second of a camera, and for each of its pictures.

privacy_cost.py PROGRAM FOLDER [WIDTH HEIGHT RATE]    1920 1080 15; a drawn street, recorded all day, nobody watches; 40 s of each kind after 40 s."""
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "monitor"))
from program import Monitor  # noqa: E402  pylint: disable=wrong-import-position

program, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
width, height, rate = map(int, sys.argv[3:6]) if len(sys.argv) > 5 else (1920, 1080, 15)
KINDS = {"nothing private": "", "nothing private, all pictures analysed": "detect: {fps: all}", "a polygon": 'privacy: {polygons: {a: {coordinates: "0,0,0.3,0,0.3,0.5,0,0.5"}}}',
         "a polygon, all pictures analysed": 'detect: {fps: all}, privacy: {polygons: {a: {coordinates: "0,0,0.3,0,0.3,0.5,0,0.5"}}}', "silhouettes": "privacy: {silhouettes: true}"}
folder.mkdir(parents=True, exist_ok=True)
clip = folder / f"street-{width}x{height}.mp4"
if not clip.exists():
    subprocess.run(["gst-launch-1.0", "-q", *f"scenetestsrc quiet=3 num-buffers={60 * rate} ! video/x-raw,format=I420,width={width},height={height},framerate={rate}/1 "
                    f"! x264enc speed-preset=veryfast key-int-max={rate} bitrate=4000 ! h264parse ! mp4mux ! filesink location={clip}".split()], check=True, timeout=590)
for kind, words in KINDS.items():
    shutil.rmtree(folder / "data", ignore_errors=True)
    (folder / "cost.yaml").write_text(f"http: {{local: admin}}\nrecord: {{continuous: {{days: 1}}}}\ncameras: {{street: {{source: {clip}, {words}}}}}\n")
    with Monitor(program, folder / "data", "--config", str(folder / "cost.yaml")) as m:
        m.wait("the camera is there", lambda m=m: m.get("/api/cameras/street")["state"] == "online", 60)
        time.sleep(40)
        before = m.get("/api/stats")
        time.sleep(40)
        after = m.get("/api/stats")
        cpu, span = after["cpu_seconds"] - before["cpu_seconds"], after["time"] - before["time"]
        camera = after["cameras"][0]
        print(f"{kind}: {cpu / span:.3f} of a core, {1000 * cpu / span / rate:.1f} ms a picture, {camera['drops'] - before['cameras'][0]['drops']} pictures dropped, latency {camera['latency_ms']:.0f} ms", flush=True)
        m.stop()
