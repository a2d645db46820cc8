# SPDX-License-Identifier: LGPL-2.1-or-later
"""What tests of job schedulers share: an archive of drawn clips, the results of a single process, and a program to kill."""
import pathlib
import subprocess

CLIPS = 40


def draw(folder):
    """40 clips, and the list of them, whose path is returned."""
    clips = folder / "clips"
    clips.mkdir()
    for i in range(CLIPS):
        subprocess.run(["gst-launch-1.0", "-q", "scenetestsrc", "num-buffers=60", f"seed={i}", "quiet=0.5", "density=2", "!", "video/x-raw,"
                        "format=I420,width=160,height=120,framerate=15/1", "!", "jpegenc", "!", "avimux", "!", "filesink",
                        f"location={clips / f'{i:02}.avi'}"], check=True, timeout=60)
    files = folder / "list"
    files.write_text("\n".join(map(str, sorted(clips.iterdir()))) + "\n", encoding="utf-8")
    return files


def results(folder):
    """The bytes of each result, without what a write that was cut off left behind."""
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir()) if p.name == "scan.json" or p.suffix == ".jsonl"}


def finished(folder):
    """How many clips are done."""
    return len(list(folder.glob("*.jsonl"))) if folder.exists() else 0


def program_of(scan, out):
    """The process number of a running vigil-scan that writes to this folder; None when there is none."""
    for p in pathlib.Path("/proc").iterdir():
        try:
            words = (p / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[0] == scan.encode() and str(out).encode() in words:
            return int(p.name)
    return None
