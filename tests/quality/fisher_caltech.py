# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-train on ten Caltech-101 classes: 40 images of each train, 20 test.
Usage: fisher_caltech.py VIGIL_TRAIN DATA WORK [--seed N]... [--scales N]... [--samples N]

DATA is the folder with caltech101. Each seed draws other training images; codebook and classifier come from these alone.
"""
import argparse
import pathlib
import random
import re
import subprocess
import sys
import time

SIZES = {7: 1.0, 8: 2 ** 0.5, 9: 2.0}  # number of scales: the largest
TRAINING, TEST = 40, 20

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("data", type=pathlib.Path)
parser.add_argument("work", type=pathlib.Path)
parser.add_argument("--seed", type=int, action="append")
parser.add_argument("--scales", type=int, action="append", choices=SIZES)
parser.add_argument("--samples", type=int, default=1000000)
options = parser.parse_args()
data = (options.data / "caltech101").resolve()
if not data.is_dir():
    print(f"SKIPPED: there is no {data}")
    sys.exit(77)


def train(*arguments):
    return subprocess.run([options.program, *map(str, arguments)], check=True, stdout=subprocess.PIPE, text=True).stdout


for scales in options.scales or SIZES:
    accuracies = []
    for seed in options.seed or [1, 2, 3]:
        rng, folder = random.Random(seed), options.work / f"{scales}-{seed}"
        folder.mkdir(parents=True, exist_ok=True)
        lines = {"train": [], "test": []}
        for label in sorted(p for p in data.iterdir() if p.is_dir()):
            images = sorted(label.glob("*.jpg"))
            rng.shuffle(images)
            for part, chosen in ("train", images[:TRAINING]), ("test", images[TRAINING:TRAINING + TEST]):
                lines[part] += [f"{image},1,1,{label.name}\n" for image in chosen]
        for part, text in lines.items():
            (folder / f"{part}.csv").write_text("video,first,last,class\n" + "".join(text), encoding="utf-8")
        start = time.monotonic()
        train("codebook", "-l", folder / "train.csv", "--samples", options.samples, "--scales", scales, "--largest-scale",
              SIZES[scales], "-o", folder / "m")
        trained = time.monotonic()
        train("classifier", "-l", folder / "train.csv", "-w", 1, "-C", 10, folder / "m")
        classified = time.monotonic()
        said = train("evaluate", "-l", folder / "test.csv", "-w", 1, folder / "m")
        accuracy = float(re.search(r"mean over classes ([\d.]+)", said)[1])
        accuracies.append(accuracy)
        print(f"{scales} scales, seed {seed}: {100 * accuracy:.1f} %; codebook {trained - start:.0f} s, classifier "
              f"{classified - trained:.0f} s, {TEST * 10} test images {time.monotonic() - classified:.0f} s", flush=True)
    print(f"{scales} scales: mean {100 * sum(accuracies) / len(accuracies):.1f} % of {len(accuracies)} seeds", flush=True)
