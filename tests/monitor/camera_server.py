# SPDX-License-Identifier: LGPL-2.1-or-later
"""An RTSP camera for tests: camera_server.py PORT [ADDRESS CAMERAS], run by the system's python3. ADDRESS is 127.0.0.1 where it is not given.

/video has a drawn scene as H.264, /turning one whose size changes every ten seconds, /sei one that sends an
SEI with the marker bit and the picture's time before each picture; /reordered has B-frames and a key frame each four seconds,
/keyless none; /codecs is H.264 until the command h265, and until h264; /audio has sound only, /talking a scene with sound; /cam0, /cam1 ... are as many small cameras as are asked for. Commands on stdin, a line each: stall
(the frames of /video and /talking stop, the connections stay), go."""
import sys
import threading

import preload  # noqa: F401  pylint: disable=unused-import

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402

Gst.init(None)
stalled = False


def configure(_factory, media):
    valve = media.get_element().get_by_name("valve")
    GLib.timeout_add(100, lambda: valve.set_property("drop", stalled) or True)


def turn(_factory, media):
    sizes = media.get_element().get_by_name("size")
    small, large = (Gst.Caps.from_string(f"video/x-raw,width={w},height={h},framerate=15/1") for w, h in ((320, 180), (256, 192)))
    state = {"large": False}

    def change():
        state["large"] = not state["large"]
        sizes.set_property("caps", large if state["large"] else small)
        return True
    GLib.timeout_add(10000, change)


def say_more(_factory, media):
    """An access unit of its own, without a picture, before each picture."""
    pad = media.get_element().get_by_name("pictures").get_static_pad("src")
    units = bytes([0, 0, 0, 1, 6, 5, 17, *range(1, 17), ord("x"), 0x80])
    inside = []

    def before(pad, info):
        if not inside:
            inside.append(True)
            unit = Gst.Buffer.new_wrapped(units)
            unit.pts, unit.dts = info.get_buffer().pts, info.get_buffer().dts
            pad.push(unit)
            inside.clear()
        return Gst.PadProbeReturn.OK
    pad.add_probe(Gst.PadProbeType.BUFFER, before)


def drop_keys(_factory, media):
    """Of access units with a key frame only the parameter sets stay."""
    pad = media.get_element().get_by_name("pictures").get_static_pad("src")
    inside = []

    def without(pad, info):
        if inside or info.get_buffer().has_flags(Gst.BufferFlags.DELTA_UNIT):
            return Gst.PadProbeReturn.OK
        units = info.get_buffer().extract_dup(0, info.get_buffer().get_size()).replace(b"\0\0\0\1", b"\0\0\1").split(b"\0\0\1")
        kept = Gst.Buffer.new_wrapped(b"".join(b"\0\0\0\1" + u for u in units if u and u[0] & 31 in (7, 8)))
        kept.pts, kept.dts = info.get_buffer().pts, info.get_buffer().dts
        inside.append(True)
        pad.push(kept)
        inside.clear()
        return Gst.PadProbeReturn.DROP
    pad.add_probe(Gst.PadProbeType.BUFFER, without)


server = GstRtspServer.RTSPServer()
server.set_address(sys.argv[2] if len(sys.argv) > 2 else "127.0.0.1")
server.set_service(sys.argv[1])
ENCODE = "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=15"
CODECS = {"h264": f"{ENCODE} ! rtph264pay name=pay0 pt=96 config-interval=1",
          "h265": "x265enc tune=zerolatency speed-preset=ultrafast key-int-max=15 ! rtph265pay name=pay0 pt=96 config-interval=1"}


def codecs(name):
    return f"( scenetestsrc is-live=true quiet=0 density=2 ! video/x-raw,format=I420,width=320,height=180,framerate=15/1 ! {CODECS[name]} )"


launches = {"/codecs": codecs("h264"), "/turning": "( scenetestsrc is-live=true quiet=0 density=2 ! capsfilter name=size caps=video/x-raw,width=320,height=180,framerate=15/1 "
            f"! {ENCODE} ! rtph264pay name=pay0 pt=96 config-interval=1 )",
            **{path: "( scenetestsrc is-live=true quiet=0 density=2 ! video/x-raw,format=I420,width=320,height=180,framerate=15/1 ! valve name=valve "
               f"! {ENCODE} ! rtph264pay name=pay0 pt=96 config-interval=1 {sound})"
               for path, sound in (("/video", ""), ("/talking", "audiotestsrc is-live=true ! audio/x-raw,rate=8000,channels=1 ! alawenc ! rtppcmapay name=pay1 pt=8 "))},
            "/sei": "( scenetestsrc is-live=true quiet=0 density=2 ! video/x-raw,format=I420,width=320,height=180,framerate=15/1 "
            f"! {ENCODE} ! video/x-h264,stream-format=byte-stream,alignment=au ! identity name=pictures ! rtph264pay name=pay0 pt=96 config-interval=1 )",
            "/reordered": "( scenetestsrc is-live=true quiet=0 density=2 ! video/x-raw,format=I420,width=320,height=180,framerate=15/1 "
            "! x264enc speed-preset=ultrafast rc-lookahead=5 bframes=2 b-adapt=false key-int-max=60 ! video/x-h264,profile=main ! rtph264pay name=pay0 pt=96 config-interval=1 )",
            "/keyless": "( scenetestsrc is-live=true quiet=0 density=2 ! video/x-raw,format=I420,width=320,height=180,framerate=15/1 "
            f"! {ENCODE} ! h264parse config-interval=-1 ! video/x-h264,stream-format=byte-stream,alignment=au ! identity name=pictures ! rtph264pay name=pay0 pt=96 config-interval=1 )",
            "/audio": "( audiotestsrc is-live=true ! alawenc ! rtppcmapay name=pay0 pt=8 )"}
for i in range(int(sys.argv[3]) if len(sys.argv) > 3 else 0):
    launches[f"/cam{i}"] = (f"( scenetestsrc is-live=true seed={i + 1} quiet=0.5 density=2 ! video/x-raw,format=I420,width=160,height=90,framerate=5/1 "
                            "! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=5 ! rtph264pay name=pay0 pt=96 config-interval=1 )")
for path, launch in launches.items():
    factory = GstRtspServer.RTSPMediaFactory()
    factory.set_launch(launch)
    factory.set_shared(True)
    prepare = {"/video": configure, "/talking": configure, "/turning": turn, "/sei": say_more, "/keyless": drop_keys}.get(path)
    if prepare:
        factory.connect("media-configure", prepare)
    server.get_mount_points().add_factory(path, factory)
if server.attach(None) == 0:
    sys.exit(f"port {sys.argv[1]} is taken")
loop = GLib.MainLoop()


def send(codec):
    """The clients are sent away; the next ones get this codec."""
    factory = GstRtspServer.RTSPMediaFactory()
    factory.set_launch(codecs(codec))
    factory.set_shared(True)
    server.get_mount_points().remove_factory("/codecs")
    server.get_mount_points().add_factory("/codecs", factory)
    server.client_filter(lambda *_: GstRtspServer.RTSPFilterResult.REMOVE, None)


def commands():
    global stalled
    for line in sys.stdin:
        if line.strip() in CODECS:
            GLib.idle_add(send, line.strip())
            continue
        stalled = line.strip() == "stall"
    loop.quit()


threading.Thread(target=commands, daemon=True).start()
print("ready", flush=True)
loop.run()
