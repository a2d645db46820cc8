# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-train on the UMN crowd clips: what it finds where it was not trained.
Usage: fisher_umn.py VIGIL_TRAIN DATA WORK [--every N] [--window N] [--samples N] [--split NAME]... [--motion LAG]

DATA is the folder with umn_crowd. Codebook, classifier and thresholds come from the training parts alone. Vectors are kept in
WORK/cache, so that a second run is quick. Each split is scored twice: a classifier for each scene, as the paper has it, and one
for all scenes. Of each pair of figures the first is of single frames' scores, as the paper and fisher_umn_vlfeat.py have it,
the second of what the element compares with its thresholds: the median of --window scores, less the lower quartile of
--baseline ones. --motion adds a codebook of differences over LAG frames, from the same frames. --size, --components, --projected, --scales
and --largest-scale make it quicker on small machines.
"""
import argparse
import csv
import pathlib
import subprocess
import sys

import numpy as np

import fisher_protocol as protocol

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("data", type=pathlib.Path)
parser.add_argument("work", type=pathlib.Path)
parser.add_argument("--every", type=int, default=2)
parser.add_argument("--window", type=int, default=5)
parser.add_argument("--baseline", type=int, default=240)
parser.add_argument("--cost", type=float, default=10)
parser.add_argument("--samples", type=int, default=1000000)
parser.add_argument("--codebook-every", type=int, default=6)
parser.add_argument("--seed", type=int, default=1, help="of the codebook")
parser.add_argument("--codebooks", type=pathlib.Path, help="folder of SPLIT.npz to take, as fisher_umn_vlfeat.py leaves them")
parser.add_argument("--motion", type=int, metavar="LAG")
parser.add_argument("--size", help="WxH that frames are scaled to after the crop")
parser.add_argument("--components", type=int, default=256)
parser.add_argument("--projected", type=int, default=80)
parser.add_argument("--scales", type=int, default=8)
parser.add_argument("--largest-scale", type=float, default=2 ** 0.5)
parser.add_argument("--split", action="append", choices=protocol.SPLITS)
options = parser.parse_args()
data = (options.data / "umn_crowd").resolve() # vigil-train looks for files of a list next to the list
if not data.is_dir():
    print(f"SKIPPED: there is no {data}")
    sys.exit(77)
labels = protocol.read_labels(data)
SCENES = list(dict.fromkeys(protocol.SCENES.values()))


def write_labels(path, masks, scenes):
    with open(path, "w", encoding="utf-8") as f:
        f.write("video,first,last,class\n")
        for clip, scene in protocol.SCENES.items():
            for value, name in (0, "normal"), (1, "running"):
                for first, last in protocol.ranges(masks[clip] & (labels[clip] == value)):
                    if scene in scenes:
                        f.write(f"{data / clip}.mp4,{first},{last},{name}\n")


def train(*arguments):
    return subprocess.run([options.program, *map(str, arguments)], check=True, stdout=subprocess.PIPE, text=True).stdout


def scores(path):
    """(clip, frame) -> (score, smoothed)"""
    with open(path, encoding="utf-8", newline="") as f:
        return {(pathlib.Path(r["video"]).stem, int(r["frame"])): (float(r["score"]), float(r["smoothed"]))
                for r in csv.DictReader(f)}


def report(name, found, test):
    line = f"{name:26}"
    parts = {scene: [k for k in found if protocol.SCENES[k[0]] == scene] for scene in SCENES}
    for scene, keys in list(parts.items()) + [("pooled", list(found))]:
        keys = [k for k in keys if test[k[0]][k[1] - 1] and labels[k[0]][k[1] - 1] >= 0]
        truth = [labels[c][f - 1] for c, f in keys]
        line += f" {scene} " + " ".join(f"{protocol.auc([found[k][i] for k in keys], truth):.4f}" for i in (0, 1))
    print(line + "  (raw, smoothed)", flush=True)


chain = protocol.CROP
if options.size:
    width, height = options.size.split("x")
    chain += f" ! videoscale ! video/x-raw,width={width},height={height}"
fit = ["--filter", chain, "--every", options.codebook_every, "--samples", options.samples, "--seed", options.seed, "--components",
       options.components, "--projected", options.projected]
common = ["--filter", chain, "--every", options.every, "--window", options.window, "--cache",
          options.work / "cache", "--backend", "auto"]
options.work.mkdir(parents=True, exist_ok=True)
for split in options.split or protocol.SPLITS:
    training = protocol.training_mask(labels, split)
    test = {clip: ~m for clip, m in training.items()}
    folder = options.work / split
    folder.mkdir(exist_ok=True)
    write_labels(folder / "train.csv", training, SCENES)
    codebook = folder / "codebook.model"
    if options.codebooks:
        train("import", "-o", codebook, options.codebooks / f"{split}.npz")
    elif not codebook.exists():
        print(train("codebook", "--labels", folder / "train.csv", *fit, "--scales", options.scales, "--largest-scale",
                    options.largest_scale, "-o", codebook).splitlines()[-2], flush=True)
    if options.motion:
        still, codebook = codebook, folder / f"motion-{options.motion}.model"
        if not codebook.exists():
            train("motion", "--labels", folder / "train.csv", *fit, "--lag", options.motion, "-o", codebook, still)
    for groups in [SCENES], [[s] for s in SCENES]:
        found = {}
        for scenes in groups:
            name = "-".join(scenes)
            own = {c: labels[c][training[c]] for c in labels if protocol.SCENES[c] in scenes}
            if not any(test[c].any() for c in own) or not all(any((v == k).any() for v in own.values()) for k in (0, 1)):
                continue
            write_labels(folder / f"{name}-train.csv", training, scenes)
            write_labels(folder / f"{name}-test.csv", test, scenes)
            model = folder / f"{name}.model"
            print(train("classifier", *common, "--baseline", options.baseline, "--cost", options.cost, "-l",
                        folder / f"{name}-train.csv", "-o", model, codebook))
            said = train("evaluate", *common, "-l", folder / f"{name}-test.csv", "--out", folder / name, model)
            print("\n".join(l for l in said.splitlines() if "event" in l), flush=True)
            found.update(scores(folder / f"{name}-frames.csv"))
        report(f"{split}, {'one for all' if len(groups) == 1 else 'one a scene'}", found, test)
