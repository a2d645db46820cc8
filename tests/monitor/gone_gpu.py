# SPDX-License-Identifier: LGPL-2.1-or-later
"""GStreamer's registry knows a GPU's elements, but the GPU is gone or hidden since: the cameras go on on the processor.

gone_gpu.py PROGRAM FOLDER PLUGIN"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from program import Monitor, begin

program, folder = begin("monitor-gone-gpu")
plugin = sys.argv[3]
# Not in the build folder, which GStreamer searches for plugins.
elsewhere = tempfile.TemporaryDirectory(prefix="vigil-gone-gpu-")
shutil.copy(plugin, pathlib.Path(elsewhere.name) / "libgstgonegpu.so")
os.environ["GST_REGISTRY"] = str(folder / "registry.bin")
os.environ["GST_PLUGIN_PATH"] = f"{os.environ['GST_PLUGIN_PATH']}:{elsewhere.name}"
known = subprocess.run(["gst-inspect-1.0", "gonegpu"], capture_output=True, text=True, timeout=60)
if "cudaupload" not in known.stdout:
    raise AssertionError(f"the registry does not know them: {known.stdout} {known.stderr}")
os.environ["VIGIL_TEST_GPU_GONE"] = "1"

config = folder / "monitor.yaml"
config.write_text("""cameras:
  street: {source: "scenetestsrc is-live=true ! video/x-raw,width=320,height=180,framerate=15/1"}
""")
with Monitor(program, folder / "data", "--config", str(config)) as m:
    m.wait("pictures", lambda: m.get("/api/cameras/street")["state"] == "online", 30)
    assert m.get("/api/cameras/street")["reconnects"] == 0
    m.stop()
print("all good")
