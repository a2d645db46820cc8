#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes histogram.bin, which pins the reference and the statistics of kernels/histogram to numpy's bincount and percentile.

Usage: make_histogram.py OUTPUT    (needs: pip install numpy)

The file: lines of text up to one that says "end", then bytes.
  picture BITS CHANNELS WIDTH HEIGHT BLACK WHITE MEAN MEDIAN CONTRAST DARK BRIGHT METERED BRIGHT_END
  end
  for each picture its bytes (4 a pixel, R G B A, for 3 channels; 1 otherwise; twice as many with 16 bits, the low
  byte first), then the counts as little-endian 32-bit numbers,
  256 for each channel and 256 for the intensity
"""
import sys

import numpy as np

CLIP_MARGIN = 2


def pictures():
    """Dark, bright, flat, of few and of all levels; every rounding of the intensity is among them."""
    rng = np.random.Generator(np.random.PCG64(4))
    yield "noise", rng.integers(0, 256, (37, 61, 4)), 0, 255
    yield "ties", np.stack([*np.meshgrid(np.arange(0, 256, 5), np.arange(0, 256, 5), indexing="ij"),
                            *(np.full((52, 52), v) for v in (50, 255))], axis=-1), 0, 255
    yield "dusk", np.clip(rng.normal(18, 20, (48, 64, 4)), 0, 255), 0, 255
    yield "snow", np.clip(rng.normal(235, 25, (48, 64, 4)), 0, 255), 0, 255
    yield "red", np.tile([255, 3, 0, 9], (5, 7, 1)), 0, 255
    yield "black", np.zeros((3, 3, 4)), 0, 255
    yield "one pixel", np.full((1, 1, 1), 130), 0, 255
    yield "video", np.clip(rng.normal(110, 60, (54, 96, 1)), 16, 235), 16, 235
    yield "beyond video's range", rng.integers(0, 256, (33, 17, 1)), 16, 235
    yield "16 bits", rng.integers(0, 65536, (29, 23, 4)), 0, 255
    yield "16 bits, grey", rng.integers(0, 65536, (19, 31, 1)), 0, 255


def percentile(values, q):
    return float(np.percentile(values, q, method="inverted_cdf"))


def main():
    header, payload = [], []
    for name, picture, black, white in pictures():
        bits = 16 if name.startswith("16") else 8
        picture = picture.astype(f"<u{bits // 8}")
        height, width, parts = picture.shape
        channels = [picture[..., c].ravel() for c in range(3 if parts == 4 else 1)]
        if parts == 4:
            r, g, b = (c.astype(np.int64) for c in channels)
            intensity = (30 * r + 59 * g + 11 * b + 50) // 100 >> bits - 8
        else:
            intensity = channels[0].astype(np.int64) >> bits - 8
        channels = [(c >> bits - 8).astype(np.uint8) for c in channels]
        scaled = (intensity - black) / (white - black)
        fractions = [(np.mean(c >= white - CLIP_MARGIN), (percentile(c, 99) - black) / (white - black)) for c in channels]
        numbers = [scaled.mean(), (percentile(intensity, 50) - black) / (white - black),
                   (percentile(intensity, 95) - percentile(intensity, 5)) / (white - black),
                   np.mean(intensity <= black + CLIP_MARGIN), max(f for f, _ in fractions),
                   np.mean(np.clip(scaled, 0, 1) ** 2.2), max(e for _, e in fractions)]
        header.append(f"picture {bits} {len(channels)} {width} {height} {black} {white} " + " ".join(f"{n:.12g}" for n in numbers))
        payload.append(picture.tobytes())
        payload += [np.bincount(c, minlength=256).astype("<u4").tobytes() for c in [*channels, intensity]]
        print(f"{name:22} {header[-1]}")
    with open(sys.argv[1], "wb") as file:
        file.write("\n".join(header + ["end", ""]).encode() + b"".join(payload))
        print(f"{file.name}: {file.tell()} bytes, numpy {np.__version__}")


if __name__ == "__main__":
    main()
