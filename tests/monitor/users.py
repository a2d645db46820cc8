# SPDX-License-Identifier: LGPL-2.1-or-later
"""Users of vigil-monitor: what each role may do at each route of the API, the cameras that a user may see, passwords, sessions, and the command
line.

users.py PROGRAM FOLDER [NAME OF A CHECK]..."""
import http.client
import json
import pathlib
import re
import signal
import sqlite3
import statistics
import subprocess
import sys
import threading
import time

from program import Monitor, begin, same, true

program, folder = begin("monitor-users")
SCENE = "scenetestsrc is-live=true quiet=0.5 density=2 ! video/x-raw,format=I420,width=160,height=90,framerate=5/1"
ADMIN, VIEW = "admin-token-0123456789", "view-token-0123456789"
PASSWORD = "correct horse battery"
OPEN, HIDDEN = "gate", "secretyard"
CAMERAS = f"""
record: {{pre_capture: 1, post_capture: 1, max_clip: 3}}
cameras:
  {OPEN}: {{source: "{SCENE}", cudamog: {{motion-hold: 300}}}}
  {HIDDEN}: {{source: "{SCENE}", cudamog: {{motion-hold: 300}}}}
"""
source = (pathlib.Path(__file__).resolve().parents[2] / "tools/vigil-monitor/http/api.cpp").read_text(encoding="utf-8")
CODE = set(re.findall(r'\{"([A-Z]+)", "(/[^"]*)", Role::', source))

# The least role of each route of the code, and what the first {} names. A route that is not here fails.
STRANGER, VIEWER, OPERATOR, ADMINISTRATOR = range(4)
ROUTES = {
    ("GET", "/api/live"): VIEWER, ("GET", "/api/cameras"): VIEWER, ("GET", "/api/cameras/{}"): VIEWER, ("GET", "/api/cameras/{}/live.mp4"): VIEWER,
    ("POST", "/api/cameras/{}/whep"): VIEWER, ("PATCH", "/api/cameras/{}/whep/{}"): VIEWER, ("DELETE", "/api/cameras/{}/whep/{}"): VIEWER,
    ("POST", "/api/cameras/{}/talk"): OPERATOR, ("PATCH", "/api/cameras/{}/talk/{}"): OPERATOR, ("DELETE", "/api/cameras/{}/talk/{}"): OPERATOR,
    ("GET", "/api/cameras/{}/elements"): VIEWER, ("PATCH", "/api/cameras/{}/elements/{}"): ADMINISTRATOR, ("PUT", "/api/cameras/{}/{}/{}"): ADMINISTRATOR,
    ("DELETE", "/api/cameras/{}/{}/{}"): ADMINISTRATOR, ("PATCH", "/api/cameras/{}/privacy"): ADMINISTRATOR, ("PATCH", "/api/cameras/{}/switches"): OPERATOR,
    ("GET", "/api/cameras/{}/ptz"): OPERATOR, ("POST", "/api/cameras/{}/ptz/move"): OPERATOR, ("POST", "/api/cameras/{}/ptz/stop"): OPERATOR,
    ("POST", "/api/cameras/{}/ptz/go"): OPERATOR, ("POST", "/api/cameras/{}/ptz/presets"): OPERATOR, ("DELETE", "/api/cameras/{}/ptz/presets/{}"): OPERATOR,
    ("DELETE", "/api/cameras/{}/overrides"): ADMINISTRATOR, ("GET", "/api/cameras/{}/activity"): VIEWER, ("GET", "/api/cameras/{}/heatmap"): VIEWER,
    ("GET", "/api/cameras/{}/crossings"): VIEWER, ("GET", "/api/cameras/{}/search"): VIEWER, ("GET", "/api/cameras/{}/restless"): VIEWER, ("GET", "/api/cameras/{}/recording.mp4"): VIEWER,
    ("GET", "/api/cameras/{}/preview"): VIEWER,
    ("GET", "/api/cameras/{}/timeline"): VIEWER, ("GET", "/api/cameras/{}/latest.jpg"): VIEWER, ("GET", "/api/cameras/{}/overlay.jpg"): VIEWER,
    ("GET", "/api/cameras/{}/mask.jpg"): VIEWER, ("GET", "/api/cameras/{}/background.jpg"): VIEWER, ("GET", "/api/cameras/{}/uncovered.jpg"): VIEWER, ("GET", "/api/events"): VIEWER,
    ("GET", "/api/events/{}"): VIEWER, ("DELETE", "/api/events/{}"): ADMINISTRATOR, ("GET", "/api/events/{}/thumbnail.jpg"): VIEWER,
    ("GET", "/api/events/{}/clip.mp4"): VIEWER, ("GET", "/api/events/{}/similar"): VIEWER, ("POST", "/api/events/{}/retain"): OPERATOR,
    ("POST", "/api/events/{}/seen"): VIEWER, ("DELETE", "/api/events/{}/seen"): VIEWER, ("GET", "/api/config"): VIEWER, ("GET", "/api/overrides"): VIEWER,
    ("GET", "/api/exports"): VIEWER, ("POST", "/api/exports"): OPERATOR, ("GET", "/api/exports/{}"): VIEWER, ("DELETE", "/api/exports/{}"): OPERATOR,
    ("GET", "/api/exports/{}/link"): OPERATOR, ("GET", "/api/exports/{}/file"): STRANGER,
    ("POST", "/api/notify/test"): ADMINISTRATOR, ("GET", "/api/audit"): ADMINISTRATOR, ("POST", "/api/reload"): ADMINISTRATOR, ("GET", "/api/stats"): VIEWER, ("GET", "/api/version"): VIEWER,
    ("GET", "/api/openapi.json"): VIEWER, ("GET", "/api/login"): STRANGER, ("POST", "/api/login"): STRANGER, ("POST", "/api/logout"): STRANGER,
    ("POST", "/api/password"): VIEWER, ("GET", "/api/sessions"): VIEWER, ("DELETE", "/api/sessions/{}"): VIEWER, ("GET", "/api/users"): ADMINISTRATOR,
    ("GET", "/api/push"): VIEWER, ("POST", "/api/push/devices"): VIEWER, ("PATCH", "/api/push/devices/{}"): VIEWER, ("DELETE", "/api/push/devices/{}"): VIEWER,
    ("POST", "/api/push/devices/{}/test"): VIEWER, ("POST", "/api/events/seen"): VIEWER,
    ("POST", "/api/users"): ADMINISTRATOR, ("PATCH", "/api/users/{}"): ADMINISTRATOR, ("DELETE", "/api/users/{}"): ADMINISTRATOR,
    ("POST", "/api/events/{}/label"): OPERATOR, ("GET", "/api/labels"): VIEWER, ("POST", "/api/labels"): OPERATOR, ("GET", "/api/labels/groups"): OPERATOR,
    ("DELETE", "/api/labels"): ADMINISTRATOR, ("DELETE", "/api/labels/{}"): ADMINISTRATOR, ("GET", "/api/labels/export"): ADMINISTRATOR,
    ("POST", "/api/labels/import"): ADMINISTRATOR, ("POST", "/api/labels/codebook"): ADMINISTRATOR,
    ("POST", "/api/cameras"): ADMINISTRATOR, ("DELETE", "/api/cameras/{}"): ADMINISTRATOR, ("GET", "/api/config/cameras.yaml"): ADMINISTRATOR,
    ("POST", "/api/onvif/search"): ADMINISTRATOR, ("POST", "/api/onvif/device"): ADMINISTRATOR, ("POST", "/api/streams/look"): ADMINISTRATOR, ("PATCH", "/api/cameras/{}"): ADMINISTRATOR,
    ("GET", "/metrics"): VIEWER, ("GET", "/healthz"): STRANGER,
}
ENDLESS = ("/api/live", "/live.mp4")


def started(name, more=CAMERAS, extra="", tokens=True):
    own = folder / name
    own.mkdir(exist_ok=True)
    (own / "token").touch(0o600)
    (own / "token").write_text(f"admin {ADMIN}\nview {VIEW}\n")
    file = own / "monitor.yaml"
    file.write_text((f"http: {{token_file: {own}/token}}\n" if tokens else "") + extra + more)
    m = Monitor(program, own / "data", "--config", str(file))
    m.wait("an answer", lambda: m.ask("GET", "/healthz")[0] == 200)
    return m


def token(word):
    return {"Authorization": f"Bearer {word}"}


def cookie_of(m):
    return m.headers["Set-Cookie"].split(";")[0]


def sign_in(m, name, password=PASSWORD, **more):
    """Headers of a new session."""
    status, body = m.ask("POST", "/api/login", {"user": name, "password": password}, **more)
    same(status, 200, f"{name} signs in: {body}")
    return {"Cookie": cookie_of(m)}


def add(m, name, role, cameras=None, password=PASSWORD):
    status, body = m.ask("POST", "/api/users", {"name": name, "role": role, "password": password, "cameras": cameras}, token(ADMIN))
    same(status, 200, f"{name} is added: {body}")


def from_address(m, address, body):
    """The status of a sign-in from another address of this machine."""
    c = http.client.HTTPConnection("127.0.0.1", m.port, timeout=60, source_address=(address, 0))
    try:
        c.request("POST", "/api/login", json.dumps(body))
        r = c.getresponse()
        r.read()
        return r.status, r.getheader("Set-Cookie")
    finally:
        c.close()


def begin(m, method, path, headers):
    """Status of an answer that need not end."""
    c = m.connect()
    try:
        c.request(method, path, headers=headers)
        return c.getresponse().status
    finally:
        c.close()


def events_of(m, camera):
    return m.ask("GET", f"/api/events?camera={camera}&limit=20", headers=token(ADMIN))[1]["events"]


def roles():
    """Each role at each route: whether it may, and that a camera it may not see is as one that is not there."""
    same(CODE - set(ROUTES), set(), "routes of the code without a row in the table")
    same(set(ROUTES) - CODE, set(), "rows of the table without a route")
    with started("roles") as m:
        for name, role in ("vera", "viewer"), ("olaf", "operator"):
            add(m, name, role, [OPEN])
        add(m, "anna", "admin")
        m.wait("events with clips", lambda: all(any(e["has_clip"] for e in events_of(m, c)) for c in (OPEN, HIDDEN)), 90)
        event = {c: next(e["id"] for e in events_of(m, c) if e["has_clip"]) for c in (OPEN, HIDDEN)}
        described = {(method.upper(), re.sub(r"\{\w+\}", "{}", path)) for path, item in m.ask("GET", "/api/openapi.json", headers=token(VIEW))[1]["paths"].items()
                     for method in item if method in ("get", "put", "post", "patch", "delete")}
        undescribed = {r for r in CODE - described if not r[1].endswith(("overlay.jpg", "mask.jpg", "background.jpg", "latest.jpg", "{}/{}/{}"))}
        same(undescribed, set(), "routes that docs/api/openapi.json does not describe")
        actors = [("a stranger", STRANGER, None, True), ("vera", VIEWER, "vera", True), ("olaf", OPERATOR, "olaf", True), ("anna", ADMINISTRATOR, "anna", False),
                  ("the view token", VIEWER, token(VIEW), False), ("the admin token", ADMINISTRATOR, token(ADMIN), False)]
        checked = 0
        for who, role, by, limited in actors:
            session = sign_in(m, by) if isinstance(by, str) else None
            for (method, path), least in sorted(ROUTES.items()):
                if path in ("/api/logout", "/api/reload"):
                    continue  # ends the session, or all is read again: checked elsewhere
                headers = session or by or {}
                about = "/api/cameras/{}" if path.startswith("/api/cameras/{}") else "/api/events/{}" if path.startswith("/api/events/{}") else ""
                for camera in (OPEN, HIDDEN) if about else (OPEN,):
                    first = camera if "cameras" in about else event[camera]
                    if role == ADMINISTRATOR and method == "DELETE":
                        first = "none-of-these"
                    whole = path.replace("{}", first, 1)
                    whole = whole.replace("/{}/{}", "/zones/z").replace("/elements/{}", "/elements/none") if about else whole.replace("{}", "none-of-these")
                    whole = whole + "?polygon=0,0,1,0,1,1" if whole.endswith("/search") else whole
                    whole = whole + f"?from={time.time() - 60}&to={time.time()}" if whole.endswith(("recording.mp4", "timeline")) else whole
                    whole = whole + f"?at={time.time()}" if whole.endswith("/preview") else whole
                    if path.endswith(ENDLESS):
                        status, body = begin(m, method, whole, headers), b""
                    else:
                        status, body = m.ask(method, whole, None if method in ("GET", "DELETE") else {"none": 1}, headers)
                    what = f"{who}: {method} {whole}: {status} {str(body)[:200]}"
                    checked += 1
                    if role < least:
                        same(status, 401 if role == STRANGER else 403, what)
                        continue
                    true(status not in (401, 403) or path in ("/api/login", "/api/password", "/api/exports/{}/file"), what)
                    if about and camera == HIDDEN and limited and path.endswith(ENDLESS):
                        same(status, 404, what)
                    elif about and camera == HIDDEN and limited:
                        none = m.ask(method, whole.replace(first, "nowhere" if "cameras" in about else "20260101T000000000-nowhere-0000"),
                                     None if method in ("GET", "DELETE") else {"none": 1}, headers)
                        same((status, str(body).replace(first, "?")), (404, str(none[1]).replace("nowhere", "?").replace("20260101T000000000-?-0000", "?")), what)
                    elif camera == OPEN and method == "GET" and about:
                        true(status in (200, 204, 503) or (status == 404 and "no camera" not in str(body)), what)
            for kind in "zones", "lines", "masks", "unmasked", "privacy":
                shape = f"/api/cameras/{OPEN}/{kind}/of-{role}"
                body = {"coordinates": "0.4,0.4,0.6,0.4" if kind == "lines" else "0.4,0.4,0.6,0.4,0.5,0.6"}
                expected = 200 if role == ADMINISTRATOR else 401 if role == STRANGER else 403
                for method in "PUT", "DELETE":
                    same(m.ask(method, shape, body if method == "PUT" else None, session or by or {})[0], expected, f"{who}: {method} {shape}")
        print(f"{len(ROUTES)} routes, {len(actors)} kinds of visitors, {checked} questions")
        m.stop()


def unseen_cameras():
    """No answer to somebody who may see one camera names the other one: not in lists, events, figures, metrics, nor in the live stream."""
    with started("cameras", extra=f"roles: {{operator: {{cameras: [{OPEN}]}}}}\n") as m:
        add(m, "vera", "viewer", [OPEN])
        add(m, "olaf", "operator")
        add(m, "wide", "viewer")
        add(m, "zero", "viewer", [])
        m.wait("events of both", lambda: all(events_of(m, c) for c in (OPEN, HIDDEN)), 90)
        m.ask("PUT", f"/api/cameras/{HIDDEN}/zones/z", {"coordinates": "0,0,1,0,1,1"}, token(ADMIN))
        m.ask("PUT", f"/api/cameras/{OPEN}/zones/z", {"coordinates": "0,0,1,0,1,1"}, token(ADMIN))
        lists = [path for method, path in ROUTES if method == "GET" and "{}" not in path and path not in ENDLESS and ROUTES[method, path] <= VIEWER]
        for name in ("vera", "olaf", "zero", "wide"):
            headers, sees = sign_in(m, name), {"vera": {OPEN}, "olaf": {OPEN}, "zero": set(), "wide": {OPEN, HIDDEN}}[name]
            for path in lists:
                text = m.ask("GET", path, headers=headers, raw=True)[1].decode()
                true(HIDDEN in sees or HIDDEN not in text, f"{name}: {path} names {HIDDEN}")
            same({c["name"] for c in m.ask("GET", "/api/cameras", headers=headers)[1]}, sees, f"{name}: the cameras")
            same({e["camera"] for e in m.ask("GET", "/api/events?limit=500", headers=headers)[1]["events"]}, sees, f"{name}: events")
            same(bool(m.ask("GET", f"/api/events?camera={HIDDEN}", headers=headers)[1]["events"]), HIDDEN in sees, f"{name}: events that were asked for by camera")
            c = m.connect()
            c.request("GET", "/api/live", headers=headers)
            r, text, end = c.getresponse(), b"", time.monotonic() + 4
            while time.monotonic() < end:
                text += r.read1(65536)
            c.close()
            same((HIDDEN.encode() in text, OPEN.encode() in text), (HIDDEN in sees, OPEN in sees), f"{name}: the live stream")
            same(begin(m, "GET", f"/api/live?cameras={HIDDEN}", headers), 200 if HIDDEN in sees else 404, f"{name}: the live stream of {HIDDEN}")
        same({c["name"] for c in m.ask("GET", "/api/cameras", headers=token(VIEW))[1]}, {OPEN, HIDDEN}, "a token sees all, whatever the roles say")
        # A role's list of cameras is read again.
        headers = sign_in(m, "olaf")
        file = folder / "cameras/monitor.yaml"
        file.write_text(file.read_text().replace(f"operator: {{cameras: [{OPEN}]}}", f"operator: {{cameras: [{OPEN}, {HIDDEN}]}}"))
        same(m.ask("POST", "/api/reload", {}, token(ADMIN))[0], 200, "reload")
        same(len(m.ask("GET", "/api/cameras", headers=headers)[1]), 2, "after a reload")
        m.stop()


class Stream:
    """An endless answer that is read; .ended: when it had its end."""

    def __init__(self, m, path, headers):
        self.connection = m.connect()
        self.connection.request("GET", path, headers=headers)
        self.answer = self.connection.getresponse()
        same(self.answer.status, 200, path)
        self.ended, self.bytes = None, 0
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        try:
            while data := self.answer.read1(65536):
                self.bytes += len(data)
        except (OSError, http.client.HTTPException):
            pass
        self.ended = time.monotonic()


def loses():
    """A user who loses a right while watching loses the streams at once; others go on."""
    with started("loses") as m:
        for name in ("vera", "other"):
            add(m, name, "viewer")
        m.wait("pictures", lambda: m.ask("GET", f"/api/cameras/{OPEN}/latest.jpg", headers=token(VIEW))[0] == 200)
        staying = Stream(m, "/api/live", sign_in(m, "other"))
        by_token = Stream(m, "/api/live", token(VIEW))

        def loses_by(what, change, still):
            headers = sign_in(m, "vera")
            streams = [Stream(m, path, headers) for path in ("/api/live", f"/api/cameras/{OPEN}/live.mp4")]
            m.wait("the streams run", lambda: all(s.bytes for s in streams))
            same(change(headers), 200, what)
            at = time.monotonic()
            m.wait(f"{what}: the streams end", lambda: all(s.ended for s in streams), 20)
            print(f"{what}: the last stream ended after {max(s.ended for s in streams) - at:.2f} s")
            same(m.ask("GET", "/api/version", headers=headers)[0], still, f"{what}: the session")

        def patch(body):
            return lambda _: m.ask("PATCH", "/api/users/vera", body, token(ADMIN))[0]

        loses_by("fewer cameras", patch({"cameras": [OPEN]}), 200)
        loses_by("another role", patch({"role": "operator"}), 200)
        loses_by("a new password", patch({"password": PASSWORD + "!"}), 401)
        same(patch({"password": PASSWORD})(None), 200, "the password of before")

        def end(headers):
            own = [s for s in m.ask("GET", "/api/sessions", headers=headers)[1]["sessions"] if s["current"]]
            return m.ask("DELETE", f"/api/sessions/{own[0]['id']}", headers=token(ADMIN))[0]

        loses_by("an administrator ends the session", end, 401)
        loses_by("signed out", lambda headers: m.ask("POST", "/api/logout", {}, headers)[0], 401)
        loses_by("the command line removes the user", lambda _: 200 * (not command("loses", "--remove-user", "vera").returncode), 401)
        true(not staying.ended and not by_token.ended, "streams of others go on")
        m.stop()


def command(name, *words, password=""):
    return subprocess.run([program, "--config", str(folder / name / "monitor.yaml"), "--storage", str(folder / name / "data"), *words], input=password + "\n",
                          capture_output=True, text=True, timeout=120, check=False)


def command_line():
    """--add-user and the like, while the program runs and while it does not; who did it is in the audit log."""
    (folder / "command").mkdir()
    (folder / "command/monitor.yaml").write_text(CAMERAS)
    for words, password, says in ((("--add-user", "anna", "--role", "boss"), PASSWORD, "viewer, operator or admin"), (("--add-user", "a b", "--role", "admin"), PASSWORD, "no name"),
                                  (("--add-user", "anna", "--role", "admin"), "short", "10 to 256"), (("--remove-user", "anna"), "", "no user"),
                                  (("--add-user", "anna", "--role", "viewer", "--cameras", "a/b"), PASSWORD, "no name of a camera")):
        done = command("command", *words, password=password)
        true(done.returncode == 1 and says in done.stderr and PASSWORD not in done.stderr, f"{words}: {done}")
    done = command("command", "--add-user", "Anna", "--role", "admin", password=PASSWORD)
    true(done.returncode == 0 and done.stdout.startswith("anna  admin"), f"{done}")
    true("already" in command("command", "--add-user", "anna", "--role", "admin", password=PASSWORD).stderr, "twice")
    # An administrator with a password: this machine's own requests are nobody's any more.
    with started("command", tokens=False) as m:
        same(m.ask("GET", "/api/cameras")[0], 401, "without a session, on a machine with users")
        headers = sign_in(m, "ANNA")
        same(m.ask("GET", "/api/version", headers=headers)[1]["role"], "admin", "signed in")
        same(command("command", "--add-user", "vera", "--role", "viewer", "--cameras", OPEN, password=PASSWORD).returncode, 0, "while it runs")
        # Not by trying to sign in: wrong passwords are limited.
        m.wait("the program has read it", lambda: any(u["name"] == "vera" for u in m.ask("GET", "/api/users", headers=headers)[1]["users"]), 30)
        same(m.ask("POST", "/api/login", {"user": "vera", "password": PASSWORD})[0], 200, "the new user signs in")
        vera = {"Cookie": cookie_of(m)}
        same(command("command", "--set-password", "vera", password="another password").returncode, 0, "another password")
        m.wait("the session of before has ended", lambda: m.ask("GET", "/api/version", headers=vera)[0] == 401, 30)
        same(m.ask("POST", "/api/login", {"user": "vera", "password": "another password"})[0], 200, "with the new one")
        same(command("command", "--list-users").stdout, f"anna  admin  all cameras\nvera  viewer  {OPEN}\n", "the list")
        did = [(e["who"], e["what"]) for e in m.ask("GET", "/api/audit", headers=headers)[1]["entries"] if e["from"] == "command line"]
        same([what for _, what in did], ["change-user", "add-user", "add-user"], "the audit log")
        true(PASSWORD not in (folder / "command/data/audit.jsonl").read_text() and PASSWORD not in "".join(m.log), "the password is in no log")
        m.stop()


def bad_input():
    """Bodies that are none, and changes that cannot be."""
    with started("bad") as m:
        add(m, "anna", "admin")
        anna = sign_in(m, "anna")
        good = {"name": "vera", "role": "viewer", "password": PASSWORD}
        for change in ({"name": "a/b"}, {"name": ""}, {"name": 5}, {"name": "x" * 33}, {"role": "boss"}, {"role": None}, {"password": "short"}, {"password": 1234567890},
                       {"password": "x" * 257}, {"password": "two\nlines of text"}, {"cameras": "gate"}, {"cameras": [5]}, {"cameras": ["a b"]}, {"more": 1},
                       {"name": "veraveravera", "password": "veraveravera"}):
            status, body = m.ask("POST", "/api/users", {**good, **change}, anna)
            same(status, 400, f"{change}: {body}")
        for missing in good:
            same(m.ask("POST", "/api/users", {k: v for k, v in good.items() if k != missing}, anna)[0], 400, f"without {missing}")
        for text in "", "[]", "null", "{", '"x"', "[" * 100, '{"name": "vera", "name": "\\ud800"}':
            same(m.ask("POST", "/api/users", text, anna)[0], 400, text)
            same(m.ask("POST", "/api/login", text)[0], 400, f"login {text}")
        for body in {}, {"user": "anna"}, {"password": PASSWORD}, {"user": 1, "password": PASSWORD}, {"user": "anna", "password": None}, {"token": ADMIN, "user": "anna"}:
            same(m.ask("POST", "/api/login", body)[0], 400, f"login {body}")
        same(m.ask("POST", "/api/users", {**good, "name": "ANNA"}, anna)[0], 409, "a name that is there, in capitals")
        for what, (method, path, body), wanted in (
                ("nobody", ("PATCH", "/api/users/nobody", {"role": "viewer"}), 404), ("nothing", ("PATCH", "/api/users/anna", {}), 400),
                ("one's own role", ("PATCH", "/api/users/anna", {"role": "viewer"}), 409), ("one's own user", ("DELETE", "/api/users/anna", None), 409),
                ("one's own password without the old one", ("PATCH", "/api/users/anna", {"password": PASSWORD}), 409),
                ("a wrong old password", ("POST", "/api/password", {"old": "wrong password", "new": "a good new one"}), 401),
                ("a short new one", ("POST", "/api/password", {"old": PASSWORD, "new": "short"}), 400), ("no session", ("DELETE", "/api/sessions/none", None), 404)):
            status, answer = m.ask(method, path, body, anna)
            same(status, wanted, f"{what}: {answer}")
        same(m.ask("POST", "/api/password", {"old": PASSWORD, "new": PASSWORD}, token(ADMIN))[0], 403, "a token has no password")
        # Another site's page can change nothing, also in the browser of an administrator.
        for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
            same(m.ask("POST", "/api/users", good, {**anna, **headers})[0], 403, f"{headers}")
        other = sign_in(m, "anna")
        same(m.ask("POST", "/api/password", {"old": PASSWORD, "new": "a good new one"}, anna)[0], 200, "one's own password")
        now = {"Cookie": cookie_of(m)}
        same([m.ask("GET", "/api/version", headers=h)[0] for h in (anna, other, now)], [401, 401, 200], "sessions of the old password end, a new one begins")
        same(m.ask("GET", "/api/users", headers=now)[1]["users"][0]["sessions"], 1, "sessions")
        m.stop()


def guesses():
    """Wrong passwords are limited by address and by name, and neither answer nor time says whether there is such a user."""
    with started("guesses") as m:
        for name in ("anna", "vera"):
            add(m, name, "viewer")
        wrong = {"user": "anna", "password": "wrong password"}
        kept = from_address(m, "127.0.0.9", {"user": "anna", "password": PASSWORD})[1].split(";")[0]
        times = {"vera": [], "nobody": []}
        for i in range(5):
            for name in times:
                begun = time.monotonic()
                status, body = from_address(m, f"127.0.1.{i + 1}", {"user": name, "password": "wrong password"})
                times[name].append(time.monotonic() - begun)
                same((status, body), (401, None), f"wrong password of {name}")
        medians = {name: statistics.median(t) for name, t in times.items()}
        print(f"a wrong password took {1e3 * medians['vera']:.0f} ms, a wrong name {1e3 * medians['nobody']:.0f} ms (medians of 5)")
        true(0.2 < medians["vera"] / medians["nobody"] < 5 and min(medians.values()) > 0.005, f"the time says which is wrong: {times}")
        same(m.ask("POST", "/api/login", {"user": "vera", "password": "x" * 12})[1], m.ask("POST", "/api/login", {"user": "no one", "password": "x" * 12})[1], "the words")
        same([from_address(m, "127.0.2.1", {"user": f"user{i}", "password": "wrong password"})[0] for i in range(12)], [401] * 10 + [429] * 2, "of one address")
        same(from_address(m, "127.0.2.1", {"user": "vera", "password": PASSWORD})[0], 429, "a right one from that address")
        same(from_address(m, "127.0.2.2", {"user": "vera", "password": PASSWORD})[0], 200, "a right one from another address")
        same([from_address(m, f"127.0.3.{i + 1}", wrong)[0] for i in range(12)], [401] * 10 + [429] * 2, "of one name, from many addresses")
        same(from_address(m, "127.0.4.1", {"user": "anna", "password": PASSWORD})[0], 429, "a right one of that name, from an address that is not known")
        same(from_address(m, "127.0.9.9", {"user": "vera", "password": PASSWORD})[0], 200, "another name")
        same(from_address(m, "127.0.0.9", {"user": "anna", "password": PASSWORD})[0], 200, "a right one from where that user is signed in")
        same(m.ask("GET", "/api/version", headers={"Cookie": kept})[0], 200, "a session is not meant")
        same(m.ask("GET", "/api/version", headers=token(VIEW))[0], 200, "nor a token")
        entries = [e for e in m.ask("GET", "/api/audit", headers=token(ADMIN))[1]["entries"] if e["what"] == "wrong-password"]
        true(entries and not any("nobody" in json.dumps(e) for e in entries) and any(e["details"]["user"] == "anna" for e in entries), f"the audit log: {entries}")
        true("wrong password" not in (folder / "guesses/data/audit.jsonl").read_text(), "no password is in the audit log")
        # Many at once: one after another, and few wait.
        found = []
        threads = [threading.Thread(target=lambda i=i: found.append(from_address(m, f"127.0.5.{i + 1}", {"user": "vera", "password": "wrong password"})[0])) for i in range(40)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        same((len(found), set(found) <= {401, 429}, found.count(401) <= 10), (40, True, True), f"many at once: {found}")
        m.stop()


def restart():
    """Sessions outlive the program, also kill -9; neither passwords, tokens nor the words of cookies are in the database."""
    m = started("restart")
    add(m, "vera", "viewer")
    user = sign_in(m, "vera")
    same(m.ask("POST", "/api/login", {"token": ADMIN})[0], 200, "by token")
    by_token = {"Cookie": cookie_of(m)}
    gone = sign_in(m, "vera")
    same(m.ask("POST", "/api/logout", {}, gone)[0], 200, "sign out")
    port = m.port
    m.process.send_signal(signal.SIGKILL)
    m.process.wait(20)
    stored = b"".join(f.read_bytes() for f in (folder / "restart/data").glob("events.db*"))
    for secret in (PASSWORD, ADMIN, VIEW, user["Cookie"].split("=")[1], by_token["Cookie"].split("=")[1]):
        true(secret.encode() not in stored, f"the database holds {secret}")
    for kill in (False, True):
        with started("restart") as m:
            # The cookie's name has the port that was configured: 0 here, the same at each start.
            same([m.ask("GET", "/api/version", headers=h)[0] for h in (user, by_token, gone)], [200, 200, 401], "after a restart")
            same(m.ask("GET", "/api/version", headers=by_token)[1]["role"], "admin", "the role of the token")
            true(m.port != port or True, "")
            if kill:
                m.kill()
            else:
                m.stop()
    (folder / "restart/token").write_text("admin another-admin-0123456789\n")
    file = folder / "restart/monitor.yaml"
    with Monitor(program, folder / "restart/data", "--config", str(file)) as m:
        same([m.ask("GET", "/api/version", headers=h)[0] for h in (user, by_token)], [200, 401], "the token is gone")
        m.stop()


def migration():
    """A database of version 2 becomes one of this version with all that is in it; a newer one is refused with clear words."""
    with started("migration") as m:
        m.wait("an event", lambda: events_of(m, OPEN), 60)
        m.stop()
    file = folder / "migration/data/events.db"
    db = sqlite3.connect(file)
    db.executescript("DROP TABLE users; DROP TABLE sessions; DROP TABLE user_changes; PRAGMA user_version=2;")
    before = db.execute("SELECT id FROM events ORDER BY id").fetchall()
    db.close()
    with started("migration") as m:
        add(m, "vera", "viewer")
        sign_in(m, "vera")
        m.stop()
    db = sqlite3.connect(file)
    same(db.execute("PRAGMA user_version").fetchone()[0], 4, "the version")
    true(set(before) <= set(db.execute("SELECT id FROM events").fetchall()), "the events of before")
    db.execute("PRAGMA user_version=5")
    db.close()
    done = subprocess.run([program, "--config", str(folder / "migration/monitor.yaml"), "--listen", "127.0.0.1:0", "--storage", str(folder / "migration/data")], capture_output=True, text=True,
                          timeout=60, check=False)
    true(done.returncode == 1 and "newer version" in done.stderr, f"a newer one: {done}")
    # What is damaged is copied as far as it can be read: users are in it.
    db = sqlite3.connect(file)
    db.execute("PRAGMA user_version=4")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.execute("PRAGMA writable_schema=ON")
    page = db.execute("SELECT rootpage FROM sqlite_master WHERE name='events_by_size'").fetchone()[0]
    size = db.execute("PRAGMA page_size").fetchone()[0]
    db.close()
    with open(file, "r+b") as f:
        f.seek((page - 1) * size)
        f.write(b"\xff" * size)
    with started("migration") as m:
        sign_in(m, "vera")
        true(any("damaged" in line or "malformed" in line for line in m.log), "the log speaks of the damage")
        m.stop()


def marks():
    """What somebody has seen is that user's own, can be taken back, and goes with the user."""
    with started("marks") as m:
        for name in ("vera", "view"):
            add(m, name, "viewer")
        event = m.wait("an event", lambda: events_of(m, OPEN), 60)[-1]["id"]
        vera, other, view_token = sign_in(m, "vera"), sign_in(m, "view"), token(VIEW)

        def seen(headers):
            return m.ask("GET", f"/api/events/{event}", headers=headers)[1]["seen"]

        same(m.ask("POST", f"/api/events/{event}/seen", {"seen": True}, vera)[0], 200, "seen")
        same(m.ask("POST", f"/api/events/{event}/seen", {"seen": True}, view_token)[0], 200, "seen")
        same([seen(h) for h in (vera, other, view_token)], [True, False, True], "whose marks; a token's name is not a user's")
        same((m.ask("DELETE", f"/api/events/{event}/seen", headers=vera)[1]["seen"], seen(vera)), (False, False), "taken back")
        same(m.ask("POST", f"/api/events/{event}/seen", {"seen": True}, vera)[0], 200, "seen again")
        same(m.ask("DELETE", "/api/users/vera", headers=token(ADMIN))[0], 200, "removed")
        add(m, "vera", "viewer")
        same(seen(sign_in(m, "vera")), False, "another user of the same name")
        same(m.ask("GET", "/api/version", headers=vera)[0], 401, "the session of before")
        m.stop()


def session_lists():
    """A user sees and ends the own sessions; an administrator all of them."""
    with started("sessions") as m:
        for name, role in ("vera", "viewer"), ("olaf", "operator"), ("anna", "admin"):
            add(m, name, role)
        vera, second, olaf, anna = (sign_in(m, n, headers={"User-Agent": f"browser of {n}"}) for n in ("vera", "vera", "olaf", "anna"))

        def ids(headers):
            return {s["id"]: s for s in m.ask("GET", "/api/sessions", headers=headers)[1]["sessions"]}

        own = ids(vera)
        same((len(own), {s["agent"] for s in own.values()}, sum(s["current"] for s in own.values())), (2, {"browser of vera"}, 1), "one's own")
        same((len(ids(olaf)), len(ids(anna)), len(ids(token(ADMIN)))), (1, 4, 4), "an operator's, and an administrator's")
        foreign = next(iter(ids(olaf)))
        same(m.ask("DELETE", f"/api/sessions/{foreign}", headers=vera)[0], 404, "another user's session is none")
        mine = next(i for i, s in own.items() if not s["current"])
        same([m.ask("GET", "/api/version", headers=h)[0] for h in (vera, second, olaf)], [200, 200, 200], "all are signed in")
        same(m.ask("DELETE", f"/api/sessions/{mine}", headers=vera)[0], 200, "one's own other one")
        same([m.ask("GET", "/api/version", headers=h)[0] for h in (vera, second, olaf)], [200, 401, 200], "that one has ended")
        same(m.ask("DELETE", f"/api/sessions/{foreign}", headers=anna)[0], 200, "by an administrator")
        same(m.ask("GET", "/api/version", headers=olaf)[0], 401, "that one has ended")
        did = [(e["who"], e["what"], e.get("details", {}).get("of")) for e in m.ask("GET", "/api/audit", headers=anna)[1]["entries"] if e["what"] == "end-session"]
        same(did, [("anna", "end-session", "olaf"), ("vera", "end-session", "vera")], "the audit log")
        m.stop()


def lost_users():
    """A database that has lost its users opens nothing, however often the program starts; a user of the command line is the way back."""
    own = folder / "lost_users"
    own.mkdir()
    (own / "monitor.yaml").write_text(CAMERAS)
    command = [program, "--config", str(own / "monitor.yaml"), "--storage", str(own / "data")]

    def add_anna():
        subprocess.run([*command, "--add-user", "anna", "--role", "admin"], input=PASSWORD + "\n", text=True, check=True, capture_output=True, timeout=60)

    add_anna()
    for file in (own / "data").glob("events.db-*"):
        file.unlink()
    size = (own / "data/events.db").stat().st_size
    (own / "data/events.db").write_bytes(b"\x55" * size)
    for start in range(3):
        with Monitor(program, own / "data", "--config", str(own / "monitor.yaml")) as m:
            m.wait("an answer", lambda: m.ask("GET", "/healthz")[0] == 200)
            same(m.ask("GET", "/api/version")[0], 401, f"without a sign-in, start {start}")
            true(any("--add-user NAME --role admin" in line for line in m.log), "the log says what to do")
            m.stop()
    add_anna()
    with Monitor(program, own / "data", "--config", str(own / "monitor.yaml")) as m:
        m.wait("an answer", lambda: m.ask("GET", "/healthz")[0] == 200)
        same(m.ask("GET", "/api/version", headers=sign_in(m, "anna"))[1]["role"], "admin", "anna is back")
        true(not any("--add-user" in line for line in m.log), "all is well")
        m.stop()


checks = [lost_users, roles, unseen_cameras, loses, command_line, bad_input, guesses, restart, migration, marks, session_lists]
for check in checks:
    if not sys.argv[3:] or check.__name__ in sys.argv[3:]:
        begun = time.monotonic()
        check()
        print(f"{check.__name__}: good, {time.monotonic() - begun:.0f} s", flush=True)
