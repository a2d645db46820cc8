# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each measured figure of a page is the one of docs/measurements/current.csv. Usage: figures.py SOURCE_ROOT

A figure is written as `0.938 <!-- figure: KEY -->`: what stands before the comment, within its table cell and sentence, ends with the
row's value. In README.md, how-to, tutorials and explanation each number that looks measured (an F-measure, a time, a rate, a size on a
GPU) needs such a comment. A row that no page uses fails too."""
import csv
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
SOURCE = "docs/measurements/current.csv"
COLUMNS = ["key", "value", "unit", "device", "driver", "date", "commit", "command", "note"]
REQUIRED = ["key", "value", "device", "driver", "date", "commit", "command"]
COMMENT = re.compile(r"<!-- figure: (\S+) -->")
# Numbers that were measured, by their look. What a property is set to, a limit or a size of a picture is none.
MEASURED = re.compile(
    r"(?<![\w.=/-])(?:0\.\d{3,4}(?![\d.]| grey)|\d+\.\d+ ms\b|\d+\.?\d* times (?:as|faster|slower)|\d{3,} frames (?:per|a) second|\d+(?:\.\d+)? dB\b|\d+\.\d+ (?:GB/s|cores)\b)")
problems, used = [], {}

with (root / SOURCE).open(encoding="utf-8", newline="") as file:
    reader = csv.DictReader(file)
    if reader.fieldnames != COLUMNS:
        sys.exit(f"{SOURCE}:1: the columns are {reader.fieldnames}; write {','.join(COLUMNS)}")
    rows = {}
    for row in reader:
        where = f"{SOURCE}:{reader.line_num}"
        if row["key"] in rows:
            problems.append(f"{where}: the key {row['key']} is there twice; take one row out")
        problems += [f"{where}: {name} of {row['key']} is empty; write it, or 'none' or 'not recorded'" for name in REQUIRED if not row[name]]
        if None in row or None in row.values():
            problems.append(f"{where}: {row['key']} has not {len(COLUMNS)} columns; quote values that have commas")
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", row["date"] or ""):
            problems.append(f"{where}: the date of {row['key']} is {row['date']}; write YYYY-MM-DD")
        rows[row["key"]] = row

pages = [*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md"))]
for path in pages:
    name = path.relative_to(root).as_posix()
    if name.startswith("docs/measurements/") or name == "docs/develop/documentation.md":
        continue
    fenced = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if fenced:
            continue
        parts = COMMENT.split(line)
        for before, key in zip(parts[::2], parts[1::2]):
            used.setdefault(key, f"{name}:{number}")
            if key not in rows:
                problems.append(f"{name}:{number}: the figure {key} is not in {SOURCE}; add the row, with the command that measured it, or mend the key")
            elif not re.search(rf"(?<![\w.]){re.escape(rows[key]['value'])}\W*$", before):
                problems.append(f"{name}:{number}: '{before.strip()[-30:]}' does not end with {rows[key]['value']}, which {SOURCE} has for {key}; "
                                "correct the page, or renew the row after a new measurement")
        if name == "README.md" or re.match(r"docs/(how-to|tutorials|explanation)/", name):
            rest = COMMENT.split(re.sub(r"`[^`]*`|\]\([^)]*\)", " ", line))
            for piece, key in zip(rest[::2], [*rest[1::2], None]):
                if key in rows:
                    piece = re.sub(rf"{re.escape(rows[key]['value'])}\W*$", "", piece)
                problems += [f"{name}:{number}: '{found[0]}' looks measured and has no figure comment; write <!-- figure: KEY --> behind it and a row in {SOURCE}, "
                             "or leave the number out" for found in MEASURED.finditer(piece)]
problems += [f"{SOURCE}: no page uses {key}; take the row out (the log keeps it)" for key in rows if key not in used]
print(*problems, sep="\n")
print(f"{len(rows)} figures, {len(pages)} pages, {len(problems)} problems")
sys.exit(1 if problems or not rows else 0)
