#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes ghost.bin, which pins the reference of kernels/ghost to OpenCV's erode and filter2D.

The outline is the mask without its erosion by a cross, outside of which all counts as foreground; the strength of edges is
the sum of the absolute answers of two linear filters, with the border's pixels repeated, as ghost.h says.

Usage: make_ghost.py OUTPUT    (needs: pip install numpy opencv-python-headless)

The file: lines of text up to one that says "end", then bytes.
  case WIDTH HEIGHT CELL        the side of a cell of activity's grid, in pixels
  end
  for each case: mask, frame and background, a byte a pixel; then for each cell, row by row, four little-endian 32-bit
  numbers: pixels, outline, frame, background
"""
import sys

import cv2
import numpy as np

REACH = 2  # pixels
CASES = [(96, 64, 8), (97, 51, 8), (5, 3, 8)]


def make_pictures(rng, width, height):
    """Blobs of all sizes with holes and a shadow; frame and background with soft and hard edges."""
    mask = np.zeros((height, width), np.uint8)
    mask[height // 2:height // 2 + 9, 10:width - 10] = 127
    for _ in range(4 + width * height // 400):
        x, y = rng.integers(-6, width), rng.integers(-6, height)
        w, h = rng.integers(2, 30, 2)
        mask[max(y, 0):max(y + h, 0), max(x, 0):max(x + w, 0)] = rng.choice([0, 255, 255])
    pictures = []
    for _ in range(2):
        coarse = rng.integers(0, 256, (height // 7 + 1, width // 7 + 1)).astype(np.uint8)
        picture = cv2.resize(coarse, (width, height), interpolation=rng.choice([cv2.INTER_NEAREST, cv2.INTER_LINEAR]))
        noise = rng.integers(-9, 10, picture.shape)
        pictures.append(np.clip(picture + noise, 0, 255).astype(np.uint8))
    return mask, *pictures


def edges(picture):
    along = np.zeros((1, 2 * REACH + 1), np.float32)
    along[0, 0], along[0, -1] = -1, 1
    return sum(np.abs(cv2.filter2D(picture, cv2.CV_16S, kernel, borderType=cv2.BORDER_REPLICATE).astype(np.int64))
               for kernel in (along, along.T))


def per_cell(values, cell):
    height, width = values.shape
    padded = np.zeros((-(-height // cell) * cell, -(-width // cell) * cell), np.int64)
    padded[:height, :width] = values
    return padded.reshape(padded.shape[0] // cell, cell, -1, cell).sum((1, 3)).ravel()


def main():
    rng = np.random.Generator(np.random.PCG64(16))
    header, payload = [], []
    for width, height, cell in CASES:
        mask, frame, background = make_pictures(rng, width, height)
        members = np.where(mask == 255, 255, 0).astype(np.uint8)
        cross = cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3))
        inside = cv2.erode(members, cross, borderType=cv2.BORDER_CONSTANT, borderValue=255)
        outline = (members == 255) & (inside != 255)
        sums = [per_cell(members == 255, cell), per_cell(outline, cell), per_cell(outline * edges(frame), cell),
                per_cell(outline * edges(background), cell)]
        header.append(f"case {width} {height} {cell}")
        payload += [mask.tobytes(), frame.tobytes(), background.tobytes(), np.stack(sums, 1).astype("<u4").tobytes()]
        print(f"{header[-1]:16} {[int(s.sum()) for s in sums]}")
    with open(sys.argv[1], "wb") as file:
        file.write("\n".join(header + ["end", ""]).encode() + b"".join(payload))
        print(f"{file.name}: {file.tell()} bytes, OpenCV {cv2.__version__}, numpy {np.__version__}")


if __name__ == "__main__":
    main()
