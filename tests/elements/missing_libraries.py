# SPDX-License-Identifier: LGPL-2.1-or-later
"""An element does not vanish because a library of an API that it need not use is missing.

missing_libraries.py PLUGIN AUDIT GST_PLUGINS ELEMENT...

PLUGIN is taken into processes from which AUDIT (missing_library.cpp) takes one library, or all of them. GST_PLUGINS is the folder of
GStreamer's own plugins, ELEMENT each element of the build.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

plugin, audit, gst_plugins, *elements = sys.argv[1:]
libraries = {"OpenCL": "libOpenCL.so.1", "OpenGL": "libgstgl-1.0.so.0", "CUDA": "libgstcuda-1.0.so.0"}
source = "scenetestsrc num-buffers=3 ! video/x-raw,format=RGBA,width=64,height=48"
# What plays without the API, and what says in plain words that it cannot.
plays = {
    "boxrules": {"OpenCL", "OpenGL", "CUDA"},
    "boxtrack": {"OpenCL", "OpenGL", "CUDA"},
    "cudamog": {"OpenCL", "OpenGL", "CUDA"},
    "scenetestsrc": {"OpenCL", "OpenGL", "CUDA"},
    "clbilateral": {"OpenGL", "CUDA"},
    "clfilter": {"OpenGL", "CUDA"},
    "clhistogram": {"OpenGL", "CUDA"},
    "glcolinearseg": {"OpenCL", "OpenGL", "CUDA"},
    "gpufisher": {"OpenCL", "OpenGL", "CUDA"},  # it asks for a model, so it got as far as that
}
settings = {"cudamog": " backend=cpu", "gpufisher": " backend=cpu", "clbilateral": " tune=off", "clfilter": " tune=off"}
failures = []


def run(command, folder, missing):
    env = dict(os.environ, LD_AUDIT=audit, VIGIL_TEST_MISSING=":".join(libraries[m] for m in missing), GST_REGISTRY_FORK="no",
               GST_REGISTRY_1_0=f"{folder}/registry.bin", GST_PLUGIN_PATH_1_0=f"{folder}/ours",
               GST_PLUGIN_SYSTEM_PATH_1_0=f"{folder}/theirs", LC_ALL="C")
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout + done.stderr


def check(good, *words):
    if not good:
        failures.append(" ".join(words))
        print("FAIL:", *words)


for missing in [[], ["OpenCL"], ["OpenGL"], ["CUDA"], ["OpenCL", "OpenGL", "CUDA"]]:
    with tempfile.TemporaryDirectory() as folder:
        for name, file in {"ours": plugin, "theirs": f"{gst_plugins}/libgstcoreelements.so"}.items():
            (pathlib.Path(folder) / name).mkdir()
            os.symlink(file, f"{folder}/{name}/{pathlib.Path(file).name}")
        without = "without " + " and ".join(missing) if missing else "with all libraries"
        for element in elements:
            status, said = run(["gst-inspect-1.0", element], folder, missing)
            check(status == 0, element, "is not there", without + ":", said[-500:])
            if element not in plays:
                continue
            settings["glcolinearseg"] = "" if "OpenGL" in missing else " backend=cpu"
            chain = source + ("" if element == "scenetestsrc" else f" ! {element}{settings.get(element, '')}") + " ! fakesink"
            status, said = run(["gst-launch-1.0", "-q", *chain.split()], folder, missing)
            if element == "gpufisher":
                check("model-location is not set" in said, element, without, "says", said)
            elif set(missing) <= plays[element]:
                check(status == 0, element, "does not play", without + ":", said)
            elif element == "clbilateral" and "CUDA" not in missing and os.path.exists("/dev/nvidiactl"):
                check(status == 0 or "OpenCL" in said, element, without, "neither plays in CUDA nor says what it lacks:", said)
            else:
                check(status != 0 and "OpenCL" in said, element, without, "does not say what it lacks:", said)
        print("ran", without)
sys.exit(1 if failures else 0)
