# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-monitor as a person meets it: drawn cameras, pictures, events with clips, zones, properties, a kill, bad requests.

run.py PROGRAM FOLDER"""
import itertools
import json
import socket
import subprocess
import time

import broker
from program import Monitor, begin, same

program, folder = begin("monitor-run")
config = folder / "monitor.yaml"
SOURCE = "scenetestsrc is-live=true quiet=0.5 density=2 ! video/x-raw,format=I420,width=320,height=180,framerate=15/1"
config.write_text(f"""
record: {{pre_capture: 2, post_capture: 1, max_clip: 4}}
cameras:
  street: {{source: "{SOURCE}", cudamog: {{motion-hold: 300}}, masks: {{sky: {{coordinates: "0,0,1,0,1,0.1"}}}}}}
  gone: {{source: "rtsp://user:hidden@127.0.0.1:1/none"}}
""")


def pictures(m):
    # On a busy machine a camera may be late for a while: the best of some tries counts, but no try may give more than was asked for.
    for _ in range(6):
        records = list(m.live("?cameras=street", 3))
        kinds = [json.loads(r[5])["kind"] for r in records if r[0] == "E"]
        same(kinds[0], "hello", "the first record")
        same([c["name"] for c in json.loads(next(r[5] for r in records if r[0] == "E"))["cameras"]], ["street", "gone"], "all cameras, whichever are looked at")
        tiles = [r for r in records if r[0] == "J"]
        if any(t[5][:2] != b"\xff\xd8" or t[1] != "street" for t in tiles):
            raise AssertionError("a tile is no JPEG of the camera")
        if len(tiles) > 17:
            raise AssertionError(f"{len(tiles)} tiles in 3 s at 5 a second")
        delay = time.time() - tiles[-1][4] if tiles else None
        if len(tiles) >= 10 and -1 < delay < 2:
            break
    else:
        raise AssertionError(f"{len(tiles)} tiles in 3 s at 5 a second; the last one's capture time is {delay} s ago")
    masks = itertools.islice((r for r in m.live("?cameras=street&view=mask", 30) if r[0] == "J"), 3)
    same({r[2] for r in masks}, {2}, "the view of masks")
    for name in ("latest", "mask", "background", "overlay"):
        answer = m.wait(f"the picture {name}", lambda: next((body for status, body in [m.ask("GET", f"/api/cameras/street/{name}.jpg")] if status != 503), None))
        same(answer[:2], b"\xff\xd8", name)
    same([r for r in m.live("?pictures=0", 1) if r[0] == "J"], [], "pictures that nobody asked for")


def offline(m):
    c = m.wait("the camera that never answers", lambda: next((c for c in m.get("/api/cameras") if c["name"] == "gone" and c["state"] == "offline"), None))
    if not c["reason"] or "hidden" in json.dumps(m.get("/api/cameras")) + json.dumps(m.get("/api/config")) + "".join(m.log):
        raise AssertionError(f"a reason, and no password anywhere: {c}")


def event_with_clip(m):
    e = m.wait("an event with a clip", lambda: next((e for e in m.get("/api/events?camera=street")["events"] if e["has_clip"] and e["has_snapshot"]), None), 40)
    status, clip = m.ask("GET", f"/api/events/{e['id']}/clip.mp4")
    same((status, len(clip)), (200, e["clip_bytes"]), "the clip")
    if not 0 < e["start_time"] - e["clip_start"] < 6:
        raise AssertionError(f"the clip begins {e['start_time'] - e['clip_start']:.2f} s before the event")
    status, part = m.ask("GET", f"/api/events/{e['id']}/clip.mp4", headers={"Range": "bytes=10-19"})
    same((status, part, m.headers["Content-Range"]), (206, clip[10:20], f"bytes 10-19/{len(clip)}"), "a part of it")
    status, _ = m.ask("GET", f"/api/events/{e['id']}/clip.mp4", headers={"Range": f"bytes={len(clip)}-"})
    same(status, 416, "a part beyond its end")
    path = next((folder / "data/clips/street").rglob(e["id"] + ".mp4"))
    played = subprocess.run(["gst-launch-1.0", "-v", "filesrc", f"location={path}", "!", "qtdemux", "!", "h264parse", "!", "avdec_h264", "!",
                             "fakesink", "silent=false"], capture_output=True, text=True, timeout=60)
    frames = played.stdout.count("last-message = chain")
    if played.returncode or frames < 15:
        raise AssertionError(f"the clip has {frames} frames; {played.stderr}")
    status, picture = m.ask("GET", f"/api/events/{e['id']}/thumbnail.jpg")
    same((status, picture[:2]), (200, b"\xff\xd8"), "thumbnail")
    same(m.ask("POST", f"/api/events/{e['id']}/retain", {"retain": True})[1]["retained"], True, "kept")
    same(m.get("/api/events?retained=1")["events"][0]["id"], e["id"], "found among those that are kept")
    return e


def zones_and_properties(m):
    zone = {"coordinates": "0,0,1,0,1,1,0,1"}
    status, camera = m.ask("PUT", "/api/cameras/street/zones/all", zone)
    same((status, "all" in camera["zones"], "zones.all" in camera["overridden"]), (200, True, True), "a zone")
    m.wait("an event that enters it", lambda: any("all" in e["zones"] for e in m.get("/api/events?zone=all")["events"]))
    same(m.ask("DELETE", "/api/cameras/street/zones/all")[0], 200, "the zone goes")
    same(m.ask("DELETE", "/api/cameras/street/zones/all")[0], 404, "it is gone")
    for i in range(64):
        same(m.ask("PUT", f"/api/cameras/street/zones/z{i}", zone)[0], 200, "one of many zones")
    same(m.ask("PUT", "/api/cameras/street/zones/more", zone)[0], 400, "one zone too many")
    same(m.ask("PUT", "/api/cameras/street/lines/gate", {"coordinates": "0,0,1,1"})[0], 200, "a line in addition to the largest number of zones")
    same(m.ask("DELETE", "/api/cameras/street/overrides")[0], 200, "all of that is taken back")
    for bad in ({"coordinates": "0,0,1,1,1,0,0,1"}, {"coordinates": "0,0,2,0,1,1"}, {}, {"coordinates": 5}, {"coordinates": "0,0,1,0,1,1", "colour": "red"}):
        status, body = m.ask("PUT", "/api/cameras/street/zones/z", bad)
        same((status, "error" in body), (400, True), f"zone {bad}")
    restarts = m.get("/api/cameras/street")["reconnects"]
    status, element = m.ask("PATCH", "/api/cameras/street/elements/cudamog", {"median": 5, "background-sigma": 4.5})
    same(status, 200, "properties")
    values = {p["name"]: p["value"] for p in element["properties"]}
    same((values["median"], values["background-sigma"]), (5, 4.5), "their values")
    for bad in ({"median": 1000}, {"median": "many"}, {"no-such": 1}, {"output": "mask"}, {"median": 7, "min-area": -1}):
        same(m.ask("PATCH", "/api/cameras/street/elements/cudamog", bad)[0], 400, f"properties {bad}")
    elements = m.get("/api/cameras/street/elements")
    units = {e["factory"]: {p["name"]: p["unit"] for p in e["properties"]} for e in elements["elements"]}
    for element, name, unit in [("cudamog", "components", None), ("cudamog", "motion-threshold", None), ("cudamog", "absorb-after", "s"),
                                ("cudamog", "motion-hold", "ms"), ("cudamog", "median", "px"), ("cudamog", "min-variance", "grey levels²"),
                                ("boxtrack", "agility", None)]:
        same(units[element][name], unit, f"the unit of {element}'s {name}")
    same(elements["elements"][0]["properties"][0]["name"] != "qos", True, "the element's own properties come first")
    same([e["gtype"] for e in elements["elements"] if e["factory"] == "cudamog"], ["GstCudaMog"], "the name that preset files need")
    same({p["name"]: p["value"] for p in elements["elements"][0]["properties"]}["median"], 5, "all or nothing")
    if "median=5" not in elements["launch"]:
        raise AssertionError(elements["launch"])
    camera = m.get("/api/cameras/street")
    same((camera["reconnects"], camera["state"]), (restarts, "online"), "without a restart")
    m.ask("PATCH", "/api/cameras/street/elements/cudamog", {"median": None})


def video(m):
    """The camera's stream as fragmented MP4: several pieces, which play."""
    c = m.connect()
    c.request("GET", "/api/cameras/street/live.mp4")
    r = c.getresponse()
    same(r.status, 200, "live.mp4")
    if not r.headers["Content-Type"].startswith('video/mp4; codecs="avc1.'):
        raise AssertionError(r.headers["Content-Type"])
    data = b""
    while data.count(b"moof") < 12:
        piece = r.read1(65536)
        if not piece:
            raise AssertionError(f"live.mp4 ended after {len(data)} bytes")
        data += piece
    c.close()
    same(data[4:8], b"ftyp", "the beginning of live.mp4")
    file = folder / "live.mp4"
    file.write_bytes(data[:data.rindex(b"moof") - 4])
    played = subprocess.run(["gst-launch-1.0", "-v", "filesrc", f"location={file}", "!", "qtdemux", "!", "h264parse", "!", "avdec_h264", "!", "fakesink",
                             "silent=false"], capture_output=True, text=True, timeout=60)
    frames = played.stdout.count("last-message = chain")
    if played.returncode or frames < 8:
        raise AssertionError(f"live.mp4 has {frames} frames; {played.stderr}")
    same(m.ask("GET", "/api/cameras/gone/live.mp4")[0], 503, "a camera without a stream")
    # Eight may watch; the ninth gets an error that says so, and gets a place when one of them has gone.
    def watch():
        w = m.connect()
        w.request("GET", "/api/cameras/street/live.mp4")
        if w.getresponse().status == 200:
            return w
        w.close()
        return None
    watchers = [m.wait(f"viewer {n + 1} of eight", watch) for n in range(8)]  # the viewer from before may still have a place
    same(m.ask("GET", "/api/cameras/street/live.mp4")[0], 503, "a ninth viewer")
    for w in watchers:
        w.close()

    def place():
        again = m.connect()
        again.request("GET", "/api/cameras/street/live.mp4")
        status = again.getresponse().status
        again.close()
        return status == 200
    m.wait("a place for another viewer", place)


def activity(m):
    """The strip "what changed": motion, and the exposure that cudamog finds, each second."""
    samples = m.wait("samples", lambda: [s for s in m.get("/api/cameras/street/activity")["samples"] if s["gain"] is not None])
    if not all(0.2 < s["gain"] < 5 for s in samples) or not any(s["changed_fraction"] > 0 for s in samples):
        raise AssertionError(samples)
    # Each thing that moves counts once: boxtrack's boxes, which lie on cudamog's, do not count again.
    covered, counted = 0, 0
    for _ in range(4):  # until somebody is there
        for record in m.live("?cameras=street&pictures=0", 15):
            heard = json.loads(record[5]) if record[0] == "E" else {}
            boxes = [[round(v * n) for v, n in ((b["x"], 160), (b["x"] + b["width"], 160), (b["y"], 90), (b["y"] + b["height"], 90))] for b in heard.get("boxes", [])]
            covered += len({(x, y) for x1, x2, y1, y2 in boxes for x in range(x1, x2) for y in range(y1, y2)})
            counted += sum((x2 - x1) * (y2 - y1) for x1, x2, y1, y2 in boxes)
        if counted:
            break
    if not 0 < counted < 1.25 * covered:
        raise AssertionError(f"boxes of {counted} cells cover {covered}")


def bad_requests(m):
    for path in ("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/api/events/..%2f..%2fevents.db/clip.mp4", "/x/..%2f..%2fetc/passwd", "/api/events/../x", "/api/nothing",
                 "/api/cameras/nobody", "/api/cameras//elements"):
        if m.ask("GET", path)[0] != 404:
            raise AssertionError(f"{path}: {m.ask('GET', path)}")
    same(m.ask("GET", "/api/events?limit=0")[0], 400, "limit")
    same(m.ask("GET", "/api/events?cursor=x")[0], 400, "cursor")
    same(m.ask("GET", "/api/live?view=x")[0], 400, "view")
    same(m.ask("GET", "/api/live?cameras=nobody")[0], 404, "no such camera")
    for method, path, allowed in [("POST", "/api/events", "GET, HEAD"), ("PUT", "/api/login", "GET, HEAD, POST"), ("POST", "/", "GET, HEAD"),
                                  ("TRACE", "/api/cameras/street/zones/z", "PUT, DELETE")]:
        same((m.ask(method, path)[0], m.headers.get("Allow")), (405, allowed), f"{method} {path}")
    same(m.ask("PUT", "/api/cameras/street/zones/z", "x" * 70000)[0], 413, "a large body")
    same(m.ask("PUT", "/api/cameras/street/zones/z", "[" * 60000)[0], 400, "a deep body")
    same(m.ask("GET", "/api/cameras", headers={"Host": "evil.example"})[0], 403, "another name")
    same(m.ask("DELETE", "/api/events/x", headers={"Origin": "http://evil.example"})[0], 403, "another site")
    same(m.ask("GET", "/api/cameras", headers={"X-Forwarded-For": "1.2.3.4"})[0], 401, "by a proxy without a token")
    for garbage in (b"\0\xff\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET " + b"a" * 200000 + b" HTTP/1.1\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", m.port), timeout=10) as s:
            try:
                s.sendall(garbage)
                s.recv(1000)
            except OSError:
                pass
    # Clients that never finish a request hold up nobody.
    slow = [socket.create_connection(("127.0.0.1", m.port)) for _ in range(50)]
    for s in slow:
        s.sendall(b"GET /api/cameras HTTP/1.1\r\nHost: local")
    begun = time.monotonic()
    m.get("/api/cameras")
    if time.monotonic() - begun > 15:  # they have 30 s
        raise AssertionError("slow clients hold up others")
    for s in slow:
        s.close()
    csp = m.ask("GET", "/") and m.headers["Content-Security-Policy"]
    if "default-src 'none'" not in csp or "unsafe" in csp:
        raise AssertionError(csp)
    same([(m.ask("GET", path)[0], m.headers.get("Location")) for path in ("/wall", "/camera/street/")], [(302, "./"), (302, "./../../")], "a place in the page")
    for path in ("/api/stats", "/api/version", "/metrics", "/healthz", "/api/openapi.json", "/api/overrides", "/api/cameras/street/activity",
                 "/api/cameras/street/heatmap", "/api/cameras/street/crossings"):
        m.get(path)


def reload(m):
    text = config.read_text()
    config.write_text(text + "  more: {source: 'scenetestsrc'}\n")
    same(m.ask("POST", "/api/reload")[1]["restarted"], ["more"], "only what changed starts over")
    config.write_text(text + "  more: {sorce: 'scenetestsrc'}\n")
    status, body = m.ask("POST", "/api/reload")
    if status != 400 or "there is no such key" not in body["error"]:
        raise AssertionError(f"{status} {body}")
    config.write_text(text)
    same(m.ask("POST", "/api/reload")[1]["restarted"], ["more"], "a camera goes")


def withdrawn():
    """A camera that leaves the configuration leaves Home Assistant, too."""
    if broker.MISSING:
        print(f"SKIPPED in part: {broker.MISSING}")
        return
    with broker.Broker("homeassistant/#") as mqtt:
        cameras = [f'  {name}: {{source: "{SOURCE}"}}\n' for name in ("stays", "goes")]
        text = f"mqtt: {{host: 127.0.0.1, port: {mqtt.port}, node: test}}\ncameras:\n"
        settings = folder / "withdrawn.yaml"
        settings.write_text(text + "".join(cameras))
        topics = [f"homeassistant/binary_sensor/vigil_test_{name}/motion/config" for name in ("stays", "goes")]
        with Monitor(program, folder / "withdrawn", "--config", str(settings)) as m:
            m.wait("both cameras are announced", lambda: all(mqtt.payloads(t) for t in topics))
            settings.write_text(text + cameras[0])
            same(m.ask("POST", "/api/reload")[1]["restarted"], ["goes"], "one goes")
            m.wait("its sensor is taken away", lambda: mqtt.payloads(topics[1])[-1] == "")
            same(mqtt.payloads(topics[0])[-1] != "", True, "the other's stays")
            m.stop()


def not_analysed():
    """Home Assistant gets no sensor of the analysis for a camera that is not analysed, and loses those that it had."""
    if broker.MISSING:
        print(f"SKIPPED in part: {broker.MISSING}")
        return
    with broker.Broker("homeassistant/#") as mqtt:
        settings, zone = folder / "not-analysed.yaml", 'zones: {floor: {coordinates: "0,0,1,0,1,1,0,1"}}, lines: {gate: {coordinates: "0,0,1,1"}}'

        def write(more):
            settings.write_text(f'mqtt: {{host: 127.0.0.1, port: {mqtt.port}, node: test}}\ncameras:\n  door: {{source: "{SOURCE}", {zone}{more}}}\n')

        def last(component, what):
            found = mqtt.payloads(f"homeassistant/{component}/vigil_test_door/{what}/config")
            return found[-1] if found else None
        of_analysis = [("binary_sensor", "motion"), ("binary_sensor", "covered"), ("sensor", "floor_count"), ("binary_sensor", "floor_occupancy"), ("sensor", "gate_in")]
        write(", detect: {enabled: false}")
        with Monitor(program, folder / "not-analysed", "--config", str(settings)) as m:
            m.wait("it is announced", lambda: last("camera", "snapshot"))
            same([last(*x) or "" for x in of_analysis], [""] * len(of_analysis), "sensors of the analysis")
            write("")
            m.ask("POST", "/api/reload")
            m.wait("it is analysed", lambda: all(last(*x) for x in of_analysis))
            write(", detect: {enabled: false}")
            m.ask("POST", "/api/reload")
            m.wait("its sensors are taken away", lambda: [last(*x) for x in of_analysis] == [""] * len(of_analysis))
            same(m.get("/api/cameras/door")["analysed"], False, "what the camera says of itself")
            same(bool(last("camera", "snapshot")), True, "the rest stays")
            m.stop()


withdrawn()
not_analysed()
with Monitor(program, folder / "data", "--config", str(config)) as m:
    m.wait("pictures", lambda: m.get("/api/cameras/street")["state"] == "online")
    print(f"online after {time.monotonic() - m.begun:.2f} s")
    for check in (pictures, offline, video, activity, zones_and_properties, bad_requests, reload):
        check(m)
        print(check.__name__, "good")
    kept = event_with_clip(m)
    print("event_with_clip good")
    m.wait("a clip being written", lambda: list((folder / "data/clips").rglob("*.part")), 30)
    time.sleep(1.5)
    m.kill()
with Monitor(program, folder / "data", "--config", str(config)) as m:
    same(m.get(f"/api/events/{kept['id']}")["retained"], True, "after kill -9 the event is there")
    same(list((folder / "data/clips").rglob("*.part")), [], "half-written clips")
    for e in m.get("/api/events?limit=500")["events"]:
        if e["has_clip"]:
            same(m.ask("GET", f"/api/events/{e['id']}/clip.mp4")[0], 200, f"clip of {e['id']}")
    m.wait("pictures again", lambda: m.get("/api/cameras/street")["state"] == "online")
    m.stop()
lines = (folder / "data/events.jsonl").read_text().splitlines()
same(all(json.loads(line)["id"] for line in lines) and len(lines) > 0, True, "events.jsonl")
for bad, status in (([], 0), (["--nothing"], 2), (["--config", "/nonexistent"], 1)):
    done = subprocess.run([program, *bad, "--check"], capture_output=True, text=True, timeout=30)
    same(done.returncode, status, f"--check {bad}: {done.stderr}")
for setting, complaint in (("median: 99", "cudamog's median cannot be '99'"), ("preset: roof", "cudamog has no preset 'roof'; there are: laboratory")):
    config.write_text(f"cameras:\n  a:\n    source: scenetestsrc\n    cudamog:\n      {setting}\n")
    done = subprocess.run([program, "--config", str(config), "--check"], capture_output=True, text=True, timeout=30)
    if done.returncode != 1 or f"{config}:5: {complaint}" not in done.stderr:
        raise AssertionError(done.stderr)
print("all good")
