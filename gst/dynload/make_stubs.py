# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the stubs of dynload.h for one library, as a C++ file of assembler text.

make_stubs.py NAME SONAME ANSWER NM LIBRARY OUTPUT

Each function that LIBRARY exports gets a hidden symbol of its name, which jumps to the address in its slot. The slots are
filled by load_optional_libraries(): with the library's own addresses, or with that of a function that returns ANSWER. A
jump leaves all arguments as they are, so nothing need be known of them.
"""
import re
import subprocess
import sys

name, soname, answer, nm, library, output = sys.argv[1:]
exported = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
functions = sorted(set(re.findall(r"^[0-9a-f]+ [TW] ([A-Za-z]\w*)", exported, re.M)))
if not functions:
    sys.exit(f"{library} exports no functions")

slots = f"vigil_{name}_mappings"


def data(symbol, section, lines):
    return [f'.pushsection {section}', ".balign 8", f".globl {symbol}", f".hidden {symbol}", f"{symbol}:", *lines,
            ".popsection"]


def function(symbol, code):
    return [".balign 16", f".globl {symbol}", f".hidden {symbol}", f".type {symbol}, %function", f"{symbol}:", *code,
            f".size {symbol}, . - {symbol}"]


def text_of(lines):
    return "asm(\n" + "\n".join('    "' + line.replace("\\", "\\\\").replace('"', '\\"') + '\\n"' for line in lines) + ");\n"


def code(entry, absent, jump):
    lines = [".pushsection .text"] + function(f"vigil_{name}_absent", [*entry, *absent, "ret"])
    for i, f in enumerate(functions):
        lines += function(f, [*entry, *jump(f"{slots}+{8 * i}")])
    return text_of(lines + [".popsection"])


x86 = code(["endbr64"], [f"movq ${answer}, %rax"], lambda at: [f"jmpq *{at}(%rip)"])
arm = code(["hint #34"], [f"mov x0, #{answer}"], lambda at: [f"adrp x16, {at}", f"ldr x16, [x16, :lo12:{at}]", "br x16"])
common = text_of(data(slots, '.bss,"aw",%nobits', [f".zero {8 * len(functions)}"])
                 + data(f"vigil_{name}_names", ".rodata", [f'.asciz "{f}"' for f in functions] + ['.asciz ""'])
                 + data(f"vigil_{name}_soname", ".rodata", [f'.asciz "{soname}"']))
with open(output, "w", encoding="ascii") as out:
    out.write(f"// Made by make_stubs.py from {soname}.\n{common}#if defined(__x86_64__)\n{x86}#elif defined(__aarch64__)\n{arm}#endif\n")
