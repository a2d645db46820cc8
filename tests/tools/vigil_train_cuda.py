# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-train on a CUDA device compared with the same on the CPU. Usage: vigil_train_cuda.py PROGRAM [unittest arguments]
Exits with 77 (skipped) where there is no CUDA device."""
import csv
import ctypes
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
FRAMES = 12
SMALL = ["--components", "8", "--projected", "12", "--samples", "4000", "--tolerance", "0", "-i", "5"]
# Vectors agree to 1e-3 (kernels/fisher/fisher.h), so do scores, relative to the norm of the weights. A codebook and weights
# that were learnt from such vectors differ by more than the vectors do.
SAME_MODEL, OWN_MODEL = 1e-3, 1e-2


def why_no_cuda():
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        return str(error)
    count = ctypes.c_int()
    code = driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count))
    return f"the driver says {code}" if code else "" if count.value else "the driver has no device"


class Cuda(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.data = pathlib.Path(tempfile.mkdtemp(prefix="vigil-train-cuda-"))
        cls.addClassCleanup(shutil.rmtree, cls.data)
        # sizes that differ, so that the memory of frames grows and is used for smaller ones, and that are odd
        cls.videos = {}
        for name, scene, width, height in (("quiet", "empty", 127, 95), ("busy", "crowd", 161, 121), ("small", "street", 99, 75)):
            cls.videos[name] = cls.data / f"{name}.avi"
            subprocess.run(["gst-launch-1.0", "-q", "scenetestsrc", f"num-buffers={FRAMES}", f"scene={scene}", "quiet=0", "!",
                            f"video/x-raw,format=I420,width={width},height={height},framerate=10/1", "!", "jpegenc", "quality=95",
                            "!", "avimux", "!", "filesink", f"location={cls.videos[name]}"], check=True, timeout=60)
        cls.labels = cls.data / "labels.csv"
        cls.labels.write_text("video,first,last,class\n" + "".join(
            f"{cls.videos[v]},1,{FRAMES},{c}\n" for v, c in (("quiet", "normal"), ("busy", "people"), ("small", "normal"))))

    def train(self, *arguments):
        result = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout + result.stderr

    def codebook(self, backend):
        path = self.data / f"codebook-{backend}.model"
        return path, self.train("codebook", "-o", path, *SMALL, "-b", backend, *self.videos.values())

    def classifier(self, backend, codebook, *more):
        path = self.data / f"classifier-{backend}.model"
        self.train("classifier", "-l", self.labels, "-o", path, "-b", backend, "--cost", 1, "-w", 1, *more, codebook)
        return path

    def scores(self, backend, model, *more):
        self.train("evaluate", "-l", self.labels, "--out", self.data / "r", "-w", 1, "-b", backend, *more, model)
        with open(self.data / "r-frames.csv", encoding="utf-8", newline="") as f:
            return [float(row["score"]) for row in csv.DictReader(f)]

    def assert_close(self, model, a, b, tolerance):
        norm = float(re.search(r"weights' norm (\S+),", self.train("describe", model))[1])
        self.assertEqual(len(a), 3 * FRAMES)
        self.assertEqual(len(b), len(a))
        worst = max(abs(x - y) for x, y in zip(a, b)) / norm
        print(f"scores differ by {worst:.2e} of the weights' norm, at most; {tolerance:.0e} is allowed")
        self.assertLessEqual(worst, tolerance)
        self.assertGreater(max(a) - min(a), 10 * tolerance * norm)  # they tell frames apart

    def test_codebook(self):
        likelihood = {}
        for backend in "cpu", "cuda":
            model, said = self.codebook(backend)
            self.assertIn(f"in {3 * FRAMES} frames", self.train("describe", model))
            likelihood[backend] = [float(v) for v in re.findall(r"log-likelihood (\S+)", said)]
        print(f"log-likelihoods: {likelihood}")
        self.assertEqual(len(likelihood["cpu"]), 5)
        for a, b in zip(*likelihood.values()):
            self.assertAlmostEqual(a, b, delta=1e-3 * abs(a))

    def step(self, model, backend, shards):
        """The next model, of the statistics of so many shares, and the log-likelihood before it."""
        parts = [self.data / f"{backend}-{shards}-{i}.statistics" for i in range(shards)]
        for i, part in enumerate(parts):
            self.train("statistics", "-o", part, "-b", backend, "--task", f"{i}/{shards}", model, *self.videos.values())
        out = self.data / f"{backend}-{shards}.model"
        words = self.train("maximise", "-o", out, model, *parts)
        return out.read_bytes(), float(re.search(r"log-likelihood (\S+)", words)[1])

    def test_same_bits_for_any_number_of_shards(self):
        model, _ = self.codebook("cpu")
        whole, likelihood = self.step(model, "cuda", 1)
        for shards in 2, 3, 7:
            self.assertEqual(self.step(model, "cuda", shards), (whole, likelihood), f"{shards} shards")
        _, on_cpu = self.step(model, "cpu", 1)
        print(f"log-likelihood of all descriptors: {likelihood}, on the CPU {on_cpu}")
        self.assertAlmostEqual(likelihood, on_cpu, delta=1e-3 * abs(on_cpu))  # the descriptors themselves differ by as much

    def test_codebook_again(self):
        """The same bits once more, and the mixture's fit on the GPU is said."""
        first, said = self.codebook("cuda")
        self.assertIn("the mixture is fitted on 1 x", said)
        first = first.read_bytes()
        self.assertEqual(self.codebook("cuda")[0].read_bytes(), first)

    def check_scores(self, *more):
        """A test for each format: one process may run each, where a single one would take minutes."""
        codebook, _ = self.codebook("cpu")
        model = self.classifier("cpu", codebook, *more)
        self.assert_close(model, self.scores("cpu", model, *more), self.scores("cuda", model, *more), SAME_MODEL)

    def test_scores(self):
        self.check_scores()

    def test_scores_of_gray8(self):
        self.check_scores("--filter", "videoconvert ! video/x-raw,format=GRAY8")

    def test_scores_of_nv12(self):
        self.check_scores("--filter", "videoconvert ! video/x-raw,format=NV12")

    def test_scores_of_rgba(self):
        self.check_scores("--filter", "videoconvert ! video/x-raw,format=RGBA")

    def test_scores_of_bgrx(self):
        self.check_scores("--filter", "videoconvert ! video/x-raw,format=BGRx")

    def test_all_on_cuda(self):
        found = {}
        for backend in "cpu", "cuda":
            model = self.classifier(backend, self.codebook(backend)[0])
            found[backend] = self.scores(backend, model)
        self.assert_close(model, found["cpu"], found["cuda"], OWN_MODEL)


if __name__ == "__main__":
    why = why_no_cuda()
    if why:
        print(f"SKIP: vigil-train on CUDA: {why}")
        sys.exit(77)
    unittest.main(verbosity=2)
