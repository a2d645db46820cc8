# SPDX-License-Identifier: LGPL-2.1-or-later
"""Three vigil-monitors with a share of twelve cameras each, at one broker: one of them is killed and replaced, then the broker is away.
At a subscriber no event that ended is lost, the end of none is announced twice, and the events of each camera and label come in order. Last, four
shards take the place of the three: few cameras move, and those that do go on with the same topic.

shards.py PROGRAM FOLDER [SECONDS that the broker is away, default 8] [hosts]. Needs mosquitto and mosquitto_sub; without, it is skipped.
With `hosts` each shard, the broker and the cameras, which are RTSP then, are on hosts of their own (hosts.py); a machine without network
namespaces, or without GstRtspServer for the system's python3, skips that."""
import contextlib
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import time
from collections import Counter

import hosts
from program import Monitor, begin, same
from vigiltest import skip

APART = sys.argv[-1] == "hosts"
program, folder = begin("monitor-hosts" if APART else "monitor-shards")
AWAY = float(sys.argv[3]) if len(sys.argv) > 3 + APART else 8
broker_program = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")
if not broker_program or not shutil.which("mosquitto_sub"):
    skip("no mosquitto or no mosquitto_sub")
CAMERAS, SHARDS = 12, 3
PYTHON = "/usr/bin/python3"
if APART:
    probe = subprocess.run([PYTHON, "-c", "import gi; gi.require_version('GstRtspServer', '1.0')"], capture_output=True, check=False)
    why = "no GstRtspServer for /usr/bin/python3" if probe.returncode else hosts.start_apart()
    if why:
        skip(why)
    broker_host, camera_host, *shard_hosts = hosts.make("broker", "cameras", *(f"rack{i}" for i in range(SHARDS + 1)))
else:
    broker_host = camera_host = None
    shard_hosts = [None] * (SHARDS + 1)


def on(host, command):
    return [*(host.prefix if host else ()), *map(str, command)]


def source(i):
    if APART:
        return f"rtsp://{camera_host.address}:8554/cam{i}"
    return f"scenetestsrc is-live=true seed={i + 1} quiet=0.5 density=2 ! video/x-raw,format=I420,width=160,height=90,framerate=5/1"


with socket.socket() as s:
    s.bind(("127.0.0.1", 0))
    port = s.getsockname()[1]
broker_address = broker_host.address if APART else "127.0.0.1"
config = folder / "monitor.yaml"
config.write_text(f"mqtt: {{host: {broker_address}, port: {port}, node: rack, discovery: false}}\n"
                  "record: {pre_capture: 1, post_capture: 1, max_clip: 3}\ncameras:\n" + "".join(
                      f"  cam{i}: {{source: '{source(i)}', cudamog: {{motion-hold: 300, backend: cpu}}}}\n" for i in range(CAMERAS)))
broker_config = folder / "broker.conf"
broker_config.write_text(f"listener {port} {broker_address}\nallow_anonymous true\npersistence true\npersistence_location {folder}/\nuser root\n")


def start_broker():
    process = subprocess.Popen(on(broker_host, [broker_program, "-c", broker_config]), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(100):
        try:
            with broker_host.entered() if APART else contextlib.nullcontext():
                socket.create_connection((broker_address, port), 1).close()
            return process
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the broker does not start")


def start_shard(i, count=SHARDS):
    return Monitor(program, folder / f"shard{i}", "--config", str(config), "--shard", f"{i}/{count}", host=shard_hosts[i])


def shares(of):
    """The cameras of each shard; each camera must be watched once."""
    names = [sorted(c["name"] for c in m.get("/api/cameras")) for m in of]
    same(sorted(sum(names, [])), sorted(f"cam{i}" for i in range(CAMERAS)), "each camera is watched once")
    return names


def received():
    """Messages so far, in the order in which they came."""
    return [json.loads(line) for line in (folder / "received").read_text(encoding="utf-8").split("\n")[:-1]]


def ended(messages):
    return Counter(m["after"]["id"] for m in messages if m["type"] == "end")


def finished(monitors):
    """Events that ended, as the programs know them."""
    events = [e for m in monitors for e in m.get("/api/events?limit=500")["events"]]
    return {e["id"] for e in events if e["end_time"] is not None}


broker = start_broker()
monitors, subscriber, cameras = [], None, None
try:
    if APART:
        server = pathlib.Path(__file__).parent / "camera_server.py"
        cameras = subprocess.Popen(on(camera_host, [PYTHON, server, 8554, camera_host.address, CAMERAS]), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   text=True)
        same(cameras.stdout.readline(), "ready\n", "the camera server's first words")
    with open(folder / "received", "w", encoding="utf-8") as out:
        subscriber = subprocess.Popen(on(broker_host, ["mosquitto_sub", "-h", broker_address, "-p", port, "-q", "1", "-i", "listener", "-c", "-t",
                                                       "vigil/events"]), stdout=out, stderr=subprocess.DEVNULL)
    monitors = [start_shard(i) for i in range(SHARDS)]
    watched = shares(monitors)
    print("shares:", [len(w) for w in watched])
    last = monitors[-1]
    last.wait("events of two shards that ended", lambda: len(ended(received())) >= 4 and len({m["after"]["camera"] for m in received()}) >= 4, 90)

    busiest = max(range(SHARDS), key=lambda i: len(finished([monitors[i]])))
    before = finished([monitors[busiest]])
    monitors[busiest].kill()
    print(f"shard {busiest} killed after {len(before)} events")
    monitors[busiest] = start_shard(busiest)
    same(sorted(c["name"] for c in monitors[busiest].get("/api/cameras")), watched[busiest], "its replacement has the same cameras")
    missing = before - finished([monitors[busiest]])
    same(missing, set(), "events that the replacement does not know")
    monitors[busiest].wait("its cameras are online", lambda: all(c["state"] == "online" for c in monitors[busiest].get("/api/cameras")), 60)

    broker.terminate()
    broker.wait(20)
    known = finished(monitors)
    time.sleep(AWAY)
    monitors[0].wait("events while the broker is away", lambda: finished(monitors) - known, 60)
    broker = start_broker()
    everything = finished(monitors)
    monitors[0].wait("all ends are announced", lambda: everything <= set(ended(received())), 90)
    messages = received()
    ends = ended(messages)
    # QoS 1 may deliver a message again, but not another one about the same end.
    words = {json.dumps(m, sort_keys=True) for m in messages if m["type"] == "end"}
    same(len(words), len(ends), "one message, perhaps repeated, of each end")
    begins = {}
    for m in messages:
        if m["type"] == "new":
            begins.setdefault((m["after"]["camera"], m["after"]["label"]), {})[m["after"]["id"]] = m["after"]["start_time"]
    begins = {which: list(times.values()) for which, times in begins.items()}
    same({c: t for c, t in begins.items() if t != sorted(t)}, {}, "cameras and labels whose events come out of order")
    size = sum(len(json.dumps(m, separators=(",", ":"))) for m in messages) / max(1, len(ends))
    print(f"{len(messages)} messages of {len(ends)} events of {len({camera for camera, _ in begins})} cameras, {size:.0f} bytes an event; "
          f"{len(everything - known)} ended while the broker was away")
    for m in monitors:
        m.stop()

    monitors = [start_shard(i, SHARDS + 1) for i in range(SHARDS + 1)]
    moved = {name for before, now in zip([*watched, []], shares(monitors)) for name in now if name not in before}
    print(f"with {SHARDS + 1} shards {len(moved)} of {CAMERAS} cameras moved")
    same(0 < len(moved) <= 0.4 * CAMERAS, True, f"at most 40 % of the cameras move, and some: {sorted(moved)}")
    heard = len(received())
    monitors[0].wait("an event of a camera that moved", lambda: any(m["after"]["camera"] in moved for m in received()[heard:]), 90)
    for m in monitors:
        m.stop()
finally:
    for m in monitors:
        m.__exit__()
    for process in (subscriber, broker, cameras):
        if process:
            process.kill()
            process.wait(10)
print("all good")
