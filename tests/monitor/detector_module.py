# SPDX-License-Identifier: LGPL-2.1-or-later
"""OpenCV is in a module that is opened where a detector is configured: nothing of it otherwise, and clear words where the module cannot be used.

detector_module.py PROGRAM FOLDER MODULE

MODULE is empty in builds without OpenCV; then the program says that it is missing."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from program import Monitor

program, folder, module = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
old = folder / "olddetector.module"
folder = folder / "monitor-detector-module"
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
config = folder / "monitor.yaml"
NAME = "VIGIL_DETECTOR_MODULE"
FOREIGN = re.compile(r"lib(opencv|openblas|blas|lapack|protobuf)")
PACKAGE = "install the package vigil-monitor-detector"


def write(detector):
    config.write_text(f"{'detector: {model: /nonexistent.onnx, classes: [a]}' if detector else ''}\ncameras:\n  hall: {{source: \"videotestsrc is-live=true\"}}\n", encoding="utf-8")


def run(value, *arguments):
    env = {k: v for k, v in os.environ.items() if k != NAME} | ({} if value is None else {NAME: str(value)})
    return subprocess.run([program, "--config", str(config), "--storage", str(folder / "data"), "--listen", "127.0.0.1:0", *arguments], capture_output=True, text=True, check=False,
                          env=env, timeout=60)


# 1. The program by itself.
linked = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
assert "libgstreamer-1.0" in linked, linked
assert not FOREIGN.search(linked), f"vigil-monitor depends on {FOREIGN.findall(linked)}"

# 2. Without a detector nobody asks for the module.
write(False)
done = run("/nonexistent/other.module", "--check")
assert done.returncode == 0 and "module" not in done.stderr, done.stderr

# 3. Modules that cannot be used: the file, the reason, the remedy, and the line of the configuration; the program does not start.
write(True)
text, empty = folder / "text.module", folder / "empty.module"
text.write_text("no module\n" * 1000, encoding="utf-8")
empty.touch()
short = [folder / f"short{n}.module" for n in (10, 63, 100, 1000, 5000)]
for n, path in zip((10, 63, 100, 1000, 5000), short):
    path.write_bytes(old.read_bytes()[:n])
foreign = re.search(r"=> (\S*libz\.so\S*)", linked)[1]
cases = [("/nonexistent/other.module", "/nonexistent/other.module", "No such file", PACKAGE), ("", "/vigil/vigil-detector.module", "is missing", PACKAGE),
         (text, text, "invalid ELF header", PACKAGE), (empty, empty, "file too short", PACKAGE), *((path, path, PACKAGE) for path in short),
         (folder, folder, "cannot be loaded", PACKAGE), (foreign, foreign, "is no module of a detector", PACKAGE),
         (old, old, "has version 1000 of the interface instead of 1", "vigil-monitor and vigil-monitor-detector of one version")]
if module:
    # Its own library is missing, as after an upgrade of the system.
    lacking = folder / "lacking.module"
    lacking.write_bytes(pathlib.Path(module).read_bytes().replace(b"libopencv_dnn.so", b"libopencv_gone.s"))
    cases.append((lacking, lacking, "libopencv_gone.s", PACKAGE))
for value, *words in cases:
    for arguments in (("--check",), ()):
        done = run(value, *arguments)
        assert done.returncode == 1, (value, done.returncode, done.stdout, done.stderr)
        for word in (*map(str, words), "monitor.yaml:1", "remove the section detector"):
            assert word in done.stderr, (value, word, done.stderr)
    print(done.stderr.strip())


def loaded(m):
    return sorted(set(FOREIGN.findall(pathlib.Path(f"/proc/{m.process.pid}/maps").read_text(encoding="utf-8"))))


# 4. A running program: it takes the module when the configuration wants it, and goes on as before where it cannot.
write(False)
with Monitor(program, folder / "data", "--config", str(config), env={**os.environ, NAME: "/nonexistent/other.module"}) as m:
    assert loaded(m) == [], loaded(m)
    write(True)
    status, answer = m.ask("POST", "/api/reload")
    assert 400 <= status < 600 and "/nonexistent/other.module" in answer["error"] and PACKAGE in answer["error"], (status, answer)
    assert m.get("/api/stats")["detectors"] == [] and m.get("/api/cameras/hall")["name"] == "hall"
    m.stop()
if not module:
    done = run(None, "--check")
    assert done.returncode == 1 and "vigil-detector.module" in done.stderr and "libopencv-dnn-dev" in done.stderr, done.stderr
    print("SKIPPED: this build has no OpenCV dnn; the configuration says so:", done.stderr.strip())
    sys.exit(77)
write(False)
with Monitor(program, folder / "data", "--config", str(config)) as m:
    assert loaded(m) == [], loaded(m)
    write(True)
    assert m.ask("POST", "/api/reload")[0] == 200
    assert "opencv" in loaded(m), loaded(m)
    m.wait("the missing model", lambda: [d["state"] for d in m.get("/api/stats")["detectors"]] == ["failed"])
    m.stop()
