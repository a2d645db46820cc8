# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-train on small pictures and videos. Usage: vigil_train.py PROGRAM [unittest arguments]"""
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from pictures import png

PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
SIDE = 48
SMALL = ["--components", "8", "--projected", "12", "--samples", "4000", "--backend", "cpu"]


def stripes(seed, across):
    rng = random.Random(seed)
    period, phase = rng.choice([5, 6, 7]), rng.random() * 9
    value = lambda x, y: int(60 + 120 * (((y if across else x) + phase) % period < period / 2) + rng.random() * 40)
    return [[value(x, y) for x in range(SIDE)] for y in range(SIDE)]


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.data = pathlib.Path(tempfile.mkdtemp(prefix="vigil-train-"))
        cls.addClassCleanup(shutil.rmtree, cls.data)
        for part, first in ("train", 0), ("test", 100):
            for name in "across", "along":
                (cls.data / part / name).mkdir(parents=True)
                for i in range(12):
                    png(cls.data / part / name / f"{i:02d}.png", stripes(first + i, name == "across"))
        # 40 frames: a grey ball, then, from frame 21, stripes
        cls.video = cls.data / "clip.avi"
        frames = cls.data / "frames"
        frames.mkdir()
        for i in range(40):
            png(frames / f"{i:03d}.png", stripes(i, i >= 20))
        subprocess.run(["gst-launch-1.0", "-q", "multifilesrc", f"location={frames}/%03d.png", "stop-index=39",
                        "caps=image/png,framerate=10/1", "!", "pngdec", "!", "videoconvert", "!", "jpegenc", "quality=95", "!",
                        "avimux", "!", "filesink", f"location={cls.video}"], check=True, timeout=60)
        cls.model = cls.data / "codebook.model"
        subprocess.run([PROGRAM, "codebook", "-o", cls.model, *SMALL, cls.data / "train"], check=True, timeout=120,
                       capture_output=True)

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(dir=self.data))

    def train(self, *arguments, status=0):
        result = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=180, check=False)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result.stdout + result.stderr

    def refused(self, *arguments, says, status=1):
        said = self.train(*arguments, status=status)
        self.assertIn(says, said)
        self.assertIn("vigil-train: ", said)

    def labels(self, *lines, header="video,first,last,class"):
        path = self.dir / "labels.csv"
        path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
        return path


class Training(Case):
    def test_pictures(self):
        out = self.dir / "a.model"
        self.train("classifier", "-l", self.data / "train", "-o", out, "-b", "cpu", self.model)
        said = self.train("evaluate", "-l", self.data / "test", "--out", self.dir / "r", "-w", 1, "-b", "cpu", out)
        self.assertGreaterEqual(float(re.search(r"mean over classes ([\d.]+)", said)[1]), 0.9, said)
        xml.etree.ElementTree.parse(self.dir / "r.svg")
        self.assertEqual(len((self.dir / "r-frames.csv").read_text().splitlines()), 1 + 24 * 2)
        said = self.train("describe", out)
        for words in "class across", "class along", "8 components", "128 -> 12", "C: ", "seed: 1":
            self.assertIn(words, said)

    def test_video(self):
        labels = self.labels(f"{self.video},1,18,normal", f"{self.video},21,38,stripes")
        out = self.dir / "v.model"
        cache = self.dir / "cache"
        said = self.train("classifier", "-l", labels, "-o", out, "-b", "cpu", "--cache", cache, self.model)
        self.assertEqual(len(list(cache.iterdir())), 1)
        self.assertNotIn("class normal", self.train("describe", out))
        again = self.train("classifier", "-l", labels, "-o", self.dir / "w.model", "-b", "cpu", "--cache", cache, self.model)
        self.assertEqual(said.splitlines()[:-1], again.splitlines()[:-1])
        said = self.train("evaluate", "-l", labels, "-b", "cpu", "-w", 3, out)
        self.assertIn("stripes: 1 of 1 events found, 0 false", said)

    def test_baseline(self):
        labels = self.labels(f"{self.video},1,18,normal", f"{self.video},21,30,stripes")
        out = self.dir / "v.model"
        self.train("classifier", "-l", labels, "-o", out, "-b", "cpu", "-w", 1, "--baseline", 30, self.model)
        self.assertIn("scores less the lower quartile of the last 30", self.train("describe", out))
        said = self.train("evaluate", "-l", labels, "-b", "cpu", "--out", self.dir / "r", "-w", 1, out)
        self.assertIn("stripes: 1 of 1 events found, 0 false", said)
        rows = [line.split(",") for line in (self.dir / "r-frames.csv").read_text().splitlines()[1:]]
        scores = [float(r[-2]) for r in rows]
        for i, r in enumerate(rows):
            last = sorted(scores[max(0, i - 29):i + 1])
            self.assertAlmostEqual(float(r[-1]), scores[i] - last[(len(last) - 1) // 4], places=4)

    def test_filter(self):
        out = self.dir / "c.model"
        for chain, says in ("videocrop top=8", "in 6 frames"), ("videorate drop-only=true max-rate=5", "in 3 frames"):
            self.train("codebook", "-o", out, *SMALL, "--every", 7, "--filter", chain, self.video)
            self.assertIn(says, self.train("describe", out))
        self.refused("codebook", "-o", out, *SMALL, "--filter", "videocrop top=40", self.video, says="no room for a descriptor")

    def test_labelled_codebook(self):
        # A spreadsheet may write its tables with a byte order mark.
        labels = self.labels(f"{self.video},3,6,normal", header="\ufeffvideo,first,last,class")
        self.train("codebook", "-l", labels, "-o", self.dir / "c.model", "--components", 4, "--projected", 6, "--samples", 100,
                   "-b", "cpu")
        self.assertIn("in 4 frames", self.train("describe", self.dir / "c.model"))


class Motion(Case):
    """Stripes that stand still, or move by three pixels a frame: single pictures of both look alike."""

    def clip(self, name, steps):
        frames, video, at = self.dir / f"frames-{name}", self.dir / f"{name}.avi", 0
        frames.mkdir()
        rng = random.Random(name)
        for i, step in enumerate(steps):
            at += step
            value = lambda x, y: int(60 + 120 * ((x + at) % 12 < 6) + rng.random() * 3)
            png(frames / f"{i:03d}.png", [[value(x, y) for x in range(SIDE)] for y in range(SIDE)])
        subprocess.run(["gst-launch-1.0", "-q", "multifilesrc", f"location={frames}/%03d.png", f"stop-index={len(steps) - 1}",
                        "caps=image/png,framerate=10/1", "!", "pngdec", "!", "videoconvert", "!", "jpegenc", "quality=95", "!",
                        "avimux", "!", "filesink", f"location={video}"], check=True, timeout=60)
        return video

    def test_motion(self):
        # Stripes stand still for ten frames in each of four phases, which are those of the stripes that move. Where they
        # jump to the next phase frames have no label.
        labels = {part: self.dir / f"{part}.csv" for part in ("train", "test")}
        for part, blocks in ("train", 8), ("test", 12):
            steps, lines = [], ["video,first,last,class"]
            for block in range(blocks):
                if block % 4 == 3:
                    lines.append(f"{part}.avi,{len(steps) + 1},{len(steps) + 20},moving")
                    steps += [3] * 20
                lines.append(f"{part}.avi,{len(steps) + 2},{len(steps) + 10},normal")
                steps += [3] + [0] * 9
            self.clip(part, steps)
            labels[part].write_text("\n".join(lines) + "\n", encoding="utf-8")
        plain, moved = self.dir / "plain", self.dir / "moved"
        self.train("codebook", "-o", plain, "-l", labels["train"], *SMALL)
        self.train("motion", "--lag", 1, "-o", moved, "-l", labels["train"], *SMALL, plain)
        said = self.train("describe", moved)
        for words in "a model of version 2", "differences over 1 frames", "codebook of motion: 128 -> 12":
            self.assertIn(words, said)
        areas = {}
        for model in plain, moved:
            self.train("classifier", "-l", labels["train"], "-b", "cpu", "-w", 1, "-C", 10, model)
            said = self.train("evaluate", "-l", labels["test"], "-b", "cpu", "-w", 1, model)
            areas[model] = float(re.search(r"^moving +\d+ +([\d.]+)", said, re.MULTILINE)[1])
        self.assertGreater(areas[moved], 0.99)
        self.assertLess(areas[plain], 0.9)
        # every third frame, with the same lag of the video's frames
        said = self.train("evaluate", "-l", labels["test"], "-b", "cpu", "-w", 1, "--every", 3, moved)
        self.assertGreater(float(re.search(r"^moving +\d+ +([\d.]+)", said, re.MULTILINE)[1]), 0.99)

    def test_refused(self):
        out = self.dir / "m"
        self.refused("motion", "-o", out, "--lag", 0, self.model, self.video, says="--lag 0 is not within", status=2)
        self.refused("motion", "-o", out, self.model, says="takes MODEL FILE", status=2)
        self.refused("motion", "-o", out, self.dir / "none", self.video, says="cannot open the model")


class SeveralClasses(Case):
    """Frames of which a class says something of the left half, another something of the right."""

    def draw(self, part, number, left, right):
        path = self.dir / f"{part}-{number:03d}.png"
        halves = [stripes(1000 * (part == "test") + 2 * number + side, name == "across") if name else
                  [[100] * SIDE for _ in range(SIDE)] for side, name in enumerate((left, right))]
        png(path, [a + b for a, b in zip(*halves)])
        return path

    def pictures(self, part, count):
        kinds = [("across", "along"), ("across", ""), ("", "along"), ("", "")]
        lines = ["video,first,last,class"]
        for i in range(count):
            left, right = kinds[i % 4]
            if i % 3 == 0:
                left, right = right, left  # a class is not tied to a side
            path = self.draw(part, i, left, right)
            lines += [f"{path.name},1,1,{name}" for name in (left, right) if name] or [f"{path.name},1,1,normal"]
        labels = self.dir / f"{part}.csv"
        labels.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return labels

    def test_pictures(self):
        train, test = self.pictures("train", 48), self.pictures("test", 32)
        out = self.dir / "m"
        self.train("codebook", "-l", train, "-o", out, *SMALL)
        self.train("classifier", "-l", train, "-w", 1, "-b", "cpu", out)
        said = self.train("evaluate", "-l", test, "-w", 1, "-b", "cpu", "--out", self.dir / "r", out)
        self.assertIn("no confusion matrix: frames have several classes", said)
        eleven, area = map(float, re.search(r"^mAP +([\d.]+) +([\d.]+)$", said, re.MULTILINE).groups())
        # chance would be one half: each class is in half of the pictures
        self.assertGreaterEqual(min(eleven, area), 0.9, said)
        rows = [line.split(",") for line in (self.dir / "r-classes.csv").read_text().splitlines()]
        self.assertEqual([r[0] for r in rows[1:]], ['"across"', '"along"'])
        self.assertEqual([r[1] for r in rows[1:]], ["16", "16"])
        for column, value in (4, eleven), (5, area):
            self.assertAlmostEqual(sum(float(r[column]) for r in rows[1:]) / 2, value, places=3)
        truths = [line.split(",")[2] for line in (self.dir / "r-frames.csv").read_text().splitlines()[1::2]]
        self.assertEqual(sorted(truths), sorted(['"across;along"', '"across"', '"along"', '"normal"'] * 8))
        self.assertFalse((self.dir / "r-time.svg").exists())  # pictures have no time

    def test_video(self):
        frames, video = self.dir / "frames", self.dir / "clip.avi"
        frames.mkdir()
        for i in range(60):
            drawn = self.draw("train", i, "across" if 10 <= i < 40 else "", "along" if 25 <= i < 55 else "")
            drawn.rename(frames / f"{i:03d}.png")
        subprocess.run(["gst-launch-1.0", "-q", "multifilesrc", f"location={frames}/%03d.png", "stop-index=59",
                        "caps=image/png,framerate=10/1", "!", "pngdec", "!", "videoconvert", "!", "jpegenc", "quality=95", "!",
                        "avimux", "!", "filesink", f"location={video}"], check=True, timeout=60)
        labels = self.labels("clip.avi,1,10,normal", "clip.avi,11,40,across", "clip.avi,26,55,along", "clip.avi,57,60,normal")
        out = self.dir / "m"
        self.train("codebook", "-l", labels, "-o", out, *SMALL)
        # an event ends below the score of five times as many false alarms
        self.train("classifier", "-l", labels, "-w", 1, "-b", "cpu", "--false-alarms", "0.05", out)
        said = self.train("evaluate", "-l", labels, "-w", 1, "-b", "cpu", "--out", self.dir / "r", out)
        for name, first, last in ("across", 11, 40), ("along", 26, 55):
            self.assertIn(f"event of {name} in {video}, frames {first} to {last}: found at frame", said)
            self.assertIn(f"{name}: 1 of 1 events found", said)
        space = "{http://www.w3.org/2000/svg}"
        root = xml.etree.ElementTree.parse(self.dir / "r-time.svg").getroot()
        self.assertEqual(len(root.findall(f".//{space}polyline")), 2)
        truth = [r for r in root.findall(f".//{space}rect") if r.get("class") == "truth"]
        self.assertEqual(len(truth), 2)
        # drawn to scale: both are 30 frames long and begin 15 apart
        (a, a_wide), (b, b_wide) = [(float(r.get("x")), float(r.get("width"))) for r in truth]
        self.assertAlmostEqual(a_wide, b_wide, delta=0.1)
        self.assertAlmostEqual(b - a, a_wide / 2, delta=0.1)
        events = [r for r in root.findall(f".//{space}rect") if r.get("class") == "event"]
        self.assertGreaterEqual(len(events), 2)


class Repeating(Case):
    def codebook(self, *more, **how):
        path = self.dir / "m"
        self.train("codebook", "-o", path, *SMALL, *more, self.data / "train", **how)
        return path.read_bytes()

    def test_seed(self):
        first = self.codebook()
        self.assertEqual(first, self.codebook())
        note = first.index(b"codebook: ")  # the command stands there
        self.assertEqual(first[24:note - 64], self.codebook("--threads", "1")[24:note - 64])
        self.assertNotEqual(first[24:note - 64], self.codebook("--seed", "2")[24:note - 64])

    def test_likelihood_rises(self):
        said = self.train("codebook", "-o", self.dir / "m", *SMALL, "--tolerance", "0", "-i", "12", self.data / "train")
        values = [float(v) for v in re.findall(r"log-likelihood (\S+)", said)]
        self.assertGreater(len(values), 5)
        self.assertTrue(all(b >= a - 1e-4 * abs(a) for a, b in zip(values, values[1:])), values)

    def test_interrupt(self):
        arguments = ["-o", "m", "--components", "32", "--projected", "40", "--samples", "4000", "--backend", "cpu",
                     "--tolerance", "0", "-i", "400", str(self.data / "train")]
        whole, broken = self.dir / "whole", self.dir / "broken"
        for folder in whole, broken:
            folder.mkdir()
        run = lambda cwd, *more: subprocess.run([PROGRAM, "codebook", *arguments, *more], cwd=cwd, capture_output=True,
                                                text=True, timeout=180, check=False)
        self.assertEqual(run(whole).returncode, 0)
        with subprocess.Popen([PROGRAM, "codebook", *arguments], cwd=broken, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.PIPE) as process:
            for line in process.stdout:
                if line.startswith("iteration   2"):
                    process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=60), 130)
            self.assertIn("--resume", process.stderr.read())
        self.assertTrue((broken / "m.checkpoint").exists() and not (broken / "m").exists())
        other = subprocess.run([PROGRAM, "codebook", *arguments, "--resume", "--seed", "9"], cwd=broken, timeout=60,
                               capture_output=True, text=True, check=False)
        self.assertIn("other options", other.stderr)
        result = run(broken, "--resume")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual((whole / "m").read_bytes(), (broken / "m").read_bytes())
        self.assertFalse((broken / "m.checkpoint").exists())


class BadInput(Case):
    def test_labels(self):
        v = self.video
        for lines, says in [
                ((f"{v},1,10,normal", f"{v},30,41,x"), "labels.csv:3: the labels do not fit the video: they go to frame 41"),
                ((f"{v},1,10,normal", f"{v},10,20,x"), "labels.csv:3: frame 10 of"),
                ((f"{v},1,10,y", f"{v},12,20,x", f"{v},5,11,normal"), "is both 'y' (in labels.csv:2) and 'normal'"),
                ((f"{v},1,40,y", f"{v},2,3,x", f"{v},20,21,y"), "labels.csv:4: frame 20 of"),
                ((f"{v},1,40,y", f"{v},2,20,x"), "nearly every labelled frame has the class 'y'"),
                ((f"{v},9,5,normal",), "frame 9 comes after 5"), ((f"{v},0,5,normal",), "frames count from 1"),
                ((f"{v},1,5",), "3 fields where"), ((f"{v},1,5,",), "name of a class"),
                ((f"{v},1,20,normal",), "one class only"), ((), "labels no frame"),
                (("nothing.avi,1,5,a", f"{v},1,5,b"), "there is no file"),
                ((f"{v},1,20,normal", f"{v},21,22,x"), "fewer frames than the 5 folds")]:
            with self.subTest(says):
                self.refused("classifier", "-l", self.labels(*lines), "-o", self.dir / "m", "-b", "cpu", self.model, says=says)
        self.refused("classifier", "-l", self.labels(header="file,label"), self.model, says="labels.csv:1: the first line must")
        self.assertFalse((self.dir / "m").exists())

    def test_empty_class(self):
        for name in "a", "b":
            (self.dir / "set" / name).mkdir(parents=True)
        shutil.copy(self.data / "train" / "along" / "00.png", self.dir / "set" / "a")
        self.refused("classifier", "-l", self.dir / "set", self.model, says="has no pictures or videos")

    def test_unreadable_video(self):
        folder = self.dir / "set"
        shutil.copytree(self.data / "train", folder)
        broken = folder / "along" / "00a.png"
        broken.write_bytes(b"this is no picture")
        for command in (["codebook", "-o", self.dir / "m", *SMALL, folder],
                        ["classifier", "-l", folder, "-o", self.dir / "m", "-b", "cpu", self.model]):
            self.refused(*command, says=f"{broken} cannot be read")
            self.assertIn(f"skipped: {broken} cannot be read", self.train(*command, "--on-error", "skip"))

    def test_nowhere_to_write(self):
        out = self.dir / "none" / "m"
        broken = self.dir / "broken.png"
        broken.write_bytes(b"this is no picture")  # nothing is read before
        says = f"cannot write '{out}'"
        self.refused("codebook", "-o", out, *SMALL, broken, says=says)
        self.refused("classifier", "-l", self.dir / "none.csv", "-o", out, self.model, says=says)

    def test_small_frames(self):
        png(self.dir / "small.png", [[0] * 8] * 8)
        self.refused("codebook", "-o", self.dir / "m", *SMALL, self.dir / "small.png", says="no room for a descriptor")

    def test_large_frames(self):
        png(self.dir / "large.png", [[(x * y) % 251 for x in range(1280)] for y in range(720)])
        out = self.dir / "m"
        said = self.train("codebook", "-o", out, *SMALL, self.dir / "large.png")
        self.assertIn("note: a frame of 1280x720 has 223479 descriptors; --largest-scale 0.41 ", said)
        self.assertNotIn("note:", self.train("codebook", "-o", out, *SMALL, "--largest-scale", "0.41", self.dir / "large.png"))

    def test_models(self):
        good = self.model.read_bytes()
        damaged = self.dir / "damaged"
        for data, says in [(good[:1000], "checksum"), (good[:500] + b"x" + good[501:], "checksum"), (b"", "does not begin"),
                           (good[:8] + b"\3" + good[9:], "of version 3, newer")]:
            damaged.write_bytes(data)
            self.refused("describe", damaged, says=says)
            self.refused("evaluate", "-l", self.data / "test", damaged, says=says)
        self.refused("describe", self.dir / "none", says="cannot open the model")
        self.refused("evaluate", "-l", self.data / "test", self.model, says="has no classifier")

    def test_arguments(self):
        for arguments, says in [(["codebook", self.video], "needs --out"), (["codebook", "-o", "m"], "takes FILE"),
                                (["codebook", "-o", "m", "--components", "0", self.video], "--components 0 is not within"),
                                (["codebook", "-o", "m", "--on-error", "cry", self.video], "neither stop nor skip"),
                                (["codebook", "-o", "m", "-b", "abacus", self.video], "none of auto, cuda and cpu"),
                                (["classifier", self.model], "needs --labels"), (["fly"], "is no command"),
                                (["codebook", "-o", "m", "--filter", "nosuch", "-b", "cpu", self.video], "nosuch")]:
            with self.subTest(says):
                self.refused(*arguments, says=says, status=2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
