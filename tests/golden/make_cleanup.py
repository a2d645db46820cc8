#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes cleanup.bin, which pins the reference of kernels/cleanup to OpenCV's medianBlur and morphologyEx.

OpenCV's erosion and dilation treat what is outside the picture as neutral, as cleanup.h does, so those results hold up
to the border. Its median repeats the border's pixels, cleanup.h's leaves them out: results of chains with a median hold
from `margin` pixels inwards, which is as far as one window after the other can carry the difference.

Usage: make_cleanup.py OUTPUT    (needs: pip install numpy opencv-python-headless)

The file: lines of text up to one that says "end", then bytes.
  mask WIDTH HEIGHT
  case MEDIAN OPEN CLOSE MARGIN
  end
  the mask, then for each case the result: a byte a pixel, 0, 127 (shadow) or 255
"""
import sys

import cv2
import numpy as np

WIDTH, HEIGHT = 96, 64
CASES = [(3, 0, 0), (5, 0, 0), (9, 0, 0), (15, 0, 0), (0, 1, 0), (0, 3, 0), (0, 0, 1), (0, 0, 4), (0, 2, 3), (0, 5, 0),
         (0, 0, 5), (9, 7, 0), (5, 1, 0), (3, 1, 2), (7, 2, 3)]


def make_mask():
    """Blobs of all sizes, some touching the border, with holes, specks and a band of shadow."""
    rng = np.random.Generator(np.random.PCG64(21))
    mask = np.zeros((HEIGHT, WIDTH), np.uint8)
    mask[40:52, 10:80] = 127
    for _ in range(26):
        x, y = rng.integers(-6, WIDTH), rng.integers(-6, HEIGHT)
        w, h = rng.integers(2, 24, 2)
        mask[max(y, 0):max(y + h, 0), max(x, 0):max(x + w, 0)] = rng.choice([0, 255, 255])
    specks = rng.random(mask.shape)
    mask[specks < 0.06] = 255
    mask[specks > 0.95] = 0
    return mask


def clean(mask, median, opening, closing):
    members = np.where(mask == 255, 255, 0).astype(np.uint8)
    if median:
        members = cv2.medianBlur(members, median)
    for operation, radius in ((cv2.MORPH_OPEN, opening), (cv2.MORPH_CLOSE, closing)):
        if radius:
            square = cv2.getStructuringElement(cv2.MORPH_RECT, (2 * radius + 1, 2 * radius + 1))
            members = cv2.morphologyEx(members, operation, square)
    return np.where(members == 255, 255, np.where(mask == 127, 127, 0)).astype(np.uint8)


def main():
    mask = make_mask()
    header, payload = [f"mask {WIDTH} {HEIGHT}"], [mask.tobytes()]
    for median, opening, closing in CASES:
        result = clean(mask, median, opening, closing)
        margin = median // 2 + 2 * (opening + closing) if median else 0
        header.append(f"case {median} {opening} {closing} {margin}")
        payload.append(result.tobytes())
        print(f"{header[-1]:16} {np.mean(mask == 255):.3f} -> {np.mean(result == 255):.3f} foreground")
    with open(sys.argv[1], "wb") as file:
        file.write("\n".join(header + ["end", ""]).encode() + b"".join(payload))
        print(f"{file.name}: {file.tell()} bytes, OpenCV {cv2.__version__}, numpy {np.__version__}")


if __name__ == "__main__":
    main()
