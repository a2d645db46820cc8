#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes mog.bin, which pins the reference of kernels/mog to programs that share no line with it.

Method zivkovic: OpenCV's BackgroundSubtractorMOG2. Method mog: the numpy model below, written from the paper's
algorithms 1, 3 and 4 and the rules in mog.h.

Usage: make_mog.py OUTPUT    (needs: pip install numpy opencv-python-headless)

The file: lines of text up to one that says "end", then bytes.
  frames WIDTH HEIGHT COUNT
  case NAME PROPERTY=VALUE ...     every parameter of mog.h's table, and method, channels, components
  end
  the frames, R G B; then for each case the masks (2 bits a pixel: 0 background, 1 shadow, 2 foreground; the first pixel
  in the lowest bits) and the mean of the heaviest component after the last frame (`channels` bytes a pixel).
"""
import sys

import cv2
import numpy as np

# The masks of zivkovic hold a few ties. With learning-rate -1 the rate of frame 5 is 0.1, and the older components of
# a pixel that gets a new one then weigh exactly background-ratio = 0.9 together: single and double precision differ.
WIDTH, HEIGHT, FRAMES = 24, 18, 60

COMMON = {
    "learning-rate": -1, "history": 500, "match-sigma": 3, "background-sigma": 4, "background-ratio": 0.9,
    "weight-threshold": 0.1, "complexity-prior": 0.05, "initial-variance": 15, "initial-weight": 0.05,
    "min-variance": 4, "max-variance": 75, "detect-shadows": 0, "shadow-threshold": 0.5, "shadow-value": 127,
    "shadow-sigma": 0, "deep-shadow-threshold": 0.5, "deep-shadow-distance": 0, "background-by-deviation": 0,
}
LUMA_MOG = {"method": "mog", "channels": 1, "match-sigma": 2.5, "initial-variance": 225}
CASES = {
    "colour": {},
    "colour-shadows": {"detect-shadows": 1},
    "colour-tuned": {"detect-shadows": 1, "shadow-threshold": 0.8, "background-sigma": 6, "match-sigma": 2.5,
                     "complexity-prior": 0.1},
    "colour-short": {"detect-shadows": 1, "history": 30, "components": 3, "background-ratio": 0.7},
    "colour-fixed-rate": {"learning-rate": 0.05, "initial-variance": 30, "min-variance": 9, "max-variance": 200},
    "colour-two": {"learning-rate": 0.01, "components": 2, "complexity-prior": 0, "detect-shadows": 1,
                   "shadow-threshold": 0.6, "shadow-value": 100},
    "colour-pruned": {"learning-rate": 0.1, "complexity-prior": 0.3},
    "luma": {"channels": 1},
    "luma-shadows": {"channels": 1, "learning-rate": 0.02, "detect-shadows": 1, "shadow-threshold": 0.7},
    "luma-one": {"channels": 1, "components": 1, "history": 100, "match-sigma": 4},
    "mog": {**LUMA_MOG, "components": 3},
    "mog-fixed-rate": {**LUMA_MOG, "learning-rate": 0.02, "match-sigma": 3, "weight-threshold": 0.25,
                       "initial-variance": 100, "initial-weight": 0.1, "min-variance": 9},
    "mog-shadows": {**LUMA_MOG, "components": 4, "learning-rate": 0.05, "detect-shadows": 1,
                    "shadow-threshold": 0.7, "background-sigma": 3},
}


def make_frames():
    """A noisy texture with pixels that change level, a crossing object and its shadow, and a light switch."""
    rng = np.random.Generator(np.random.PCG64(20))
    texture = rng.uniform(30, 220, (HEIGHT, WIDTH, 3))
    second = rng.uniform(0, 255, (HEIGHT, WIDTH, 3))
    blinks = rng.random((HEIGHT, WIDTH)) < 0.25
    black = rng.random((HEIGHT, WIDTH)) < 0.06
    noise = rng.uniform(0.5, 6, (HEIGHT, WIDTH, 1))
    frames = []
    for t in range(FRAMES):
        level = texture * (1.25 if t >= 45 else 1)
        jump = blinks & (rng.random((HEIGHT, WIDTH)) < 0.35)
        level = np.where(jump[..., None], second, level)
        left = t - 8
        columns = np.arange(WIDTH)
        level[:, (columns >= left - 4) & (columns < left)] *= 0.55 + 0.4 * rng.random()
        level[4:14, (columns >= left) & (columns < left + 5)] = (180, 60, 40)
        frame = level + noise * rng.standard_normal((HEIGHT, WIDTH, 3))
        frame[black & ~jump & (t % 3 > 0)] = 0
        frames.append(np.clip(np.rint(frame), 0, 255).astype(np.uint8))
    return np.stack(frames)


def luma(rgb):
    return ((rgb.astype(np.int32) @ np.array([77, 150, 29]) + 128) >> 8).astype(np.uint8)


def opencv(frames, p):
    model = cv2.createBackgroundSubtractorMOG2()
    model.setHistory(p["history"])
    model.setNMixtures(p["components"])
    model.setVarThresholdGen(p["match-sigma"] ** 2)
    model.setVarThreshold(p["background-sigma"] ** 2)
    model.setBackgroundRatio(p["background-ratio"])
    model.setComplexityReductionThreshold(p["complexity-prior"])
    model.setVarInit(p["initial-variance"])
    model.setVarMin(p["min-variance"])
    model.setVarMax(p["max-variance"])
    model.setDetectShadows(bool(p["detect-shadows"]))
    model.setShadowThreshold(p["shadow-threshold"])
    model.setShadowValue(p["shadow-value"])
    masks = [model.apply(frame, learningRate=p["learning-rate"]) for frame in frames]
    # OpenCV averages the components up to this ratio; with 0 it stops after the heaviest.
    model.setBackgroundRatio(0)
    return np.stack(masks), model.getBackgroundImage()


class MixtureOfGaussians:
    """Method mog, all pixels at once. Arrays are [component, row, column]."""

    def __init__(self, p):
        self.p = p
        shape = (p["components"], HEIGHT, WIDTH)
        self.weight, self.mean, self.variance = np.zeros(shape), np.zeros(shape), np.zeros(shape)

    def apply(self, frame, a):
        p, x = self.p, frame.astype(float)
        d = x - self.mean
        match = (self.weight > 0) & (np.abs(d) < p["match-sigma"] * np.sqrt(self.variance))
        self.weight = (1 - a) * self.weight + a * match
        rate = np.where(match, np.minimum(1, a / np.where(match, self.weight, 1)), 0)
        self.mean += rate * d
        self.variance = np.where(
            match, np.maximum(p["min-variance"], (1 - rate) * self.variance + rate * d**2), self.variance)
        background = (match & (self.weight >= p["weight-threshold"])).any(axis=0)

        virtual = (np.argmin(self.weight, axis=0) == np.indices(self.weight.shape)[0]) & ~match.any(axis=0)
        self.weight[virtual] = p["initial-weight"]
        self.variance[virtual] = p["initial-variance"]
        self.mean = np.where(virtual, x, self.mean)
        self.weight /= self.weight.sum(axis=0)

        mask = np.where(background, 0, 255)
        if p["detect-shadows"]:
            mask[~background & self.darker_copy(x)] = p["shadow-value"]
        return mask.astype(np.uint8)

    def darker_copy(self, x):
        """With one channel a darker copy is any value in the range: there is no colour that could differ."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = x / self.mean
        fits = (ratio <= 1) & (ratio >= self.p["shadow-threshold"])
        return (fits & (x > 0) & (self.weight >= self.p["weight-threshold"])).any(axis=0)

    def background(self):
        heaviest = np.argmax(self.weight, axis=0)[None]
        return np.rint(np.take_along_axis(self.mean, heaviest, axis=0)[0]).astype(np.uint8)


def mixture_of_gaussians(frames, p):
    model = MixtureOfGaussians(p)
    masks = []
    for number, frame in enumerate(frames, 1):
        fixed = p["learning-rate"]
        masks.append(model.apply(frame, fixed if fixed >= 0 else 1 / min(2 * number, p["history"])))
    return np.stack(masks), model.background()


def packed(masks):
    codes = np.where(masks == 255, 2, np.where(masks > 0, 1, 0)).astype(np.uint8).reshape(-1, 4)
    return (codes << np.array([0, 2, 4, 6], np.uint8)).sum(axis=1).astype(np.uint8).tobytes()


def main():
    colour = make_frames()
    header, payload = [f"frames {WIDTH} {HEIGHT} {FRAMES}"], [colour.tobytes()]
    for name, changes in CASES.items():
        p = {"method": "zivkovic", "channels": 3, "components": 5, **COMMON, **changes}
        frames = colour if p["channels"] == 3 else luma(colour)
        masks, background = (mixture_of_gaussians if p["method"] == "mog" else opencv)(frames, p)
        header.append(" ".join([f"case {name}"] + [f"{key}={value}" for key, value in p.items()]))
        payload += [packed(masks), background.tobytes()]
        share = [float((masks == v).mean()) for v in (0, p["shadow-value"], 255)]
        print(f"{name:18} background {share[0]:.3f}  shadow {share[1]:.3f}  foreground {share[2]:.3f}")
    with open(sys.argv[1], "wb") as file:
        file.write("\n".join(header + ["end", ""]).encode() + b"".join(payload))
        print(f"{file.name}: {file.tell()} bytes, OpenCV {cv2.__version__}, numpy {np.__version__}")


if __name__ == "__main__":
    main()
