# SPDX-License-Identifier: LGPL-2.1-or-later
"""RTSP cameras over TCP that send what a test recorded, when the test says: TcpCamera(port, {path: Stream}).

The packets are made by GStreamer once; here they are only sent, so that this needs no library."""
import base64
import socketserver
import struct
import subprocess
import threading
import time


def recorded(file, pictures, rate, group):
    """RTP packets of a picture in which nothing moves, as H.264: a list for each picture."""
    subprocess.run(["gst-launch-1.0", "-q", *f"videotestsrc pattern=circular num-buffers={pictures} ! video/x-raw,format=I420,width=320,height=180,framerate={rate}/1 "
                    f"! x264enc tune=zerolatency speed-preset=ultrafast threads=1 key-int-max={group} ! h264parse ! rtph264pay aggregate-mode=none pt=96 config-interval=-1 "
                    f"timestamp-offset=0 seqnum-offset=0 ! rtpstreampay ! filesink location={file}".split()], check=True, timeout=120)
    data, at, out, last = file.read_bytes(), 0, [], None
    while at < len(data):
        size, = struct.unpack_from(">H", data, at)
        packet = data[at + 2:at + 2 + size]
        at += 2 + size
        when, = struct.unpack_from(">I", packet, 4)
        if when != last:
            out.append([])
        out[-1].append(packet)
        last = when
    return out


def parameter_sets(pictures):
    """For the description of the stream, so that a decoder can begin anywhere."""
    nals = [packet[12:] for picture in pictures for packet in picture]
    return ",".join(base64.b64encode(next(n for n in nals if n[0] & 31 == kind)).decode() for kind in (7, 8))


class Stream:
    """`pictures` from the one of number `begin` on; `sent_at(t)`: when the picture of the time t is sent, in seconds from the start."""

    def __init__(self, pictures, rate, begin=0, sent_at=lambda t: t):
        self.parameter_sets = parameter_sets(pictures)
        self.pictures, self.rate, self.sent_at = pictures[begin:], rate, sent_at
        self.sent = self.sessions = 0


class TcpCamera:
    def __init__(self, port, streams):
        class Connection(socketserver.StreamRequestHandler):
            def handle(self):
                stream = None
                while line := self.rfile.readline():
                    if line[:1] == b"$":  # RTCP of the client, read as part of a line
                        head = line + self.rfile.read(max(0, 4 - len(line)))
                        size, = struct.unpack_from(">H", head, 2)
                        self.rfile.read(max(0, size + 4 - len(head)))
                        continue
                    words, number, transport = line.decode("latin-1").split(), "0", ""
                    if len(words) < 3:
                        continue
                    while (header := self.rfile.readline().decode("latin-1").strip()):
                        name, _, value = header.partition(":")
                        number = value.strip() if name.lower() == "cseq" else number
                        transport = value.strip() if name.lower() == "transport" else transport
                    stream = next((s for path, s in streams.items() if path in words[1]), stream)
                    extra = body = ""
                    if words[0] == "OPTIONS":
                        extra = "Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN\r\n"
                    elif words[0] == "DESCRIBE":
                        body = ("v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=camera\r\nt=0 0\r\na=control:*\r\nm=video 0 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\n"
                                f"a=fmtp:96 packetization-mode=1;sprop-parameter-sets={stream.parameter_sets}\r\na=control:video\r\n")
                        extra = f"Content-Type: application/sdp\r\nContent-Base: {words[1]}/\r\nContent-Length: {len(body)}\r\n"
                    elif words[0] == "SETUP":
                        extra = f"Session: 1\r\nTransport: {transport}\r\n"
                    elif words[0] == "PLAY":
                        extra = "Session: 1\r\nRange: npt=0-\r\n"
                    self.wfile.write(f"RTSP/1.0 200 OK\r\nCSeq: {number}\r\n{extra}\r\n{body}".encode())
                    if words[0] == "PLAY":
                        threading.Thread(target=self.play, args=(stream,), daemon=True).start()

            def play(self, stream):
                stream.sessions += 1
                if stream.sessions > 1:
                    return  # each film is sent once
                begun = time.monotonic()
                try:
                    for i, picture in enumerate(stream.pictures):
                        time.sleep(max(0, begun + stream.sent_at(i / stream.rate) - time.monotonic()))
                        self.wfile.write(b"".join(struct.pack(">cBH", b"$", 0, len(p)) + p for p in picture))
                        stream.sent += 1
                except OSError:
                    pass

        server = socketserver.ThreadingTCPServer(("127.0.0.1", port), Connection)
        server.daemon_threads = True
        self.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
