#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes shader files into a C++ header, each as a vigil::GlSource named after its file (back.frag -> back_frag).

embed.py HEADER NAMESPACE SOURCE_ROOT FILE...
"""
import pathlib
import sys

header, namespace, root, *files = sys.argv[1:]
lines = ['// Made by embed.py; do not edit.', '#pragma once', '#include "common/gl/program.h"', f'namespace {namespace} {{']
for name in files:
    path = pathlib.Path(name)
    text = path.read_text(encoding='utf-8')
    if ')glsl"' in text or len(text) > 60000:
        sys.exit(f'{name}: cannot be embedded as a string')
    shown = path.resolve().relative_to(pathlib.Path(root).resolve())
    lines.append(f'inline constexpr GlSource {path.name.replace(".", "_")} = {{"{shown}", R"glsl({text})glsl"}};')
lines.append(f'}} // namespace {namespace}')
pathlib.Path(header).write_text('\n'.join(lines) + '\n', encoding='utf-8')
