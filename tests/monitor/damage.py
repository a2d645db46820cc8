# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-monitor killed with -9 at random moments, and each file that it keeps empty, zeroed, cut or unreadable: the start succeeds, the cameras are
watched, what was finished is there, and what was set aside is said. VIGIL_DAMAGE_MOMENTS says how many moments (8).

damage.py PROGRAM FOLDER"""
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time

from program import Monitor

PROGRAM, FOLDER = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
MOMENTS = int(os.environ.get("VIGIL_DAMAGE_MOMENTS", "8"))
SEED = int(os.environ.get("VIGIL_DAMAGE_SEED", "1"))
SOURCE = "scenetestsrc is-live=true quiet=0.5 density=2 ! video/x-raw,format=I420,width=320,height=180,framerate=15/1"
FILES = ["events.db", "events.db-wal", "overrides.json", "overrides.json.1", "events.jsonl", "audit.jsonl", "a part", "a picture", "a clip", "nothing"]
WAYS = ["empty", "zeroed", "cut", "unreadable"]

# Root reads every file, so the program runs as another user where that is possible.
user = 65534 if os.getuid() == 0 and shutil.which("setpriv") else None
prefix = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if user else []
storage = pathlib.Path(tempfile.mkdtemp(prefix="monitor-damage-"))
config = storage.with_suffix(".yaml")
config.write_text(f"""
record: {{pre_capture: 1, post_capture: 1, max_clip: 3}}
cameras:
  street: {{source: "{SOURCE}", cudamog: {{motion-hold: 300}}}}
""")
environment = dict(os.environ, HOME=str(storage), GST_REGISTRY_1_0=str(storage / "registry.bin"))
if user:
    os.chown(storage, user, user)


class Started(Monitor):
    def __init__(self):
        launcher = storage.with_suffix(".sh")
        launcher.write_text("#!/bin/sh\nexec " + " ".join(prefix) + f' "{PROGRAM}" "$@"\n')
        launcher.chmod(0o755)
        super().__init__(str(launcher), storage, "--config", str(config), env=environment)


def finished(m):
    """The events that the API says are finished and recorded."""
    return {e["id"]: e for e in m.get("/api/events?limit=500")["events"] if e["end_time"] and e["has_clip"]}


def chosen(name, rng):
    one = {"a part": "clips/*/*/*.part", "a picture": "thumbs/*/*/*.jpg", "a clip": "clips/*/*/*.mp4"}.get(name)
    found = sorted(storage.glob(one)) if one else [p for p in [storage / name] if p.exists()]
    return rng.choice(found) if found else None


def damage(path, way):
    size = path.stat().st_size
    if way == "empty":
        os.truncate(path, 0)
    elif way == "zeroed":
        with open(path, "r+b") as f:
            f.write(bytes(size))
    elif way == "cut":
        os.truncate(path, size // 2)
    else:
        path.chmod(0)


def main():
    rng = random.Random(SEED)
    known, dark, zones, done = {}, set(), 0, []
    for moment in range(MOMENTS):
        with Started() as m:
            m.wait("online", lambda: m.get("/api/cameras/street")["state"] == "online", 60)
            now = finished(m)
            missing = {i for i in known if i not in now} - dark
            if missing:
                raise AssertionError(f"moment {moment}, after {done[-1]}: {len(missing)} of {len(known)} finished events are gone: {sorted(missing)[:3]}; log:\n"
                                     + "".join(m.log[-20:]))
            if done and done[-1][0] in ("events.db", "overrides.json") and done[-1][2]:
                if not m.get("/api/stats")["storage"]["set_aside"]:
                    raise AssertionError(f"moment {moment}: nothing says that {done[-1]} was set aside")
            shapes = m.get("/api/cameras/street")["zones"]
            if len(shapes) < zones - 1:  # the file before the last change holds one less
                raise AssertionError(f"moment {moment}, after {done[-1]}: {len(shapes)} of {zones} zones are left")
            zones = len(shapes)
            if zones < 40:
                status, _ = m.ask("PUT", f"/api/cameras/street/zones/z{moment}", {"coordinates": "0.1,0.1,0.9,0.1,0.9,0.9"})
                if status == 200:
                    zones = len(m.get("/api/cameras/street")["zones"])
            m.wait("a finished event", lambda: len(set(finished(m)) - set(now)) > 0, 60)
            time.sleep(rng.uniform(0, 3))
            known.update(finished(m))
            m.kill()
        name, way = rng.choice(FILES), rng.choice(WAYS if user or os.getuid() else WAYS[:3])
        path = chosen(name, rng)
        if path and (name != "events.db-wal" or way != "unreadable"):
            whole = path.stat().st_size > 0
            damage(path, way)
            if name == "a clip":
                dark.add(path.name.removesuffix(".mp4"))  # this one alone may say that it has no clip
        else:
            whole = False
        done.append((name, way, path is not None and whole))
    with Started() as m:
        m.wait("online", lambda: m.get("/api/cameras/street")["state"] == "online", 60)
        missing = {i for i in known if i not in finished(m)} - dark
        if missing:
            raise AssertionError(f"after {done[-1]}: gone: {sorted(missing)[:3]}; log:\n" + "".join(m.log[-20:]))
        for event in list(known)[:20]:
            status, body = m.ask("GET", f"/api/events/{event}/clip.mp4", raw=True)
            if event not in dark and (status != 200 or len(body) < 1000):
                raise AssertionError(f"{event}: its clip answers {status}, {len(body)} bytes")
        m.stop()
    print(f"{MOMENTS} moments, {len(known)} finished events, {len(dark)} clips damaged on purpose; " + ", ".join(f"{n} {w}" for n, w, _ in done[-8:]))


try:
    main()
finally:
    shutil.rmtree(storage, ignore_errors=True)
    for end in (".yaml", ".sh"):
        storage.with_suffix(end).unlink(missing_ok=True)
