# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-monitor with an RTSP camera that stalls, disappears and comes back, one that has sound only, and an MQTT broker that is away at first.

rtsp.py PROGRAM FOLDER. Needs the system's python3-gi with GstRtspServer; without, it is skipped. MQTT: mosquitto and mosquitto_sub."""
import json
import os
import shutil
import subprocess
import time

from broker import free_port
from program import Monitor, begin
from vigiltest import skip_for
from rtsp_camera import MISSING, CameraServer

program, folder = begin("monitor-rtsp")
skip_for(MISSING)

rtsp, mqtt = free_port(), free_port()
broker = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")
config = folder / "monitor.yaml"
config.write_text(f"""
record: {{pre_capture: 1, post_capture: 1, max_clip: 3}}
{f'mqtt: {{host: 127.0.0.1, port: {mqtt}, node: test, commands: true}}' if broker else ''}
cameras:
  door: {{source: "rtsp://127.0.0.1:{rtsp}/video", cudamog: {{motion-hold: 300}}}}
  sound: {{source: "rtsp://127.0.0.1:{rtsp}/audio"}}
""")
camera = CameraServer(rtsp)
server = None
try:
    with Monitor(program, folder / "data", "--config", str(config)) as m:
        def state(name="door"):
            return m.get(f"/api/cameras/{name}")

        m.wait("pictures by RTSP", lambda: state()["state"] == "online", 30)
        c = m.wait("no video said so", lambda: state("sound")["state"] == "offline" and state("sound"))
        if "video" not in c["reason"]:
            raise AssertionError(c["reason"])
        e = m.wait("a clip", lambda: next((e for e in m.get("/api/events?camera=door")["events"] if e["has_clip"]), None), 60)
        print("recorded", e["clip_bytes"], "bytes")

        camera.say("stall")
        c = m.wait("a stall is noticed", lambda: state()["state"] == "offline" and state(), 30)
        if "no picture for" not in c["reason"] or c["since"] <= 0:
            raise AssertionError(c)
        camera.say("go")
        m.wait("it comes back after a stall", lambda: state()["state"] == "online", 45)
        print("stall survived")

        camera.kill()
        gone = m.wait("it is gone", lambda: state()["state"] == "offline" and state()["since"], 30)
        outages = lambda name="door": m.get(f"/api/events?label=camera-offline&camera={name}")["events"]  # noqa: E731
        outage = m.wait("an event of the outage", lambda: next((e for e in outages() if e["end_time"] is None), None), 30)
        if abs(outage["start_time"] - gone) > 0.001 or outage["has_clip"] or outage["has_snapshot"]:
            raise AssertionError(outage)
        if broker:
            server = subprocess.Popen([broker, "-p", str(mqtt)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            m.wait("the broker", lambda: m.get("/api/stats")["mqtt"]["connected"], 45)
            m.wait("the outbox is delivered", lambda: m.get("/api/stats")["queues"]["mqtt_outbox"]["length"] == 0)
        camera = CameraServer(rtsp)
        m.wait("it comes back after a restart", lambda: state()["state"] == "online", 60)
        if state()["reconnects"] < 2:
            raise AssertionError(state())
        ended = m.wait("the outage's end is stored", lambda: m.get(f"/api/events/{outage['id']}")["end_time"], 60)
        if abs(ended - state()["since"]) > 0.001 or len(outages()) != len({e["start_time"] for e in outages()}):
            raise AssertionError((outages(), state()))
        if [e["end_time"] for e in outages("sound")] != [None]:
            raise AssertionError("one event of an outage that goes on, however often the camera is tried again")
        print("restart survived")

        if broker and shutil.which("mosquitto_sub"):
            listen = subprocess.run(["mosquitto_sub", "-p", str(mqtt), "-t", "vigil/#", "-t", "homeassistant/#", "-v", "-W", "2"], capture_output=True, timeout=20)
            retained = dict(line.split(b" ", 1) for line in listen.stdout.split(b"\n") if b" " in line)
            for topic, payload in ((b"vigil/door/available", b"online"), (b"vigil/sound/available", b"offline"), (b"vigil/node/test/available", b"online")):
                if retained.get(topic) != payload:
                    raise AssertionError(f"{topic}: {retained.get(topic)}")
            found = json.loads(retained[b"homeassistant/binary_sensor/vigil_test_door/motion/config"])
            if found["state_topic"] != "vigil/door/motion":
                raise AssertionError(found)
            subprocess.run(["mosquitto_pub", "-p", str(mqtt), "-t", "vigil/door/enabled/set", "-m", "OFF"], check=True, timeout=10)
            m.wait("switched off by MQTT", lambda: state()["state"] == "disabled")
            print("MQTT good")
        elif broker:
            print("SKIPPED in part: no mosquitto_sub")
        else:
            print("SKIPPED in part: no mosquitto")
        before = len(os.listdir(f"/proc/{m.process.pid}/fd"))
        time.sleep(3)
        if len(os.listdir(f"/proc/{m.process.pid}/fd")) > before + 20:
            raise AssertionError("descriptors leak")
        m.stop()
finally:
    camera.kill()
    if server:
        server.kill()
        server.wait(10)
print("all good")
