# SPDX-License-Identifier: LGPL-2.1-or-later
"""A class of gpufisher as a topic of MQTT, a sensor of Home Assistant, an event, and "more like this": with a model that vigil-train made of
drawn crowds which start to run.

classes.py PROGRAM FOLDER VIGIL-TRAIN. Needs mosquitto and mosquitto_sub; without, it is skipped."""
import json
import pathlib
import subprocess
import sys

import broker
from program import Monitor, begin
from vigiltest import skip_for

skip_for(broker.MISSING)
program, folder = begin("monitor-classes")
train = pathlib.Path(sys.argv[3]).resolve()
CAPS = "video/x-raw,format=I420,width=160,height=120,framerate=10/1"


def done(*command):
    subprocess.run([str(c) for c in command], check=True, timeout=300, cwd=folder, stdout=subprocess.DEVNULL)


# The crowd strolls from 1 s on, runs away from 9 s on, and comes again at 17 s.
rows = ["video,first,last,class"]
for seed in 1, 2:
    done("gst-launch-1.0", "-q", *f"scenetestsrc scene=crowd quiet=1 seed={seed} num-buffers=270 ! {CAPS} ! jpegenc quality=95 ! avimux ! filesink location=crowd{seed}.avi".split())
    rows += [f"crowd{seed}.avi,{first},{last},{label}" for first, last, label in
             [(11, 90, "normal"), (96, 115, "running"), (140, 250, "normal"), (256, 270, "running")]]
(folder / "labels.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
done(train, "codebook", "--seed", 1, "--every", 4, "--samples", 20000, "--components", 16, "--scales", 3, "--largest-scale", 1, "-o", "crowd.model", "crowd1.avi", "crowd2.avi")
done(train, "classifier", "--every", 2, "-l", "labels.csv", "-o", "crowd.model", "crowd.model")

with broker.Broker("vigil/square/running", "homeassistant/#") as mqtt:
    config = folder / "monitor.yaml"
    config.write_text(f"""
record: {{pre_capture: 1, post_capture: 1}}
mqtt: {{host: 127.0.0.1, port: {mqtt.port}, node: test}}
cameras:
  square: {{source: "scenetestsrc scene=crowd quiet=1 seed=4 is-live=true ! {CAPS}",
    gpufisher: {{model-location: {folder}/crowd.model, every: 2, attach-vector: true}}}}
""", encoding="utf-8")
    with Monitor(program, folder / "data", "--config", str(config)) as m:
        m.wait("pictures", lambda: m.get("/api/cameras/square")["state"] == "online", 60)
        m.wait("the class is known", lambda: m.get("/api/cameras/square")["classes"] == {"running": False}, 60)
        m.wait("somebody runs", lambda: "ON" in mqtt.payloads("vigil/square/running"), 90)
        # The state is retained, so that the first message can be of before or after the class was known.
        m.wait("nobody runs", lambda: mqtt.payloads("vigil/square/running")[-1] == "OFF", 60)
        states = mqtt.payloads("vigil/square/running")
        assert states[0] == "OFF" and all(a != b for a, b in zip(states, states[1:])), states
        found = json.loads(mqtt.payloads("homeassistant/binary_sensor/vigil_test_square/class_running/config")[-1])
        assert found["state_topic"] == "vigil/square/running", found
        e = m.wait("the event", lambda: next((e for e in m.get("/api/events?label=running")["events"] if e["has_clip"] and e["end_time"]), None), 60)
        assert e["has_vector"] and e["score"] > 0, e
        others = [e for e in m.get("/api/events")["events"] if e["label"] == "motion" and e["has_vector"]]
        if others:
            alike = m.get(f"/api/events/{e['id']}/similar")["events"]
            assert others[0]["id"] in [x["event"]["id"] for x in alike], alike
        sample = next(s for s in m.get("/api/cameras/square/activity")["samples"] if s["scores"])
        print(f"running: {states}, score {e['score']:.2f}, {len(others)} events of motion with vectors; a score: {sample['scores']}")
        m.stop()
print("all good")
