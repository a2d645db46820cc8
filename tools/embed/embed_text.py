#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes a text file into a C++ source as a const std::string: embed_text.py SOURCE FILE NAMESPACE NAME HEADER"""
import json
import pathlib
import sys

source, name, namespace, variable, header = sys.argv[1:]
# JSON's strings of ASCII are C++'s too; one a line keeps each below every compiler's limit.
lines = [json.dumps(line) for line in pathlib.Path(name).read_text(encoding="ascii").splitlines(keepends=True)]
pathlib.Path(source).write_text(
    f'// Made by embed_text.py; do not edit.\n#include "{header}"\nnamespace {namespace} {{\n'
    f"const std::string {variable} =\n" + "\n".join(f"    {line}" for line in lines) + f";\n}} // namespace {namespace}\n",
    encoding="utf-8")
