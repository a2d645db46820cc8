# SPDX-License-Identifier: LGPL-2.1-or-later
"""VLFeat and liblinear on the splits of fisher_umn.py, for comparison.
Usage: fisher_umn_vlfeat.py DATA WORK [--every N] [--cost C] [--processes N] [--seed N] [--split NAME]...

Needs numpy, scikit-learn (its LinearSVC is liblinear), libvl and GStreamer's command line tools. VLFeat's own dense SIFT,
k-means, mixture and encoding; nothing of Vigil's. Vectors are kept in WORK.
"""
import argparse
import multiprocessing
import pathlib
import subprocess

import numpy as np
from sklearn.svm import LinearSVC

import fisher_protocol as protocol
import vlfeat

WIDTH, HEIGHT, SCALES = 320, 208, vlfeat.SCALES[8]
SAMPLES, SAMPLE_EVERY = 110000, 12  # descriptors of a codebook, of each so many training frames

parser = argparse.ArgumentParser()
parser.add_argument("data", type=pathlib.Path)
parser.add_argument("work", type=pathlib.Path)
parser.add_argument("--every", type=int, default=2)
parser.add_argument("--cost", type=float, default=10)
parser.add_argument("--processes", type=int, default=2)
parser.add_argument("--seed", type=int, default=1, help="of the codebook; give each seed a WORK of its own")
parser.add_argument("--split", action="append", choices=protocol.SPLITS)
options = parser.parse_args()
data = options.data / "umn_crowd"
labels = protocol.read_labels(data)
SPLITS = options.split or list(protocol.SPLITS)
options.work.mkdir(parents=True, exist_ok=True)


def decode(clip):
    path = options.work / f"{clip}.gray"
    if not path.exists():
        subprocess.run(f"gst-launch-1.0 -q filesrc location={data / clip}.mp4 ! decodebin ! {protocol.CROP} ! videoconvert ! "
                       f"video/x-raw,format=GRAY8 ! filesink location={path}", shell=True, check=True)
    return np.fromfile(path, np.uint8).reshape(-1, HEIGHT, WIDTH)


frames = {clip: decode(clip) for clip in protocol.SCENES}


def describe(clip, number):
    return vlfeat.describe(frames[clip][number].astype(np.float32) / 255, SCALES)


def codebook(split):
    path = options.work / f"{split}.npz"
    if not path.exists():
        rng = np.random.default_rng(options.seed)
        training = protocol.training_mask(labels, split)
        chosen = [(c, i) for c in labels for i in np.flatnonzero(training[c] & (labels[c] >= 0))[::SAMPLE_EVERY]]
        parts = []
        for clip, i in chosen:
            d, p = describe(clip, i)
            some = rng.choice(len(d), SAMPLES // len(chosen) + 1, replace=False)
            parts.append((d[some], p[some]))
        book = vlfeat.Codebook.train(*(np.concatenate(x) for x in zip(*parts)), seed=options.seed)
        np.savez(path, **book.__dict__)
    return vlfeat.Codebook(**np.load(path))


def encode(job):
    clip, i = job
    d, p = describe(clip, i)
    return [book.encode(d, p) for book in books.values()]


with multiprocessing.Pool(options.processes) as pool:
    pool.map(codebook, SPLITS, chunksize=1)
books = {split: codebook(split) for split in SPLITS}
vectors = {}
with multiprocessing.Pool(options.processes) as pool:
    for clip in protocol.SCENES:
        path = options.work / f"{clip}-{options.every}.npy"
        if not path.exists():
            np.save(path, np.array(pool.map(encode, [(clip, i) for i in range(0, len(frames[clip]), options.every)])))
        vectors[clip] = np.load(path, mmap_mode="r")


def fit(x, y):
    """Weights and bias. The machine is trained on the factor of the inner products, which gives the same one sooner."""
    factor = np.linalg.cholesky((x @ x.T).astype(np.float64) + 1e-6 * np.eye(len(x)))
    machine = LinearSVC(C=options.cost, dual=True, tol=1e-2, max_iter=20000).fit(factor, y)
    return x.T @ np.linalg.solve(factor.T, machine.coef_[0]), machine.intercept_[0]


for n, split in enumerate(SPLITS):
    training = protocol.training_mask(labels, split)
    parts = {}
    for scene in dict.fromkeys(protocol.SCENES.values()):
        x, y, tests = [], [], []
        for clip in (c for c, s in protocol.SCENES.items() if s == scene):
            label, own = labels[clip][::options.every], training[clip][::options.every]
            v = np.array(vectors[clip][:, n])
            x.append(v[own & (label >= 0)])
            y.append(label[own & (label >= 0)])
            tests.append((v[~own & (label >= 0)], label[~own & (label >= 0)]))
        x, y = np.concatenate(x), np.concatenate(y)
        if len(set(y)) == 2 and any(len(t) for _, t in tests):
            w, b = fit(x, y)
            parts[scene] = (np.concatenate([v @ w + b for v, _ in tests]), np.concatenate([t for _, t in tests]))
    everything = [np.concatenate(p) for p in zip(*parts.values())]
    print(f"{split:14} VLFeat + liblinear, one a scene:", *(f"{s} {protocol.auc(*p):.4f}" for s, p in parts.items()),
          f"pooled {protocol.auc(*everything):.4f}", flush=True)
