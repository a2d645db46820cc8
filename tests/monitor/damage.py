# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-monitor killed with -9 at random moments, while it records, exports and is changed, and each file that it keeps empty, zeroed, cut, unreadable or
with a folder in its place: the start succeeds, /healthz answers, the cameras are watched, and what the API had said is done is there: events, clips, recorded
seconds, motion, zones, marks, names, users, sessions, devices of push messages, exports, the audit log. What was set aside is said.
VIGIL_DAMAGE_MOMENTS says how many moments, VIGIL_DAMAGE_SEED which ones.

damage.py PROGRAM FOLDER [kills | FILE:WAY...]
kills: nothing is damaged, and every segment and clip is probed. FILE:WAY: these damages alone, such as 'lock:folder'; one that cannot be made is an error."""
import calendar
import collections
import hashlib
import http.client
import itertools
import json
import math
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from program import Monitor

PROGRAM = os.path.abspath(sys.argv[1])
ONLY = sys.argv[3:]
KILLS = ONLY == ["kills"]
MOMENTS = int(os.environ.get("VIGIL_DAMAGE_MOMENTS", "2"))
SEED = int(os.environ.get("VIGIL_DAMAGE_SEED", "1"))
SOURCE = "scenetestsrc is-live=true quiet=0.5 density=2 ! video/x-raw,format=I420,width=320,height=180,framerate=15/1"
FILES = {  # by their names for people; those that the program finds when it starts come first
    "database": "events.db", "its log": "events.db-wal", "its index": "events.db-shm", "motion": "motion.db", "its log of motion": "motion.db-wal",
    "its index of motion": "motion.db-shm", "overrides": "overrides.json", "overrides before": "overrides.json.1", "tokens": "token", "labels": "labels/examples.json", "codebook": "labels/codebook.model",
    "covered cameras": "labels/covered.json", "codebook before": "labels/codebook.model.previous",
    "log of events": "events.jsonl", "audit log": "audit.jsonl", "old audit log": "audit.jsonl.[1-9]", "administrators": "administrators", "push key": "vapid.key", "lock": "lock",
    "link key": "exports/link-key", "export": "exports/*/job.json", "export file": "exports/*/*.mp4", "model": "models/*.mog", "model before": "models/*.mog.bak", "mask": "masks/*.png",
    "clip": "clips/*/*/*.mp4", "half clip": "clips/*/*/*.part", "picture": "thumbs/*/*/*.jpg", "record": "events/*/*/*.json", "segment": "recordings/*/*/*.mp4",
    "last segment": "recordings/street/*/*.mp4", "previews": "recordings/*/*/*.previews"}
IN_DATABASE = "database", "its log"
# Damages after which the program has to say something: what the file held is gone, or it was set aside.
SAYS = {"database", "overrides", "tokens", "labels", "codebook", "covered cameras"}
SAYS_OF_BARRED = SAYS | {"its log", "its index", "its log of motion", "its index of motion", "motion", "overrides before", "log of events", "audit log", "old audit log", "administrators"}
AUDIT_ENDS_AT = 16 << 20  # bytes, as audit.h has it: then the program begins a new one
MOTION_EVERY = 10  # moments; the history of motion is stored every 20 seconds, so these last longer
P256_POINT = "BGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"  # the generator: a key like any other

# Root reads every file, so the program runs as another user where that is possible.
user = 65534 if os.getuid() == 0 and shutil.which("setpriv") else None
WAYS = ["empty", "zeroed", "cut", "folder"] + (["unreadable"] if user or os.getuid() else [])
prefix = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if user else []
storage = pathlib.Path(tempfile.mkdtemp(prefix="monitor-damage-"))
config = storage.with_suffix(".yaml")
config.write_text(f"""
http: {{local: none}}
push: {{private_addresses: true}}
labels: {{codebook: true}}
record: {{pre_capture: 1, post_capture: 1, max_clip: 3}}
cameras:
  street:
    source: "{SOURCE}"
    cudamog: {{motion-hold: 300}}
    record: {{continuous: {{days: 3}}}}
    masks: {{tree: {{coordinates: "0,0,0.1,0,0,0.1"}}}}
  yard:
    source: "{SOURCE}"
    cudamog: {{motion-hold: 300}}
    privacy: {{polygons: {{window: {{coordinates: "0,0,0.1,0,0,0.1"}}}}}}
""")
environment = dict(os.environ, HOME=str(storage), GST_REGISTRY_1_0=str(storage / "registry.bin"))
(storage / "labels").mkdir()
if user:
    for owned in storage, storage / "labels":
        os.chown(owned, user, user)


def put_old_files():
    """Where there are none: the codebooks that the program would make at night, an audit log so long that the program begins a new one, and as a camera's model a
    file that is none, which the program keeps as the model before when it saves its own. So it does where a folder is in the place of the model before."""
    model, before = (storage / FILES[name].replace("*", "street") for name in ("model", "model before"))
    for file in model, before:
        if not file.exists() or (file.is_file() and before.is_dir()):
            file.parent.mkdir(exist_ok=True)
            file.write_text("a letter")
            if user:
                for owned in file.parent, file:
                    os.chown(owned, user, user)
    for name in "codebook", "codebook before":
        codebook = storage / FILES[name]
        if not codebook.exists():
            shutil.copy(pathlib.Path(__file__).parents[2] / "gst/tracklabel/drawn.model", codebook)
            if user:
                os.chown(codebook, user, user)
    audit = storage / FILES["audit log"]
    if audit.is_file() and not any(p.is_file() for p in storage.glob(FILES["old audit log"])):
        lines = audit.read_bytes()
        with open(audit, "r+b") as f:
            f.truncate(0)
            f.truncate(AUDIT_ENDS_AT)
            f.seek(AUDIT_ENDS_AT)
            f.write(b"\n" + lines)


class Started(Monitor):
    """Asks as an administrator, unless `headers` say otherwise."""

    def __init__(self):
        launcher = storage.with_suffix(".sh")
        launcher.write_text("#!/bin/sh\nexec " + " ".join(prefix) + f' "{PROGRAM}" "$@"\n')
        launcher.chmod(0o755)
        super().__init__(str(launcher), storage, "--config", str(config), env=environment)
        self.token = (storage / "token").read_text().split()[1]

    def ask(self, method, path, body=None, headers=None, raw=False):
        return super().ask(method, path, body, {"Authorization": f"Bearer {self.token}"} if headers is None else headers, raw)

    def said(self):
        return "".join(self.log) + "\n".join(self.get("/api/stats")["storage"]["set_aside"])


def is_online(m):
    """A program that is busy, which it says, is asked again."""
    return all(status == 200 and body["state"] == "online" for status, body in (m.ask("GET", f"/api/cameras/{c}") for c in ("street", "yard")))


def all_events(m):
    out, before = [], ""
    while True:
        page = m.get(f"/api/events?limit=500{before}")["events"]
        out += page
        if len(page) < 500:
            return {e["id"]: e for e in out}
        before = f"&before={page[-1]['start_time'] + 0.001:.3f}"  # some may begin at the same time


def finished(events):
    return {i for i, e in events.items() if e["end_time"] and e["has_clip"]}


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
    return sorted(storage.glob(FILES["last segment"]), key=lambda p: p.name)


def seconds_of(segment):
    """What it can hold: until the next one begins."""
    def start(s):
        return calendar.timegm(time.strptime(s.name[:15], "%Y%m%dT%H%M%S"))
    after = [s for s in segments() if s.name > segment.name]
    return range(start(segment) - 1, start(after[0]) + 2 if after else math.ceil(time.time()) + 2)


def damage(path, way):
    if path.is_dir():  # by an earlier moment
        return
    if path.stat().st_mode & 0o777 == 0:
        path.chmod(0o600)
    size = path.stat().st_size
    if way == "empty":
        os.truncate(path, 0)
    elif way == "zeroed":
        with open(path, "r+b") as f:
            f.write(bytes(size))
    elif way == "cut":
        os.truncate(path, size // 2)
    elif way == "unreadable":
        path.chmod(0)
    else:
        path.unlink()
        path.mkdir()
        (path / "somebody's").touch()
        if user:
            os.chown(path, user, user)


class Known:
    """What the API has said is done, and what of it may be gone because its file was damaged."""

    def __init__(self):
        self.begun = int(time.time())
        self.events, self.dark = {}, set()
        self.recorded, self.moved, self.unlit = set(), set(), set()  # unlit: seconds in segments that were damaged
        self.zones, self.last_zone = {}, None
        self.seen, self.names, self.kept, self.users, self.sessions = set(), {}, set(), set(), {}
        self.devices, self.exports, self.spoilt, self.audit, self.heat = set(), {}, set(), set(), 0
        self.zeroed = []  # segments of zeros, which nobody may remove: nothing says that they hold nothing
        self.probed = set()
        self.checks = collections.Counter()

    def hurt(self, event):
        """Its clip, or what its clip is a part of, was damaged: it alone may say that it has none."""
        e = self.events[event]
        return event in self.dark or (e["camera"] == "street" and any(s in self.unlit for s in range(math.floor(e["clip_start"]), math.ceil(e["clip_end"] or e["end_time"]) + 1)))

    def may_be_gone(self, name, path, way, whole):
        if name in IN_DATABASE:
            for held in (self.seen, self.users, self.sessions, self.devices, self.names, self.kept):
                held.clear()
            self.heat = 0
        if "motion" in name and "index" not in name:
            self.moved.clear()
        if name == "overrides" and self.last_zone:
            self.zones.pop(self.last_zone, None)  # the file before the last change may not have it
        if name == "tokens":
            self.devices.clear()  # they were of that token
        if "audit log" in name:
            self.audit.clear()
        if name in ("export", "export file"):
            self.exports.pop(path.parent.name, None)
            self.spoilt.add(path.parent.name)
        if name == "clip":
            self.dark.add(path.name.removesuffix(".mp4"))
        if "segment" in name:
            self.unlit.update(seconds_of(path))
            if way == "zeroed" and whole:
                self.zeroed.append(path)

    def look(self, m):
        """More that is finished now."""
        page = {e["id"]: e for e in m.get("/api/events?limit=100")["events"]}
        self.events.update((i, page[i]) for i in finished(page))
        for of, more in zip((self.recorded, self.moved), timeline(m, self.begun) or ()):
            of.update(more)
        for e in m.get("/api/exports")["exports"]:
            if e["state"] == "done" and e["id"] not in self.spoilt:
                self.exports[e["id"]] = e["files"]
        self.audit.update(json.dumps(e, sort_keys=True) for e in m.get("/api/audit?limit=1000")["entries"])

    def need(self, missing, what, checked):
        self.checks[what] += checked
        assert not missing, f"{what} that are gone: {sorted(missing)[:3]}"

    def compare(self, m):
        now = all_events(m)
        events = {i for i in self.events if not self.hurt(i)}
        if events - finished(now):  # clips that are parts of the recording are looked for while the program runs
            m.wait("events", lambda: not events - finished(all_events(m)), 60)
        self.need((), "events", len(events))
        one = {i: m.get(f"/api/events/{i}") for i in self.seen | set(self.names) | self.kept if i in now}
        self.need({i for i in self.seen if i in now and not one[i]["seen"]}, "marks of events that were seen", len(self.seen))
        self.need({i for i in self.kept if i in now and not one[i]["retained"]}, "events that are kept", len(self.kept))
        self.need({i for i, n in self.names.items() if i in now and [x["label"] for x in one[i]["labels"] if x["by"] == "person"] != [n]}, "names", len(self.names))
        zones = m.get("/api/cameras/street")["zones"]
        self.need({z for z, points in self.zones.items() if zones.get(z, {}).get("coordinates", zones.get(z)) != points}, "zones", len(self.zones))
        self.need(self.users - {u["name"] for u in m.get("/api/users")["users"]}, "users", len(self.users))
        self.need({u for u, cookie in self.sessions.items() if m.ask("GET", "/api/version", headers=cookie)[1].get("role") != "view"}, "sessions", len(self.sessions))
        status, push = m.ask("GET", "/api/push")
        if status == 200:
            self.need(self.devices - {d["id"] for d in push["devices"]}, "devices", len(self.devices))
        for ident, files in self.exports.items():
            for n, f in enumerate(files):
                status, body = m.ask("GET", f"/api/exports/{ident}/file?file={n}", raw=True)
                self.need({ident} if status != 200 or hashlib.sha256(body).hexdigest() != f["sha256"] else (), "files of exports", 1)
        self.need(self.audit - {json.dumps(e, sort_keys=True) for e in m.get("/api/audit?limit=1000")["entries"]}, "lines of the audit log", len(self.audit))
        heat = sum(m.get("/api/cameras/street/heatmap")["counts"])
        assert heat >= self.heat, f"of {self.heat} the heat map has {heat}"
        self.heat = heat  # read from the disk, since the program has just begun

    def compare_times(self, m):
        """Asked until nothing is missing: the program compares files and index while it runs."""
        def whole():
            found = timeline(m, self.begun)
            return found and not self.recorded - self.unlit - found[0] and not self.moved - found[1]
        try:
            m.wait("the times of before", whole, 90)
        except AssertionError:
            found = timeline(m, self.begun)
            raise AssertionError(f"of {len(self.recorded)} recorded seconds {sorted(self.recorded - self.unlit - found[0])[:5]} are gone, of {len(self.moved)} with motion "
                                 f"{sorted(self.moved - found[1])[:5]}") from None
        self.checks["recorded seconds"] += len(self.recorded - self.unlit)
        self.checks["seconds of motion"] += len(self.moved)

    def probe(self, paths):
        """Each file that has not been looked at before."""
        for path in paths:
            if path in self.probed or not path.exists():
                continue
            self.probed.add(path)
            found = subprocess.run(["ffprobe", "-v", "error", "-count_packets", "-select_streams", "v", "-show_entries", "stream=nb_read_packets", "-of", "csv=p=0", str(path)],
                                   capture_output=True, text=True, check=False)
            assert not found.returncode and not found.stderr and int(found.stdout.strip().strip(",")) > 0, f"{path} does not play: {found.stdout} {found.stderr}"


class Actor:
    """Changes what the program keeps until it is killed. What it was not answered may have happened or not."""

    def __init__(self, m, known, rng):
        self.m, self.known, self.rng, self.wrong = m, known, rng, None
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        try:
            acts = [self.zone, self.mark, self.name, self.keep, self.export, self.device, self.person]
            self.rng.shuffle(acts)
            while not self.ending.wait(0.05):
                acts.append(acts.pop(0))
                acts[-1]()
                self.known.look(self.m)
        except (OSError, http.client.HTTPException):
            pass  # killed
        except Exception as e:  # pylint: disable=broad-except
            self.wrong = e

    def end(self):
        self.ending.set()
        self.thread.join(60)
        if self.wrong:
            raise self.wrong

    def done(self, method, path, body, headers=None):
        status, answer = self.m.ask(method, path, body, headers)
        assert status in (200, 201, 202), (method, path, status, answer)
        return answer

    def event(self):
        unhurt = [i for i in self.known.events if not self.known.hurt(i)]
        return self.rng.choice(unhurt) if unhurt else None

    def zone(self):
        name, points = f"z{self.rng.randrange(20)}", f"0.1,0.1,0.9,0.1,0.9,0.{self.rng.randrange(11, 99)}5"
        self.known.zones.pop(name, None)  # until it is answered either may be there
        self.done("PUT", f"/api/cameras/street/zones/{name}", {"coordinates": points})
        self.known.zones[name], self.known.last_zone = points, name

    def mark(self):
        if e := self.event():
            self.done("POST", f"/api/events/{e}/seen", {"seen": True})
            self.known.seen.add(e)

    def name(self):
        if e := self.event():
            self.known.names.pop(e, None)
            self.done("POST", f"/api/events/{e}/label", {"label": (word := self.rng.choice(["cat", "postman", "Müller"]))})
            self.known.names[e] = word

    def keep(self):
        if e := self.event():
            self.done("POST", f"/api/events/{e}/retain", {"retain": True})
            self.known.kept.add(e)

    def export(self):
        whole = sorted(s for s in self.known.recorded - self.known.unlit if s + 1 in self.known.recorded - self.known.unlit)
        if whole and len(self.known.exports) < 20:
            self.done("POST", "/api/exports", {"cameras": ["street"], "from": whole[-1], "to": whole[-1] + 1})
            for ident in self.known.exports:
                self.done("GET", f"/api/exports/{ident}/link", None)
                break

    def device(self):
        if len(self.known.devices) < 8:
            body = {"subscription": {"endpoint": f"https://127.0.0.1:1/{self.rng.random()}", "expirationTime": None, "keys": {"p256dh": P256_POINT, "auth": "A" * 22}}}
            status, answer = self.m.ask("POST", "/api/push/devices", body)
            if status == 200:
                self.known.devices.add(answer["id"])

    def person(self):
        if len(self.known.users) >= 12:
            return
        name = f"user{self.rng.randrange(10**9)}"
        words = {"name": name, "role": "viewer", "password": "correct horse battery", "cameras": ["street"]}
        self.done("POST", "/api/users", words if self.known.users else {**words, "role": "admin", "cameras": None})
        self.known.users.add(name)
        if len(self.known.users) > 1:
            self.done("POST", "/api/login", {"user": name, "password": words["password"]}, {})
            self.known.sessions[name] = {"Cookie": self.m.headers["Set-Cookie"].split(";")[0]}


def pairs(rng):
    if KILLS:
        return collections.deque()
    if ONLY:
        wanted = collections.deque(tuple(words.split(":")) for words in ONLY)
        unknown = [w for w in wanted if len(w) != 2 or w[0] not in FILES or w[1] not in WAYS]
        if unknown:
            sys.exit(f"unknown: {unknown}; files: {', '.join(FILES)}; ways: {', '.join(WAYS)}")
        return wanted
    every = [(f, w) for f in FILES for w in WAYS]
    rng.shuffle(every)
    return collections.deque(every)


def main():
    rng = random.Random(SEED)
    known, todo, done = Known(), pairs(rng), []
    named = ONLY and not KILLS
    last, slowest = None, 0.0
    print("moment, file, way: seconds until /healthz answered, whether the program said it; what was compared", flush=True)
    for moment in itertools.count():
        assert not named or moment <= 4 * len(ONLY), f"no such file came up for {list(todo)}; made: {[d[:2] for d in done]}"
        begun = time.monotonic()
        with Started() as m:
            try:
                assert m.ask("GET", "/healthz")[0] == 200
                started = time.monotonic() - begun
                slowest = max(slowest, started)
                ends = not todo if named else moment == MOMENTS
                if not ends and not ONLY and rng.random() < 0.1:  # in the midst of the start
                    time.sleep(rng.uniform(0, 1))
                    m.kill()
                    says = "killed before"
                else:
                    m.wait("online", lambda: is_online(m), 120)
                    known.compare(m)
                    known.compare_times(m)
                    if last and last[0] == "push key" and m.ask("GET", "/api/push")[0] != 200:
                        says = f"GET /api/push: {m.ask('GET', '/api/push')[1]['error']}"
                        key = storage / FILES["push key"]
                        shutil.rmtree(key) if key.is_dir() else key.unlink()  # as it says
                    else:
                        said = m.said()
                        says = "said" if last and (last[2].name in said or last[2].stem in said) else "not said"
                        barred = last and last[1] in ("folder", "unreadable")
                        needed = last and last[3] and last[0] in (SAYS_OF_BARRED if barred else SAYS) and not (last[0] == "tokens" and last[1] == "cut")
                        # While all of a young database is in its log still, a damaged file loses nothing.
                        if needed and not (last[0] in ("database", "motion") and not barred):
                            m.wait(f"something says that {last[:2]} was set aside", lambda: any(n in m.said() for n in (last[2].name, last[2].stem)), 60)
                            says = "said"
                    if KILLS:
                        known.probe([*segments(), *storage.glob(FILES["clip"])])
                    if not ends:
                        actor = Actor(m, known, random.Random(rng.random()))
                        time.sleep(rng.uniform(1, 6))
                        if moment % MOTION_EVERY == MOTION_EVERY - 1:
                            before = len(known.moved)
                            m.wait("motion is stored", lambda n=before: len(known.moved) > n or actor.wrong, 120)
                        # Where a named damage could not be made, a stop brings what a kill leaves undone, such as a saved model.
                        if (named and done and not last) or (not KILLS and rng.random() < 0.1):
                            actor.end()
                            m.stop()
                        else:
                            m.kill()
                            actor.end()
            except Exception as e:
                raise AssertionError(f"moment {moment}, after {[d[:2] for d in done[-3:]]}: {e}; log:\n" + "".join(m.log[-25:])) from e
            print(f"{moment}: {f'{last[0]} {last[1]}' if last else 'nothing'}: {started:.1f} s, {says if last else '-'}; {len(known.events)} events, "
                  f"{len(known.recorded)} s recorded, {len(known.moved)} s of motion, {len(known.zones)} zones, {len(known.seen)} marks, {len(known.names)} names, {len(known.users)} users, "
                  f"{len(known.sessions)} sessions, {len(known.devices)} devices, {len(known.exports)} exports, {len(known.audit)} lines of audit", flush=True)
            if ends:
                for event in [i for i in known.events if not known.hurt(i)][:20]:
                    status, body = m.ask("GET", f"/api/events/{event}/clip.mp4", raw=True)
                    assert status == 200 and len(body) > 1000, f"{event}: its clip answers {status}, {len(body)} bytes"
                whole = known.recorded - known.unlit
                for second in sorted(whole)[::20]:
                    if second + 1 in whole:
                        status, body = m.ask("GET", f"/api/cameras/street/recording.mp4?from={second}&to={second + 1}", raw=True)
                        assert status == 200 and len(body) > 1000, f"the recording at {second} answers {status}, {len(body)} bytes"
                m.stop()
                model = storage / FILES["model"].replace("*", "street")
                assert model.is_file() and model.read_bytes().startswith(b"VIGILMOG"), "the camera's model is not saved"
                break
        last = None
        put_old_files()
        for _ in range(len(todo)):  # the next one whose file is there
            name, way = todo.popleft()
            found = sorted(storage.glob(FILES[name]))
            found = [p for p in (found[-1:] if name == "last segment" else found) if p.is_file()]
            if found:
                path = rng.choice(found)
                whole = path.stat().st_size > 0
                known.may_be_gone(name, path, way, whole)
                damage(path, way)
                last = name, way, path, whole
                break
            todo.append((name, way))
        if last:
            done.append(last)
    lost = [p.name for p in known.zeroed if not p.exists()]
    assert not lost, f"damaged segments were removed: {lost}"
    print(f"{moment} moments, {len({d[:2] for d in done})} damages of {len({d[0] for d in done})} files; {len(known.events)} finished events, {sum(map(known.hurt, known.events))} of them with "
          f"clips damaged on purpose, {len(known.recorded)} recorded seconds, {len(known.recorded & known.unlit)} of them in segments damaged on purpose; /healthz within {slowest:.1f} s of the start; "
          f"{len(known.probed)} files probed; compared, nothing gone: {dict(known.checks)}")


try:
    main()
finally:
    if os.environ.get("VIGIL_DAMAGE_KEEP"):
        print("the folder:", storage)
    else:
        shutil.rmtree(storage, ignore_errors=True)
    for end in (".yaml", ".sh"):
        storage.with_suffix(end).unlink(missing_ok=True)
