# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cameras that are found and set up on the page: ONVIF devices, good and bad, in a network namespace of their own; what is added lives on, and can be exported.

onvif.py PROGRAM FOLDER [NAME OF A CHECK]..."""
import base64
import contextlib
import http.client
import os
import pathlib
import subprocess
import sys
import threading
import time

import hosts

hosts.need_own_network()

from program import Monitor, begin, same  # noqa: E402
from vigiltest import true  # noqa: E402

from http_camera import HttpCamera, resized  # noqa: E402
from odd_rtsp import OddRtsp  # noqa: E402
from onvif_devices import PASSWORD, USER, Canary, Device, Network  # noqa: E402

program, folder = begin("monitor-onvif")
ELSEWHERE = "127.0.0.200"
SCENE = "scenetestsrc is-live=true ! video/x-raw,width=320,height=180,framerate=5/1"


def started(name, cameras="{}"):
    own = folder / name
    own.mkdir(exist_ok=True)
    file = own / "monitor.yaml"
    if not file.exists():
        file.write_text(f"record: {{pre_capture: 1, post_capture: 1, max_clip: 3}}\ncameras: {cameras}\n")
    return Monitor(program, own / "data", "--config", str(file))


def look(m, device, user=USER, password=PASSWORD):
    return m.ask("POST", "/api/onvif/device", {"address": device.url, "user": user, "password": password})


def secrets(m):
    for path in ("/api/cameras", "/api/config", "/api/overrides", "/api/stats", "/api/audit", "/metrics", "/api/config/cameras.yaml"):
        text = str(m.ask("GET", path)[1])
        true(PASSWORD not in text and "s3cret" not in text, f"{path} has the camera's password: {text}")
    true(not any("s3cret" in line for line in m.log), "the log has the camera's password")


def search():
    """All good devices are found, whatever others answer. Nothing is sent before somebody asks."""
    good = [Device(f"127.0.0.{10 + i}") for i in range(12)]
    bad = [Device(f"127.0.0.{50 + i}", kind, ELSEWHERE) for i, kind in enumerate(("elsewhere", "stranger", "garbage", "silent"))]
    canary = Canary(ELSEWHERE, [d.port for d in bad])
    network = Network(good + bad)
    with started("search", f'{{here: {{source: "rtsp://127.0.0.12:1/x"}}, drawn: {{source: "{SCENE}"}}}}') as m:
        time.sleep(2)
        same(network.probes, 0, "nothing is sent before somebody asks")
        begun = time.monotonic()
        answers = []
        other = threading.Thread(target=lambda: answers.append(m.ask("POST", "/api/onvif/search", {})))
        other.start()
        time.sleep(1)
        same(m.ask("POST", "/api/onvif/search", {})[0], 503, "a second search at the same time")
        same(m.ask("GET", "/healthz")[0], 200, "others are answered meanwhile")
        other.join()
        took = time.monotonic() - begun
        status, found = answers[0]
        same(status, 200, found)
        same([d["host"] for d in found["devices"]], [d.address for d in good], "the devices that are found")
        same({(d["name"], d["hardware"]) for d in found["devices"]}, {("Front door", "Eye-12")}, "their words")
        same([d["camera"] for d in found["devices"]], [None, None, "here"] + 9 * [None], "which of them is a camera already")
        same([r.split(":")[0] for r in found["refused"]], ["127.0.0.50", "127.0.0.52"], f"refused: {found['refused']}")
        true("another host" in found["refused"][0], found["refused"])
        true(took < 25, f"a search of three seconds took {took:.1f} s")
        same(m.ask("POST", "/api/onvif/search", {"none": 1})[0], 400, "a wrong body")
        m.stop()
    same((canary.connections, sum(d.requests for d in good + bad)), (0, 0), "a search asks no device by HTTP")
    print(f"{len(good)} of {len(good)} devices in {took:.1f} s, with {len(bad)} bad ones")


def devices():
    """What a device says of itself, and devices that are wrong: none holds up the program, and no request goes to a host that nobody named."""
    kinds = ["good", "digest", "clock", "one-stream", "slow", "malformed", "huge", "bomb", "deep", "media-elsewhere", "stream-elsewhere"]
    by = {kind: Device(f"127.0.1.{i + 1}", kind, ELSEWHERE) for i, kind in enumerate(kinds)}
    canary = Canary(ELSEWHERE, [by["media-elsewhere"].port, 554])
    with started("devices", f'{{drawn: {{source: "{SCENE}"}}}}') as m:
        for kind in ("good", "digest", "clock"):
            status, said = look(m, by[kind])
            same(status, 200, f"{kind}: {said}")
            same([p["token"] for p in said["profiles"] if p["record"]] + [p["token"] for p in said["profiles"] if p["detect"]], ["main", "sub"], f"{kind}: the profiles that are chosen")
            same((said["manufacturer"], said["model"], said["name"]), ("Simulated & Sons", "Eye 12 (fast)", "Eye-12-fast"), kind)
            true(abs(said["clock_offset"] - (3 * 3600 if kind == "clock" else 0)) < 60, f"{kind}: {said['clock_offset']}")
            same(said["record"], f"rtsp://{by[kind].address}:554/...", kind)
            same((by[kind].replayed, by[kind].basic), (0, 0), f"{kind}: each request has a nonce of its own, and none the password")
        status, said = look(m, by["one-stream"])
        same([(p["token"], p["record"], p["detect"]) for p in said["profiles"]], [("main", True, True)], "one stream is recorded and looked at")
        # Without the scheme and path.
        status, said = m.ask("POST", "/api/onvif/device", {"address": f"{by['good'].address}:{by['good'].port}", "user": USER, "password": PASSWORD})
        same(status, 200, said)
        for kind in ("good", "digest"):
            for user, password in ((USER, "wrong password"), ("", "")):
                status, said = look(m, by[kind], user, password)
                same(status, 400, f"{kind}, a wrong password: {said}")
                true("user" in said["error"] and "password" in said["error"], said)
        for kind in ("malformed", "huge", "bomb", "deep", "media-elsewhere", "stream-elsewhere"):
            begun = time.monotonic()
            status, said = look(m, by[kind])
            same(status, 400, f"{kind}: {said}")
            true(time.monotonic() - begun < 30, f"{kind} took {time.monotonic() - begun:.0f} s")
            print(f"{kind}: {said['error']}")
        answers = []
        asking = [threading.Thread(target=lambda: answers.append(look(m, by["slow"]))) for _ in range(8)]
        begun = time.monotonic()
        for thread in asking:
            thread.start()
        while any(t.is_alive() for t in asking):
            same(m.ask("GET", "/healthz")[0], 200, "others are answered while a device is slow")
            same(m.ask("GET", "/api/cameras")[0], 200, "the main loop goes on")
            time.sleep(0.2)
        same([a[0] for a in answers], 8 * [503], f"a slow device: {answers}")
        true(time.monotonic() - begun < 60, "a slow device has limits of time")
        true(sum("several devices" in a[1]["error"] for a in answers) >= 4, f"no more than four at a time: {answers}")
        for address in ("", "http://", "file:///etc/passwd", "ftp://127.0.0.1/", "http://a b/", "http://127.0.1.1\r\nX: y/", "x" * 300, "rtsp://127.0.1.1/"):
            status, said = m.ask("POST", "/api/onvif/device", {"address": address})
            same(status, 400, f"{address!r}: {said}")
        same(m.ask("POST", "/api/onvif/device", {"address": "127.0.0.99:9"})[0], 503, "nobody is there")
        same(m.get("/api/cameras")[0]["state"] in ("online", "connecting"), True, "the camera that was there goes on")
        secrets(m)
        same(canary.connections, 0, "requests to a host that nobody named")
        canary.close()
        m.stop()


def media2():
    """Devices that list their streams by Media2, alone or besides Media; none that is wrong there holds up the program, and no request goes elsewhere."""
    good = {"media2": "H265", "services": "H265", "both": "H265", "media2-broken": "H264", "services-bomb": "H264", "services-mute": "H264"}
    bad = ["media2-elsewhere", "media2-scheme", "stream2-elsewhere", "media2-huge", "media2-bomb", "media2-malformed", "media2-empty", "neither"]
    by = {kind: Device(f"127.0.5.{i + 1}", kind, ELSEWHERE) for i, kind in enumerate([*good, *bad])}
    canary = Canary(ELSEWHERE, [by["media2-elsewhere"].port, by["media2-scheme"].port, 554])
    with started("media2", f'{{drawn: {{source: "{SCENE}"}}}}') as m:
        for kind, codec in good.items():
            status, said = look(m, by[kind])
            same(status, 200, f"{kind}: {said}")
            main, = [p for p in said["profiles"] if p["record"]]
            same((main["token"], main["codec"], [p["token"] for p in said["profiles"] if p["detect"]]), ("main", codec, ["sub"]), f"{kind}: the profiles that are chosen")
            same(said["record"], f"rtsp://{by[kind].address}:554/...", kind)
            if codec == "H265":
                same([(p["token"], p["width"], p["height"], p["fps"]) for p in said["profiles"]], [("main", 3840, 2160, 25), ("sub", 640, 360, 12.5)], f"{kind}: sizes, and no profile without video")
        for kind in bad:
            begun = time.monotonic()
            status, said = look(m, by[kind])
            same(status, 400, f"{kind}: {said}")
            true(time.monotonic() - begun < 30, f"{kind} took {time.monotonic() - begun:.0f} s")
            true("nobody has named it" in said["error"] or "elsewhere" not in kind, f"{kind}: {said}")
            print(f"{kind}: {said['error']}")
        status, said = look(m, by["media2"], USER, "wrong password")
        same((status, "password" in said["error"]), (400, True), f"a wrong password: {said}")
        same(canary.connections, 0, "requests to a host that nobody named")
        same(m.get("/api/cameras")[0]["name"], "drawn", "the camera goes on")
        secrets(m)
        m.stop()
    canary.close()


def looked():
    """A stream is seen before it is a camera's, or why it cannot be, in limits of time, and without a question to a host that nobody named."""
    here = pathlib.Path(__file__).parent
    servers = [subprocess.Popen(["/usr/bin/python3", str(here / program_), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
               for program_, arguments in (("live_camera.py", ("8560", "1")), ("camera_server.py", ("8561", "127.0.0.1", "1")), ("camera_server.py", ("554", "127.0.4.1", "1")))]
    for server in servers:
        server.stdout.readline()
    odd = {kind: OddRtsp("127.0.4.2", kind, ELSEWHERE, f"{USER}:{PASSWORD}") for kind in ("silent", "login", "missing", "unknown", "redirect", "control", "mute")}
    device = Device("127.0.4.1", main="/video", sub="/cam0")
    stranger = Device("127.0.4.3", "stream-elsewhere", ELSEWHERE)
    files = folder / "files"
    files.mkdir(exist_ok=True)
    canary = Canary(ELSEWHERE, [80, 554])
    (files / "list.m3u8").write_text(f"#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nhttp://{ELSEWHERE}/part.ts\n")
    (files / "stream.sdp").write_text(f"v=0\no=- 1 1 IN IP4 {ELSEWHERE}\ns=x\nc=IN IP4 {ELSEWHERE}\nt=0 0\na=control:rtsp://{ELSEWHERE}/x\nm=video 5000 RTP/AVP 96\na=rtpmap:96 H264/90000\n")
    (files / "words.txt").write_text("This is no video. " * 100)
    subprocess.run(["gst-launch-1.0", "-q", "videotestsrc", "num-buffers=3", "!", "video/x-raw,width=320,height=240", "!", "jpegenc", "!", "multifilesink", f"location={files}/%d.jpg"], check=True, timeout=60)
    jpegs = [(files / f"{i}.jpg").read_bytes() for i in range(3)]
    web = HttpCamera(files, {"good": (jpegs, 10), "huge": ([resized(jpegs[0], 60000, 60000)], 10)}, f"http://{ELSEWHERE}/x")

    def look_at(m, **body):
        begun = time.monotonic()
        status, said = m.ask("POST", "/api/streams/look", body)
        same(status, 200, said)
        true(time.monotonic() - begun < 60, f"{body} took {time.monotonic() - begun:.0f} s")
        return said["streams"]

    def fault(m, source):
        one, = look_at(m, source=source)
        true(one["why"] and not one["picture"], f"{source}: {one}")
        return one["why"]
    try:
        with started("looked", f'{{drawn: {{source: "{SCENE}"}}}}') as m:
            for sound in ("opus", "pcma", "aac"):
                one, = look_at(m, source=f"rtsp://127.0.0.1:8560/{sound}")
                same({k: one[k] for k in ("why", "record", "detect", "codec", "width", "height", "sound", "warnings", "source")},
                     {"why": None, "record": True, "detect": True, "codec": "h264", "width": 640, "height": 360, "sound": sound, "warnings": [], "source": "rtsp://127.0.0.1:8560/..."}, sound)
                true(15 < one["fps"] < 35 and 0.6 < one["key_seconds"] < 1.6, f"25 frames a second, a key frame each second: {one['fps']}, {one['key_seconds']}")
                jpeg = base64.b64decode(one["picture"])
                true(jpeg[:2] == b"\xff\xd8" and 1000 < len(jpeg) < 200000, f"a picture of {len(jpeg)} bytes")
            one, = look_at(m, source="rtsp://127.0.0.1:8560/small")
            same((one["why"], one["sound"], one["width"]), (None, None, 320), "without sound")
            one, = look_at(m, source=web.address("pictures/good"))
            same((one["why"], one["codec"], one["width"], one["height"], one["sound"]), (None, "jpeg", 320, 240, None), "pictures by HTTP")
            # By its device: two streams at once, and the password is the operator's.
            wanted = {"address": device.url, "user": USER, "password": PASSWORD, "record": "main", "detect": "sub"}
            two = look_at(m, device=wanted)
            same([(s["detect"], s["record"], s["why"], s["width"]) for s in two], [(True, False, None, 160), (False, True, None, 320)], "the device's two streams")
            same(len(m.get("/api/cameras")), 1, "nothing is added by a look")
            # Why not, in words that help.
            for source, words in ((odd["missing"].url, "no stream at this address"), (odd["login"].url, "user name or the password"), ("rtsp://127.0.4.9:1/x", "nothing answers"), (odd["silent"].url, ""),
                                  (odd["mute"].url, "no picture has come"), (odd["unknown"].url, "nothing here decodes"), ("rtsp://127.0.0.1:8561/audio", "no video"),
                                  (web.address("words.txt"), ""), (web.address("none"), ""), (web.address("pictures/huge"), "max_pixels"), (web.address("list.m3u8"), "list of other addresses"),
                                  (web.address("stream.sdp"), ""), (web.address("elsewhere"), ""), (odd["control"].url, "")):
                why = fault(m, source)
                true(words in why, f"{source}: {why}")
                print(f"{source}: {why}")
                same(canary.connections, 0, f"{source}: requests to a host that nobody named")
            # GStreamer connects before it asks whether it may; then nothing is said.
            true("another host" in fault(m, odd["redirect"].url), "an RTSP server that sends on")
            same(canary.asked, 0, "words to a host that nobody named")
            with_login = odd["login"].url.replace("://", "://operator:s3cret%2Fof%3Athe%40camera@")
            true("no stream" in fault(m, with_login) and odd["login"].right, "user and password go to the camera")
            true("user name or the password" in fault(m, with_login.replace("s3cret", "s3cret0")), "a wrong password")
            same(m.ask("POST", "/api/streams/look", {"device": {**wanted, "address": stranger.url}})[0], 400, "a device whose stream is elsewhere")
            same(canary.asked, 0, "words to a host that nobody named")
            for body in ({}, {"source": 1}, {"source": "x"}, {"source": "/etc/passwd"}, {"source": "file:///etc/passwd"}, {"source": "filesrc location=/etc/passwd ! fakesink"}, {"source": "rtsp://127.0.4.1/x", "name": "x"},
                         {"source": "rtsp://127.0.4.1/x", "device": wanted}, {"device": {**wanted, "record": "none"}}, {"source": "udp://127.0.0.1:5000"}, {"source": "rtspu://127.0.0.1/x"}):
                status, said = m.ask("POST", "/api/streams/look", body)
                same(status, 400, f"{body}: {said}")
            # One at a time; all others are answered meanwhile.
            answers = []
            asking = [threading.Thread(target=lambda: answers.append(m.ask("POST", "/api/streams/look", {"source": odd["mute"].url})[0])) for _ in range(6)]
            for thread in asking:
                thread.start()
            while any(t.is_alive() for t in asking):
                same(m.ask("GET", "/healthz")[0], 200, "others are answered meanwhile")
                same(m.ask("GET", "/api/cameras")[0], 200, "the main loop goes on")
                time.sleep(0.2)
            true(200 in answers and 503 in answers and set(answers) == {200, 503}, f"one look at a time: {answers}")
            true("look-at-stream" in [line["what"] for line in m.get("/api/audit")["entries"]], "who looked")
            same(m.get("/api/cameras")[0]["state"], "online", "the camera that was there goes on")
            secrets(m)
            # The program ends while somebody looks.

            def look_on():
                with contextlib.suppress(OSError, http.client.HTTPException):
                    m.ask("POST", "/api/streams/look", {"source": odd["mute"].url})
            threading.Thread(target=look_on, daemon=True).start()
            time.sleep(1)
            begun = time.monotonic()
            m.stop()
            true(time.monotonic() - begun < 25, "a look does not hold up the end")
    finally:
        for server in servers:
            server.kill()
            server.wait()


def added():
    """From an empty configuration to a recorded camera; it outlives the program, and the configuration is as it was."""
    port = 8554
    server = subprocess.Popen(["/usr/bin/python3", str(pathlib.Path(__file__).parent / "camera_server.py"), str(port), "127.0.2.1", "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    server.stdout.readline()
    device = Device("127.0.2.1", rtsp_port=port, main="/video", sub="/cam0")
    try:
        with started("added") as m:
            before = (folder / "added/monitor.yaml").read_bytes()
            same(m.get("/api/cameras"), [], "an empty configuration")
            begun = time.monotonic()
            status, said = look(m, device)
            same(status, 200, said)
            wanted = {"address": device.url, "user": USER, "password": PASSWORD, "record": "main", "detect": "sub"}
            status, camera = m.ask("POST", "/api/cameras", {"name": "door", "device": wanted})
            same(status, 200, camera)
            same((camera["name"], camera["added"], camera["source"]), ("door", True, f"rtsp://127.0.2.1:{port}/..."), "the camera")
            m.wait("it is looked at and recorded", lambda: (c := m.get("/api/cameras/door"))["state"] == "online" and c["record_stream"]["state"] == "online" and c["width"] == 160, 120)
            print(f"from an empty configuration to a camera in {time.monotonic() - begun:.1f} s")
            status, said = m.ask("POST", "/api/cameras", {"name": "yard", "source": f"rtsp://u:s3cret@127.0.2.1:{port}/cam0"})
            same(status, 200, said)
            same(m.ask("PUT", "/api/cameras/yard/zones/gate", {"coordinates": "0,0,1,0,1,1"})[0], 200, "a zone of it")
            same(m.ask("PATCH", "/api/cameras/yard/switches", {"enabled": False})[0], 200, "switched off")
            for body in ({"name": "door", "source": "rtsp://127.0.2.1/x"}, {"name": "a b", "source": "rtsp://127.0.2.1/x"}, {"name": "x"}, {"name": "x", "source": "filesrc location=/etc/passwd ! fakesink"},
                         {"name": "x", "source": "/etc/passwd"}, {"name": "x", "source": "file:///etc/passwd"}, {"name": "x", "source": "v4l2://x"}, {"name": 1, "source": "rtsp://127.0.2.1/x"},
                         {"name": "x", "source": "rtsp://127.0.2.1/x", "device": wanted}, {"name": "x", "device": {**wanted, "record": "none"}}, {"name": "x", "device": []},
                         {"name": "x", "source": "rtsp://127.0.2.1/x", "record_source": "filesrc location=/x"}):
                status, said = m.ask("POST", "/api/cameras", body)
                same(status, 400, f"{body}: {said}")
            same([c["name"] for c in m.get("/api/cameras")], ["door", "yard"], "a wrong body adds nothing")
            secrets(m)
            same(m.get("/api/config")["cameras"]["door"]["onvif"], f"http://{device.address}:{device.port}/...", "the device is kept, to be turned and asked for its events")
            same(m.get("/api/cameras/door")["device_events"]["enabled"], False, "which nobody has asked for")
            same(m.ask("PATCH", "/api/cameras/door/switches", {"device_events": True})[0], 200, "its own events are switched on")
            m.wait("subscribed", lambda: m.get("/api/cameras/door")["device_events"]["subscribed"], 60)
            yaml = m.ask("GET", "/api/config/cameras.yaml")[1].decode()
            true("onvif:" in yaml and "events: true" in yaml and "${DOOR_PASSWORD}@127.0.2.1" in yaml, yaml)
            m.stop()
        # As YAML it is a configuration.
        (folder / "exported.yaml").write_text(yaml)
        env = {**os.environ, "DOOR_PASSWORD": "x", "YARD_PASSWORD": "y"}
        done = subprocess.run([program, "--check", "--config", folder / "exported.yaml"], capture_output=True, text=True, check=False, env=env)
        same((done.returncode, "2 cameras" in done.stdout), (0, True), f"{yaml}\n{done.stdout}{done.stderr}")
        with started("added") as m:
            m.wait("it is there after a restart", lambda: m.get("/api/cameras/door")["state"] == "online", 120)
            m.wait("its own events, too", lambda: m.get("/api/cameras/door")["device_events"]["subscribed"], 60)
            yard = m.get("/api/cameras/yard")
            same((yard["state"], list(yard["zones"]), yard["added"]), ("disabled", ["gate"], True), "as it was left")
            same(m.ask("POST", "/api/reload", {})[0], 200, "read again")
            same([c["name"] for c in m.get("/api/cameras")], ["door", "yard"], "after a reload")
            same(m.ask("DELETE", "/api/cameras/yard")[0], 200, "taken away")
            same(m.ask("DELETE", "/api/cameras/yard")[0], 404, "again")
            same([c["name"] for c in m.get("/api/cameras")], ["door"], "without it")
            what = [line["what"] for line in m.get("/api/audit")["entries"]]
            true({"add-camera", "remove-camera", "look-at-device", "export-cameras"} <= set(what), f"who did what: {what}")
            m.stop()
        same((folder / "added/monitor.yaml").read_bytes(), before, "the configuration file")
        # One of the configuration wins over one of the page, and is not taken away on it.
        (folder / "added/monitor.yaml").write_text(f'cameras: {{door: {{source: "{SCENE}"}}}}\n')
        with started("added") as m:
            same(m.get("/api/cameras/door")["added"], False, "the camera of the configuration")
            true(any("camera door of the page is not used" in line for line in m.log), m.log)
            status, said = m.ask("DELETE", "/api/cameras/door")
            same((status, "take it out there" in said["error"]), (400, True), said)
            m.stop()
    finally:
        server.kill()
        server.wait()


def titled():
    """Another title changes what people read, and nothing else: events, links, the connection and the configuration stay."""
    camera = f'{{front: {{source: "{SCENE} ", title: "Of the file"}}, back: {{source: "{SCENE}"}}}}'
    with started("titled", camera) as m:
        before_file = (folder / "titled/monitor.yaml").read_bytes()
        same([(c["name"], c["title"]) for c in m.get("/api/cameras")], [("front", "Of the file"), ("back", "back")], "titles of the configuration")
        m.wait("an event", lambda: m.get("/api/events?camera=back")["events"], 90)
        m.wait("the camera's picture", lambda: m.get("/api/cameras/back")["state"] == "online")
        was, event = m.get("/api/cameras/back"), m.get("/api/events?camera=back")["events"][-1]
        same(m.ask("POST", "/api/cameras", {"name": "yard", "source": "rtsp://127.0.0.1:1/x"})[0], 200, "a camera of the page")
        for name, title in (("back", "Haustür 門 <b>"), ("yard", "Hof: #2 \"hinten\""), ("front", "Gate 🚪")):
            status, said = m.ask("PATCH", f"/api/cameras/{name}", {"title": title})
            same((status, said["title"], said["name"], "title" in said["overridden"]), (200, title, name, True), said)
        now = m.get("/api/cameras/back")
        same({k: now[k] for k in ("state", "since", "reconnects", "source", "zones")}, {k: was[k] for k in ("state", "since", "reconnects", "source", "zones")}, "the connection goes on")
        same(m.get(f"/api/events/{event['id']}")["camera"], "back", "events keep the name")
        for name, title in (("back", "GATE 🚪"), ("back", "yard"), ("back", "Of the file\n"), ("back", " x"), ("back", "x" * 65), ("back", "a\u202eb"), ("back", "\u200b"), ("back", "a\x1b[1m"), ("back", 1), ("back", None), ("none", "x")):
            status, said = m.ask("PATCH", f"/api/cameras/{name}", {"title": title})
            same(status, 404 if name == "none" else 400, f"{name}, {title!r}: {said}")
        same(m.ask("PATCH", "/api/cameras/back", {"title": "x", "name": "y"})[0], 400, "a name is not changed")
        same(m.ask("PATCH", "/api/cameras/back", {"title": "Haustür 門 <b>"})[0], 200, "its own title again")
        same(m.get("/api/cameras/back")["title"], "Haustür 門 <b>", "what was refused changes nothing")
        yaml = m.ask("GET", "/api/config/cameras.yaml")[1].decode()
        same(m.get("/api/config")["cameras"]["front"]["title"], "Gate 🚪", "the configuration in use")
        same(m.ask("POST", "/api/reload", {})[0], 200, "read again")
        same(m.get("/api/cameras/front")["title"], "Gate 🚪", "after a reload")
        true(any('"rename-camera"' in str(line) or line["what"] == "rename-camera" for line in m.get("/api/audit")["entries"]), "who did it")
        m.stop()
    same((folder / "titled/monitor.yaml").read_bytes(), before_file, "the configuration file")
    (folder / "titled.yaml").write_text(yaml)
    done = subprocess.run([program, "--check", "--config", folder / "titled.yaml"], capture_output=True, text=True, check=False)
    same((done.returncode, "1 camera," in done.stdout), (0, True), f"{yaml}\n{done.stdout}{done.stderr}")
    with started("titled") as m:
        same([(c["name"], c["title"]) for c in m.get("/api/cameras")], [("front", "Gate 🚪"), ("back", "Haustür 門 <b>"), ("yard", 'Hof: #2 "hinten"')], "after a restart")
        same(m.get(f"/api/events/{event['id']}")["camera"], "back", "its events are there")
        same(m.ask("PATCH", "/api/cameras/front", {"title": ""})[1]["title"], "front", "back to the name")
        same(m.ask("DELETE", "/api/cameras/front/overrides")[1]["title"], "Of the file", "back to the configuration")
        same(m.ask("DELETE", "/api/cameras/yard")[0], 200, "taken away")
        same(m.ask("PATCH", "/api/cameras/back", {"title": 'Hof: #2 "hinten"'})[0], 200, "the title is free")
        m.stop()


CHECKS = [search, devices, media2, looked, added, titled]
asked = sys.argv[3:]
for check in CHECKS:
    if not asked or check.__name__ in asked:
        begun_at = time.monotonic()
        check()
        print(f"{check.__name__}: {time.monotonic() - begun_at:.1f} s", flush=True)
