# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each file of the project has a licence: a line of its own, or an entry in REUSE.toml. A picture of docs/ has to be named there, more
closely than by a whole folder, so that somebody has asked what it shows. Usage: licences.py SOURCE_ROOT"""
import fnmatch
import pathlib
import re
import subprocess
import sys
import tomllib

root = pathlib.Path(sys.argv[1]).resolve()
listed = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True, check=False)
if listed.returncode or not listed.stdout:
    print("SKIPPED: this is no clone, so the files of the project are not known")
    sys.exit(77)
files = [name for name in set(listed.stdout.split("\n")) if name and (root / name).is_file()]
entries = tomllib.loads((root / "REUSE.toml").read_text(encoding="utf-8"))["annotations"]
patterns = [(pattern, entry) for entry in entries for pattern in ([entry["path"]] if isinstance(entry["path"], str) else entry["path"])]
problems = [f"REUSE.toml: {p} has no licence or no holder" for p, e in patterns if not e.get("SPDX-License-Identifier") or not e.get("SPDX-FileCopyrightText")]
used = set()
for name in sorted(files):
    hits = [p for p, _ in patterns if fnmatch.fnmatch(name, p)]
    used.update(hits)
    if not hits and not re.search(rb"SPDX-License-Identifier:", (root / name).read_bytes()[:400]):
        problems.append(f"{name}: has no SPDX line, and REUSE.toml does not name it")
problems += [f"REUSE.toml: no file is {p}; take it out" for p, _ in patterns if p not in used]
print(*problems, sep="\n")
print(f"{len(files)} files, {len(problems)} problems")
sys.exit(1 if problems else 0)
