# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-train statistics and maximise: the next mixture does not depend on how the files are shared out.
Usage: vigil_train_shards.py PROGRAM [unittest arguments]"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
VIDEOS = 7


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = pathlib.Path(tempfile.mkdtemp(prefix="vigil-shards-"))
        cls.addClassCleanup(shutil.rmtree, cls.base)
        cls.videos = cls.base / "videos"
        cls.videos.mkdir()
        for i in range(VIDEOS):
            subprocess.run(["gst-launch-1.0", "-q", "scenetestsrc", f"num-buffers={4 + i}", f"seed={i}", "!", "video/x-raw,format=I420,width=128,"
                            "height=96,framerate=5/1", "!", "jpegenc", "!", "avimux", "!", "filesink", f"location={cls.videos / f'{i}.avi'}"],
                           check=True, timeout=60)
        cls.model = cls.base / "start.model"
        cls.train("codebook", "-o", cls.model, "--components", 6, "--samples", 3000, "--projected", 12, "--iterations", 1, "--scales", 2,
                  "--backend", "cpu", cls.videos)

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="vigil-shards-"))
        self.addCleanup(shutil.rmtree, self.dir)

    @classmethod
    def train(cls, *arguments, status=0):
        result = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=200, check=False)
        if result.returncode != status:
            raise AssertionError(f"status {result.returncode}, expected {status}: {result.stdout}{result.stderr}")
        return result.stdout + result.stderr

    def statistics(self, model, name, *more):
        out = self.dir / name
        self.train("statistics", "-o", out, "--backend", "cpu", *more, model, self.videos)
        return out

    def step(self, model, shards, name):
        """One iteration; the next model and the log-likelihood before it."""
        files = [self.statistics(model, f"{name}.{i}", "--task", f"{i}/{shards}") for i in range(shards)]
        out = self.dir / f"{name}.model"
        # also the order of the files must not matter
        words = self.train("maximise", "-o", out, model, *reversed(files))
        return out, float(re.search(r"log-likelihood (\S+)", words)[1])


class Shards(Case):
    def test_same_bits_for_1_2_3_and_7_shards(self):
        models = {n: self.step(self.model, n, f"of{n}")[0].read_bytes() for n in (1, 2, 3, 7)}
        self.assertNotEqual(models[1], self.model.read_bytes())
        for n in (2, 3, 7):
            self.assertEqual(models[n], models[1], f"{n} shards")

    def test_more_shards_than_files(self):
        self.assertEqual(self.step(self.model, 9, "nine")[0].read_bytes(), self.step(self.model, 1, "one")[0].read_bytes())

    def test_likelihood_rises(self):
        """As it must with expectation maximisation; also beyond what the first model was fitted to."""
        model, likelihoods = self.model, []
        for i in range(4):
            model, l = self.step(model, 2, f"step{i}")
            likelihoods.append(l)
        self.assertEqual(likelihoods, sorted(likelihoods))
        self.assertGreater(likelihoods[-1], likelihoods[0])

    def test_with_all_descriptors_it_is_the_trainers_own_step(self):
        """codebook with more samples than there are descriptors takes all of them, as statistics does: its second iteration begins
        with the mixture of its first, and must have the log-likelihood that statistics finds under that."""
        def codebook(iterations):
            out = self.dir / f"{iterations}.model"
            words = self.train("codebook", "-o", out, "--components", 6, "--samples", 1000000, "--projected", 12, "--iterations", iterations,
                               "--tolerance", 0, "--scales", 2, "--backend", "cpu", self.videos)
            return out, [float(x) for x in re.findall(r"log-likelihood (\S+) a descriptor", words)]
        first, _ = codebook(1)
        _, likelihoods = codebook(2)
        _, found = self.step(first, 3, "own")
        self.assertAlmostEqual(found, likelihoods[1], delta=1e-5 * abs(found))


class BadInput(Case):
    def refused(self, words, *statistics, status=2):
        self.assertIn(words, self.train("maximise", "-o", self.dir / "x.model", self.model, *statistics, status=status))
        self.assertFalse((self.dir / "x.model").exists())

    def test_of_another_mixture(self):
        other, _ = self.step(self.model, 1, "other")
        self.refused("another mixture", self.statistics(other, "of-other"))

    def test_a_share_twice(self):
        one = self.statistics(self.model, "one", "--task", "0/2")
        self.refused("would count twice", one, one)

    def test_other_frames(self):
        self.refused("made with", self.statistics(self.model, "a", "--task", "0/2"), self.statistics(self.model, "b", "--task", "1/2", "--every", 2))

    def test_damaged_and_missing(self):
        whole = self.statistics(self.model, "whole")
        bad = self.dir / "bad"
        data = bytearray(whole.read_bytes())
        data[len(data) // 2] ^= 1
        bad.write_bytes(data)
        self.refused("bad: ", bad, status=1)
        bad.write_bytes(whole.read_bytes()[:100])
        self.refused("bad: ", bad, status=1)
        self.refused("cannot open", self.dir / "nothing", status=1)
        self.refused("does not begin with VIGILSTA", self.model, status=1)

    def test_a_share_beyond_the_count(self):
        self.assertIn("there is no share 2 of 2", self.train("statistics", "-o", self.dir / "s", "--task", "2/2", self.model, self.videos, status=2))

    def test_too_few_descriptors(self):
        self.refused("fewer than the 6 components", self.statistics(self.model, "none", "--task", "8/9"), status=1)


if __name__ == "__main__":
    unittest.main()
