#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes docs/reference/http-api.md from docs/api/openapi.json. Usage: http_api_page.py [--check]

With --check nothing is written, and the exit status is 1 when the page is not up to date."""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/reference/http-api.md"
VERBS = ("get", "put", "post", "patch", "delete")
GROUPS = [("/api/cameras", "Cameras"), ("/api/events", "Events"), ("/api/exports", "Exports"), ("", "Program")]


def page():
    """The text of the page."""
    description = json.loads((ROOT / "docs/api/openapi.json").read_text(encoding="utf-8"))
    rows = {name: [] for _, name in GROUPS}
    for path, verbs in description["paths"].items():
        group = next(name for prefix, name in GROUPS if path.startswith(prefix))
        for verb in VERBS:
            if verb in verbs:
                summary = verbs[verb]["summary"].replace("; docs/reference/live-stream.md has the framing", ": [live stream](live-stream.md)")
                rows[group].append(f"| {verb.upper()} | `{path}` | {summary} |")
    out = ["# HTTP API", "", "The API of [vigil-monitor](monitor.md). [openapi.json](../api/openapi.json) is its full description,",
           "with parameters, answers and schemas. A running program serves it at `/api/openapi.json`.",
           "`tools/http_api_page.py` makes this page from it.", "",
           "A request needs a session's cookie or `Authorization: Bearer TOKEN`", "([who may do what](monitor.md#who-may-do-what)).",
           "`x-role` in the description is the least role of each request.", ""]
    for _, name in GROUPS:
        out += [f"## {name}", "", "| method | path | what it does |", "| --- | --- | --- |", *rows[name], ""]
    return "\n".join(out)


if sys.argv[1:] == ["--check"]:
    if PAGE.read_text(encoding="utf-8") != page():
        sys.exit(f"{PAGE.relative_to(ROOT)} is not what docs/api/openapi.json says: run tools/http_api_page.py, and commit the page")
elif not sys.argv[1:]:
    PAGE.write_text(page(), encoding="utf-8")
else:
    sys.exit(__doc__)
