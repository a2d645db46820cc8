# SPDX-License-Identifier: LGPL-2.1-or-later
"""Why a camera is offline, in words that say what to do: a wrong password, a wrong address, nobody there.

reasons.py PROGRAM FOLDER"""
import re
import socketserver
import threading

from broker import free_port
from program import Monitor, begin

program, folder = begin("monitor-reasons")


class Camera(socketserver.StreamRequestHandler):
    """Refuses all that it is asked by RTSP, as its address says."""

    def handle(self):
        while request := self.rfile.readline().decode():
            head = ""
            while (line := self.rfile.readline().decode()).strip():
                head += line
            number = re.search(r"CSeq: *(\d+)", head, re.IGNORECASE).group(1)
            status = "404 Not Found" if "/nothing" in request else '401 Unauthorized\r\nWWW-Authenticate: Basic realm="camera"'
            self.wfile.write(f"RTSP/1.0 {status}\r\nCSeq: {number}\r\n\r\n".encode())


server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Camera)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
port = server.server_address[1]
config = folder / "monitor.yaml"
config.write_text(f"""
cameras:
  locked: {{source: "rtsp://user:wrong@127.0.0.1:{port}/stream"}}
  nothing: {{source: "rtsp://127.0.0.1:{port}/nothing"}}
  nobody: {{source: "rtsp://127.0.0.1:{free_port()}/stream"}}
""")
with Monitor(program, folder / "data", "--config", str(config)) as m:
    for name, words in (("locked", "refuses the user name or the password"), ("nothing", "has no stream at this address"), ("nobody", "nothing answers")):
        reason = m.wait(f"{name} to be offline", lambda n=name: m.get(f"/api/cameras/{n}")["reason"], 40)
        assert words in reason and "wrong" not in reason, (name, reason)
        print(name, "has the reason:", reason)
    m.stop()
print("all good")
