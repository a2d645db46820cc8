# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/develop/questions.md: twenty questions, each answered from one to three files that are there, and each name in the answer is in one of
them. Usage: questions.py SOURCE_ROOT"""
import pathlib
import re
import sys

page = pathlib.Path(sys.argv[1]).resolve() / "docs/develop/questions.md"


def problems_of(row):
    """What is wrong with one row of a table: | question | answer |."""
    question, answer = (cell.strip() for cell in row.strip().strip("|").split("|"))
    files = [page.parent / target for target in re.findall(r"\]\(([^)#]+)", answer)]
    if not 1 <= len(files) <= 3:
        yield f"'{question}' names {len(files)} files; name one to three"
    yield from (f"'{question}' names {f.name}, which is not there" for f in files if not f.is_file())
    text = "\n".join(f.read_text(encoding="utf-8") for f in files if f.is_file())
    names = re.findall(r"`(\w+)`", answer)
    if not names:
        yield f"'{question}' names nothing to look for in its files; put a name in backticks"
    yield from (f"'{question}': no `{name}` in its files" for name in names if not re.search(rf"\b{name}\b", text))


assert list(problems_of("| q | no file |")) and list(problems_of("| q | `no_such_name` in [h](questions.md/none.h) |"))
assert list(problems_of(f"| q | `no_such_name_at_all` in [h]({page.parents[2]}/common/guarded.h) |"))
assert not list(problems_of(f"| q | `guarded` in [h]({page.parents[2]}/common/guarded.h) |"))
rows = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| ") and not line.startswith(("| ---", "| question"))]
problems = [p for row in rows for p in problems_of(row)]
if len(rows) != 20:
    problems.append(f"{len(rows)} questions; twenty are promised")
print(*problems, sep="\n")
print(f"{len(rows)} questions, {len(problems)} problems")
sys.exit(1 if problems else 0)
