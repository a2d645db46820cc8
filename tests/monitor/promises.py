# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each promise of docs/security.md names tests that are there, and each check of security.py is named there."""
import pathlib
import re
import sys

here = pathlib.Path(__file__).resolve().parent
page = (here.parents[1] / "docs/security.md").read_text(encoding="utf-8")
promises = page[page.index("## What is promised"):page.index("## What is not promised")]
rows = [line for line in promises.splitlines() if line.startswith("| ") and "---" not in line][1:]
wrong, named = [], set()
for row in rows:
    tests = re.findall(r"`([\w.]+): (\w+)`", row.split("|")[-2])
    if not tests:
        wrong.append(f"no test: {row}")
    for file, name in tests:
        named.add((file, name))
        text = (here / file).read_text(encoding="utf-8") if (here / file).exists() else ""
        made, called = (rf"^(?:async )?def {name}\(", rf"\b{name}\b[,\]]") if file.endswith(".py") else (rf"^void {name}\(", rf'^ +(?:{name}\(|\{{"[^"]*", (?:\[&\] \{{ )?{name}\b)')
        if not re.search(made, text, re.M) or not re.search(called, text, re.M):
            wrong.append(f"{file} does not run {name}: {row}")
checks = re.search(r"^checks = \[(.*)\]", (here / "security.py").read_text(encoding="utf-8"), re.M)[1].split(", ")
wrong += [f"docs/security.md does not name security.py: {name}" for name in checks if ("security.py", name) not in named]
print("\n".join(wrong) or f"{len(rows)} promises, {len(named)} tests")
sys.exit(bool(wrong) or len(rows) < 10)
