# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each file of the project has a licence: a line of its own, or an entry in REUSE.toml. A picture of docs/ has to be named there, more
closely than by a whole folder, so that somebody has asked what it shows. LICENSES/ has the text of each licence, and a page that shows a
picture under CC BY links to that licence. Usage: licences.py SOURCE_ROOT"""
import fnmatch
import pathlib
import re
import sys
import tomllib

from clone import git

root = pathlib.Path(sys.argv[1]).resolve()
listed = git(root, "ls-files", "--cached", "--others", "--exclude-standard")
if not listed:
    print("SKIPPED: this is no clone, so the files of the project are not known")
    sys.exit(77)
files = [name for name in set(listed.split("\n")) if name and (root / name).is_file()]
entries = tomllib.loads((root / "REUSE.toml").read_text(encoding="utf-8"))["annotations"]
patterns = [(pattern, entry) for entry in entries for pattern in ([entry["path"]] if isinstance(entry["path"], str) else entry["path"])]
problems = [f"REUSE.toml: {p} has no licence or no holder" for p, e in patterns if not e.get("SPDX-License-Identifier") or not e.get("SPDX-FileCopyrightText")]
ATTRIBUTION = "https://creativecommons.org/licenses/by/4.0/"
used = set()
for name in sorted(files):
    hits = [p for p, _ in patterns if fnmatch.fnmatch(name, p)]
    used.update(hits)
    if not hits and not re.search(rb"SPDX-License-Identifier:", (root / name).read_bytes()[:400]):
        problems.append(f"{name}: has no SPDX line, and REUSE.toml does not name it")
for pattern, entry in patterns:
    named = re.findall(r"[\w.-]+", entry["SPDX-License-Identifier"])
    problems += [f"REUSE.toml: {pattern} is under {n}, and LICENSES/{n}.txt, its text, is not there" for n in named
                 if n not in {"AND", "OR", "WITH"} and not (root / f"LICENSES/{n}.txt").is_file()]
    for image in fnmatch.filter(files, pattern) if "CC-BY-4.0" in named else []:
        for page in (root / name for name in files if name.endswith(".md")):
            lines = page.read_text(encoding="utf-8").splitlines()
            shown = next((n for n, line in enumerate(lines, 1) if image.removeprefix("docs/") in line and line.startswith("![")), 0)
            if shown and not any(ATTRIBUTION in line for line in lines):
                problems.append(f"{page.relative_to(root).as_posix()}:{shown}: shows {image}, which is under CC BY 4.0, and does not link to {ATTRIBUTION}; "
                                "name the author, link to the licence, and say what was changed")
problems += [f"REUSE.toml: no file is {p}; take it out" for p, _ in patterns if p not in used]
print(*problems, sep="\n")
print(f"{len(files)} files, {len(problems)} problems")
sys.exit(1 if problems else 0)
