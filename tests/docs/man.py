# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each manual page has the long options that its program's --help has, and no others. Usage: man.py PROGRAM...

The page of tools/NAME/NAME is tools/NAME/NAME.1. A program with commands has a section COMMAND for each, and a --help too."""
import pathlib
import re
import subprocess
import sys

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
GENERAL = {"--help", "--help-all", "--help-gst"}


def said_by(*command):
    """Options that begin a line of --help: those in the text may belong to another program."""
    text = subprocess.run([*command, "--help"], capture_output=True, text=True, timeout=60, check=True).stdout
    lines = re.findall(r"^\s+((?:-\w, )?--[a-z-]+.*)", text, re.MULTILINE)
    return {option for line in lines for option in OPTION.findall(re.split(r"\s{2,}", line)[0])} - GENERAL


def written(text):
    """Options in the items of the page."""
    heads = re.findall(r"^\.TP\n(.*)", text, re.MULTILINE)
    plain = (re.sub(r"\\f[BIR]", "", head).replace("\\-", "-") for head in heads)
    return {option for head in plain for option in OPTION.findall(head)} - GENERAL


def check(what, options, documented):
    if options != documented:
        sys.exit(f"{what}: without a place on the manual page: {sorted(options - documented)}; there, but not in --help: {sorted(documented - options)}")
    return len(options)


COUNT = 0
for program in sys.argv[1:]:
    name = pathlib.Path(program).name
    page = (TOOLS / name / f"{name}.1").read_text(encoding="utf-8")
    first, *sections = re.split(r"^\.SH COMMAND (\w+)$", page, flags=re.MULTILINE)
    COUNT += check(name, said_by(program), written(first))
    for command, section in zip(sections[::2], sections[1::2]):
        COUNT += check(f"{name} {command.lower()}", said_by(program, command.lower()), written(section))
print(f"{len(sys.argv) - 1} programs, {COUNT} options")
