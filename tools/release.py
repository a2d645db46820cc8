#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Builds the files of a release: source archive, Debian packages, container image, and their checksums.
Usage: ./run release [--dry-run] [--out FOLDER] [--no-image]

The version is meson.build's. It is refused when the changelogs do not have it with a date, when the tree has changes, when its tag is at
another commit, when made-up addresses are left, or when a picture of the page is older than the page. --dry-run checks the same, prints the commands and runs none of them. docs/develop/release.md has what comes before."""
import argparse
import datetime
import hashlib
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=False)


def version():
    return re.search(r"^  version: '([^']+)'", (ROOT / "meson.build").read_text(encoding="utf-8"), re.M)[1]


def mistakes(name):
    """What keeps this version from being released, each with what to do."""
    out = []
    dated = re.search(rf"^## \[{re.escape(name)}\] - (\S+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    if not dated:
        out.append(f"CHANGELOG.md has no section '## [{name}] - YYYY-MM-DD'; rename Unreleased, and begin a new one")
    else:
        try:
            datetime.date.fromisoformat(dated[1])
        except ValueError:
            out.append(f"CHANGELOG.md: the date of {name} is {dated[1]}; write YYYY-MM-DD")
    packaged = re.match(r"vigil \(([^)-]+)-\d+\) (\S+);", (ROOT / "debian/changelog").read_text(encoding="utf-8"))
    if not packaged or packaged[1] != name:
        out.append(f"debian/changelog is not at {name}; add an entry")
    elif packaged[2] == "UNRELEASED":
        out.append("debian/changelog says UNRELEASED; name the distribution")
    state = git("status", "--porcelain")
    if state.returncode:
        out.append("this is no clone of the repository; release from one")
    elif state.stdout:
        out.append("the tree has changes; commit or remove them:\n" + state.stdout.rstrip())
    tagged, head = git("rev-parse", "--verify", "--quiet", f"v{name}^{{commit}}").stdout.strip(), git("rev-parse", "HEAD").stdout.strip()
    if tagged and tagged != head:
        out.append(f"the tag v{name} is at {tagged[:12]}, not at this commit; raise the version in meson.build")
    made_up = git("grep", "-l", r"vigil\.example", "--", "debian", "deploy", "gst").stdout.split()
    if made_up:
        out.append(f"{', '.join(made_up)}: made-up addresses; fill in what MAINTAINERS.md lists")
    pictures = subprocess.run([sys.executable, ROOT / "tests/lint/screenshots.py", ROOT, "--release"], capture_output=True, text=True, check=False)
    if pictures.returncode == 1:
        out.append("pictures of the page are older than the page:\n" + pictures.stdout.rstrip())
    return out


def commands(name, out, image):
    """Command, program that it needs, folder to run it in."""
    source, prefix = out / f"vigil-{name}.tar.gz", f"vigil-{name}/"
    build = out / f"vigil-{name}"
    rows = [(["git", "-C", ROOT, "archive", f"--prefix={prefix}", "-o", source, "HEAD"], "git", out),
            (["tar", "-xzf", source, "-C", out], "tar", out),
            (["dpkg-buildpackage", "-b", "-us", "-uc"], "dpkg-buildpackage", build)]
    if image:
        dated = git("log", "-1", "--format=%ct").stdout.strip()
        rows += [(["sh", "-c", "mkdir packages && cp ../*.deb packages/"], "sh", build),
                 (["podman", "build", "--layers=false", "--timestamp", dated, "-f", "deploy/container/Containerfile", "-t", f"vigil:{name}", "."], "podman", build),
                 (["podman", "save", "-o", out / f"vigil-{name}-image.tar", f"vigil:{name}"], "podman", out)]
    return rows


def write_checksums(out):
    files = sorted(p for p in out.iterdir() if p.is_file() and p.suffix in {".gz", ".deb", ".tar"})
    lines = [f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.name}" for p in files]
    (out / "SHA256SUMS").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--dry-run", action="store_true", help="check and print, run nothing")
    parser.add_argument("--no-image", action="store_true", help="no container image")
    parser.add_argument("--out", type=pathlib.Path, help="folder for the files (default: build-release/VERSION)")
    args = parser.parse_args()
    name = version()
    out = (args.out or ROOT / "build-release" / name).resolve()
    rows, wrong = commands(name, out, not args.no_image), mistakes(name)
    wrong += [f"{program} is not installed" for program in dict.fromkeys(row[1] for row in rows) if not args.dry_run and not shutil.which(program)]
    for command, _, folder in rows if args.dry_run else []:
        print(f"(cd {folder}; {shlex.join(map(str, command))})")
    if args.dry_run:
        print(f"checksums: {out / 'SHA256SUMS'}")
        print(f"then: git tag -a v{name} -m 'Vigil {name}'")
    if wrong:
        sys.exit("\n".join([f"{name} cannot be released:", *(f"- {w}" for w in wrong)]))
    if args.dry_run:
        return
    if out.exists() and any(out.iterdir()):
        sys.exit(f"{out} is not empty; remove it, or name another folder with --out")
    out.mkdir(parents=True, exist_ok=True)
    for command, _, folder in rows:
        print("==", shlex.join(map(str, command)), flush=True)
        done = subprocess.run(command, cwd=folder, check=False)
        if done.returncode:
            sys.exit(f"{command[0]} ended with status {done.returncode}; what is in {out} is not complete")
    print(*write_checksums(out), sep="\n")
    print(f"Complete in {out}. Now: git tag -a v{name} -m 'Vigil {name}'")


main()
