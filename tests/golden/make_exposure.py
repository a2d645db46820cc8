#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes exposure.bin, which pins kernels/exposure to a second program in double precision.

That program is below. It was written from the words of exposure.h and shares no line with the kernels: medians come
from sorting, lines from numpy's least squares with one row more that holds the gain, pictures are mapped in floating
point. No other program computes quite the same. Where statsmodels is installed, its robust regression (RLM, trimmed
mean) is run on the luma samples of each frame too, and the differences are printed; nothing of that is stored.

Usage: make_exposure.py OUTPUT    (needs: pip install numpy; for the comparison: pip install statsmodels)

The file: lines of text up to one that says "end", then bytes.
  case NAME FORMAT WIDTH HEIGHT CHANNELS FRAMES       FORMAT: GRAY8, RGBA or I420, rows without padding
  end
  for each case: the background; then for each frame: the frame, the picture that the model is to see, and for each
  channel six little-endian 64-bit numbers: gain, offset, agreeing, weight, left at 16, left at 235
"""
import sys

import numpy as np

MAX_SAMPLES, PIXELS_A_SAMPLE, MIN_SAMPLES, MIN_SHARE = 4096, 32, 32, {False: 1 / 10, True: 1 / 20}
LOWEST, HIGHEST, ROUNDS, MAX_GAIN, LEAST_AGREEING, FADING = 8, 245, 4, 3, 0.4, 0.98
SLACK, MOST_ERROR, BELIEVED_FROM, BELIEVED_RANGE, FOLLOWING, FOLLOWING_CHROMA = 2, 16, 0.8, 0.3, 0.1, 0.05
FOLLOWING_FIRST, FOLLOWING_MORE = 0.1, 0.2
ANCHORS, CLIPPED_HIGH, CLIPPED_LOW, CLIPPED_YUV = np.array([16.0, 235.0]), 250, 5, 228
KR, KB = 0.299, 0.114 # in video range

# name, format, width, height, gain and offset of each frame (and the covered share, where it is another one), covered share
# of the columns, noise, darkest and brightest. RGBA/1, I420/1: luma alone
CASES = [
    ("auto-exposure", "GRAY8", 96, 64, [(1.15, 4), (1.12, 2), (0.9, -3)], 0.3, 3, 30, 200),
    ("half-covered", "GRAY8", 97, 51, [(1.3, -6), (0.7, 9)], 0.45, 4, 40, 180),
    ("clipped", "GRAY8", 96, 64, [(1.6, 0), (0.3, -12)], 0.1, 2, 20, 250),
    ("flat", "GRAY8", 80, 60, [(1.2, 5), (1.2, 5)], 0.2, 3, 118, 124),
    ("nothing-found", "GRAY8", 80, 60, [(1.25, 3), (1.0, 0, 1.0), (1.0, 0, 1.0)], 0.2, 2, 30, 180),
    ("other-light", "GRAY8", 80, 60, [(1.3, 2), (0.2, 2), (3.5, 0)], 0.0, 2, 40, 70),
    ("steady", "GRAY8", 80, 60, [(1.0, 1), (1.0, -1)], 0.2, 3, 30, 220),
    ("white-balance", "RGBA", 64, 48, [(1.2, 4), (0.8, -5)], 0.25, 3, 30, 200),
    ("luma-of-colours", "RGBA/1", 64, 48, [(1.3, 0), (0.8, 6)], 0.25, 3, 30, 200),
    ("chroma", "I420", 96, 64, [(1.2, 4), (0.85, 0)], 0.25, 3, 40, 190),
    ("clipped-colours", "I420", 97, 63, [(1.4, 0), (1.6, -3)], 0.15, 2, 40, 225),
    ("mostly-clipped", "I420", 96, 64, [(1.3, 0), (2.4, 0)], 0.1, 2, 60, 220),
    ("luma-alone", "I420/1", 96, 64, [(1.4, 0), (0.8, 0)], 0.15, 2, 40, 225),
]


# ---- pictures: a list of (planes' channels as arrays), rows of samples

def luma(rgba):
    r, g, b = (rgba[..., k].astype(np.int64) for k in range(3))
    return (77 * r + 150 * g + 29 * b + 128) >> 8


def make_picture(rng, pixel_format, width, height, low, high):
    coarse = rng.uniform(low, high, (height // 6 + 2, width // 6 + 2, 3))
    large = np.kron(coarse, np.ones((6, 6, 1)))[:height, :width]
    large = np.clip(large + rng.normal(0, 4, large.shape), 0, 255)
    if pixel_format == "RGBA":
        return [np.dstack([large, np.full((height, width), 255)]).astype(np.uint8)]
    if pixel_format == "GRAY8":
        return [large[..., 0].astype(np.uint8)]
    half = (128 + (large[::2, ::2, 1:] - (low + high) / 2) / 6).astype(np.uint8)
    return [large[..., 0].astype(np.uint8), half[..., 0], half[..., 1]]


def photograph(rng, background, pixel_format, gain, offset, covered, noise):
    """What a camera of this exposure makes of the background; something else covers the left part."""
    planes = []
    for i, plane in enumerate(background):
        zero = 128 if i else 0
        steps = np.array([gain, gain * 0.95, gain * 1.05, 1])[: plane.shape[2]] if plane.ndim == 3 else gain
        seen = steps * (plane.astype(float) - zero) + zero + (offset if not i else 3 * (2 * i - 3))
        seen += rng.integers(-noise, noise + 1, plane.shape)
        seen[:, : round(covered * plane.shape[1])] = rng.integers(0, 256, seen[:, : round(covered * plane.shape[1])].shape)
        plane = np.clip(np.rint(seen), 0, 255).astype(np.uint8)
        if pixel_format == "RGBA":
            plane[..., 3] = 255
        planes.append(plane)
    return planes


def channel(planes, pixel_format, channels, c):
    """Samples of a channel as an array of the picture's size."""
    if pixel_format == "RGBA":
        return luma(planes[0]) if channels == 1 else planes[0][..., c].astype(np.int64)
    if c == 0:
        return planes[0].astype(np.int64)
    return np.kron(planes[c], np.ones((2, 2), np.uint8))[: planes[0].shape[0], : planes[0].shape[1]].astype(np.int64)


def pixels_of(planes, pixel_format, channels):
    """Y, U and V of every pixel; 128 where luma alone is compared."""
    y = channel(planes, pixel_format, channels, 0)
    return [y] + [channel(planes, pixel_format, channels, c) if channels == 3 else np.full_like(y, 128) for c in (1, 2)]


# ---- the contract

LEVELS = np.arange(256)

def median(values):
    """The least whole number up to which at least half of the values lie when they are rounded down."""
    return np.sort(np.clip(np.floor(values), 0, 255))[(len(values) + 1) // 2 - 1]


def places(width, height):
    step, most = 1, max(min(MAX_SAMPLES, width * height // PIXELS_A_SAMPLE), 1)
    while len(range(step // 2, width, step)) * len(range(step // 2, height, step)) > most:
        step += 1
    return np.ix_(range(step // 2, height, step), range(step // 2, width, step))


def find_line(b, y, chroma, luma_gain):
    if chroma:
        gain0 = luma_gain
        gain, offset = gain0, median(y - 128 - gain0 * (b - 128) + 128 + 0.5) - 128 + 128 * (1 - gain0)
    else:
        gain0 = (median(64 * y / b) + 0.5) / 64
        gain, offset = gain0, 0.0
    hold = 400 if chroma else 16
    for _ in range(ROUNDS):
        distance = np.abs(y - gain * b - offset)
        near = distance <= max(6, 1.5 * (median(4 * distance) + 0.5) / 4)
        n = near.sum()
        if n == 0:
            break
        # sum (y - gain b - offset)^2 + n hold (gain - gain0)^2 is the least
        rows = np.vstack([np.column_stack([b[near] - b[near].mean(), np.ones(n)]), [np.sqrt(n * hold), 0]])
        gain, middle = np.linalg.lstsq(rows, np.append(y[near], np.sqrt(n * hold) * gain0), rcond=None)[0]
        offset = middle - gain * b[near].mean()
    return gain, offset, np.mean(np.abs(y - gain * b - offset) <= 8 * max(1, gain))


def error(distance):
    return np.floor(4 * np.minimum(distance, MOST_ERROR)).sum()


def deviation(line):
    return line["weight"] * ((ANCHORS - line["offset"]) / line["gain"] - ANCHORS)


def colours(y, u, v):
    """Red, green and blue in levels of luma, of whole numbers, and their shares of luma."""
    scale = 219 / 224
    red, blue, kg = 2 * (1 - KR) * scale, 2 * (1 - KB) * scale, 1 - KR - KB
    in_64 = lambda x: int(np.rint(64 * x))
    u, v = u - 128, v - 128
    return np.stack([y + in_64(red) * v // 64, y - (in_64(blue * KB / kg) * u + in_64(red * KR / kg) * v) // 64, y + in_64(blue) * u // 64])


def perhaps_clipped(pixels):
    return colours(*pixels).max(axis=0) >= CLIPPED_YUV


def restored(frame, seen, background):
    """What the clipped colours of a frame lack is put back. Each is Y, U, V at every pixel; so is the result."""
    scale = 219 / 224
    lack = np.where(colours(*frame) >= CLIPPED_YUV, np.clip(colours(*background) - colours(*seen), 0, 255), 0)
    luma_lacks = KR * lack[0] + (1 - KR - KB) * lack[1] + KB * lack[2]
    return (seen[0] + luma_lacks, seen[1] + (lack[2] - luma_lacks) / (2 * (1 - KB) * scale),
            seen[2] + (lack[0] - luma_lacks) / (2 * (1 - KR) * scale))


def most_left(chroma, before):
    """By how many levels what is left to the model changes in this frame."""
    return (FOLLOWING_CHROMA if chroma else FOLLOWING) * np.minimum(1, FOLLOWING_FIRST + FOLLOWING_MORE * np.abs(before["left"]))


def next_line(before, b, y, lost, yuv, chroma, luma_gain):
    use = (b >= LOWEST) & (b <= HIGHEST) & (y >= LOWEST) & (y <= HIGHEST) & ~lost
    all_samples, b, y = b.size, b[use].astype(float), y[use].astype(float)
    enough = len(b) >= MIN_SAMPLES and len(b) >= all_samples * MIN_SHARE[yuv]
    line = {"gain": 1 + (before["gain"] - 1) * FADING, "offset": before["offset"] * FADING, "agreeing": 0.0,
            "weight": before["weight"]}
    if enough:
        gain, offset, agreeing = find_line(b, y, chroma, luma_gain)
        if agreeing >= LEAST_AGREEING and 1 / MAX_GAIN <= gain <= MAX_GAIN:
            line |= {"gain": gain, "offset": offset, "agreeing": agreeing}
        without = error(np.abs(y - b))
        left_over = error(np.abs(y - line["gain"] * b - line["offset"]))
        line["weight"] = np.clip((BELIEVED_FROM - left_over / without) / BELIEVED_RANGE, 0, 1) if without else 0.0
    d, most = deviation(line), most_left(chroma, before)
    left = before["left"] + np.clip(d - before["left"], -most, most)
    line["left"] = np.clip(left, np.minimum(d, 0), np.maximum(d, 0))
    return line


def mapped(line, y, b, may_clip):
    to_undo = deviation(line) - line["left"]
    most = np.abs(to_undo).max()
    s = max(0, 1 - SLACK / most) if most > 0 else 0
    if s == 0:
        return y
    slope = (to_undo[1] - to_undo[0]) / (ANCHORS[1] - ANCHORS[0])
    out = np.clip(np.rint(y + s * (to_undo[0] + slope * (y - ANCHORS[0]))), 0, 255)
    if may_clip:
        out = np.where(((y >= CLIPPED_HIGH) & (out < b)) | ((y <= CLIPPED_LOW) & (out > b)), b, out)
    return out


def undo(lines, frame, background, pixel_format, channels):
    out = [p.copy() for p in frame]
    if pixel_format == "RGBA":
        for k in range(3):
            out[0][..., k] = mapped(lines[k if channels == 3 else 0], frame[0][..., k], background[0][..., k], channels == 3)
        return out
    if pixel_format == "GRAY8":
        out[0] = mapped(lines[0], frame[0], background[0], True).astype(np.uint8)
        return out
    if all(np.all(mapped(l, LEVELS, LEVELS, False) == LEVELS) for l in lines):
        return out
    seen = [p.astype(np.uint8) if i >= channels else mapped(lines[i], frame[i], background[i], False).astype(np.uint8) for i, p in enumerate(frame)]
    whole = restored(*(pixels_of(p, pixel_format, channels) for p in (frame, seen, background)))
    for i in range(channels):
        out[i] = np.clip(np.rint(whole[i] if i == 0 else whole[i][::2, ::2]), 0, 255).astype(np.uint8)
    return out


# ---- another program

def compare(name, b, y, lost, line):
    try:
        import statsmodels.api as sm
    except ImportError:
        return
    use = (b >= LOWEST) & (b <= HIGHEST) & (y >= LOWEST) & (y <= HIGHEST) & ~lost
    if line["agreeing"] == 0:
        return
    b, y = b[use].astype(float), y[use].astype(float)
    offset, gain = sm.RLM(y, sm.add_constant(b), M=sm.robust.norms.TrimmedMean(2.0)).fit().params
    at = np.array([b.min(), b.max()])
    apart = np.abs((gain - line["gain"]) * at + offset - line["offset"]).max()
    print(f"{name:16} gain {line['gain']:.4f} offset {line['offset']:7.3f}; RLM {gain:.4f} {offset:7.3f}: {apart:.2f} levels apart at most")


def main():
    rng = np.random.Generator(np.random.PCG64(16))
    header, payload = [], []
    for name, kind, width, height, exposures, covered, noise, low, high in CASES:
        pixel_format = kind.split("/")[0]
        channels = 1 if pixel_format == "GRAY8" or kind.endswith("/1") else 3
        header.append(f"case {name} {pixel_format} {width} {height} {channels} {len(exposures)}")
        background = make_picture(rng, pixel_format, width, height, low, high)
        payload += [p.tobytes() for p in background]
        lines = [{"gain": 1.0, "offset": 0.0, "agreeing": 0.0, "weight": 1.0, "left": np.zeros(2)} for _ in range(channels)]
        at = places(width, height)
        for gain, offset, *other in exposures:
            frame = photograph(rng, background, pixel_format, gain, offset, (*other, covered)[0], noise)
            lost = np.zeros(at[0].size * at[1].size, bool)
            if pixel_format == "I420":
                for p in (background, frame):
                    lost |= perhaps_clipped([v[at].ravel() for v in pixels_of(p, pixel_format, channels)])
            for c in range(channels):
                b, y = (channel(p, pixel_format, channels, c)[at].ravel() for p in (background, frame))
                lines[c] = next_line(lines[c], b, y, lost, pixel_format == "I420", pixel_format == "I420" and c > 0, lines[0]["gain"])
                if c == 0:
                    compare(name, b, y, lost, lines[0])
            seen = undo(lines, frame, background, pixel_format, channels)
            numbers = [[l["gain"], l["offset"], l["agreeing"], l["weight"], *l["left"]] for l in lines]
            payload += [p.tobytes() for p in frame] + [p.tobytes() for p in seen] + [np.array(numbers, "<f8").tobytes()]
    with open(sys.argv[1], "wb") as file:
        file.write("\n".join(header + ["end", ""]).encode() + b"".join(payload))
        print(f"{file.name}: {file.tell()} bytes, numpy {np.__version__}")


if __name__ == "__main__":
    main()
