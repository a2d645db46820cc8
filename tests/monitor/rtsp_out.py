# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-monitor as an RTSP server: the camera's stream untouched and ONVIF metadata, who may see it, clients that misbehave.

rtsp_out.py PROGRAM FOLDER [NAME OF A CHECK]..."""
import base64
import contextlib
import http.client
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ET

import rtsp_camera
from program import Monitor, begin, same
from vigiltest import free_port, true

program, folder = begin("monitor-rtsp_out")
RELAXNG = pathlib.Path(__file__).parents[1] / "elements" / "onvif.rng"
NS = {"tt": "http://www.onvif.org/ver10/schema", "wsnt": "http://docs.oasis-open.org/wsn/b-2"}
ADMIN, PASSWORD = "admin-token-0123456789", "correct horse battery"
SCENE = "scenetestsrc is-live=true quiet=0.2 density=3 ! video/x-raw,format=I420,width=320,height=180,framerate=10/1"
CAMERAS = f"""
record: {{pre_capture: 1, post_capture: 1, max_clip: 3}}
cameras:
  street: {{source: "{SCENE}", zones: {{all: {{coordinates: "0,0,1,0,1,1,0,1"}}}}}}
  yard: {{source: "{SCENE}"}}
  gone: {{source: "rtsp://127.0.0.1:1/none"}}
"""


def started(name, local="view", extra="", cameras=CAMERAS):
    own = folder / name
    own.mkdir()
    (own / "token").touch(0o600)
    (own / "token").write_text(f"admin {ADMIN}\n")
    (own / "monitor.yaml").write_text(f"http: {{token_file: {own}/token, local: {local}}}\nrtsp: {{listen: '127.0.0.1:0'{extra}}}\n" + cameras)
    m = Monitor(program, own / "data", "--config", str(own / "monitor.yaml"))
    m.rtsp = int(re.fullmatch(r"rtsp://127\.0\.0\.1:(\d+)/CAMERA", m.process.stdout.readline().strip())[1])
    return m


def basic(name, password):
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()


class Client:
    """Speaks RTSP over one connection; data come in it, by channel."""

    def __init__(self, port, authorization=None, receive_buffer=None):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(30)
        self.socket.connect(("127.0.0.1", port))
        self.port, self.authorization, self.number, self.session, self.bytes = port, authorization, 0, None, b""
        self.packets = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def more(self):
        part = self.socket.recv(65536)
        if not part:
            raise EOFError("the server has closed the connection")
        self.bytes += part

    def need(self, count):
        while len(self.bytes) < count:
            self.more()

    def data(self):
        """The next packet: channel and bytes."""
        self.need(4)
        _, channel, size = struct.unpack(">BBH", self.bytes[:4])
        self.need(4 + size)
        packet, self.bytes = self.bytes[4:4 + size], self.bytes[4 + size:]
        self.packets.setdefault(channel, []).append(packet)
        return channel, packet

    def ask(self, method, url, **headers):
        self.number += 1
        lines = [f"{method} {url} RTSP/1.0", f"CSeq: {self.number}"] + [f"{k}: {v}" for k, v in headers.items()]
        if self.authorization:
            lines.append(f"Authorization: {self.authorization}")
        if self.session:
            lines.append(f"Session: {self.session}")
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        while True:
            self.need(1)
            if self.bytes[:1] == b"$":
                self.data()
                continue
            while b"\r\n\r\n" not in self.bytes:
                self.more()
            head, _, rest = self.bytes.partition(b"\r\n\r\n")
            head = head.decode()
            fields = {k.lower(): v for k, v in re.findall(r"^([\w-]+): *(.*?)\r?$", head, re.MULTILINE)}
            self.bytes = rest
            size = int(fields.get("content-length", 0))
            self.need(size)
            body, self.bytes = self.bytes[:size], self.bytes[size:]
            return int(head.split()[1]), fields, body.decode()

    def describe(self, camera):
        return self.ask("DESCRIBE", f"rtsp://127.0.0.1:{self.port}/{camera}", Accept="application/sdp")

    def play(self, camera):
        """All streams; channels 0, 2 and 4."""
        status, fields, sdp = self.describe(camera)
        same(status, 200, "DESCRIBE")
        base = fields["content-base"].rstrip("/")
        controls = [c if "://" in c else f"{base}/{c}" for c in re.findall(r"^m=.*?^a=control:(\S+)", sdp, re.MULTILINE | re.DOTALL)]
        for n, control in enumerate(controls):
            status, fields, _ = self.ask("SETUP", control, Transport=f"RTP/AVP/TCP;unicast;interleaved={2 * n}-{2 * n + 1}")
            same(status, 200, f"SETUP {control}")
            self.session = fields["session"].split(";")[0]
        same(self.ask("PLAY", base + "/", Range="npt=0-")[0], 200, "PLAY")
        return sdp

    def receive(self, until, seconds=60):
        end = time.monotonic() + seconds
        while not until(self):
            true(time.monotonic() < end, f"not within {seconds} s: {({k: len(v) for k, v in self.packets.items()})}")
            self.data()

    def documents(self):
        """XML documents of the metadata stream; packets of one end with the marker."""
        out, part = [], b""
        for packet in self.packets.get(2, []):
            part += packet[12 + 4 * (packet[0] & 15):]
            if packet[1] & 0x80:
                out.append(part)
                part = b""
        return out

    def nals(self):
        """NAL units of the video that came whole (RFC 6184: single, STAP-A, FU-A)."""
        out, part = [], None
        for packet in self.packets.get(0, []):
            p = packet[12 + 4 * (packet[0] & 15):]
            kind = p[0] & 31
            if kind == 24:
                at = 1
                while at + 2 < len(p):
                    size = struct.unpack(">H", p[at:at + 2])[0]
                    out.append(p[at + 2:at + 2 + size])
                    at += 2 + size
            elif kind == 28:
                if p[1] & 0x80:
                    part = bytes([p[0] & 0xe0 | p[1] & 31])
                if part is not None:
                    part += p[2:]
                    if p[1] & 0x40:
                        out.append(part)
                        part = None
            else:
                out.append(p)
        return out


def status(m, camera, authorization=None):
    with Client(m.rtsp, authorization) as c:
        return c.describe(camera)[0]


def ready(m, *cameras):
    for camera in cameras:
        m.wait(f"the camera {camera}", lambda: m.ask("GET", f"/api/cameras/{camera}", headers={"Authorization": f"Bearer {ADMIN}"})[1]["codec"], 60)


def stream():
    """Video as it is, and findings as valid documents whose tracks keep their ids."""
    with started("stream") as m:
        ready(m, "street")
        with Client(m.rtsp) as c:
            sdp = c.play("street")
            true(re.search(r"^m=video .*\n(?:a=.*\n|.*\n)*?a=rtpmap:96 H264/90000", sdp.replace("\r", ""), re.MULTILINE), sdp)
            true(re.search(r"^m=application 0 RTP/AVP 98$", sdp.replace("\r", ""), re.MULTILINE) and "a=rtpmap:98 VND.ONVIF.METADATA/90000" in sdp, sdp)
            same(m.get("/api/stats")["rtsp"], {"address": "127.0.0.1", "port": m.rtsp, "tls": False, "clients": 1, "limit": 16}, "the System page's words")
            begun = time.time()
            file = m.connect()
            file.request("GET", "/api/cameras/street/live.mp4")
            mp4, recorded = file.getresponse(), []

            def record():
                with contextlib.suppress(OSError, http.client.HTTPException, ValueError, AttributeError):  # the connection is closed below
                    while part := mp4.read1(65536):
                        recorded.append(part)
            threading.Thread(target=record, daemon=True).start()

            def has(c, what):
                return any(what in d for d in c.documents())
            c.receive(lambda c: len(c.packets.get(2, [])) > 30 and len(c.packets.get(0, [])) > 60 and has(c, b"<tt:Object ") and has(c, b"FieldDetector/ObjectsInside"), 120)
            count = len(c.packets[0])
            c.receive(lambda c: len(c.packets[0]) > count + 100)
            documents, nals = c.documents(), c.nals()
            # What came while both were open is the same to the byte.
            m.wait("the same parts of the video in live.mp4", lambda: sum(len(n) > 100 and n in b"".join(recorded) for n in nals[-60:]) >= 15)
            file.close()
        true({n[0] & 31 for n in nals} >= {1, 5, 7, 8}, "pictures and parameter sets")
        ids = [[int(o.get("ObjectId")) for o in ET.fromstring(d).iterfind("tt:VideoAnalytics/tt:Frame/tt:Object", NS)] for d in documents]
        true(any(a and set(a) & set(b) for a, b in zip(ids, ids[1:])), f"a track is in two documents one after another: {ids}")
        times = [f.get("UtcTime") for d in documents for f in ET.fromstring(d).iterfind("tt:VideoAnalytics/tt:Frame", NS)]
        same(times, sorted(times), "frames come in their order")
        true(abs(time.mktime(time.strptime(times[0][:19], "%Y-%m-%dT%H:%M:%S")) - time.timezone - begun) < 30, f"UTC: {times[0]} at {begun}")
        if shutil.which("xmllint"):
            for n, d in enumerate(documents):
                (folder / f"{n:04}.xml").write_bytes(d)
            done = subprocess.run(["xmllint", "--noout", "--relaxng", RELAXNG, *sorted(folder.glob("*.xml"))], capture_output=True, text=True, check=False)
            same(done.returncode, 0, done.stderr[-2000:])
        else:
            print("SKIPPED in part: there is no xmllint (Debian: libxml2-utils), documents are not held against a schema")
        # Another program's player.
        player = subprocess.run(["gst-launch-1.0", "-q", "rtspsrc", f"location=rtsp://127.0.0.1:{m.rtsp}/street", "protocols=tcp", "!", "application/x-rtp,media=video", "!",
                                 "rtph264depay", "!", "h264parse", "!", "decodebin", "!", "identity", "eos-after=20", "!", "fakesink"], capture_output=True, text=True, timeout=90, check=False)
        same(player.returncode, 0, player.stderr)


@contextlib.contextmanager
def live_camera(key_seconds):
    """The port of a running live_camera.py; seconds between two key frames."""
    port = free_port()
    source = rtsp_camera.CameraServer(port, "live_camera.py", str(key_seconds))
    try:
        yield port
    finally:
        source.kill()


def h265_kinds(packets):
    """The NAL units that begin in RTP packets of H.265 (RFC 7798): time, kind."""
    several, part, begins = 48, 49, 0x80
    for time_, p in ((p[4:8], p[12:]) for p in packets):
        kind = p[0] >> 1 & 63
        if kind == part:
            if p[2] & begins:
                yield time_, p[2] & 63
        elif kind == several:
            at = 2
            while at + 2 < len(p):
                yield time_, p[at + 2] >> 1 & 63
                at += 2 + int.from_bytes(p[at:at + 2], "big")
        else:
            yield time_, kind


def open_groups():
    """H.265 whose key pictures are no IDR pictures: the parameter sets are in front of each, so that a client can begin anywhere."""
    if rtsp_camera.MISSING or subprocess.run(["gst-inspect-1.0", "--exists", "x265enc"], check=False).returncode:
        print(f"SKIPPED in part: open groups, since {rtsp_camera.MISSING or 'GStreamer has no x265enc'}")
        return
    with live_camera(1) as port:
        with started("open-groups", cameras=f'cameras:\n  h265: {{source: "rtsp://127.0.0.1:{port}/h265"}}\n') as m, Client(m.rtsp) as c:
            ready(m, "h265")
            c.play("h265")
            cra, sets = 21, {32, 33, 34}
            c.receive(lambda c: sum(kind == cra for _, kind in h265_kinds(c.packets.get(0, []))) >= 4, 120)
            pictures = {}
            for at, kind in h265_kinds(c.packets[0]):
                pictures.setdefault(at, []).append(kind)
            for kinds in pictures.values():
                true(cra not in kinds or sets <= set(kinds[:kinds.index(cra)]), f"a key picture has NAL units of the kinds {kinds}")


def sound():
    """The camera's sound is one more stream, untouched, on the picture's time. Without a sound that comes there is none."""
    if rtsp_camera.MISSING:
        print(f"SKIPPED: {rtsp_camera.MISSING}")
        return
    with live_camera(20) as port:
        kinds = {"opus": (97, "OPUS/48000/2"), "pcma": (8, "PCMA/8000"), "pcmu": (0, "PCMU/8000"), "aac": (97, "mpeg4-generic/48000")}
        cameras = "".join(f'  {kind}: {{source: "rtsp://127.0.0.1:{port}/{kind}"}}\n' for kind in (*kinds, "small"))
        with started("sound", cameras="record: {continuous: {days: 1}, pre_capture: 1, post_capture: 1}\ncameras:\n" + cameras) as m:
            ready(m, *kinds, "small")
            for kind in kinds:
                m.wait(f"sound of {kind}", lambda kind=kind: m.ask("GET", f"/api/cameras/{kind}", headers={"Authorization": f"Bearer {ADMIN}"})[1]["sound"] == kind, 60)
            for kind, (payload, words) in kinds.items():
                begun = time.monotonic()
                with Client(m.rtsp) as c:
                    sdp = c.play(kind).replace("\r", "")
                    true(re.search(rf"^m=audio 0 RTP/AVP {payload}$", sdp, re.MULTILINE), sdp)
                    true(f"a=rtpmap:{payload} {words}".lower() in sdp.lower(), sdp)
                    c.receive(lambda c: c.packets.get(0))
                    first = time.monotonic() - begun
                    c.receive(lambda c: {n[0] & 31 for n in c.nals()} >= {5, 7, 8} and len(c.packets.get(4, [])) > 100 and c.packets.get(1) and c.packets.get(5))
                    print(f"{kind}: the first packet of a picture {1000 * first:.0f} ms after the connection, with 20 s between key frames")
                    true(first < 10, f"{kind}: it waits for the next key frame: {first:.1f} s")
                    heard = [(struct.unpack(">I", p[4:8])[0], p[12:]) for p in c.packets[4]]
                    steps = [(b[0] - a[0]) & 0xffffffff for a, b in zip(heard[2:], heard[3:])]
                    true(all(0 < step < 48000 for step in steps), f"{kind}: times go on: {steps[:20]}")
                    if kind == "pcma":  # a tone in the first tenth of each second, by the camera's clock
                        ntp, rtp = sender_report(c.packets[5][-1])
                        loud = [ntp + (((at - rtp + 0x80000000) & 0xffffffff) - 0x80000000) / 8000 for at, data in heard[1:] if sum(abs(alaw(b)) for b in data) / len(data) > 1500]
                        true(loud, "a tone")
                        off = min(abs(loud[0] % 1 - whole) for whole in (0, 1))
                        true(off < 0.35, f"the tone's time is the camera's: {loud[:5]}")
                        video_ntp, _ = sender_report(c.packets[1][-1])
                        true(abs(video_ntp - time.time()) < 30, "reports of the video have UTC")
            with Client(m.rtsp) as c:
                true("m=audio" not in c.describe("small")[2], "a camera without sound")
            # Another program hears it.
            player = subprocess.run(["gst-launch-1.0", "-q", "rtspsrc", f"location=rtsp://127.0.0.1:{m.rtsp}/opus", "protocols=tcp", "!", "application/x-rtp,media=audio", "!", "rtpopusdepay", "!", "opusdec", "!",
                                     "identity", "eos-after=50", "!", "fakesink"], capture_output=True, text=True, timeout=90, check=False)
            same(player.returncode, 0, player.stderr)


def sender_report(packet):
    """UTC and RTP time of an RTCP sender report."""
    true(packet[1] == 200, f"a sender report: {packet[:8]}")
    seconds, fraction, rtp = struct.unpack(">III", packet[8:20])
    return seconds - 2208988800 + fraction / 2**32, rtp


def alaw(byte):
    byte ^= 0x55
    exponent, mantissa = byte >> 4 & 7, (byte & 15) << 4
    value = mantissa + 8 if exponent == 0 else mantissa + 0x108 << exponent - 1
    return value if byte & 0x80 else -value


def who():
    """As other live views: by token or password, only cameras that the user may see, and no longer than that."""
    with started("who", local="none") as m:
        ready(m, "street", "yard")
        admin = {"Authorization": f"Bearer {ADMIN}"}
        same([status(m, "street"), status(m, "street", basic("token", "wrong")), status(m, "street", basic("token", ADMIN)), status(m, "street", f"Bearer {ADMIN}"),
              status(m, "nobody", basic("token", ADMIN)), status(m, "street", "Digest username=x")], [401, 401, 200, 200, 404, 401], "tokens")
        with Client(m.rtsp) as c:
            true("Basic" in c.describe("street")[1]["www-authenticate"], "how to sign in")
        answer = m.ask("POST", "/api/users", {"name": "anna", "password": PASSWORD, "role": "viewer", "cameras": ["yard"]}, admin)
        if answer[0] == 501:
            print("SKIPPED in part: this build has no users with passwords")
            return
        same(answer[0], 200, "a user")
        same([status(m, camera, basic("anna", word)) for camera, word in (("yard", PASSWORD), ("yard", "wrong"), ("street", PASSWORD), ("nobody", PASSWORD))], [200, 401, 404, 404], "a user's cameras")
        with Client(m.rtsp, basic("anna", PASSWORD)) as c, Client(m.rtsp, basic("token", ADMIN)) as stays:
            c.play("yard")
            stays.play("yard")
            # Two cameras on one connection: each request is asked about.
            same(c.ask("DESCRIBE", f"rtsp://127.0.0.1:{m.rtsp}/street")[0], 404, "another camera on the same connection")
            same(m.ask("PATCH", "/api/users/anna", {"cameras": ["street"]}, admin)[0], 200, "the user may see another camera now")
            ends(c, "a user who may not look any more")
            count = len(stays.packets.get(0, []))
            stays.receive(lambda s: len(s.packets.get(0, [])) > count + 10)


def ends(client, what, seconds=60):
    """The server closes the connection."""
    end = time.monotonic() + seconds
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            true(time.monotonic() < end, f"{what}: the connection goes on")
            client.data()


def camera_leaves():
    with started("leaves", local="admin") as m:
        ready(m, "street")
        same(status(m, "gone"), 503, "a camera that is not connected")
        with Client(m.rtsp) as c:
            c.play("street")
            same(m.ask("PATCH", "/api/cameras/street/switches", {"enabled": False})[0], 200, "switched off")
            ends(c, "the camera is switched off")
        true(status(m, "street") in (404, 503), "it has no stream")
        same(m.ask("PATCH", "/api/cameras/street/switches", {"enabled": True})[0], 200, "switched on")
        ready(m, "street")
        m.wait("it has one again", lambda: status(m, "street") == 200)


def limits():
    """Too many clients, clients that never read, that say nothing, that talk nonsense, and other transports."""
    with started("limits", extra=", max_clients: 4") as m:
        ready(m, "street")
        with Client(m.rtsp) as c:
            control = re.search(r"a=control:(\S+)", c.describe("street")[2].split("m=video")[1])[1]
            url = control if "://" in control else f"rtsp://127.0.0.1:{m.rtsp}/street/{control}"
            same(c.ask("SETUP", url, Transport="RTP/AVP;unicast;client_port=5000-5001")[0], 461, "by UDP")
            same(c.ask("SETUP", url, Transport="RTP/AVP;unicast;destination=192.0.2.1;client_port=5000-5001")[0] in (461, 401, 404), True, "to another address")
        with Client(m.rtsp, receive_buffer=4096) as deaf, Client(m.rtsp) as good:
            deaf.play("street")
            good.play("street")
            silent = [Client(m.rtsp) for _ in range(2)]
            # Four are there: the next ones end at once. Each is ended while its own thread reads its request, hence so many.
            for _ in range(200):
                with Client(m.rtsp) as over:
                    with contextlib.suppress(EOFError, ConnectionError):
                        same(over.describe("street")[0], 503, "more than max_clients")
            begun = time.monotonic()
            for s in silent:
                ends(s, "who says nothing for ten seconds")
            # The deaf one does not hold up the other, and ends by itself.
            before = len(good.packets.get(0, []))
            last = time.monotonic()
            end = last + 180
            while not any("does not read" in line for line in m.log):
                true(time.monotonic() < end, "the client that does not read goes on")
                good.data()
                if time.monotonic() > last + 15:  # as RTSP asks of clients
                    last = time.monotonic()
                    same(good.ask("GET_PARAMETER", f"rtsp://127.0.0.1:{m.rtsp}/street")[0], 200, "a sign of life")
            true(len(good.packets[0]) > before + 50, "the one that reads has its pictures all the time")
            print(f"the client that does not read ended within {time.monotonic() - begun:.0f} s")
        for garbage in (b"\0\xff" * 5000, b"GET / HTTP/1.1\r\n\r\n", b"GET /street HTTP/1.0\r\nx-sessioncookie: 1\r\nAccept: application/x-rtsp-tunnelled\r\n\r\n", b"DESCRIBE " + b"a" * 100000 + b" RTSP/1.0\r\n\r\n", b"DESCRIBE rtsp://x/street RTSP/1.0\r\nContent-Length: 4000000000\r\n\r\n",
                        b"$\0\xff\xff" + b"x" * 1000, b"PLAY * RTSP/1.0\r\nCSeq: 1\r\nSession: none\r\n\r\n", b"DESCRIBE rtsp://127.0.0.1/../../etc RTSP/1.0\r\nCSeq: 1\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", m.rtsp), timeout=10) as s, contextlib.suppress(OSError):
                s.sendall(garbage)
                s.settimeout(1)
                true(b"200 OK" not in s.recv(1000), garbage[:20])

        def free():
            try:
                return status(m, "street") == 200
            except (EOFError, ConnectionError):  # no place yet: the server closes the connection
                return False
        m.wait("places are free again", free)
        same([line for line in m.log if "CRITICAL" in line], [], "complaints of libraries")
        same(m.process.poll(), None, "the program goes on")

        def playing():
            c = Client(m.rtsp)
            with contextlib.suppress(AssertionError, EOFError, ConnectionError):  # the connection before may still have its place
                c.play("street")
                return c
            return c.socket.close()
        with m.wait("somebody watches", playing):
            m.process.send_signal(signal.SIGTERM)
            same(m.process.wait(60), 0, "the end, while somebody watches")


def again():
    """A client that comes again and again, and goes without a word, takes no place of those after it (a camera has 16)."""
    with started("again") as m:
        ready(m, "street")
        for n in range(24):
            with Client(m.rtsp) as c:
                c.play("street")
                c.receive(lambda c: c.packets.get(0))
            # Eight connections of one address are let in, and what one had is given back a moment after its end.
            m.wait(f"the end of connection {n}", lambda: m.get("/api/stats")["rtsp"]["clients"] < 2)
        m.wait("a view of another kind", lambda: m.ask("HEAD", "/api/cameras/street/live.mp4")[0] == 200)
        same([line for line in m.log if "CRITICAL" in line], [], "GStreamer's complaints")


def configuration():
    for words, said in (("{listen: nowhere}", "no ADDRESS:PORT"), ("{max_clients: 3}", "listen is missing"), ("{listen: '127.0.0.1:8554', max_clients: 0}", "max_clients")):
        file = folder / "wrong.yaml"
        file.write_text(f"rtsp: {words}\n" + CAMERAS)
        done = subprocess.run([program, "--check", "--config", file], capture_output=True, text=True, check=False)
        true(done.returncode and said in done.stderr, f"{words}: {done.stderr}")
    file.write_text("rtsp: {listen: '0.0.0.0:8554'}\n" + CAMERAS)
    true("without TLS" in subprocess.run([program, "--check", "--config", file], capture_output=True, text=True, check=True).stdout, "a warning of passwords in the clear")


CHECKS = [configuration, stream, open_groups, sound, who, camera_leaves, limits, again]
asked = sys.argv[3:]
for check in CHECKS:
    if not asked or check.__name__ in asked:
        begun = time.monotonic()
        check()
        print(f"{check.__name__}: {time.monotonic() - begun:.1f} s", flush=True)
