# SPDX-License-Identifier: LGPL-2.1-or-later
"""An RTSP server for tests that answers oddly: OddRtsp(address, kind, elsewhere), of the kinds

silent (takes a connection and says nothing), login (wants a user: basic; counts those that were right), missing (404), unknown (a stream of
an encoding that nobody knows), redirect (sends on to `elsewhere`), control (the stream's own address is at `elsewhere`), mute (plays, and
sends nothing)."""
import base64
import socketserver
import struct
import threading
import time


class OddRtsp:
    def __init__(self, address, kind, elsewhere="", login=""):
        self.right = self.asked = 0
        odd = self

        class Connection(socketserver.StreamRequestHandler):
            def handle(self):
                while line := self.rfile.readline():
                    odd.asked += 1
                    if kind == "silent":
                        continue
                    if line[:1] == b"$":
                        size, = struct.unpack(">H", (line + self.rfile.read(max(0, 4 - len(line))))[2:4])
                        self.rfile.read(max(0, size + 4 - len(line)))
                        continue
                    method, url = line.decode("latin-1").split()[:2]
                    fields = {}
                    while header := self.rfile.readline().decode("latin-1").strip():
                        name, _, value = header.partition(":")
                        fields[name.lower()] = value.strip()
                    self.rfile.read(int(fields.get("content-length", 0)))
                    self.answer(method, url, fields)

            def answer(self, method, url, fields):
                status, extra, body = "200 OK", "", ""
                if method == "OPTIONS":
                    extra = "Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN" + (", ANNOUNCE, RECORD" if kind != "mute" else "") + "\r\n"
                elif kind == "login" and fields.get("authorization", "") != "Basic " + base64.b64encode(login.encode()).decode():
                    status, extra = "401 Unauthorized", 'WWW-Authenticate: Basic realm="camera"\r\n'
                elif kind in ("missing", "login"):
                    odd.right += kind == "login"
                    status = "404 Not Found"
                elif kind == "redirect":
                    status, extra = "302 Found", f"Location: rtsp://{elsewhere}/stream\r\n"
                elif method == "DESCRIBE":
                    encoding = "X-NEW" if kind == "unknown" else "H264"
                    control = f"rtsp://{elsewhere}/track" if kind == "control" else "track"
                    body = f"v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=camera\r\nt=0 0\r\na=control:*\r\nm=video 0 RTP/AVP 96\r\na=rtpmap:96 {encoding}/90000\r\na=control:{control}\r\n"
                    extra = f"Content-Type: application/sdp\r\nContent-Base: {url}/\r\nContent-Length: {len(body)}\r\n"
                elif method == "SETUP":
                    extra = f"Session: 1\r\nTransport: {fields.get('transport', '')}\r\n"
                else:
                    extra = "Session: 1\r\n"
                self.wfile.write(f"RTSP/1.0 {status}\r\nCSeq: {fields.get('cseq', 0)}\r\n{extra}\r\n{body}".encode())
                if method == "PLAY" and kind == "unknown":
                    threading.Thread(target=self.send, daemon=True).start()

            def send(self):
                try:
                    for n in range(600):
                        packet = struct.pack(">BBHII", 0x80, 0xe0, n, n * 3600, 7) + b"new" * 20
                        self.wfile.write(struct.pack(">cBH", b"$", 0, len(packet)) + packet)
                        time.sleep(0.04)
                except OSError:
                    pass

        server = socketserver.ThreadingTCPServer((address, 0), Connection)
        server.daemon_threads = True
        self.url = f"rtsp://{address}:{server.server_address[1]}/stream"
        threading.Thread(target=server.serve_forever, daemon=True).start()
