#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes shader or kernel files into a C++ header, each as a vigil::GlSource or, for .cl files, a vigil::ClSource named
after its file (back.frag -> back_frag).

embed.py HEADER NAMESPACE SOURCE_ROOT FILE...
"""
import pathlib
import sys

header, namespace, root, *files = sys.argv[1:]
kind, include = ('ClSource', 'common/opencl/program.h') if all(f.endswith('.cl') for f in files) else \
    ('GlSource', 'common/gl/program.h')
lines = ['// Made by embed.py; do not edit.', '#pragma once', f'#include "{include}"', f'namespace {namespace} {{']
for name in files:
    path = pathlib.Path(name)
    text = path.read_text(encoding='utf-8')
    if ')glsl"' in text or len(text) > 60000:
        sys.exit(f'{name}: cannot be embedded as a string')
    shown = path.resolve().relative_to(pathlib.Path(root).resolve())
    lines.append(f'inline constexpr {kind} {path.name.replace(".", "_")} = {{"{shown}", R"glsl({text})glsl"}};')
lines.append(f'}} // namespace {namespace}')
pathlib.Path(header).write_text('\n'.join(lines) + '\n', encoding='utf-8')
