# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-scan on drawn videos. Usage: vigil_scan.py PROGRAM [unittest arguments]"""
import contextlib
import json
import os
import pathlib
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import pictures

PROGRAM = sys.argv.pop(1)
SECONDS = 12


def draw(path, seed, seconds=SECONDS, mux="avimux", scene="street", size=(160, 120), coding="jpegenc quality=95"):
    """A scene of 15 frames a second, quiet at first, as a video that any decoder reads exactly."""
    subprocess.run(["gst-launch-1.0", "-q", "scenetestsrc", f"num-buffers={15 * seconds}", f"seed={seed}", "quiet=1", f"scene={scene}", "density=2", "!",
                    f"video/x-raw,format=I420,width={size[0]},height={size[1]},framerate=15/1", "!", *coding.split(), "!", *mux.split(), "!",
                    "filesink", f"location={path}"], check=True, timeout=120)


def tree(folder):
    return {p.name: p.read_bytes() for p in sorted(pathlib.Path(folder).iterdir())}


def records(path, kind):
    return [r for r in map(json.loads, pathlib.Path(path).read_text(encoding="utf-8").splitlines()) if r["record"] == kind]


def events(folder):
    """(file name, label, begin, end) of all results in a folder."""
    return [(p.name, e["label"], e["begin"], e["end"]) for p in sorted(pathlib.Path(folder).glob("*.jsonl")) for e in records(p, "event")]


def events_of_first(case):
    """Where the event of camera 1 begins, in the drawn file itself."""
    out = case.dir / "first"
    if not out.exists():
        case.scan("--out", out, case.videos / "camera 1.avi")
    return events(out)[0][2]


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.videos = pathlib.Path(tempfile.mkdtemp(prefix="vigil-scan-videos-"))
        cls.addClassCleanup(shutil.rmtree, cls.videos)
        for seed in (1, 2, 3):
            draw(cls.videos / f"camera {seed}.avi", seed)

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="vigil-scan-"))
        self.addCleanup(shutil.rmtree, self.dir)

    def scan(self, *arguments, status=0, **more):
        result = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=200, check=False, **more)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result


class Results(Case):
    def test_events_tracks_and_activity(self):
        self.scan("--out", self.dir / "out", self.videos)
        found = sorted((self.dir / "out").glob("*.jsonl"))
        self.assertEqual(len(found), 3)
        for path in found:
            head, end = records(path, "file"), records(path, "end")
            self.assertEqual((head[0]["width"], head[0]["height"]), (160, 120))
            self.assertEqual((end[0]["frames"], end[0]["complete"]), (15 * SECONDS, True))
            self.assertGreater(len(records(path, "event")), 0, path.name)
            self.assertGreater(len(records(path, "track")), 0, path.name)
            busy = {a["second"] for a in records(path, "activity")}
            for e in records(path, "event"):
                self.assertLess(e["begin"], e["end"])
                self.assertIn(int(e["begin"]), busy)
        ids = [e["id"] for p in found for e in records(p, "event")]
        self.assertEqual(len(ids), len(set(ids)))

    def test_whichever_decoder(self):
        """Events, tracks and activity of H.264 are the same by two decoders, whose frames have other rows."""
        for needed in ("x264enc", "avdec_h264", "openh264dec"):
            if subprocess.run(["gst-inspect-1.0", "--exists", needed], check=False, timeout=60).returncode:
                self.skipTest(f"GStreamer has no {needed} here")
        video = self.dir / "street.mp4"
        draw(video, 1, mux="mp4mux", coding="x264enc speed-preset=veryfast tune=zerolatency key-int-max=30 ! h264parse", size=(182, 134))
        found = []
        for used, other in (("avdec_h264", "openh264dec"), ("openh264dec", "avdec_h264")):
            ranks = {"GST_PLUGIN_FEATURE_RANK": f"{used}:MAX,{other}:NONE", "GST_DEBUG": "GST_ELEMENT_FACTORY:4", "GST_DEBUG_NO_COLOR": "1"}
            said = self.scan("--out", self.dir / used, video, env={**os.environ, **ranks}).stderr
            self.assertIn(f'creating element "{used}"', said)
            self.assertNotIn(f'creating element "{other}"', said)
            found.append([r for kind in ("event", "track", "activity") for r in records(next((self.dir / used).glob("*.jsonl")), kind)])
        self.assertGreater(len(found[0]), 10)
        self.assertEqual(found[1], found[0])

    def test_an_event_ends_with_the_motion(self):
        """However long motion-hold waits before it says so. All people run away after 8 s, others come after 16 s."""
        video = self.dir / "crowd.avi"
        draw(video, 1, seconds=15, scene="crowd")
        for hold in (500, 2000):
            self.scan("--out", self.dir / str(hold), "--chain", f"cudamog output=passthrough motion-hold={hold} ! boxtrack", video)
        found = events(self.dir / "500")
        self.assertLess(found[0][3], 13)
        self.assertEqual(found, events(self.dir / "2000"))

    def test_preset_fast(self):
        """Its pictures are 320 pixels wide; what is narrower stays as it is."""
        video = self.dir / "wide.avi"
        draw(video, 1, size=(640, 360))
        self.scan("--out", self.dir / "out", "--preset", "fast", video, self.videos / "camera 1.avi")
        sizes = {}
        for path in (self.dir / "out").glob("*.jsonl"):
            head, = records(path, "file")
            sizes[head["name"][:4]] = head["width"], head["height"]
            self.assertGreater(len(records(path, "event")), 0)
        self.assertEqual(sizes, {"wide": (320, 180), "came": (160, 120)})

    def test_same_bytes_again_in_other_orders_and_with_more_jobs(self):
        files = sorted(self.videos.iterdir())
        self.scan("--out", self.dir / "a", *files)
        self.scan("--out", self.dir / "b", "--jobs", 3, *reversed(files))
        # As an editor of Windows writes it.
        (self.dir / "list").write_text("\ufeff" + "\r\n".join(["# videos", *map(str, files), ""]), encoding="utf-8", newline="")
        self.scan("--out", self.dir / "c", "--list", self.dir / "list")
        self.assertEqual(tree(self.dir / "a"), tree(self.dir / "b"))
        self.assertEqual(tree(self.dir / "a"), tree(self.dir / "c"))

    def test_what_is_there_is_not_done_again(self):
        self.scan("--out", self.dir / "out", self.videos)
        before = {p: p.stat().st_mtime_ns for p in (self.dir / "out").iterdir()}
        again = self.scan("--out", self.dir / "out", self.videos)
        self.assertIn("0 done, 3 were there", again.stderr)
        self.assertEqual(before, {p: p.stat().st_mtime_ns for p in (self.dir / "out").iterdir()})

    def test_a_changed_file_is_done_again(self):
        video = self.dir / "x.avi"
        shutil.copy(self.videos / "camera 1.avi", video)
        self.scan("--out", self.dir / "out", video)
        shutil.copy(self.videos / "camera 2.avi", video)
        self.assertIn("1 done", self.scan("--out", self.dir / "out", video).stderr)
        self.scan("--out", self.dir / "fresh", video)
        self.assertEqual(tree(self.dir / "out"), tree(self.dir / "fresh"))

    def test_shares_make_a_whole(self):
        self.scan("--out", self.dir / "one", "--split", 5, "--warm-up", 20, self.videos)
        for i in (2, 0, 1):
            self.scan("--out", self.dir / "shares", "--split", 5, "--warm-up", 20, "--task", f"{i}/3", self.videos)
        self.assertEqual(tree(self.dir / "one"), tree(self.dir / "shares"))
        self.assertFalse(list((self.dir / "one").glob("*.part-*")))


class Parts(Case):
    def test_whole_warm_up_gives_the_events_of_the_whole_file(self):
        self.scan("--out", self.dir / "whole", "--preset", "parts", self.videos)
        self.scan("--out", self.dir / "split", "--split", 4, "--warm-up", SECONDS, self.videos)
        self.assertEqual(events(self.dir / "whole"), events(self.dir / "split"))
        for p in (self.dir / "whole").glob("*.jsonl"):
            for kind in ("activity", "end"):
                self.assertEqual(records(p, kind), records(self.dir / "split" / p.name, kind))

    def test_the_chain_that_parts_have_if_none_is_named(self):
        """It is without exposure, whose memory does not fade. A chain or preset that is named stays."""
        video = self.videos / "camera 1.avi"
        for name, arguments, chain in (("whole", [], "cudamog output=passthrough ! boxtrack"),
                                       ("parts", ["--split", 4], "cudamog output=passthrough exposure=off ! boxtrack"),
                                       ("full", ["--split", 4, "--preset", "full"], "cudamog output=passthrough ! boxtrack"),
                                       ("own", ["--split", 4, "--chain", "cudamog"], "cudamog")):
            self.scan("--out", self.dir / name, *arguments, video)
            self.assertEqual(json.loads((self.dir / name / "scan.json").read_text(encoding="utf-8"))["chain"], chain, name)

    def test_some_histories_of_warm_up_give_the_events_of_the_whole_file(self):
        """Where the chain remembers nothing but its model: six histories of 50 frames. Parts 3 and 4 never see the file's begin."""
        video = self.dir / "long.avi"
        draw(video, 4, seconds=50, scene="crowd")
        chain = ["--chain", "cudamog output=passthrough exposure=off history=50 ! boxtrack"]
        self.scan("--out", self.dir / "whole", *chain, video)
        self.scan("--out", self.dir / "split", *chain, "--split", 10, "--warm-up", 20, video)
        self.assertGreater(len(events(self.dir / "whole")), 1)
        self.assertEqual(events(self.dir / "whole"), events(self.dir / "split"))

    def test_lengths_are_asked_of_containers(self):
        """To cut files into parts none is decoded: on a GPU each decoder would take up to half a second before the first part begins."""
        decoders = {}
        for name in ("first", "again"):
            log = self.dir / name
            env = {**os.environ, "GST_DEBUG": "GST_ELEMENT_FACTORY:4", "GST_DEBUG_NO_COLOR": "1", "GST_DEBUG_FILE": str(log)}
            self.scan("--out", self.dir / "out", "--split", 6, "--warm-up", 6, "--chain", "identity", self.videos, env=env)
            decoders[name] = log.read_text(encoding="utf-8", errors="replace").count('creating element "jpegdec"')
        self.assertEqual(decoders, {"first": 6, "again": 0})  # one for each part, and nothing else

    def test_without_warm_up_events_differ(self):
        """What the test above compares is not the same whatever the splitting."""
        self.scan("--out", self.dir / "whole", "--preset", "parts", self.videos)
        self.scan("--out", self.dir / "split", "--split", 1, "--warm-up", 0, self.videos)
        self.assertNotEqual(events(self.dir / "whole"), events(self.dir / "split"))


class Turns(Case):
    def test_the_next_file_is_opened_while_one_is_watched(self):
        names = {str(v.resolve()) for v in self.videos.glob("*.avi")}
        most = 0
        with subprocess.Popen([PROGRAM, "--out", self.dir / "out", "--chain", "identity sleep-time=10000", self.videos], stderr=subprocess.PIPE) as process:
            def opened():
                return {os.readlink(f) for f in pathlib.Path(f"/proc/{process.pid}/fd").iterdir()} & names

            while process.poll() is None:
                with contextlib.suppress(OSError):
                    most = max(most, len(opened() & opened()))  # one may close and another open while the first list is read
                time.sleep(0.01)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(most, 2)


    @unittest.skipIf("VIGIL_TEST_PRELOAD" in os.environ, "a sanitizer needs more addresses than this test leaves")
    def test_more_jobs_than_threads(self):
        """The stacks of 2,048 threads do not fit into the addresses that there are: as many threads begin as have work."""
        few = lambda: resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        result = self.scan("--out", self.dir / "out", "--jobs", 1024, self.videos, preexec_fn=few)
        self.assertIn("3 done", result.stderr)


class Killed(Case):
    def test_kill_in_the_middle(self):
        arguments = ["--split", 3, "--warm-up", 6, self.videos]
        self.scan("--out", self.dir / "one", *arguments)
        out, kills, seen = self.dir / "out", 0, set()
        while kills < 40:
            with subprocess.Popen([PROGRAM, "--out", out, *map(str, arguments)], stderr=subprocess.DEVNULL) as process:
                # a little later each time, so that each run gets a little further
                deadline, had = time.monotonic() + 60, len(list(out.glob("*"))) if out.exists() else 0
                while process.poll() is None and time.monotonic() < deadline:
                    if out.exists() and len(list(out.glob("*"))) > had + 1:
                        process.send_signal(signal.SIGKILL)
                        break
                    time.sleep(0.01)
                if process.wait() == 0:
                    break
            kills += 1
            seen |= {p.name for p in out.glob("*.part-*")}
        self.assertGreater(kills, 1)
        self.assertTrue(seen, "no kill came while parts were there")
        leftover = {p for p in out.iterdir() if p.suffix not in {".jsonl", ".json"}}  # of a write that was cut
        self.assertEqual({n: b for n, b in tree(out).items() if out / n not in leftover}, tree(self.dir / "one"))


    def test_drafts_of_killed_runs(self):
        """A draft next to results that are done goes; others' files stay, and so does one that somebody may be writing."""
        out = self.dir / "out"
        self.scan("--out", out, self.videos / "camera 1.avi")
        done, = out.glob("*.jsonl")
        before = tree(out)
        gone = [out / f"{name}.4194399-7" for name in (done.name, f"{done.stem}.vectors", f"{done.stem}.part-0003.json", f"{done.stem}.failed", "scan.json")]
        stay = [out / name for name in (f"{done.name}.new", "notes.txt.12-3", f"{done.name}.12-3x")]
        for path in gone + stay:
            path.write_text("half", encoding="utf-8")
            os.utime(path, (path.stat().st_atime - 60, path.stat().st_mtime - 60))
        fresh = out / f"{done.name}.4194399-8"
        fresh.write_text("half", encoding="utf-8")
        os.utime(fresh, (time.time() + 60, time.time() + 60))
        self.scan("--out", out, self.videos / "camera 1.avi")
        self.assertEqual(set(tree(out)), set(before) | {p.name for p in [*stay, fresh]})


def encode(path, source, *options):
    """A file that ffmpeg makes of another. A missing encoder skips the test, and says so."""
    if not shutil.which("ffmpeg"):
        raise unittest.SkipTest("SKIPPED: ffmpeg is not installed")
    result = subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", str(source), *options, str(path)], capture_output=True, text=True, timeout=120, check=False)
    if "Unknown encoder" in result.stderr:
        raise unittest.SkipTest(f"SKIPPED: {result.stderr.strip()}")
    if result.returncode:
        raise AssertionError(result.stderr)


H264 = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "15"]


class Sources(Case):
    """What cameras and recorders write: each has the event of the drawn video."""

    def scan_one(self, path, *arguments, status=0):
        out = self.dir / f"out-{path.name}"
        result = self.scan("--out", out, *arguments, path, status=status)
        found = list(out.glob("*.jsonl"))
        self.assertEqual(len(found), 1, result.stderr)
        return found[0], records(found[0], "file")[0], records(found[0], "end")[0]

    def sees_all(self, path, *arguments, size=(160, 120), frames=15 * SECONDS):
        found, head, end = self.scan_one(path, *arguments)
        self.assertEqual((head["width"], head["height"]), size)
        self.assertTrue(end["complete"])
        self.assertEqual(end["frames"], frames)
        event = records(found, "event")[0]
        expected = events_of_first(self)
        self.assertLess(abs(event["begin"] - expected), 0.5)
        return found

    def test_formats_that_the_chain_does_not_take(self):
        """10 bits and 4:2:2: the decoder's own pad answers as if it could give anything."""
        for name, format_ in (("ten", "yuv420p10le"), ("h422", "yuv422p"), ("h422ten", "yuv422p10le")):
            with self.subTest(name):
                video = self.dir / f"{name}.mp4"
                encode(video, self.videos / "camera 1.avi", *H264, "-pix_fmt", format_)
                self.sees_all(video)

    def test_interlaced(self):
        video = self.dir / "interlaced.mp4"
        encode(video, self.videos / "camera 1.avi", "-vf", "scale=160:128,fps=30,tinterlace=interleave_top,fieldorder=tff", *H264, "-pix_fmt", "yuv420p",
               "-flags", "+ildct+ilme")
        self.sees_all(video, size=(160, 128))

    def test_turned(self):
        """A quarter turn stands in the header of the track, as telephones write it."""
        video = self.dir / "turned.mp4"
        encode(video, self.videos / "camera 1.avi", *H264, "-pix_fmt", "yuv420p")
        data = bytearray(video.read_bytes())
        at = data.find(b"tkhd") + 44
        data[at:at + 36] = struct.pack(">9i", 0, 0x10000, 0, -0x10000, 0, 0, 120 << 16, 0, 0x40000000)
        video.write_bytes(data)
        self.sees_all(video, size=(120, 160))

    def test_the_video_among_the_tracks(self):
        """A thumbnail of one frame is the first track, smaller or larger than the video."""
        source = self.dir / "source.mkv"
        encode(source, self.videos / "camera 1.avi", *H264, "-pix_fmt", "yuv420p")
        for size in ("80x60", "320x240"):
            thumbnail, video = self.dir / f"{size}.mjpeg", self.dir / f"tracks-{size}.mkv"
            encode(thumbnail, source, "-frames:v", "1", "-s", size, "-c:v", "mjpeg", "-f", "mjpeg")
            encode(video, thumbnail, "-i", str(source), "-map", "0:v", "-map", "1:v", "-c", "copy")
            self.sees_all(video)

    def test_a_mask_of_the_videos_size(self):
        mask = self.dir / "mask.png"
        pictures.png(mask, [[255] * 160] * 120)
        chain = f"cudamog output=passthrough mask-location={mask} ! boxtrack"
        self.sees_all(self.videos / "camera 1.avi", "--chain", chain)
        wide = self.dir / "wide.avi"
        draw(wide, 1, seconds=2, size=(320, 180))
        words = self.scan("--out", self.dir / "refused", "--chain", chain, wide, status=2).stderr
        self.assertIn("320x180", words)
        self.assertFalse((self.dir / "refused").exists())

    def test_times_of_transport_streams(self):
        """They count from the first picture, not from the clock before it; the stream's tables are no records."""
        video = self.dir / "plain.ts"
        encode(video, self.videos / "camera 1.avi", *H264, "-pix_fmt", "yuv420p", "-f", "mpegts")
        for more in ([], ["--split", 4, "--warm-up", SECONDS]):
            out = self.dir / f"out{len(more)}"
            self.scan("--out", out, "--preset", "parts", *more, video)
            found, = out.glob("*.jsonl")
            self.assertEqual(records(found, "message"), [])
            self.assertAlmostEqual(records(found, "end")[0]["seconds"], SECONDS - 1 / 15, places=2)
            self.assertLess(abs(records(found, "event")[0]["begin"] - events_of_first(self)), 0.5)

    def test_a_wrong_clock_in_a_transport_stream(self):
        """One bit of one clock reference makes later times jump and stand still. The file is read to its end, and says so."""
        video = self.dir / "hurt.ts"
        encode(video, self.videos / "camera 1.avi", *H264, "-pix_fmt", "yuv420p", "-f", "mpegts")
        for bit, byte in ((0x04, 7), (0x10, 6)):  # some seconds, some hours
            data, first, hurt = bytearray(video.read_bytes()), None, False
            for at in range(0, len(data), 188):
                if data[at + 3] & 0x20 and data[at + 4] and data[at + 5] & 0x10:
                    clock = (int.from_bytes(data[at + 6:at + 11], "big") >> 7) / 90000
                    first = clock if first is None else first
                    if clock > first + 6:
                        data[at + byte] ^= bit
                        hurt = True
                        break
            self.assertTrue(hurt)
            bad = self.dir / f"hurt-{byte}.ts"
            bad.write_bytes(data)
            found, _, end = self.scan_one(bad, status=3)
            self.assertFalse(end["complete"])
            self.assertRegex(end["reason"], "times of frames .* at [67]")
            self.assertEqual(end["frames"], 15 * SECONDS)
            self.assertLess(abs(end["seconds"] - SECONDS), 1.5)
            self.assertLess(abs(records(found, "event")[0]["begin"] - events_of_first(self)), 0.5)

    def test_few_frames_a_second(self):
        """The last frame of a whole file is shown for five seconds."""
        video = self.dir / "slow.mp4"
        encode(video, self.videos / "camera 1.avi", "-vf", "fps=0.2", *H264, "-pix_fmt", "yuv420p")
        _, _, end = self.scan_one(video)
        self.assertTrue(end["complete"], end)

    def test_folders(self):
        """Files of all endings that GStreamer reads are taken; the others are named."""
        folder, source = self.dir / "dvr", self.dir / "source.mp4"
        folder.mkdir()
        encode(source, self.videos / "camera 1.avi", *H264, "-pix_fmt", "yuv420p")
        encode(folder / "a.flv", source, "-c", "copy")
        encode(folder / "b.MTS", source, "-c", "copy", "-f", "mpegts")
        encode(folder / "c.264", source, "-c", "copy", "-bsf:v", "h264_mp4toannexb", "-f", "h264")
        encode(folder / "d.3gp", source, "-c:v", "mpeg4")
        encode(folder / "e.asf", source, "-c:v", "wmv2")
        encode(folder / "f.vob", source, "-c:v", "mpeg2video", "-r", "25", "-f", "vob")
        (folder / "notes.txt").write_text("notes", encoding="utf-8")
        words = self.scan("--out", self.dir / "out", folder).stderr
        self.assertIn("6 done", words)
        self.assertIn("1 of .txt", words)
        for found in (self.dir / "out").glob("*.jsonl"):
            self.assertEqual(len(records(found, "event")), 1, found.name)

    def test_a_folder_without_videos(self):
        folder = self.dir / "empty"
        folder.mkdir()
        self.assertIn("has no videos", self.scan("--out", self.dir / "out", folder, status=3).stderr)
        (folder / "notes.txt").write_text("notes", encoding="utf-8")
        words = self.scan("--out", self.dir / "out", folder, self.videos / "camera 1.avi", status=3).stderr
        self.assertIn("has no videos", words)
        self.assertIn("1 of .txt", words)
        self.assertIn("1 done", words)


class BadInput(Case):
    def failures(self, *arguments, status=3):
        result = self.scan("--out", self.dir / "out", *arguments, status=status)
        reasons = [json.loads(p.read_text(encoding="utf-8"))["reason"] for p in sorted((self.dir / "out").glob("*.failed"))]
        return result, reasons

    def beside_a_good_one(self, bad):
        """The bad file is named with a reason, and the good one is done."""
        good = self.videos / "camera 1.avi"
        result, reasons = self.failures(bad, good)
        self.assertIn("1 done", result.stderr)
        self.assertEqual(len(reasons), 1)
        self.assertIn(bad.name, reasons[0])
        return reasons[0]

    def test_no_video(self):
        bad = self.dir / "text.mp4"
        bad.write_text("no video\n" * 1000, encoding="utf-8")
        self.assertIn("cannot be read", self.beside_a_good_one(bad))

    def test_sound_alone(self):
        bad = self.dir / "sound.wav"
        subprocess.run(["gst-launch-1.0", "-q", "audiotestsrc", "num-buffers=50", "!", "wavenc", "!", "filesink", f"location={bad}"],
                       check=True, timeout=60)
        self.assertIn("no video", self.beside_a_good_one(bad))

    def test_empty(self):
        (self.dir / "empty.mp4").touch()
        self.assertIn("is empty", self.beside_a_good_one(self.dir / "empty.mp4"))

    def test_not_there(self):
        self.assertIn("No such file", self.beside_a_good_one(self.dir / "gone.mp4"))

    def test_a_pipe(self):
        os.mkfifo(self.dir / "pipe.mp4")
        self.assertIn("not a plain file", self.beside_a_good_one(self.dir / "pipe.mp4"))

    def test_unreadable(self):
        bad = self.dir / "locked.mp4"
        os.symlink("/proc/self/mem", bad)  # opens, and cannot be read at 0, for root too
        self.beside_a_good_one(bad)

    def test_truncated(self):
        """The index of a QuickTime file stands at its begin and says how long it should be."""
        whole, bad = self.dir / "whole.mov", self.dir / "cut.mov"
        draw(whole, 2, mux="qtmux faststart=true")
        data = whole.read_bytes()
        bad.write_bytes(data[:len(data) // 2])
        result = self.scan("--out", self.dir / "out", bad, self.videos / "camera 1.avi", status=3)
        self.assertIn("1 broken off", result.stderr)
        end, = records(next((self.dir / "out").glob("cut.mov-*.jsonl")), "end")
        self.assertFalse(end["complete"])
        self.assertIn("frames end at", end["reason"])
        self.assertLess(end["seconds"], SECONDS - 2)
        self.scan("--out", self.dir / "out2", whole)

    def test_a_failure_is_forgotten_once_the_file_is_good(self):
        video = self.dir / "late.avi"
        video.write_bytes((self.videos / "camera 1.avi").read_bytes()[:2000])
        self.failures(video)
        shutil.copy(self.videos / "camera 1.avi", video)
        _, reasons = self.failures(video, status=0)
        self.assertEqual(reasons, [])

    def test_named_twice(self):
        os.symlink(self.videos / "camera 1.avi", self.dir / "link.avi")
        result = self.scan("--out", self.dir / "out", self.videos / "camera 1.avi", self.videos / ".." / self.videos.name / "camera 1.avi",
                           self.dir / "link.avi")
        self.assertEqual(result.stderr.count("was named before"), 2)
        self.assertEqual(len(list((self.dir / "out").glob("*.jsonl"))), 1)

    def test_vanishes_while_it_is_read(self):
        video = self.dir / "long.avi"
        draw(video, 4, seconds=120)
        with subprocess.Popen([PROGRAM, "--out", str(self.dir / "out"), str(video)], stderr=subprocess.PIPE, text=True) as process:
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline:  # until the program has it open twice: it plays
                try:
                    if [os.readlink(f) for f in pathlib.Path(f"/proc/{process.pid}/fd").iterdir()].count(str(video.resolve())):
                        break
                except FileNotFoundError:
                    pass
                time.sleep(0.002)
            video.unlink()
            _, words = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 3, words)
        self.assertIn("No such file", words)
        self.assertFalse(list((self.dir / "out").glob("*.jsonl")))

    def test_folder_of_another_chain_split_or_version(self):
        self.scan("--out", self.dir / "out", self.videos / "camera 1.avi")
        before = tree(self.dir / "out")
        for other in (["--chain", "cudamog output=passthrough motion-hold=500"], ["--split", 5]):
            result = self.scan("--out", self.dir / "out", *other, self.videos / "camera 1.avi", status=2)
            self.assertIn("made in another way; ", result.stderr)
        how = self.dir / "out" / "scan.json"
        how.write_text(how.read_text(encoding="utf-8").replace('"vigil-scan": "', '"vigil-scan": "9.'), encoding="utf-8")
        self.assertIn("vigil-scan: there ", self.scan("--out", self.dir / "out", self.videos / "camera 1.avi", status=2).stderr)
        how.unlink()
        self.assertIn("no scan.json", self.scan("--out", self.dir / "out", self.videos / "camera 1.avi", status=2).stderr)
        del before["scan.json"]
        self.assertEqual(tree(self.dir / "out"), before)

    def test_folder_that_takes_nothing(self):
        self.assertIn("cannot make", self.scan("--out", "/proc/vigil-scan", self.videos, status=1).stderr)

    def test_full_disk(self):
        """A file may not grow beyond 100 bytes, as on a disk that is full."""
        small = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (400, 400))
        env = {**os.environ, "GST_REGISTRY_UPDATE": "no"}
        result = self.scan("--out", self.dir / "out", self.videos, status=1, preexec_fn=small, env=env)
        self.assertIn("cannot write", result.stderr)
        self.assertEqual([p for p in (self.dir / "out").iterdir() if p.name != "scan.json"], [])
        self.scan("--out", self.dir / "out", self.videos)  # with room again
        self.scan("--out", self.dir / "fresh", self.videos)
        self.assertEqual(tree(self.dir / "out"), tree(self.dir / "fresh"))

    def test_wrong_arguments(self):
        video = self.videos / "camera 1.avi"
        for arguments, words in ((["--out", self.dir / "out"], "FILE"), ([video], "--out"), (["--out", self.dir / "o", "--task", "3/3", video], "3/3"),
                                 (["--out", self.dir / "o", "--split", "-1", video], "--split"),
                                 (["--out", self.dir / "o", "--chain", "nosuchelement", video], "nosuchelement"),
                                 (["--out", self.dir / "o", "--chain", "fakesink", video], "come out"),
                                 (["--out", self.dir / "o", "--vectors", "/nowhere", video], "/nowhere"),
                                 (["--out", self.dir / "o", "--preset", "quick", video], "quick"),
                                 (["--out", self.dir / "o", "--preset", "fast", "--chain", "identity", video], "exclude each other")):
            self.assertIn(words, self.scan(*arguments, status=2).stderr)


class Query(Case):
    def model(self):
        """A codebook in which numbers stand that a seed decides: likeness needs no better one."""
        path = self.dir / "codebook.model"
        trainer = pathlib.Path(PROGRAM).parent.parent / "vigil-train" / "vigil-train"
        if not trainer.exists():
            self.skipTest("vigil-train is not built")
        subprocess.run([trainer, "codebook", "-o", path, "--components", "8", "--samples", "5000", "--projected", "16", "--iterations", "5",
                        "--scales", "2", "--every", "30", "--backend", "cpu", self.videos], check=True, stdout=subprocess.DEVNULL, timeout=200)
        return path

    def test_an_event_is_most_like_itself(self):
        model = self.model()
        for name, more in (("whole", []), ("split", ["--split", 4, "--warm-up", SECONDS])):
            self.scan("--out", self.dir / name, "--vectors", model, "--every", 0.5, *more, self.videos)
        for p in (self.dir / "whole").glob("*.vectors"):
            self.assertEqual(p.read_bytes(), (self.dir / "split" / p.name).read_bytes())
        for p in (self.dir / "whole").glob("*.jsonl"):
            event = records(p, "event")[0]
            path = records(p, "file")[0]["path"]
            at = event["begin"]
            lines = self.scan("query", self.dir / "whole", "--like", f"{path}@{at}", "--count", 3).stdout.splitlines()
            best = json.loads(lines[0])
            self.assertEqual((best["id"], best["path"]), (event["id"], path))
            self.assertAlmostEqual(best["score"], 1, places=4)
            scores = [json.loads(line)["score"] for line in lines]
            self.assertEqual(scores, sorted(scores, reverse=True))
        self.assertIn("no frame at", self.scan("query", self.dir / "whole", "--like", f"{path}@1000", status=1).stderr)
        model.write_bytes(model.read_bytes() + b" ")
        self.assertIn("not the model", self.scan("query", self.dir / "whole", "--like", f"{path}@1", status=2).stderr)

    def test_results_without_vectors(self):
        self.scan("--out", self.dir / "out", self.videos / "camera 1.avi")
        self.assertIn("--vectors", self.scan("query", self.dir / "out", "--like", "x.avi@1", status=2).stderr)


if __name__ == "__main__":
    unittest.main()
