# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-eval on tiny sequences whose counts are known. Usage: vigil_eval.py PROGRAM [unittest arguments]

The frames are the masks: grey pictures go through `identity` unchanged, so every count is known beforehand.
"""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from pictures import bmp, png

PROGRAM = sys.argv.pop(1)
WIDTH, HEIGHT = 8, 6


def flat(value):
    return [[value] * WIDTH for _ in range(HEIGHT)]


def found(n):
    """A mask whose first n pixels are foreground, the others shadow."""
    values = [255] * n + [127] * (WIDTH * HEIGHT - n)
    return [values[y * WIDTH:(y + 1) * WIDTH] for y in range(HEIGHT)]


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def element_exists(name):
    return subprocess.run(["gst-inspect-1.0", "--exists", name], check=False).returncode == 0


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="vigil-eval-"))
        self.addCleanup(shutil.rmtree, self.dir)

    def cdnet(self, name="set", frames=10, labelled=(4, 10), truth=None, save=png, suffix="png"):
        """Frame n (from 1) has n foreground pixels; its truth is by default foreground in the upper half."""
        folder = self.dir / name
        (folder / "input").mkdir(parents=True)
        (folder / "groundtruth").mkdir()
        for n in range(1, frames + 1):
            save(folder / "input" / f"in{n:06d}.{suffix}", found(n))
        for n in range(labelled[0], labelled[1] + 1):
            half = truth or flat(255)[:HEIGHT // 2] + flat(0)[HEIGHT // 2:]
            png(folder / "groundtruth" / f"gt{n:06d}.png", half)
        return folder

    def run_eval(self, *arguments, status=0):
        result = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result

    def evaluate(self, *arguments):
        out = self.dir / "out.json"
        self.run_eval("--json", out, *arguments)
        return json.loads(out.read_text())["runs"]

    def counts(self, *arguments):
        sequence = self.evaluate(*arguments)[0]["sequences"][0]
        return tuple(sequence[k] for k in ("tp", "fp", "fn", "tn"))

    def refused(self, *arguments, says, status):
        result = self.run_eval(*arguments, status=status)
        self.assertIn(says, result.stderr)
        self.assertTrue(result.stderr.startswith("vigil-eval: "), result.stderr)


# Frames 4..10 with 24 foreground pixels of truth each, of which n are found.
TP = sum(range(4, 11))
EXPECTED = (TP, 0, 7 * 24 - TP, 7 * 24)


class Scores(Case):
    def test_known_counts(self):
        folder = self.cdnet()
        run = self.evaluate("identity", folder)[0]
        s = run["sequences"][0]
        self.assertEqual((s["name"], s["frames"], s["scored"], s["missing"]), ("set", 10, 7, 0))
        self.assertEqual((s["tp"], s["fp"], s["fn"], s["tn"]), EXPECTED)
        self.assertAlmostEqual(s["recall"], TP / (7 * 24))
        self.assertEqual(s["precision"], 1)
        self.assertAlmostEqual(s["f_measure"], 2 * TP / (2 * TP + EXPECTED[2]))
        self.assertAlmostEqual(s["pwc"], 100 * EXPECTED[2] / (14 * 24))
        self.assertGreater(s["frames_per_second"], 0)

    def test_table(self):
        words = self.run_eval("identity", self.cdnet()).stdout.splitlines()
        self.assertEqual(words[1].split()[:8],
                         ["set", "10", "7", f"{TP / 168:.4f}", "1.0000", "1.0000",
                          f"{2 * TP / (TP + 168):.4f}", f"{100 * EXPECTED[2] / 336:.3f}"])

    def test_pooled_adds_counts(self):
        a, b = self.cdnet("a"), self.cdnet("b", labelled=(10, 10), truth=flat(0))
        run = self.evaluate("identity", a, b)[0]
        self.assertEqual([s["name"] for s in run["sequences"]], ["a", "b"])
        p = run["pooled"]
        self.assertEqual((p["tp"], p["fp"], p["fn"], p["tn"]), (TP, 10, EXPECTED[2], EXPECTED[3] + 38))
        # b has foreground in its mask alone: its F-measure is 0.
        self.assertAlmostEqual(p["mean_f_measure"], run["sequences"][0]["f_measure"] / 2)

    def test_undefined_is_null(self):
        s = self.evaluate("identity", self.cdnet(truth=flat(85)))[0]["sequences"][0]
        self.assertIsNone(s["recall"])
        self.assertEqual(s["scored"], 7)

    def test_warmup(self):
        self.assertEqual(self.counts("--warmup", 9, "identity", self.cdnet()), (10, 0, 14, 24))

    def test_frames_csv(self):
        out = self.dir / "frames.csv"
        self.run_eval("--frames", out, "identity", self.cdnet())
        rows = read_csv(out)
        self.assertEqual([(r["sequence"], int(r["frame"]), int(r["tp"])) for r in rows],
                         [("set", n, n) for n in range(4, 11)])

    def test_a_format_is_delivered(self):
        check = "capsfilter caps=video/x-raw,format=RGBA ! videoconvert"
        self.assertEqual(self.counts("--format", "RGBA", check, self.cdnet())[0], TP)

    def test_frame_rate(self):
        check = "capsfilter caps=video/x-raw,framerate=30000/1001"
        self.assertEqual(self.counts("--fps", "30000/1001", check, self.cdnet()), EXPECTED)


class Timing(Case):
    def test_delayed_masks(self):
        self.assertEqual(self.counts("queue min-threshold-buffers=5", self.cdnet()), EXPECTED)

    def test_dropped_masks_are_told(self):
        folder, out = self.cdnet(frames=30, labelled=(1, 30)), self.dir / "frames.csv"
        half = "videorate drop-only=true ! video/x-raw,framerate=25/2"
        result = self.run_eval("--frames", out, half, folder)
        rows = read_csv(out)
        self.assertTrue(10 <= len(rows) <= 20, len(rows))
        for r in rows:
            # Whatever frames it keeps, each must meet its own truth: frame n has n foreground pixels.
            self.assertEqual(int(r["tp"]) + int(r["fp"]), int(r["frame"]))
        self.assertIn(f"set: {30 - len(rows)} frames with truth were not scored", result.stdout)

    def test_all_dropped(self):
        drop = "valve drop=true drop-mode=forward-sticky-events"
        self.refused(drop, self.cdnet(), says="10 frames went in, 0 masks came out", status=1)

    def test_never_ending(self):
        self.refused("--timeout", 1, "valve drop=true", self.cdnet(), says="no mask and no end of stream for 1 s",
                     status=1)


class Layouts(Case):
    def test_jpeg(self):
        folder = self.cdnet(save=lambda path, rows: png(path, flat(255)))
        subprocess.run(["gst-launch-1.0", "-q", "multifilesrc", f"location={folder}/input/in%06d.png", "start-index=1",
                        "caps=image/png,framerate=25/1", "!", "pngdec", "!", "jpegenc", "quality=100", "!",
                        "multifilesink", "index=1", f"location={folder}/input/in%06d.jpg"], check=True)
        for n in range(1, 11):
            (folder / "input" / f"in{n:06d}.png").unlink()
        self.assertEqual(self.counts("identity", folder), (7 * 24, 7 * 24, 0, 0))

    @unittest.skipUnless(element_exists("avdec_bmp"), "no BMP decoder (gstreamer1.0-libav)")
    def test_bmp(self):
        folder = self.cdnet(save=lambda path, rows: bmp(path, rows, 24), suffix="bmp")
        self.assertEqual(self.counts("--format", "GRAY8", "identity", folder), EXPECTED)

    def test_wallflower(self):
        folder = self.dir / "trees"
        (folder / "input").mkdir(parents=True)
        for n in range(5):
            png(folder / "input" / f"b{n:05d}.png", found(12))
        png(folder / "hand_segmented_00003.png", flat(128)[:1] + flat(127)[1:])
        run = self.evaluate("identity", folder)[0]["sequences"][0]
        self.assertEqual((run["frames"], run["scored"]), (5, 1))
        self.assertEqual((run["tp"], run["fp"], run["fn"], run["tn"]), (8, 4, 0, 36))

    def test_palette_truth(self):
        folder = self.cdnet(labelled=(10, 10))
        rows = [[0, 50, 85, 170, 255, 255, 255, 255]] + flat(50)[1:]
        png(folder / "groundtruth" / "gt000010.png", rows, palette=True)
        self.assertEqual(self.counts("identity", folder), (4, 4, 0, 38))

    def test_regions(self):
        folder = self.cdnet()
        (folder / "temporalROI.txt").write_text("9 400")
        bmp(folder / "ROI.bmp", flat(255)[:1] + flat(0)[1:])
        self.assertEqual(self.counts("identity", folder), (16, 0, 0, 0))

    def test_order_is_by_number(self):
        folder = self.cdnet()
        for n in range(1, 11):
            (folder / "input" / f"in{n:06d}.png").rename(folder / "input" / f"frame-{n}.png")
        self.assertEqual(self.counts("identity", folder), EXPECTED)


class BadInput(Case):
    def test_arguments(self):
        folder = self.cdnet()
        for says, arguments in {
            "DESCRIPTION and at least one DATASET": ["identity"],
            "Unknown option": ["--nonsense", "identity", folder],
            "no element \"nonsense\"": ["nonsense", folder],
            "no property \"nonsense\"": ["identity nonsense=1", folder],
            "open ends": ["identity ! fakesink", folder],
            "is no rate above 0": ["--fps", "0", "identity", folder],
            "is no video format": ["--format", "RGBQ", "identity", folder],
            "below 0": ["--warmup", "-1", "identity", folder],
            "there is no folder": ["identity", self.dir / "nowhere"],
            "names the files of a --sweep": ["--out", "x", "identity", folder],
        }.items():
            with self.subTest(says):
                self.refused(*arguments, says=says, status=2)

    def test_folders(self):
        def spoil(name, action, says):
            with self.subTest(name):
                folder = self.cdnet(name)
                action(folder)
                self.refused("identity", folder, says=says, status=2)
        spoil("no-input", lambda f: shutil.rmtree(f / "input"), "has no folder input/")
        spoil("no-truth", lambda f: shutil.rmtree(f / "groundtruth"), "has no truth for any of its frames (10 pictures)")
        spoil("no-frames", lambda f: [p.unlink() for p in (f / "input").iterdir()], "has no numbered")
        spoil("mixed", lambda f: bmp(f / "input" / "in000011.bmp", flat(0)), "mixes .png and .bmp")
        spoil("twice", lambda f: png(f / "input" / "b10.png", flat(0)), "have the same number")
        spoil("range", lambda f: (f / "temporalROI.txt").write_text("9 8"), "two numbers")
        spoil("region", lambda f: (f / "ROI.bmp").write_bytes(b"BM" + bytes(60)), "impossible size")
        spoil("cut-region", lambda f: cut(f / "ROI.bmp", bmp), "ends too early")

    def test_damaged_truth(self):
        folder = self.cdnet()
        cut(folder / "groundtruth" / "gt000007.png", png)
        self.refused("identity", folder, says="gt000007.png is not a sound PNG", status=1)

    def test_damaged_frame_is_told(self):
        folder = self.cdnet()
        (folder / "input" / "in000007.png").write_bytes(b"not a picture at all, but of some length")
        result = subprocess.run([PROGRAM, "identity", folder], capture_output=True, text=True, timeout=120, check=False)
        output = result.stdout + result.stderr
        self.assertTrue("were not scored" in output or result.returncode == 1, output)

    def test_sizes(self):
        self.refused("videoscale ! video/x-raw,width=4", self.cdnet(),
                     says="frame 4 of set: the mask is 4x6 and the truth 8x6", status=1)

    def test_other_formats_are_refused(self):
        self.refused("videoconvert ! video/x-raw,format=RGB", self.cdnet(), says="cannot link description", status=1)

    def test_pipeline_error(self):
        self.refused("identity error-after=5", self.cdnet(), says="Failed after iterations as requested", status=1)

    def test_unwritable(self):
        self.refused("--json", self.dir / "no" / "out.json", "identity", self.cdnet(), says="cannot write", status=1)


def cut(path, save):
    save(path, flat(0))
    path.write_bytes(path.read_bytes()[:-8 if save is bmp else 45])


class Sweeps(Case):
    MASKS = "videobalance ! videoconvert"

    def sweep(self, words, *more):
        out = self.dir / "roc"
        self.run_eval("--sweep", words, "--out", out, "--format", "RGB", *more, self.MASKS, self.cdnet("a"), self.cdnet("b"))
        return read_csv(out.with_suffix(".csv")), out.with_suffix(".svg")

    def test_csv(self):
        rows, _ = self.sweep("brightness=-1..1:3:lin")
        self.assertEqual([(float(r["brightness"]), r["sequence"]) for r in rows],
                         [(v, s) for v in (-1, 0, 1) for s in ("a", "b", "pooled")])
        rates = [(float(r["true_positive_rate"]), float(r["false_positive_rate"])) for r in rows]
        self.assertEqual(rates[0], (0, 0))              # all black
        self.assertAlmostEqual(rates[3][0], TP / 168)   # as it is
        self.assertEqual(rates[5], rates[3])            # pooled over two equal sequences
        self.assertEqual(int(rows[5]["tp"]), 2 * int(rows[3]["tp"]))

    def test_svg(self):
        _, svg = self.sweep("brightness=-1..1:3:lin")
        space = "{http://www.w3.org/2000/svg}"
        root = xml.etree.ElementTree.parse(svg).getroot()
        self.assertEqual(root.tag, space + "svg")
        self.assertEqual(len(root.findall(f".//{space}polyline")), 2)
        self.assertEqual(len(root.findall(f".//{space}circle")), 6)
        words = [t.text for t in root.iter(space + "text")]
        self.assertTrue(any(w.startswith("false positives") for w in words))
        self.assertTrue(any(w.startswith("true positives") for w in words))

    def test_default_is_twelve_logarithmic_steps(self):
        rows, _ = self.sweep("contrast=0.001..1", "--json", self.dir / "all.json")
        values = [float(r["contrast"]) for r in rows if r["sequence"] == "a"]
        self.assertEqual(len(values), 12)
        self.assertEqual((values[0], values[-1]), (0.001, 1))
        for a, b in zip(values, values[1:]):
            self.assertAlmostEqual(b / a, 1000 ** (1 / 11), places=3)
        runs = json.loads((self.dir / "all.json").read_text())["runs"]
        self.assertEqual([r["value"] for r in runs], values)

    def test_integers_are_rounded(self):
        out = self.dir / "roc"
        self.run_eval("--sweep", "max-size-buffers=1..4:12", "--out", out, "queue", self.cdnet())
        rows = read_csv(out.with_suffix(".csv"))
        self.assertEqual([r["max-size-buffers"] for r in rows if r["sequence"] == "set"], ["1", "2", "3", "4"])

    def test_refused(self):
        folder = self.cdnet()
        for says, words in {
            "it is not PROPERTY=LOW..HIGH": "contrast",
            "must be numbers": "contrast=2..1",
            "is neither log, lin": "contrast=1..2:1",
            "equal ratios need a LOW above 0": "contrast=0..1",
            "has a property \"nonsense\"": "nonsense=1..2",
            "cannot be": "contrast=1..3",
        }.items():
            with self.subTest(says):
                self.refused("--sweep", words, self.MASKS, folder, says=says, status=2)


class Scenes(Case):
    SCENE = "scene:street,seed=3,quiet=0,frames=60,width=160,height=120"

    def counts_by_frame(self, description):
        out = self.dir / "frames.csv"
        self.run_eval("--format", "GRAY8", "--frames", out, description, self.SCENE)
        return {r["frame"]: tuple(int(r[k]) for k in ("tp", "fp", "fn", "tn")) for r in read_csv(out)}

    def test_truth_meets_its_frames(self):
        direct = self.counts_by_frame("identity")
        self.assertEqual(list(direct), [str(n) for n in range(60)])
        areas = {tp + fn for tp, _, fn, _ in direct.values()}
        self.assertGreater(len(areas), 20) # so that a truth that meets another frame would be seen
        self.assertEqual(self.counts_by_frame("queue min-threshold-buffers=40"), direct)
        some = self.counts_by_frame("videorate drop-only=true ! video/x-raw,framerate=25/3")
        self.assertTrue(18 <= len(some) <= 22, some)
        self.assertEqual(some, {n: direct[n] for n in some})

    def test_bad_scenes(self):
        for says, scene in {"no property": "scene:nonsense=1", "cannot be set": "scene:seed=many",
                            "there are street, indoor, ": "scene:strete", "number from 1 up": "scene:frames=0", "is not property=value": "scene:street,,"}.items():
            with self.subTest(says):
                self.refused("identity", scene, says=says, status=2)


if __name__ == "__main__":
    os.environ["GST_DEBUG"] = "0"  # a development version of GStreamer writes errors to stderr by default
    unittest.main()
