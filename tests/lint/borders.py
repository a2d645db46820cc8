# SPDX-License-Identifier: LGPL-2.1-or-later
"""Callbacks of C and entries of threads in vigil-monitor go through common/guarded.h: no exception may pass through foreign frames.

A statement that hands a function to one of the names below has the word guard or guarded in it, or in a comment on the line before it.
Usage: borders.py SOURCE_ROOT"""
import pathlib
import re
import sys

NAMES = re.compile(r"\b(g_timeout_add\w*|g_idle_add\w*|g_unix_signal_add\w*|g_signal_connect\w*|g_source_set_callback|g_main_context_invoke\w*"
                   r"|gst_pad_add_probe|gst_bus_add_watch\w*|gst_bus_set_sync_handler|gst_element_call_async|gst_pad_set_\w+_function\w*"
                   r"|mosquitto_\w+_callback_set|MHD_start_daemon|MHD_create_response_from_callback|MHD_get_connection_values"
                   r"|sqlite3_(?:busy_handler|create_function\w*|progress_handler|trace_v2|commit_hook|update_hook)|std::thread)\s*\("
                   r"|\bCURLOPT_\w*FUNCTION\b|\.(?:new_sample|new_preroll|eos|need_data|enough_data) =|\bstd::thread \w+\(")


def statement(text, start):
    """From `start` to the end of the statement, or of the initializer."""
    depth = 0
    for i in range(start, len(text)):
        depth += text[i] in "([{"
        depth -= text[i] in ")]}"
        if depth < 0 or (depth == 0 and text[i] == ";"):
            return text[start:i]
    return text[start:]


def problems_of(text):
    """Lines, from 1 on, of statements that hand over a bare function."""
    code = re.sub(r"//[^\n]*", lambda m: " " * len(m[0]), text)
    for m in NAMES.finditer(code):
        line_start = text.rfind("\n", 0, m.start()) + 1
        before = text[text.rfind("\n", 0, max(line_start - 1, 0)) + 1:line_start]
        if not re.search(r"\bguard(ed)?\b", statement(code, m.start())) and not re.search(r"//.*\bguarded\b", before):
            yield text.count("\n", 0, m.start()) + 1


# The rule itself: what it must find, and what it must let pass.
for bad in ("gst_pad_add_probe(pad, TYPE, look, this, nullptr);", "g_timeout_add(1000, [](gpointer p) -> gboolean { f(p); return TRUE; }, this);",
            "std::thread closer([&] { server.reset(); });", "thread_ = std::thread([this] { run(); });", "curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take);",
            'g_signal_connect(e, "pad-added", G_CALLBACK(added), this); guarded<x>(y);', "callbacks.new_sample = tile;", "mosquitto_message_callback_set(client, got);"):
    assert list(problems_of(bad)) == [1], bad
for good in ("gst_pad_add_probe(pad, TYPE, guarded<look, GST_PAD_PROBE_OK>, this, nullptr);", 'std::thread([this] { guard("x", [&] { run(); }); }).detach();',
             "// `into` is guarded where it is given\ngst_pad_add_probe(pad, TYPE, into, this, nullptr);", "// g_idle_add(f, x);", "std::thread thread_;"):
    assert not list(problems_of(good)), good

root = pathlib.Path(sys.argv[1])
files = [p for p in sorted((root / "tools/vigil-monitor").rglob("*")) if p.suffix in {".h", ".cpp"}]
problems = [f"{p.relative_to(root).as_posix()}:{line}: a function is given to C, or to a thread, without common/guarded.h"
            for p in files for line in problems_of(p.read_text(encoding="utf-8"))]
print(*problems, sep="\n")
print(f"{len(files)} files, {len(problems)} problems")
sys.exit(1 if problems or not files else 0)
