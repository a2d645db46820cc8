#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""MS-SSIM of the masks and backgrounds that mog_ladder --dump wrote, each step against the serial one.

  msssim.py FOLDER [--json FILE]

FOLDER holds one folder a step, STEP-PRECISION-K; the base is a-serial-double-K for the steps of paper A, whatever their
precision, and b-serial-single-5 for those of paper B. Needs numpy and torchmetrics (with torch). The papers' values:
background 0.99 or more, foreground 0.95 to 0.97 (Wang, Simoncelli and Bovik 2003, five scales).
"""
import argparse
import json
import pathlib
import sys

import numpy as np
import torch
from torchmetrics.functional.image import multiscale_structural_similarity_index_measure as ms_ssim


def read_pnm(path):
    """A binary PGM or PPM of 8 bits as a tensor [1, channels, height, width]."""
    data = path.read_bytes()
    magic, size, top, pixels = data.split(b"\n", 3)
    channels = {b"P5": 1, b"P6": 3}[magic]
    width, height = (int(v) for v in size.split())
    if top != b"255" or len(pixels) != width * height * channels:
        raise ValueError(f"{path} is damaged")
    a = np.frombuffer(pixels, np.uint8).reshape(height, width, channels)
    return torch.from_numpy(a.astype(np.float32)).permute(2, 0, 1)[None]


def similarity(base, other):
    return float(ms_ssim(other, base, data_range=255.0))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    steps = sorted(p for p in options.folder.iterdir() if p.is_dir())
    if not steps:
        sys.exit(f"{options.folder} holds no steps; run mog_ladder --dump first")
    rows = []
    for step in steps:
        paper, _, rest = step.name.partition("-")
        components = rest.rsplit("-", 1)[1]
        base = options.folder / (f"a-serial-double-{components}" if paper == "a" else "b-serial-single-5")
        masks = sorted(step.glob("mask-*.pgm"))
        if not masks:
            sys.exit(f"{step} holds no masks")
        foreground = np.mean([similarity(read_pnm(base / m.name), read_pnm(m)) for m in masks])
        background = similarity(*(read_pnm(next(f.glob("background.p?m"))) for f in (base, step)))
        rows.append({"step": step.name, "foreground": float(foreground), "background": background})
        print(f"{step.name:20} foreground {foreground:.4f}  background {background:.4f}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
