# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sources of every kind: without times, with pads that come later, recordings by HTTP, interlaced and turned pictures, too large ones,
sizes that change without an end, less than a picture a second, addresses that send on to others, files that are played once.

sources.py PROGRAM FOLDER [CHECK...]"""
import pathlib
import struct
import subprocess
import sys
import time

from http_camera import HttpCamera, resized
from program import Monitor, begin

program, folder = begin("monitor-sources")
config = folder / "monitor.yaml"
RATE = 15


def launch(text):
    subprocess.run(["gst-launch-1.0", "-q", *text.split()], check=True, timeout=120)


def scene(pictures, width=320, height=180, more=""):
    return f"scenetestsrc quiet=0.5 density=2 num-buffers={pictures} ! video/x-raw,format=I420,width={width},height={height},framerate={RATE}/1 {more}"


H264 = "x264enc speed-preset=ultrafast tune=zerolatency key-int-max=15 ! h264parse"


def jpegs(name, pictures):
    launch(f"{scene(pictures)} ! jpegenc ! multifilesink location={folder}/{name}-%03d.jpg")
    return [f.read_bytes() for f in sorted(folder.glob(f"{name}-*.jpg"))]


def cameras(m):
    return {c["name"]: c for c in m.get("/api/cameras")}


def online(m, *names, seconds=60):
    m.wait(f"{names} online", lambda: all(cameras(m)[n]["state"] == "online" for n in names), seconds)


def rates(m, seconds):
    """Pictures a second of each camera."""
    def frames():
        return {c["name"]: c["frames"] for c in m.get("/api/stats")["cameras"]}
    begun, before = time.monotonic(), frames()
    time.sleep(seconds)
    after = frames()
    lasted = time.monotonic() - begun
    return {name: (after[name] - before[name]) / lasted for name in after}


def times():
    """Pictures without times, by HTTP and from elements: shown, with thumbnails and clips."""
    pictures = jpegs("moving", 150)
    http = HttpCamera(folder, {"camera": (pictures, RATE)})
    config.write_text(f"""
record: {{pre_capture: 1, post_capture: 1, max_clip: 5}}
cameras:
  http: {{source: "{http.address('pictures/camera')}", cudamog: {{motion-hold: 300}}}}
  elements: {{source: "souphttpsrc location={http.address('pictures/camera')} ! multipartdemux ! jpegdec", cudamog: {{motion-hold: 300}}}}
""")
    with Monitor(program, folder / "times", "--config", str(config)) as m:
        online(m, "http", "elements")
        for name in "http", "elements":
            m.wait(f"the newest picture of {name}", lambda n=name: m.ask("GET", f"/api/cameras/{n}/latest.jpg")[0] == 200, 20)
            e = m.wait(f"an event of {name} with a clip", lambda n=name: next((e for e in m.get(f"/api/events?camera={n}")["events"] if e["has_clip"] and e["end_time"]), None), 90)
            assert m.ask("GET", f"/api/events/{e['id']}/thumbnail.jpg")[0] == 200, e
            clip = folder / f"{name}.mp4"
            clip.write_bytes(m.ask("GET", f"/api/events/{e['id']}/clip.mp4", raw=True)[1])
            seen = subprocess.run(["gst-launch-1.0", *f"filesrc location={clip} ! qtdemux ! h264parse ! avdec_h264 ! fakesink silent=false sync=false -v".split()],
                                  capture_output=True, text=True, check=True, timeout=60).stdout.count("chain  ")
            assert seen > RATE, f"{name}: a clip of {seen} pictures"
        m.stop()


def recordings():
    """Files and ended playlists by HTTP are played at their own speed; a live camera is not slowed down."""
    for muxer, suffix in ("mp4mux", "mp4"), ("mpegtsmux", "ts"):
        launch(f"{scene(60)} ! {H264} ! {muxer} ! filesink location={folder}/film.{suffix}")
    (folder / "film.m3u8").write_text("#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:5\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:4.0,\nfilm.ts\n#EXT-X-ENDLIST\n")
    http = HttpCamera(folder, {"fast": (jpegs("fast", 30), 40)})
    config.write_text(f"""
record: {{enabled: false}}
cameras:
  mp4: {{source: "{http.address('film.mp4')}", detect: {{fps: all}}}}
  ts: {{source: "{http.address('film.ts')}", detect: {{fps: all}}}}
  playlist: {{source: "{http.address('film.m3u8')}", detect: {{fps: all}}}}
  fast: {{source: "{http.address('pictures/fast')}", detect: {{fps: all}}}}
""")
    with Monitor(program, folder / "recordings", "--config", str(config)) as m:
        online(m, "mp4", "ts", "playlist", "fast")
        found = rates(m, 15)
        print({name: f"{rate:.1f}" for name, rate in found.items()})
        for name in "mp4", "ts", "playlist":
            assert 2 < found[name] < 2 * RATE, (name, found[name])
        assert found["fast"] > 1.5 * RATE, found
        m.stop()


def delayed():
    """Elements whose pads come later are linked as gst-launch-1.0 does it; --check says the same as the run."""
    launch(f"{scene(60)} ! {H264} ! mp4mux ! filesink location={folder}/later.mp4")
    film = folder / "later.mp4"
    config.write_text(f"""
record: {{enabled: false}}
cameras:
  bin: {{source: "filesrc location={film} ! decodebin ! videoflip video-direction=90r", detect: {{fps: all}}}}
  uri: {{source: "uridecodebin uri=file://{film} ! deinterlace", detect: {{fps: all}}}}
  demuxer: {{source: "filesrc location={film} ! qtdemux ! h264parse", detect: {{fps: all}}}}
  bare: {{source: "filesrc location={film} ! qtdemux", detect: {{fps: all}}}}
  joined: {{source: "concat name=c filesrc location={film} ! decodebin ! c. videotestsrc is-live=true ! video/x-raw,width=320,height=180 ! c. c. ! clocksync", detect: {{fps: all}}}}
""")
    done = subprocess.run([program, "--config", str(config), "--check"], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    with Monitor(program, folder / "delayed", "--config", str(config)) as m:
        online(m, "bin", "uri", "demuxer", "bare", "joined")
        assert (cameras(m)["bin"]["width"], cameras(m)["bin"]["height"]) == (180, 320), cameras(m)["bin"]
        found = rates(m, 10)
        print({name: f"{rate:.1f}" for name, rate in found.items()})
        for name in "bin", "uri", "demuxer", "bare":
            assert 2 < found[name] < 2 * RATE, (name, found[name])  # they have an end: played at their own speed
        m.stop()
    config.write_text('cameras:\n  wrong: {source: "filesrc location=x ! decodebin ! nosuchelement"}\n')
    done = subprocess.run([program, "--config", str(config), "--check"], capture_output=True, text=True, timeout=30)
    assert done.returncode and "nosuchelement" in done.stdout + done.stderr, done


def shapes():
    """Interlaced pictures are deinterlaced, pictures with a tag of their orientation are turned, all others pass as they are. Of several tracks the video is taken."""
    launch(f"{scene(45, 640, 360)} ! x264enc speed-preset=ultrafast interlaced=true ! h264parse ! mp4mux ! filesink location={folder}/fields.mp4")
    launch(f"{scene(45)} ! {H264} ! mp4mux ! filesink location={folder}/plain.mp4")
    # What a telephone writes that was held upright: the matrix of the track's header turns the picture.
    film = bytearray((folder / "plain.mp4").read_bytes())
    header = film.index(b"tkhd")
    assert film[header + 4] == 0, "a header of another version"
    film[header + 44:header + 80] = struct.pack(">9i", 0, 1 << 16, 0, -1 << 16, 0, 0, 180 << 16, 0, 1 << 30)
    (folder / "turned.mp4").write_bytes(film)
    # As dash cameras write: a picture of its own is the first track.
    launch(f"matroskamux name=m ! filesink location={folder}/tracks.mkv videotestsrc num-buffers=1 ! video/x-raw,width=80,height=60 ! jpegenc ! m. {scene(45)} ! {H264} ! m.")
    INTERLACED = "videotestsrc is-live=true ! video/x-raw,format=I420,width=352,height=288,framerate=5/1 ! interlace"
    config.write_text(f"""
record: {{enabled: false}}
cameras:
  fields: {{source: {folder}/fields.mp4}}
  raw: {{source: "{INTERLACED}"}}
  turned: {{source: {folder}/turned.mp4}}
  raw-turned: {{source: "videotestsrc is-live=true ! video/x-raw,width=320,height=180,framerate=5/1 ! taginject tags=image-orientation=rotate-270"}}
  plain: {{source: {folder}/plain.mp4}}
  tracks: {{source: {folder}/tracks.mkv}}
""")
    with Monitor(program, folder / "shapes", "--config", str(config)) as m:
        online(m, "fields", "raw", "turned", "raw-turned", "plain", "tracks")
        time.sleep(5)  # each file begins again
        found = {name: (c["width"], c["height"], c["reconnects"]) for name, c in cameras(m).items()}
        assert found == {"fields": (640, 360, 0), "raw": (352, 288, 0), "turned": (180, 320, 0), "raw-turned": (180, 320, 0), "plain": (320, 180, 0), "tracks": (320, 180, 0)}, found
        m.stop()


def large():
    """A camera that sends pictures which are too large goes offline with the reason, and so does one whose size never rests; others go on."""
    picture = jpegs("small", 1)[0]
    huge = [resized(picture, 16384, 16384)]
    restless = [resized(picture, 320 - 16 * (i % 2), 180) for i in range(2)]
    http = HttpCamera(folder, {"huge": (huge, 4), "restless": (restless, 10), "good": ([picture], 5)})
    raw = "videotestsrc is-live=true ! video/x-raw,format=I420,width=640,height=360,framerate=5/1"
    config.write_text(f"""
record: {{enabled: false}}
cameras:
  good: {{source: "{http.address('pictures/good')}"}}
  huge: {{source: "{http.address('pictures/huge')}"}}
  restless: {{source: "{http.address('pictures/restless')}", detect: {{fps: all}}}}
  raw: {{source: "{raw}", max_pixels: 230399}}
  stream: {{source: "{raw} ! {H264.replace(' ! h264parse', '')}", max_pixels: 230399}}
  allowed: {{source: "{raw}", max_pixels: 230400}}
""")
    with Monitor(program, folder / "large", "--config", str(config)) as m:
        online(m, "good", "allowed")
        for name, words in {"huge": "16384x16384", "raw": "640x360", "stream": "640x360", "restless": "changed"}.items():
            reason = m.wait(f"{name} offline", lambda n=name: cameras(m)[n]["state"] == "offline" and cameras(m)[n]["reason"], 60)
            print(f"{name}: {reason}")
            assert words in reason, (name, reason)
        peak = next(int(line.split()[1]) for line in pathlib.Path(f"/proc/{m.process.pid}/status").read_text().splitlines() if line.startswith("VmHWM"))
        assert peak < 1 << 20, f"{peak} kB of memory at the most"
        time.sleep(5)
        assert cameras(m)["good"]["reconnects"] == 0 and cameras(m)["huge"]["state"] == "offline", cameras(m)
        m.stop()


def appearing():
    """Pictures of a place, and the same with an object there."""
    launch(f"scenetestsrc scene=empty num-buffers=100 ! video/x-raw,format=I420,width=320,height=180,framerate={RATE}/1 ! tee name=t "
           f"! queue ! jpegenc ! multifilesink location={folder}/empty-%03d.jpg "
           f"compositor name=c sink_1::xpos=120 sink_1::ypos=60 ! jpegenc ! multifilesink location={folder}/object-%03d.jpg "
           f"t. ! queue ! c. videotestsrc pattern=white num-buffers=100 ! video/x-raw,width=40,height=70,framerate={RATE}/1 ! c.")
    return ([f.read_bytes() for f in sorted(folder.glob(f"{name}-*.jpg"))] for name in ("empty", "object"))


def glitches():
    """What shows in a single picture, as streaks of rain do, is no event; what shows in eight pictures in a row is one."""
    empty, objects = appearing()
    single = [objects[i] if i % 20 == 19 else picture for i, picture in enumerate(empty)]
    eight = [objects[i] if i >= 92 else picture for i, picture in enumerate(empty)]
    http = HttpCamera(folder, {"single": (single, RATE), "eight": (eight, RATE)})
    config.write_text("record: {pre_capture: 1, post_capture: 1, max_clip: 5}\ncameras:\n"
                      + "".join(f"  {name}: {{source: \"{http.address('pictures/' + name)}\", detect: {{fps: all}}}}\n" for name in ("single", "eight")))
    with Monitor(program, folder / "glitches", "--config", str(config)) as m:
        online(m, "single", "eight")
        m.wait("an event of eight pictures", lambda: m.get("/api/events?camera=eight")["events"], 90)
        m.wait("pictures of glitches", lambda: {c["name"]: c["frames"] for c in m.get("/api/stats")["cameras"]}["single"] > 2.5 * len(empty), 90)
        events = m.get("/api/events?camera=single")["events"]
        assert not events, events
        m.stop()


def slow():
    """Cameras of less than a picture a second: they stay online, and who comes is an event."""
    empty, objects = appearing()
    http = HttpCamera(folder, {"rare": (empty[:30] + objects[30:40], 0.9), "lapse": (empty, 0.15)})
    config.write_text("record: {pre_capture: 1, post_capture: 1, max_clip: 20}\ncameras:\n"
                      + "".join(f"  {name}: {{source: \"{http.address('pictures/' + name)}\"}}\n" for name in ("rare", "lapse")))
    with Monitor(program, folder / "slow", "--config", str(config)) as m:
        online(m, "rare", "lapse")

        def frames(name):
            return next(c["frames"] for c in m.get("/api/stats")["cameras"] if c["name"] == name)
        m.wait("pictures of nobody", lambda: frames("rare") >= 20, 120)
        before = m.get("/api/events")["events"]
        assert not before or frames("rare") > 30, before
        m.wait("an event", lambda: m.get("/api/events?camera=rare&label=motion")["events"], 120)
        m.wait("five pictures in 30 seconds", lambda: frames("lapse") >= 5, 120)
        found = {name: (c["state"], c["reconnects"]) for name, c in cameras(m).items()}
        assert found == {"rare": ("online", 0), "lapse": ("online", 0)}, (found, m.log)
        m.stop()


def elsewhere():
    """An address that sends on to another server is not followed."""
    other = HttpCamera(folder)
    http = HttpCamera(folder, elsewhere=other.address("secret"))
    config.write_text(f'cameras:\n  sent: {{source: "{http.address("elsewhere")}"}}\n')
    with Monitor(program, folder / "elsewhere", "--config", str(config)) as m:
        reason = m.wait("it is offline", lambda: cameras(m)["sent"]["state"] == "offline" and cameras(m)["sent"]["reason"], 30)
        print(reason)
        assert "another" in reason, reason
        m.wait("another try", lambda: len(http.asked) > 1, 30)
        assert not other.asked, other.asked
        m.stop()


def once():
    """A file that is played once ends: no outage, no second time, until it is switched off and on."""
    launch(f"{scene(30)} ! {H264} ! mp4mux ! filesink location={folder}/once.mp4")
    config.write_text(f"record: {{enabled: false}}\ncameras:\n  once: {{source: {folder}/once.mp4, loop: false, detect: {{fps: all}}}}\n")
    with Monitor(program, folder / "once", "--config", str(config)) as m:
        m.wait("its end", lambda: cameras(m)["once"]["state"] == "ended", 60)
        c, frames = cameras(m)["once"], m.get("/api/stats")["cameras"][0]["frames"]
        assert "loop is false" in c["reason"] and frames >= 28, (c, frames)
        time.sleep(6)
        c = cameras(m)["once"]
        assert c["state"] == "ended" and c["reconnects"] == 0 and m.get("/api/stats")["cameras"][0]["frames"] == frames, c
        for on in False, True:
            assert m.ask("PATCH", "/api/cameras/once/switches", {"enabled": on})[0] == 200
        m.wait("it is played again", lambda: m.get("/api/stats")["cameras"][0]["frames"] > frames, 30)
        m.wait("its end again", lambda: cameras(m)["once"]["state"] == "ended", 60)
        m.stop()


checks = [times, recordings, delayed, shapes, large, glitches, slow, elsewhere, once]
for check in [c for c in checks if c.__name__ in sys.argv[3:]] or checks:
    begun = time.monotonic()
    check()
    print(f"{check.__name__} good, {time.monotonic() - begun:.0f} s", flush=True)
