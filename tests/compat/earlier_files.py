# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files and names of an earlier version still work: models of cudamog and gpufisher, property names and values, monitor.yaml.

The files in this folder were written by version 0.1.0-dev at commit f53b40d (README.md in it). They are never written anew.
Usage: earlier_files.py [VIGIL_MONITOR]; the plugin is found by GStreamer."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
problems = []


def gst(*words):
    """Status and output of a pipeline; -m prints warnings that elements post."""
    done = subprocess.run(["gst-launch-1.0", "-m", *words], capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout + done.stderr


def load(model, settings, caps):
    """What loading a copy of this model says: the number of warnings, and the output."""
    status, out = gst("videotestsrc", "pattern=ball", "num-buffers=1", "!", f"video/x-raw,{caps},width=32,height=24,framerate=10/1", "!",
                      "cudamog", "backend=cpu", *settings, f"model-location={model}", "!", "fakesink")
    return status, len(re.findall(r"GstMessageWarning|WARNING", out)), out


with tempfile.TemporaryDirectory() as scratch:
    for name, settings, caps in (("rgba-single.model", ["precision=single"], "format=RGBA"),
                                 ("i420-compact.model", ["precision=compact", "method=mog", "components=3"], "format=I420")):
        whole = pathlib.Path(scratch) / name
        shutil.copy(here / name, whole)
        status, warnings, out = load(whole, settings, caps)
        if status or warnings:
            problems.append(f"{name}: status {status}, {warnings} warnings: {out[-800:]}")
        # The same check must see a model that cannot be loaded.
        cut = pathlib.Path(scratch) / f"cut-{name}"
        cut.write_bytes((here / name).read_bytes()[:-100])
        if not load(cut, settings, caps)[1]:
            problems.append(f"{name}: a model that is cut is loaded without a warning")
    status, out = gst("videotestsrc", "num-buffers=3", "!", "video/x-raw,format=GRAY8,width=96,height=64", "!", "gpufisher", "backend=cpu",
                      f"model-location={here / 'sample.fisher'}", "!", "fakesink")
    if status or "GstMessageError" in out:
        problems.append(f"sample.fisher: status {status}: {out[-800:]}")

seen = 0
for element, properties in json.loads((here / "properties.json").read_text()).items():
    inspected = subprocess.run(["gst-inspect-1.0", element], capture_output=True, text=True, check=False)
    if inspected.returncode:
        if element.startswith("cl"):
            print(f"SKIPPED in part: {element}: this build has no OpenCL")
            continue
        problems.append(f"{element}: there is no such element")
        continue
    for name, values in properties.items():
        seen += 1
        part = re.search(rf"^  {re.escape(name)} *: .*?(?=^  [a-z]|\Z)", inspected.stdout, re.M | re.S)
        if not part:
            problems.append(f"{element}: the property {name} is gone")
        problems += [f"{element}: {name} does not take {v}" for v in values if part and not re.search(rf"\(-?\d+\): {re.escape(v)} ", part[0])]
if seen < 100:
    problems.append(f"only {seen} properties were looked at")

if len(sys.argv) > 1:
    checked = subprocess.run([sys.argv[1], "--config", here / "monitor.yaml", "--check"], capture_output=True, text=True, timeout=60, check=False)
    if checked.returncode:
        problems.append(f"monitor.yaml: {checked.stdout}{checked.stderr}")
else:
    print("SKIPPED in part: this build has no vigil-monitor, so monitor.yaml is not read")

print(*problems, sep="\n")
print(f"{seen} properties, {len(problems)} problems")
sys.exit(bool(problems))
