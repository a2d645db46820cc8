# SPDX-License-Identifier: LGPL-2.1-or-later
"""Labels at a real broker: topics and Home Assistant's sensors of a guessed label and of a taught one that holds a topic's own characters, crossings by label,
and messages of MQTT that stay when a label is deleted.

label_topics.py PROGRAM FOLDER. Needs mosquitto and mosquitto_sub; without, it is skipped."""
import json

import broker
from program import Monitor, begin
from vigiltest import skip_for

skip_for(broker.MISSING)
program, folder = begin("monitor-label-topics")
TAUGHT, LEVEL = 'wal/ker #1+ "Ä"', 'wal%2Fker %231%2B "Ä"'
WALKER = {"aspect": 0.9, "size": -2.4, "speed": 0.2, "filled": 0.5, "rhythm": 0.5, "straightness": 0.99, "travel": 2}
WAGON = {"aspect": -0.6, "size": -1.1, "speed": 0.6, "filled": 0.7, "rhythm": 0.1, "straightness": 0.99, "travel": 1}

with broker.Broker("vigil/#", "homeassistant/#") as mqtt:
    config = folder / "monitor.yaml"
    config.write_text(f"""
record: {{pre_capture: 1, post_capture: 1, max_clip: 5}}
mqtt: {{host: 127.0.0.1, port: {mqtt.port}, node: test}}
cameras:
  street:
    source: "scenetestsrc is-live=true quiet=0.5 density=2 ! video/x-raw,format=I420,width=320,height=180,framerate=8/1"
    lines: {{gate: {{coordinates: "0.5,0,0.5,1"}}}}
""", encoding="utf-8")

    def last(topic):
        return (mqtt.payloads(topic) or [None])[-1]

    def sensors(label):
        """Sensors announced to Home Assistant with topics of this label, by the last part of the topic."""
        found = [json.loads(payload) for topic, payload in list(mqtt.messages) if topic.startswith("homeassistant/") and payload]
        return {one["state_topic"].rsplit("/", 1)[1]: one for one in found if one.get("state_topic", "").startswith(f"vigil/street/labels/{label}/")}

    def crossings(label):
        return sum(int(last(f"vigil/street/gate/labels/{label}/{way}") or 0) for way in ("in", "out"))

    with Monitor(program, folder / "data", "--config", str(config)) as m:
        m.wait("a person who is counted", lambda: any(int(n) > 0 for n in mqtt.payloads("vigil/street/labels/person/count")), 120)
        m.wait("and shown", lambda: "ON" in mqtt.payloads("vigil/street/labels/person/motion"))
        m.wait("sensors", lambda: set(sensors("person")) == {"count", "motion"}, 60)
        m.wait("a person who crosses", lambda: crossings("person") > 0, 120)
        examples = [{"label": name, "event": "", "shape": {k: v + 0.02 * n for k, v in shape.items()}} for n in range(12) for name, shape in ((TAUGHT, WALKER), ("wagon", WAGON))]
        status, answer = m.ask("POST", "/api/labels/import", {"format": "vigil-labels", "version": 1, "examples": examples})
        assert (status, answer) == (200, {"examples": 24}), (status, answer)
        m.wait("the taught label", lambda: any(int(n) > 0 for n in mqtt.payloads(f"vigil/street/labels/{LEVEL}/count")), 120)
        m.wait("its sensors", lambda: set(sensors(LEVEL)) == {"count", "motion"}, 60)
        assert {one["unique_id"] for one in sensors(LEVEL).values()}.isdisjoint({one["unique_id"] for one in sensors("person").values()})
        m.wait("the first crossing with it", lambda: crossings(LEVEL) > 0, 120)
        m.wait("nobody is a mere person", lambda: last("vigil/street/labels/person/count") == "0", 120)
        m.wait("nor shown as one", lambda: last("vigil/street/labels/person/motion") == "OFF")
        m.stop()
print("all good")
