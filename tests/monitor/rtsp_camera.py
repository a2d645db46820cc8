# SPDX-License-Identifier: LGPL-2.1-or-later
"""camera_server.py, or another camera, as a process that takes commands, is stopped and started again."""
import pathlib
import subprocess

PYTHON = "/usr/bin/python3"
probe = subprocess.run([PYTHON, "-c", "import gi; gi.require_version('GstRtspServer', '1.0')"], capture_output=True, check=False)
MISSING = "no GstRtspServer for /usr/bin/python3 (python3-gi, gir1.2-gst-rtsp-server-1.0)" if probe.returncode else None


class CameraServer:
    def __init__(self, port, program="camera_server.py", *args):
        self.process = subprocess.Popen([PYTHON, str(pathlib.Path(__file__).parent / program), str(port), *args], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise RuntimeError("the camera server does not start")

    def say(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def kill(self):
        self.process.kill()
        self.process.wait(60)  # on a busy machine also the end of a killed program takes a while
