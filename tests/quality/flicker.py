#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How often the number of tracks changes though the number of objects does not.

    flicker.py FOLDER TRACKS.txt    FOLDER: a sequence of CDnet; TRACKS: MOTChallenge's text for its frames, as tracks_of.py writes it

The truth has the components of foreground (values 255 and 170, 8 neighbours) of at least --area pixels (default 200) in each labelled
frame. A frame flickers when it has more or fewer tracks than the frame before, and no change of the truth in the same direction is
left to be reported within --window frames (default 13: half a second) around it; each change of the truth excuses one track's. Prints the
frames, changes of the truth and of the tracks, and flickering frames with their share. --list names the frames.
"""
import argparse
import collections
import pathlib
import re
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
from gi.repository import Gst, GstApp  # noqa: E402  pylint: disable=wrong-import-position

assert GstApp
FOREGROUND = bytes(1 if value in (170, 255) else 0 for value in range(256))
RUN = re.compile(b"\x01+")


def components(rows, least):
    """The number of components of at least `least` ones in rows of zeros and ones."""
    parent, area = [], []

    def root(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    before = []
    for row in rows:
        runs = []
        for match in RUN.finditer(row):
            number = len(parent)
            parent.append(number)
            area.append(match.end() - match.start())
            for start, end, other in before:
                if start <= match.end() and match.start() <= end:  # a corner is enough
                    one, two = root(other), root(number)
                    if one != two:
                        parent[two] = one
                        area[one] += area[two]
            runs.append((match.start(), match.end(), number))
        before = runs
    return sum(1 for i, p in enumerate(parent) if p == i and area[i] >= least)


def truth_counts(folder, least):
    """Frame -> objects, of the labelled frames."""
    pictures = sorted((folder / "groundtruth").glob("gt*.png"))
    first = int(pictures[0].stem[2:])
    pipeline = Gst.parse_launch(f"multifilesrc location={folder}/groundtruth/gt%06d.png start-index={first} "
                                f"stop-index={first + len(pictures) - 1} caps=image/png,framerate=25/1 ! pngdec ! videoconvert "
                                "! video/x-raw,format=GRAY8 ! appsink name=out sync=false")
    out, counts = pipeline.get_by_name("out"), {}
    pipeline.set_state(Gst.State.PLAYING)
    while sample := out.emit("pull-sample"):
        shape = sample.get_caps().get_structure(0)
        width, height = shape.get_value("width"), shape.get_value("height")
        data = sample.get_buffer().extract_dup(0, sample.get_buffer().get_size()).translate(FOREGROUND)
        stride = len(data) // height
        rows = [data[y * stride:y * stride + width] for y in range(height)]
        counts[first + len(counts)] = components(rows, least)
    pipeline.set_state(Gst.State.NULL)
    return counts


def track_counts(path):
    """Frame -> tracks."""
    counts = collections.Counter()
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        counts[int(line.split(",")[0])] += 1
    return counts


def changes(counts, frames):
    """Frame, by how much, of each frame whose count is another than that of the frame before."""
    return [(n, counts[n] - counts[n - 1]) for n in frames if n - 1 in frames and counts[n] != counts[n - 1]]


def flicker(truth, tracks, window):
    """Frames that flicker, frames with changes of the truth, and of the tracks."""
    frames = range(min(truth), max(truth) + 1)
    left = dict(changes(truth, frames))
    found, odd = changes(tracks, frames), []
    for frame, by in found:
        sign = 1 if by > 0 else -1
        for _ in range(abs(by)):
            near = [n for n, change in left.items() if change * sign > 0 and abs(n - frame) <= window]
            if not near:
                odd.append(frame)
                break
            excuse = min(near, key=lambda n: (abs(n - frame), n))
            left[excuse] -= sign
    return odd, len(changes(truth, frames)), len(found)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("tracks", nargs="+")
    parser.add_argument("--area", type=int, default=200)
    parser.add_argument("--window", type=int, default=13)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    Gst.init(None)
    truth = truth_counts(options.folder, options.area)
    for path in options.tracks:
        odd, true_changes, found = flicker(truth, track_counts(path), options.window)
        print(f"{path}: {len(truth)} frames, the truth changes in {true_changes}, the tracks in {found}, "
              f"without a true change in {len(odd)}: {100 * len(odd) / len(truth):.1f} %")
        if options.list:
            print(*odd)
    return 0


if __name__ == "__main__":
    sys.exit(main())
