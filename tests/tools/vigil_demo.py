# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-demo on the scene, on files and on what is neither. Usage: vigil_demo.py PROGRAM [unittest arguments]"""
import json
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = sys.argv.pop(1)


def launch(*words):
    return subprocess.run(["gst-launch-1.0", *map(str, words)], capture_output=True, text=True, check=True, timeout=120)


def frames_in(video):
    seen = launch("-v", "filesrc", f"location={video}", "!", "decodebin", "!", "identity", "silent=false", "!", "fakesink")
    return len(re.findall(r"last-message = chain ", seen.stdout))


def png_header(path):
    width, height, _, kind = struct.unpack(">IIBB", path.read_bytes()[16:26])
    return width, height, {0: "grey", 2: "RGB", 3: "palette", 4: "grey+alpha", 6: "RGBA"}[kind]


class Demo(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="vigil-demo-"))
        self.addCleanup(shutil.rmtree, self.dir)
        self.out = self.dir / "deep" / "out"

    def run_demo(self, *arguments, status=0):
        result = subprocess.run([PROGRAM, "--out", self.out, *map(str, arguments)], capture_output=True, text=True,
                                timeout=240, check=False)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result

    def ball(self, frames=40, size=(320, 240), audio=False):
        """A ball that flies over black, as a file."""
        path = self.dir / "ball.avi"
        sound = ["audiotestsrc", f"num-buffers={frames}", "!", "m."] if audio else []
        launch("-q", "videotestsrc", "pattern=ball", f"num-buffers={frames}", "!",
               f"video/x-raw,width={size[0]},height={size[1]}", "!", "jpegenc", "!", "avimux", "name=m", "!", "filesink",
               f"location={path}", *sound)
        return path

    def events(self):
        return [json.loads(line) for line in (self.out / "events.jsonl").read_text().splitlines()]

    def check_results(self, frames, size, pictures):
        masks = sorted(p.name for p in self.out.glob("mask-*.png"))
        overlays = sorted(p.name for p in self.out.glob("overlay-*.png"))
        self.assertEqual(masks, [f"mask-{n:06d}.png" for n in pictures])
        self.assertEqual(overlays, [f"overlay-{n:06d}.png" for n in pictures])
        self.assertEqual(png_header(self.out / masks[0]), (*size, "grey"))
        self.assertEqual(png_header(self.out / "background.png")[:2], size)
        self.assertEqual(png_header(self.out / overlays[0])[:2], size)
        videos = list(self.out.glob("overlay.*"))
        self.assertEqual(len(videos), 1)
        self.assertEqual(frames_in(videos[0]), frames)
        summary = self.events()[-1]
        self.assertEqual((summary["type"], summary["frames"]), ("summary", frames))
        self.assertGreater(summary["frames_per_second"], 0)
        self.assertGreater(summary["element_milliseconds"], 0)
        self.assertFalse((self.out / "model.tmp").exists())
        return summary

    def check_crossings(self, result):
        words = r"^line middle: (\d+) forward, (\d+) backward; truth: (\d+) forward, (\d+) backward$"
        counts = [int(n) for n in re.search(words, result.stdout, re.M).groups()]
        self.assertGreaterEqual(sum(counts[2:]), 3, counts)
        self.assertLessEqual(abs(counts[0] - counts[2]) + abs(counts[1] - counts[3]), 1, counts)
        reported = [e["direction"] for e in self.events() if e["type"] == "line-cross"]
        self.assertEqual([reported.count("forward"), reported.count("backward")], counts[:2])
        self.assertGreaterEqual(sum(e["type"] == "zone-enter" for e in self.events()), 1)

    def test_scene(self):
        result = self.run_demo()
        self.check_crossings(result)
        summary = self.check_results(300, (640, 480), range(60, 301, 60))
        score = float(re.search(r"^F-measure (0\.\d{3}) ", result.stdout, re.M)[1])
        self.assertGreaterEqual(score, 0.90)
        self.assertAlmostEqual(summary["f_measure"], score, places=3)
        begin = next(e for e in self.events() if e["type"] == "motion-begin")
        self.assertTrue(2.4 < begin["running_time"] < 6, begin) # nothing moves in the first 2.5 s
        self.assertGreater(begin["changed_fraction"], 0)
        self.assertGreater(begin["boxes"][0]["width"], 0)
        self.assertEqual(summary["events"]["motion-begin"], 1)

    def test_preset(self):
        result = self.run_demo("--preset", "street-sunny")
        score = float(re.search(r"^F-measure (0\.\d{3}) ", result.stdout, re.M)[1])
        self.assertGreaterEqual(score, 0.95)  # more than without

    def test_file(self):
        result = self.run_demo(self.ball(audio=True))
        summary = self.check_results(40, (320, 240), [40])
        self.assertNotIn("F-measure", result.stdout)
        self.assertNotIn("f_measure", summary)

    def test_rules(self):
        self.check_crossings(self.run_demo("--element", "boxrules"))

    def check_filter(self, size, number, *arguments, element="clbilateral"):
        if subprocess.run(["gst-inspect-1.0", element], capture_output=True, check=False).returncode:
            self.skipTest("this build has no OpenCL")
        result = self.run_demo("--element", element, *arguments)
        self.assertIn("noise of sigma 20", result.stdout)
        names = sorted(p.name for p in self.out.iterdir())
        self.assertEqual(names, [f"{kind}-{number:06d}.png" for kind in ("clean", "filtered", "noisy")])
        for name in names:
            self.assertEqual(png_header(self.out / name)[:2], size)
        return map(float, re.search(r"^PSNR (\d+\.\d+) dB before, (\d+\.\d+) dB after", result.stdout, re.M).groups())

    def test_filter_on_the_scene(self):
        before, after = self.check_filter((640, 480), 3, "--frames", 3)
        self.assertTrue(21.5 < before < 23, before) # sigma 20 without clipping: 22.1
        self.assertGreater(after, before + 5)

    def test_filter_on_a_file(self):
        before, after = self.check_filter((321, 241), 2, self.ball(frames=2, size=(321, 241)))
        self.assertGreater(after, before + 5)

    def test_chain_of_filters(self):
        before, after = self.check_filter((640, 480), 3, "--frames", 3, element="clfilter")
        self.assertGreater(after, before + 3)

    def test_frames_are_counted_out(self):
        self.run_demo("--frames", 7, self.ball())
        self.check_results(7, (320, 240), [7])

    def test_odd_size_and_old_results(self):
        self.run_demo("--frames", 3, self.ball())
        self.run_demo("--frames", 5, self.ball(size=(161, 121)))
        self.check_results(5, (161, 121), [5])

    def test_interrupted(self):
        with subprocess.Popen([PROGRAM, "--out", self.out, "--frames", "100000"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as demo:
            end = time.monotonic() + 60
            while not any(f.stat().st_size for f in self.out.glob("overlay.*")) and time.monotonic() < end:
                time.sleep(0.1)
            demo.send_signal(signal.SIGINT)
            out, err = demo.communicate(timeout=60)
        self.assertEqual(demo.returncode, 0, out + err)
        frames = self.events()[-1]["frames"]
        self.assertTrue(0 < frames < 100000)
        self.assertEqual(frames_in(next(self.out.glob("overlay.*"))), frames)

    def test_interrupted_before_the_first_frame(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            silent.settimeout(60)
            with subprocess.Popen([PROGRAM, "--out", self.out, f"rtsp://127.0.0.1:{silent.getsockname()[1]}/x"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as demo:
                camera, _ = silent.accept()  # and never answers
                with camera:
                    demo.send_signal(signal.SIGINT)
                    out, err = demo.communicate(timeout=60)
        self.assertEqual(demo.returncode, 1, out + err)
        self.assertIn("interrupted before the first frame", err)

    def test_bad_arguments(self):
        for says, arguments in {
            "there are: cudamog": ["--element", "nonsense"],
            "there is no file": [self.dir / "nothing.avi"],
            "only one FILE": ["a", "b"],
            "is below 0": ["--frames", "-1"],
            "there are: laboratory": ["--preset", "nonsense"],
            "Unknown option": ["--nonsense"],
        }.items():
            with self.subTest(says):
                self.assertIn(says, self.run_demo(*arguments, status=2).stderr)

    def test_bad_input(self):
        words, sound = self.dir / "words.avi", self.dir / "sound.wav"
        words.write_text("These are words.\n")
        launch("-q", "audiotestsrc", "num-buffers=10", "!", "wavenc", "!", "filesink", f"location={sound}")
        self.assertIn("vigil-demo: ", self.run_demo(words, status=1).stderr)
        self.assertIn("there is no video in the input", self.run_demo(sound, status=1).stderr)

    def test_unwritable(self):
        (self.dir / "deep").write_text("in the way")
        self.assertIn("cannot make the folder", self.run_demo(status=1).stderr)


if __name__ == "__main__":
    unittest.main()
