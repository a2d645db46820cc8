# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the commands of docs/tutorials/crowd-events.md and docs/how-to/train-events.md as they are there, and checks the results.
Usage: tutorial.py drawn|umn SOURCE_ROOT FOLDER_OF_VIGIL_TRAIN

Commands are the blocks of the language sh. Those on drawn videos are also examples/crowd-events.sh's, line by line; those on the UMN clips
need the data (VIGIL_DATA, otherwise ../shared/data next to the source).
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

part, root, tools = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
page = (root / {"drawn": "docs/tutorials/crowd-events.md", "umn": "docs/how-to/train-events.md"}[part]).read_text(encoding="utf-8")
commands = "\n".join(re.findall(r"^```sh\n(.*?)^```", page, re.DOTALL | re.MULTILINE))

data = pathlib.Path(os.environ.get("VIGIL_DATA", root.parent / "shared/data")).resolve()
if part == "umn" and not (data / "umn_crowd").is_dir():
    print(f"SKIPPED: there is no {data}/umn_crowd")
    sys.exit(77)
if part == "drawn":
    script = (root / "examples/crowd-events.sh").read_text(encoding="utf-8").splitlines()
    missing = [line for line in commands.splitlines() if line not in script]
    assert not missing, f"the example lacks {missing}"

environment = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}", VIGIL_DATA=str(data))
with tempfile.TemporaryDirectory() as folder:
    said = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=folder, env=environment, check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(said.stdout)
    assert said.returncode == 0, said.returncode
    if part == "drawn":
        assert "running: 2 of 2 events found, 0 false" in said.stdout
        messages = (pathlib.Path(folder) / "events.txt").read_text(encoding="utf-8")
        begins, ends = (re.findall(rf"event-{w}, timestamp=\(guint64\)(\d+)", messages) for w in ("begin", "end"))
        # it starts to run at 9 s, and the last is gone at 11.5 s; nobody runs before or after
        assert len(begins) == len(ends) == 1 and 9e9 <= int(begins[0]) <= 10.5e9 <= int(ends[0]) <= 12e9, messages
    else:
        assert "running: 1 of 1 events found, 0 false" in said.stdout
