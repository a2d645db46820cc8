# SPDX-License-Identifier: LGPL-2.1-or-later
"""Short files that play again and again without a reconnection. With `timing` also: no picture is lost at their ends, in no container, and
none comes late.

loop.py PROGRAM FOLDER [timing]"""
import subprocess
import sys
import time

from program import Monitor, begin

timed = "timing" in sys.argv[3:]
program, folder = begin("monitor-loop-time" if timed else "monitor-loop")
RATE, PICTURES, SECONDS = 15, 15, 15
# Frames that are shown before one that was decoded earlier (bframes) are those that a decoder still holds at the end.
for name, muxer in {"film.mp4": "mp4mux", "film.mkv": "matroskamux", "film.ts": "mpegtsmux"}.items():
    subprocess.run(["gst-launch-1.0", "-q", *f"videotestsrc num-buffers={PICTURES} ! video/x-raw,format=I420,width=160,height=120,framerate={RATE}/1 "
                    f"! x264enc bframes=3 b-adapt=false ! h264parse ! {muxer} ! filesink location={folder}/{name}".split()], check=True, timeout=120)
subprocess.run(f"gst-launch-1.0 -q videotestsrc num-buffers=1 ! video/x-raw,width=160,height=120 ! jpegenc ! filesink location={folder}/still.jpg".split(), check=True, timeout=60)
config = folder / "monitor.yaml"
config.write_text("record: {enabled: false}\ncameras:\n" + "".join(f"  {name}: {{source: {folder}/film.{name}, detect: {{fps: all}}}}\n" for name in ("mp4", "mkv", "ts")) +
                  f"  once: {{source: {folder}/film.mp4, loop: false}}\n  still: {{source: {folder}/still.jpg}}\n"
                  f"  frozen: {{source: 'filesrc location={folder}/still.jpg ! jpegdec ! imagefreeze is-live=true ! video/x-raw,framerate=5/1', detect: {{fps: all}}}}\n", encoding="utf-8")
with Monitor(program, folder / "data", "--config", str(config)) as m:
    m.wait("pictures", lambda: all(c["state"] == "online" for c in m.get("/api/cameras") if c["name"] not in ("once", "still")), 60)

    def seen():
        return time.monotonic(), {c["name"]: c["frames"] for c in m.get("/api/stats")["cameras"]}

    (begun, before) = seen()
    time.sleep(SECONDS)
    (ended, after) = seen()
    for name in ("mp4", "mkv", "ts"):
        rate = (after[name] - before[name]) / (ended - begun)
        print(f"{name}: {rate:.2f} pictures a second of {RATE}")
        assert rate > 0 and (not timed or abs(rate - RATE) < 0.07 * RATE), (name, rate)
        camera = m.get(f"/api/cameras/{name}")
        assert camera["state"] == "online" and camera["reconnects"] == 0, camera
    # A picture is a file of one frame, which newer versions of GStreamer give times to: it is shown. For others the error says what to do.
    def ends():
        camera = m.get("/api/cameras/still")
        return camera if camera["state"] == "offline" or seen()[1]["still"] > 2 else None
    still = m.wait("a picture to be shown, or refused", ends, 30)
    assert still["state"] == "online" or "use the source filesrc" in still["reason"], still  # as the camera "frozen" has it
    assert after["frozen"] - before["frozen"] > (3 * SECONDS if timed else 2) and m.get("/api/cameras/frozen")["state"] == "online", (before, after)
    once = m.wait("the end of the file that is played once", lambda: next((c for c in m.get("/api/cameras") if c["name"] == "once" and c["state"] == "ended"), None), 30)
    assert "loop is false" in once["reason"], once
    m.stop()
print("all good")
