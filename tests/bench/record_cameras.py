# SPDX-License-Identifier: LGPL-2.1-or-later
"""What recording alone costs: processor time of vigil-monitor for cameras of an RTSP server that are recorded all day and not analysed.

record_cameras.py PROGRAM FOLDER [CAMERAS [SECONDS [DETECT [RATE [CLIPS]]]]]    16 60 off 15 4

Makes up to four H.264 clips of drawn scenes in FOLDER (1920x1080, RATE pictures a second), which rtsp_clips.py sends without encoding. DETECT "on"
analyses the cameras, too, for comparison; "on-events" analyses them and records events alone. Prints the load average; another program's load makes the figure larger."""
import os
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "monitor"))
from program import Monitor  # noqa: E402  pylint: disable=wrong-import-position
from vigiltest import free_port  # noqa: E402  pylint: disable=wrong-import-position

program, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
cameras, seconds = (int(a) for a in [*sys.argv[3:5], *("16", "60")[len(sys.argv[3:5]):]])
mode = sys.argv[5] if len(sys.argv) > 5 else "off"
detect, record = mode != "off", "{enabled: true}" if mode == "on-events" else "{continuous: {days: 1}}"
WIDTH, HEIGHT, LIMIT, GROUP = 1920, 1080, 10, 6
RATE, clips_made = (int(a) for a in [*sys.argv[6:8], *("15", "4")[len(sys.argv[6:8]):]])
SCENES = ("street density=0.5", "indoor density=0.5", "foliage density=0.5", "street seed=9")
folder.mkdir(parents=True, exist_ok=True)
clips = [folder / f"{scene.replace(' ', '-').replace('=', '')}-{WIDTH}x{HEIGHT}-{RATE}.mp4" for scene in SCENES[:min(cameras, clips_made)]]
for clip, scene in zip(clips, SCENES):
    if not clip.exists():
        subprocess.run(["gst-launch-1.0", "-q", *f"scenetestsrc scene={scene} num-buffers={20 * RATE} ! video/x-raw,format=I420,width={WIDTH},height={HEIGHT},framerate={RATE}/1 "
                        f"! x264enc speed-preset=veryfast key-int-max={2 * RATE} bframes=0 bitrate=4000 ! h264parse ! mp4mux ! filesink location={clip}.part".split()], check=True, timeout=590)
        pathlib.Path(f"{clip}.part").rename(clip)
port = free_port()
server = subprocess.Popen(["/usr/bin/python3", str(pathlib.Path(__file__).parent / "rtsp_clips.py"), str(port), str(cameras), *map(str, clips)],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
if server.stdout.readline() != "ready\n":
    sys.exit("the server does not start")
try:
    shutil.rmtree(folder / "data", ignore_errors=True)
    (folder / "record.yaml").write_text(f"http: {{local: admin}}\nrecord: {record}\ncameras:\n" + "".join(
        f"  cam{i}: {{source: rtsp://127.0.0.1:{port}/cam{i}, detect: {{enabled: {str(detect).lower()}}}}}\n" for i in range(cameras)))
    with Monitor(program, folder / "data", "--config", str(folder / "record.yaml")) as m:
        m.wait("all cameras are there", lambda: all(c["state"] == "online" for c in m.get("/api/cameras")), 120)
        time.sleep(20)
        load, before = os.getloadavg(), m.get("/api/stats")
        time.sleep(seconds)
        after = m.get("/api/stats")
        passed = after["time"] - before["time"]
        share = 100 * (after["cpu_seconds"] - before["cpu_seconds"]) / passed
        rate, decoded, lost = (sum(a[k] - b[k] for a, b in zip(after["cameras"], before["cameras"])) / passed for k in ("frames", "decoded", "recording_frames_lost"))
        now = time.time()
        gaps = sum(len(m.get(f"/api/cameras/cam{i}/timeline?from={now - passed:.3f}&to={now:.3f}")["gaps"]) for i in range(cameras))
        m.stop()
finally:
    server.stdin.close()
    server.wait(30)
print(f"{cameras} cameras of {WIDTH}x{HEIGHT}, {'' if detect else 'not '}analysed, {passed:.0f} s, load {load[0]:.1f} before and {os.getloadavg()[0]:.1f} after")
frames = f"{rate / cameras:.2f} analysed and {decoded / cameras:.2f} decoded" if detect else f"{rate / cameras:.2f} recorded and {decoded / cameras:.2f} key frames decoded for previews"
print(f"of {RATE} frames a second of each camera {frames}; {lost:.2f} lost a second in recordings, {gaps} gaps")
print(f"{share:.1f} % of a core, {share / cameras * GROUP:.2f} % for each {GROUP} cameras (at most {LIMIT} %), {after['memory_bytes'] / 1e6:.0f} MB")
if not detect and rate < 0.97 * RATE * cameras or lost or gaps:
    sys.exit("not all was recorded")
