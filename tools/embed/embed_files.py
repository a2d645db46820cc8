#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes files of any kind into a C++ source that defines vigil::monitor::page_files() (tools/vigil-monitor/http/page_files.h).

embed_files.py SOURCE VERSION FOLDER FILE...   the files are served by their path below FOLDER

@PAGE_VERSION@ in a file becomes VERSION and a hash of all files, so that the service worker differs whenever one of them does.
"""
import hashlib
import pathlib
import sys

TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
         ".mjs": "text/javascript; charset=utf-8", ".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg",
         ".json": "application/json", ".webmanifest": "application/manifest+json", ".txt": "text/plain; charset=utf-8"}

source, version, folder, *files = sys.argv[1:]
all_files = hashlib.sha256(b"".join(pathlib.Path(name).read_bytes() for name in files)).hexdigest()[:16]
place, whole_version = b"@PAGE_VERSION@", f"{version}-{all_files}".encode()
lines = ["// Made by embed_files.py; do not edit.", '#include "tools/vigil-monitor/http/page_files.h"',
         "namespace vigil::monitor {", "namespace {"]
table = []
for number, name in enumerate(files):
    path = pathlib.Path(name).resolve()
    shown = "/" + path.relative_to(pathlib.Path(folder).resolve()).as_posix()
    data = path.read_bytes()
    if path.suffix == ".js":
        data = data.replace(place, whole_version)
    lines.append(f"constexpr unsigned char file{number}[] = {{{','.join(map(str, data))}{',' if data else ''}0}};")
    table.append(f'    {{"{shown}", "{TYPES[path.suffix]}", "{hashlib.sha256(data).hexdigest()[:16]}", '
                 f"{{reinterpret_cast<const char *>(file{number}), {len(data)}}}}},")
lines += ["const PageFile files[] = {", *table, "};", "} // namespace",
          "std::span<const PageFile> page_files() { return files; }", "} // namespace vigil::monitor"]
pathlib.Path(source).write_text("\n".join(lines) + "\n", encoding="utf-8")
