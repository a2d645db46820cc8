# SPDX-License-Identifier: LGPL-2.1-or-later
"""Labels of events: guessed by shape, taught by a person, exported, imported, deleted, kept through a restart.

labels.py PROGRAM FOLDER"""
import json
import sqlite3
import time
from urllib.parse import quote

from program import Monitor, begin

program, folder = begin("monitor-labels")
SOURCE = "scenetestsrc is-live=true quiet=0.5 density=2 ! video/x-raw,format=I420,width=320,height=180,framerate=8/1"
config, data = folder / "monitor.yaml", folder / "data"
config.write_text(f"""
record: {{pre_capture: 1, post_capture: 1, max_clip: 5}}
cameras:
  street:
    source: "{SOURCE}"
    cudamog: {{motion-hold: 300}}
    lines:
      all: {{coordinates: "0.5,0,0.5,1"}}
      nobody: {{coordinates: "0.5,0,0.5,1", labels: [nobody]}}
""")
EXAMPLES = data / "labels" / "examples.json"
CAT = "Müllers \"Katze\" 🐈 <b>"


def taught():
    return json.loads(EXAMPLES.read_text(encoding="utf-8"))["examples"]


def label_of(event, name):
    return next((x for x in event["labels"] if x["label"] == name), None)


with Monitor(program, data, "--config", str(config)) as m:
    def events(query=""):
        return m.get("/api/events?limit=500" + query)["events"]

    def say(event, body):
        return m.ask("POST", f"/api/events/{event['id']}/label", body)

    def report():
        answer = m.get("/api/labels")
        return {x["label"]: x for x in answer["labels"]} if not answer["training"] else {}

    assert m.get("/api/labels") == {"labels": [], "training": False, "set_aside": 0, "codebook": None}
    guessed = m.wait("three events with guessed labels", lambda: (lambda found: len(found) >= 3 and found)([e for e in events() if e["labels"]]), 150)
    for e in guessed:
        for x in e["labels"]:
            assert x["guessed"] and x["by"] == "shape" and 0.5 <= x["score"] <= 1 and x["label"] in ("person", "vehicle", "other"), x
        assert m.get(f"/api/events/{e['id']}")["labels"], e
    name = guessed[0]["labels"][0]["label"]
    assert guessed[0]["id"] in [e["id"] for e in events(f"&label={name}")], "a guessed label filters"
    first, second, third = guessed[:3]

    # A person's word takes the place of all guesses, and is on the disk when it has been answered.
    status, e = say(first, {"label": CAT})
    assert status == 200 and e["taught"] is True, (status, e)
    assert e["labels"] == [{"label": CAT, "score": 1, "guessed": False, "by": "person"}], e["labels"]
    assert [(x["label"], x["is"], x["event"]) for x in taught()] == [(CAT, True, first["id"])], taught()
    assert taught()[0]["shape"], "an example has features"
    assert [e["id"] for e in events(f"&label={quote(CAT)}") if not e["labels"][0]["guessed"]] == [first["id"]]
    cat = m.wait("the training", lambda: report().get(CAT))
    assert cat == {"label": CAT, "examples": 1, "counterexamples": 0, "accuracy": None, "needs": 9, "alike": None,
                   "cameras": {"street": {"examples": 1, "counterexamples": 0, "accuracy": None, "needs": 4}}}, cat
    # It is corrected with one word.
    assert say(first, {"label": "dog"})[1]["labels"][0]["label"] == "dog"
    assert [x["label"] for x in taught()] == ["dog"], taught()
    status, e = say(second, {"not": "dog"})
    assert status == 200 and label_of(e, "dog") == {"label": "dog", "score": 0, "guessed": False, "by": "person"}, e
    assert second["id"] not in [e["id"] for e in events("&label=dog")]
    assert m.wait("a counterexample", lambda: report().get("dog", {}).get("counterexamples")) == 1
    named = [e["id"] for e in events() if any(x["by"] == "examples" for x in e["labels"])]
    assert not named, f"one example is too few to guess from: {named}"
    status, e = say(second, {"label": None})
    assert status == 200 and not any(x["by"] == "person" for x in e["labels"]), e
    assert len(taught()) == 1

    # Several at once, and taken back at once.
    both = [second["id"], third["id"]]
    status, answer = m.ask("POST", "/api/labels", {"events": both, "label": "pair"})
    assert status == 200 and answer["taught"] == 2 and [e["labels"][0]["label"] for e in answer["events"]] == ["pair", "pair"], answer
    assert sorted(x["event"] for x in taught() if x["label"] == "pair") == sorted(both)
    # The examples of one event go, also by its id alone.
    assert m.ask("DELETE", f"/api/labels?event={second['id']}") == (200, {"examples": 1})
    assert [x["event"] for x in taught() if x["label"] == "pair"] == [third["id"]]
    assert not any(x["by"] == "person" for x in m.get(f"/api/events/{second['id']}")["labels"])
    assert m.ask("POST", "/api/labels", {"events": both, "label": None})[0] == 200 and len(taught()) == 1
    for bad in ({"events": [], "label": "a"}, {"events": both}, {"label": "a"}, {"events": "x", "label": "a"}, {"events": [3], "label": "a"},
                {"events": both, "label": "a", "not": "b"}, {"events": both * 300, "label": "a"}):
        assert m.ask("POST", "/api/labels", bad)[0] == 400, bad
    assert m.ask("POST", "/api/labels", {"events": [both[0], "20260101T000000000-street-0000"], "label": "a"})[0] == 404
    assert len(taught()) == 1
    # Groups of events that are alike and that nobody has named.
    m.wait("a group", lambda: m.get("/api/labels/groups")["groups"], 120)
    groups = m.get("/api/labels/groups?limit=20")["groups"]
    ids = [e["id"] for g in groups for e in g["events"]]
    assert len(ids) == len(set(ids)) and first["id"] not in ids, "each event in one group, and none that was named"
    assert all(2 <= len(g["events"]) <= 12 for g in groups) and [g["certainty"] for g in groups] == sorted(g["certainty"] for g in groups), groups
    assert m.ask("GET", "/api/labels/groups?limit=0")[0] == 400

    # What is none of these changes nothing.
    for bad in ({}, {"label": 3}, {"label": ""}, {"label": "  "}, {"label": "a\nb"}, {"label": "a\0b"}, {"label": "x" * 65}, {"not": None}, {"not": ""},
                {"label": "a", "not": "b"}, {"name": "a"}, [], "{", '{"label": "\xff"}'.encode("latin-1")):
        status, answer = say(third, bad)
        assert status == 400 and answer["error"], (bad, status, answer)
    assert m.ask("POST", "/api/events/20260101T000000000-street-0000/label", {"label": "a"})[0] == 404
    assert m.ask("POST", "/api/events/nonsense/label", {"label": "a"})[0] == 404
    _, whole = m.ask("GET", "/api/labels/export", raw=True)
    for bad in ("", "{}", "[]", '{"format": "vigil-labels", "version": 1, "examples": [{"label": ""}]}', "[" * 60000, whole[:-5], whole[:len(whole) // 2],
                whole.replace(b'"version":1', b'"version":2'), whole.replace(b"vigil-labels", b"vigil-model"), b"VIGILFIS" + bytes(4000)):
        status, answer = m.ask("POST", "/api/labels/import", bad)
        assert status == 400 and answer["error"], (bad[:40], status, answer)
    assert m.ask("DELETE", "/api/labels")[0] == 400
    assert m.ask("DELETE", "/api/labels?label=a&event=b")[0] == 400 and m.ask("DELETE", "/api/labels?event=../x")[0] == 400
    for bad in ("/api/labels/%FF", "/api/labels/a%0Ab", "/api/labels?label=%FF", "/api/labels?label="):
        assert m.ask("DELETE", bad)[0] == 400, bad
    assert len(taught()) == 1 and [x["label"] for x in taught()] == ["dog"]

    # Examples of another camera: upright walkers and flat wagons. Events here are named by them.
    walker = {"aspect": 0.9, "size": -2.4, "speed": 0.2, "filled": 0.5, "rhythm": 0.5, "straightness": 0.99, "travel": 2}
    wagon = {"aspect": -0.6, "size": -1.1, "speed": 0.6, "filled": 0.7, "rhythm": 0.1, "straightness": 0.99, "travel": 1}
    more = [{"label": label, "event": "", "shape": {k: v + 0.02 * n for k, v in shape.items()}}
            for n in range(12) for label, shape in (("walker", walker), ("wag/on", wagon))]
    status, answer = m.ask("POST", "/api/labels/import", {"format": "vigil-labels", "version": 1, "examples": more})
    assert (status, answer) == (200, {"examples": 24}), (status, answer)
    assert len(taught()) == 25
    got = m.wait("the training", lambda: report().get("walker"))
    assert got["examples"] == 12 and got["needs"] == 0 and got["accuracy"] >= 0.9, got
    m.wait("events that are named by examples", lambda: [e for e in events() if any(x["by"] == "examples" for x in e["labels"])])
    status, text = m.ask("GET", "/api/labels/export", raw=True)
    assert status == 200 and json.loads(text)["examples"] == taught() and "attachment" in m.headers["Content-Disposition"]
    # The examples of an event that has some already are left out.
    assert m.ask("POST", "/api/labels/import", {**json.loads(text), "examples": [x for x in json.loads(text)["examples"] if x.get("event")]}) == (200, {"examples": 0})

    # The elements learn what is taught while they play: tracks before the camera have taught labels, and lines count them.
    m.wait("tracks with taught labels", lambda: set(m.get("/api/cameras/street")["labels"]) & {"walker", "wag/on"}, 120)
    counted = m.wait("a line that counts labels", lambda: (lambda line: line["labels"] and line)(m.get("/api/cameras/street")["counts"]["lines"]["all"]), 120)
    assert sum(of["in"] + of["out"] for of in counted["labels"].values()) <= counted["in"] + counted["out"], counted
    assert m.get("/api/cameras/street")["counts"]["lines"]["nobody"]["labels"] == {}, "no track has this label"
    assert m.get("/api/cameras/street")["counts"]["lines"]["nobody"]["in"] == 0, "a line with labels counts nothing else"

    # 10,000 examples are taken, in parts, and not one more. What is learnt from them comes while the program goes on.
    many = [{"label": "walker", "event": "", "shape": {k: v + 0.001 * (n % 97) for k, v in walker.items()}} for n in range(10001 - len(taught()))]
    most = 250  # a body has at most 64 KiB
    began = time.monotonic()
    for at in range(0, len(many) - 1, most):
        assert m.ask("POST", "/api/labels/import", {"format": "vigil-labels", "version": 1, "examples": many[at:min(at + most, len(many) - 1)]})[0] == 200
    assert len(taught()) == 10000
    status, answer = m.ask("POST", "/api/labels/import", {"format": "vigil-labels", "version": 1, "examples": many[-1:]})
    assert status == 400 and "10001 examples" in answer["error"], (status, answer)
    status, answer = say(second, {"label": "one more"})
    assert status == 400 and "10001 examples" in answer["error"], (status, answer)
    got = m.wait("the training with 10,000 examples", lambda: (lambda found: found and found["examples"] > 9000 and found)(report().get("walker")), 120)
    assert got["needs"] == 0, got
    print(f"10,000 examples: {EXAMPLES.stat().st_size} bytes, taken and learnt in {time.monotonic() - began:.1f} s, {m.get('/api/stats')['memory_bytes'] >> 20} MiB of memory")
    assert m.ask("DELETE", "/api/labels/walker")[1]["examples"] > 9000
    assert m.ask("POST", "/api/labels/import", {"format": "vigil-labels", "version": 1, "examples": [x for x in more if x["label"] == "walker"]}) == (200, {"examples": 12})

    # Deleted with all its examples, also by a name that is no part of a path.
    assert m.ask("DELETE", "/api/labels?label=wag/on") == (200, {"examples": 12})
    assert {x["label"] for x in taught()} == {"dog", "walker"}
    assert b"wag" not in EXAMPLES.read_bytes()
    m.wait("no event of that name", lambda: not events("&label=wag/on"))
    assert m.ask("DELETE", "/api/labels/nobody") == (200, {"examples": 0})
    assert m.ask("DELETE", f"/api/events/{first['id']}")[0] == 200
    assert first["id"] not in [e["id"] for e in events("&label=dog")]
    with sqlite3.connect(f"file:{data}/events.db?mode=ro", uri=True) as db:
        for table in "event_labels", "event_tracks", "event_looks":
            assert db.execute(f"SELECT count(*) FROM {table} WHERE event=?", [first["id"]]).fetchone() == (0,), f"rows of {table} go with their event"
    assert "dog" in {x["label"] for x in taught()}, "examples stay"
    assert say(third, {"label": "kept"})[0] == 200
    kept = third["id"]

    # A new connection goes on from the sizes and speeds that are usual at this place: its first track is compared with them.
    def shapes():
        return (r["shape"] for r in (json.loads(r[5]) for r in m.live("?pictures=0", 120) if r[0] == "E") if r["kind"] == "track")
    assert any("relative-size" in shape for shape in shapes()), "the place is not known yet"
    for enabled in (False, True):
        assert m.ask("PATCH", "/api/cameras/street/switches", {"enabled": enabled})[0] == 200
    shape = next(shapes(), {})
    assert "relative-size" in shape and "relative-speed" in shape, shape
    m.stop()

with Monitor(program, data, "--config", str(config)) as m:
    assert m.get(f"/api/events/{kept}")["labels"][0] == {"label": "kept", "score": 1, "guessed": False, "by": "person"}
    m.wait("what was taught", lambda: {x["label"] for x in m.get("/api/labels")["labels"]} == {"dog", "walker", "kept"})
    assert m.ask("DELETE", "/api/labels/dog") == (200, {"examples": 1})
    m.stop()

# A damaged file is set aside, and the program says so.
before = EXAMPLES.read_bytes()
EXAMPLES.write_bytes(before[:-7])
with Monitor(program, data, "--config", str(config)) as m:
    assert m.get("/api/labels")["labels"] == []
    aside = list(EXAMPLES.parent.glob("examples.json.damaged-*"))
    assert len(aside) == 1 and aside[0].read_bytes() == before[:-7], aside
    assert any("examples.json" in line and "set aside" in line for line in m.log), m.log
    assert m.get(f"/api/events/{kept}")["labels"][0]["label"] == "kept", "a person's words are in the database"
    assert m.ask("POST", f"/api/events/{kept}/label", {"label": "again"})[0] == 200
    assert [x["label"] for x in taught()] == ["again"]
    m.stop()
# A file of another version is set aside as well.
EXAMPLES.write_bytes(EXAMPLES.read_bytes().replace(b'"version":1', b'"version":2'))
with Monitor(program, data, "--config", str(config)) as m:
    assert m.get("/api/labels")["labels"] == []
    assert any("version is 2" in line and "set aside" in line for line in m.log), m.log
    m.stop()
print("all good")
