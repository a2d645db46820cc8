#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes blobs.bin, which pins the reference of kernels/blobs to OpenCV's connectedComponentsWithStats and moments.

Usage: make_blobs.py OUTPUT    (needs: pip install numpy opencv-python-headless)

The file: lines of text up to one that says "end", then bytes.
  case NAME WIDTH HEIGHT NEIGHBOURS MIN_AREA COMPONENTS
  blob X Y WIDTH HEIGHT AREA FIRST CX CY XX XY YY    for each component of at least MIN_AREA pixels, the largest first,
                                                     then by FIRST, which is y * WIDTH + x of its first pixel
  end
  for each case its mask: a byte a pixel, 0 or 255
Centroids are OpenCV's plus 1/2: it counts pixels, blobs.h their centres.
"""
import sys

import cv2
import numpy as np


def spiral(width, height):
    mask = np.zeros((height, width), bool)
    x, y, step_x, step_y = 0, 0, 1, 0
    mask[0, 0] = True

    def free(a, b):
        return 0 <= a < width and 0 <= b < height and not mask[b, a]

    while True:
        for _ in range(2):
            ahead_x, ahead_y = x + step_x, y + step_y
            beyond_x, beyond_y = ahead_x + step_x, ahead_y + step_y
            inside = 0 <= beyond_x < width and 0 <= beyond_y < height
            if free(ahead_x, ahead_y) and (not inside or not mask[beyond_y, beyond_x]):
                x, y = ahead_x, ahead_y
                mask[y, x] = True
                break
            step_x, step_y = -step_y, step_x
        else:
            return mask


def real_like(width, height, rng):
    mask = np.zeros((height, width), np.uint8)
    for _ in range(8):
        centre = tuple(int(v) for v in (rng.integers(0, width), rng.integers(0, height)))
        axes = tuple(int(v) for v in rng.integers(2, 9, 2))
        cv2.ellipse(mask, centre, axes, float(rng.integers(0, 180)), 0, 360, 255, -1)
    mask[rng.random(mask.shape) < 0.02] ^= 255
    return mask > 0


def masks():
    rng = np.random.Generator(np.random.PCG64(17))
    y, x = np.mgrid[0:33, 0:40]
    yield "one-pixel", np.ones((1, 1), bool), 1
    yield "empty", np.zeros((3, 5), bool), 1
    yield "full", np.ones((9, 70), bool), 1
    yield "checkerboard", ((x + y) % 2 == 0)[:11, :13], 1
    yield "comb", (x % 2 == 0) | (y == 32), 1
    yield "comb-up", (x % 2 == 0) | (y == 0), 1
    yield "spiral", spiral(65, 34), 1
    yield "diagonals", (x - y) % 3 == 0, 4
    for percent in (20, 45, 60):
        yield f"noise-{percent}", rng.random((37, 67)) < percent / 100, 8
    yield "real-like", real_like(129, 66, rng), 1


def main():
    header, payload = [], []
    for name, members, min_area in masks():
        mask = np.where(members, 255, 0).astype(np.uint8)
        height, width = mask.shape
        for neighbours in (4, 8):
            count, labels, stats, centroids = cv2.connectedComponentsWithStats(mask, connectivity=neighbours)
            lines = []
            for i in range(1, count):
                left, top, w, h, area = (int(v) for v in stats[i])
                if area < min_area:
                    continue
                first = int(np.flatnonzero(labels == i)[0])
                m = cv2.moments((labels == i).astype(np.uint8), binaryImage=True)
                second = [m[k] / m["m00"] for k in ("mu20", "mu11", "mu02")]
                numbers = [centroids[i][0] + 0.5, centroids[i][1] + 0.5, *second]
                lines.append((-area, first, f"blob {left} {top} {w} {h} {area} {first} "
                              + " ".join(f"{v:.12g}" for v in numbers)))
            header.append(f"case {name} {width} {height} {neighbours} {min_area} {count - 1}")
            header += [line for _, _, line in sorted(lines)]
            payload.append(mask.tobytes())
            print(f"{name:14} {width}x{height}, {neighbours} neighbours: {count - 1} components, {len(lines)} kept")
    with open(sys.argv[1], "wb") as file:
        file.write("\n".join(header + ["end", ""]).encode() + b"".join(payload))
        print(f"{file.name}: {file.tell()} bytes, OpenCV {cv2.__version__}, numpy {np.__version__}")


if __name__ == "__main__":
    main()
