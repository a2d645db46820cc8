# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-monitor on a disk of its own, 24 MB of memory in a mount namespace. It becomes full: the log has one line, viewers go on, and events of that
time are stored when the disk takes them again. A disk that is read-only is refused at the start, with what to do.

disk.py PROGRAM FOLDER. Needs unshare (util-linux) and the right to make namespaces; without, it is skipped."""
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import time

from program import Monitor
from vigiltest import skip

program = str(pathlib.Path(sys.argv[1]).resolve())  # it is started from another folder, too
folder = pathlib.Path(sys.argv[2]).resolve() / "monitor-disk"
shutil.rmtree(folder, ignore_errors=True)
(folder / "data").mkdir(parents=True)
MOUNT = f"mount -t tmpfs -o size=24m tmpfs {shlex.quote(str(folder / 'data'))}"
# Root needs no user namespace to mount, and has none in a chroot.
APART = ["unshare", "-m" if os.geteuid() == 0 else "-rm", "sh", "-c"]
probe = subprocess.run([*APART, MOUNT], capture_output=True, text=True, check=False)
if probe.returncode:
    skip(f"no mount namespace here: {probe.stderr.strip()}")
wrapper = folder / "on-a-disk-of-its-own"
wrapper.write_text(f"#!/bin/sh\nexec {shlex.join(APART)} '{MOUNT} && exec \"$@\"' sh {shlex.quote(program)} \"$@\"\n")
wrapper.chmod(0o755)
config = folder / "monitor.yaml"
config.write_text("""
storage: {max_size: 8MB, min_free: 1MB}
record: {pre_capture: 1, post_capture: 1, max_clip: 3}
cameras:
  street: {source: "scenetestsrc is-live=true quiet=0.5 density=2 ! video/x-raw,format=I420,width=320,height=180,framerate=15/1", cudamog: {motion-hold: 300}}
""")


def writable():
    return m.get("/api/stats")["storage"]["writable"]


def seen_events(seconds):
    """The events that a viewer receives meanwhile; it goes on for a minute at the most until there is one."""
    seen, least = {}, time.monotonic() + seconds
    for kind, _, _, _, _, payload in m.live("?pictures=0", 60):
        record = json.loads(payload) if kind == "E" else {}
        if record.get("kind") == "event":
            seen[record["event"]["id"]] = record["event"]
        if seen and time.monotonic() > least:
            break
    return seen


def survives(what, begin, end):
    known = m.get("/api/events?limit=500")["events"]
    finished = [e for e in known if e["end_time"] and e["has_clip"]]
    assert finished, "a finished event first"
    first = len(m.log)
    begin()
    m.wait(f"{what} is noticed", lambda: not writable(), 60)
    seen = seen_events(12)
    assert seen, f"viewers receive no event: {what}"
    assert m.ask("GET", "/api/cameras/street/latest.jpg")[0] == 200, f"a picture: {what}"
    end()
    m.wait(f"the disk takes events again after it was {what}", writable, 30)
    for event in seen:
        m.wait(f"event {event} of that time", lambda e=event: m.ask("GET", f"/api/events/{e}")[0] == 200, 30)
    lines = [line for line in m.log[first:] if "kept in memory" in line]
    assert len(m.log) - first <= 12 + 3 * len(seen), "the log is flooded:\n" + "".join(m.log[first:])
    assert len(lines) == 1, f"{what} has one line in the log: {lines}"
    for e in finished:  # nothing that was finished is lost but by retention, which says so
        status, body = m.ask("GET", f"/api/events/{e['id']}/clip.mp4")
        assert (status == 200 and len(body) == e["clip_bytes"]) or any(f"deleted event {e['id']}" in line for line in m.log), (what, e, status)
    m.wait(f"a clip after the disk was {what}", lambda: any(e["has_clip"] and e["id"] not in seen and e not in known for e in m.get("/api/events")["events"]), 60)
    print(f"{what}: {len(seen)} events announced meanwhile and stored afterwards; the log: {lines[0].strip()[25:]}", flush=True)


def fill():
    with open(ballast, "wb", buffering=0) as f:
        try:
            while True:
                f.write(b"x" * 4096)
        except OSError:
            pass


with Monitor(str(wrapper), folder / "data", "--config", str(config)) as m:
    ballast = pathlib.Path(f"/proc/{m.process.pid}/root{folder}/data/ballast")
    m.wait("a finished event with a clip", lambda: any(e["has_clip"] and e["end_time"] for e in m.get("/api/events")["events"]), 60)
    survives("full", fill, ballast.unlink)
    m.stop()
for prepared in "", "mkdir -p clips thumbs models masks; : > events.db;":
    refused = subprocess.run([*APART, f"{MOUNT} && cd {shlex.quote(str(folder / 'data'))} && {{ {prepared} mount -o remount,ro . && cd / && exec \"$@\"; }}", "sh",
                              program, "--listen", "127.0.0.1:0", "--storage", str(folder / "data"), "--config", str(config)], capture_output=True, text=True, timeout=60, check=False)
    assert refused.returncode == 1 and ("Read-only" in refused.stderr or "readonly" in refused.stderr), refused
    print("refused:", refused.stderr.strip())
print("all good")
