# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the tests that failed once more, one at a time, and names those that pass only now. Many tests wait for other
programs, and a machine that two of them share can be late. A crash is never repeated, nor more than a few failures.
Usage: again.py BUILD_FOLDER, after meson test"""
import json
import os
import subprocess
import sys

MOST = 6
build = sys.argv[1]
with open(os.path.join(build, "meson-logs", "testlog.json"), encoding="utf-8") as log:
    tests = [json.loads(line) for line in log]
failed = [t for t in tests if t["result"] not in ("OK", "EXPECTEDFAIL", "SKIP")]
if not failed:
    sys.exit("No test failed: the error before is another one.")
crashed = [t["name"] for t in failed if t["result"] != "TIMEOUT" and (t.get("returncode") or 0) < 0]
if crashed:
    sys.exit(f"Not repeated, as a signal ended {', '.join(crashed)}")
if len(failed) > MOST:
    sys.exit(f"Not repeated, as {len(failed)} tests failed; at most {MOST} are run again")
names = [t["name"].split(" / ")[-1] for t in failed]
print("== Again, one at a time:", " ".join(names), flush=True)
status = subprocess.run(
    ["meson", "test", "-C", build, "--no-rebuild", "--num-processes", "1", "--print-errorlogs", "--logbase", "again", *names],
    check=False,
).returncode
if status == 0:
    print("PASSED ONLY WHEN REPEATED:", " ".join(names))
sys.exit(status)
