# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-monitor among others that misbehave: configurations that cannot be read, GStreamer without mp4mux, cameras that send control
characters, brokers and webhooks that hang or flood, systemd. The program goes on as it was, says so, and ends in time.

peers.py PROGRAM FOLDER [CHECK...]"""
import contextlib
import json
import http.server
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import broker
from program import Monitor, begin, same
from vigiltest import gstreamer_without

program, folder = begin("monitor-peers")
config = folder / "monitor.yaml"
SCENE = "scenetestsrc is-live=true quiet=0.5 density=2 ! video/x-raw,format=I420,width=160,height=90,framerate=5/1"
CAMERA = f'cameras:\n  a: {{source: "{SCENE}", cudamog: {{motion-hold: 300}}}}\n'
# How long an end may take: ten seconds on a machine that does nothing else.
LIMIT = 20


def logged(m, *words):
    return [line for line in m.log if all(w in line for w in words)]


def stop(m, what, limit=LIMIT):
    begun = time.monotonic()
    m.process.send_signal(signal.SIGTERM)
    try:
        code = m.process.wait(limit)
    except subprocess.TimeoutExpired:
        raise AssertionError(f"{what}: no end within {limit} s; log:\n{''.join(m.log[-10:])}") from None
    same(code, 0, f"{what}: the end's status")
    print(f"  {what}: ended after {time.monotonic() - begun:.1f} s", flush=True)


def reload():
    """What cannot be read leaves all as it was, at SIGHUP and by request; at the start it is one line and status 1."""
    config.write_text(CAMERA)
    with Monitor(program, folder / "reload", "--config", str(config)) as m:
        m.wait("pictures", lambda: m.get("/api/cameras/a")["state"] == "online")

        def refused(what, word):
            before = len(m.log)
            m.process.send_signal(signal.SIGHUP)
            m.wait(f"{what}: it is said", lambda: any("stays as it was" in line and word in line for line in m.log[before:]))
            same(m.ask("POST", "/api/reload", {})[0] in (400, 503), True, f"{what}: by request")
            same((m.get("/api/cameras/a")["state"], m.get("/api/cameras/a")["reconnects"], m.process.poll()), ("online", 0, None), what)
        config.unlink()
        refused("no file", "No such file")
        config.mkdir()
        refused("a folder", "not a plain file")
        config.rmdir()
        os.mkfifo(config)
        refused("a pipe that nobody writes to", "not a plain file")
        config.unlink()
        config.write_bytes(b"cameras: {a: {source: \xff\xfe}\n")
        refused("bytes that are no UTF-8", "monitor.yaml")
        # Camera b comes and a goes in the same file whose last camera is wrong.
        config.write_text(f'cameras:\n  b: {{source: "{SCENE}"}}\n  c: {{source: "nosuchelement ! x"}}\n')
        refused("a mistake in the last camera", "camera c")
        same([c["name"] for c in m.get("/api/cameras")], ["a"], "cameras")
        config.write_text(f'cameras:\n  b: {{source: "{SCENE}"}}\n')
        m.process.send_signal(signal.SIGHUP)
        m.wait("the other camera", lambda: [(c["name"], c["state"]) for c in m.get("/api/cameras")] == [("b", "online")])
        m.stop()
    config.unlink()
    config.mkdir()
    done = subprocess.run([program, "--config", str(config), "--check"], capture_output=True, text=True, timeout=60)
    same((done.returncode, "not a plain file" in done.stderr), (1, True), f"a folder at the start: {done.stderr}")
    config.rmdir()
    # A pipe is read at the start, under any name, up to a limit; one that gives nothing is an error after a while.
    (folder / "good.yaml").write_text(CAMERA)
    good, check = folder / "good.yaml", f"'{program}' --check --config"
    for command, code, word in (
            (f"{check} <(cat '{good}')", 0, "1 camera, no mistakes"),
            (f"{check} <(sleep 2; cat '{good}'; sleep 1)", 0, "1 camera, no mistakes"),
            (f"cat '{good}' | {check} /dev/stdin", 0, "1 camera, no mistakes"),
            (f"{check} /dev/stdin < '{good}'", 0, "1 camera, no mistakes"),
            (f"{check} <(head -c 3000000 /dev/zero)", 1, "more than 1048576 bytes"),
            (f"{check} <(exec sleep 100 2>/dev/null)", 1, "nothing came from the pipe")):
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=90)
        same((done.returncode, word in done.stdout + done.stderr), (code, True), f"{command}: {done.stdout}{done.stderr}")
    os.mkfifo(config)
    done = subprocess.run([program, "--config", str(config), "--check"], capture_output=True, text=True, timeout=90)
    same((done.returncode, "nothing came from the pipe" in done.stderr), (1, True), f"a pipe that nobody opens: {done.stderr}")
    config.unlink()
    (folder / "odd/overrides.json").mkdir(parents=True)
    config.write_text(CAMERA)
    with Monitor(program, folder / "odd", "--config", str(config)) as m:
        m.wait("pictures", lambda: m.get("/api/cameras/a")["state"] == "online")
        same(any("overrides.json.damaged-" in line for line in m.get("/api/stats")["storage"]["set_aside"]), True, "a folder as overrides.json is set aside")
        m.stop()


def read_error():
    """The disk fails while the configuration is read again."""
    strace = shutil.which("strace")
    config.write_text(CAMERA)
    with Monitor(program, folder / "eio", "--config", str(config)) as m:
        m.wait("pictures", lambda: m.get("/api/cameras/a")["state"] == "online")
        trace = strace and subprocess.Popen([strace, "-f", "-qq", "-o", "/dev/null", "-P", str(config), "-e", "trace=read", "-e", "inject=read:error=EIO", "-p",
                                             str(m.process.pid)], stderr=subprocess.DEVNULL)
        status = pathlib.Path(f"/proc/{m.process.pid}/status")
        try:
            m.wait("strace is there", lambda: "TracerPid:\t0\n" not in status.read_text() or not trace or trace.poll() is not None, 20)
            if not trace or trace.poll() is not None:
                print("SKIPPED in part: a read error, since strace is missing or may not trace")
                return
            time.sleep(1)
            m.process.send_signal(signal.SIGHUP)
            m.wait("the error is said", lambda: logged(m, "stays as it was", "Input/output error"), 30)
        finally:
            if trace and trace.poll() is None:
                trace.terminate()
                trace.wait(10)
        same(m.get("/api/cameras/a")["state"], "online", "the camera")
        m.stop()


def no_muxer():
    """GStreamer without mp4mux: events have no clip, and the program goes on."""
    config.write_text("record: {pre_capture: 1, post_capture: 1, max_clip: 3}\n" + CAMERA)
    with gstreamer_without("isomp4") as env, Monitor(program, folder / "nomux", "--config", str(config), env=env) as m:
        m.wait("two events that have ended", lambda: len([e for e in m.get("/api/events")["events"] if e["end_time"]]) >= 2, 120)
        same([e for e in m.get("/api/events")["events"] if e["has_clip"]], [], "clips")
        same(bool(logged(m, "mp4mux")), True, "the log names what is missing")
        same(m.process.poll(), None, "the program")
        stop(m, "without mp4mux")


def control_characters():
    """Neither log nor API shows a terminal what a camera sends it."""
    class Camera(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.wfile.write(b"HTTP/1.0 404 \x1b]0;owned\x07\x1b[2J" + "\u202e\u009b".encode() + b"2026-01-01T00:00:00Z fake: all is fine " + b"y" * 900 + b"\r\n\r\n")

        def log_message(self, *_):
            pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Camera)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    config.write_text(f'cameras:\n  a: {{source: "http://127.0.0.1:{server.server_address[1]}/x"}}\n')
    with Monitor(program, folder / "escapes", "--config", str(config)) as m:
        reason = m.wait("a reason", lambda: m.get("/api/cameras/a")["reason"])
        m.wait("a line", lambda: logged(m, "offline"))
        same("fake" in reason, True, f"the camera's words are shown: {reason!r}")
        for text in (reason, "".join(m.log).replace("\n", "")):
            same([c for c in text if ord(c) < 32 or 127 <= ord(c) < 160 or c == "\u202e"], [], f"control characters in {text!r}")
        if len(reason) > 700:
            raise AssertionError(f"{len(reason)} characters of a camera")
        m.stop()
    server.shutdown()


@contextlib.contextmanager
def unanswered():
    """A port that drops what knocks: the queue of its listener is full."""
    with contextlib.ExitStack() as all_, socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):
            s = all_.enter_context(socket.socket())
            s.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                s.connect(listener.getsockname())
        yield listener.getsockname()[1]


@contextlib.contextmanager
def silent():
    """A port that takes connections and never says anything."""
    taken, listener = [], socket.create_server(("127.0.0.1", 0))

    def take():
        with contextlib.suppress(OSError):
            while True:
                taken.append(listener.accept()[0])
    threading.Thread(target=take, daemon=True).start()
    yield listener.getsockname()[1]
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    for s in taken:
        s.close()


def hanging_peers():
    """The end is not held up by a broker, a webhook and a camera that drop packets, nor by such that say nothing."""
    for name, peer in ("packets dropped", unanswered), ("silent", silent):
        with peer() as mqtt, peer() as hook, peer() as camera:
            config.write_text(f"""
mqtt: {{host: 127.0.0.1, port: {mqtt}}}
webhook: {{url: "http://127.0.0.1:{hook}/"}}
record: {{pre_capture: 1, post_capture: 1, max_clip: 3}}
cameras:
  a: {{source: "{SCENE}", cudamog: {{motion-hold: 300}}}}
  far: {{source: "rtsp://127.0.0.1:{camera}/x"}}
  away: {{source: "http://127.0.0.1:{camera}/x"}}
""")
            with Monitor(program, folder / name.replace(" ", "-"), "--config", str(config)) as m:
                m.wait("an event", lambda: m.get("/api/events")["events"], 90)
                m.wait("news for the broker", lambda: m.get("/api/stats")["queues"]["mqtt_outbox"]["length"])
                same(m.get("/api/stats")["mqtt"]["connected"], False, "connected")
                time.sleep(2)
                stop(m, name)


def flood():
    """Orders that flood the broker: the program answers, ends in time, and says who ordered."""
    if broker.MISSING:
        print(f"SKIPPED: {broker.MISSING}")
        return
    with broker.Broker("vigil/#") as b:
        def publish(topic, text):
            subprocess.run(["mosquitto_pub", "-p", str(b.port), "-q", "1", "-t", topic, "-l"], input=text, text=True, check=True, timeout=60)
        config.write_text(f"mqtt: {{host: 127.0.0.1, port: {b.port}}}\n" + CAMERA)
        with Monitor(program, folder / "flood", "--config", str(config)) as m:
            m.wait("the broker", lambda: m.get("/api/stats")["mqtt"]["connected"])
            publish("vigil/a/motion/set", "OFF\n")
            time.sleep(2)
            same(m.get("/api/cameras/a")["motion_enabled"], True, "a broker that asks for no user gives no orders")
            same([p for t, p in b.messages if t.startswith("homeassistant/switch/") and p], [], "switches for Home Assistant")
            m.stop()
        publish("vigil/a/motion/set", "OFF\n")  # while nobody listens
        config.write_text(f"mqtt: {{host: 127.0.0.1, port: {b.port}, commands: true}}\n" + CAMERA)
        with Monitor(program, folder / "flood", "--config", str(config)) as m:
            m.wait("the broker", lambda: m.get("/api/stats")["mqtt"]["connected"])
            m.wait("pictures", lambda: m.get("/api/cameras/a")["state"] == "online")
            time.sleep(2)
            same(m.get("/api/cameras/a")["motion_enabled"], True, "orders of long ago are not obeyed")
            publish("vigil/a/motion/set", "OFF\n")
            m.wait("an order", lambda: not m.get("/api/cameras/a")["motion_enabled"])
            same(len(logged(m, "a: motion OFF", "MQTT", "127.0.0.1")), 1, "its line")
            audit = folder / "flood" / "audit.jsonl"
            m.wait("its line in the audit log", lambda: audit.exists() and [line for line in map(json.loads, audit.read_text().splitlines())
                                                                            if line["who"] == "MQTT" and line["details"]["switches"] == {"motion": False}])
            publish("vigil/a/recordings/set", "OFF\nON\n" * 1500)
            begun = time.monotonic()
            m.get("/healthz")

            def last_order():
                if m.get("/api/cameras/a")["record_enabled"]:
                    return True
                publish("vigil/a/recordings/set", "ON\n")  # again: a broker drops what a busy program leaves waiting
                return False
            m.wait("the last order", last_order, 60)
            lines = len(logged(m, "recordings O"))
            if lines > 2 * (time.monotonic() - begun) + 4:
                raise AssertionError(f"3000 orders make {lines} lines")
            m.wait("the camera goes on", lambda: m.get("/api/cameras/a")["state"] == "online")
            publishing = subprocess.Popen(["mosquitto_pub", "-p", str(b.port), "-t", "vigil/a/recordings/set", "-l"], stdin=subprocess.PIPE, text=True)
            ended = threading.Event()

            def pour():
                with contextlib.suppress(OSError):
                    while not ended.is_set():
                        publishing.stdin.write("OFF\nON\n" * 100)
                        publishing.stdin.flush()
                        time.sleep(0.01)
            pouring = threading.Thread(target=pour)
            pouring.start()
            try:
                time.sleep(1)
                stop(m, "a flood of orders")
            finally:
                ended.set()
                pouring.join(10)
                publishing.kill()
                publishing.wait(10)


def mistakes():
    """--check refuses a password that would go to a TLS port without TLS, and warns where anybody could read one."""
    def check(mqtt):
        config.write_text(f"mqtt: {{{mqtt}}}\n" + CAMERA)
        done = subprocess.run([program, "--config", str(config), "--check"], capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout + done.stderr
    code, text = check('host: broker.example, port: 8883, user: u, password: "long secret"')
    same((code, "tls: true" in text, "long secret" in text), (1, True, False), f"a TLS port: {text}")
    code, text = check('host: broker.example, user: u, password: "long secret"')
    same((code, "without TLS, and everybody" in text, "tls: true" in text), (0, True, True), f"another machine without TLS: {text}")
    for good in ('host: 127.0.0.1, user: u, password: "long secret"', 'host: broker.example, tls: true, user: u, password: "long secret"', "host: broker.example, port: 8883"):
        code, text = check(good)
        same((code, "without TLS, and everybody" in text), (0, False), f"{good}: {text}")
    same(check("host: h, tls: false, ca_file: /x")[0], 1, "tls: false with ca_file")


def system_authorities():
    """tls: true takes the certificate authorities of the system, and nobody else."""
    if broker.MISSING:
        print(f"SKIPPED: {broker.MISSING}")
        return
    key, cert = folder / "key.pem", folder / "cert.pem"
    made = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1", "-subj", "/CN=localhost",
                           "-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(cert)], capture_output=True, check=False)
    if made.returncode:
        print("SKIPPED in part: MQTT by TLS, since openssl makes no certificate:", made.stderr.decode()[-200:])
        return
    key.chmod(0o644)
    port = broker.free_port()
    (folder / "mosquitto.conf").write_text(f"listener {port} localhost\nallow_anonymous true\ncertfile {cert}\nkeyfile {key}\n")
    server = subprocess.Popen([broker.PROGRAM, "-c", str(folder / "mosquitto.conf")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        config.write_text(f'mqtt: {{host: localhost, port: {port}, tls: true, user: u, password: "long secret"}}\n' + CAMERA)
        with Monitor(program, folder / "tls", "--config", str(config)) as m:
            m.wait("the stranger is refused", lambda: logged(m, "MQTT: no connection"), 30)
            time.sleep(2)
            same(m.get("/api/stats")["mqtt"]["connected"], False, "connected to an authority that nobody knows")
            stop(m, "a broker that is refused")
        with Monitor(program, folder / "tls", "--config", str(config), env={**os.environ, "SSL_CERT_FILE": str(cert)}) as m:
            m.wait("the broker is known", lambda: m.get("/api/stats")["mqtt"]["connected"], 30)
            server.kill()
            m.wait("the connection is gone", lambda: not m.get("/api/stats")["mqtt"]["connected"], 60)
            stop(m, "a broker that has gone")
    finally:
        server.kill()
        server.wait(10)


def systemd():
    """The service manager hears when the program is ready, lives and ends."""
    config.write_text(CAMERA)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.bind("\0vigil-test-" + str(os.getpid()))
        s.settimeout(20)
        env = {**os.environ, "NOTIFY_SOCKET": "@vigil-test-" + str(os.getpid()), "WATCHDOG_USEC": "3000000"}
        with Monitor(program, folder / "systemd", "--config", str(config), env=env) as m:
            same(s.recv(100), b"READY=1", "the first word")
            for _ in range(2):
                same(s.recv(100), b"WATCHDOG=1", "a sign of life")
            m.process.send_signal(signal.SIGTERM)
            end = time.monotonic() + LIMIT
            while (word := s.recv(100)) == b"WATCHDOG=1":
                same(time.monotonic() < end, True, "it stops in time")
            same(word, b"STOPPING=1", "the last word")
            m.process.wait(LIMIT)


checks = [reload, read_error, no_muxer, control_characters, hanging_peers, flood, mistakes, system_authorities, systemd]
for one in [c for c in checks if c.__name__ in sys.argv[3:]] or checks:
    begun = time.monotonic()
    one()
    print(f"{one.__name__} good, {time.monotonic() - begun:.0f} s", flush=True)
