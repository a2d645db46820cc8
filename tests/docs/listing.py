# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the listings of a page whose first line is a comment with this path.
Usage: listing.py PAGE.md PATH OUTPUT"""
import pathlib
import re
import sys

page, path, output = sys.argv[1:]
text = pathlib.Path(page).read_text(encoding="utf-8")
found = [body for name, body in re.findall(r"```cpp\n// (\S+)\n(.*?)```", text, re.DOTALL) if name == path]
if len(found) != 1:
    sys.exit(f"{page} has {len(found)} listings of {path}, not one")
# the listings lie in one folder here
pathlib.Path(output).write_text(re.sub(r'"gst/maskcount/', '"', found[0]), encoding="utf-8")
