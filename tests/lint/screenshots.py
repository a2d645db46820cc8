# SPDX-License-Identifier: LGPL-2.1-or-later
"""No picture of vigil-monitor's page is older than the files that draw that view. Usage: screenshots.py SOURCE_ROOT [--release]

Ages are those of the last commits. A picture may be behind by DAYS days, so that a change of the page needs no new pictures at once; with
--release, as ./run release calls it, by none. Each problem names the page that shows the picture, and how to take a new one."""
import pathlib
import sys

from clone import git

root = pathlib.Path(sys.argv[1]).resolve()
DAYS = 0 if "--release" in sys.argv else 14
PAGE, IMAGES = "tools/vigil-monitor/page/", "docs/images/"
ALL = ["index.html", "app/shell.js", "style/shell.css", "style/base.css", "style/tokens.css"]
STREET = ("monitor-camera.jpg", "monitor-events.jpg")  # with a real camera's street
VIEWS = {
    "monitor-wall.jpg": ["wall", "style/wall.css"],
    "monitor-camera.jpg": ["camera", "style/camera.css"],
    "monitor-events.jpg": ["events/events.js", "events/cards.js", "events/filters.js", "events/player.js", "style/events.css"],
    "monitor-heatmap.jpg": ["events/heatmap.js"],
    "monitor-system.jpg": ["system", "style/system.css"],
    "monitor.webp": ["wall", "camera", "style/wall.css", "style/camera.css"],
}


def last(*paths):
    """When the newest of these files was committed, and which it is."""
    when, _, names = git(root, "log", "-1", "--format=%ct %cs", "--name-only", "--no-merges", "--", *paths).partition("\n")
    seconds, _, day = when.partition(" ")
    files = [n for n in names.split() if any(n == p or n.startswith(p + "/") for p in paths)]
    return (int(seconds), day, files[0]) if files else (0, "", "")


def main():
    if not git(root, "rev-parse", "HEAD") or git(root, "rev-parse", "--is-shallow-repository").strip() == "true":
        print("SKIPPED: this is no whole clone, so it is not known when a file changed")
        sys.exit(77)
    problems = []
    for image in sorted(p.name for p in (root / IMAGES).glob("monitor*")):
        if image not in VIEWS:
            problems.append(f"tests/lint/screenshots.py: {IMAGES}{image} shows an unknown view; add it to VIEWS with the files that draw it")
    for image, files in VIEWS.items():
        paths = [PAGE + f for f in files + ALL]
        problems += [f"tests/lint/screenshots.py: {p} of {image} is not there; name the file that draws the view today" for p in paths if not (root / p).exists()]
        shown = [f"{p.relative_to(root)}:{n}" for p in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
                 for n, line in enumerate(p.read_text(encoding="utf-8").splitlines(), 1) if f"images/{image}" in line and "measurements" not in p.parts]
        if not shown:
            problems.append(f"{IMAGES}{image}: no page shows it; remove it, and take it out of tests/lint/screenshots.py")
        (taken, day, _), (changed, change, file) = last(IMAGES + image), last(*paths)
        if taken and changed > taken + DAYS * 86400:
            problems.append(f"{', '.join(shown)}: {IMAGES}{image} is of {day}, and {file}, which draws that view, of {change}; take it again: "
                            f"VIGIL_SCREENSHOTS=FOLDER meson test -C build {'monitor-street' if image in STREET else 'monitor-page'}, look at it, copy and commit it")
    print(*problems, sep="\n")
    print(f"{len(VIEWS)} pictures of the page, {len(problems)} problems" + (f" (up to {DAYS} days behind the page are allowed)" if DAYS else ""))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
