# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-eval --tracks against numbers of motmetrics 1.4.0 and trackeval 1.3.0, and against these themselves where they are installed.

Usage: track_score.py PROGRAM [unittest arguments]. `track_score.py PROGRAM --oracle` prints the numbers for GOLDEN.
"""
import json
import math
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
# seed, IoU threshold -> what the two packages say
GOLDEN = {
    (1, 0.5): (0.51, 0.23529411764705882, 0.224164226118215, 0.49612609296552984, 0.10297930205619639, 50, 130, 65),
    (2, 0.5): (0.518, 0.33542976939203356, 0.2769907038876669, 0.5005456888819877, 0.15396490642059257, 51, 118, 72),
    (3, 0.3): (0.71, 0.32873806998939553, 0.2383150660665442, 0.5101265804068992, 0.11251294158604731, 54, 74, 17),
    (4, 0.7): (-0.29400000000000004, 0.15110178384050368, 0.2433002816876843, 0.5010861723536222, 0.11877740660501293, 44, 325, 278),
}
KEYS = ("mota", "idf1", "hota", "deta", "assa", "switches", "misses", "false_positives")


def tracks(seed):
    """True and found tracks: people who walk, boxes that shake, go missing, are invented, and change their numbers."""
    draw = random.Random(seed)
    truth, found = [], []
    walkers = [[draw.uniform(0, 600), draw.uniform(0, 400), draw.uniform(-9, 9), draw.uniform(-5, 5), i + 1]
               for i in range(8)]
    for frame in range(1, 81):
        for number, walker in enumerate(walkers):
            walker[0] += walker[2]
            walker[1] += walker[3]
            first, last = 1 + 3 * number, 80 - 2 * number
            if not first <= frame <= last:
                continue
            truth.append((frame, number + 1, walker[0], walker[1], 40.0, 80.0))
            if draw.random() < 0.85:
                found.append((frame, walker[4], walker[0] + draw.gauss(0, 5), walker[1] + draw.gauss(0, 9),
                              40 + draw.uniform(-9, 9), 80 + draw.uniform(-15, 15)))
        for walker in walkers:  # others from the next frame on
            if draw.random() < 0.04:
                walker[4] += 100
            if draw.random() < 0.04:
                other = draw.choice(walkers)
                walker[4], other[4] = other[4], walker[4]
        if draw.random() < 0.3:
            found.append((frame, 5000 + frame, draw.uniform(0, 600), draw.uniform(0, 400), 40.0, 80.0))
    return truth, found


def write(path, boxes):
    path.write_text("".join(",".join(map(repr, b)) + ",1,-1,-1,-1\n" for b in boxes), encoding="utf-8")


def oracle(truth, found, threshold):
    """The same measures by the two packages; ImportError where they are not installed."""
    import motmetrics  # pylint: disable=import-error,import-outside-toplevel
    import numpy  # pylint: disable=import-error,import-outside-toplevel
    import trackeval  # pylint: disable=import-error,import-outside-toplevel

    def overlap(a, b):
        width = min(a[2] + a[4], b[2] + b[4]) - max(a[2], b[2])
        height = min(a[3] + a[5], b[3] + b[5]) - max(a[3], b[3])
        both = max(width, 0) * max(height, 0)
        return both / (a[4] * a[5] + b[4] * b[5] - both)

    accumulator = motmetrics.MOTAccumulator()
    true_ids = {n: i for i, n in enumerate(sorted({b[1] for b in truth}))}
    found_ids = {n: i for i, n in enumerate(sorted({b[1] for b in found}))}
    last = max(b[0] for b in truth + found)
    data = {"gt_ids": [], "tracker_ids": [], "similarity_scores": [], "num_gt_ids": len(true_ids),
            "num_tracker_ids": len(found_ids), "num_timesteps": last, "num_gt_dets": len(truth),
            "num_tracker_dets": len(found)}
    for frame in range(1, last + 1):
        t, f = ([b for b in boxes if b[0] == frame] for boxes in (truth, found))
        similar = numpy.array([[overlap(a, b) for b in f] for a in t]).reshape(len(t), len(f))
        accumulator.update([b[1] for b in t], [b[1] for b in f],
                           numpy.where(similar >= threshold, 1 - similar, numpy.nan), frameid=frame)
        data["gt_ids"].append(numpy.array([true_ids[b[1]] for b in t], int))
        data["tracker_ids"].append(numpy.array([found_ids[b[1]] for b in f], int))
        data["similarity_scores"].append(similar)
    names = ["mota", "idf1", "num_switches", "num_misses", "num_false_positives"]
    clear = motmetrics.metrics.create().compute(accumulator, metrics=names, name="x").iloc[0]
    hota = trackeval.metrics.HOTA().eval_sequence(data)
    return (float(clear["mota"]), float(clear["idf1"]), float(hota["HOTA"].mean()), float(hota["DetA"].mean()),
            float(hota["AssA"].mean()), *(int(clear[n]) for n in names[2:]))


class Tracks(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="vigil-tracks-"))
        self.addCleanup(shutil.rmtree, self.dir)

    def run_eval(self, *arguments, status=0):
        result = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result

    def score(self, truth, found, threshold):
        write(self.dir / "truth.txt", truth)
        write(self.dir / "found.txt", found)
        out = self.dir / "out.json"
        self.run_eval("--tracks", self.dir / "truth.txt", "--iou", threshold, "--json", out, self.dir / "found.txt")
        return json.loads(out.read_text())["tracks"][0]

    def compare(self, got, want, case):
        for key, value in zip(KEYS, want):
            self.assertLess(abs(got[key] - value), 1e-6, f"{key} of {case}")

    def test_golden(self):
        for (seed, threshold), want in GOLDEN.items():
            self.compare(self.score(*tracks(seed), threshold), want, (seed, threshold))

    def test_packages(self):
        try:
            for seed in range(10, 14):
                truth, found = tracks(seed)
                self.compare(self.score(truth, found, 0.5), oracle(truth, found, 0.5), seed)
        except ImportError as missing:
            print(f"SKIPPED the comparison with the packages themselves: {missing}; pip install motmetrics trackeval",
                  file=sys.stderr)
            self.skipTest(str(missing))

    def test_same_is_perfect(self):
        truth, _ = tracks(1)
        score = self.score(truth, truth, 0.5)
        for key in "mota", "idf1", "hota", "deta", "assa":
            self.assertAlmostEqual(score[key], 1)
        self.assertEqual(score["switches"] + score["misses"] + score["false_positives"], 0)

    def test_nothing_found(self):
        score = self.score(tracks(1)[0], [], 0.5)
        self.assertEqual((score["mota"], score["idf1"], score["hota"], score["precision"]), (0, 0, 0, None))
        self.assertFalse(math.isnan(score["recall"]))

    def test_refusals(self):
        good = self.dir / "good.txt"
        write(good, tracks(1)[0])
        cases = {"1,1,0,0,5": "ends before height", "1,x,0,0,5,5": "id is", "0,1,0,0,5,5": "frame 0",
                 "1,1,0,0,0,5": "no size", "1,1,0,0,5,5\n1,1,9,9,5,5": "twice", "1,1,nan,0,5,5": "left is",
                 "1.5,1,0,0,5,5": "frame 1.5"}
        bad = self.dir / "bad.txt"
        for text, says in cases.items():
            bad.write_text("\n" + text + "\n", encoding="utf-8")
            error = self.run_eval("--tracks", good, bad, status=1).stderr
            self.assertIn(says, error)
            self.assertIn(f"line {2 + text.count(chr(10))}", error)
        self.run_eval("--tracks", self.dir / "none.txt", good, status=1)
        bad.write_text("", encoding="utf-8")
        self.assertIn("no box", self.run_eval("--tracks", bad, good, status=1).stderr)
        self.run_eval("--tracks", good, status=2)
        self.run_eval("--tracks", good, "--iou", 1.5, good, status=2)
        self.run_eval("--tracks", good, "--warmup", 3, good, status=2)


if __name__ == "__main__":
    if "--oracle" in sys.argv:
        for case in ((1, 0.5), (2, 0.5), (3, 0.3), (4, 0.7)):
            print(f"    {case}: {oracle(*tracks(case[0]), case[1])},")
    else:
        unittest.main()
