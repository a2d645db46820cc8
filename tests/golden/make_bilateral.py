#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes bilateral.bin, which pins the reference of kernels/bilateral to OpenCV's bilateralFilter.

OpenCV's window is a disc, bilateral.h's a square: radii of five sigmas leave the corners no weight (4e-6 of the centre's),
so both are the same. OpenCV weighs colour by the sum of the channels' absolute differences, bilateral.h by an intensity or
channel by channel: a picture of one channel has only one meaning, and three of them, filtered one by one, are what
weighting channels is.

Usage: make_bilateral.py OUTPUT    (needs: pip install numpy opencv-python-headless)

The file: lines of text up to one that says "end", then bytes.
  picture WIDTH HEIGHT
  case SPATIAL_SIGMA RANGE_LEVELS RADIUS      RANGE_LEVELS: the range sigma times 255
  end
  R, G, B of the picture, a plane after the other; then for each case the three results
"""
import sys

import cv2
import numpy as np

WIDTH, HEIGHT = 72, 48
CASES = [(0.6, 8, 3), (1, 20, 5), (2, 64, 10), (3, 25, 15)]

rng = np.random.default_rng(7)
y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
planes = []
for channel in range(3):
    picture = 90 + 50 * np.sin(x * 0.11 + channel) + 40 * np.cos(y * 0.17) + 60 * ((x // 17 + y // 13) % 2)
    planes.append(np.clip(picture + rng.normal(0, 12, picture.shape), 0, 255).astype(np.uint8))

with open(sys.argv[1], 'wb') as out:
    out.write(f'picture {WIDTH} {HEIGHT}\n'.encode())
    for case in CASES:
        out.write('case {} {} {}\n'.format(*case).encode())
    out.write(b'end\n')
    for plane in planes:
        out.write(plane.tobytes())
    for spatial, levels, radius in CASES:
        for plane in planes:
            out.write(cv2.bilateralFilter(plane, 2 * radius + 1, levels, spatial,
                                          borderType=cv2.BORDER_REPLICATE).tobytes())
