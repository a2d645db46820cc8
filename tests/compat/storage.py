# SPDX-License-Identifier: LGPL-2.1-or-later
"""A storage folder of an earlier version works after an upgrade: events, kept marks, heat, changes of the page. Its database has format 1.
Usage: storage.py VIGIL_MONITOR; the plugin is found by GStreamer."""
import pathlib
import shutil
import sqlite3
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "monitor"))
from program import Monitor  # pylint: disable=wrong-import-position

PROGRAM = sys.argv.pop(1)
CONFIGURATION = """\
record: {retain: {days: 0}}
cameras:
  door: {source: scenetestsrc, enabled: false}
  yard: {source: scenetestsrc, enabled: false}
"""


def rows(file, question):
    """What a database answers, which nobody else has open; nothing is written next to it."""
    database = sqlite3.connect(f"file:{file}?immutable=1", uri=True)
    try:
        return database.execute(question).fetchall()
    finally:
        database.close()


class Storage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "storage"
        shutil.copytree(HERE / "storage", self.folder)
        self.folder.chmod(0o700)
        self.configuration = pathlib.Path(folder.name) / "monitor.yaml"
        self.configuration.write_text(CONFIGURATION, encoding="utf-8")

    def start(self):
        monitor = Monitor(PROGRAM, self.folder, "--config", str(self.configuration))
        self.addCleanup(monitor.stop)
        return monitor

    def test_upgrade(self):
        before = rows(HERE / "storage/events.db", "SELECT id, camera, label, start, end, retained FROM events ORDER BY id")
        heat = rows(HERE / "storage/events.db", "SELECT count(*) FROM heat_quarters")
        self.assertGreater(len(before), 30)
        self.assertEqual(sum(row[5] for row in before), 1)
        self.assertEqual(rows(HERE / "storage/events.db", "PRAGMA user_version"), [(1,)])
        monitor = self.start()
        events = sorted(monitor.get("/api/events?limit=500")["events"], key=lambda e: e["id"])
        self.assertEqual([(e["id"], e["camera"], e["label"]) for e in events], [row[:3] for row in before])
        self.assertEqual([bool(e["retained"]) for e in events], [bool(row[5]) for row in before])
        for event, row in zip(events, before):
            self.assertAlmostEqual(event["start_time"], row[3], places=3)
            self.assertAlmostEqual(event["end_time"], row[4], places=3)
        self.assertEqual(monitor.get("/api/overrides")["cameras"]["yard"], {"recordings": False})
        door = monitor.get("/api/cameras/door")
        self.assertEqual(door["zones"]["steps"]["coordinates"], "0.1,0.5,0.4,0.5,0.4,0.9")
        self.assertEqual([], [line for line in monitor.log if "damaged" in line or "set aside" in line])
        monitor.stop()
        self.assertGreater(rows(self.folder / "events.db", "PRAGMA user_version")[0][0], 1)
        self.assertEqual(rows(self.folder / "events.db", "SELECT count(*) FROM heat_quarters"), heat)
        # The upgraded folder starts again, with all of it.
        self.assertEqual(len(self.start().get("/api/events?limit=500")["events"]), len(before))

    def test_a_newer_database_is_refused(self):
        database = sqlite3.connect(self.folder / "events.db")
        database.execute("PRAGMA user_version=1000")
        database.close()
        kept = (self.folder / "events.db").read_bytes()
        with self.assertRaisesRegex(RuntimeError, "newer version"):
            self.start()
        self.assertEqual((self.folder / "events.db").read_bytes(), kept)


unittest.main()
