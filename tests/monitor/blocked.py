# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sources whose opening does not return: a FIFO that nobody writes to, and RTSP servers that drop packets or never answer. The other camera and the page do not
notice, and the program ends within ten seconds.

blocked.py PROGRAM FOLDER"""
import contextlib
import os
import time

from program import Monitor, begin
from silent_server import dropping, listener

program, folder = begin("monitor-blocked")
os.mkfifo(folder / "fifo.mp4")

with contextlib.ExitStack() as stack:
    silent, unreached = listener(stack, 10), dropping(stack)
    config = folder / "monitor.yaml"
    config.write_text(f"""
cameras:
  fifo: {{source: "{folder}/fifo.mp4"}}
  silent: {{source: "rtsp://127.0.0.1:{silent}/video"}}
  dropping: {{source: "rtsp://127.0.0.1:{unreached}/video"}}
  well: {{source: "scenetestsrc is-live=true ! video/x-raw,format=I420,width=320,height=180,framerate=10/1"}}
""")
    m = stack.enter_context(Monitor(program, folder / "data", "--config", str(config)))
    m.wait("the other camera's pictures", lambda: m.get("/api/cameras/well")["state"] == "online", 10)
    m.wait("the reason", lambda: m.get("/api/cameras/fifo")["state"] == "offline", 40)
    states = {c["name"]: (c["state"], c["reason"]) for c in m.get("/api/cameras")}
    print(states, flush=True)
    assert states["fifo"] == ("offline", "no picture for 15 seconds") and states["well"][0] == "online", states
    assert "online" not in (states["silent"][0], states["dropping"][0]), states
    begun = time.monotonic()
    assert m.ask("PATCH", "/api/cameras/silent/switches", {"enabled": False})[0] == 200
    assert time.monotonic() - begun < 5, "answered while others are being opened"
    time.sleep(3)  # the FIFO is being opened again
    begun = time.monotonic()
    m.stop()
    lasted = time.monotonic() - begun
    print(f"it ended within {lasted:.1f} s")
    assert lasted < 10, lasted
print("all good")
