# SPDX-License-Identifier: LGPL-2.1-or-later
"""The live picture by WebRTC through a TURN server (coturn), where monitor and viewer cannot reach each other.

whep_turn.py PROGRAM FOLDER. Needs root, unshare, ip, bridge, turnserver, GstRtspServer and aiortc; without, it is skipped.
whep_turn.py viewer: prints an offer, reads the answer, prints how many pictures came (JSON, a line each)."""
import asyncio
import json
import re
import shutil
import subprocess
import sys

import whep_client

PICTURES, NOT_MORE = 20, 12  # seconds are waited for pictures that must not come

if sys.argv[1:] == ["viewer"]:
    async def view():
        v = whep_client.Viewer(None, "door", sound=False)

        def ask(_method, _path, body=None, _headers=None):
            if body:
                print(json.dumps({"offer": body}), flush=True)
                return 201, json.loads(sys.stdin.readline())["answer"].encode(), {"Location": "whep/x"}
            return 200, b"", {}
        v.ask = ask
        await v.begin()
        try:
            await v.until("pictures", lambda: len(v.pictures) >= PICTURES, NOT_MORE)
        except AssertionError:
            pass
        print(json.dumps({"pictures": len(v.pictures)}), flush=True)
        await v.end(say=False)
    asyncio.run(view())
    sys.exit()

import hosts
import rtsp_camera
from program import Monitor, begin, same
from vigiltest import skip, skip_for

program, folder = begin("monitor-whep-turn")
turnserver = shutil.which("turnserver") or shutil.which("turnserver", path="/usr/sbin:/usr/bin")
bridge = shutil.which("bridge") or shutil.which("bridge", path="/usr/sbin:/sbin")
skip_for(rtsp_camera.MISSING, whep_client.MISSING, None if turnserver else "no turnserver (coturn)", None if bridge else "no bridge (iproute2)")
hosts.need_own_network()
at_monitor, at_viewer, at_turn = hosts.make("monitor", "viewer", "turn")
for host in (at_monitor, at_viewer):  # neither reaches the other
    subprocess.run([bridge, "link", "set", "dev", f"to-{host.name}", "isolated", "on"], check=True, timeout=20)
RTSP = 8554
CONFIG = f"""
record: {{enabled: false}}
cameras:
  door: {{source: "rtsp://127.0.0.1:{RTSP}/small"}}
"""
TOKEN = "view-token-of-the-test"
(folder / "token").write_text(f"admin {TOKEN}-of-admins\nview {TOKEN} watcher\n")
(folder / "token").chmod(0o600)
TURN = f"""
http: {{local: admin, token_file: {folder}/token, webrtc: {{turn: "{at_turn.address}", turn_user: vigil, turn_password: "a:b/c@d", ports: 50000-50019}}}}
"""


def pictures(m, hidden=False):
    """How many a viewer on the other host sees. `hidden`: its offer has names in the place of addresses, as browsers write it."""
    command = [*at_viewer.prefix, sys.executable, __file__, "viewer"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as viewer:
        offer = json.loads(viewer.stdout.readline())["offer"]
        headers = {"Content-Type": "application/sdp"}
        if hidden:  # the address of the request is all that is known
            offer = re.sub(r"(?m)^(a=candidate:(?:\S+ ){4})\S+", r"\1hidden.local", offer)
            headers |= {"X-Forwarded-For": at_viewer.address, "Authorization": f"Bearer {TOKEN}"}
        status, answer = m.ask("POST", "/api/cameras/door/whep", offer, headers)
        same(status, 201, answer)
        place = m.headers["Location"]
        print(json.dumps({"answer": answer.decode()}), file=viewer.stdin, flush=True)
        found = json.loads(viewer.stdout.readline())["pictures"]
        viewer.wait(20)
    m.ask("DELETE", f"/api/cameras/door/{place}")
    return found, answer.decode()


server = camera = None
try:
    with at_monitor.entered():
        camera = rtsp_camera.CameraServer(RTSP, "live_camera.py")
    server = subprocess.Popen([*at_turn.prefix, turnserver, "-n", "--listening-ip", at_turn.address, "--relay-ip", at_turn.address, "--realm", "test", "--lt-cred-mech",
                               "--user", "vigil:a:b/c@d", "--no-cli", "--no-tls", "--no-dtls", "--log-file", str(folder / "turn.log"), "--pidfile", str(folder / "turn.pid"),
                               "--userdb", str(folder / "turn.db")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for turn in (False, True):
        config = folder / f"{turn}.yaml"
        config.write_text(CONFIG + (TURN if turn else ""))
        with Monitor(program, folder / f"data-{turn}", "--config", str(config), host=at_monitor) as m:
            m.wait("the camera", lambda: m.get("/api/cameras/door")["state"] == "online", 60)
            if not m.get("/api/stats")["webrtc"]["available"]:
                skip(m.get("/api/stats")["webrtc"]["reason"])
            found, answer = pictures(m)
            relay = f" {at_turn.address} " in answer and "typ relay" in answer
            if relay != turn or (found >= PICTURES) != turn:
                raise AssertionError(f"TURN {turn}: {found} pictures, answer:\n{answer}\n{''.join(m.log[-20:])}")
            if "a:b" in "".join(m.log) + json.dumps(m.get("/api/config")):
                raise AssertionError("the password of the TURN server is shown")
            if turn and (found := pictures(m, hidden=True)[0]) < PICTURES:
                raise AssertionError(f"TURN, by a browser that hides its addresses: {found} pictures\n{''.join(m.log[-20:])}")
            print(f"with TURN: {found} pictures" if turn else "without TURN: no way, and no picture")
            m.stop()
finally:
    for process in (camera and camera.process, server):
        if process:
            process.kill()
            process.wait(20)
print("all good")
