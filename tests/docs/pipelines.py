# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each pipeline that a document shows can be built: its elements, properties and links are there.
Usage: pipelines.py PROGRAM FOLDER, PROGRAM of pipelines.cpp, the documents below FOLDER"""
import pathlib
import re
import shlex
import subprocess
import sys

program, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
OURS = re.compile(r'"(cudamog|glcolinearseg|gpufisher|box\w+|cl[bfh]\w+|scenetestsrc)"')
MISSING = 3


def commands(text):
    """The lines of code that start gst-launch-1.0, each with the lines that continue it."""
    text = text.replace("\\\n", " ")
    return [line.strip() for line in text.splitlines() if re.match(r" *(\w+=\S+ )*gst-launch-1\.0 .*!", line)]


def words(command):
    """The arguments of gst-launch-1.0 itself: no options, nothing after a pipe or a redirection."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars="|<>&;")
    lexer.whitespace_split = True
    out = []
    for word in list(lexer)[command.split().index("gst-launch-1.0"):][1:]:
        if word[0] in "|<>&;":
            if word[0] == ">" and out[-1].isdigit():  # 2>
                out.pop()
            break
        if not re.fullmatch(r"-\w", word):
            out.append(re.sub(r"\$\w+", "1", word))  # a variable of the shell
    return out


good, missing, wrong = 0, [], []
for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
    for command in commands(page.read_text(encoding="utf-8")):
        done = subprocess.run([program, *words(command)], capture_output=True, text=True, timeout=60, check=False)
        why = f"{page.relative_to(root)}: {command}\n    {done.stderr.strip()}"
        if done.returncode == 0:
            good += 1
        elif done.returncode == MISSING and not OURS.search(done.stderr):
            missing.append(why)
        else:
            wrong.append(why)
print(f"{good} pipelines can be built; {len(missing)} use an element that is not installed here:", *missing, sep="\n")
if wrong or good < 10:
    sys.exit("\n".join(["These cannot be built:", *wrong]))
