# SPDX-License-Identifier: LGPL-2.1-or-later
"""Requests of all kinds, made from docs/api/openapi.json by schemathesis: no answer 500, none of a status, type or shape that the description
does not name. Needs PyPI's schemathesis, version 4.

api.py PROGRAM FOLDER [EXAMPLES OF EACH OPERATION [SEED]]"""
import collections
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

from program import Monitor, begin
from vigiltest import skip

program, folder = begin("monitor-api")
examples, seed = (sys.argv[3:] + ["4", "1"][len(sys.argv) - 3:])[:2]
if importlib.util.find_spec("schemathesis") is None:
    skip("no schemathesis here (pip install schemathesis)")
config, counts, events = folder / "monitor.yaml", folder / "counts.json", folder / "events"
SOURCE = "scenetestsrc is-live=true quiet=0.5 density=2 ! video/x-raw,format=I420,width=160,height=90,framerate=5/1"
config.write_text(f"""
record: {{pre_capture: 1, post_capture: 1, max_clip: 3}}
cameras:
  street: {{source: "{SOURCE}", cudamog: {{motion-hold: 300}}, zones: {{steps: {{coordinates: "0,0,1,0,1,1"}}}}}}
  gone: {{source: "rtsp://user:hidden@127.0.0.1:1/none"}}
""")
# The two streams never end, and searches for devices take seconds and ask any address: onvif.py tests them.
ENDLESS = [word for path in ("/api/live", "/api/cameras/{camera}/live.mp4", "/api/onvif/search", "/api/onvif/device", "/api/streams/look") for word in ("--exclude-path", path)]
CHECKS = "status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance,unsupported_method"

with Monitor(program, folder / "data", "--config", str(config)) as m:
    m.wait("events with clips", lambda: sum(e["has_clip"] for e in m.get("/api/events")["events"]) >= 2, 60)
    events.write_text("\n".join(e["id"] for e in m.get("/api/events?limit=500")["events"]), encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "schemathesis.cli", "run", f"http://127.0.0.1:{m.port}/api/openapi.json", "--checks", CHECKS, "--phases",
                           "examples,coverage,fuzzing", "--max-examples", examples, "--seed", seed, "--continue-on-failure", "--no-color", "--suppress-health-check", "all",
                           "--generation-database", "none", *ENDLESS],
                          env={**os.environ, "SCHEMATHESIS_HOOKS": str(pathlib.Path(__file__).resolve().parent / "api_hooks.py"), "VIGIL_EVENTS": str(events),
                               "VIGIL_COUNTS": str(counts)}, capture_output=True, text=True, check=False, cwd=folder)
    (folder / "schemathesis.log").write_text(done.stdout + done.stderr, encoding="utf-8")
    answers = json.loads(counts.read_text(encoding="utf-8")) if counts.exists() else {}
    statuses = collections.Counter()
    for what, n in answers.items():
        statuses[what.rsplit(" ", 1)[1]] += n
    print(f"{sum(statuses.values())} requests, answers: {dict(sorted(statuses.items()))}")
    wrong = {what: n for what, n in answers.items() if what[-3] == "5" and not what.endswith(" 503")}
    if done.returncode or wrong or not statuses:
        raise AssertionError(f"{wrong}\n{done.stdout[-6000:]}\n{done.stderr[-2000:]}")
    m.get("/api/cameras")
    m.stop()
print("all good")
