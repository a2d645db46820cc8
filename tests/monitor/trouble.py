# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cameras that are covered, out of focus and turned away, and one that is well: what viewers, events, metrics and MQTT report.

trouble.py PROGRAM FOLDER. MQTT: mosquitto and mosquitto_sub; without, that part is skipped."""
import contextlib
import json
import threading

import broker
from program import Monitor, begin

program, folder = begin("monitor-trouble")
config = folder / "monitor.yaml"
CAMERAS = {"lens": ("covered", "covered"), "fog": ("defocused", "blurred"), "wind": ("moved", "moved"), "well": ("indoor", None)}
if broker.MISSING:
    print(f"SKIPPED in part: {broker.MISSING}")


def metric(m, camera, kind):
    line = f'vigil_camera_trouble{{camera="{camera}",kind="{kind}"}} '
    return next(x[len(line):] for x in m.get("/metrics").decode().splitlines() if x.startswith(line))


def kept_apart(m, camera, label):
    """Its event has a beginning, an end, a score, a picture and a clip, and no box and no zone."""
    e = m.wait(f"the event {label} with its clip", lambda: next((e for e in m.get(f"/api/events?camera={camera}&label={label}")["events"]
                                                                 if e["has_clip"] and e["end_time"]), None), 60)
    assert e["has_snapshot"] and e["box"] is None and not e["zones"] and 0 < e["score"] <= 1, e
    assert e["start_time"] < e["end_time"], e
    assert m.ask("GET", f"/api/events/{e['id']}/clip.mp4")[0] == 200
    return e


with contextlib.ExitStack() as stack:
    mqtt = None if broker.MISSING else stack.enter_context(broker.Broker("vigil/+/+", "homeassistant/binary_sensor/#"))
    config.write_text("record: {pre_capture: 1, post_capture: 1}\n" + (f"mqtt: {{host: 127.0.0.1, port: {mqtt.port}, node: test}}\n" if mqtt else "") + "cameras:\n" + "".join(
        f'  {name}: {{source: "scenetestsrc scene={scene} quiet=5 is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate=8/1", '
        'zones: {all: {coordinates: "0,0,1,0,1,1,0,1"}}}\n' for name, (scene, _) in CAMERAS.items()))
    m = stack.enter_context(Monitor(program, folder / "data", "--config", str(config)))
    m.wait("pictures", lambda: all(c["state"] == "online" for c in m.get("/api/cameras")), 60)
    assert all(c["trouble"] == {} for c in m.get("/api/cameras")), "nothing is wrong at first"
    changes = []
    threading.Thread(target=lambda: changes.extend(json.loads(r[5])["camera"] for r in m.live("?pictures=0", 400) if r[0] == "E" and b'"kind":"camera"' in r[5]),
                     daemon=True).start()
    for name, (_, what) in CAMERAS.items():
        if not what:
            continue
        since = m.wait(f"{name} is {what}", lambda n=name, w=what: m.get(f"/api/cameras/{n}")["trouble"].get(w) or
                       next((c["trouble"][w] for c in changes if c["name"] == n and w in c["trouble"]), None), 120)
        e = kept_apart(m, name, f"camera-{what}")
        assert abs(e["start_time"] - since) < 0.01, (e, since)
        m.wait(f"{name} is {what} no longer", lambda n=name: m.get(f"/api/cameras/{n}")["trouble"] == {}, 60)
        assert metric(m, name, what) == "0"
        print(f"{name}: {what} for {e['end_time'] - e['start_time']:.1f} s, score {e['score']:.2f}, clip of {e['clip_bytes']} bytes", flush=True)
        if what == "moved":  # by how far the picture went, for the strip of what changed
            shifts = [s["shift"] for s in m.get(f"/api/cameras/{name}/activity")["samples"] if s["shift"]]
            assert shifts and all(abs(s["x"]) + abs(s["y"]) >= 1 for s in shifts), shifts
            print(f"{name}: its picture went by {shifts[0]}", flush=True)
        if mqtt:
            topic = f"vigil/{name}/{what}"
            m.wait(f"{topic} is published", lambda t=topic: mqtt.payloads(t)[-3:] == ["OFF", "ON", "OFF"], 20)
            found = json.loads(mqtt.payloads(f"homeassistant/binary_sensor/vigil_test_{name}/{what}/config")[-1])
            assert (found["state_topic"], found["device_class"]) == (topic, "problem"), found
    assert not [c for c in changes if c["name"] == "well" and c["trouble"]], "a camera that is well"
    assert not [e for e in m.get("/api/events?camera=well&limit=500")["events"] if e["label"].startswith("camera-")]
    # A camera that is taken down is in no trouble that anybody knows of.
    m.wait("the lens is covered again", lambda: m.get("/api/cameras/lens")["trouble"].get("covered"), 60)
    assert metric(m, "lens", "covered") == "1"
    assert m.ask("PATCH", "/api/cameras/lens/switches", {"enabled": False})[1]["trouble"] == {}
    m.wait("its event has ended", lambda: m.get("/api/events?camera=lens&label=camera-covered")["events"][0]["end_time"], 20)
    m.stop()
print("all good")
