# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cameras over TCP whose pictures come late or in bursts: every picture is looked at. Cameras whose connection begins in the midst of a
group of pictures: nothing of what cannot be decoded is shown, learnt or an event; one that never sends a key frame is taken all the same.

late.py PROGRAM FOLDER"""
import math
import random
import time

from program import Monitor, begin
from tcp_camera import Stream, TcpCamera, recorded

program, folder = begin("monitor-late")
RATE, PICTURES = 15, 300
film = recorded(folder / "film.rtp", PICTURES, RATE, 15)
long_groups = recorded(folder / "long.rtp", PICTURES, RATE, 120)
one_group = recorded(folder / "one.rtp", PICTURES, RATE, 10000)
assert len(film) == len(long_groups) == len(one_group) == PICTURES, (len(film), len(long_groups), len(one_group))
late = random.Random(1)
delays = [0.4 * late.random() for _ in range(PICTURES)]
whole = {"steady": lambda t: t,
         "bursts-short": lambda t: 0.3 * math.ceil(t / 0.3),
         "bursts-long": lambda t: math.floor(t) + 1,
         "stall": lambda t: 9 if 7 <= t < 9 else t,
         "jitter": lambda t: t + delays[round(t * RATE)],
         "relay": lambda t: max(0, t - 4)}  # begins with four seconds of the past
streams = {name: Stream(film, RATE, 0, sent_at) for name, sent_at in whole.items()}
streams["midst"] = Stream(long_groups, RATE, 60)
streams["never"] = Stream(one_group, RATE, 30)
server = TcpCamera(0, streams)
config = folder / "monitor.yaml"
config.write_text("record: {enabled: false}\ncameras:\n" + "".join(f'  {name}: {{source: "rtsp://127.0.0.1:{server.port}/{name}", detect: {{fps: all}}}}\n' for name in streams))
with Monitor(program, folder / "data", "--config", str(config)) as m:
    def stats():
        return {c["name"]: c for c in m.get("/api/stats")["cameras"]}

    # Each film is sent once, by the first connection; all that was sent is seen, or said to be dropped.
    def all_sent():
        return all(s.sent == len(s.pictures) for s in streams.values())
    m.wait("the films' ends", lambda: all_sent() or time.monotonic() - m.begun > 60, 90)
    assert all_sent(), {name: (s.sent, len(s.pictures)) for name, s in streams.items()}
    held = 2  # pictures that a decoder may hold back until more come
    m.wait("the last pictures", lambda: all(stats()[n]["frames"] >= streams[n].sent - 60 for n in whole), 15)
    after = stats()
    print({name: f"sent {s.sent}, seen {after[name]['frames']}, dropped {after[name]['drops']}" for name, s in streams.items()})
    for name in whole:
        s = after[name]
        # What the decoder holds at the end depends on the machine's number of processors: the same for all.
        missing = streams[name].sent - s["frames"]
        assert missing <= streams["steady"].sent - after["steady"]["frames"] + held and s["drops"] <= after["steady"]["drops"] + held, (name, s)
    # The pictures before the first key frame are not shown and are counted.
    assert after["midst"]["drops"] >= 58 and after["midst"]["frames"] <= streams["midst"].sent - 58, after["midst"]
    assert after["never"]["frames"] > 0, after["never"]
    m.wait("that is said", lambda: any("never: no key frame came" in line for line in m.log), 10)
    events = [(e["camera"], e["label"], e["start_time"]) for e in m.get("/api/events")["events"] if e["label"] == "motion" and e["camera"] != "never"]
    assert not events, events
    m.stop()
print("all good")
