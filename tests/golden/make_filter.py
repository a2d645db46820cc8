#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes filter.bin, which pins the reference of kernels/filter to OpenCV, SciPy and scikit-image.

Each case is one stage on an RGB picture, computed in floating point by another program and then stored as filter.h says:
floor(x + 1/2) within 0..255. `limit` is how far the reference may be off: 0, or 1 where filter.h rounds weights (to 1/4096
or 1/65536) that the other program does not; with 16 bits the same rounding is worth more levels. Borders repeat the outermost pixel everywhere.

Usage: make_filter.py OUTPUT    (needs: pip install numpy scipy scikit-image opencv-python-headless)

The file: lines of text up to one that says "end", then bytes.
  picture BITS WIDTH HEIGHT
  case LIMIT SHARE CHAIN    (at most SHARE of the values may differ at all), for each case of that picture
  end
  each picture, with for each of its cases the result behind it: R G B for each pixel, little-endian with 16 bits
"""
import sys

import cv2
import numpy as np
import scipy.ndimage
import skimage
import skimage.color
import skimage.exposure
import skimage.filters

WIDTH, HEIGHT = 61, 43
FULL = 255  # of the picture at hand


def picture():
    """Smooth colours with noise on one side, hard edges and both ends of the scale on the other."""
    rng = np.random.Generator(np.random.PCG64(4))
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(float)
    p = np.stack([128 + 120 * np.sin(x / 7), 128 + 120 * np.cos(y / 5), 2 * (x + y)], axis=-1)
    p += rng.normal(0, 12, p.shape)
    p[5:20, 30:50] = (255, 0, 40)
    p[22:40, 45:58] = rng.integers(0, 2, (18, 13, 3)) * 255
    return np.clip(p, 0, 255).round().astype(np.uint8)


def deep_picture():
    """A part of the same with 16 bits."""
    p = picture()[8:31, 24:55].astype(np.uint16)
    return p * 256 + (np.arange(p.size).reshape(p.shape) * 73 % 256).astype(np.uint16)


def stored(x):
    return np.clip(np.floor(x + 0.5), 0, FULL).astype(np.uint8 if FULL == 255 else np.uint16)


def each(function):
    """Applies a filter of one plane to each channel."""
    return lambda p: np.stack([function(p[..., c].astype(float)) for c in range(3)], axis=-1)


def correlate(kernel, after=lambda v: v):
    return each(lambda v: after(scipy.ndimage.correlate(v, np.array(kernel, float), mode="nearest")))


def sobel(amount):
    def magnitude(v):
        gx = cv2.Sobel(v, cv2.CV_64F, 1, 0, borderType=cv2.BORDER_REPLICATE)
        gy = cv2.Sobel(v, cv2.CV_64F, 0, 1, borderType=cv2.BORDER_REPLICATE)
        return amount * np.floor(np.hypot(gx, gy) + 0.5)
    return each(magnitude)


def grey(p):
    return np.repeat(FULL * (p / FULL @ [0.299, 0.587, 0.114])[..., None], 3, axis=-1)


def colours(matrix, offset=(0, 0, 0)):
    return lambda p: cv2.transform(p.astype(float), np.column_stack([np.array(matrix, float), FULL * np.array(offset)]))


def gaussian(sigma):
    return each(lambda v: scipy.ndimage.gaussian_filter(v, sigma, mode="nearest", radius=int(np.ceil(3 * sigma))))


BELL = np.round(np.outer(np.exp(-np.arange(-7, 8) ** 2 / 20), np.exp(-np.arange(-7, 8) ** 2 / 8)), 6)


def bell_text():
    return ";".join(",".join(f"{v:g}" for v in row) for row in BELL)


def bilateral(spatial, tonal):
    """Of one plane, by SciPy's windows and the formula. (OpenCV's window is a disc, whose corners matter at two sigmas;
    scikit-image's tables take the fourth power of a sigma.)"""
    radius = int(np.ceil(2 * spatial))
    y, x = np.mgrid[-radius:radius + 1, -radius:radius + 1]
    near = np.exp(-(x ** 2 + y ** 2) / (2 * spatial ** 2)).ravel()

    def mean(window):
        weights = near * np.exp(-((window - window[window.size // 2]) / FULL) ** 2 / (2 * tonal ** 2))
        return weights @ window / weights.sum()
    return each(lambda v: scipy.ndimage.generic_filter(v, mean, size=2 * radius + 1, mode="nearest"))


def tonemap(size, octaves, compression=0.5, detail=1., anchor=1.):
    """Luma by OpenCV, means of blocks by SciPy, the base layer by the formula."""
    def gaussian_of(d):
        return np.exp(-d ** 2 / (2 * size ** 2))

    def near(pixels):
        """Weight of each block, from two before the first to two behind the last, for each pixel of a row or column."""
        blocks = np.arange(-2, -(-pixels // size) + 2)
        d = np.abs(np.arange(pixels)[:, None] + 0.5 - (blocks + 0.5) * size)
        w = np.maximum(0, (gaussian_of(d) - gaussian_of(2.5 * size)) / (1 - gaussian_of(2.5 * size)))
        return np.where(np.abs(np.arange(pixels)[:, None] // size - blocks) <= 2, w, 0)

    def result(p):
        height, width = p.shape[:2]
        luma = stored(cv2.cvtColor(p.astype(np.float32), cv2.COLOR_RGB2GRAY).astype(float))
        light = np.log2(1 + 255 * (luma / FULL))
        rows, columns = -(-height // size), -(-width // size)
        block = (np.arange(height) // size)[:, None] * columns + np.arange(width) // size
        means = np.pad(scipy.ndimage.mean(light, block, np.arange(rows * columns)).reshape(rows, columns), 2, mode="edge")
        weights = near(height)[:, None, :, None] * near(width)[None, :, None, :]
        weights = weights * np.exp(-(light[..., None, None] - means) ** 2 / (2 * octaves ** 2))
        weights = np.floor(16384 * weights)  # else a pixel that is like no region near would be given one
        own = 16
        base = ((weights * means).sum(axis=(2, 3)) + own * light) / (weights.sum(axis=(2, 3)) + own)
        gain = compression * (np.log2(1 + 255 * anchor) - base) + (detail - 1) * (light - base)
        return p * np.exp2(np.clip(gain, -4, 4))[..., None]
    return result


SEPIA = [[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]]
CASES = [
    (0, 0, "brightness amount=0.2", lambda p: p + FULL * 0.2),
    (0, 0, "brightness amount=-0.35", lambda p: p - FULL * 0.35),
    (0, 0, "contrast amount=1.7", lambda p: FULL / 2 + 1.7 * (p - FULL / 2)),
    (0, 0, "gamma value=2.2", lambda p: FULL * skimage.exposure.adjust_gamma(p / FULL, 1 / 2.2)),
    (0, 0, "gamma value=0.6", lambda p: FULL * skimage.exposure.adjust_gamma(p / FULL, 1 / 0.6)),
    (0, 0, "levels black=0.1 white=0.8 out-black=0.2 out-white=0.9", lambda p: FULL * skimage.exposure.rescale_intensity(
        p / FULL, in_range=(0.1, 0.8), out_range=(0.2, 0.9))),
    (0, 0, "threshold level=0.5", lambda p: cv2.threshold(p.astype(float), FULL / 2 - 0.001, FULL, cv2.THRESH_BINARY)[1]),
    (0, 0, "invert", lambda p: skimage.util.invert(p)),
    (0, 0, "posterize levels=5", lambda p: np.floor(p / (FULL + 1.) * 5) * FULL / 4),
    (1, 0.01, "grayscale", grey),
    (1, 0.01, "saturation amount=1.6", lambda p: grey(p) + 1.6 * (p - grey(p))),
    (1, 0.01, "saturation amount=0.3", lambda p: grey(p) + 0.3 * (p - grey(p))),
    (1, 0.01, "sepia", colours(SEPIA)),
    (1, 0.01, "sepia amount=0.5", colours(0.5 * np.array(SEPIA) + 0.5 * np.eye(3))),
    (0, 0, "matrix rr=0.5 rg=-0.25 gb=1 gg=0 br=1.5 bb=0.125 ro=0.2 bo=-0.4",
     colours([[0.5, -0.25, 0], [0, 0, 1], [1.5, 0, 0.125]], (0.2, 0, -0.4))),
    (1, 0.05, "gaussian sigma=0.8", gaussian(0.8)),
    (1, 0.05, "gaussian sigma=2", gaussian(2)),
    (1, 0.05, "gaussian sigma=6", gaussian(6)),
    (0, 0, "box radius=1", each(lambda v: cv2.blur(v, (3, 3), borderType=cv2.BORDER_REPLICATE))),
    (0, 0, "box radius=7", each(lambda v: scipy.ndimage.uniform_filter(v, 15, mode="nearest"))),
    (0, 0, "median", lambda p: cv2.medianBlur(p, 3)),
    (0, 0, "sobel", sobel(1)),
    (0, 0, "sobel amount=0.25", sobel(0.25)),
    (0, 0, "sharpen amount=0.5", each(lambda v: v + 0.5 * (v - scipy.ndimage.correlate(
        v, np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]]) / 16, mode="nearest")))),
    (0, 0, "laplacian amount=0.75", correlate(0.75 * np.array([[0, 1, 0], [1, -4, 1], [0, 1, 0]]), np.abs)),
    (0, 0, "emboss", correlate([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]])),
    (1, 0.01, "correlate matrix=1,2,3,2,1;2,4,6,4,2;3,6,9,6,3;2,4,6,4,2;1,2,3,2,1 divide=81",
     correlate(np.outer([1, 2, 3, 2, 1], [1, 2, 3, 2, 1]) / 81)),
    (0, 0, "correlate matrix=0.5,0,-1;2,1.5,0;-1,0.25,-2;0,1,0;0,0,0.75 divide=2 offset=-0.1", lambda p: -FULL * 0.1 + correlate(
        np.array([[0.5, 0, -1], [2, 1.5, 0], [-1, 0.25, -2], [0, 1, 0], [0, 0, 0.75]]) / 2)(p)),
    (1, 0.02, "correlate matrix=" + bell_text() + " divide=9", correlate(BELL / 9)),
    (1, 0.05, "bilateral spatial-sigma=1.5 range-sigma=0.1", bilateral(1.5, 0.1)),
    (1, 0.05, "tonemap sigma=8", tonemap(8, 1.3)),
    (1, 0.05, "tonemap sigma=5 range=0.6 compression=0.8 detail=1.5 anchor=0.7", tonemap(5, 0.6, 0.8, 1.5, 0.7)),
    (0, 0, "convolve nw=1 ne=-0.5 w=0.25 c=2 s=-1 se=0.125 offset=0.4", lambda p: FULL * 0.4 + correlate(
        [[1, 0, -0.5], [0.25, 2, 0], [0, -1, 0.125]])(p)),
]
# Several stages, each stored before the next reads it.
CHAINS = [
    (2, 0.05, "gaussian sigma=2 ! grayscale ! sharpen amount=0.5"),  # sharpening makes 2 of a blur that is 1 off
    (0, 0, "invert ! median ! brightness amount=0.2"),
    (0, 0, "box radius=1 ! sobel ! threshold level=0.5"),
]


# How far 16 bits may be off where it is not the 8 bits' limit. Weights of gaussian are rounded to 1/4096 of all, which are 16
# levels, each; bilateral takes differences in steps of 64; other weights are rounded to 1/65536 and less, as offsets are to
# 1/256 of a level. tonemap counts light in 1/1024 of an octave, which are 44 levels of a bright pixel, and where hardly any region is
# like the pixel its weights are a few 1/16384, rounded down.
def deep_limit(limit, text):
    if "tonemap" in text:
        return 600
    if "correlate" in text and limit:
        return 8  # two passes, of which the second has its weights in 1/16384
    return 100 if "gaussian" in text else 40 if "bilateral" in text else 2 if limit or "matrix" in text or "offset" in text else 0


def main():
    global FULL
    stages = {text: function for _, _, text, function in CASES}
    header, payload = [], []
    for bits, p in (8, picture()), (16, deep_picture()):
        FULL = 2 ** bits - 1
        header.append(f"picture {bits} {p.shape[1]} {p.shape[0]}")
        payload.append(p.tobytes())

        def add(limit, share, text, result):
            if bits == 16:
                limit, share = deep_limit(limit, text), share if limit == 0 else 1
            header.append(f"case {limit} {share} {text}")
            payload.append(result.tobytes())

        for limit, share, text, function in CASES:
            add(limit, share, text, stored(function(p)))
        for limit, share, text in CHAINS:
            result = p
            for stage in text.split(" ! "):
                result = stored(stages[stage](result))
            add(limit, share, text, result)
    with open(sys.argv[1], "wb") as file:
        file.write("\n".join(header + ["end", ""]).encode() + b"".join(payload))
        print(f"{file.name}: {len(header) - 1} cases, {file.tell()} bytes, OpenCV {cv2.__version__}, "
              f"SciPy {scipy.__version__}, scikit-image {skimage.__version__}, numpy {np.__version__}")


if __name__ == "__main__":
    main()
