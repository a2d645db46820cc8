# SPDX-License-Identifier: LGPL-2.1-or-later
"""A camera whose picture turns with a Head of onvif_devices.py: JPEG pictures by HTTP of a wall that is wider than what it sees. `thing`
puts an object into the picture."""
import random
import subprocess

from http_camera import HttpCamera

WIDTH, HEIGHT, STEP, VIEWS, RATE = 320, 240, 20, 64, 10


def wall():
    """Lines of grey: blocks at several scales, so that every view has texture of its own."""
    rng = random.Random(7)
    width = VIEWS * STEP + WIDTH
    rows = [bytearray(110 for _ in range(width)) for _ in range(HEIGHT)]
    for _ in range(900):
        w, h = rng.randint(12, 60), rng.randint(12, 60)
        x, y, grey = rng.randrange(width - w), rng.randrange(HEIGHT - h), rng.randint(40, 200)
        for row in rows[y:y + h]:
            row[x:x + w] = bytes([grey]) * w
    return rows


def pictures(folder):
    """(without, with the thing), each a JPEG for each view."""
    rows = wall()
    raw = bytearray()
    for thing in (False, True):
        for view in range(VIEWS):
            left = view * STEP
            for y, row in enumerate(rows):
                line = bytearray(row[left:left + WIDTH])
                if thing and 90 <= y < 190:
                    line[130:190] = bytes(255 if (x // 6 + y // 6) % 2 else 0 for x in range(60))
                raw += line
    (folder / "wall.raw").write_bytes(raw)
    subprocess.run(["gst-launch-1.0", "-q", "filesrc", f"location={folder}/wall.raw", f"blocksize={WIDTH * HEIGHT}", "!", "rawvideoparse", "format=gray8", f"width={WIDTH}", f"height={HEIGHT}", "framerate=10/1", "!",
                    "jpegenc", "quality=90", "!", "multifilesink", f"location={folder}/view-%03d.jpg"], check=True, timeout=120)
    files = [path.read_bytes() for path in sorted(folder.glob("view-*.jpg"))]
    if len(files) != 2 * VIEWS:
        raise AssertionError(f"{len(files)} pictures")
    return files[:VIEWS], files[VIEWS:]


class TurningCamera:
    def __init__(self, folder, head):
        folder.mkdir(parents=True, exist_ok=True)
        self.head, self.thing = head, False
        self.__pictures = pictures(folder)
        self.source = HttpCamera(folder, {"turns": (self, RATE)}).address("pictures/turns")

    # The list of pictures that HttpCamera sends.
    def __len__(self):
        return 1

    def __getitem__(self, _):
        return self.__pictures[self.thing][min(VIEWS - 1, round(self.head.place() / STEP))]
