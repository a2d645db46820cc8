# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-monitor for many minutes among faults, and what it loses, leaks and grows by.

monitor_soak.py PROGRAM FOLDER MINUTES [CAMERA...]

All cameras are recorded all day. They are, where none is named: two drawn ones, a file that plays again and again, one in which a byte in 500 is another, and
four by RTSP, of which two stall (one has sound), one changes its size and one has sound only. Every 20 seconds the next of these: the camera's frames stop; the RTSP server is killed; the MQTT broker goes; no file may grow, as
with a full disk; 20 viewers that never read; the program is killed and starts again (once, after a fifth of the time). Each is undone after 10 seconds. Memory is read every two seconds, by kind of
mapping (mappings.py), descriptors and threads after each turn of faults. Memory is judged from the fifth minute after the kill on, by whole turns of faults, since each kind of fault has its own need:
the mean of the first half of the turns against the mean of the second. What counts is what is no file's; all readings are kept in mappings.jsonl. At the end each event that was finished must be there, but those
that retention names; each must be a line of events.jsonl, once; each clip but those of the damaged film must play to its end; and the broker must have received the end of each event.
recorded.py says what the recording must hold."""
import json
import os
import pathlib
import random
import re
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "monitor"))
import broker  # noqa: E402  pylint: disable=wrong-import-position
from program import Monitor  # noqa: E402  pylint: disable=wrong-import-position
from rtsp_camera import MISSING, CameraServer  # noqa: E402  pylint: disable=wrong-import-position

import mappings  # noqa: E402  pylint: disable=wrong-import-position
from recorded import Recorded, played  # noqa: E402  pylint: disable=wrong-import-position

program, folder, minutes = sys.argv[1], pathlib.Path(sys.argv[2]).resolve() / "monitor-soak", float(sys.argv[3])
for missing in filter(None, (MISSING, broker.MISSING, None if shutil.which("ffprobe") else "SKIPPED: no ffprobe")):
    sys.exit(missing)
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
rtsp, mqtt = broker.free_port(), broker.free_port()
SIZE = "video/x-raw,format=I420,width=320,height=180,framerate=15/1"
clip = folder / "clip.mp4"
subprocess.run(f"gst-launch-1.0 -q scenetestsrc quiet=0 num-buffers=300 ! {SIZE} ! x264enc speed-preset=ultrafast key-int-max=15 ! h264parse ! mp4mux ! filesink location={clip}".split(),
               check=True, timeout=120)
spoilt, choose = bytearray(clip.read_bytes()), random.Random(1)
pictures = spoilt.index(b"mdat") + 8, spoilt.index(b"moov") - 4  # mp4mux puts the table behind what it is of
for _ in range((pictures[1] - pictures[0]) // 500):
    spoilt[choose.randrange(*pictures)] = choose.randrange(256)
(folder / "spoilt.mp4").write_bytes(spoilt)
cameras = {
    "street": f'"scenetestsrc is-live=true quiet=0.5 density=2 ! {SIZE}", cudamog: {{motion-hold: 300}}',
    "lens": f'"scenetestsrc scene=covered is-live=true quiet=5 ! {SIZE}"',
    "film": f'"{clip}"',
    "door": f'"rtsp://127.0.0.1:{rtsp}/video", cudamog: {{motion-hold: 300}}',
    "talking": f'"rtsp://127.0.0.1:{rtsp}/talking", cudamog: {{motion-hold: 300}}',
    "turning": f'"rtsp://127.0.0.1:{rtsp}/turning", cudamog: {{motion-hold: 300}}',
    "garbage": f'"{folder}/spoilt.mp4", cudamog: {{motion-hold: 300}}',
    "sound": f'"rtsp://127.0.0.1:{rtsp}/audio"'}
cameras = {name: cameras[name] for name in sys.argv[4:] or cameras}
NEVER = {"sound", "garbage"}  # need not be online
config = folder / "monitor.yaml"
config.write_text(f"""
storage: {{max_size: 300MB, min_free: 100MB}}
mqtt: {{host: 127.0.0.1, port: {mqtt}, node: soak}}
record: {{pre_capture: 2, post_capture: 1, max_clip: 10, continuous: {{days: 1}}}}
cameras:
""" + "".join(f"  {name}: {{source: {source}}}\n" for name, source in cameras.items()), encoding="utf-8")


def start_broker():
    return subprocess.Popen([broker.PROGRAM, "-c", str(folder / "mosquitto.conf")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


(folder / "mosquitto.conf").write_text(f"user root\nlistener {mqtt} 127.0.0.1\nallow_anonymous true\npersistence true\npersistence_location {folder}/\n"
                                       "max_queued_messages 100000\n", encoding="utf-8")
camera, server = CameraServer(rtsp), start_broker()
time.sleep(1)  # mosquitto_sub ends where nobody listens yet
(folder / "received").write_bytes(b"")


def listen():
    with open(folder / "received", "ab") as out:
        return subprocess.Popen(["mosquitto_sub", "-p", str(mqtt), "-i", "soak-listener", "-c", "-q", "1", "-t", "vigil/events"], stdout=out, stderr=subprocess.DEVNULL)


listener = listen()
held = []


def never_read():
    for _ in range(20):
        s = socket.create_connection(("127.0.0.1", m.port))
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.sendall(b"GET /api/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        held.append(s)


def read_again():
    while held:
        held.pop().close()


def new_camera():
    global camera
    camera = CameraServer(rtsp)


def stop_broker():
    """With a signal that lets it keep what it has taken and not yet passed on."""
    listener.kill()
    server.terminate()
    server.wait(20)


def new_broker():
    global server, listener
    server = start_broker()
    time.sleep(1)
    listener = listen()


LIMIT = resource.getrlimit(resource.RLIMIT_FSIZE)
FAULTS = {"stall": (lambda: camera.say("stall"), lambda: camera.say("go")),
          "RTSP server killed": (lambda: camera.kill(), new_camera),
          "broker away": (stop_broker, new_broker),
          "full disk": (lambda: resource.prlimit(m.process.pid, resource.RLIMIT_FSIZE, (1, LIMIT[1])), lambda: resource.prlimit(m.process.pid, resource.RLIMIT_FSIZE, LIMIT)),
          "viewers that never read": (never_read, read_again)}


samples = []  # (time, {kind of mapping: kB})


def look_on():
    """Reads the memory every two seconds, while the program is there."""
    with open(folder / "mappings.jsonl", "w", encoding="utf-8") as out:
        while not ended.wait(2):
            try:
                samples.append((time.monotonic() - begun, mappings.of_process(m.process.pid)))
                print(json.dumps(samples[-1]), file=out, flush=True)
            except (OSError, AttributeError):
                pass


def reading():
    """(time, what is no file's in kB, descriptors, threads) now."""
    pid = m.process.pid
    return time.monotonic() - begun, mappings.own(mappings.of_process(pid)), len(os.listdir(f"/proc/{pid}/fd")), len(os.listdir(f"/proc/{pid}/task"))


WARM = 300  # seconds after the restart, which are not judged
finished = {}
recorded = Recorded([c for c in cameras if c not in NEVER], {"talking"})


def note_finished():
    for e in m.get("/api/events?limit=500")["events"]:
        if e["end_time"]:
            finished[e["id"]] = e
    recorded.note(m)


def run_until(end):
    """Faults in turn; their readings are of moments in which nothing is wrong."""
    readings, turn = [], 0
    names = list(FAULTS)
    while time.monotonic() < end:
        name = names[turn % len(names)]
        FAULTS[name][0]()
        time.sleep(10)
        FAULTS[name][1]()
        done[name] = done.get(name, 0) + 1
        turn += 1
        time.sleep(10)
        if turn % len(names) == 0:
            m.wait("all cameras come back", lambda: all(c["state"] == "online" or c["name"] in NEVER for c in m.get("/api/cameras")), 120)
            readings.append(reading())
            print(f"{readings[-1][0]:.0f} s: {readings[-1][1]} kB that are no file's, {readings[-1][2]} descriptors, {readings[-1][3]} threads, load {os.getloadavg()[0]:.0f}", flush=True)
        note_finished()
    return readings


def shown(what, readings, restarted):
    """The turns that begin after the first five minutes, an even number of them, in two halves."""
    times = [r[0] for r in readings if r[0] - restarted >= WARM]
    turns = list(zip(times, times[1:]))
    turns = turns[len(turns) % 2:]
    if not turns:
        print("no two turns of faults after the first five minutes: nothing to judge memory by")
        return
    halves = turns[:len(turns) // 2], turns[len(turns) // 2:]
    print(f"{what}, {len(turns)} turns of faults from {turns[0][0] - restarted:.0f} s to {turns[-1][1] - restarted:.0f} s after the restart, {sum(turns[0][0] <= t < turns[-1][1] for t, _ in samples)} readings; mean of the first half, of the second:")
    for kind in ("no file's", *mappings.KINDS):
        each = [[statistics.mean(mappings.own(k) if kind == "no file's" else k[kind] for t, k in samples if a <= t < b) for a, b in half] for half in halves]
        first, second = map(statistics.mean, each)
        print(f"  {kind}: {first:.0f} kB, {second:.0f} kB, {second - first:+.0f} kB" + (f", {100 * (second / first - 1):+.2f} %" if first else ""))
        if kind == "no file's":
            print("    each turn:", *(f"{v / 1000:.1f}" for half in each for v in half), "MB")
    print(f"descriptors {readings[0][2]} to {readings[-1][2]}, threads {readings[0][3]} to {readings[-1][3]}")


done, log, ended, m = {}, [], threading.Event(), None
begun = time.monotonic()
threading.Thread(target=look_on, daemon=True).start()
end_of_all = begun + 60 * minutes
try:
    # Five minutes before it is killed, then the rest, of which memory is judged.
    with Monitor(program, folder / "data", "--config", str(config)) as m:
        m.wait("pictures", lambda: all(c["state"] == "online" or c["name"] in NEVER for c in m.get("/api/cameras")), 120)
        first = run_until(begun + 60 * minutes / 5)
        note_finished()
        m.kill()
        log += m.log
    with Monitor(program, folder / "data", "--config", str(config)) as m:
        note_finished()
        restarted = time.monotonic() - begun
        readings = run_until(end_of_all)
        shown("after kill -9", readings, restarted)
        m.wait("the outbox to be empty", lambda: m.get("/api/stats")["queues"]["mqtt_outbox"]["length"] == 0, 60)
        stats = m.get("/api/stats")
        print("reconnects:", {c["name"]: c["reconnects"] for c in stats["cameras"]}, "faults:", done)
        note_finished()
        gone = [i for i in finished if m.ask("GET", f"/api/events/{i}")[0] != 200]
        print("frames that were not recorded:", {c["name"]: c["recording_frames_lost"] for c in stats["cameras"]})
        unrecorded = recorded.lost(m)
        bad, clips = [], 0
        for i in (i for i in finished.keys() - set(gone) if finished[i]["camera"] not in NEVER):
            status, whole = m.ask("GET", f"/api/events/{i}/clip.mp4", raw=True)
            if status == 200:
                (folder / "an-event.mp4").write_bytes(whole)
                problem = played(folder / "an-event.mp4")[0]
                clips += 1
                if problem:
                    bad.append((i, problem))
        m.stop()
        time.sleep(1)  # until its last words are read
        log += m.log  # only now: retention goes on meanwhile
        deleted = set(re.findall(r"deleted event (\S+):", "".join(log)))
        lost = [i for i in gone if i not in deleted]
    time.sleep(1)
    lines = [json.loads(line)["id"] for line in (folder / "data/events.jsonl").read_text(encoding="utf-8").splitlines()]
    unwritten, twice = set(finished) - set(lines), len(lines) - len(set(lines))
    received = {r["after"]["id"] for line in (folder / "received").read_text(encoding="utf-8").splitlines() if (r := json.loads(line))["type"] == "end"}
    missing = [i for i in finished if i not in received]
    wrong = recorded.wrong(folder / "data")
    print(f"{minutes:.0f} minutes: {len(finished)} events finished, lost {len(lost)}, ends that the broker did not receive {len(missing)}, deleted by retention {len(deleted)}")
    print(f"{clips} clips of events, that do not play: {len(bad)}; half-written left: {len(list((folder / 'data').rglob('*.part')))}")
    print(f"events.jsonl: {len(lines)} lines, finished events that it lacks {len(unwritten)}, lines that are there twice {twice}")
    for what in (lost, missing, bad, list(unwritten), wrong, list(unrecorded.items())):
        if what:
            print("for example:", what[:3])
    sys.exit(bool(lost or bad or missing or unwritten or twice or wrong or unrecorded))
finally:
    ended.set()
    (folder / "log").write_text("".join(log), encoding="utf-8")
    for process in (listener, camera, server):
        process.kill()
