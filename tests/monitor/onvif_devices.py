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


NOTIFICATION = ('<wsnt:NotificationMessage xmlns:wsnt="http://docs.oasis-open.org/wsn/b-2"><wsnt:Topic Dialect="http://www.onvif.org/ver10/tev/topicExpression/ConcreteSet">{topic}</wsnt:Topic><wsnt:Message>'
                '<tt:Message UtcTime="1999-12-31T00:00:00Z" PropertyOperation="{operation}"><tt:Source><tt:SimpleItem Name="Source" Value="{source}"/></tt:Source><tt:Data>{data}</tt:Data></tt:Message>'
                "</wsnt:Message></wsnt:NotificationMessage>")


def notification(topic, value=None, operation="Changed", source="1"):
    """A message of an event service; `value`: "true", "false" or None for what only happens."""
    return NOTIFICATION.format(topic=topic, operation=operation, source=source, data=f'<tt:SimpleItem Name="State" Value="{value}"/>' if value else '<tt:SimpleItem Name="ObjectId" Value="15"/>')


class Head:
    """What turns: where it looks, from 0 to 1260. A move ends by its own timeout, a stop or another order."""

    SPEED = 300  # a second, at full speed

    def __init__(self):
        self.lock, self.moves, self.stops, self.timeouts, self.zooms = threading.Lock(), 0, 0, 0, 0
        self.presets, self.home, self.mute = {}, 600.0, False
        self.__place, self.__speed, self.__target, self.__until, self.__at = 600.0, 0.0, None, 0.0, time.monotonic()

    def place(self):
        with self.lock:
            return self.__step()

    def turning(self):
        with self.lock:
            self.__step()
            return bool(self.__speed) or self.__target is not None

    def __step(self):
        now = time.monotonic()
        if self.__target is not None:
            way = self.__target - self.__place
            step = min(abs(way), self.SPEED * (now - self.__at))
            self.__place += step if way > 0 else -step
            if self.__place == self.__target:
                self.__target = None
        elif self.__speed:
            self.__place = min(1260.0, max(0.0, self.__place + self.__speed * self.SPEED * (min(now, self.__until) - self.__at)))
            if now >= self.__until:
                self.__speed = 0.0
                self.timeouts += 1
        self.__at = now
        return self.__place

    def order(self, speed=0.0, target=None, seconds=0.0):
        with self.lock:
            self.__step()
            self.__speed, self.__target, self.__until = speed, target, time.monotonic() + seconds

    def body(self, action, text):
        """The answer to a request of the PTZ service; None: a fault."""
        token = re.search(r"<PresetToken>([^<]*)<", text)
        if action == "GetNode":
            return ('<tptz:GetNodeResponse xmlns:tptz="http://www.onvif.org/ver20/ptz/wsdl"><tptz:PTZNode token="n"><tt:SupportedPTZSpaces><tt:ContinuousPanTiltVelocitySpace/><tt:ContinuousZoomVelocitySpace/>'
                    "</tt:SupportedPTZSpaces><tt:MaximumNumberOfPresets>16</tt:MaximumNumberOfPresets><tt:HomeSupported>true</tt:HomeSupported></tptz:PTZNode></tptz:GetNodeResponse>")
        if action == "ContinuousMove":
            self.moves += 1
            self.zooms += not re.search(r'<Zoom [^>]*x="0\.000"', text)
            self.order(float(re.search(r'<PanTilt [^>]*x="([-.\d]+)"', text)[1]), seconds=float(re.search(r"<Timeout>PT(\d+)S<", text)[1]))
        elif action == "Stop":
            self.stops += 1
            self.order()
        elif action == "GotoHomePosition":
            self.order(target=self.home)
        elif action == "GotoPreset" and token and token[1] in self.presets:
            self.order(target=self.presets[token[1]][1])
        elif action == "SetPreset":
            name = re.search(r"<PresetName>([^<]*)<", text)
            number = token[1] if token else f"p{len(self.presets) + 1}"
            self.presets[number] = (name[1] if name else self.presets[number][0], self.place())
            return f"<SetPresetResponse><PresetToken>{number}</PresetToken></SetPresetResponse>"
        elif action == "RemovePreset" and token and token[1] in self.presets:
            del self.presets[token[1]]
        elif action == "GetPresets":
            return "<GetPresetsResponse>" + "".join(f'<Preset token="{number}"><tt:Name>{name}</tt:Name></Preset>' for number, (name, _) in self.presets.items()) + '<Preset token="../x"/></GetPresetsResponse>'
        else:
            return None
        return f"<{action}Response/>"


# Devices without a Media service.
MEDIA2_ALONE = ("media2", "services", "neither", "media2-elsewhere", "media2-scheme", "stream2-elsewhere", "media2-huge", "media2-bomb", "media2-malformed", "media2-empty")


class Device:
    """`head`: what turns, in the profile of the large stream. `kind`: good, digest (HTTP digest alone), clock (its clock is three hours ahead), slow, malformed, huge, bomb, deep, media-elsewhere, stream-elsewhere, one-stream;
    of Media2: media2 (Media is not there), services (nor is GetCapabilities), both (H.265 is in Media2 alone), media2-broken (besides a good Media), services-bomb and services-mute (of GetServices, besides a good
    Media), media2-elsewhere, media2-scheme, stream2-elsewhere, media2-huge, media2-bomb, media2-malformed, media2-empty, neither (no service at all);
    of the search: elsewhere (names another host), stranger (answers another question), garbage (no XML), silent;
    of turning: ptz-elsewhere, redirect (the PTZ service sends on to another host), stuck (it takes moves, and never answers them);
    of events: pull-elsewhere, pull-flood (always as many messages as fit), pull-huge, pull-bomb, pull-malformed, pull-silent, reference (wants its reference back), no-renew."""

    def __init__(self, address, kind="good", elsewhere="127.0.0.200", rtsp_port=554, main="/main", sub="/sub", head=None):
        self.address, self.kind, self.elsewhere = address, kind, elsewhere
        self.streams = {"main": f"rtsp://{address}:{rtsp_port}{main}", "sub": f"rtsp://{address}:{rtsp_port}{sub}"}
        self.nonces, self.replayed, self.requests, self.basic = set(), 0, 0, 0
        self.head, self.actions, self.gone = head, [], threading.Event()  # gone: it refuses all, as one that starts again does
        self.notifications, self.subscriptions, self.news = [], set(), threading.Condition()
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
        self.actions.append(action)
        if self.gone.is_set():
            self.send(request, 503, "")
            return
        if action != "GetSystemDateAndTime":
            if self.kind == "digest":
                if not self.digest_is_right(authorization, "POST", request.path):
                    self.send(request, 401, "", WWW_Authenticate='Digest realm="camera", qop="auth", nonce="0123456789abcdef", algorithm=MD5')
                    return
            elif not self.signs_in(text):
                self.send(request, 400, fault("NotAuthorized", "Sender not authorized"))
                return
        if self.kind.startswith("media2-") and action == "GetProfiles" and "ver20/media" in text and self.wrong_media2(request):
            return
        if action == "GetServices" and self.kind in ("services-bomb", "services-mute"):
            if self.kind == "services-bomb":
                self.send(request, 200, BOMB)
            else:
                request.close_connection = True
            return
        if self.kind == "redirect" and action in ("ContinuousMove", "GotoPreset"):
            self.send(request, 302, "", Location=f"http://{self.elsewhere}:{self.port}/onvif/ptz")
            return
        if self.kind == "stuck" and action == "ContinuousMove":
            self.head.body(action, text)
            time.sleep(30)
            return
        if action == "PullMessages" and self.kind.startswith("pull-"):
            self.wrong_pull(request)
            return
        body = self.body(action, text)
        self.send(request, *((200, envelope(body)) if body else (400, fault("InvalidArgVal", "no such thing"))))

    def say(self, *messages):
        """By the event service."""
        with self.news:
            self.notifications += messages
            self.news.notify_all()

    def wrong_media2(self, request):
        """False: the answer is a right one."""
        if self.kind == "media2-huge":
            request.send_response(200)
            request.end_headers()
            for _ in range(2000):
                request.wfile.write(b"<a>" * 20000)
        elif self.kind == "media2-broken":
            self.send(request, 400, fault("Action", "out of order"))
        elif self.kind in ("media2-bomb", "media2-malformed"):
            self.send(request, 200, {"media2-bomb": BOMB, "media2-malformed": "<a><b></a>"}[self.kind])
        elif self.kind == "media2-empty":
            self.send(request, 200, envelope("<tr2:GetProfilesResponse xmlns:tr2='http://www.onvif.org/ver20/media/wsdl'/>"))
        else:
            return False
        return True

    def wrong_pull(self, request):
        if self.kind == "pull-silent":
            time.sleep(60)
        elif self.kind == "pull-huge":
            request.send_response(200)
            request.end_headers()
            for _ in range(2000):
                request.wfile.write(b"<a>" * 20000)
        elif self.kind == "pull-flood":
            values = ("true", "false")
            flood = "".join(notification("tns1:VideoSource/MotionAlarm", values[i % 2], source=str(i)) + notification("tns1:Device/Trigger/DigitalInput", values[i // 2 % 2], source=str(i)) for i in range(150))
            self.send(request, 200, envelope(f"<tev:PullMessagesResponse xmlns:tev='x'>{flood}</tev:PullMessagesResponse>"))
        else:
            self.send(request, 200, {"pull-bomb": BOMB, "pull-malformed": "<a><b></a>"}[self.kind])

    def events(self, action, text):
        """The answer to a request of the event service; None: a fault."""
        if action == "CreatePullPointSubscription":
            number = f"s{len(self.actions)}"
            self.subscriptions.add(number)
            host = self.elsewhere if self.kind == "pull-elsewhere" else self.address
            reference = f'<wsa5:ReferenceParameters><dom0:SubscriptionId xmlns:dom0="http://example.org/dom0">{number}</dom0:SubscriptionId></wsa5:ReferenceParameters>' if self.kind == "reference" else ""
            where = "" if reference else f"?Idx={number}&amp;x=1"
            return ('<tev:CreatePullPointSubscriptionResponse xmlns:tev="http://www.onvif.org/ver10/events/wsdl"><tev:SubscriptionReference xmlns:wsa5="http://www.w3.org/2005/08/addressing">'
                    f"<wsa5:Address>http://{host}:{self.port}/onvif/events{where}</wsa5:Address>{reference}</tev:SubscriptionReference></tev:CreatePullPointSubscriptionResponse>")
        named = re.search(r'<r:SubscriptionId xmlns:r="http://example.org/dom0"[^>]*>(s\d+)<', text) if self.kind == "reference" else re.search(r"\?Idx=(s\d+)&amp;x=1<", text)
        if not named or named[1] not in self.subscriptions:
            return None
        if action == "Renew" and self.kind == "no-renew":
            return None
        if action == "Unsubscribe":
            self.subscriptions.discard(named[1])
        if action != "PullMessages":
            return f"<{action}Response/>"
        with self.news:
            self.news.wait_for(lambda: self.notifications, float(re.search(r"<Timeout>PT([.\d]+)S<", text)[1]))
            said, self.notifications = self.notifications, []
        return f"<tev:PullMessagesResponse xmlns:tev='http://www.onvif.org/ver10/events/wsdl'>{''.join(said)}</tev:PullMessagesResponse>"

    def body(self, action, text):
        media_host = self.elsewhere if self.kind == "media-elsewhere" else self.address
        if action == "GetSystemDateAndTime":
            t = time.gmtime(self.now())
            return ("<tds:GetSystemDateAndTimeResponse><tds:SystemDateAndTime><tt:DateTimeType>NTP</tt:DateTimeType><tt:UTCDateTime>"
                    f"<tt:Time><tt:Hour>{t.tm_hour}</tt:Hour><tt:Minute>{t.tm_min}</tt:Minute><tt:Second>{t.tm_sec}</tt:Second></tt:Time>"
                    f"<tt:Date><tt:Year>{t.tm_year}</tt:Year><tt:Month>{t.tm_mon}</tt:Month><tt:Day>{t.tm_mday}</tt:Day></tt:Date>"
                    "</tt:UTCDateTime></tds:SystemDateAndTime></tds:GetSystemDateAndTimeResponse>")
        if action == "GetCapabilities":
            if self.kind in ("services", "neither"):
                return None
            media = "" if self.kind in MEDIA2_ALONE else f"<tt:Media><tt:XAddr>http://{media_host}:{self.port}/onvif/media</tt:XAddr></tt:Media>"
            return f"<tds:GetCapabilitiesResponse><tds:Capabilities>{media}{self.services()}</tds:Capabilities></tds:GetCapabilitiesResponse>"
        if action == "GetServices":
            return self.listed_services()
        if action == "GetDeviceInformation":
            return ("<tds:GetDeviceInformationResponse><tds:Manufacturer>Simulated &amp; Sons</tds:Manufacturer><tds:Model>Eye 12 (fast)</tds:Model>"
                    "<tds:FirmwareVersion>1</tds:FirmwareVersion></tds:GetDeviceInformationResponse>")
        if action == "GetProfiles":
            def profile(token, name, codec, width, height, fps):
                ptz = ""
                if self.head and token == "main":
                    ptz = '<tt:PTZConfiguration token="c"><tt:NodeToken>n</tt:NodeToken><tt:DefaultContinuousPanTiltVelocitySpace>x</tt:DefaultContinuousPanTiltVelocitySpace></tt:PTZConfiguration>'
                return (f'<trt:Profiles token="{token}" fixed="true"><tt:Name>{name}</tt:Name>{ptz}<tt:VideoEncoderConfiguration token="v"><tt:Encoding>{codec}</tt:Encoding>'
                        f"<tt:Resolution><tt:Width>{width}</tt:Width><tt:Height>{height}</tt:Height></tt:Resolution><tt:RateControl><tt:FrameRateLimit>{fps}</tt:FrameRateLimit>"
                        "</tt:RateControl></tt:VideoEncoderConfiguration></trt:Profiles>")
            if "ver20/media" in text:
                return self.media2_profiles()
            if self.kind in MEDIA2_ALONE:
                return None
            all_profiles = [profile("main", "Main stream", "H264", 1920, 1080, 25), profile("sub", "Sub stream", "H264", 640, 360, 10),
                            profile("tiny", "Phone", "H264", 176, 144, 5), profile("jpeg", "Snapshots", "JPEG", 2592, 1944, 1)]
            return "<trt:GetProfilesResponse>" + "".join(all_profiles[:1] if self.kind == "one-stream" else all_profiles) + "</trt:GetProfilesResponse>"
        if action == "GetStreamUri":
            uri = self.streams[re.search(r"<ProfileToken>(\w+)<", text)[1]]
            if self.kind in ("stream-elsewhere", "stream2-elsewhere"):
                uri = uri.replace(self.address, self.elsewhere)
            if "ver20/media" in text:
                return f"<tr2:GetStreamUriResponse xmlns:tr2='http://www.onvif.org/ver20/media/wsdl'><tr2:Uri>{uri}</tr2:Uri></tr2:GetStreamUriResponse>" if "<Protocol>RTSP</Protocol>" in text else None
            return f"<trt:GetStreamUriResponse><trt:MediaUri><tt:Uri>{uri}</tt:Uri></trt:MediaUri></trt:GetStreamUriResponse>"
        if action in ("CreatePullPointSubscription", "PullMessages", "Renew", "Unsubscribe"):
            return self.events(action, text)
        if self.head:
            return self.head.body(action, text)
        raise AssertionError(f"an action that no test knows: {text}")

    def listed_services(self):
        """The answer to GetServices; None: a fault, as of a device that is older."""
        if self.kind in ("good", "neither"):
            return None
        host = self.elsewhere if self.kind == "media2-elsewhere" else self.address
        scheme = "ftp" if self.kind == "media2-scheme" else "http"
        known = [("ver10/device", f"http://{self.address}:{self.port}/onvif/device_service"), ("ver10/events", f"http://{self.address}:{self.port}/onvif/events")]
        if self.kind in MEDIA2_ALONE or self.kind in ("both", "media2-broken"):
            known.append(("ver20/media", f"{scheme}://{host}:{self.port}/onvif/media2"))
        if self.head:
            known.append(("ver20/ptz", f"http://{self.address}:{self.port}/onvif/ptz"))
        return "<tds:GetServicesResponse>" + "".join(
            f"<tds:Service><tds:Namespace>http://www.onvif.org/{space}/wsdl</tds:Namespace><tds:XAddr>{at}</tds:XAddr><tds:Version><tt:Major>2</tt:Major><tt:Minor>60</tt:Minor></tds:Version></tds:Service>"
            for space, at in known) + "</tds:GetServicesResponse>"

    def media2_profiles(self):
        def profile(token, name, codec, width, height, fps):
            ptz = '<tr2:PTZ token="c"><tt:NodeToken>n</tt:NodeToken><tt:DefaultContinuousPanTiltVelocitySpace>x</tt:DefaultContinuousPanTiltVelocitySpace></tr2:PTZ>' if self.head and token == "main" else ""
            return (f'<tr2:Profiles token="{token}" fixed="true"><tr2:Name>{name}</tr2:Name><tr2:Configurations><tr2:VideoEncoder token="v"><tt:Name>v</tt:Name><tt:Encoding>{codec}</tt:Encoding>'
                    f'<tt:Resolution><tt:Width>{width}</tt:Width><tt:Height>{height}</tt:Height></tt:Resolution><tt:RateControl ConstantBitRate="true"><tt:FrameRateLimit>{fps}</tt:FrameRateLimit>'
                    f"</tt:RateControl></tr2:VideoEncoder>{ptz}</tr2:Configurations></tr2:Profiles>")
        return ("<tr2:GetProfilesResponse xmlns:tr2='http://www.onvif.org/ver20/media/wsdl'>" + profile("main", "Main stream", "H265", 3840, 2160, 25.0) + profile("sub", "Sub stream", "H264", 640, 360, 12.5)
                + "<tr2:Profiles token='sound' fixed='false'><tr2:Name>Sound</tr2:Name><tr2:Configurations/></tr2:Profiles></tr2:GetProfilesResponse>")

    def services(self):
        ptz_host = self.elsewhere if self.kind == "ptz-elsewhere" else self.address
        ptz = f"<tt:PTZ><tt:XAddr>http://{ptz_host}:{self.port}/onvif/ptz</tt:XAddr></tt:PTZ>" if self.head else ""
        return f"{ptz}<tt:Events><tt:XAddr>http://{self.address}:{self.port}/onvif/events</tt:XAddr></tt:Events>"

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
        self.servers = [socket.create_server((address, port)) for port in ports]
        for server in self.servers:
            threading.Thread(target=self.count, args=(server,), daemon=True).start()

    def close(self):
        """Another one may take its ports."""
        for server in self.servers:
            server.shutdown(socket.SHUT_RDWR)  # accept() ends
            server.close()

    def count(self, server):
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.hear, args=(connection,), daemon=True).start()

    def hear(self, connection):
        connection.settimeout(20)
        with connection, contextlib.suppress(OSError):
            self.asked += bool(connection.recv(100))
