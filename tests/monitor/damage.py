# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-monitor killed with -9 at random moments, and each file that it keeps empty, zeroed, cut or unreadable: the start succeeds, the cameras are
watched, what was finished is there (events, clips, zones, recorded seconds, seconds of motion), and what was set aside is said.
VIGIL_DAMAGE_MOMENTS says how many moments (8).

damage.py PROGRAM FOLDER"""
import calendar
import math
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
FILES = ["events.db", "events.db-wal", "motion.db", "motion.db-wal", "overrides.json", "overrides.json.1", "events.jsonl", "audit.jsonl", "a part", "a picture",
         "a clip", "a record", "a record", "administrators", "a segment", "the last segment", "nothing"]
MOTION_EVERY = 10  # moments; the history of motion is stored every 20 seconds, so these last longer
WAYS = ["empty", "zeroed", "cut", "unreadable"]

# Root reads every file, so the program runs as another user where that is possible.
user = 65534 if os.getuid() == 0 and shutil.which("setpriv") else None
prefix = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if user else []
storage = pathlib.Path(tempfile.mkdtemp(prefix="monitor-damage-"))
config = storage.with_suffix(".yaml")
# While the database cannot be read, there may be administrators in it: without `local` this machine would need a token then.
config.write_text(f"""
http: {{local: admin}}
record: {{pre_capture: 1, post_capture: 1, max_clip: 3, continuous: {{days: 3}}}}
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


def is_online(m):
    """A program that is busy, which it says, is asked again."""
    status, body = m.ask("GET", "/api/cameras/street")
    return status == 200 and body["state"] == "online"


def timeline(m, since):
    """Whole seconds that are recorded, and seconds in which something moved: what the disk has."""
    recorded, moved = set(), set()
    now = time.time()
    while since < now:
        to = min(since + 1200, now + 1)
        status, t = m.ask("GET", f"/api/cameras/street/timeline?from={since}&to={to}")
        if status == 503:  # the history of motion was damaged, and is mended within a minute
            return None
        assert status == 200, (status, t)
        for r in t["recorded"]:
            recorded.update(range(math.ceil(r["start"]), math.floor(r["end"])))
        moved.update(since + i for i, level in enumerate(t["motion"]["levels"]) if level)
        since += 1200
    return recorded, moved


def segments():
    return sorted(storage.glob("recordings/street/*/*.mp4"), key=lambda p: p.name)


def start_of(segment):
    return calendar.timegm(time.strptime(segment.name[:15], "%Y%m%dT%H%M%S"))


def seconds_of(segment):
    """What it can hold: until the next one begins."""
    after = [s for s in segments() if s.name > segment.name]
    return range(start_of(segment) - 1, start_of(after[0]) + 2 if after else math.ceil(time.time()) + 2)


def chosen(name, rng):
    if "segment" in name:
        found = segments()[-1:] if name == "the last segment" else segments()
        return rng.choice(found) if found else None
    one = {"a part": "clips/*/*/*.part", "a picture": "thumbs/*/*/*.jpg", "a clip": "clips/*/*/*.mp4", "a record": "events/*/*/*.json"}.get(name)
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
    begun, recorded, moved, unlit = int(time.time()), set(), set(), set()  # unlit: seconds in segments that were damaged
    zeroed = []  # segments of zeros, which nobody may remove: nothing says that they hold nothing

    def hurt(event):
        """Its clip, or what its clip is a part of, was damaged: it alone may say that it has none."""
        e = known[event]
        return event in dark or any(s in unlit for s in range(math.floor(e["clip_start"]), math.ceil(e["clip_end"] or e["end_time"]) + 1))

    def compare_times(m):
        """What of the known seconds is missing, where the program is asked until nothing is: it compares files and index while it runs."""
        def whole():
            found = timeline(m, begun)
            return found and not (recorded - unlit - found[0]) and not (moved - found[1]) and found
        try:
            return m.wait("the times of before", whole, 90)
        except AssertionError:
            found = timeline(m, begun)
            raise AssertionError(f"after {done[-1:]}: of {len(recorded)} recorded seconds {sorted(recorded - unlit - found[0])[:5]} are gone, of {len(moved)} with motion "
                                 f"{sorted(moved - found[1])[:5]}; log:\n" + "".join(m.log[-20:])) from None
    for moment in range(MOMENTS):
        with Started() as m:
            m.wait("online", lambda: is_online(m), 120)
            now = finished(m)
            missing = {i for i in known if i not in now and not hurt(i)}
            if missing:
                raise AssertionError(f"moment {moment}, after {done[-1]}: {len(missing)} of {len(known)} finished events are gone: {sorted(missing)[:3]}; log:\n"
                                     + "".join(m.log[-20:]))
            if done and done[-1][2] and (done[-1][0] in ("events.db", "overrides.json")
                                         or done[-1][:2] in (("events.db-wal", "unreadable"), ("motion.db-wal", "unreadable"))):
                # While all of a young database is in its log still, a damaged file loses nothing.
                complete = done[-1][0] == "events.db" and all(now[i]["label"] == e["label"] for i, e in known.items() if i in now)
                if not complete and not m.get("/api/stats")["storage"]["set_aside"]:
                    raise AssertionError(f"moment {moment}: nothing says that {done[-1]} was set aside")
            shapes = m.get("/api/cameras/street")["zones"]
            if len(shapes) < zones - 1:  # the file before the last change holds one less
                raise AssertionError(f"moment {moment}, after {done[-1]}: {len(shapes)} of {zones} zones are left")
            zones = len(shapes)
            if zones < 40:
                status, _ = m.ask("PUT", f"/api/cameras/street/zones/z{moment}", {"coordinates": "0.1,0.1,0.9,0.1,0.9,0.9"})
                if status == 200:
                    zones = len(m.get("/api/cameras/street")["zones"])
            m.wait("a finished event", lambda: len(set(finished(m)) - set(now)) > 0, 120)
            moved_before = compare_times(m)[1]
            if moment % MOTION_EVERY == 0:
                m.wait("motion is stored", lambda: (timeline(m, begun) or [0, moved_before])[1] - moved_before, 120)
            time.sleep(rng.uniform(0, 3))
            known.update(finished(m))
            for all_of_it, more in zip((recorded, moved), compare_times(m)):
                all_of_it.update(more)
            m.kill()
        name, way = rng.choice(FILES), rng.choice(WAYS if user or os.getuid() else WAYS[:3])
        path = chosen(name, rng)
        if path:
            whole = path.stat().st_size > 0
            damage(path, way)
            if name == "a clip":
                dark.add(path.name.removesuffix(".mp4"))
            if "segment" in name:
                unlit.update(seconds_of(path))
                if way == "zeroed" and whole:
                    zeroed.append(path)
            if name.startswith("motion.db"):
                moved.clear()  # what cannot be read of it is lost
        else:
            whole = False
        done.append((name, way, path is not None and whole))
        print(f"moment {moment}: {name} {way if path else 'is not there'}, {len(known)} events, {len(recorded)} recorded seconds", flush=True)
    with Started() as m:
        m.wait("online", lambda: is_online(m), 120)
        compare_times(m)
        lost = [p.name for p in zeroed if not p.exists()]
        if lost:
            raise AssertionError(f"damaged segments were removed: {lost}")
        now = finished(m)
        missing = {i for i in known if i not in now and not hurt(i)}
        if missing:
            raise AssertionError(f"after {done[-1]}: gone: {sorted(missing)[:3]}; log:\n" + "".join(m.log[-20:]))
        for event in [i for i in known if not hurt(i)][:20]:
            status, body = m.ask("GET", f"/api/events/{event}/clip.mp4", raw=True)
            if status != 200 or len(body) < 1000:
                raise AssertionError(f"{event}: its clip answers {status}, {len(body)} bytes")
        for second in sorted(recorded - unlit)[::20]:
            if second + 1 in recorded - unlit:
                status, body = m.ask("GET", f"/api/cameras/street/recording.mp4?from={second}&to={second + 1}", raw=True)
                if status != 200 or len(body) < 1000:
                    raise AssertionError(f"the recording at {second} answers {status}, {len(body)} bytes")
        m.stop()
    print(f"{MOMENTS} moments, {len(known)} finished events, {sum(map(hurt, known))} of them with clips damaged on purpose, {len(recorded)} recorded seconds, {len(recorded & unlit)} of them in "
          f"segments damaged on purpose, {len(moved)} seconds of motion since its history was damaged; " + ", ".join(f"{n} {w}" for n, w, _ in done[-8:]))


try:
    main()
finally:
    shutil.rmtree(storage, ignore_errors=True)
    for end in (".yaml", ".sh"):
        storage.with_suffix(end).unlink(missing_ok=True)
