# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the memory of a process lies in, by kind of mapping, as /proc/PID/smaps tells it, in kB.

heap: malloc's main arena. arenas: its others, which begin at a multiple of 64 MiB. stacks: those of threads, which glibc keeps for the next thread; each lies
behind a guard. anonymous: what is mapped by itself. written: pages of files of which the process has a copy of its own (relocations, data of libraries).
These are proportional set sizes, and no other process shares them. files: resident pages of files as they are on the disk, whichever processes share them.
pss: the proportional set size of all; of a page of a file it counts a share, which changes when another process maps the same library."""
import pathlib
import re

OWN = ("heap", "arenas", "stacks", "anonymous", "written")
KINDS = (*OWN, "files", "pss")
ARENA = 64 << 20
GUARD = 64 << 10  # bytes at most
HEAD = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) (\S{4}) \S+ \S+ (\d+) *(.*)$")
FIELD = re.compile(r"^(Pss|Rss|Anonymous): +(\d+) kB")


def mappings(smaps):
    """Yields (begin, end, rights, name, {field: kB}); the name is empty where no file is mapped."""
    current = None
    for line in smaps.splitlines():
        if line[0] in "0123456789abcdef" and (head := HEAD.match(line)):
            if current:
                yield current
            current = int(head[1], 16), int(head[2], 16), head[3], head[5], {}
        elif current and (field := FIELD.match(line)):
            current[4][field[1]] = int(field[2])
    if current:
        yield current


def by_kind(smaps):
    """{kind: kB}"""
    out, guard = dict.fromkeys(KINDS, 0), None
    for begin, end, rights, name, fields in mappings(smaps):
        pss, rss, own = fields.get("Pss", 0), fields.get("Rss", 0), fields.get("Anonymous", 0)
        out["pss"] += pss
        if name == "[heap]":
            out["heap"] += pss
        elif name == "[stack]" or (not name and guard == begin and rights.startswith("rw")):
            out["stacks"] += pss
        elif not name:
            out["arenas" if begin % ARENA == 0 and rights.startswith("rw") else "anonymous"] += pss
        else:
            out["written"] += min(pss, own)
            out["files"] += rss - own
        guard = end if rights.startswith("---") and not name and end - begin <= GUARD else None
    return out


def of_process(pid):
    return by_kind(pathlib.Path(f"/proc/{pid}/smaps").read_text(encoding="utf-8"))


def own(kinds):
    """What is no file's page."""
    return sum(kinds[kind] for kind in OWN)
