# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes fisher_resize.bin: a picture that Pillow (13.0 made the file here) resized by its antialiasing bilinear filter in
floating point. Usage: make_fisher_resize.py fisher_resize.bin

Lines "picture WIDTH HEIGHT", "size WIDTH HEIGHT" for each result, "end"; then the picture's bytes and the results' floats
(little-endian), in grey levels."""
import sys

import numpy as np
from PIL import Image

width, height = 41, 29
rng = np.random.default_rng(5)
x, y = np.meshgrid(np.arange(width), np.arange(height))
picture = (128 + 80 * np.sin(0.7 * x + 0.2 * y) + rng.normal(0, 20, (height, width)) + 40 * (x > 2 * y)).clip(0, 255)
picture = picture.astype(np.uint8)
sizes = [(82, 58), (58, 41), (41, 29), (29, 21), (20, 14), (13, 9), (7, 29), (1, 1)]
with open(sys.argv[1], "wb") as file:
    file.write(f"picture {width} {height}\n".encode())
    for size in sizes:
        file.write(f"size {size[0]} {size[1]}\n".encode())
    file.write(b"end\n" + picture.tobytes())
    for size in sizes:
        result = Image.fromarray(picture.astype(np.float32), "F").resize(size, Image.Resampling.BILINEAR)
        file.write(np.asarray(result, dtype="<f4").tobytes())
