# SPDX-License-Identifier: LGPL-2.1-or-later
"""Keeps retired names and words out of the tree: docs/glossary.md says what to write instead. A retired name or
word is an error.
Usage: vocabulary.py SOURCE_ROOT"""
import pathlib
import re
import sys

from clone import git

root = pathlib.Path(sys.argv[1]).resolve()
CODE = {".h", ".cpp", ".cu", ".cuh", ".c", ".glsl", ".cl"}
TEXT = CODE | {".md", ".py", ".build", ".js", ".html", ".yaml", ".1", ".sh", ".css"}

# Folder, retired name (an expression; one that ends with / is the beginning of a path), name of today.
NAMES = [
    ("", r"rules::Watch|view::Watch|view::Trouble", "rules::RuleEngine, tamper::TamperDetector, tamper::TamperKind"),
    ("kernels/rules/", r"Known|Taken", "TrackedObject, RemovedObject"),
    ("gst/cudamog/", r"MogWork|Lights|Beside|Scene|Analysis",
     "MogProcessor, BackgroundSnapshots, SideStream, a stage, FrameContext"),
    ("", r"prepare_watch|watched_pixels|watch_location_?", "the stage region_of_interest"),
    ("", r"HeldFrames|FlowDepth", "FramesInFlight, PipelineDepth"),
    ("gst/", r"Outlet|Wish|(Cuda|Gl|OpenCl)Place", "OrderedOutput, DeviceRequest, ...Selector"),
    ("gst/", r"Work|(Mog|Fisher|Bilateral|Filter|Histogram|Device|Gl|Segment)Work", "FrameProcessor, ...Processor"),
    ("gst/", r"(Frame|Luma|Texture|Gl|Cuda)Slot|Slot", "DeviceFrameMapping, ...Mapping, FrameMapping"),
    ("", r"open_for_(reading|updating|writing)", "map_read, map_update, map_write"),
    ("gst/", r"Use::(look|change|make)", "Use::inspect, Use::modify, Use::produce"),
    ("", r"ghost::(Waiting|Moving|Pace|Outlines|Rim|Groups)",
     "StationaryRegions, MotionGate, AdaptationRate, ContourFeatures, BoundaryContrast, cell_grid::Components"),
    ("kernels/registration/", r"Sway|Found", "AppliedShift, Match"),
    ("", r"(gst/(observe|frames|optional)|kernels/(view|activity|rgba|absent))/",
     "gst/metadata, gst/video, gst/dynload, kernels/tamper, kernels/cell_grid, kernels/convert, kernels/stubs"),
]
# Retired word: plain word.
WORDS = {
    r"told": "reported, announced, configured, distinguished",
    r"tells? of": "reports",
    r"whoever": "anyone who, the caller",
    r"beside": "next to, in addition to, compared with",
    r"but for": "except",
    r"for ever": "permanently",
    r"nothing set": "default settings",
    r"one who": "a person who, an element that",
    r"in place of": "instead of",
    r"he|him|his": "it, the object, the person",
}

# What only looks like a retired word: an author, and an option of vigil-eval.
NO_WORDS = {"kernels/blobs/blobs.h": "(He, Chao, Suzuki 2008", "tools/vigil-eval/options.cpp": '{"beside", '}

names = [(folder, re.compile(rf"(?<![\w-])(?:{name})" + ("" if name.endswith("/") else r"(?![\w-])")), today) for folder, name, today in NAMES]
words = {word: re.compile(rf"(?<![\w-])(?:{word})(?![\w-])", re.IGNORECASE) for word in WORDS}
problems = []
files = git(root, "ls-files").split()
if not files:
    print("SKIPPED: this is no clone, so the files of the project are not known")
    sys.exit(77)
for name in files:
    path = root / name
    if path.suffix not in TEXT or name in {"tests/lint/vocabulary.py", "docs/glossary.md", "CHANGELOG.md"} or name.startswith("docs/measurements/log/") or not path.is_file():
        continue
    page, fenced = path.suffix == ".md", False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if page:
            fenced ^= line.lstrip().startswith("```")
            plain = "" if fenced else re.sub(r"`[^`]*`", "", line)
            for word, pattern in words.items():
                if bad := pattern.search(plain):
                    problems.append(f"{name}:{number}: the word '{bad[0]}' is retired; write {WORDS[word]}")
            continue
        for folder, retired, today in names:
            if path.suffix in CODE and name.startswith(folder) and (bad := retired.search(line.partition("//")[0])):
                problems.append(f"{name}:{number}: the name '{bad[0]}' is retired; write {today}")
        for word, pattern in words.items():
            if bad := pattern.search(line.replace(NO_WORDS.get(name, "\n"), "")):
                problems.append(f"{name}:{number}: the word '{bad[0]}' is retired; write {WORDS[word]}")
print(*problems, sep="\n")
print(f"{len(files)} files, {len(problems)} problems")
sys.exit(1 if problems else 0)
