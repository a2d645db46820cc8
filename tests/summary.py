# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints what meson's test log says: each test that was skipped, whole or in part, with its reason, each that failed
with the last lines of what it said, then one line of counts. Usage: summary.py TESTLOG_JSON"""
import json
import re
import sys

KINDS = {"OK": "passed", "EXPECTEDFAIL": "passed", "SKIP": "skipped"}
LAST_LINES = 12  # of each test that failed
outcomes = {"passed": [], "failed": [], "skipped": []}
partly = []
endings = []


def reasons(test):
    """What a test's own lines with SKIP say, each once."""
    said = re.findall(r"^.*\bSKIP(?:PED)?\b[: ]*(.*)$", test.get("stdout", "") + "\n" + test.get("stderr", ""), re.M)
    return list(dict.fromkeys(line.strip() for line in said if line.strip()))


with open(sys.argv[1], encoding="utf-8") as log:
    for line in log:
        test = json.loads(line)
        kind = KINDS.get(test["result"], "failed")
        outcomes[kind].append(test["name"])
        if kind == "failed":
            said = [text for stream in ("stdout", "stderr") for text in test.get(stream, "").splitlines() if text.strip()]
            endings += [f"FAILED: {test['name']}: {test['result']}, exit status {test.get('returncode')} after {test['duration']:.0f} s"]
            endings += ["    " + text[:300] for text in said[-LAST_LINES:]]
        if kind == "skipped":
            print(f"SKIPPED, so not shown to work: {test['name']}: {'; '.join(reasons(test)) or 'no reason was given'}")
        else:
            partly += [f"{test['name']}: {reason}" for reason in reasons(test)]
for text in partly:
    print(f"SKIPPED in part: {text}")
for text in endings:
    print(text)
print(", ".join(f"{len(names)} {kind}" for kind, names in outcomes.items()))
sys.exit(0 if outcomes["passed"] or outcomes["failed"] else 1)
