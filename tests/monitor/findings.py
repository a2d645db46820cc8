# SPDX-License-Identifier: LGPL-2.1-or-later
"""What vigil-monitor posts to a webhook, publishes over MQTT and answers at /api/events is as docs/api/findings-1.schema.json says.

findings.py PROGRAM FOLDER"""
import http.server
import json
import threading

import broker
from program import Monitor, begin, same
from vigiltest import skip_for
from vigiltest.findings import MISSING, Findings

program, folder = begin("monitor-findings")
skip_for(MISSING, broker.MISSING)
got = []


class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


hook = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
threading.Thread(target=hook.serve_forever, daemon=True).start()
SCENE = "scenetestsrc is-live=true quiet=0.5 density=2 scene={} ! video/x-raw,format=I420,width=320,height=180,framerate=10/1"
findings = Findings()
with broker.Broker("vigil/#") as broker_has:
    (folder / "monitor.yaml").write_text(f"""
webhook: {{url: "http://127.0.0.1:{hook.server_address[1]}/"}}
mqtt: {{host: 127.0.0.1, port: {broker_has.port}}}
record: {{pre_capture: 1, post_capture: 1, max_clip: 4}}
cameras:
  street: {{source: "{SCENE.format('street')}", cudamog: {{motion-hold: 300}}, zones: {{all: {{coordinates: "0,0,1,0,1,1,0,1", loiter_seconds: 1}}}}}}
  gone: {{source: "rtsp://127.0.0.1:1/none"}}
""")
    with Monitor(program, folder / "storage", "--config", str(folder / "monitor.yaml")) as m:
        labels = {"motion", "loitering", "camera-offline"}
        # The camera that never answers begins an event; clips of motion end.
        m.wait("events of each label, and one with a clip that has ended", lambda: labels <= {e["label"] for e in m.get("/api/events?limit=100")["events"]}
               and any(e["has_clip"] and e["end_time"] for e in m.get("/api/events?limit=100")["events"]), 120)
        m.wait("the webhook has all three kinds of news", lambda: {"new", "update", "end"} <= {b["type"] for b in list(got)}, 60)
        m.wait("the broker, too", lambda: {"new", "update", "end"} <= {json.loads(p)["type"] for p in broker_has.payloads("vigil/events")}, 60)
        m.wait("a last event", lambda: broker_has.payloads("vigil/street/last_event"), 30)
        page = m.get("/api/events?limit=100")["events"]
    for body in got:
        findings.check("notification", body)
    for payload in broker_has.payloads("vigil/events"):
        findings.check("notification", json.loads(payload))
    for payload in broker_has.payloads("vigil/street/last_event"):
        findings.check("event", json.loads(payload))
for event in page:
    findings.check("event", event)
    findings.check("event", {k: v for k, v in event.items() if k != "seen"})
    same(bool(findings.errors("event", event | {"score": "1"})), True, "the oracle finds what is wrong")
print(findings.counts)
