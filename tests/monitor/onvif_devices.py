# SPDX-License-Identifier: LGPL-2.1-or-later
"""ONVIF devices for tests, each at an address of its own on this machine: good ones, and such as are slow, wrong or malicious."""
import base64
import contextlib
import datetime
import hashlib
import http.server
import re
import socket
import threading
import time

GROUP, PORT = "239.255.255.250", 3702
USER, PASSWORD = "operator", "s3cret/of:the@camera"
ENVELOPE = ('<?xml version="1.0" encoding="UTF-8"?><SOAP-ENV:Envelope xmlns:SOAP-ENV="http://www.w3.org/2003/05/soap-envelope" xmlns:tds="http://www.onvif.org/ver10/device/wsdl" '
            'xmlns:trt="http://www.onvif.org/ver10/media/wsdl" xmlns:tt="http://www.onvif.org/ver10/schema" xmlns:ter="http://www.onvif.org/ver10/error" '
            'xmlns:wsa="http://schemas.xmlsoap.org/ws/2004/08/addressing" xmlns:d="http://schemas.xmlsoap.org/ws/2005/04/discovery"><SOAP-ENV:Header>{head}</SOAP-ENV:Header>'
            "<SOAP-ENV:Body>{body}</SOAP-ENV:Body></SOAP-ENV:Envelope>")
BOMB = '<?xml version="1.0"?><!DOCTYPE b [<!ENTITY a "aaaaaaaaaa">' + "".join(f'<!ENTITY {chr(98 + i)} "{"&" + chr(97 + i) + ";"}{("&" + chr(97 + i) + ";") * 9}">' for i in range(9)) + "]><b>&j;</b>"


def envelope(body, head=""):
    return ENVELOPE.format(head=head, body=body)


def fault(subcode, reason):
    return envelope(f'<SOAP-ENV:Fault><SOAP-ENV:Code><SOAP-ENV:Value>SOAP-ENV:Sender</SOAP-ENV:Value><SOAP-ENV:Subcode><SOAP-ENV:Value>ter:{subcode}</SOAP-ENV:Value></SOAP-ENV:Subcode>'
                    f'</SOAP-ENV:Code><SOAP-ENV:Reason><SOAP-ENV:Text xml:lang="en">{reason}</SOAP-ENV:Text></SOAP-ENV:Reason></SOAP-ENV:Fault>')


class Device:
    """`kind`: good, digest (HTTP digest alone), clock (its clock is three hours ahead), slow, malformed, huge, bomb, deep, media-elsewhere, stream-elsewhere, one-stream;
    of the search: elsewhere (names another host), stranger (answers another question), garbage (no XML), silent."""

    def __init__(self, address, kind="good", elsewhere="127.0.0.200", rtsp_port=554, main="/main", sub="/sub"):
        self.address, self.kind, self.elsewhere = address, kind, elsewhere
        self.streams = {"main": f"rtsp://{address}:{rtsp_port}{main}", "sub": f"rtsp://{address}:{rtsp_port}{sub}"}
        self.nonces, self.replayed, self.requests, self.basic = set(), 0, 0, 0
        device = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                try:
                    device.answer(self)
                except OSError:
                    pass

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer((address, 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.url = f"http://{address}:{self.port}/onvif/device_service"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def now(self):
        return time.time() + (3 * 3600 if self.kind == "clock" else 0)

    def signs_in(self, text):
        """By the WS-Security token, as ONVIF's core specification has it."""
        found = {name: re.search(rf"<\w+:{name}(?: [^>]*)?>([^<]*)<", text) for name in ("Username", "Password", "Nonce", "Created")}
        if not all(found.values()):
            return False
        user, digest, nonce, created = (found[name][1] for name in ("Username", "Password", "Nonce", "Created"))
        if nonce in self.nonces:
            self.replayed += 1
            return False
        self.nonces.add(nonce)
        age = abs(datetime.datetime.strptime(created, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.timezone.utc).timestamp() - self.now())
        wanted = base64.b64encode(hashlib.sha1(base64.b64decode(nonce) + created.encode() + PASSWORD.encode()).digest()).decode()
        return user == USER and digest == wanted and age < 60

    def digest_is_right(self, header, method, path):
        parts = {k: a or b for k, a, b in re.findall(r'(\w+)=(?:"([^"]*)"|([^\s,]+))', header)}
        md5 = lambda s: hashlib.md5(s.encode()).hexdigest()  # noqa: E731
        wanted = md5(f"{md5(f'{USER}:camera:{PASSWORD}')}:{parts.get('nonce')}:{parts.get('nc')}:{parts.get('cnonce')}:{parts.get('qop')}:{md5(f'{method}:{path}')}")
        return header.startswith("Digest ") and parts.get("response") == wanted

    def send(self, request, status, text, **headers):
        data = text.encode()
        request.send_response(status)
        request.send_header("Content-Type", "application/soap+xml; charset=utf-8")
        request.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(data)

    def answer(self, request):
        self.requests += 1
        text = request.rfile.read(int(request.headers.get("Content-Length", 0))).decode()
        authorization = request.headers.get("Authorization", "")
        self.basic += authorization.startswith("Basic ")
        if self.kind == "slow":
            request.send_response(200)
            request.send_header("Content-Length", "100000")
            request.end_headers()
            for _ in range(600):
                request.wfile.write(b" ")
                time.sleep(0.1)
            return
        if self.kind == "huge":
            request.send_response(200)
            request.end_headers()
            for _ in range(2000):
                request.wfile.write(b"<a>" * 20000)
            return
        if self.kind in ("malformed", "bomb", "deep"):
            self.send(request, 200, {"malformed": "<a><b></a>", "bomb": BOMB, "deep": "<a>" * 50000}[self.kind])
            return
        action = re.search(r"<s:Body><(\w+)", text)
        action = action[1] if action else ""
        if action != "GetSystemDateAndTime":
            if self.kind == "digest":
                if not self.digest_is_right(authorization, "POST", request.path):
                    self.send(request, 401, "", WWW_Authenticate='Digest realm="camera", qop="auth", nonce="0123456789abcdef", algorithm=MD5')
                    return
            elif not self.signs_in(text):
                self.send(request, 400, fault("NotAuthorized", "Sender not authorized"))
                return
        self.send(request, 200, envelope(self.body(action, text)))

    def body(self, action, text):
        media_host = self.elsewhere if self.kind == "media-elsewhere" else self.address
        if action == "GetSystemDateAndTime":
            t = time.gmtime(self.now())
            return ("<tds:GetSystemDateAndTimeResponse><tds:SystemDateAndTime><tt:DateTimeType>NTP</tt:DateTimeType><tt:UTCDateTime>"
                    f"<tt:Time><tt:Hour>{t.tm_hour}</tt:Hour><tt:Minute>{t.tm_min}</tt:Minute><tt:Second>{t.tm_sec}</tt:Second></tt:Time>"
                    f"<tt:Date><tt:Year>{t.tm_year}</tt:Year><tt:Month>{t.tm_mon}</tt:Month><tt:Day>{t.tm_mday}</tt:Day></tt:Date>"
                    "</tt:UTCDateTime></tds:SystemDateAndTime></tds:GetSystemDateAndTimeResponse>")
        if action == "GetCapabilities":
            return ("<tds:GetCapabilitiesResponse><tds:Capabilities><tt:Media>"
                    f"<tt:XAddr>http://{media_host}:{self.port}/onvif/media</tt:XAddr></tt:Media></tds:Capabilities></tds:GetCapabilitiesResponse>")
        if action == "GetDeviceInformation":
            return ("<tds:GetDeviceInformationResponse><tds:Manufacturer>Simulated &amp; Sons</tds:Manufacturer><tds:Model>Eye 12 (fast)</tds:Model>"
                    "<tds:FirmwareVersion>1</tds:FirmwareVersion></tds:GetDeviceInformationResponse>")
        if action == "GetProfiles":
            def profile(token, name, codec, width, height, fps):
                return (f'<trt:Profiles token="{token}" fixed="true"><tt:Name>{name}</tt:Name><tt:VideoEncoderConfiguration token="v"><tt:Encoding>{codec}</tt:Encoding>'
                        f"<tt:Resolution><tt:Width>{width}</tt:Width><tt:Height>{height}</tt:Height></tt:Resolution><tt:RateControl><tt:FrameRateLimit>{fps}</tt:FrameRateLimit>"
                        "</tt:RateControl></tt:VideoEncoderConfiguration></trt:Profiles>")
            all_profiles = [profile("main", "Main stream", "H264", 1920, 1080, 25), profile("sub", "Sub stream", "H264", 640, 360, 10),
                            profile("tiny", "Phone", "H264", 176, 144, 5), profile("jpeg", "Snapshots", "JPEG", 2592, 1944, 1)]
            return "<trt:GetProfilesResponse>" + "".join(all_profiles[:1] if self.kind == "one-stream" else all_profiles) + "</trt:GetProfilesResponse>"
        if action == "GetStreamUri":
            token = re.search(r"<ProfileToken>(\w+)<", text)[1]
            uri = self.streams[token]
            if self.kind == "stream-elsewhere":
                uri = uri.replace(self.address, self.elsewhere)
            return f"<trt:GetStreamUriResponse><trt:MediaUri><tt:Uri>{uri}</tt:Uri></trt:MediaUri></trt:GetStreamUriResponse>"
        raise AssertionError(f"an action that no test knows: {text}")

    def probe_match(self, id_of_probe):
        """The datagrams that answer a probe."""
        if self.kind == "silent":
            return []
        if self.kind == "garbage":
            return [b"\0\xff" * 400, BOMB.encode(), b"<a>" * 20000]
        relates = "urn:uuid:of-somebody-else" if self.kind == "stranger" else id_of_probe
        address = self.url.replace(self.address, self.elsewhere) if self.kind == "elsewhere" else self.url
        return [envelope("<d:ProbeMatches><d:ProbeMatch><wsa:EndpointReference><wsa:Address>urn:uuid:1</wsa:Address></wsa:EndpointReference><d:Types>dn:NetworkVideoTransmitter</d:Types>"
                         "<d:Scopes>onvif://www.onvif.org/type/video_encoder onvif://www.onvif.org/hardware/Eye-12 onvif://www.onvif.org/name/Front%20door</d:Scopes>"
                         f"<d:XAddrs>http://[fe80::1]/onvif/device_service {address}</d:XAddrs></d:ProbeMatch></d:ProbeMatches>", f"<wsa:RelatesTo>{relates}</wsa:RelatesTo>").encode()]


class Network:
    """Answers probes for all devices, each from its own address."""

    def __init__(self, devices):
        self.devices, self.probes = devices, 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind((GROUP, PORT))
        self.socket.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(GROUP) + socket.inet_aton("127.0.0.1"))
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            probe, sender = self.socket.recvfrom(65536)
            self.probes += 1
            found = re.search(rb"<a:MessageID>([^<]+)<", probe)
            for device in self.devices:
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
                    own.bind((device.address, 0))
                    for datagram in device.probe_match(found[1].decode()):
                        own.sendto(datagram, sender)


class Canary:
    """A host that nobody named: counts who connects to it, and who says something."""

    def __init__(self, address, ports):
        self.connections = self.asked = 0
        for port in ports:
            server = socket.create_server((address, port))
            threading.Thread(target=self.count, args=(server,), daemon=True).start()

    def count(self, server):
        while True:
            connection, _ = server.accept()
            self.connections += 1
            threading.Thread(target=self.hear, args=(connection,), daemon=True).start()

    def hear(self, connection):
        connection.settimeout(20)
        with connection, contextlib.suppress(OSError):
            self.asked += bool(connection.recv(100))
