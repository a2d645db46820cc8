# SPDX-License-Identifier: LGPL-2.1-or-later
"""Messages of vigil-monitor to people, by ntfy and by mail: received by servers of this test, good ones and bad ones.

notify.py PROGRAM FOLDER [NAME OF A CHECK]..."""
import base64
import contextlib
import email
import email.policy
import json
import os
import re
import socket
import ssl
import subprocess
import sys
import threading
import time

from program import Monitor, begin, same, true
from receiver import Receiver

program, folder = begin("monitor-notify")
SCENE = "scenetestsrc is-live=true quiet=0.5 density=2 ! video/x-raw,format=I420,width=160,height=90,framerate=5/1"
CAMERAS = f"""
record: {{pre_capture: 1, post_capture: 1, max_clip: 2}}
cameras:
  gate: {{source: "{SCENE}", cudamog: {{motion-hold: 300}}}}
"""
TOKEN, PASSWORD, TOPIC = "tk_0123456789secret", "mail-password-0123", "secret-topic-0123"


def certificate(name, host="localhost"):
    key, file = folder / f"{name}.key", folder / f"{name}.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host},IP:127.0.0.1",
                    "-keyout", key, "-out", file], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file, key)
    return file, context


class Mail:
    """A mail server; .mails: (sender, people, message). `context`: it offers STARTTLS. `refuse`: its answer to RCPT."""

    def __init__(self, context=None, refuse=None):
        self.context, self.refuse, self.mails, self.logins, self.plain = context, refuse, [], [], []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            connection = self.listener.accept()[0]
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, c):
        with contextlib.suppress(OSError, ValueError), c:
            c.settimeout(30)
            secure = False
            file = c.makefile("rb")

            def say(line):
                c.sendall(line.encode() + b"\r\n")
            say("220 mail.test ESMTP")
            sender, people = "", []
            while line := file.readline().decode().strip():
                word = line.split()[0].upper()
                if not secure:
                    self.plain.append(line)
                if word == "EHLO":
                    say("250-mail.test")
                    if self.context and not secure:
                        say("250-STARTTLS")
                    say("250-AUTH PLAIN LOGIN")
                    say("250 8BITMIME")
                elif word == "STARTTLS":
                    say("220 go ahead")
                    c = self.context.wrap_socket(c, server_side=True)
                    file, secure = c.makefile("rb"), True
                elif word == "AUTH":
                    parts = line.split()
                    if len(parts) < 3:
                        say("334 ")
                        parts.append(file.readline().decode().strip())
                    self.logins.append((secure, base64.b64decode(parts[2]).decode().split("\0")[1:]))
                    say("235 welcome")
                elif word == "MAIL":
                    sender, people = re.search("<(.*)>", line)[1], []
                    say("250 ok")
                elif word == "RCPT":
                    people.append(re.search("<(.*)>", line)[1])
                    say(self.refuse or "250 ok")
                elif word == "DATA":
                    say("354 go on")
                    lines = []
                    while (data := file.readline()) != b".\r\n":
                        lines.append(data[1:] if data.startswith(b"..") else data)
                    self.mails.append((sender, people, email.message_from_bytes(b"".join(lines), policy=email.policy.default)))
                    say("250 taken")
                elif word == "QUIT":
                    say("221 bye")
                    return
                else:
                    say("250 ok")


def started(name, notify, env=None, more=CAMERAS):
    file = folder / f"{name}.yaml"
    file.touch(0o600)
    file.write_text(f"notify:\n{notify}\n{more}")
    return Monitor(program, folder / name, "--config", str(file), env={**os.environ, **(env or {})})


def burst():
    """What happens within the shortest interval is one message, with the newest picture; the next one comes after it."""
    ntfy = Receiver()
    with started("burst", f'  - {{ntfy: {{server: "http://127.0.0.1:{ntfy.port}/", topic: {TOPIC}, token: "{TOKEN}"}}, min_interval: 12}}') as m:
        m.wait("two messages", lambda: len(ntfy.got) >= 2, 120)
        events = {e["id"]: e for e in m.get("/api/events?limit=500")["events"]}
        said = "".join(m.log) + json.dumps(m.get("/api/config"))
        m.stop()
    for secret in (TOKEN, TOPIC):
        true(secret not in said, f"log or configuration show {secret}")
    counts = []
    for path, headers, body, *_ in ntfy.got[:2]:
        same((path, headers["Authorization"]), (f"/{TOPIC}", f"Bearer {TOKEN}"), "to whom, and by what right")
        true(body.startswith(b"\xff\xd8") and body.endswith(b"\xff\xd9"), f"the picture: {body[:20]}")
        true(headers["Filename"][:-4] in events, f"the picture's name: {headers['Filename']}")
        found = re.fullmatch(r"(?:motion|(\d+) events) at gate", headers["Title"])
        true(found, f"the title: {headers['Title']}")
        counts.append(int(found[1] or 1))
        same(len(headers["Message"].split("\\n")), min(counts[-1], 10), f"a line for each event: {headers['Message']}")
    true(counts[1] > 1, f"a burst is one message: {counts}")
    true(ntfy.got[1].time - ntfy.got[0].time > 11, "the shortest interval")
    print(f"messages of {counts} events")


def mail():
    """By STARTTLS, signed in, to two people, with the picture; nothing, and no password, goes to a server that offers no TLS or has another certificate."""
    ca, context = certificate("mail")
    server, plain, foreign, refusing = Mail(context), Mail(), Mail(certificate("foreign")[1]), Mail(context, "550 no such person")
    rule = '  - {{email: {{host: localhost, port: {port}, ca_file: "{ca}", user: vigil, password: "{password}", from: vigil@example.org, to: [anna@example.org, bob@example.org]}}, min_interval: 3}}'
    rules = "\n".join(rule.format(port=s.port, ca=ca, password=PASSWORD) for s in (server, plain, foreign, refusing))
    title = "Hoftür im Garten, hinter dem größten Haus 門"  # longer than one word of RFC 2047
    with started("mail", rules, more=CAMERAS.replace("gate: {", f'gate: {{title: "{title}", ')) as m:
        m.wait("a mail", lambda: server.mails, 120)
        m.wait("the others are logged", lambda: [sum(f"localhost:{s.port}" in line for line in m.log) > 0 for s in (plain, foreign, refusing)] == [True] * 3, 60)
        true(PASSWORD not in "".join(m.log), "the log shows the password")
        m.stop()
    sender, people, message = server.mails[0]
    same((sender, people), ("vigil@example.org", ["anna@example.org", "bob@example.org"]), "from and to")
    true(re.fullmatch(rf"(motion|\d+ events) at {title}", message["Subject"]), f"the subject has the camera's title: {message['Subject']}")
    true(message["Date"] and message["Message-ID"] and message["From"] and message["To"], "the headers")
    text, picture = list(message.iter_parts())
    true(f" at {title}" in text.get_content(), f"the text: {text.get_content()}")
    true(picture.get_content_type() == "image/jpeg" and picture.get_content().startswith(b"\xff\xd8") and picture.get_filename().endswith(".jpg"), "the picture")
    same(server.logins[0], (True, ["vigil", PASSWORD]), "signed in, by TLS")
    for bad in (plain, foreign):
        same((bad.mails, bad.logins, [line for line in bad.plain if "AUTH" in line]), ([], [], []), "a server that is not trusted")
    same(refusing.mails, [], "a server that refuses")


def bad_servers():
    """A server that hangs, one with errors, one that refuses, one with a certificate of nobody: the program goes on, and ends in time."""
    silent = socket.create_server(("127.0.0.1", 0))
    failing, refusing = Receiver([503, 500]), Receiver([403] * 1000)
    ca, context = certificate("tls")
    untrusted, trusted = Receiver(context=context), Receiver(context=context)

    def rule(scheme, port, more=""):
        return f'  - {{ntfy: {{server: "{scheme}://localhost:{port}", topic: t{more}}}, min_interval: 1}}'
    rules = "\n".join((rule("http", silent.getsockname()[1]), rule("http", failing.port), rule("http", refusing.port), rule("https", untrusted.port),
                       rule("https", trusted.port, f', ca_file: "{ca}"')))
    with started("bad", rules) as m:
        m.wait("the failing server takes one at the third try", lambda: failing.taken(), 120)
        same([g.status for g in failing.got[:3]], [503, 500, 200], "tries")
        m.wait("a server with a certificate that is known", lambda: trusted.got, 60)
        m.wait("a refused message is not sent again", lambda: any("status 403" in line and "not sent again" in line for line in m.log), 60)
        m.wait("a certificate of nobody", lambda: any(f"localhost:{untrusted.port}" in line for line in m.log), 60)
        same(untrusted.got, [], "what an untrusted server got")
        begun = time.monotonic()
        same(m.ask("GET", "/healthz")[0], 200, "it goes on")
        true(time.monotonic() - begun < 10, "it answers")
        begun = time.monotonic()
        m.stop()
        print(f"ended after {time.monotonic() - begun:.1f} s while a server hung")
        true(time.monotonic() - begun < 25, "the end is not held up")


def who_and_when():
    """Cameras, labels and quiet hours: only what was asked for, and when."""
    names = ("all", "quiet", "loud", "other-label", "zone")
    servers = {name: Receiver() for name in names}
    now = time.gmtime(time.time() + 3600 * 5)  # five hours east
    minute = now.tm_hour * 60 + now.tm_min

    def clock(m):
        return f"{m % 1440 // 60:02d}:{m % 60:02d}"
    more = {"all": "", "quiet": f', quiet_hours: "{clock(minute - 60)}-{clock(minute + 60)}"', "loud": f', quiet_hours: "{clock(minute + 60)}-{clock(minute - 60)}"',
            "other-label": ", labels: [person]", "zone": ", zones: [nowhere]"}
    rules = "\n".join(f'  - {{ntfy: {{server: "http://127.0.0.1:{servers[n].port}", topic: t}}, cameras: [gate], min_interval: 1{more[n]}}}' for n in names)
    with started("targets", rules, {"TZ": "ABC-5"}) as m:
        m.wait("messages", lambda: len(servers["all"].got) >= 2 and len(servers["loud"].got) >= 2, 120)
        same({n: len(servers[n].got) for n in names if n not in ("all", "loud")}, {"quiet": 0, "other-label": 0, "zone": 0}, "who gets none")
        m.stop()


def tests():
    """A message for a test, by the API and by the command line; mistakes of the configuration."""
    good, bad = Receiver(), Receiver([500] * 100)
    rules = "\n".join(f'  - ntfy: {{server: "http://127.0.0.1:{s.port}", topic: t}}\n    min_interval: 3600' for s in (good, bad))
    with started("test", rules, more='cameras:\n  gate: {source: "scenetestsrc quiet=1"}\n') as m:
        m.wait("an answer", lambda: m.ask("GET", "/healthz")[0] == 200)
        status, body = m.ask("POST", "/api/notify/test", {})
        same((status, [(r["to"], r["error"]) for r in body["results"]]), (200, [(f"ntfy http://127.0.0.1:{good.port}", None), (f"ntfy http://127.0.0.1:{bad.port}", "status 500")]),
             "the answer")
        same((len(good.got), good.got[0].headers["Title"]), (1, "A test of Vigil"), "the message")
        m.stop()
    done = subprocess.run([program, "--config", str(folder / "test.yaml"), "--test-notify"], capture_output=True, text=True, timeout=60, check=False)
    same((done.returncode, len(good.got), done.stdout.count("taken"), done.stdout.count("status 500")), (1, 2, 1, 1), f"the command line: {done}")
    for rule, says in (("{}", "either ntfy or email"), ("{ntfy: {topic: a}, email: {}}", "host is missing"), ("{ntfy: {}}", "topic is missing"), ("{ntfy: {topic: 'a/b'}}", "A-Z a-z"),
                       ("{ntfy: {topic: a, server: 'ftp://x'}}", "http://"), ("{ntfy: {topic: a}, cameras: [b]}", "no camera 'b'"), ("{ntfy: {topic: a}, quiet_hours: '25:00-06:00'}", "no hours"),
                       ("{ntfy: {topic: a}, quiet_hours: '22-6'}", "no hours"), ("{ntfy: {topic: a}, min_interval: -1}", "min_interval"), ("{ntfy: {topic: a, token: 'a b'}}", "without spaces"),
                       ("{email: {host: h, from: a, to: b@c}}", "no mail address"), ("{email: {host: h, from: 'a@b', to: 'c@d>\\r\\nX'}}", "no mail address"),
                       ("{email: {host: h, from: a@b, to: c@d, tls: none, user: u, password: secret}}", "without TLS"), ("{email: {host: h, from: a@b, to: c@d, tls: maybe}}", "starttls"),
                       ("{ntfy: {topic: a}, more: 1}", "more")):
        file = folder / "wrong.yaml"
        file.write_text(f"notify:\n  - {rule}\ncameras:\n  gate: {{source: scenetestsrc}}\n")
        done = subprocess.run([program, "--config", str(file), "--check"], capture_output=True, text=True, timeout=60, check=False)
        true(done.returncode == 1 and says in done.stderr and "wrong.yaml:" in done.stderr, f"{rule}: {done.stderr}")


checks = [burst, mail, bad_servers, who_and_when, tests]
for check in checks:
    if not sys.argv[3:] or check.__name__ in sys.argv[3:]:
        begun = time.monotonic()
        check()
        print(f"{check.__name__}: good, {time.monotonic() - begun:.0f} s", flush=True)
