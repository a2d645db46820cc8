# SPDX-License-Identifier: LGPL-2.1-or-later
"""The promises of docs/security.md that need the whole program: who gets in, from where, and what a stranger, a viewer or another user of the
machine cannot do.

security.py PROGRAM FOLDER [NAME OF A CHECK]..."""
import contextlib
import http.client
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import sqlite3
import ssl
import stat
import subprocess
import sys
import threading
import time
import warnings

from program import Monitor, begin, same

program, folder = begin("monitor-security")
SCENE = "scenetestsrc is-live=true quiet=0.5 density=2 ! video/x-raw,format=I420,width=160,height=90,framerate=5/1"
ADMIN, VIEW, OTHER = "admin-token-0123456789", "view-token-0123456789", "another-admin-0123456789"


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def configuration(name, text, tokens=f"admin {ADMIN} anna\nview {VIEW}\n"):
    """A configuration file of its own folder, with a token file next to it where there are tokens."""
    own = folder / name
    own.mkdir()
    if tokens:
        (own / "token").touch(0o600)
        (own / "token").write_text(tokens)
    file = own / "monitor.yaml"
    file.touch(0o600)
    file.write_text(text.replace("TOKENS", f"token_file: {own}/token"))
    return file


def started(file, *args, **more):
    return Monitor(program, file.parent / "data", "--config", str(file), *args, **more)


def ready(m):
    m.wait("an answer", lambda: m.ask("GET", "/healthz")[0] == 200)
    return m


CAMERA = f'cameras:\n  a: {{source: "{SCENE}"}}\n'


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Forwarder:
    """A TCP forwarder on this machine, as of ssh -R or socat."""

    def __init__(self, to):
        self.to = to
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        with contextlib.suppress(OSError):
            while True:
                client = self.listener.accept()[0]
                server = socket.create_connection(("127.0.0.1", self.to))
                for a, b in (client, server), (server, client):
                    threading.Thread(target=self.copy, args=(a, b), daemon=True).start()

    @staticmethod
    def copy(a, b):
        with contextlib.suppress(OSError):
            while data := a.recv(65536):
                b.sendall(data)
            b.shutdown(socket.SHUT_WR)


def status(port, path, headers=None, method="GET", tls=None):
    c = http.client.HTTPSConnection("127.0.0.1", port, timeout=20, context=tls) if tls else http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        c.request(method, path, headers=headers or {})
        r = c.getresponse()
        r.read()
        return r.status
    finally:
        c.close()


def desktop():
    """Without tokens, on loopback: a person at this machine needs none. With a token file, a host name or another address everybody needs one."""
    with ready(started(configuration("desktop", CAMERA, ""))) as m:
        same(m.ask("GET", "/api/version")[1]["role"], "admin", "at this machine")
        for name in ("X-Forwarded-For", "CF-Connecting-IP", "True-Client-IP", "X-Client-IP", "X-Forwarded-Port", "X-Envoy-Internal"):
            for value in "", "1.2.3.4":
                same(m.ask("GET", "/api/cameras", headers={name: value})[0], 401, f"forwarded: {name}")
        m.stop()
    for name, http_words, tokens in (("with-tokens", "TOKENS", f"admin {ADMIN}\n"), ("with-hosts", "hosts: [cam.example]", "")):
        file = configuration(name, f"http: {{{http_words}}}\n" + CAMERA, tokens)
        with ready(started(file)) as m:
            same(m.ask("GET", "/api/cameras")[0], 401, f"{name}: from this machine")
            own = dict(line.split()[:2] for line in ((file.parent if tokens else file.parent / "data") / "token").read_text().splitlines())
            same(m.ask("GET", "/api/version", headers=bearer(own["admin"]))[1]["role"], "admin", f"{name}: by token")
            m.stop()
    file = configuration("unit", CAMERA, "")
    with ready(started(file, "--local", "none")) as m:
        same((m.ask("GET", "/api/cameras")[0], (file.parent / "data/token").exists()), (401, True), "as a service starts it: --local none")
        m.stop()
    file = configuration("view-here", "http: {TOKENS, local: view}\n" + CAMERA)
    with ready(started(file)) as m:
        same((m.ask("GET", "/api/cameras")[0], m.ask("POST", "/api/reload", {})[0]), (200, 403), "local: view")
        m.stop()
    done = subprocess.run([program, "--config", str(configuration("wrong", "http: {listen: '0.0.0.0:0', local: admin}\n" + CAMERA)), "--check"], capture_output=True,
                          text=True, timeout=60, check=False)
    same((done.returncode, "local: none" in done.stderr), (1, True), f"local: admin where others reach it: {done.stderr}")


def ended_or_unknown():
    """Where this machine's own requests are an administrator's, a token and a session still say who it is; one that ended or is unknown makes nobody local."""
    file = configuration("dead-token", "http: {TOKENS, local: admin}\n" + CAMERA)
    with ready(started(file)) as m:
        def answers(token):
            """401 is 429 after several."""
            found = m.ask("GET", "/api/cameras", headers=bearer(token))[0], m.ask("POST", "/api/reload", {}, bearer(token))[0]
            return tuple(401 if x == 429 else x for x in found)
        same((m.ask("GET", "/api/version")[1]["role"], answers(VIEW)), ("admin", (200, 403)), "without a token, and by the viewer's")
        for token in ("no-such-token-0123456789", "", VIEW[:-1], VIEW + "x"):
            same(answers(token), (401, 401), f"the token '{token}'")
        (file.parent / "token").write_text(f"admin {ADMIN} anna\n")
        same(m.ask("POST", "/api/reload", {})[0], 200, "the viewer's token is deleted")
        same((answers(VIEW), status(m.port, "/api/cameras/a/live.mp4", bearer(VIEW)) in (401, 429)), ((401, 401), True), "a deleted token")
        same((m.ask("GET", "/api/version")[1]["role"], answers(ADMIN)), ("admin", (200, 200)), "the others")
        # A browser loses the cookie of a session that ended by the answer, and is this machine's again.
        same(m.ask("POST", "/api/login", {"token": ADMIN})[0], 200, "a session")
        cookie = {"Cookie": m.headers["Set-Cookie"].split(";")[0]}
        name = cookie["Cookie"].split("=")[0]
        same((m.ask("POST", "/api/reload", {}, cookie)[0], m.ask("POST", "/api/logout", {}, cookie)[0]), (200, 200), "it ends")
        for dead in cookie, {"Cookie": f"{name}=guess"}, {"Cookie": f"{name}="}:
            for method, path, body in ("GET", "/api/version", None), ("POST", "/api/reload", {}):
                same(m.ask(method, path, body, dead)[0] in (401, 429), True, f"{method} {path}, a dead session: {dead}")
        (file.parent / "token").write_text(f"admin {OTHER} bob\n")
        same(m.ask("POST", "/api/login", {"token": ADMIN})[0], 200, "another session")
        cookie = {"Cookie": m.headers["Set-Cookie"].split(";")[0]}
        same((m.ask("POST", "/api/reload", {})[0], m.ask("POST", "/api/reload", {}, cookie)[0] in (401, 429)), (200, True), "its token is deleted")
        same(m.ask("GET", "/api/cameras", headers={"Cookie": "another=x"})[0], 200, "a cookie of another server")
        m.stop()
    with ready(started(configuration("dead-session", "http: {TOKENS, local: admin}\n" + CAMERA))) as m:
        m.ask("POST", "/api/login", {"token": VIEW})
        cookie = {"Cookie": m.headers["Set-Cookie"].split(";")[0]}
        m.ask("POST", "/api/logout", {}, cookie)
        same((m.ask("GET", "/api/version", headers=cookie)[0], m.headers.get("Set-Cookie", "").split(";")[0], "Max-Age=0" in m.headers.get("Set-Cookie", "")),
             (401, cookie["Cookie"].split("=")[0] + "=", True), "the answer takes the dead cookie away")
        same([m.ask("GET", "/api/login", headers=h)[1]["needed"] for h in ({}, cookie, bearer(VIEW), {"X-Forwarded-For": "1.2.3.4"})], [False, True, False, True], "who needs to sign in")
        same((m.ask("GET", "/api/version", headers={**cookie, "X-Forwarded-For": "1.2.3.4"})[0], "Set-Cookie" in m.headers), (401, False), "through a proxy it does not")
        m.stop()


def forwarders():
    """A proxy or a forwarder on this machine that sends no header makes nobody local where there are tokens."""
    with ready(started(configuration("forwarders", "http: {TOKENS}\n" + CAMERA))) as m:
        forwarder = Forwarder(m.port)
        same(status(forwarder.port, "/api/cameras"), 401, "by a TCP forwarder")
        same(status(forwarder.port, "/api/cameras/a/overrides", method="DELETE"), 401, "a change by a TCP forwarder")
        same(status(forwarder.port, "/api/cameras", bearer(VIEW)), 200, "by a TCP forwarder, with a token")
        nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/sbin")
        if not nginx:
            print("SKIPPED in part: no nginx here (apt-get install nginx-light): its bare proxy_pass is not tried")
        else:
            own, port = folder / "forwarders" / "nginx", free_port()
            own.mkdir()
            (own / "nginx.conf").write_text(f"daemon off; pid {own}/pid; error_log {own}/error.log; events {{}} http {{ access_log off; client_body_temp_path {own}/b; "
                                            f"proxy_temp_path {own}/p; fastcgi_temp_path {own}/f; uwsgi_temp_path {own}/u; scgi_temp_path {own}/s; "
                                            f"server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://127.0.0.1:{m.port}; }} }} }}\n")
            proxy = subprocess.Popen([nginx, "-p", str(own), "-c", str(own / "nginx.conf")], stderr=subprocess.DEVNULL)
            try:
                def up():
                    with contextlib.suppress(OSError):
                        return status(port, "/healthz") == 200
                m.wait("nginx", up)
                same(status(port, "/api/cameras"), 401, "by nginx's bare proxy_pass")
                same(status(port, "/api/cameras/a/overrides", method="DELETE"), 401, "a change by nginx's bare proxy_pass")
                same(status(port, "/api/cameras", bearer(VIEW)), 200, "by nginx, with a token")
            finally:
                proxy.terminate()
                proxy.wait(20)
        m.stop()


def strangers():
    """Two addresses hold all the connections they get, and open them again as they are closed; a health probe is answered meanwhile."""
    file = configuration("strangers", "http: {TOKENS}\n" + CAMERA)
    m = Monitor(program, file.parent / "data", "--config", str(file))
    with ready(m):
        def opened(source):
            s = socket.socket()
            s.bind((source, 0))
            s.settimeout(5)
            s.connect(("127.0.0.1", m.port))
            s.setblocking(False)
            with contextlib.suppress(OSError):
                s.send(b"GET / HTTP/1.1\r\n")
            return s

        held = [(source, opened(source)) for source in ["127.0.0.2"] * 128 + ["127.0.0.3"] * 72]
        worst, answers, end = 0.0, 0, time.monotonic() + 15
        reopened, busy = 0, threading.Event()

        def hold():
            nonlocal reopened
            while not busy.is_set():
                for i, (source, s) in enumerate(held):
                    gone = False
                    try:
                        gone = s.recv(16) == b""
                    except BlockingIOError:
                        pass
                    except OSError:
                        gone = True
                    if gone:
                        s.close()
                        with contextlib.suppress(OSError):
                            held[i] = (source, opened(source))
                            reopened += 1
                time.sleep(0.05)

        thread = threading.Thread(target=hold)
        thread.start()
        try:
            while time.monotonic() < end:
                begun = time.monotonic()
                same(m.ask("GET", "/healthz")[0], 200, "a probe")
                same(m.ask("GET", "/api/version", headers=bearer(VIEW))[0], 200, "somebody with a token")
                worst = max(worst, time.monotonic() - begun)
                answers += 1
                time.sleep(1)
        finally:
            busy.set()
            thread.join()
        for _, s in held:
            s.close()
        print(f"{answers} probes, the slowest {worst:.2f} s; {reopened} connections made again")
        if worst > 5 or answers < 3 or reopened < 100:
            raise AssertionError("the probes")
        m.stop()


SOURCES = {
    "plain": "rtsp://admin:SECRET1@127.0.0.1:9/x",
    "comma": "rtsp://admin:SEC,RET2@127.0.0.1:9/x",
    "paren": "rtsp://admin:SEC)RET3@127.0.0.1:9/x",
    "quote": "rtsp://admin:SEC'RET4@127.0.0.1:9/x",
    "srt": "srt://127.0.0.1:9?mode=caller&passphrase=SECRET5SECRET5",
    "pass": "http://127.0.0.1:9/video.cgi?user=admin&pass=SECRET6",
    "loginpas": "http://127.0.0.1:9/videostream.cgi?loginuse=admin&loginpas=SECRET7",
    "upper": "http://127.0.0.1:9/cgi?USER=admin&PWD=SECRET8",
    "useronly": "rtsp://SECRET9token@127.0.0.1:9/x",
    "launchq": "rtspsrc location=rtsp://127.0.0.1:9/x user-id=admin user-pw=\\\"SECRET10\\\" ! rtph264depay",
    "launchs": "rtspsrc location=rtsp://127.0.0.1:9/x user-id=admin user-pw = SECRET11 ! rtph264depay",
    "proxy": "rtspsrc location=rtsp://127.0.0.1:9/x user-id=admin user-pw=ok proxy-pw=SECRET12 ! rtph264depay",
    "header": "souphttpsrc location=http://127.0.0.1:9/x extra-headers=\\\"h,Authorization=(string)SECRET13\\\" ! jpegdec",
    "auth": "http://127.0.0.1:9/zm/cgi-bin/nph-zms?monitor=1&auth=SECRET14",
    "key": "http://127.0.0.1:9/x?api_key=SECRET15&apikey=SECRET15",
    "variable": "rtsp://admin:${VIGIL_TEST_PASSWORD}@127.0.0.1:9/x",
    "file": "/nowhere/SECRET-is-no-secret-here.mp4",
}


def secrets():
    """What a viewer sees of sources and webhook, and the log, hold no password, whatever it is made of."""
    lines = "".join(f'  {name}: {{source: "{source}", record: {{enabled: false}}}}\n' for name, source in SOURCES.items() if name != "file")
    file = configuration("secrets", 'http: {TOKENS}\nmqtt: {host: 127.0.0.1, port: 9, user: u, password: SECRET21}\n'
                                    'webhook: {url: "http://127.0.0.1:9/api/webhook/SECRET20-path"}\ncameras:\n' + lines)
    with ready(started(file, env={**os.environ, "VIGIL_TEST_PASSWORD": "SECRET 22"})) as m:
        view = bearer(VIEW)
        m.wait("all cameras to fail", lambda: all(c["reason"] for c in m.ask("GET", "/api/cameras", headers=view)[1]), 60)
        said = "".join(m.log)
        for path in ("/api/cameras", "/api/config", "/api/overrides", "/api/stats", "/api/cameras/plain", "/metrics"):
            said += m.ask("GET", path, headers=view, raw=True)[1].decode()
        for secret in ("SECRET", "SEC,RET", "SEC)RET", "SEC'RET", "RET2@", ADMIN, VIEW):
            same(secret in said, False, f"{secret} in answers or log: {said[max(0, said.find(secret) - 100):][:200]}")
        config = m.ask("GET", "/api/config", headers=view)[1]
        same((config["webhook"]["url"], config["cameras"]["comma"]["source"], config["cameras"]["proxy"]["source"]),
             ("http://127.0.0.1:9", "rtsp://127.0.0.1:9/...", "rtspsrc ! rtph264depay"), "what is shown")
        m.stop()


def certificates():
    """TLS: 1.2 and newer alone, HSTS, a new certificate at SIGHUP; never plain HTTP in its place."""
    own = configuration("tls", "http: {TOKENS, certificate: TLS/cert.pem, key: TLS/key.pem}\n".replace("TLS", str(folder / "tls")) + CAMERA)
    cert, key = own.parent / "cert.pem", own.parent / "key.pem"

    def make(name):
        done = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1", "-subj", f"/CN={name}",
                               "-keyout", str(key), "-out", str(cert)], capture_output=True, check=False)
        return done.returncode == 0
    if not shutil.which("openssl") or not make("first"):
        print("SKIPPED in part: TLS, since there is no openssl to make a certificate (apt-get install openssl)")
        return
    with ready(started(own)) as m:
        same(m.tls, True, "it says https")
        same(m.ask("GET", "/healthz") and m.headers["Strict-Transport-Security"], "max-age=31536000", "HSTS")

        def version(most):
            context = ssl._create_unverified_context()  # pylint: disable=protected-access
            context.set_ciphers("ALL:@SECLEVEL=0")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that these versions are old is why they are asked for
                context.minimum_version = ssl.TLSVersion.TLSv1
                context.maximum_version = most
            try:
                with socket.create_connection(("127.0.0.1", m.port), 20) as s, context.wrap_socket(s) as t:
                    return t.version(), t.cipher()[0]
            except (ssl.SSLError, ConnectionError):
                return None, ""
        same([version(v)[0] for v in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1, ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3)], [None, None, "TLSv1.2", "TLSv1.3"],
             "versions of TLS")
        same("DHE-" in version(ssl.TLSVersion.TLSv1_2)[1], True, "forward secrecy")
        for plain in ("AES128-SHA", "AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-SHA"):
            done = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{m.port}", "-tls1_2", "-cipher", f"{plain}:@SECLEVEL=0"], input="", capture_output=True,
                                  text=True, timeout=30, check=False)
            same("Cipher is (NONE)" in done.stdout, True, f"a cipher that is refused: {plain}")
        with contextlib.suppress(OSError, http.client.HTTPException):
            raise AssertionError(f"plain HTTP got an answer: {status(m.port, '/healthz')}")
        same(m.ask("POST", "/api/login", {"token": VIEW})[0], 200, "signing in")
        same(m.headers["Set-Cookie"].startswith("__Host-vigil_session_"), True, m.headers["Set-Cookie"])

        def shown():
            return ssl.get_server_certificate(("127.0.0.1", m.port))
        before = shown()
        make("second")
        m.process.send_signal(signal.SIGHUP)
        m.wait("the new certificate", lambda: shown() != before)
        key.write_text("")
        m.process.send_signal(signal.SIGHUP)
        m.wait("the reason why not", lambda: any("is empty" in line for line in m.log))
        same(shown() != before, True, "the second one goes on")
        m.stop()
    good = cert.read_bytes()
    for name, text in (("an empty certificate", b""), ("half a certificate", good[:200])):
        cert.write_bytes(text)
        make_key = subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", str(key)], capture_output=True, check=False)
        same(make_key.returncode, 0, "a key")
        for more in (["--check"], []):
            done = subprocess.run([program, "--config", str(own), "--listen", "127.0.0.1:0", "--storage", str(own.parent / "data"), *more], capture_output=True, text=True,
                                  timeout=60, check=False)
            same((done.returncode, "certificate" in done.stderr, done.stdout), (1, True, ""), f"{name} {more}: {done.stderr}")
    cert.write_bytes(good)  # and the key of another
    done = subprocess.run([program, "--config", str(own), "--check"], capture_output=True, text=True, timeout=60, check=False)
    same((done.returncode, "belong together" in done.stderr), (1, True), f"a key of another certificate: {done.stderr}")
    cert.unlink()
    cert.mkdir()
    done = subprocess.run([program, "--config", str(own), "--check"], capture_output=True, text=True, timeout=60, check=False)
    same(done.returncode, 1, f"a folder: {done.stderr}")


def guesses():
    """A person who guesses locks out nobody: right tokens pass. Each way to guess is limited, counted and logged."""
    with ready(started(configuration("guesses", "http: {TOKENS}\n" + CAMERA))) as m:
        ways = {"Bearer": lambda i: m.ask("GET", "/api/cameras", headers=bearer(f"guess-{i}-0123456789"))[0],
                "login": lambda i: m.ask("POST", "/api/login", {"token": f"guess-{i}-0123456789"})[0],
                "cookie": lambda i: m.ask("GET", "/api/cameras", headers={"Cookie": f"vigil_session_0=guess-{i}"})[0]}
        same([ways["Bearer"](i) for i in range(12)], [401] * 10 + [429] * 2, "by Bearer")
        same((ways["login"](0), ways["cookie"](0)), (429, 429), "the other ways count as well")
        same(m.ask("GET", "/api/cameras", headers=bearer(VIEW))[0], 200, "a right token, by Bearer")
        same(m.ask("POST", "/api/login", {"token": ADMIN})[0], 200, "a right token, by login")
        cookie = {"Cookie": m.headers["Set-Cookie"].split(";")[0]}
        same(m.ask("GET", "/api/version", headers=cookie)[1]["role"], "admin", "a session")
        c = http.client.HTTPConnection("127.0.0.1", m.port, timeout=20, source_address=("127.0.0.9", 0))
        c.request("GET", "/api/cameras", headers=bearer("another guess 0123"))
        same(c.getresponse().status, 401, "from elsewhere")
        c.close()
        metrics = m.ask("GET", "/metrics", headers=bearer(VIEW))[1].decode()
        same("vigil_auth_failures_total 15\n" in metrics, True, f"in the metrics: {[line for line in metrics.splitlines() if 'auth' in line]}")
        lines = [line for line in m.log if "wrong token from" in line]
        same([("127.0.0.1 " in lines[0], "127.0.0.9 " in lines[1]), len(lines)], [(True, True), 2], f"a line for each address: {lines}")
        m.stop()


def audit():
    """Who signed in, deleted, switched and changed what, in the log and in audit.jsonl, which stays."""
    file = configuration("audit", f"http: {{TOKENS}}\nrecord: {{pre_capture: 1, post_capture: 1, max_clip: 2}}\ncameras:\n  a: {{source: \"{SCENE}\", cudamog: "
                                  f"{{motion-hold: 300}}}}\n")
    with ready(started(file)) as m:
        admin, view = bearer(ADMIN), bearer(VIEW)
        event = m.wait("an event", lambda: [e for e in m.ask("GET", "/api/events", headers=view)[1]["events"] if e["end_time"]], 60)[0]
        m.ask("POST", "/api/login", {"token": ADMIN})
        cookie = {"Cookie": m.headers["Set-Cookie"].split(";")[0]}
        for method, path, body, what in (
                ("POST", f"/api/events/{event['id']}/retain", {"retain": True}, "retain"), ("DELETE", f"/api/events/{event['id']}", None, "delete-event"),
                ("PATCH", "/api/cameras/a/switches", {"recordings": False}, "switches"), ("PUT", "/api/cameras/a/zones/z", {"coordinates": "0,0,1,0,1,1"}, "set-shape"),
                ("DELETE", "/api/cameras/a/zones/z", None, "delete-shape"), ("DELETE", "/api/cameras/a/overrides", None, "forget-overrides"),
                ("POST", "/api/reload", {}, "reload"), ("POST", "/api/logout", {}, "sign-out")):
            same(m.ask(method, path, body, cookie)[0], 200, what)
            last = json.loads((file.parent / "data/audit.jsonl").read_text().splitlines()[-1])  # on the disk when the answer is there
            same((last["what"], last["who"], last["role"], last["from"]), (what, "anna", "admin", "127.0.0.1"), f"the line of {what}")
            m.wait(f"{what} in the log", lambda of=what: any(f"anna from 127.0.0.1: {of}" in line for line in m.log), 10)
        same(m.ask("GET", "/api/cameras", headers=cookie)[0], 401, "the session has ended")
        entries = m.ask("GET", "/api/audit?limit=20", headers=admin)[1]["entries"]
        same([e["what"] for e in entries[:3]] + [entries[7]["details"]["event"]], ["wrong-token", "sign-out", "reload", event["id"]], "newest first")
        same({"sign-in", "delete-event", "sign-out"} <= {e["what"] for e in entries}, True, f"all of them: {entries}")
        same(m.ask("GET", "/api/audit", headers=view)[0], 403, "a viewer does not see it")
        same(m.ask("DELETE", "/api/audit", headers=admin)[0], 405, "nobody deletes it")
        same(stat.S_IMODE((file.parent / "data/audit.jsonl").stat().st_mode), 0o600, "its mode")
        m.stop()


def rotation():
    """A token that was changed is wrong from the next SIGHUP on, and so are the sessions that it began; a mistake in the file changes nothing."""
    file = configuration("rotation", "http: {TOKENS}\n" + CAMERA)
    token_file = file.parent / "token"
    with ready(started(file)) as m:
        m.ask("POST", "/api/login", {"token": ADMIN})
        cookie = {"Cookie": m.headers["Set-Cookie"].split(";")[0]}
        same(ADMIN in cookie["Cookie"], False, "the token in a cookie")
        same(m.ask("GET", "/api/cameras", headers=cookie)[0], 200, "the session")
        token_file.write_text("admin short\n")
        same(m.ask("POST", "/api/reload", {}, bearer(ADMIN))[0], 400, "a mistake in the file")
        same(m.ask("GET", "/api/cameras", headers=cookie)[0], 200, "the session after it")
        token_file.write_text(f"admin {OTHER} bob\nview {VIEW}\n")
        m.process.send_signal(signal.SIGHUP)
        m.wait("the new token", lambda: m.ask("GET", "/api/cameras", headers=bearer(OTHER))[0] == 200)
        same((m.ask("GET", "/api/cameras", headers=bearer(ADMIN))[0], m.ask("GET", "/api/cameras", headers=cookie)[0]), (401, 401), "the old token and its session")
        same(m.ask("GET", "/api/cameras", headers=bearer(VIEW))[0], 200, "a token that stayed")
        m.stop()


def streams():
    """One address has eight live streams; others have room."""
    with ready(started(configuration("streams", "http: {TOKENS}\n" + CAMERA))) as m:
        def stream(source, path="/api/live"):
            c = http.client.HTTPConnection("127.0.0.1", m.port, timeout=20, source_address=(source, 0))
            c.request("GET", path, headers=bearer(VIEW))
            r = c.getresponse()
            return r.status, c, r
        open_ones = [stream("127.0.0.2") for _ in range(9)]
        same([s for s, _, _ in open_ones], [200] * 8 + [503], "nine of one address")
        same(b"close one" in open_ones[8][2].read(), True, "the reason")
        other = stream("127.0.0.3")
        same(other[0], 200, "one of another")
        for _, c, r in open_ones[:1]:
            c.sock and c.sock.shutdown(socket.SHUT_RDWR)
            r.close()
            c.close()

        def again():
            s, c, r = stream("127.0.0.2")
            if s == 200:
                return c, r
            c.close()
            return None
        kept = m.wait("a place that became free", again)
        for c in [kept[0], other[1]] + [c for _, c, _ in open_ones[1:]]:
            c.close()
        m.stop()


def pages():
    """What other sites' pages get, and what the answers forbid them."""
    with ready(started(configuration("pages", CAMERA, ""))) as m:
        for site in "cross-site", "same-site":
            foreign = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
            for path in ("/api/cameras", "/api/cameras/a/latest.jpg", "/api/live", "/metrics"):
                same(m.ask("GET", path, headers=foreign)[0], 403, f"{path} for a page of another site")
        same(m.ask("GET", "/api/cameras", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"})[0], 200, "a link")
        same((m.headers["Cross-Origin-Resource-Policy"], m.headers["Cross-Origin-Opener-Policy"]), ("same-origin", "same-origin"), "headers")
        same("Strict-Transport-Security" in m.headers, False, "HSTS without TLS")
        m.stop()


def few_descriptors():
    """Strangers' connections take a third of a small number of descriptors, so that cameras keep theirs."""
    few = 150
    with subprocess.Popen(["prlimit", f"--nofile={few}:{few}", program, "--listen", "127.0.0.1:0", "--storage", str(folder / "few"), SCENE],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as p:
        said = []
        threading.Thread(target=lambda: said.extend(iter(p.stderr.readline, "")), daemon=True).start()
        port = int(p.stdout.readline().rsplit(":", 1)[1].strip("/\n"))
        connections = []
        for _ in range(120):
            connections.append(socket.create_connection(("127.0.0.1", port), timeout=10))
            connections[-1].sendall(b"GET / HTTP/1.1\r\n")
        time.sleep(2)
        used = len(os.listdir(f"/proc/{p.pid}/fd"))
        for c in connections:
            c.close()
        p.terminate()
        same((used < few - 30, any(f"at most {few} files" in line for line in said)), (True, True), f"{used} descriptors of {few}; {said}")
        same(p.wait(30), 0, "the end")


def this_machine():
    """Other users of the machine: nothing of the storage folder, no password in ps, a warning of a file that shows one; many descriptors."""
    own = folder / "machine"
    own.mkdir()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)

    def ordinary():
        os.umask(0o022)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(256, hard), hard))
    m = Monitor.__new__(Monitor)
    m.host, m.log, m.tls = None, [], False
    m.process = subprocess.Popen([program, "--listen", "127.0.0.1:0", "--storage", str(own / "data"), "rtsp://admin:HUNTER2hunter@127.0.0.1:9/x", SCENE],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=ordinary)  # pylint: disable=subprocess-popen-preexec-fn
    threading.Thread(target=lambda: m.log.extend(iter(m.process.stderr.readline, "")), daemon=True).start()
    m.port = int(m.process.stdout.readline().rsplit(":", 1)[1].strip("/\n"))
    with m:
        ready(m)
        words = pathlib.Path(f"/proc/{m.process.pid}/cmdline").read_bytes()
        same((b"HUNTER2" in words, b"rtsp://127.0.0.1:9" in words), (False, True), f"ps: {words}")
        m.wait("a database", lambda: (own / "data/events.db").exists())
        loose = [str(p) for p in [own / "data", *(own / "data").rglob("*")] if stat.S_IMODE(p.stat().st_mode) & 0o077]
        same(loose, [], "what others may read")
        limits = pathlib.Path(f"/proc/{m.process.pid}/limits").read_text()
        line = next(line for line in limits.splitlines() if line.startswith("Max open files"))
        same(line.split()[3] == line.split()[4], True, f"descriptors: {line}; here {soft}, {hard}")
        m.stop()
    file = configuration("loose", 'cameras:\n  a: {source: "rtsp://admin:SECRET30@127.0.0.1:9/x"}\n', "")
    file.chmod(0o644)
    with ready(started(file)) as m:
        same([("chmod o-r" in line, "SECRET30" in line) for line in m.log if "holds passwords" in line], [(True, False)], "a warning")
        m.stop()


def health():
    """/healthz, /api/stats and /metrics wait neither for viewers' questions nor for another program's hold on the database."""
    with ready(started(configuration("health", "http: {TOKENS}\n" + CAMERA))) as m:
        view = bearer(VIEW)
        same(m.ask("GET", "/api/stats", headers=view)[0], 200, "figures")
        done = threading.Event()

        def ask():
            while not done.is_set():
                with contextlib.suppress(OSError, http.client.HTTPException):
                    status(m.port, "/api/events?zone=none", view)
        viewers = [threading.Thread(target=ask) for _ in range(32)]
        with contextlib.closing(sqlite3.connect(folder / "health/data/events.db", isolation_level=None, timeout=30)) as db:
            db.execute("BEGIN IMMEDIATE")  # a backup
            for v in viewers:
                v.start()
            worst = {}
            try:
                for _ in range(8):
                    for path in "/healthz", "/api/stats", "/metrics":
                        begun = time.monotonic()
                        same(status(m.port, path, view), 200, path)
                        worst[path] = max(worst.get(path, 0), time.monotonic() - begun)
                    time.sleep(0.5)
            finally:
                done.set()
                db.execute("ROLLBACK")
                for v in viewers:
                    v.join()
        print("slowest:", {path: round(s, 2) for path, s in worst.items()})
        if max(worst.values()) > 5:
            raise AssertionError("they waited")
        m.stop()


checks = [desktop, ended_or_unknown, forwarders, strangers, secrets, certificates, guesses, audit, rotation, streams, pages, this_machine, few_descriptors, health]
if __name__ == "__main__":
    for check in [c for c in checks if c.__name__ in sys.argv[3:]] or checks:
        start = time.monotonic()
        check()
        print(f"{check.__name__} good, {time.monotonic() - start:.0f} s", flush=True)
