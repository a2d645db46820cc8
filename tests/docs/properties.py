# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fails when a property that gst-inspect shows is missing on the element's page. Usage: properties.py ELEMENT PAGE"""
import re
import subprocess
import sys

element, page = sys.argv[1:]
shown = subprocess.run(["gst-inspect-1.0", element], capture_output=True, text=True, check=True).stdout
after = shown.split("Element Properties:", 1)[1]
names = re.findall(r"^  ([a-z][a-z0-9-]*) +: ", after, re.MULTILINE)
inherited = {"name", "parent", "message-forward", "async-handling"}
with open(page, encoding="utf-8") as f:
    text = f.read()
missing = [n for n in names if n not in inherited and f"`{n}`" not in text]
print(f"{element}: {len(names)} properties, missing in {page}: {', '.join(missing) or 'none'}")
sys.exit(1 if missing or len(names) < 3 else 0)
