# SPDX-License-Identifier: LGPL-2.1-or-later
"""RTSP cameras with a back channel of ONVIF, run by the system's python3: talk_camera.py PORT. With `announce` behind it: what takes speech by ANNOUNCE.

/talk takes G.711 mu-law when it is asked for a back channel, /talka A-law, /other L16; /mute has none. /horn takes mu-law by
ANNOUNCE from "speaker", by digest. Printed are "heard NAME HERTZ RMS" for each half
second that it hears, and "described NAME back", or "plain", for each question of what there is; "kept horn" for each that keeps a session of 20 s. Ends with its standard input."""
import struct
import sys
import threading

import preload  # noqa: F401  pylint: disable=unused-import

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtsp", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtsp, GstRtspServer  # noqa: E402

Gst.init(None)
RATE = 8000
VIDEO = "videotestsrc is-live=true ! video/x-raw,width=320,height=180,framerate=5/1 ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=5 threads=1 ! rtph264pay name=pay0 pt=96"
TAKES = {"talk": (0, "PCMU", "rtppcmudepay ! mulawdec"), "talka": (8, "PCMA", "rtppcmadepay ! alawdec"), "other": (97, "L16", "rtpL16depay ! audioconvert ! audio/x-raw,format=S16LE")}


class Ear:
    def __init__(self, name):
        self.name, self.samples = name, []

    def configure(self, _factory, media):
        sink = media.get_element().get_by_name("heard")
        if sink:  # it is there only when the back channel was asked for
            sink.connect("new-sample", self.hear)

    def hear(self, sink):
        buffer = sink.emit("pull-sample").get_buffer()
        data = buffer.extract_dup(0, buffer.get_size())
        self.samples += struct.unpack(f"<{len(data) // 2}h", data)
        while len(self.samples) >= RATE // 2:
            part, self.samples = self.samples[:RATE // 2], self.samples[RATE // 2:]
            waves = sum(1 for a, b in zip(part, part[1:]) if a < 0 <= b)
            print("heard", self.name, 2 * waves, round((sum(s * s for s in part) / len(part)) ** 0.5), flush=True)
        return Gst.FlowReturn.OK


def described(_client, context):
    _, require = context.request.get_header(GstRtsp.RTSPHeaderField.REQUIRE, 0)
    print("described", context.uri.abspath.strip("/"), "back" if "backchannel" in (require or "") else "plain", flush=True)


def horn_client(_server, client):
    """A session that nobody keeps ends after 20 s."""
    client.connect("new-session", lambda _, session: session.set_timeout(20))
    client.connect("options-request", lambda _, context: print("kept" if context.session else "asked", "horn", flush=True))


def horn(server):
    auth, speaker, may = GstRtspServer.RTSPAuth(), GstRtspServer.RTSPToken(), GstRtspServer.RTSPPermissions()
    speaker.set_string("media.factory.role", "speaker")
    auth.set_supported_methods(GstRtsp.RTSPAuthMethod.DIGEST)
    auth.add_digest("speaker", "sesame:open", speaker)
    for right in ("media.factory.access", "media.factory.construct"):
        may.add_permission_for_role("speaker", right, True)
    server.set_auth(auth)
    takes = GstRtspServer.RTSPMediaFactory()
    takes.set_transport_mode(GstRtspServer.RTSPTransportMode.RECORD)
    takes.set_permissions(may)
    takes.set_launch("( rtppcmudepay name=depay0 ! mulawdec ! appsink name=heard sync=false async=false emit-signals=true )")
    takes.connect("media-configure", ears["horn"].configure)
    server.get_mount_points().add_factory("/horn", takes)
    server.connect("client-connected", horn_client)


server = GstRtspServer.RTSPOnvifServer() if sys.argv[2:] != ["announce"] else GstRtspServer.RTSPServer()
server.set_address("127.0.0.1")
server.set_service(sys.argv[1])
server.connect("client-connected", lambda _, client: client.connect("describe-request", described))
ears = {name: Ear(name) for name in (*TAKES, "horn")}
for name, (payload, codec, decoder) in TAKES.items():
    factory = GstRtspServer.RTSPOnvifMediaFactory()
    factory.set_media_gtype(GstRtspServer.RTSPOnvifMedia.__gtype__)
    factory.set_launch(f"( {VIDEO} )")
    factory.set_backchannel_launch(f'( capsfilter name=depay_backchannel caps="application/x-rtp,media=audio,payload={payload},clock-rate={RATE},encoding-name={codec}" ! {decoder} '
                                   "! appsink name=heard sync=false async=false emit-signals=true )")
    factory.connect("media-configure", ears[name].configure)
    server.get_mount_points().add_factory("/" + name, factory)
without = GstRtspServer.RTSPMediaFactory()
without.set_launch(f"( {VIDEO} )")
server.get_mount_points().add_factory("/mute", without)
if sys.argv[2:] == ["announce"]:
    horn(server)
if server.attach(None) == 0:
    sys.exit(f"port {sys.argv[1]} is taken")
loop = GLib.MainLoop()
threading.Thread(target=lambda: (sys.stdin.read(), loop.quit()), daemon=True).start()
print("ready", flush=True)
loop.run()
