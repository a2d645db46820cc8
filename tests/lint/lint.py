# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rules that no compiler checks. Usage: lint.py SOURCE_ROOT"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
folders = ["common", "kernels", "gst", "tools", "tests", "examples"]
sources = [p for f in folders for p in sorted((root / f).rglob("*"))
           if p.suffix in {".h", ".cpp", ".cu", ".cuh", ".glsl", ".cl", ".py", ".c"}]
product = ("common/", "kernels/", "gst/")

# One of these on a streaming thread silently changes to the primary context, or waits for the whole device.
banned = re.compile(r"\bcuda(SetDevice|DeviceReset|DeviceSynchronize|StreamLegacy|StreamPerThread)\b|<<<[^,>]*,[^,>]*>>>")
unfinished = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
# Files that comments and pages may name: those that are there.
pages = [*root.glob("*.md"), *(p for f in [*folders, "docs"] for p in sorted((root / f).rglob("*.md")))]
there = {p.name for p in sources + pages} | {"highway.h"}  # which is Highway's
named = re.compile(r"(?<![\w*<{-])(\w[\w/-]*\.(?:h|cpp|cu|cuh))\b")
link = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
problems = []
for path in pages:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for target in link.findall(line):
            if not (path.parent / target).exists():
                problems.append(f"{path.relative_to(root).as_posix()}:{number}: a link to {target}, which is not there")
for path in sources:
    name = path.relative_to(root).as_posix()
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    if not lines or not any("SPDX-License-Identifier: LGPL-2.1-or-later" in line for line in lines[:2]):
        problems.append(f"{name}: no SPDX line at the top")
    if name == "tests/lint/lint.py":
        continue
    for number, line in enumerate(lines, 1):
        if name.startswith(product) and banned.search(line):
            problems.append(f"{name}:{number}: not allowed near a streaming thread: {line.strip()}")
        if path.suffix in {".h", ".cpp", ".cu", ".cuh", ".c"} and len(line) > 110 and re.match(r" *//", line):
            problems.append(f"{name}:{number}: a comment of {len(line)} columns, 110 are the most")
        if path.suffix in {".h", ".cpp", ".cu", ".cuh", ".c"}:
            for file in named.findall(line.partition("//")[2]):
                if file.rpartition("/")[2] not in there:
                    problems.append(f"{name}:{number}: a comment names {file}, which is not there")
        if unfinished.search(line):
            problems.append(f"{name}:{number}: unfinished: {line.strip()}")
        if name.startswith(("common/", "kernels/")) and re.search(r"#include\s*[<\"](gst|glib)", line):
            problems.append(f"{name}:{number}: kernels know no GStreamer: {line.strip()}")
        if name.startswith("common/") and re.search(r"#include\s*\"(kernels|gst)/", line):
            problems.append(f"{name}:{number}: common/ depends on nothing above it: {line.strip()}")
# Files of the monitor's page that its program would not have.
page = root / "tools/vigil-monitor/page"
compiled = re.findall(r"'([^']+)'", (page / "meson.build").read_text(encoding="utf-8"))
problems += [f"{p.relative_to(root).as_posix()}: not in tools/vigil-monitor/page/meson.build, so the program has it not; add it there"
             for p in sorted(page.rglob("*")) if p.is_file() and p.name != "meson.build" and not {p.name, p.stem} & set(compiled)]
print(*problems, sep="\n")
print(f"{len(sources)} files, {len(problems)} problems")
sys.exit(1 if problems or not sources else 0)
