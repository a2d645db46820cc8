# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parts of the picture that move all day: what the program proposes as masks, and what becomes of the answer.

restless.py PROGRAM FOLDER"""
import json

from moved import moved
from program import Monitor, begin, same

program, folder = begin("monitor-restless")
config, data = folder / "monitor.yaml", folder / "data"
SOURCE = "videotestsrc is-live=true pattern=black ! video/x-raw,format=I420,width=320,height=180,framerate=5/1"
config.write_text(f"""
http: {{local: admin}}
record: {{pre_capture: 1, post_capture: 1}}
cameras:
  street: {{source: "{SOURCE}"}}
  other: {{source: "{SOURCE}", detect: {{enabled: false}}}}
""")
COLUMNS, ROWS = 32, 18
FLAG = (20, 2, 3, 2)  # cells: left, top, width, height


def restless(m, camera="street"):
    return m.get(f"/api/cameras/{camera}/restless")


def corners(part):
    return [float(v) for v in part["coordinates"].split(",")]


with Monitor(program, data, "--config", str(config)) as m:
    same(restless(m), {"camera": "street", "parts": [], "analysed": True}, "a camera that has seen nothing")
    same(m.ask("GET", "/api/cameras/nobody/restless")[0], 404, "no such camera")
    m.stop()

moved(data, "street", FLAG)
with Monitor(program, data, "--config", str(config)) as m:
    parts = restless(m)["parts"]
    same(len(parts), 1, "a flag is proposed")
    left, top, width, height = FLAG[0] / COLUMNS, FLAG[1] / ROWS, FLAG[2] / COLUMNS, FLAG[3] / ROWS
    expected = [left, top, left + width, top, left + width, top + height, left, top + height]
    same([round(v, 3) for v in corners(parts[0])], [round(v, 3) for v in expected], "where it is")
    same(parts[0]["hours"], 24, "in how many hours")
    same(m.get("/api/cameras/street")["masks"], {}, "nothing is masked in silence")
    for body, word in (({}, "coordinates"), ({"coordinates": "0,0,1"}, "whole points"), ({"coordinates": parts[0]["coordinates"], "more": 1}, "more")):
        status, answer = m.ask("PUT", "/api/cameras/street/unmasked/flag", body)
        if status != 400 or word not in answer["error"]:
            raise AssertionError(f"{body}: {status} {answer}")
    same(m.ask("DELETE", "/api/cameras/street/unmasked/flag")[0], 404, "what nobody has left")

    reconnects = m.get("/api/cameras/street")["reconnects"]
    status, camera = m.ask("PUT", "/api/cameras/street/unmasked/flag", {"coordinates": parts[0]["coordinates"]})
    same((status, camera["overridden"]), (200, ["unmasked.flag"]), "it is left as it is")
    same(restless(m)["parts"], [], "it is not proposed again")
    same((camera["reconnects"], camera["masks"]), (reconnects, {}), "the camera goes on, unmasked")

with Monitor(program, data, "--config", str(config)) as m:  # another start
    same(list(m.get("/api/cameras/street")["unmasked"]), ["flag"], "what was left is known after a start")
    same(restless(m)["parts"], [], "it does not come back")
    same(m.ask("DELETE", "/api/cameras/street/unmasked/flag")[0], 200, "the answer is taken back")
    same(len(restless(m)["parts"]), 1, "it is proposed again")
    same(m.ask("PUT", "/api/cameras/street/masks/flag", {"coordinates": parts[0]["coordinates"]})[0], 200, "it is masked")
    same(restless(m)["parts"], [], "what is masked is not proposed")
    same(m.ask("DELETE", "/api/cameras/street/masks/flag")[0], 200, "the mask goes")
    same(restless(m, "other"), {"camera": "other", "parts": [], "analysed": False}, "a camera that is not analysed")

# A file that is no database is moved aside: nothing is proposed then. Overrides with nonsense are moved aside, too.
(data / "motion.db").write_bytes(b"no database, but longer than the header of one is" * 100)
(data / "overrides.json").write_text(json.dumps({"cameras": {"street": {"unmasked": {"flag": {"coordinates": "1,2"}}}}}))
with Monitor(program, data, "--config", str(config)) as m:
    same(restless(m)["parts"], [], "the history is new")
    same(m.get("/api/cameras/street")["unmasked"], {}, "what cannot be read is not used")
print("all good")
