# SPDX-License-Identifier: LGPL-2.1-or-later
"""Includes that run up: common <- kernels <- gst <- tools, and within gst: video <- memory <- metadata <- transform <- an element.
An element includes no other element. Usage: layers.py SOURCE_ROOT"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
LAYERS = {"common": 0, "kernels": 1, "gst": 2, "tools": 3}
INSIDE_GST = {"dynload": 0, "video": 1, "memory": 2, "metadata": 3, "transform": 4}
ELEMENT = 5
# Shared elements' code that belongs to one algorithm, and the one other element that uses it.
FAMILIES = {("cljointbilateral", "clbilateral")}


def layer(path):
    """Number of the layer, number of the layer inside gst (None outside folders of gst), folder inside gst."""
    parts = path.split("/")
    inside = parts[1] if parts[0] == "gst" and len(parts) > 2 else None
    return LAYERS[parts[0]], INSIDE_GST.get(inside, ELEMENT) if inside else None, inside


problems, seen = [], 0
for folder in LAYERS:
    for source in sorted((root / folder).rglob("*")):
        if source.suffix not in {".h", ".cpp", ".cu", ".cuh"}:
            continue
        name = source.relative_to(root).as_posix()
        seen += 1
        own, inner, part = layer(name)
        for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1):
            found = re.match(r'\s*#\s*include\s*"((?:common|kernels|gst|tools)/[^"]+)"', line)
            if not found:
                continue
            other, other_inner, other_part = layer(found[1])
            if other > own:
                problems.append(f"{name}:{number}: {name.split('/')[0]}/ must not include {found[1]}; move what both need down")
            elif other == own == LAYERS["gst"] and inner is not None and other_inner is not None and part != other_part:
                if other_inner > inner:
                    problems.append(f"{name}:{number}: gst/{part} lies below gst/{other_part}; move what both need down")
                elif inner == other_inner == ELEMENT and (part, other_part) not in FAMILIES:
                    problems.append(f"{name}:{number}: the element {part} must not include the element {other_part}; share it in a layer below")
print(*problems, sep="\n")
print(f"{seen} files, {len(problems)} includes that run up")
sys.exit(1 if problems or not seen else 0)
