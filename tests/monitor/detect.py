# SPDX-License-Identifier: LGPL-2.1-or-later
"""A camera whose chain works on smaller pictures (detect): tiles, boxes, zones and masks are those of the whole picture.

detect.py PROGRAM FOLDER"""
import shutil
import subprocess
import time

from program import Monitor, begin
from vigiltest import skip_for

program, folder = begin("monitor-detect")
SOURCE = "scenetestsrc is-live=true quiet=0.5 density=2 ! video/x-raw,format=I420,width=480,height=270,framerate=10/1"
LARGE = "scenetestsrc is-live=true ! video/x-raw,format=I420,width=640,height=360,framerate=5/1"
# Pixels that are wider than high, as of an analogue camera: both pictures are 16:9.
OBLONG = "videotestsrc is-live=true ! video/x-raw,format=I420,width=352,height=288,pixel-aspect-ratio=16/11,framerate=5/1"
OBLONG_LARGE = "videotestsrc is-live=true ! video/x-raw,format=I420,width=720,height=576,pixel-aspect-ratio=64/45,framerate=5/1"
# A film whose key frames are a second apart, ten frames each.
FILM = folder / "film.mp4"
skip_for(None if shutil.which("ffprobe") else "no ffprobe")
subprocess.run(["gst-launch-1.0", "-q", *(f"scenetestsrc num-buffers=300 quiet=0.5 density=2 ! video/x-raw,format=I420,width=320,height=180,framerate=10/1 "
                                          f"! x264enc key-int-max=10 speed-preset=veryfast ! h264parse ! mp4mux ! filesink location={FILM}").split()], check=True, timeout=100)
config = folder / "monitor.yaml"
config.write_text(f"""
record: {{pre_capture: 1, post_capture: 1}}
cameras:
  street: {{source: "{SOURCE}", detect: {{height: 90}}, live: {{height: 240}}, cudamog: {{motion-hold: 300, min-area: 12}}}}
  small: {{source: "{SOURCE}", detect: {{height: 1080}}}}
  unset: {{source: "{LARGE}"}}
  full: {{source: "{LARGE}", detect: {{height: full, fps: all}}}}
  own: {{source: "{LARGE}", cudamog: {{min-area: 60}}}}
  low: {{source: "{SOURCE}"}}
  oblong: {{source: "{OBLONG}"}}
  oblong-large: {{source: "{OBLONG_LARGE}"}}
  preset: {{source: "{LARGE}", cudamog: {{preset: traffic, absorb-after: 30}}}}
  slow: {{source: "{SOURCE}", detect: {{fps: 2.5}}, cudamog: {{motion-hold: 300}}}}
  faster: {{source: "{SOURCE}", detect: {{fps: 30}}}}
  learns: {{source: "{SOURCE}", detect: {{fps: 2.5}}, cudamog: {{history: 70}}}}
  keys: {{source: "{FILM}", detect: {{fps: keys}}, cudamog: {{motion-hold: 2500}}}}
""")


def size(jpeg):
    """Width and height of a JPEG picture, from its frame header."""
    at = 2
    while jpeg[at + 1] not in (0xC0, 0xC1, 0xC2):
        at += 2 + int.from_bytes(jpeg[at + 2:at + 4], "big")
    return int.from_bytes(jpeg[at + 7:at + 9], "big"), int.from_bytes(jpeg[at + 5:at + 7], "big")


def tinted(jpeg):
    """Whether it shows the red of the foreground and the green of boxes, and most of it neither."""
    shown = subprocess.run("gst-launch-1.0 -q fdsrc ! jpegdec ! videoconvert ! video/x-raw,format=RGB ! fdsink".split(), input=jpeg, capture_output=True, timeout=60, check=True).stdout
    width, height = size(jpeg)
    stride = (3 * width + 3) & ~3
    pixels = [shown[y * stride + 3 * x:y * stride + 3 * x + 3] for y in range(height) for x in range(width)]
    red = sum(r > g + 60 and r > b + 60 for r, g, b in pixels)
    green = sum(g > r + 60 and g > b + 60 for r, g, b in pixels)
    print(f"red {red}, green {green} of {len(pixels)}")
    return red > 30 and green > 20 and red + green < len(pixels) / 2


with Monitor(program, folder / "data", "--config", str(config)) as m:
    m.wait("pictures", lambda: all(c["state"] == "online" and c.get("width") for c in m.get("/api/cameras")))
    cameras = {c["name"]: c for c in m.get("/api/cameras")}
    assert [(c["width"], c["height"]) for c in cameras.values()] == 2 * [(480, 270)] + 3 * [(640, 360)] + [(480, 270), (352, 288), (720, 576), (640, 360)] + 3 * [(480, 270)] + [(320, 180)], cameras
    assert (cameras["street"]["live"]["width"], cameras["street"]["live"]["height"]) == (427, 240), cameras["street"]["live"]
    assert m.get("/api/config")["cameras"]["street"]["detect"] == {"height": 90, "fps": 5}

    # The plain picture is made of the camera's own, a mask of what the chain works on.
    def picture(camera, name):
        def there():
            status, jpeg = m.ask("GET", f"/api/cameras/{camera}/{name}.jpg", raw=True)[:2]
            return status == 200 and size(jpeg)
        return m.wait(f"{name} of {camera}", there)

    sizes = picture("street", "latest"), picture("street", "mask"), picture("street", "background")
    assert sizes == ((426, 240), (160, 90), (160, 90)), sizes
    # The overlay is drawn on the camera's own picture: as large, tinted where something moves, and as it was elsewhere.
    before = m.get("/api/cameras/street")["reconnects"]
    assert picture("street", "overlay") == (426, 240)
    m.wait("a tinted picture", lambda: tinted(m.ask("GET", "/api/cameras/street/overlay.jpg", raw=True)[1]), 60)
    assert m.get("/api/cameras/street")["reconnects"] == before, m.log
    assert picture("small", "mask") == (480, 270), "pictures that are small enough pass as they are"
    # Tiles have square pixels: nothing in them is narrower than it is.
    sizes = [[picture(camera, name) for name in ("latest", "overlay", "mask")] for camera in ("oblong", "oblong-large")]
    assert sizes == [3 * [(512, 288)], [(640, 360), (640, 360), (512, 288)]], sizes
    assert [cameras[c]["live"]["width"] for c in ("oblong", "oblong-large")] == [512, 640], cameras
    # Where nothing is said: half the lines from 360 on, and what cudamog counts in pixels goes with them, unless the configuration says so itself.
    def settings(camera, *names):
        properties = next(e for e in m.get(f"/api/cameras/{camera}/elements")["elements"] if e["factory"] == "cudamog")["properties"]
        return [next(p["value"] for p in properties if p["name"] == n) for n in names or ("min-area", "median")]

    assert m.get("/api/config")["cameras"]["unset"]["detect"] == {"height": "half", "fps": 5}
    assert m.get("/api/config")["cameras"]["full"]["detect"] == {"height": "full", "fps": "all"}
    for camera, mask, values in (("unset", (320, 180), [25, 7]), ("full", (640, 360), [100, 7]), ("own", (320, 180), [60, 7]), ("low", (480, 270), [100, 7])):
        assert (picture(camera, "mask"), settings(camera)) == (mask, values), (camera, picture(camera, "mask"), settings(camera))
        assert picture(camera, "latest")[1] == cameras[camera]["live"]["height"], camera
    # An element's preset: its window stays, and settings next to it win over the preset.
    of_preset = settings("preset", "min-area", "median", "close", "match-sigma", "absorb-after")
    assert of_preset == [25, 7, 3, 2.5, 30], of_preset
    seen = set()
    for kind, camera, _, view, _, payload in m.live("?cameras=street&view=plain", 3):
        if kind == "J":
            seen.add(size(payload))
    assert seen == {(426, 240)}, seen

    e = m.wait("an event", lambda: next((e for e in m.get("/api/events?camera=street")["events"] if e["box"] and e["has_clip"]), None), 60)
    box = e["box"]
    print("event", box)
    assert 0 <= box["x"] < box["x"] + box["width"] <= 1.001 and 0 <= box["y"] < box["y"] + box["height"] <= 1.001, box
    assert size(m.ask("GET", f"/api/events/{e['id']}/thumbnail.jpg", raw=True)[1]) == (426, 240)

    # Fewer pictures are analysed than the camera sends: what cudamog remembers is the same time, and clips keep all frames.
    assert m.get("/api/config")["cameras"]["slow"]["detect"] == {"height": "half", "fps": 2.5}
    before, began = {c["name"]: c["frames"] for c in m.get("/api/stats")["cameras"]}, time.monotonic()
    time.sleep(8)
    rates = {c["name"]: (c["frames"] - before[c["name"]]) / (time.monotonic() - began) for c in m.get("/api/stats")["cameras"]}
    print("analysed a second:", {name: round(rates[name], 2) for name in ("slow", "faster", "small", "full")})
    assert 1.2 < rates["slow"] < 3.2, rates
    assert rates["faster"] > 1.3 * rates["slow"], rates
    assert rates["small"] < 5.5, ("5 a second where nothing is said", rates)
    # scenetestsrc says 10 frames a second: 500 frames are 50 seconds
    learning = [settings(camera, "learning-time", "history") for camera in ("slow", "faster", "learns", "small", "full")]
    assert learning == [[50, 500], [0, 500], [0, 70], [50, 500], [0, 500]], learning
    e = m.wait("an event of the slow camera", lambda: next((e for e in m.get("/api/events?camera=slow")["events"] if e["has_clip"]), None), 60)
    clip = m.ask("GET", f"/api/events/{e['id']}/clip.mp4", raw=True)[1]
    (folder / "clip.mp4").write_bytes(clip)
    rate = subprocess.run(["ffprobe", "-v", "error", "-count_packets", "-select_streams", "v:0", "-show_entries", "stream=nb_read_packets,duration", "-of", "csv=p=0",
                           folder / "clip.mp4"], capture_output=True, text=True, check=True).stdout.strip().strip(",").split(",")
    print("the clip's seconds and frames:", rate)
    assert float(rate[1]) / float(rate[0]) > 4, rate

    # Of key frames alone nothing else is decoded; an event and its clip, with all frames, come all the same.
    def keys():
        return next(c for c in m.get("/api/stats")["cameras"] if c["name"] == "keys")

    assert m.get("/api/config")["cameras"]["keys"]["detect"] == {"height": "half", "fps": "keys"}
    before, began = keys(), time.monotonic()
    time.sleep(10)
    after, lasted = keys(), time.monotonic() - began
    decoded, analysed = after["decoded"] - before["decoded"], after["frames"] - before["frames"]
    print("key frames in", round(lasted, 1), "s:", decoded, "decoded,", analysed, "analysed")
    assert 5 <= analysed <= lasted + 3 and abs(decoded - analysed) <= 1, (decoded, analysed)
    assert settings("keys", "learning-time") == [50], settings("keys", "learning-time")
    e = m.wait("an event of key frames", lambda: next((e for e in m.get("/api/events?camera=keys")["events"] if e["has_clip"]), None), 60)
    (folder / "keys.mp4").write_bytes(m.ask("GET", f"/api/events/{e['id']}/clip.mp4", raw=True)[1])
    rate = subprocess.run(["ffprobe", "-v", "error", "-count_packets", "-select_streams", "v:0", "-show_entries", "stream=nb_read_packets,duration", "-of", "csv=p=0",
                           folder / "keys.mp4"], capture_output=True, text=True, check=True).stdout.strip().strip(",").split(",")
    assert float(rate[1]) / float(rate[0]) > 8, rate

    # A zone over all counts; a mask over all leaves nothing to see, at the size of the chain's pictures.
    m.ask("PUT", "/api/cameras/street/zones/all", {"coordinates": "0,0,1,0,1,1,0,1"})
    m.wait("somebody in the zone", lambda: m.get("/api/cameras/street")["counts"]["zones"]["all"] > 0, 60)
    assert m.ask("PUT", "/api/cameras/street/masks/all", {"coordinates": "0,0,1,0,1,1,0,1"})[0] == 200
    m.wait("five seconds without a box", lambda: [s["boxes"] for s in m.get("/api/cameras/street/activity")["samples"][-5:]] == [0] * 5, 60)
    assert not any("mask" in line and "set-shape" not in line for line in m.log), m.log
    m.stop()
print("all good")
