# SPDX-License-Identifier: LGPL-2.1-or-later
"""The Rust example builds, does what it says, and refuses a pipeline that it cannot use. Usage: rust.py FOLDER_OF_THE_CRATE TARGET_FOLDER

Needs cargo, and its crates without network: those that cargo has fetched before, or a folder of them, which CARGO_HOME's config.toml names
as source (Debian 13: librust-gstreamer-video-dev, in /usr/share/cargo/registry)."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
crate, target = (pathlib.Path(a).resolve() for a in sys.argv[1:])

if not shutil.which("cargo"):
    print("SKIPPED: there is no cargo, so the Rust example was not built")
    sys.exit(SKIPPED)
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name) / "crate"
    shutil.copytree(crate, folder, ignore=shutil.ignore_patterns("target", "Cargo.lock"))
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target)}

    def cargo(*arguments):
        return subprocess.run(["cargo", *arguments, "--offline"], cwd=folder, env=environment, capture_output=True, text=True, check=False)

    resolved = cargo("generate-lockfile")
    if resolved.returncode:
        print("SKIPPED: cargo has the crates gstreamer and gstreamer-video not at hand, so the Rust example was not built:", resolved.stderr.strip())
        sys.exit(SKIPPED)
    built = cargo("build")
    assert built.returncode == 0, built.stderr
    assert "warning" not in built.stderr, built.stderr


def play(*arguments):
    return subprocess.run([target / "debug/motion-events", *arguments], capture_output=True, text=True, timeout=240, check=False)


good = play()
assert good.returncode == 0, good.stderr
for words in "motion-begin at 3.", "motion-end at", "moving objects at once":
    assert words in good.stdout, good.stdout
for pipeline, why in {"fakesrc ! fakesink": "watch", "filesrc location=/nowhere ! cudamog name=watch ! fakesink": "not found"}.items():
    bad = play(pipeline)
    assert bad.returncode == 1 and why in bad.stderr, bad.stderr
print(good.stdout)
