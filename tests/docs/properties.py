# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fails when a property that gst-inspect shows has no row in a table of the element's page, when a signal is missing there, or when the page's sections are others than
those of all elements. Usage: properties.py ELEMENT PAGE"""
import os
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
shown_page = os.path.relpath(page, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))


def line_of(heading):
    return 1 + text[: max(text.find(f"\n## {heading}\n") + 1, 0)].count("\n")


section = text.partition("\n## Properties\n")[2].partition("\n## ")[0]
described = {n for cell in re.findall(r"^\|([^|]*)\|", section, re.MULTILINE) for n in re.findall(r"`([^`]+)`", cell)}
missing = [n for n in names if n not in inherited and n not in described]
for name in missing:
    blurb = re.search(rf"^  {name} +: (.*)$", after, re.MULTILINE)[1]
    print(f"{shown_page}:{line_of('Properties')}: the property {name} is missing; add a row for `{name}` to a table below Properties ('{blurb}')")
actions = re.findall(r'^  "([a-z-]+)" : ', shown.split("Element Actions:", 1)[1], re.MULTILINE) if "Element Actions:" in shown else []
for name in actions:
    if not re.search(rf"`{name}\b", text):
        missing.append(name)
        print(f"{shown_page}:{line_of('Signals')}: the action signal {name} is missing; add a row for `{name}`")
print(f"{element}: {len(names)} properties, {len(actions)} action signals, missing in {shown_page}: {', '.join(missing) or 'none'}")
SECTIONS = ["Pads", "Properties", "Metadata", "Messages", "Signals", "Errors", "Limits", "Since"]
found = re.findall(r"^## (.*)$", text, re.MULTILINE)
if [h for h in found if h in SECTIONS] != SECTIONS or found[-1] != SECTIONS[-1]:
    sys.exit(f"{shown_page}:1: the sections are {', '.join(found)}; all elements have {', '.join(SECTIONS)}, in this order, after an example")
if "```sh" not in text.split("## Pads", 1)[0]:
    sys.exit(f"{shown_page}:{line_of('Pads')}: there is no example before the pads; add a pipeline in ```sh")
sys.exit(1 if missing or len(names) < 3 else 0)
