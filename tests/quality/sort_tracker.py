# SPDX-License-Identifier: LGPL-2.1-or-later
"""SORT, as its paper describes it, to compare boxtrack with; no product uses it.

    python3 sort_tracker.py BOXES.txt OUT.txt      both in MOTChallenge's text

A. Bewley, Z. Ge, L. Ott, F. Ramos, B. Upcroft, "Simple online and realtime tracking", ICIP 2016:
  state (III.B)        centre u, v, area s, aspect ratio r of the box, and the velocities of u, v and s, per frame
  association (III.C)  the assignment of boxes to predicted boxes of which the sum of IoU is greatest; pairs below 0.3 do not count
  begin and end (III.D)  a box without a track begins one, which is reported once it was found in 3 frames in a row (in the first frames
                       of the video at once); a track ends when it was missed in more than 1 frame
The paper names no variances; those below are of the program that its authors published. They make all matrices diagonal, and the
motion ties each quantity to its own velocity alone, so that the filter of 7 numbers is one of 2 for each of u, v, s and one of 1 for r.
"""
import math
import pathlib
import sys

LEAST_IOU = 0.3
MOST_MISSED = 1
LEAST_HITS = 3


class Quantity:
    """A Kalman filter of a value and its velocity; without velocity where that has no variance at first."""

    def __init__(self, value, noise, moves, drift):
        self.value, self.velocity, self.noise = value, 0.0, noise
        self.vv, self.vw, self.ww = 10.0, 0.0, 10000.0 if moves else 0.0  # covariance of value and velocity
        self.drift = drift if moves else 0.0

    def predict(self):
        self.value += self.velocity
        self.vv += 2 * self.vw + self.ww + 1.0
        self.vw += self.ww
        self.ww += self.drift

    def update(self, measured):
        gain_v, gain_w = self.vv / (self.vv + self.noise), self.vw / (self.vv + self.noise)
        off = measured - self.value
        self.value += gain_v * off
        self.velocity += gain_w * off
        self.ww -= gain_w * self.vw
        self.vv *= 1 - gain_v
        self.vw *= 1 - gain_v


class Track:
    def __init__(self, number, box):
        u, v, s, r = numbers_of(box)
        self.number, self.streak, self.missed = number, 0, 0
        self.u, self.v = Quantity(u, 1.0, True, 0.01), Quantity(v, 1.0, True, 0.01)
        self.s, self.r = Quantity(s, 10.0, True, 0.0001), Quantity(r, 10.0, False, 0)

    def predict(self):
        if self.s.value + self.s.velocity <= 0:  # a box has an area
            self.s.velocity = 0.0
        for quantity in (self.u, self.v, self.s, self.r):
            quantity.predict()
        if self.missed > 0:
            self.streak = 0
        self.missed += 1

    def update(self, box):
        for quantity, number in zip((self.u, self.v, self.s, self.r), numbers_of(box)):
            quantity.update(number)
        self.missed = 0
        self.streak += 1

    def box(self):
        width = math.sqrt(max(self.s.value * self.r.value, 0.0))
        height = self.s.value / width if width > 0 else 0.0
        return self.u.value - width / 2, self.v.value - height / 2, width, height


def numbers_of(box):
    x, y, width, height = box
    return x + width / 2, y + height / 2, width * height, width / height


def iou(a, b):
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    return width * height / (a[2] * a[3] + b[2] * b[3] - width * height)


def assign(cost):
    """The pairs (row, column) of least sum (H. W. Kuhn 1955), one for each row; there are no more rows than columns."""
    rows, columns = len(cost), len(cost[0])
    of_row, of_column = [0.0] * (rows + 1), [0.0] * (columns + 1)  # prices; row and column 0 stand for none
    owner = [0] * (columns + 1)
    for row in range(1, rows + 1):
        owner[0], at = row, 0
        least, before, seen = [math.inf] * (columns + 1), [0] * (columns + 1), [False] * (columns + 1)
        while owner[at]:
            seen[at] = True
            step, following = math.inf, 0
            for column in range(1, columns + 1):
                if seen[column]:
                    continue
                reduced = cost[owner[at] - 1][column - 1] - of_row[owner[at]] - of_column[column]
                if reduced < least[column]:
                    least[column], before[column] = reduced, at
                if least[column] < step:
                    step, following = least[column], column
            for column in range(columns + 1):
                if seen[column]:
                    of_row[owner[column]] += step
                    of_column[column] -= step
                else:
                    least[column] -= step
            at = following
        while at:
            owner[at], at = owner[before[at]], before[at]
    return [(owner[column] - 1, column - 1) for column in range(1, columns + 1) if owner[column]]


class Sort:
    def __init__(self):
        self.tracks, self.frame, self.next = [], 0, 1

    def step(self, boxes):
        """One frame: boxes (x, y, width, height) in, (number, box) of the tracks that were found out."""
        self.frame += 1
        for track in self.tracks:
            track.predict()
        left = set(range(len(boxes)))
        if boxes and self.tracks:
            overlap = [[iou(track.box(), box) for box in boxes] for track in self.tracks]
            turned = len(self.tracks) > len(boxes)
            cost = [[-overlap[t][b] for t in range(len(self.tracks))] for b in range(len(boxes))] if turned else \
                   [[-value for value in row] for row in overlap]
            for row, column in assign(cost):
                track, box = (column, row) if turned else (row, column)
                if overlap[track][box] >= LEAST_IOU:
                    self.tracks[track].update(boxes[box])
                    left.discard(box)
        for box in sorted(left):
            self.tracks.append(Track(self.next, boxes[box]))
            self.next += 1
        found = [(track.number, track.box()) for track in self.tracks
                 if track.missed == 0 and (track.streak >= LEAST_HITS or self.frame <= LEAST_HITS)]
        self.tracks = [track for track in self.tracks if track.missed <= MOST_MISSED]
        return found


def main():
    frames = {}
    for line in pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
        fields = line.split(",")
        if len(fields) >= 6:
            frames.setdefault(int(float(fields[0])), []).append(tuple(float(v) for v in fields[2:6]))
    sort, lines = Sort(), []
    for number in range(1, max(frames, default=0) + 1):
        for track, box in sort.step(frames.get(number, [])):
            lines.append(f"{number},{track}," + ",".join(f"{v:.3f}" for v in box) + ",1,-1,-1,-1\n")
    pathlib.Path(sys.argv[2]).write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
