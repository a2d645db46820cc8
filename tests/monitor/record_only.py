# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cameras that only record (detect: {enabled: false}): key frames alone are decoded, counted by the program and by libav's own log.

record_only.py PROGRAM FOLDER [PART...]. Needs GstRtspServer, ffmpeg and libav's decoders; without, it is skipped."""
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import rtsp_camera
from program import Monitor, begin, same
from vigiltest import free_port, gstreamer_without, skip_for

program, folder = begin("monitor-record-only")
no_libav = subprocess.run(["gst-inspect-1.0", "--exists", "avdec_h264"], check=False).returncode
skip_for(rtsp_camera.MISSING, None if shutil.which("ffmpeg") and shutil.which("ffprobe") else "no ffmpeg", "no avdec_h264" if no_libav else None)
PORT, FPS, PREVIEWS = free_port(), 15, 2  # seconds between two previews, at least
OFF = "detect: {enabled: false}"
ALL = "record: {pre_capture: 1, post_capture: 1, continuous: {days: 1}}\n"
# By libav alone: a GPU's decoder would not be counted.
GPUS_DECODERS = ("nvh264dec", "nvh264sldec", "vah264dec", "vaapih264dec", "v4l2h264dec", "v4l2slh264dec")
COUNTED = {"GST_DEBUG": "libav:6", "GST_DEBUG_NO_COLOR": "1", "GST_PLUGIN_FEATURE_RANK": ",".join(f"{d}:NONE" for d in GPUS_DECODERS)}


def source(path):
    return f"source: rtsp://127.0.0.1:{PORT}/{path}"


def started(name, cameras, more=ALL, env=None):
    own = folder / name
    own.mkdir(exist_ok=True)
    (own / "monitor.yaml").write_text(more + "cameras:\n" + "".join(f"  {n}: {{{c}}}\n" for n, c in cameras.items()))
    return Monitor(program, own / "data", "--config", str(own / "monitor.yaml"), env={**os.environ, **(env or {})})


def camera(m, name):
    return m.get(f"/api/cameras/{name}")


def stats(m, name):
    return next(c for c in m.get("/api/stats")["cameras"] if c["name"] == name)


def online(m, *names):
    for name in names:
        m.wait(f"{name} is online", lambda n=name: camera(m, n)["state"] == "online", 90)


def frames(m, name, more):
    wanted = stats(m, name)["frames"] + more
    m.wait(f"{more} frames more of {name}", lambda: stats(m, name)["frames"] >= wanted, 120)


def libav(m):
    """Frames that went to decoders of libav, by its own log."""
    return sum("Received new data" in line for line in list(m.log))


def said(m, *words):
    return [x for x in list(m.log) if all(w in x for w in words)]


def line(m, name):
    now = time.time()
    return m.get(f"/api/cameras/{name}/timeline?from={now - 3600:.3f}&to={now + 10:.3f}")


def recorded_until(m, name):
    return line(m, name)["recorded"][-1]["end"] if line(m, name)["recorded"] else 0


def probe(data, name="part.mp4"):
    """Codec and number of the pictures, decoded."""
    file = folder / name
    file.write_bytes(data)
    done = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries", "stream=codec_name,nb_read_frames", "-of", "csv=p=0", str(file)],
                          capture_output=True, text=True, check=False)
    if done.returncode or done.stderr:
        raise AssertionError(f"{file}: {done.stderr}")
    codec, count = done.stdout.strip().strip(",").split(",")[:2]
    return codec, int(count)


def plays(m, name, codec="h264", after=0.0):
    m.wait(f"{name} is recorded", lambda: recorded_until(m, name) > max(after, line(m, name)["recorded"][-1]["start"] if line(m, name)["recorded"] else 0) + 3, 120)
    end = recorded_until(m, name)
    status, data = m.ask("GET", f"/api/cameras/{name}/recording.mp4?from={end - 2.5}&to={end - 0.5}", raw=True)
    same(status, 200, f"the recording of {name}")
    found, count = probe(data)
    if found != codec or not 2 <= count <= 8 * FPS:
        raise AssertionError(f"{name}: {count} pictures of {found}")


def jpeg(m, name):
    return m.wait(f"a picture of {name}", lambda: (lambda a: a[0] == 200 and a[1][:2] == b"\xff\xd8" and a[1])(m.ask("GET", f"/api/cameras/{name}/latest.jpg", raw=True)), 60)


def watched(m, name, seconds):
    return [r for r in m.live(f"?cameras={name}", seconds) if r[0] == "J"]


def decoded():
    """Nothing without viewers and previews; with them key frames alone. Another camera, which is analysed, is the control."""
    with started("decoded", {"none": f"{source('video')}, {OFF}, record: {{enabled: false}}"}, env=COUNTED) as m:
        online(m, "none")
        frames(m, "none", 5 * FPS)
        about, figures = camera(m, "none"), stats(m, "none")
        same((about["width"], about["height"], about["analysed"], about["views"], figures["analysed"]), (320, 180, False, ["plain"], False), "what it says of itself")
        if not 5 < about["fps"] < 25:
            raise AssertionError(about)
        same((figures["decoded"], libav(m), figures["tiles"], figures["element_time_us"]), (0, 0, 0, {}), "frames that were decoded, by both counts")
        # A viewer comes: key frames, of which there is one a second.
        before = figures["frames"]
        pictures = watched(m, "none", 6)
        if not 2 <= len(pictures) <= 14 or {r[2] for r in pictures} != {0}:
            raise AssertionError(f"{len(pictures)} pictures in 6 s")
        if abs(pictures[-1][4] - time.time()) > 10:
            raise AssertionError(f"captured {time.time() - pictures[-1][4]} s ago")
        m.wait("the viewer is gone", lambda: m.get("/api/stats")["viewers"] == 0)
        passed, shown = stats(m, "none")["frames"] - before, stats(m, "none")["decoded"]
        if not 2 <= shown <= passed / FPS + 3:
            raise AssertionError(f"{shown} of {passed} frames were decoded")
        frames(m, "none", 3 * FPS)
        m.wait("the log is read", lambda: libav(m) >= shown)
        same((stats(m, "none")["decoded"], libav(m)), (shown, shown), "nothing more, by both counts")
        jpeg(m, "none")
        for view in ("overlay", "mask", "background"):
            status, body = m.ask("GET", f"/api/cameras/none/{view}.jpg")
            if status != 404 or "not analysed" not in body["error"]:
                raise AssertionError((view, status, body))
        print(f"{shown} of {passed} frames decoded while watched, none before and after")
        m.stop()
    with started("control", {"all": f"{source('video')}, detect: {{fps: all}}"}, env=COUNTED) as m:
        online(m, "all")
        before = libav(m), stats(m, "all")["decoded"]
        frames(m, "all", 2 * FPS)
        if libav(m) - before[0] < 1.5 * FPS or stats(m, "all")["decoded"] - before[1] < 1.5 * FPS or not stats(m, "all")["analysed"]:
            raise AssertionError("an analysed camera is decoded whole: the counts count")
        m.stop()


def recorded():
    """Recorded, shown, exported and killed as any other; what needs the analysis says so."""
    zone = 'zones: {floor: {coordinates: "0,0,1,0,1,1,0,1"}}'
    cameras = {"only": f"{source('video')}, {OFF}, {zone}", "slow": f"{source('reordered')}, {OFF}"}
    with started("recorded", cameras, env=COUNTED) as m:
        online(m, "only", "slow")
        same(len(said(m, "only", "not analysed", "zones", "monitor.yaml:3")), 1, "the zone is said to have no effect, once")
        before, at = stats(m, "only")["decoded"], time.monotonic()
        plays(m, "only")
        plays(m, "slow")
        m.wait("previews", lambda: m.ask("GET", f"/api/cameras/only/preview?at={time.time() - 5:.1f}", raw=True)[0] == 200, 60)
        made = stats(m, "only")["decoded"] - before
        if not 0 < made <= (time.monotonic() - at) / PREVIEWS + 2:
            raise AssertionError(f"{made} key frames for previews in {time.monotonic() - at:.1f} s")
        # A key frame comes each four seconds, with B-frames between; one request waits for two.
        for _ in range(3):
            began = time.monotonic()
            status, _picture = m.ask("GET", "/api/cameras/slow/latest.jpg", raw=True)
            same(status, 200, f"the newest key frame, at once; {time.monotonic() - began:.1f} s")
        c = m.connect()
        c.request("GET", "/api/cameras/only/live.mp4")
        live = c.getresponse().read(30000)
        c.close()
        same(live[4:8], b"ftyp", "live.mp4")
        end = recorded_until(m, "only")
        status, job = m.ask("POST", "/api/exports", {"cameras": ["only"], "from": end - 2.5, "to": end - 0.5})
        same(status, 202, f"an export: {job}")
        made = m.wait("the export", lambda: (lambda j: j["state"] in ("done", "failed") and j)(m.get(f"/api/exports/{job['id']}")), 60)
        same(made["state"], "done", f"the export: {made}")
        refused = (("PATCH", "switches", {"motion": True}), ("PATCH", "privacy", {"silhouettes": True}), ("PATCH", "elements/cudamog", {"median": 5}))
        for method, path, body in refused:
            status, answer = m.ask(method, f"/api/cameras/only/{path}", body)
            if status != 409 or "detect: {enabled: false}" not in answer["error"]:
                raise AssertionError((path, status, answer))
        same(m.get("/api/cameras/only/elements")["elements"], [], "its elements")
        found = m.get("/api/cameras/only/search?polygon=0,0,1,0,1,1,0,1")
        same((found["analysed"], found["hits"]), (False, []), "a search")
        same([e for e in m.get("/api/events")["events"] if e["label"] == "motion"], [], "events of motion")
        if not stats(m, "only")["frames"] > 5 * stats(m, "only")["decoded"]:
            raise AssertionError(stats(m, "only"))
        reached = recorded_until(m, "only")
        m.kill()
    with started("recorded", cameras) as m:
        online(m, "only")
        m.wait("it records again", lambda: recorded_until(m, "only") > reached + 3, 90)
        spans = line(m, "only")
        if "program stopped" not in [g["reason"] for g in spans["gaps"]] or spans["recorded"][0]["end"] < reached - 2.5:
            raise AssertionError((reached, spans))
        plays(m, "only")
        m.stop()


def reloaded():
    """SIGHUP takes the analysis away and gives it back; the recording goes on."""
    file, zone = folder / "reloaded" / "monitor.yaml", 'zones: {floor: {coordinates: "0,0,1,0,1,1,0,1"}}'

    def turn(m, detect, wanted):
        file.write_text(f"{ALL}cameras:\n  door: {{{source('video')}, {zone}{detect}}}\n")
        at = time.time()
        m.process.send_signal(signal.SIGHUP)
        m.wait(f"analysed: {wanted}", lambda: camera(m, "door")["analysed"] == wanted, 30)
        online(m, "door")
        m.wait("the recording goes on", lambda: recorded_until(m, "door") > at + 4, 90)

    with started("reloaded", {"door": f"{source('video')}, {zone}"}) as m:
        online(m, "door")
        m.wait("motion", lambda: [e for e in m.get("/api/events")["events"] if e["label"] == "motion"], 120)
        turn(m, f", {OFF}", False)
        same(len(said(m, "door is not analysed", "zones")), 1, "the zone has no effect now")
        quiet, before = time.time(), stats(m, "door")
        frames(m, "door", 4 * FPS)
        now = stats(m, "door")
        if now["decoded"] - before["decoded"] > (now["frames"] - before["frames"]) / FPS + 2:
            raise AssertionError((before, now))
        same([e for e in m.get("/api/events")["events"] if e["label"] == "motion" and (e["start_time"] > quiet or not e["end_time"])], [], "events without an analysis")
        same((camera(m, "door")["motion"], camera(m, "door")["trouble"]), (False, {}), "nothing stays")
        turn(m, "", True)
        again = time.time()
        m.wait("motion again", lambda: [e for e in m.get("/api/events")["events"] if e["label"] == "motion" and e["start_time"] > again], 120)
        m.stop()


def odd(server):
    """Another codec in the middle, no key frames, sound alone, pictures that are not compressed, and covered ones."""
    raw = "scenetestsrc is-live=true ! video/x-raw,format=I420,width=320,height=180,framerate=5/1"
    bright = "videotestsrc is-live=true pattern=white ! video/x-raw,format=I420,width=320,height=180,framerate=5/1 ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=10 ! h264parse"
    with started("odd", {"codecs": f"{source('codecs')}, {OFF}", "keyless": f"{source('keyless')}, {OFF}", "audio": f"{source('audio')}, {OFF}",
                         "raw": f'source: "{raw}", {OFF}', "jpeg": f'source: "{raw} ! jpegenc", {OFF}, record: {{enabled: false}}',
                         "covered": f'source: "{bright}", {OFF}, privacy: {{polygons: {{left: {{coordinates: "0,0,0.5,0,0.5,1,0,1"}}}}}}'}) as m:
        online(m, "codecs", "raw", "jpeg", "covered")
        m.wait("sound alone is no camera", lambda: camera(m, "audio")["state"] == "offline" and "no video" in (camera(m, "audio")["reason"] or ""), 60)
        plays(m, "codecs")
        plays(m, "raw")
        jpeg(m, "raw")
        jpeg(m, "codecs")
        same(stats(m, "jpeg")["decoded"], 0, "pictures of JPEG that nobody asked for")
        jpeg(m, "jpeg")
        if not 0 < stats(m, "jpeg")["decoded"] < stats(m, "jpeg")["frames"] / 2:
            raise AssertionError(stats(m, "jpeg"))
        picture = folder / "covered.jpg"
        picture.write_bytes(jpeg(m, "covered"))
        grey = subprocess.run(["ffmpeg", "-v", "error", "-i", str(picture), "-f", "rawvideo", "-pix_fmt", "gray", "-"], capture_output=True, check=True).stdout
        same((len(grey), max(grey[:150]) < 60, min(grey[170:320]) > 150), (320 * 180, True, True), "the private half is black, the other one white")
        online(m, "keyless")
        m.wait("no key frame is said", lambda: said(m, "keyless", "no key frame"), 60)
        same((line(m, "keyless")["recorded"], m.ask("GET", "/api/cameras/keyless/latest.jpg")[0]), ([], 503), "without key frames there is neither recording nor picture")
        if subprocess.run(["gst-inspect-1.0", "--exists", "x265enc"], check=False).returncode:
            print("SKIPPED in part: no x265enc")
        else:
            at = time.time()
            server.say("h265")
            m.wait("H.265", lambda: camera(m, "codecs")["codec"] == "h265", 90)
            plays(m, "codecs", "hevc", at + 2)
            jpeg(m, "codecs")
            server.say("h264")
            m.wait("H.264 again", lambda: camera(m, "codecs")["codec"] == "h264", 90)
        m.stop()


def other_decoder():
    """Without libav the pictures come from OpenH264's decoder, which takes the stream in another form."""
    if subprocess.run(["gst-inspect-1.0", "--exists", "openh264dec"], check=False).returncode:
        print("SKIPPED in part: no openh264dec")
        return
    with gstreamer_without("libav") as env:
        with started("other", {"door": f"{source('video')}, {OFF}"}, env=env) as m:
            online(m, "door")
            jpeg(m, "door")
            plays(m, "door")
            same((said(m, "door", "no picture"), camera(m, "door")["reconnects"]), ([], 0), "nothing breaks off")
            m.stop()


def refused():
    """Wrong configurations, with the line and what to do."""
    for text, words in ((f"{OFF}, privacy: {{silhouettes: true}}", (":2", "silhouettes", "detect: {enabled: false}")), ("detect: {enabled: maybe}", (":2", "maybe")), ("detect: {enabled: [true]}", (":2",)),
                        ("detect: false", (":2",)), ("detect: {enable: false}", (":2", "enable"))):
        file = folder / "bad.yaml"
        file.write_text(f"cameras:\n  door: {{source: scenetestsrc, {text}}}\n")
        done = subprocess.run([program, "--config", str(file), "--check"], capture_output=True, text=True, check=False)
        if not done.returncode or not all(w in done.stderr for w in words):
            raise AssertionError((text, done.returncode, done.stderr))
    file.write_text(f'cameras:\n  door: {{source: scenetestsrc, {OFF}, cudamog: {{median: 5}}, lines: {{gate: {{coordinates: "0,0,1,1"}}}}}}\n')
    done = subprocess.run([program, "--config", str(file), "--check"], capture_output=True, text=True, check=True)
    if not re.search(r"warning: .*:2: camera door .*lines, cudamog", done.stdout):
        raise AssertionError(done.stdout)


parts = sys.argv[3:] or ("refused", "decoded", "recorded", "reloaded", "odd", "other_decoder")
camera_server = rtsp_camera.CameraServer(PORT)
try:
    for part in parts:
        globals()[part](*([camera_server] if part == "odd" else []))
        print(f"{part}: well", flush=True)
finally:
    camera_server.kill()
print("all is well")
