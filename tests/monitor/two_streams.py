# SPDX-License-Identifier: LGPL-2.1-or-later
"""A camera with two streams, one recorded and one looked at: the drawn clock says whether their times agree.

two_streams.py PROGRAM FOLDER. Needs GstRtspServer and ffmpeg; without, it is skipped."""
import shutil
import subprocess
import time

import rtsp_camera
from program import Monitor, begin
from vigiltest import skip_for

program, folder = begin("monitor-two-streams")
skip_for(rtsp_camera.MISSING, None if shutil.which("ffmpeg") and shutil.which("ffprobe") else "no ffmpeg")
PORT, LATE, BITS, PERIOD, SHOWN = 8581, 1.0, 24, 20, 6
BEFORE = 3  # seconds of the clip before its event
# The bars would move all the time.
CONFIG = f"""
record: {{pre_capture: {BEFORE}, post_capture: 3, continuous: {{days: 1}}}}
cameras:
  door:
    source:
      record: rtsp://eye:geheim@127.0.0.1:{PORT}/main
      detect: rtsp://eye:geheim@127.0.0.1:{PORT}/sub
    masks: {{clock: {{coordinates: "0,0,1,0,1,0.14,0,0.14"}}}}
    zones: {{floor: {{coordinates: "0,0.6,1,0.6,1,1,0,1"}}}}
"""


class Clock:
    """The pictures of a file: when they are shown, and when they were taken by the clock that they show."""

    def __init__(self, data, name, near):
        file = folder / name
        file.write_bytes(data)
        asked = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "stream=width,height:frame=pts_time", "-of", "csv=p=0", str(file)],
                               capture_output=True, text=True, check=True).stdout.split()
        self.size = tuple(int(x) for x in asked[-1].strip(",").split(",")[:2])
        self.shown = [float(x.split(",")[0]) for x in asked[:-1]]
        raw = subprocess.run(["ffmpeg", "-v", "error", "-i", str(file), "-f", "rawvideo", "-pix_fmt", "gray", "-fps_mode", "passthrough", "-"], capture_output=True, check=True).stdout
        w, h = self.size
        self.pictures = [raw[i:i + w * h] for i in range(0, len(raw), w * h)]
        self.taken = [self.read(p, near) for p in self.pictures]

    def read(self, picture, near):
        w, h = self.size
        row = picture[h // 20 * w:(h // 20 + 1) * w]
        milliseconds = 0
        for i in range(BITS):
            milliseconds = milliseconds * 2 + (row[int((i + 0.5) * w / BITS)] > 125)
        whole = (1 << BITS) / 1000
        return milliseconds / 1000 + round((near - milliseconds / 1000) / whole) * whole

    def late(self, start):
        """By how much the file's times are later than the clock, in the middle."""
        differences = sorted(start + s - t for s, t in zip(self.shown, self.taken))
        return differences[len(differences) // 2]


def line(m):
    now = time.time()
    return m.get(f"/api/cameras/door/timeline?from={now - 600:.3f}&to={now + 10:.3f}")


def camera(m):
    return m.get("/api/cameras/door")


def events(m, label, after=0.0):
    return [e for e in m.get("/api/events?limit=200")["events"] if e["label"] == label and e["start_time"] >= after]


def recorded_until(m):
    return line(m)["recorded"][-1]["end"] if line(m)["recorded"] else 0


def agree(m):
    """Recording, clip and event have one time, although the recorded stream comes a second late."""
    m.wait("both streams are there", lambda: camera(m)["state"] == "online" and camera(m)["record_stream"]["state"] == "online", 60)
    offset = m.wait("the camera says when its pictures are taken", lambda: camera(m)["record_stream"]["offset"], 60)
    print("offset of the streams", round(offset, 3), "s")
    if abs(offset - LATE) > 0.3:
        raise AssertionError(f"the streams are {offset} s apart, not {LATE}")
    aligned = time.time() + 1
    size = camera(m)["width"], camera(m)["height"]
    if size != (320, 240):
        raise AssertionError(f"{size} is looked at")
    m.wait("it records", lambda: recorded_until(m) > aligned + 6, 60)
    status, data = m.ask("GET", f"/api/cameras/door/recording.mp4?from={aligned + 3}&to={aligned + 5}", raw=True)
    if status != 200:
        raise AssertionError((status, data))
    start = float(m.headers["X-Recording-Start"])
    recording = Clock(data, "recording.mp4", start)
    late = recording.late(start)
    sound = subprocess.run(["ffprobe", "-v", "error", "-count_packets", "-select_streams", "a", "-show_entries", "stream=codec_name,nb_read_packets", "-of", "csv=p=0", str(folder / "recording.mp4")],
                           capture_output=True, text=True, check=True).stdout.strip()
    print("its sound, which came as G.711:", sound)
    if not sound.startswith("opus,") or int(sound.split(",")[1]) < 50:
        raise AssertionError(f"its sound: {sound!r}")
    print(f"the recording, {recording.size}: {late:+.3f} s by the drawn clock")
    if recording.size != (640, 360) or abs(late) > LATE / 2:
        raise AssertionError(f"{recording.size}, {late} s")

    wanted = m.wait("an event with its clip", lambda: [e for e in events(m, "motion", aligned) if e["end_time"] and e["has_clip"]], 90)[-1]
    began = wanted["start_time"] - wanted["start_time"] % PERIOD  # when the square appears
    print(f"the event begins {wanted['start_time'] - began:+.3f} s after the square")
    if wanted["start_time"] - began > 2.5:
        raise AssertionError(wanted)
    status, data = m.ask("GET", f"/api/events/{wanted['id']}/clip.mp4", raw=True)
    clip = Clock(data, "clip.mp4", began)
    late = clip.late(wanted["clip_start"])
    print(f"the clip, {clip.size}: {late:+.3f} s by the drawn clock, from {clip.taken[0] - began:+.2f} to {clip.taken[-1] - began:+.2f} s of the square's appearance")
    if clip.size != (640, 360) or abs(late) > LATE / 2:
        raise AssertionError(f"{clip.size}, {late} s")
    if not clip.taken[0] < wanted["start_time"] - BEFORE + 0.5 or not clip.taken[-1] > wanted["end_time"]:
        raise AssertionError("the clip does not show the whole event")
    box = wanted["box"]
    if abs(box["y"] - 0.5) > 0.06 or abs(box["y"] + box["height"] - 0.75) > 0.06 or wanted["zones"] != ["floor"]:
        raise AssertionError(f"the square is from 0.5 to 0.75, in the zone floor: {box}, {wanted['zones']}")
    # What the box holds in the clip's pictures, which have another size and shape: the square.
    w, h = clip.size
    i = next(i for i, t in enumerate(clip.taken) if t >= began + 2)
    row = clip.pictures[i][int(0.62 * h) * w:int(0.62 * h + 1) * w]
    bright = [x for x in range(w) if row[x] > 170]
    square = 0.1 + 0.1 * (clip.taken[i] - began)
    if not bright or abs(bright[0] / w - square) > 0.03:
        raise AssertionError(f"the square is at {square}, not at {bright and bright[0] / w}")


def shown(m):
    """What is shown of the addresses, and the compressed streams for viewers."""
    about = str(m.get("/api/cameras")) + str(m.get("/api/config")) + "".join(m.log)
    if "geheim" in about or "/main" not in about.replace("/...", "/main"):
        raise AssertionError(about)
    for query, status in (("?stream=nothing", 400),):
        if m.ask("GET", "/api/cameras/door/live.mp4" + query)[0] != status:
            raise AssertionError(query)
    for query, size in (("", (640, 360)), ("?stream=detect", (320, 240))):
        c = m.connect()
        c.request("GET", "/api/cameras/door/live.mp4" + query)
        r = c.getresponse()
        data = r.read(60000)
        c.close()
        (folder / "live.mp4").write_bytes(data)
        found = subprocess.run(["ffprobe", "-v", "quiet", "-show_entries", "stream=width,height", "-of", "csv=p=0", str(folder / "live.mp4")], capture_output=True, text=True, check=False).stdout
        if found.strip().strip(",") != "{},{}".format(*size):
            raise AssertionError((query, found))


def recorded_is_away(m, server):
    server.say("stall main")
    m.wait("the recorded stream is offline", lambda: camera(m)["record_stream"]["state"] == "offline", 60)
    about = camera(m)
    if about["state"] != "online" or not about["record_stream"]["reason"]:
        raise AssertionError(about)
    away = time.time()
    m.wait("its outage is an event", lambda: events(m, "record-offline"), 60)
    m.wait("events go on", lambda: events(m, "motion", away), 60)
    server.say("go main")
    m.wait("the recorded stream is back", lambda: camera(m)["record_stream"]["state"] == "online", 90)
    back = time.time()
    m.wait("it is recorded again", lambda: recorded_until(m) > back + 2, 60)
    m.wait("the outage is over", lambda: all(e["end_time"] for e in events(m, "record-offline")), 30)
    if "camera away" not in [g["reason"] for g in line(m)["gaps"]] or events(m, "detect-offline"):
        raise AssertionError(line(m)["gaps"])


def looked_at_is_away(m, server):
    server.say("stall sub")
    m.wait("the stream that is looked at is offline", lambda: camera(m)["state"] == "offline", 60)
    away = time.time()
    m.wait("its outage is an event", lambda: events(m, "detect-offline"), 60)
    m.wait("the other one is recorded", lambda: recorded_until(m) > away + 5, 60)
    if camera(m)["record_stream"]["state"] != "online":
        raise AssertionError(camera(m))
    server.say("go sub")
    m.wait("the stream is back", lambda: camera(m)["state"] == "online", 90)
    back = time.time()
    m.wait("events go on, with clips", lambda: [e for e in events(m, "motion", back) if e["has_clip"]], 90)


def refused():
    """A recorded stream that would have to be encoded, and one that nothing reads."""
    raw = "scenetestsrc is-live=true ! video/x-raw,format=I420,width=320,height=180,framerate=5/1"
    (folder / "raw.yaml").write_text(f'cameras: {{raw: {{source: {{record: "{raw}", detect: "{raw}"}}}}, two: {{source: {{record: "{raw} ! identity", detect: "{raw}"}}}}}}')
    with Monitor(program, folder / "raw", "--config", str(folder / "raw.yaml")) as m:
        m.wait("the raw stream is refused", lambda: "not stored as it comes" in str(m.get("/api/cameras/two")["record_stream"]["reason"]), 60)
        m.wait("the other one is there", lambda: m.get("/api/cameras/two")["state"] == "online", 60)
        if m.get("/api/cameras/raw")["record_stream"] is not None:
            raise AssertionError("the same stream twice is one stream")
        metrics = m.ask("GET", "/metrics")[1].decode()
        if 'vigil_camera_record_stream_online{camera="two"} 0' not in metrics or 'record_stream_online{camera="raw"}' in metrics:
            raise AssertionError(metrics)
        m.stop()
    (folder / "bad.yaml").write_text("cameras: {bad: {source: {record: nothing://eye:geheim@host/main, detect: scenetestsrc}}}")
    done = subprocess.run([program, "--config", str(folder / "bad.yaml"), "--check"], capture_output=True, text=True, check=False)
    if not done.returncode or "nothing://" not in done.stderr or "geheim" in done.stderr + done.stdout:
        raise AssertionError(done)


refused()
(folder / "monitor.yaml").write_text(CONFIG)
server = rtsp_camera.CameraServer(PORT, "clock_camera.py", str(LATE))
try:
    with Monitor(program, folder / "data", "--config", str(folder / "monitor.yaml")) as monitor:
        agree(monitor)
        shown(monitor)
        recorded_is_away(monitor, server)
        looked_at_is_away(monitor, server)
        monitor.stop()
finally:
    server.kill()
print("all is well")
