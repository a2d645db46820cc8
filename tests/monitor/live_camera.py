# SPDX-License-Identifier: LGPL-2.1-or-later
"""RTSP cameras with sound, run by the system's python3: live_camera.py PORT [KEY_SECONDS].

/opus, /pcma, /pcmu and /aac are H.264 with that sound; /small is H.264 of 320x180 without sound; /h265 has H.265; /reordered has B-frames.
Each picture shows the system's clock in milliseconds as 24 bars at its top (white is 1, the highest bit on the left). For the first tenth
of each second its lower half is white, and a tone of 1 kHz sounds."""
import math
import struct
import sys
import threading
import time

import preload  # noqa: F401  pylint: disable=unused-import

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402

Gst.init(None)
FPS, BITS, BEEP, CHUNK = 25, 24, 0.1, 0.02
KEY = round(FPS * float(sys.argv[2] if len(sys.argv) > 2 else 2))
X264 = f"x264enc tune=zerolatency speed-preset=ultrafast key-int-max={KEY} bframes=0 threads=1"
H264 = f"{X264} ! h264parse ! rtph264pay name=pay0 pt=96 config-interval=-1"
SOUND = {"opus": (48000, "opusenc audio-type=restricted-lowdelay bitrate=64000 ! rtpopuspay name=pay1 pt=97"), "pcma": (8000, "alawenc ! rtppcmapay name=pay1 pt=8"),
         "pcmu": (8000, "mulawenc ! rtppcmupay name=pay1 pt=0"), "aac": (48000, "avenc_aac ! aacparse ! rtpmp4gpay name=pay1 pt=97")}
VIDEO = {"small": (320, 180, H264), "h265": (640, 360, f"x265enc tune=zerolatency speed-preset=ultrafast key-int-max={KEY} ! h265parse ! rtph265pay name=pay0 pt=96 config-interval=-1"),
         "reordered": (640, 360, f"x264enc speed-preset=veryfast bframes=2 b-adapt=false key-int-max={KEY} threads=1 ! video/x-h264,profile=main ! h264parse ! rtph264pay name=pay0 pt=96 config-interval=-1")}


def draw(width, height, at):
    row = bytearray(width)
    clock = int(at * 1000) % (1 << BITS)
    for x in range(width):
        row[x] = 235 if clock >> (BITS - 1 - x * BITS // width) & 1 else 16
    rows, half = height // 10, height // 2
    lower = 235 if at % 1 < BEEP else 40
    return bytes(row) * rows + bytes([90]) * width * (half - rows) + bytes([lower]) * width * (height - half) + bytes([128]) * (width * height // 2)


def tone(rate, at):
    n = int(rate * CHUNK)
    first = round(at * rate)
    return struct.pack(f"<{n}h", *(int(12000 * math.sin(2 * math.pi * 1000 * (first + i) / rate)) if ((first + i) / rate) % 1 < BEEP else 0 for i in range(n)))


class Media:
    """What one address shows, while somebody looks."""

    def __init__(self, width, height, rate):
        self.width, self.height, self.rate = width, height, rate
        self.video = self.audio = None

    def configure(self, _factory, media):
        bin_ = media.get_element()
        self.audio = bin_.get_by_name("sound") if self.rate else None
        if self.audio:
            self.audio.set_property("caps", Gst.Caps.from_string(f"audio/x-raw,format=S16LE,layout=interleaved,channels=1,rate={self.rate}"))
        self.video = bin_.get_by_name("source")
        self.video.set_property("caps", Gst.Caps.from_string(f"video/x-raw,format=I420,width={self.width},height={self.height},framerate={FPS}/1"))

    @staticmethod
    def push(source, data, clock_time, duration):
        base = source.get_base_time()
        if base in (0, Gst.CLOCK_TIME_NONE) or clock_time < base:
            return
        b = Gst.Buffer.new_wrapped(data)
        b.pts = b.dts = clock_time - base
        b.duration = int(duration * Gst.SECOND)
        source.emit("push-buffer", b)


medias = {name: Media(640, 360, rate) for name, (rate, _) in SOUND.items()} | {name: Media(w, h, 0) for name, (w, h, _) in VIDEO.items()}
server = GstRtspServer.RTSPServer()
server.set_address("127.0.0.1")
server.set_service(sys.argv[1])
for name, media in medias.items():
    factory = GstRtspServer.RTSPMediaFactory()
    sound = f"appsrc name=sound is-live=true format=time ! audioconvert ! {SOUND[name][1]}" if name in SOUND else ""
    factory.set_launch(f"( appsrc name=source is-live=true format=time ! {VIDEO[name][2] if name in VIDEO else H264} {sound} )")
    factory.set_shared(True)
    factory.set_latency(0)
    factory.connect("media-configure", media.configure)
    server.get_mount_points().add_factory("/" + name, factory)
if server.attach(None) == 0:
    sys.exit(f"port {sys.argv[1]} is taken")


def run(step, push):
    """Calls push(UTC, clock) at each whole step of the system's clock."""
    clock = Gst.SystemClock.obtain()
    due = math.ceil(time.time() / step)
    while True:
        time.sleep(max(0, due * step - time.time()))
        push(due * step, clock.get_time() - int((time.time() - due * step) * Gst.SECOND))
        due += 1


def pictures(at, clock_time):
    drawn = {}
    for m in medias.values():
        if m.video:
            size = (m.width, m.height)
            drawn[size] = drawn.get(size) or draw(*size, at)
            m.push(m.video, drawn[size], clock_time, 1 / FPS)


def sounds(at, clock_time):
    made = {}
    for m in medias.values():
        if m.audio:
            made[m.rate] = made.get(m.rate) or tone(m.rate, at)
            m.push(m.audio, made[m.rate], clock_time, CHUNK)


threading.Thread(target=run, args=(1 / FPS, pictures), daemon=True).start()
threading.Thread(target=run, args=(CHUNK, sounds), daemon=True).start()
loop = GLib.MainLoop()
threading.Thread(target=lambda: (sys.stdin.read(), loop.quit()), daemon=True).start()
print("ready", flush=True)
loop.run()
