# SPDX-License-Identifier: LGPL-2.1-or-later
"""Zones and lines that are made while vigil-monitor runs become rules of boxrules: counts, crossings, loitering as an event.

rules.py PROGRAM FOLDER"""
import json
import threading

from program import Monitor, begin

program, folder = begin("monitor-rules")
SOURCE = "scenetestsrc is-live=true quiet=0.5 density=2 ! video/x-raw,format=I420,width=320,height=180,framerate=15/1"
config = folder / "monitor.yaml"
config.write_text(f"""
record: {{pre_capture: 1, post_capture: 1}}
cameras:
  street: {{source: "{SOURCE}", cudamog: {{motion-hold: 300}}}}
  patient: {{source: "{SOURCE}", cudamog: {{motion-hold: 300}}, boxrules: {{settle-time: 60000}}, zones: {{all: {{coordinates: "0,0,1,0,1,1,0,1"}}}}}}
""")

with Monitor(program, folder / "data", "--config", str(config)) as m:
    m.wait("pictures", lambda: m.get("/api/cameras/street")["state"] == "online")
    assert m.get("/api/cameras/street")["counts"] == {"zones": {}, "lines": {}}
    messages = []
    threading.Thread(target=lambda: messages.extend(json.loads(r[5]) for r in m.live("?pictures=0", 120) if r[0] == "E"), daemon=True).start()
    status, camera = m.ask("PUT", "/api/cameras/street/zones/all", {"coordinates": "0,0,1,0,1,1,0,1", "loiter_seconds": 1})
    assert (status, camera["counts"]["zones"]) == (200, {"all": 0}), camera["counts"]
    # A line may have a zone's name.
    for name, x in ("left", 0.3), ("all", 0.5), ("right", 0.7):
        assert m.ask("PUT", f"/api/cameras/street/lines/{name}", {"coordinates": f"{x},0,{x},1", "direction": "both"})[0] == 200
    # A line that counts one way only.
    assert m.ask("PUT", "/api/cameras/street/lines/oneway", {"coordinates": "0.5,1,0.5,0", "direction": "in"})[0] == 200

    def counts():
        return m.get("/api/cameras/street")["counts"]

    m.wait("somebody crosses the line with the zone's name", lambda: (lambda line: line["in"] + line["out"])(counts()["lines"]["all"]) > 0, 60)
    m.wait("somebody in the zone", lambda: counts()["zones"]["all"] > 0, 40)
    crossed = m.wait("somebody crosses a line", lambda: next((name for name, c in counts()["lines"].items() if c["in"] + c["out"] > 0), None), 60)
    print("crossed", crossed, counts())
    e = m.wait("loitering", lambda: next(iter(m.get("/api/events?label=loitering")["events"]), None), 40)
    assert e["zones"] == ["all"] and e["score"] >= 1, e
    # It lasts until the object that stayed too long has left, and its score is the whole stay, which began a second before.
    ended = m.wait("the end of the stay", lambda: (lambda now: now["end_time"] and now)(m.get(f"/api/events/{e['id']}")), 60)
    stay = ended["end_time"] - ended["start_time"]
    assert ended["score"] > 1.2 and stay > 0.2 and ended["score"] < stay + 1.5, ended
    m.wait("its clip", lambda: m.get(f"/api/events/{e['id']}")["has_clip"], 40)
    print("loitering", e["id"], "stayed", ended["score"])
    # The counts decide which zones an event is in. Nobody stays for the minute after which patient counts, so none of its events is in a zone.
    m.wait("motion in the zone", lambda: next(iter(m.get("/api/events?camera=street&label=motion&zone=all")["events"]), None), 60)
    of_patient = m.wait("motion that nobody counts", lambda: [e for e in m.get("/api/events?camera=patient&label=motion")["events"] if e["end_time"]], 60)
    assert m.get("/api/cameras/patient")["counts"]["zones"] == {"all": 0} and not any(e["zones"] for e in of_patient), of_patient
    # What crossed stands in the database, by quarters of an hour, also when boxrules counts from nothing.
    def stored():
        return m.get("/api/cameras/street/crossings")["lines"]
    def agree():
        now, lines = counts()["lines"], stored()
        return all((lines[name]["in"], lines[name]["out"]) == (n["in"], n["out"]) for name, n in now.items())
    m.wait("crossings that are stored", agree)
    lines = stored()
    assert all(q["time"] % 900 == 0 for line in lines.values() for q in line["quarters"]), lines
    assert all(sum(q[way] for q in line["quarters"]) == line[way] for line in lines.values() for way in ("in", "out")), lines
    assert lines["oneway"]["out"] == 0, lines
    assert m.get("/api/cameras/street/crossings?after=0&before=900")["lines"][crossed] == {"in": 0, "out": 0, "quarters": []}
    kinds = {k["kind"] for k in messages}
    assert {"count", "line"} <= kinds, kinds
    # boxrules knows exactly what the page drew, and forgets what is taken back.
    elements = {e["factory"]: {p["name"]: p["value"] for p in e["properties"]} for e in m.get("/api/cameras/street/elements")["elements"]}
    rules = json.loads(elements["boxrules"]["rules"])
    assert [z["name"] for z in rules["zones"]] == ["all"] and {n["name"] for n in rules["lines"]} == {"line:left", "line:all", "line:right", "line:oneway"}, rules
    assert not any("boxrules" in line or "the name" in line for line in m.log), m.log
    before = m.get("/api/cameras/street")["reconnects"]
    assert m.ask("DELETE", f"/api/cameras/street/lines/{crossed}")[0] == 200
    assert crossed not in counts()["lines"]
    m.ask("PUT", f"/api/cameras/street/lines/{crossed}", {"coordinates": "0,0.01,1,0.01"})
    assert counts()["lines"][crossed] == {"in": 0, "out": 0, "labels": {}}, "a line that was made again begins at nothing"
    assert stored()[crossed]["in"] + stored()[crossed]["out"] > 0, "and the day's crossings stay"
    assert m.get("/api/cameras/street")["reconnects"] == before, "without a restart"
    m.stop()
print("all good")
