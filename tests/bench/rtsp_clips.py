# SPDX-License-Identifier: LGPL-2.1-or-later
"""An RTSP server of H.264 clips for measurements, run by the system's python3: rtsp_clips.py PORT CAMERAS CLIP...

/cam0, /cam1 ... play the CLIPs (MP4) in turn, again and again, at their own speed and without encoding. It says "ready", and ends with its input."""
import sys
import threading

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402

Gst.init(None)
port, cameras, clips = sys.argv[1], int(sys.argv[2]), sys.argv[3:]


class Clip:
    """Whole pictures of a clip, as they are sent."""

    def __init__(self, file):
        line = Gst.parse_launch(f'filesrc location="{file}" ! qtdemux ! h264parse config-interval=-1 ! video/x-h264,stream-format=byte-stream,alignment=au ! appsink name=out sync=false')
        out = line.get_by_name("out")
        line.set_state(Gst.State.PLAYING)
        self.pictures = []
        while sample := out.emit("pull-sample"):
            self.caps, buffer = sample.get_caps(), sample.get_buffer()
            self.pictures.append((buffer.extract_dup(0, buffer.get_size()), buffer.has_flags(Gst.BufferFlags.DELTA_UNIT)))
        line.set_state(Gst.State.NULL)
        _, n, d = self.caps.get_structure(0).get_fraction("framerate")
        self.period = Gst.SECOND * d // n


def play(_factory, media, clip):
    source, at = media.get_element().get_by_name("clip"), [0]
    source.set_property("caps", clip.caps)

    def push():
        data, delta = clip.pictures[at[0] % len(clip.pictures)]
        buffer = Gst.Buffer.new_wrapped(data)
        if delta:
            buffer.set_flags(Gst.BufferFlags.DELTA_UNIT)
        at[0] += 1
        return source.emit("push-buffer", buffer) == Gst.FlowReturn.OK
    GLib.timeout_add(clip.period // Gst.MSECOND, push)


read = [Clip(file) for file in clips]
server = GstRtspServer.RTSPServer()
server.set_address("127.0.0.1")
server.set_service(port)
for i in range(cameras):
    factory = GstRtspServer.RTSPMediaFactory()
    factory.set_launch("( appsrc name=clip is-live=true do-timestamp=true format=time ! h264parse ! rtph264pay name=pay0 pt=96 config-interval=1 )")
    factory.set_shared(True)
    factory.connect("media-configure", play, read[i % len(read)])
    server.get_mount_points().add_factory(f"/cam{i}", factory)
if server.attach(None) == 0:
    sys.exit(f"port {port} is taken")
loop = GLib.MainLoop()


def wait():
    sys.stdin.read()
    loop.quit()


threading.Thread(target=wait, daemon=True).start()
print("ready", flush=True)
loop.run()
