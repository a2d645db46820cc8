# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints what meson's test log says: each test that was skipped, whole or in part, with its reason, each that failed, then
one line of counts. Usage: summary.py TESTLOG_JSON"""
import json
import re
import sys

KINDS = {"OK": "passed", "EXPECTEDFAIL": "passed", "SKIP": "skipped"}
outcomes = {"passed": [], "failed": [], "skipped": []}
partly = []


def reasons(test):
    """What a test's own lines with SKIP say, each once."""
    said = re.findall(r"^.*\bSKIP(?:PED)?\b[: ]*(.*)$", test.get("stdout", "") + "\n" + test.get("stderr", ""), re.M)
    return list(dict.fromkeys(line.strip() for line in said if line.strip()))


with open(sys.argv[1], encoding="utf-8") as log:
    for line in log:
        test = json.loads(line)
        kind = KINDS.get(test["result"], "failed")
        outcomes[kind].append(test["name"])
        if kind == "skipped":
            print(f"SKIPPED, so not shown to work: {test['name']}: {'; '.join(reasons(test)) or 'no reason was given'}")
        else:
            partly += [f"{test['name']}: {reason}" for reason in reasons(test)]
for text in partly:
    print(f"SKIPPED in part: {text}")
for name in outcomes["failed"]:
    print(f"FAILED: {name}")
print(", ".join(f"{len(names)} {kind}" for kind, names in outcomes.items()))
sys.exit(0 if outcomes["passed"] or outcomes["failed"] else 1)
