# SPDX-License-Identifier: LGPL-2.1-or-later
"""What moved where, as the program keeps it while it runs, and what each person has seen of its events.

search.py PROGRAM FOLDER"""
import time
import urllib.parse

from program import Monitor, begin, same

program, folder = begin("monitor-search")
TOKENS = {"ann": "token-of-ann-0123456789", "bob": "token-of-bob-0123456789"}
tokens, config = folder / "token", folder / "monitor.yaml"
tokens.touch(0o600)
tokens.write_text("admin token-of-admin-0123456789 boss\n" + "".join(f"view {word} {name}\n" for name, word in TOKENS.items()))
SOURCE = "scenetestsrc is-live=true quiet=0.5 density=2 ! video/x-raw,format=I420,width=320,height=180,framerate=10/1"
config.write_text(f"""
http: {{token_file: {tokens}, local: admin}}
record: {{pre_capture: 1, post_capture: 1, max_clip: 5}}
cameras:
  street: {{source: "{SOURCE}", cudamog: {{motion-hold: 300}}}}
""")
WHOLE = "0,0,1,0,1,1,0,1"


def search(m, **asked):
    return m.get("/api/cameras/street/search?" + urllib.parse.urlencode({"polygon": WHOLE, **asked}))


def corners(box):
    left, top, right, bottom = box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]
    return ",".join(f"{min(1, max(0, v)):.4f}" for v in (left, top, right, top, right, bottom, left, bottom))


def overlaps(hit, event):
    return hit["start"] < event["end_time"] + 1 and hit["end"] > event["start_time"] - 1


def searches(m):
    events = m.wait("three events that have ended", lambda: (lambda done: len(done) >= 3 and done)(
        [e for e in m.get("/api/events?label=motion")["events"] if e["end_time"] and e["box"]]), 120)
    m.wait("their motion to be stored", lambda: (search(m)["hits"] or [{"end": 0}])[0]["end"] > events[0]["start_time"] + 1, 60)
    for event in events[:3]:
        for polygon in (WHOLE, corners(event["box"])):
            hits = search(m, polygon=polygon, **{"from": event["start_time"] - 60, "to": event["end_time"] + 60})["hits"]
            if not any(overlaps(hit, event) for hit in hits):
                raise AssertionError(f"{event} is not among {hits}")
    found = search(m, limit=1000)
    same([h["start"] for h in found["hits"]], sorted((h["start"] for h in found["hits"]), reverse=True), "the newest first")
    for hit in found["hits"]:
        if not (hit["start"] < hit["end"] and 0 < hit["share"] <= 1 and (hit["direction"] is None or 0 <= hit["direction"] <= 360)):
            raise AssertionError(hit)
    same(len(search(m, limit=1)["hits"]), 1, "no more than asked for")
    same(search(m, **{"from": 1000, "to": 2000})["hits"], [], "another time")
    return events


def refusals(m):
    for query, word in (("", "polygon"), ("?polygon=0,0,1", "whole points"), ("?polygon=0,0,1,0", "3 corners"), ("?polygon=0,0,2,0,1,1", "outside"),
                        ("?polygon=a", "number"), (f"?polygon={WHOLE}&from=5&to=4", "before"), (f"?polygon={WHOLE}&from=0&to=9000000", "31 days"),
                        (f"?polygon={WHOLE}&limit=0", "limit"), (f"?polygon={WHOLE}&from=x", "from"), (f"?polygon={WHOLE}&from=-1e300", "1970")):
        status, body = m.ask("GET", "/api/cameras/street/search" + query)
        if status != 400 or word not in body["error"]:
            raise AssertionError(f"{query}: {status} {body}")
    same(m.ask("GET", f"/api/cameras/nobody/search?polygon={WHOLE}")[0], 404, "no such camera")


def seen(m, events):
    def listed(name, query=""):
        status, body = m.ask("GET", f"/api/events?limit=500{query}", headers={"Authorization": f"Bearer {TOKENS[name]}"})
        same(status, 200, "events")
        return {e["id"]: e["seen"] for e in body["events"]}

    def mark(name, event, value):
        return m.ask("POST", f"/api/events/{event}/seen", {"seen": value}, {"Authorization": f"Bearer {TOKENS[name]}", "Content-Type": "application/json"})
    first, second = events[0]["id"], events[1]["id"]
    status, body = mark("ann", first, True)
    same((status, body["id"], body["seen"]), (200, first, True), "the answer")
    same((listed("ann")[first], listed("ann")[second], listed("bob")[first]), (True, False, False), "each person's own")
    same((first in listed("ann", "&seen=false"), second in listed("ann", "&seen=false"), first in listed("bob", "&seen=false")), (False, True, True), "seen=false")
    same(listed("ann", "&seen=true"), {first: True}, "seen=true")
    same(mark("ann", first, True)[0], 200, "twice")
    same((mark("ann", first, False)[1]["seen"], listed("ann")[first]), (False, False), "undone")
    for body in ({}, {"seen": 1}, {"seen": True, "more": 1}):
        same(m.ask("POST", f"/api/events/{first}/seen", body)[0], 400, f"{body}")
    same(m.ask("GET", "/api/events?seen=1")[0], 400, "seen=1")
    same(mark("ann", "20260101T000000000-street-0000", True)[0], 404, "no such event")
    mark("bob", first, True)
    mark("bob", second, True)
    same(m.ask("DELETE", f"/api/events/{second}")[0], 200, "deleted by this machine's user")
    same(listed("bob", "&seen=true"), {first: True}, "a mark goes with its event")
    return first


with Monitor(program, folder / "data", "--config", str(config)) as m:
    found = searches(m)
    refusals(m)
    first = seen(m, found)
    before = search(m, limit=1000)["hits"]
    m.kill()
with Monitor(program, folder / "data", "--config", str(config)) as m:
    stop = before[0]["end"]
    after = search(m, limit=1000, to=stop)["hits"]
    same(after, before, "after kill -9 all is found that was found before")
    status, body = m.ask("GET", "/api/events?seen=true", headers={"Authorization": f"Bearer {TOKENS['bob']}"})
    same([e["id"] for e in body["events"]], [first], "marks stay")
    time.sleep(1)
    m.stop()
print("all good")
