# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rules for pages. Usage: prose.py SOURCE_ROOT [--update | --statistics | --words]

An error: a sentence of more than 35 words, a table of more than 6 columns, a cell of more than 120 characters, a fence without a language
or code that is indented, a link or an anchor that is not there; in tutorials, how-to, reference and explanation also a date, a commit id
and a processor's model. What older pages still have of the first five is counted in prose.json, by page, and may only become less:
--update writes lower numbers. Pages of docs/measurements are diaries, of which only links are checked. codespell is run where it is
installed. All other pages together have at most MOST_WORDS words: pieces between spaces that hold a letter or a digit, in text, tables and
code, without comments. --words lists the pages by their words."""
import json
import pathlib
import re
import shutil
import subprocess
import sys

from clone import git

root = pathlib.Path(sys.argv[1]).resolve()
option = sys.argv[2] if len(sys.argv) > 2 else ""
HELD = root / "tests/lint/prose.json"
LONGEST, COLUMNS, CELL, MOST_WORDS = 35, 6, 120, 45000
DIARY = re.compile(r"docs/measurements/|docs/develop/licences/")
READERS = re.compile(r"docs/(tutorials|how-to|reference|explanation)/")
MODELS = re.compile(r"\b(EPYC|Xeon|Core i\d|Ryzen|H200|H100|A100|RTX \d+|GTX \d+|Tesla)\b")
# Pages whose subject is on which machine something was measured or runs well, and a page of output as it is.
ABOUT_MACHINES = {"docs/explanation/performance.md", "docs/how-to/hardware.md", "docs/reference/tools/vigil-tune.md"}
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s#]*)(?:#([^)\s]+))?\)")
ABBREVIATION = re.compile(r"\b(e\.g|i\.e|etc|al|fig|eq|vs|approx|cf|sec)\.$|(^|\s)\w\.$", re.IGNORECASE)
errors, held, sentences = [], {}, []


def anchors(path, cache={}):
    """The anchors of a page's headings, as GitHub makes them."""
    if path not in cache:
        found, count = set(), {}
        text = re.sub(r"^ *```.*?^ *```$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
            name = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()).strip().replace(" ", "-")
            found.add(name + (f"-{count[name]}" if name in count else ""))
            count[name] = count.get(name, 0) + 1
        cache[path] = found
    return cache[path]


def split(text):
    """Sentences of a paragraph without code, links and comments."""
    text = re.sub(r"<!--.*?-->", "", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`[^`]*`", "code", text).replace("*", "")
    out = []
    for piece in re.split(r"(?<=[.!?:])(?=\s)", text):
        if out and (ABBREVIATION.search(out[-1]) or not out[-1].rstrip().endswith((".", "!", "?"))):
            out[-1] += piece
        else:
            out.append(piece)
    return [s for s in out if re.search(r"\w", s)]


def words(sentence):
    return len(re.findall(r"[\w'’.,/%+-]*\w[\w'’%]*", sentence))


def size(path):
    """Words of a page."""
    text = re.sub(r"<!--.*?-->", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return sum(bool(re.search(r"\w", piece)) for piece in text.split())


def check(name, path):
    """Errors of a page, and what it has of the rules that are held."""
    counts = dict.fromkeys(("long sentences", "wide tables", "long cells", "code without a language"), 0)
    where = {kind: [] for kind in counts}

    def count(kind, number, why):
        counts[kind] += 1
        where[kind].append(f"{name}:{number}: {why}")

    diary, readers = bool(DIARY.match(name)), bool(READERS.match(name))
    paragraph, start, fenced, item = [], 0, False, False

    def close():
        if paragraph and not diary:
            for sentence in split(" ".join(paragraph)):
                n = words(sentence)
                sentences.append(n)
                if n > LONGEST:
                    count("long sentences", start, f"a sentence of {n} words, {LONGEST} at most: '{' '.join(sentence.split()[:7])} ...'; make two of it")
        paragraph.clear()

    lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        fence = re.match(r" *(```+)(\w*)", line)
        if fence:
            close()
            if not fenced and not fence[2] and not diary:
                count("code without a language", number, "a fence without a language; write ```sh, ```text or another one")
            fenced = not fenced
            continue
        if fenced:
            continue
        plain = re.sub(r"`[^`]*`", "", line)
        for target, anchor in LINK.findall(plain):
            if re.match(r"[a-z]+:", target):
                continue
            file = (path.parent / target) if target else path
            if not file.exists():
                errors.append(f"{name}:{number}: a link to {target}, which is not there; mend the path, or take the link out")
            elif anchor and file.suffix == ".md" and anchor not in anchors(file.resolve()):
                errors.append(f"{name}:{number}: {target} has no heading for #{anchor}; take one of {', '.join(sorted(anchors(file.resolve())))[:200]}")
        if readers:
            bare = re.sub(r"\]\([^)]*\)|<!--.*?-->", "", plain)
            for kind, found in (("a date", re.search(r"\b20\d\d-\d\d(-\d\d)?\b", bare)), ("a commit id", re.search(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b", bare)),
                                ("a processor's model", None if name in ABOUT_MACHINES else MODELS.search(bare))):
                if found:
                    errors.append(f"{name}:{number}: {kind}, '{found[0]}'; it belongs into docs/measurements")
        if line.startswith("    ") and not item and not paragraph and line.strip() and not diary:
            count("code without a language", number, "indented code; write it between ```LANGUAGE and ```")
        if line.lstrip().startswith("|"):
            close()
            cells = [c.strip() for c in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
            if diary:
                continue
            if set(line) <= set("|-: "):
                if len(cells) > COLUMNS:
                    count("wide tables", number, f"a table of {len(cells)} columns, {COLUMNS} at most")
                continue
            for cell in cells:
                shown = re.sub(r"<!--.*?-->", "", re.sub(r"\]\([^)]*\)", "]", cell)).strip()
                if len(shown) > CELL:
                    count("long cells", number, f"a cell of {len(shown)} characters, {CELL} at most: '{shown[:40]} ...'; write it below the table")
                for sentence in split(cell):
                    if words(sentence) > LONGEST:
                        count("long sentences", number, f"a sentence of {words(sentence)} words in a cell: '{' '.join(sentence.split()[:7])} ...'")
            continue
        if not line.strip() or line.startswith(("#", ">")) or re.match(r" *([-*]|\d+\.) ", line):
            close()
        if line.startswith("#") or not line.strip():
            item = item and (not line.strip())
            continue
        item = bool(re.match(r" *([-*]|\d+\.) ", line)) or (item and line.startswith(" "))
        if not paragraph:
            start = number
        paragraph.append(re.sub(r"^ *(>|[-*]|\d+\.) ", "", line))
    close()
    return {k: n for k, n in counts.items() if n}, where


listed = git(root, "ls-files", "--cached", "--others", "--exclude-standard", "*.md")
if not listed:
    print("SKIPPED: this is no clone, so the pages of the project are not known")
    sys.exit(77)
allowed = json.loads(HELD.read_text(encoding="utf-8")) if HELD.exists() else {}
names = sorted(n for n in set(listed.split()) if (root / n).is_file())
lower = []
for name in names:
    counts, where = check(name, root / name)
    if counts:
        held[name] = counts
    for kind, n in counts.items():
        most = allowed.get(name, {}).get(kind, 0)
        if n > most:
            errors.append(f"{name}: {n} {kind}, {most} are allowed:")
            errors += ["    " + w for w in where[kind][:12]]
    lower += [f"{name}: {counts.get(kind, 0)} {kind}, fewer than the {most} that are allowed" for kind, most in allowed.get(name, {}).items() if counts.get(kind, 0) < most]
lower += [f"{name}: is gone" for name in allowed if name not in names]

sizes = {n: size(root / n) for n in names if not DIARY.match(n)}
total = sum(sizes.values())
largest = sorted(sizes, key=sizes.get, reverse=True)
if total > MOST_WORDS:
    errors.append(f"{total} words outside docs/measurements, {MOST_WORDS} are allowed: say each fact in one place and link to it, or move what only developers "
                  f"of one part need to docs/measurements/log. The largest pages: {', '.join(f'{n} ({sizes[n]})' for n in largest[:8])}")
if option == "--words":
    print(*(f"{sizes[n]:6} {n}" for n in largest), f"{total:6} words, {MOST_WORDS} at most", sep="\n")
    sys.exit(0)
if option == "--statistics":
    print(f"{total} words outside docs/measurements, {len(sentences)} sentences, {sum(sentences) / len(sentences):.1f} words in the mean, "
          f"{sum(s > LONGEST for s in sentences)} ({100 * sum(s > LONGEST for s in sentences) / len(sentences):.1f} %) of more than {LONGEST}")
if option == "--update":
    if HELD.exists():
        held = {n: {k: min(v, allowed[n][k]) for k, v in c.items() if k in allowed.get(n, {})} for n, c in held.items() if n in allowed}
    HELD.write_text(json.dumps({n: c for n, c in held.items() if c}, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    sys.exit(0)

skipped = None
if shutil.which("codespell"):
    done = subprocess.run(["codespell", "--ignore-words", root / "tests/lint/codespell.txt", *(root / n for n in names)], capture_output=True, text=True, check=False)
    errors += [f"{line.removeprefix(str(root) + '/')} (codespell; mend it, or add the word to tests/lint/codespell.txt)" for line in done.stdout.splitlines()]
else:
    skipped = "SKIPPED: spelling: codespell is not installed (Debian: codespell)"
if lower:
    print("Better than tests/lint/prose.json: run tests/lint/prose.py . --update", *lower, sep="\n    ")
print(*errors, sep="\n")
print(f"{len(names)} pages, {len(errors)} problems")
if skipped:
    print(skipped)
sys.exit(1 if errors else 77 if skipped else 0)
