# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints what meson's test log says: each skipped test by name, then one line of counts."""
import json
import sys

outcomes = {"passed": [], "failed": [], "skipped": []}
with open(sys.argv[1], encoding="utf-8") as log:
    for line in log:
        test = json.loads(line)
        kind = {"OK": "passed", "EXPECTEDFAIL": "passed", "SKIP": "skipped"}.get(test["result"], "failed")
        outcomes[kind].append(test["name"])
for name in outcomes["skipped"]:
    print(f"SKIPPED, so not shown to work: {name}")
print(", ".join(f"{len(names)} {kind}" for kind, names in outcomes.items()))
sys.exit(0 if outcomes["passed"] or outcomes["failed"] else 1)
