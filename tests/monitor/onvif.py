# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cameras that are found and set up on the page: ONVIF devices, good and bad, in a network namespace of their own; what is added lives on, and can be exported.

onvif.py PROGRAM FOLDER [NAME OF A CHECK]..."""
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time

import hosts

why_not = hosts.start_apart()

from program import Monitor, same  # noqa: E402
from vigiltest import skip  # noqa: E402

if why_not:
    skip(f"this test needs a network of its own: {why_not}")

from onvif_devices import PASSWORD, USER, Canary, Device, Network  # noqa: E402

program, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve() / "monitor-onvif"
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
ELSEWHERE = "127.0.0.200"
SCENE = "scenetestsrc is-live=true ! video/x-raw,width=320,height=180,framerate=5/1"


def true(value, what):
    if not value:
        raise AssertionError(what)


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
        m.stop()


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


CHECKS = [search, devices, added]
asked = sys.argv[3:]
for check in CHECKS:
    if not asked or check.__name__ in asked:
        begun_at = time.monotonic()
        check()
        print(f"{check.__name__}: {time.monotonic() - begun_at:.1f} s", flush=True)
