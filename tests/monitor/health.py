# SPDX-License-Identifier: LGPL-2.1-or-later
"""/healthz through all that can be slow around the program: 200 connections that ask for nothing, 32 viewers who look for events, a disk that hangs (FUSE whose
server is stopped), an MQTT broker and a webhook whose packets are dropped, a broker that stops in the midst; each alone, then all at once. The times are printed.

health.py PROGRAM FOLDER [SECONDS OF EACH]. Needs FUSE with python3-fusepy, and mosquitto; what is missing is skipped, and said."""
import contextlib
import http.client
import os
import pathlib
import shutil
import signal
import socket
import sys
import threading
import time

import broker
from program import Monitor, same
from silent_server import dropping
from slow_folder import release, slow_disk

program, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve() / "monitor-health"
SECONDS = float(sys.argv[3]) if len(sys.argv) > 3 else 3
MOST = 5  # seconds; one is promised, on a machine that has time
release(folder / "data")
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
config, skipped, worst = folder / "monitor.yaml", [], {}
SCENE = "scenetestsrc is-live=true quiet=0.5 density=2 ! video/x-raw,format=I420,width=320,height=180,framerate=15/1"


@contextlib.contextmanager
def connections(m):
    """Half a request each, from two other addresses of this machine."""
    with contextlib.ExitStack() as stack:
        for source in ["127.0.0.2"] * 128 + ["127.0.0.3"] * 72:
            s = stack.enter_context(socket.socket())
            s.bind((source, 0))
            s.settimeout(5)
            s.connect(("127.0.0.1", m.port))
            with contextlib.suppress(OSError):
                s.send(b"GET / HTTP/1.1\r\n")
        yield


@contextlib.contextmanager
def viewers(m):
    ended = threading.Event()

    def ask():
        while not ended.is_set():
            with contextlib.suppress(OSError, http.client.HTTPException):
                m.ask("GET", "/api/events?zone=none", raw=True)
    threads = [threading.Thread(target=ask, daemon=True) for _ in range(32)]
    for t in threads:
        t.start()
    try:
        yield
    finally:
        ended.set()


@contextlib.contextmanager
def stopped(process):
    os.kill(process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process.pid, signal.SIGCONT)


def probe(m, what):
    times, end = [], time.monotonic() + SECONDS
    while time.monotonic() < end or len(times) < 5:
        begun = time.monotonic()
        same(m.ask("GET", "/healthz", raw=True)[0], 200, f"a probe: {what}")
        times.append(time.monotonic() - begun)
        time.sleep(0.1)
    worst[what] = max(times)
    print(f"{what}: {len(times)} probes, the slowest {worst[what]:.3f} s, the median {sorted(times)[len(times) // 2]:.3f} s", flush=True)


with contextlib.ExitStack() as stack:
    disk = stack.enter_context(slow_disk(folder / "real", folder / "data", skipped))
    real_broker = None
    if broker.MISSING:
        skipped.append(f"the broker that stops: {broker.MISSING}")
    else:
        real_broker = stack.enter_context(broker.Broker("vigil/#"))
    nobody = dropping(stack)
    for name, mqtt in (("dropped", nobody), ("stopped", real_broker and real_broker.port)):
        if not mqtt:
            continue
        config.write_text(f"""
http: {{local: admin}}
mqtt: {{host: 127.0.0.1, port: {mqtt}}}
webhook: {{url: "http://127.0.0.1:{nobody}/events"}}
record: {{pre_capture: 1, post_capture: 1, max_clip: 3, continuous: {{days: 3}}}}
cameras:
  street: {{source: "{SCENE}", cudamog: {{motion-hold: 300}}}}
""")
        with Monitor(program, folder / "data", "--config", str(config)) as m:
            m.wait("an event", lambda: m.get("/api/events")["events"], 60)
            faults = {"200 connections": lambda m=m: connections(m), "32 viewers": lambda m=m: viewers(m)} if name == "dropped" else {}
            if disk:
                faults["a disk that hangs"] = lambda: stopped(disk)
            if name == "dropped":
                probe(m, "packets to broker and webhook are dropped")
            else:
                m.wait("a message", lambda: real_broker.told, 60)
                faults["a broker that stops"] = lambda: stopped(real_broker.broker)
            for what, fault in faults.items():
                with fault():
                    probe(m, f"{what}, packets dropped" if name == "dropped" else what)
                m.wait("it works again", lambda: m.ask("GET", "/api/events")[0] == 200, 60)
            if name == "dropped":
                with contextlib.ExitStack() as all_of_them:
                    for fault in faults.values():
                        all_of_them.enter_context(fault())
                    probe(m, "all at once")
            m.wait("events again", lambda: m.ask("GET", "/api/events")[0] == 200, 60)
            m.stop()
for why in skipped:
    print("SKIPPED in part:", why)
if max(worst.values()) > MOST:
    raise AssertionError(f"/healthz waited: {worst}")
print("all good")
