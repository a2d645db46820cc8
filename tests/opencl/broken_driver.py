# SPDX-License-Identifier: LGPL-2.1-or-later
"""Elements on an OpenCL driver that ends the process which launches one of their kernels. Usage: broken_driver.py GST_LAUNCH
OPENCL_LAYERS names the layer that plays it (broken_kernel_layer.cpp). Only launches on processors are tried first (opencl-launch), so
the elements work on PoCL's; without it, or with a loader of OpenCL that knows no layers, the test is skipped."""
import os
import re
import subprocess
import sys
import tempfile

launch = sys.argv[1]
ELEMENTS = ["clhistogram", "clbilateral", "clbilateral tune=off", "clfilter chain=invert tune=off"]


def play(element, breaks, cache):
    env = dict(os.environ, XDG_CACHE_HOME=cache, VIGIL_BREAKS=breaks, VIGIL_BREAKS_BY="abort")
    line = ["videotestsrc", "num-buffers=2", "!", "video/x-raw,format=GRAY8,width=64,height=48", "!", *element.split(), "device=portable", "!", "fakesink"]
    done = subprocess.run([launch, "-q", *line], env=env, capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, done.stdout + done.stderr


with tempfile.TemporaryDirectory(prefix="vigil-broken-") as folder:
    for number, name in enumerate(ELEMENTS):
        cache_folder = os.path.join(folder, str(number))
        status, words = play(name, "any", cache_folder)
        if "no OpenCL device is meant by" in words:
            print("SKIPPED: there is no PoCL")
            sys.exit(77)
        if status == 0 and "played break-down" not in words:
            print("SKIPPED: this loader of OpenCL does not load the layer")
            sys.exit(77)
        assert status == 1, (name, status, words)
        assert re.search(r"broke down when it started the kernel \w+ of", words) and "played break-down of" in words, (name, words)
        status, words = play(name, "none of them", cache_folder)
        assert status == 0, (name, status, words)
print("elements on a driver that breaks down at a launch: an error each, and no process ended")
