#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the tables of docs/reference/monitor-yaml.md and the manual page vigil-monitor.yaml(5) from the program's own list of keys.

Usage: config_reference.py VIGIL-MONITOR [--check]

With --check nothing is written, and the exit status is 1 when a page is not up to date."""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/reference/monitor-yaml.md"
MANUAL = ROOT / "tools/vigil-monitor/vigil-monitor.yaml.5"
TABLE = re.compile(r"(<!-- keys: (?P<section>\w+) -->\n).*?(<!-- end of keys -->)", re.DOTALL)
HEAD = r""".\" SPDX-License-Identifier: LGPL-2.1-or-later
.\" Made by tools/config_reference.py from the program's own list of keys.
.TH VIGIL-MONITOR.YAML 5 "" "vigil" "File Formats"
.SH NAME
vigil-monitor.yaml \- configuration of vigil-monitor
.SH SYNOPSIS
.B vigil-monitor \-\-config
.I FILE
.SH DESCRIPTION
One YAML file of at most 1 MiB. \fBvigil-monitor \-\-config\fR \fIFILE\fR \fB\-\-check\fR names each error with its line.
\fB${NAME}\fR in a value is replaced by the variable \fINAME\fR of the environment.
Coordinates are \fIx1,y1,x2,y2,...\fR, each from 0 to 1, from the upper left corner.
SIGHUP reads the file again. The program never writes it.
"""
FOOT = r""".SH EXAMPLE
.nf
cameras:
  door:
    source: rtsp://USER:PASSWORD@CAMERA/stream
    record: {continuous: {days: 3}}
.fi
.SH SEE ALSO
\fBvigil-monitor\fR(1)
"""


def rows_of(program):
    """The program's keys, by section."""
    done = subprocess.run([program, "--describe-config"], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        sys.exit(f"{program} --describe-config: {done.stderr.strip()}")
    sections = {}
    for row in json.loads(done.stdout):
        section, _, key = row["path"].partition(".")
        sections.setdefault(section, []).append(row | {"key": re.sub(r"^(NAME|ITEM)\.", "", key)})
    return sections


def nested(key):
    """live.height as live: {height}."""
    first, *rest = key.split(".")
    return first + "".join(": {" + part for part in rest) + "}" * len(rest)


def table(rows):
    """The rows of a section in Markdown."""
    lines = ["| key | values; default | meaning |", "| --- | --- | --- |"]
    for row in rows:
        values = row["values"] + (f"; {row['default']}" if row["default"] else "")
        lines.append(f"| `{nested(row['key'])}` | {values} | {row['meaning']} |")
    return "\n".join(lines) + "\n"


def page(sections):
    """The text of the page, with its tables made anew."""
    old = PAGE.read_text(encoding="utf-8")
    there = {found["section"] for found in TABLE.finditer(old)}
    if there != set(sections):
        sys.exit(f"{PAGE.relative_to(ROOT)} has tables of {sorted(there)}, and the program has the sections {sorted(sections)}")
    return TABLE.sub(lambda found: found[1] + "\n" + table(sections[found["section"]]) + "\n" + found[3], old)


def roff(markdown):
    """Markdown of one line as roff."""
    plain = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", markdown).replace("\\", r"\e").replace("-", r"\-")
    return re.sub(r"`([^`]+)`", r"\\fB\1\\fR", plain)


def manual(sections):
    """The text of the manual page."""
    out = HEAD
    for section, rows in sections.items():
        kind = rows[0]["path"].split(".")[1]
        of_each = {"NAME": ", for each \\fINAME\\fR", "ITEM": ", of each item of the list"}.get(kind, "")
        out += f".SH {section.upper()}\nKeys of \\fB{section}\\fR{of_each}.\n"
        for row in rows:
            values = roff(row["values"]) + (f"; default {roff(row['default'])}" if row["default"] not in ("", "required") else "")
            values += "; required" if row["default"] == "required" else ""
            out += f".TP\n\\fB{roff(nested(row['key']))}\\fR ({values})\n{roff(row['meaning'])}\n"
    return out + FOOT


def main():
    """Writes the pages, or compares them."""
    if not 2 <= len(sys.argv) <= 3 or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    sections = rows_of(sys.argv[1])
    for path, text in ((PAGE, page(sections)), (MANUAL, manual(sections))):
        if not sys.argv[2:]:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            sys.exit(f"{path.relative_to(ROOT)} is not what the program says: run tools/config_reference.py VIGIL-MONITOR, and commit the page")


main()
