# SPDX-License-Identifier: LGPL-2.1-or-later
"""The site of docs/ can be built, without a warning; its links and anchors lead somewhere, it takes nothing from other servers, and
motion-events has its four languages in tabs.
Usage: site_build.py SOURCE_ROOT"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

root = pathlib.Path(sys.argv[1]).resolve()
SKIPPED = 77
mkdocs = shutil.which("mkdocs")
if not mkdocs:
    print("SKIPPED: mkdocs is not installed (Debian: mkdocs-material)")
    sys.exit(SKIPPED)


def has_theme():
    """Whether mkdocs finds the theme and its extensions: Debian's lies in a folder of its own, and mkdocs may have another interpreter."""
    first = pathlib.Path(mkdocs).read_text(encoding="utf-8").splitlines()[0].removeprefix("#!").split()
    extensions = subprocess.run([*first, "-c", "import pymdownx"], capture_output=True, check=False).returncode == 0
    return extensions and "material" in subprocess.run([mkdocs, "build", "--help"], capture_output=True, text=True, check=False).stdout


if not has_theme():
    print("SKIPPED: the theme is not installed (Debian: mkdocs-material)")
    sys.exit(SKIPPED)
problems = []
with tempfile.TemporaryDirectory() as folder:
    # A proxy that does not answer: what would come from the network cannot come.
    env = dict(os.environ, http_proxy="http://127.0.0.1:9", https_proxy="http://127.0.0.1:9", PYTHONDONTWRITEBYTECODE="1")
    done = subprocess.run([mkdocs, "build", "--strict", "--config-file", root / "mkdocs.yml", "--site-dir", folder], cwd=root, env=env, capture_output=True,
                          text=True, check=False)
    print(done.stdout + done.stderr)
    if done.returncode:
        sys.exit("the site cannot be built; each line above names a page")
    site = pathlib.Path(folder)
    ids, html = {}, {p: p.read_text(encoding="utf-8") for p in sorted(site.rglob("*.html")) if p.name != "404.html"}
    for page, text in html.items():
        ids[page] = set(re.findall(r'\bid="([^"]+)"', text))
    for page, text in html.items():
        name = page.relative_to(site).as_posix()
        for tag in re.findall(r"<(?:script|link|img|iframe)\b[^>]*>", text):
            outside = re.search(r'(?:src|href)="((?:https?:)?//[^"]+)"', tag)
            if outside and 'rel="canonical"' not in tag:
                problems.append(f"{name}: takes {outside[1]} from another server")
        for target in re.findall(r'<a [^>]*href="([^"]+)"', text):
            path, _, anchor = urllib.parse.unquote(target).partition("#")
            if re.match(r"[a-z]+:", path) or path.startswith("/"):
                continue
            file = page if not path else (page.parent / path).resolve()
            file = file / "index.html" if file.is_dir() and (file / "index.html").exists() else file
            if not file.exists():
                problems.append(f"{name}: a link to {target}, which is not there")
            elif anchor and file in ids and anchor not in ids[file] and anchor != "__skip":
                problems.append(f"{name}: a link to {target}, whose anchor is not there")
    languages = re.findall(r'<div class="tabbed-labels">(.*?)</div>', html[site / "tutorials/motion-events.html"], re.DOTALL)
    if [re.findall(r"<label[^>]*>([^<]+)", labels) for labels in languages] != [["C++", "C", "Python", "Rust"]] * 3:
        problems.append(f"tutorials/motion-events.html: {languages} are no three groups of tabs for C++, C, Python and Rust; tools/site.py makes them")
    print(*sorted(set(problems)), sep="\n")
    print(f"{len(html)} pages, {len(set(problems))} problems")
    if len(html) < 40:
        sys.exit("these are not all pages")
sys.exit(1 if problems else 0)
