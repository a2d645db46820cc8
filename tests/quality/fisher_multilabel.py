# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-train on pictures that show several Caltech-101 classes side by side: average precision of each class and mAP, as for
VOC2007. Usage: fisher_multilabel.py VIGIL_TRAIN DATA WORK [--seed N]... [--train N] [--test N] [--samples N] [--backend NAME]

DATA is the folder with caltech101 (ten classes of 60 images). Each seed draws which images are for training (40 of a class) and
which for testing (20). A picture has one, two or three panels, equally often, each an image of another class, scaled to 200x200;
its labels are the classes of its panels. No image is in both parts. gst-launch-1.0 makes the pictures; they stay in WORK.
"""
import argparse
import pathlib
import random
import subprocess
import sys

SIDE, PANELS = 200, 3
TRAINING_IMAGES = 40

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("data", type=pathlib.Path)
parser.add_argument("work", type=pathlib.Path)
parser.add_argument("--seed", type=int, action="append")
parser.add_argument("--train", type=int, default=300, help="training pictures")
parser.add_argument("--test", type=int, default=150, help="test pictures")
parser.add_argument("--samples", type=int, default=250000, help="descriptors for the codebook")
parser.add_argument("--backend", default="auto")
options = parser.parse_args()
data = (options.data / "caltech101").resolve()
if not data.is_dir():
    print(f"SKIPPED: there is no {data}")
    sys.exit(77)


def compose(images, path):
    panels = [f"sink_{i}::xpos={i * SIDE}" for i in range(len(images))]
    chains = [word for image in images
              for word in ("filesrc", f"location={image}", "!", "jpegdec", "!", "videoconvert", "!", "videoscale", "add-borders=false", "!",
                           f"video/x-raw,format=I420,width={SIDE},height={SIDE},pixel-aspect-ratio=1/1", "!", "c.")]
    subprocess.run(["gst-launch-1.0", "-q", "compositor", "name=c", *panels, "!", "jpegenc", "quality=95", "!", "filesink",
                    f"location={path}", *chains], check=True, timeout=60)


def make(part, images, count, rng, folder):
    """images: by class. Returns the file of labels."""
    lines = ["video,first,last,class"]
    for i in range(count):
        classes = rng.sample(sorted(images), 1 + i % PANELS)
        path = folder / f"{part}-{i:04d}.jpg"
        chosen = [rng.choice(images[c]) for c in classes]
        if not path.exists():
            compose(chosen, path)
        lines += [f"{path.name},1,1,{c}" for c in classes]
    labels = folder / f"{part}.csv"
    labels.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return labels


def train(*arguments):
    return subprocess.run([options.program, *map(str, arguments)], check=True, stdout=subprocess.PIPE, text=True).stdout


for seed in options.seed or [1, 2, 3]:
    rng, folder = random.Random(seed), options.work / str(seed)
    folder.mkdir(parents=True, exist_ok=True)
    parts = {"train": {}, "test": {}}
    for label in sorted(p for p in data.iterdir() if p.is_dir()):
        images = sorted(label.glob("*.jpg"))
        rng.shuffle(images)
        parts["train"][label.name], parts["test"][label.name] = images[:TRAINING_IMAGES], images[TRAINING_IMAGES:]
    training = make("train", parts["train"], options.train, rng, folder)
    testing = make("test", parts["test"], options.test, rng, folder)
    model = folder / "m"
    train("codebook", "-l", training, "--samples", options.samples, "-b", options.backend, "-o", model)
    train("classifier", "-l", training, "-w", 1, "-C", 10, "-b", options.backend, model)
    said = train("evaluate", "-l", testing, "-w", 1, "-b", options.backend, "--out", folder / "result", model)
    print(f"seed {seed}, {options.train} training and {options.test} test pictures")
    print("\n".join(line for line in said.splitlines()[:len(parts['train']) + 2]), flush=True)
