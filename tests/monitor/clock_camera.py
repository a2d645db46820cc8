# SPDX-License-Identifier: LGPL-2.1-or-later
"""An RTSP camera with two streams of one scene, run by the system's python3: clock_camera.py PORT SECONDS.

/main is 640x360 and comes SECONDS late, as from a camera that encodes slowly; /sub is 320x240. Both have G.711 sound,
and say by RTCP when their pictures were taken. Each picture shows that time in milliseconds as 24 bars at its top (white
is 1, the highest bit on the left), and for six of each twenty seconds a bright square that crosses the picture.
Commands on stdin, a line each: stall main, go main, stall sub, go sub."""
import collections
import random
import sys
import threading
import time

import preload  # noqa: F401  pylint: disable=unused-import

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402

Gst.init(None)
FPS, BITS, PERIOD, SHOWN = 15, 24, 20, 6
CHROMA = 128


class Stream:
    def __init__(self, width, height, delay):
        self.width, self.height, self.delay = width, height, delay
        self.source, self.stalled, self.waiting = None, False, collections.deque()
        noise = random.Random(1)
        luma = bytearray(noise.choice((90, 100, 110)) for _ in range(width * height))
        self.empty = bytes(luma) + bytes([CHROMA]) * (width * height // 2)

    def draw(self, at):
        w, h = self.width, self.height
        picture = bytearray(self.empty)
        clock, row = int(at * 1000) % (1 << BITS), bytearray(w)
        for x in range(w):
            row[x] = 235 if clock >> (BITS - 1 - x * BITS // w) & 1 else 16
        rows = h // 10
        picture[:w * rows] = bytes(row) * rows
        into = at % PERIOD
        if into < SHOWN:
            left, wide = int(w * (0.1 + 0.1 * into)), int(w * 0.15)
            for y in range(int(h * 0.5), int(h * 0.75)):
                picture[y * w + left:y * w + left + wide] = bytes([220]) * wide
        return bytes(picture)

    def take(self, at, clock_time):
        """A picture is taken now and sent when it is due."""
        self.waiting.append((at, clock_time))
        while self.waiting and self.waiting[0][0] + self.delay <= at:
            taken, its_time = self.waiting.popleft()
            source = self.source
            if source is None or self.stalled:
                continue
            base = source.get_base_time()
            if base in (0, Gst.CLOCK_TIME_NONE) or its_time < base:
                continue
            b = Gst.Buffer.new_wrapped(self.draw(taken))
            b.pts = b.dts = its_time - base
            b.duration = Gst.SECOND // FPS
            source.emit("push-buffer", b)

    def configure(self, _factory, media):
        self.source = media.get_element().get_by_name("source")
        caps = f"video/x-raw,format=I420,width={self.width},height={self.height},framerate={FPS}/1"
        self.source.set_property("caps", Gst.Caps.from_string(caps))


streams = {"main": Stream(640, 360, float(sys.argv[2])), "sub": Stream(320, 240, 0)}
server = GstRtspServer.RTSPServer()
server.set_address("127.0.0.1")
server.set_service(sys.argv[1])
for name, stream in streams.items():
    factory = GstRtspServer.RTSPMediaFactory()
    factory.set_launch("( appsrc name=source is-live=true format=time ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=15 "
                       "! rtph264pay name=pay0 pt=96 config-interval=1 "
                       "audiotestsrc is-live=true ! audio/x-raw,rate=8000,channels=1 ! alawenc ! rtppcmapay name=pay1 pt=8 )")
    factory.set_shared(True)
    factory.connect("media-configure", stream.configure)
    server.get_mount_points().add_factory("/" + name, factory)
if server.attach(None) == 0:
    sys.exit(f"port {sys.argv[1]} is taken")
loop = GLib.MainLoop()


def take():
    clock, due = Gst.SystemClock.obtain(), time.monotonic()
    while True:
        due += 1 / FPS
        time.sleep(max(0, due - time.monotonic()))
        for s in streams.values():
            s.take(time.time(), clock.get_time())


def commands():
    for line in sys.stdin:
        word, _, which = line.strip().partition(" ")
        streams[which].stalled = word == "stall"
    loop.quit()


threading.Thread(target=take, daemon=True).start()
threading.Thread(target=commands, daemon=True).start()
print("ready", flush=True)
loop.run()
