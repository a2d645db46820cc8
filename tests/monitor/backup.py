# SPDX-License-Identifier: LGPL-2.1-or-later
"""Backup and restore of vigil-monitor's storage folder, proven by comparing both folders, files and tables.

backup.py PROGRAM FOLDER [NAME OF A CHECK]..."""
import filecmp
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tarfile
import time

from program import Monitor, begin, same, true

program, folder = begin("monitor-backup")
SCENE = "scenetestsrc is-live=true quiet=0.5 density=2 ! video/x-raw,format=I420,width=160,height=90,framerate=5/1"
CONFIG = folder / "monitor.yaml"
PASSWORD, ADMIN = "correct horse battery", "admin-token-0123456789"
(folder / "token").touch(0o600)
(folder / "token").write_text(f"admin {ADMIN}\n")
CONFIG.write_text(f"""
http: {{token_file: {folder}/token}}
record: {{pre_capture: 1, post_capture: 1, max_clip: 3}}
cameras:
  gate: {{source: "{SCENE}", cudamog: {{motion-hold: 300}}}}
  yard: {{source: "{SCENE}", cudamog: {{motion-hold: 300}}, record: {{continuous: {{days: 3}}}}}}
""")
BY = {"Authorization": f"Bearer {ADMIN}"}


def run(data, *words):
    return subprocess.run([program, "--config", str(CONFIG), "--storage", str(data), *words], capture_output=True, text=True, timeout=120, check=False)


def good(data, *words):
    done = run(data, *words)
    same(done.returncode, 0, f"{words}: {done.stderr}")
    return done.stdout


def tables(file):
    """All rows of a database, table by table."""
    db = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    try:
        names = [n for n, in db.execute("SELECT name FROM sqlite_master WHERE type='table' ORDER BY name")]
        return {n: sorted(db.execute(f"SELECT * FROM {n}").fetchall(), key=repr) for n in names} | {"version": db.execute("PRAGMA user_version").fetchone()}
    finally:
        db.close()


def files(data):
    return {str(p.relative_to(data)) for p in data.rglob("*") if p.is_file() and not p.name.startswith(("events.db", "motion.db")) and p.name != "lock"
            and "before-restore" not in str(p)}


def differences(a, b, but=()):
    """What differs between two storage folders; empty: nothing."""
    out = [f"only in one: {name}" for name in sorted(files(a) ^ files(b)) if not name.startswith(but)]
    out += [f"differs: {name}" for name in sorted(files(a) & files(b)) if not filecmp.cmp(a / name, b / name, shallow=False)]
    for name in "events.db", "motion.db":
        one, two = tables(a / name), tables(b / name)
        out += [f"table {t} of {name}" for t in sorted(set(one) | set(two)) if one.get(t) != two.get(t)]
    return out


def filled(data):
    with Monitor(program, data, "--config", str(CONFIG)) as m:
        def clips(camera):
            return sum(e["has_clip"] and e["end_time"] is not None for e in m.ask("GET", f"/api/events?camera={camera}", headers=BY)[1]["events"])
        m.wait("events with clips", lambda: clips("gate") >= 2 and clips("yard") >= 2, 90)
        same(m.ask("POST", "/api/users", {"name": "vera", "role": "viewer", "password": PASSWORD, "cameras": ["gate"]}, BY)[0], 200, "a user")
        same(m.ask("POST", "/api/users", {"name": "anna", "role": "admin", "password": PASSWORD}, BY)[0], 200, "an administrator")
        same(m.ask("PUT", "/api/cameras/gate/zones/steps", {"coordinates": "0,0,1,0,1,1"}, BY)[0], 200, "a zone")
        event = m.ask("GET", "/api/events", headers=BY)[1]["events"][-1]["id"]
        same(m.ask("POST", f"/api/events/{event}/seen", {"seen": True}, BY)[0], 200, "a mark")
        example = {"label": "cat", "event": "", "shape": {"aspect": -0.4}}
        same(m.ask("POST", "/api/labels/import", {"format": "vigil-labels", "version": 1, "examples": [example]}, BY), (200, {"examples": 1}), "an example")
        m.stop()


def whole():
    """A backup with clips, put into an empty folder, differs in nothing; without clips it differs in those alone."""
    data = folder / "whole"
    filled(data)
    for name in "all.tar", "all.tar.gz":
        good(data, "--backup", str(folder / name), "--with-clips", "--with-recordings")
        same(stat.S_IMODE((folder / name).stat().st_mode), 0o600, "for its owner alone")
        true(tarfile.is_tarfile(folder / name), name)
        good(folder / f"from-{name}", "--restore", str(folder / name))
        same(differences(data, folder / f"from-{name}"), [], name)
    true(any(f.endswith(".mp4") for f in files(folder / "from-all.tar")) and {"overrides.json", "labels/examples.json"} <= files(folder / "from-all.tar"),
         "there was something to compare")
    good(data, "--backup", str(folder / "small.tar"))
    good(folder / "small", "--restore", str(folder / "small.tar"))
    same(differences(data, folder / "small", ("clips/", "thumbs/", "recordings/")), [], "without clips")
    same([f for f in files(folder / "small") if f.endswith((".mp4", ".jpg"))], [], "no clips")
    for place in "from-all.tar", "small":
        kept = files(folder / place)
        true("administrators" in kept and any(f.startswith("events/yard/") for f in kept), f"{place}: administrators and records: {sorted(kept)[:20]}")
    same(sorted(p.name for p in data.iterdir() if "tmp" in p.name), [], "nothing is left behind")


def running():
    """While the program works: the copy is of one moment, the program goes on, and what is restored starts with users, zones and events."""
    data = folder / "running"
    filled(data)
    with Monitor(program, data, "--config", str(CONFIG)) as m:
        m.wait("an answer", lambda: m.ask("GET", "/healthz")[0] == 200)
        before = {e["id"] for e in m.ask("GET", "/api/events?limit=500", headers=BY)[1]["events"]}
        same(m.ask("POST", "/api/login", {"user": "vera", "password": PASSWORD})[0], 200, "vera signs in")
        cookie = {"Cookie": m.headers["Set-Cookie"].split(";")[0]}
        begun = time.monotonic()
        good(data, "--backup", str(folder / "running.tar"), "--with-clips")
        print(f"a backup while the program runs took {time.monotonic() - begun:.1f} s")
        done = run(data, "--restore", str(folder / "running.tar"))
        true(done.returncode == 1 and "another vigil-monitor" in done.stderr, f"restore while it runs: {done}")
        same(m.ask("GET", "/healthz")[0], 200, "it goes on")
        m.stop()
    other = folder / "running-restored"
    good(other, "--restore", str(folder / "running.tar"))
    with Monitor(program, other, "--config", str(CONFIG)) as m:
        m.wait("an answer", lambda: m.ask("GET", "/healthz")[0] == 200)
        true(before <= {e["id"] for e in m.ask("GET", "/api/events?limit=500", headers=BY)[1]["events"]}, "events")
        same(m.ask("GET", "/api/version", headers=cookie)[1]["user"], "vera", "the session")
        true("steps" in m.ask("GET", "/api/cameras/gate", headers=BY)[1]["zones"], "the zone")
        m.stop()


def over_another():
    """Over a folder that has something: that is moved aside whole. What is no backup changes nothing."""
    data, target = folder / "whole", folder / "target"
    with Monitor(program, target, "--config", str(CONFIG)) as m:
        m.wait("an answer", lambda: m.ask("GET", "/healthz")[0] == 200)
        m.stop()
    old = tables(target / "events.db")
    (folder / "cut.tar").write_bytes((folder / "all.tar").read_bytes()[:20000])
    (folder / "text.tar").write_text("no archive")
    newer = folder / "newer"
    shutil.copytree(data, newer)
    db = sqlite3.connect(newer / "events.db")
    db.execute("PRAGMA user_version=999")
    db.close()
    subprocess.run(["tar", "-cf", folder / "newer.tar", "-C", newer, "events.db"], check=True)
    with tarfile.open(folder / "foreign.tar", "w") as t:
        t.add(data / "events.db", "events.db")
        t.add(CONFIG, "monitor.yaml")
    with tarfile.open(folder / "link.tar", "w") as t:
        t.add(data / "events.db", "events.db")
        link = tarfile.TarInfo("models/x")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        t.addfile(link)
    with tarfile.open(folder / "up.tar", "w") as t:
        t.add(data / "events.db", "../up.db")
    for name, says in (("cut", ""), ("text", ""), ("newer", "newer version"), ("foreign", "no part of a backup"), ("link", "no plain file"), ("up", "'..'"), ("none", "no file")):
        done = run(target, "--restore", str(folder / f"{name}.tar"))
        true(done.returncode == 1 and says in done.stderr, f"{name}: {done}")
        same(tables(target / "events.db"), old, f"after {name}.tar")
    true(not (folder / "up.db").exists() and not (target / "up.db").exists(), "nothing is written elsewhere")
    said = good(target, "--restore", str(folder / "all.tar"))
    same(differences(data, target), [], "restored")
    aside = next(target.glob("before-restore-*"))
    true(str(aside) in said, f"it says where the old ones are: {said}")
    same(tables(aside / "events.db"), old, "the old ones")
    for words, says in ((("--backup", "/nowhere/x.tar"), "cannot write"),):
        done = run(data, *words)
        true(done.returncode == 1 and says in done.stderr, f"{words}: {done}")
    done = run(folder / "empty", "--backup", str(folder / "x.tar"))
    true(done.returncode == 1 and "no database" in done.stderr and not (folder / "x.tar").exists(), f"{done}")


def without_passwords():
    """What cares for the folder alone asks only for the folder: passwords of cameras, which only the service knows, may be missing."""
    data, config = folder / "alone", folder / "alone.yaml"
    data.mkdir()
    begin = 'cameras: {gate: {source: "rtsp://vigil:${NO_SUCH_VARIABLE}@127.0.0.1/"}}\n'

    def ask(text, *words):
        config.write_text(begin + text)
        return subprocess.run([program, "--config", str(config), *words], input="correct horse battery\n", capture_output=True, text=True, timeout=120, check=False)

    for words in (("--add-user", "anna", "--role", "viewer"), ("--list-users",), ("--backup", str(folder / "alone.tar")), ("--restore", str(folder / "alone.tar"))):
        done = ask(f"storage: {{path: {data}}}\n", *words)
        same(done.returncode, 0, f"{words}: {done.stderr}")
    for text, says in (("storage: {path: '${NO_SUCH_VARIABLE}'}\n", f"{config}:2: storage.path: the environment has no variable NO_SUCH_VARIABLE"),
                       ("storage: [\n", "this is no YAML"), ("storage: {path: [a]}\n", "storage.path")):
        done = ask(text, "--backup", str(folder / "no.tar"))
        true(done.returncode == 1 and says in done.stderr and not (folder / "no.tar").exists(), f"{text}: {done}")
    done = ask(f"storage: {{path: {data}}}\n", "--check")
    true(done.returncode == 1 and "NO_SUCH_VARIABLE" in done.stderr, f"a start needs them: {done}")


os.umask(0o022)
checks = [whole, running, over_another, without_passwords]
for check in checks:
    if not sys.argv[3:] or check.__name__ in sys.argv[3:]:
        begun = time.monotonic()
        check()
        print(f"{check.__name__}: good, {time.monotonic() - begun:.0f} s", flush=True)
