# SPDX-License-Identifier: LGPL-2.1-or-later
"""The splits of the UMN crowd clips, as masks of frames, and the area under the ROC curve. numpy is needed.

Scene, training and test frames; frames whose label is -1 belong to neither. Within scenes ("within"): the first 700 labelled
frames of indoor and plaza train, as in the paper, and the rest tests; of lawn there is one clip with one event, whose first
half trains, so its test frames are all of one kind. Across clips: all clips train but those that are tested.
"""
import csv
import pathlib

import numpy as np

SCENES = {"Trim1": "lawn", "Trim3": "indoor", "Trim4": "indoor", "Trim5": "indoor", "Trim9": "plaza", "Trim10": "plaza"}
HELD_OUT = {"across-5-10": ("Trim5", "Trim10"), "across-4-9": ("Trim4", "Trim9"), "across-3": ("Trim3",)}
SPLITS = ["within", *HELD_OUT]
CROP = "videocrop top=32"  # the set burns a banner into abnormal frames


def read_labels(folder):
    def column(path):
        with open(path, encoding="utf-8", newline="") as f:
            return np.array([int(r["label"]) for r in csv.DictReader(f)])
    return {clip: column(pathlib.Path(folder) / f"{clip}_labels.csv") for clip in SCENES}


def training_mask(labels, split):
    """For each clip: which frames come before the end of the training part."""
    if split != "within":
        return {clip: np.full(len(l), clip not in HELD_OUT[split]) for clip, l in labels.items()}
    masks, left = {}, {"indoor": 700, "plaza": 700}
    for clip, scene in SCENES.items():
        label = labels[clip]
        masks[clip] = np.zeros(len(label), bool)
        if scene == "lawn":
            events = np.flatnonzero(label == 1)
            masks[clip][:events[len(events) // 2]] = True
        elif left[scene]:
            usable = np.flatnonzero(label >= 0)[:left[scene]]
            masks[clip][:usable[-1] + 1] = True
            left[scene] -= len(usable)
    return masks


def auc(scores, positive):
    """Mann-Whitney's statistic; ties count half. NaN where either kind is missing."""
    scores, positive = np.asarray(scores), np.asarray(positive, bool)
    n, p = int((~positive).sum()), int(positive.sum())
    if not n or not p:
        return float("nan")
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    return (ranks[inverse][positive].sum() - p * (p + 1) / 2) / (n * p)


def ranges(mask):
    """(first, last), counted from 1, of the runs of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return [(a + 1, b) for a, b in zip(edges[::2], edges[1::2])]
