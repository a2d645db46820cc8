# SPDX-License-Identifier: LGPL-2.1-or-later
"""Labelled video as a camera that shakes in the wind would see it.
Usage: shake.py DATA/cdnet_highway FOLDER [PIXELS [LOW HIGH]] [--turn DEGREES] [--zoom PERCENT]

Takes a folder as ChangeDetection.net has them and makes another, 8 pixels smaller on each side: frames and truth are cut out
at a place that swings, in whole pixels, 1.7 times a second to the left and right by up to PIXELS (2) and 2.3 times up and down by up
to half of that, most in a gust every 5 seconds. Frames are taken for 25 a second. With LOW and HIGH the frames' colours are
multiplied by a gain that swings between the two once in 8 seconds, evenly in its logarithm, and clipped at 255, as by a camera
whose exposure never rests. With --turn the picture also turns about its centre, 1.3 times a second by up to DEGREES (at most 2) to each
side, in the same gusts, to the nearest pixel. With --zoom it also grows and shrinks about its centre, 0.9 times a second by up to
PERCENT (at most 4), in the same gusts.
"""
import math
import pathlib
import shutil
import struct
import subprocess
import sys
import zlib

RATE, BORDER, GUSTS, EXPOSURES = 25, 8, 5, 8


def write_png(path, rows):
    """Rows of RGBA."""
    header = struct.pack(">IIBBBBB", len(rows[0]) // 4, len(rows), 8, 6, 0, 0, 0)
    chunks = (b"IHDR", header), (b"IDAT", zlib.compress(b"\0" + b"\0".join(rows), 1)), (b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks))


def exposed(row, gain):
    """A row of RGBA; its alpha stays."""
    bright = bytearray(row.translate(bytes(min(255, round(gain * v)) for v in range(256))))
    bright[3::4] = row[3::4]
    return bytes(bright)


def turned(frame, width, height, left, top, angle, larger):
    """Rows of RGBA, 2 BORDER pixels fewer on each axis, cut out at (left, top) and turned about the centre by a small angle: a pixel comes
    from angle times its distance from the centre away from its place. `larger`: how much farther from the centre it comes from, too."""
    columns, rows = width - 2 * BORDER, height - 2 * BORDER
    down = [round(angle * (x - columns / 2)) for x in range(columns)]
    out_by = [round(larger * (x - columns / 2)) for x in range(columns)]
    starts = [x for x in range(columns) if x == 0 or down[x] != down[x - 1] or out_by[x] != out_by[x - 1]] + [columns]
    out = []
    for y in range(rows):
        across = left - round(angle * (y - rows / 2))
        row = top + y + round(larger * (y - rows / 2))
        parts = [((row + down[a]) * width + across + out_by[a], a, b) for a, b in zip(starts, starts[1:])]
        out.append(b"".join(frame[(at + a) * 4:(at + b) * 4] for at, a, b in parts))
    return out


def shake(files, decoder, out, width, height, pixels, turn, zoom, gains):
    """The files as PNG in `out`, cut out where the camera looks at the time of the number in their names."""
    first, last = (int(f.stem[2:]) for f in (files[0], files[-1]))
    pattern = files[0].parent / (files[0].name[:2] + "%06d" + files[0].suffix)
    command = ["gst-launch-1.0", "-q", "multifilesrc", f"location={pattern}", f"start-index={first}", f"stop-index={last}",
               f"caps=image/{decoder[:-3]},framerate={RATE}/1", "!", decoder, "!", "videoconvert", "!",
               f"video/x-raw,format=RGBA,width={width},height={height}", "!", "fdsink"]
    out.mkdir(parents=True, exist_ok=True)
    with subprocess.Popen(command, stdout=subprocess.PIPE) as decoding:
        for file in files:
            frame = decoding.stdout.read(width * height * 4)
            if len(frame) != width * height * 4:
                sys.exit(f"shake.py: {file} could not be read")
            time = (int(file.stem[2:]) - 1) / RATE
            swing = pixels * math.sin(math.pi * time / GUSTS) ** 2
            left = BORDER + round(swing * math.sin(2 * math.pi * 1.7 * time))
            top = BORDER + round(swing / 2 * math.sin(2 * math.pi * 2.3 * time))
            angle = math.radians(turn) * math.sin(math.pi * time / GUSTS) ** 2 * math.sin(2 * math.pi * 1.3 * time)
            larger = zoom / 100 * math.sin(math.pi * time / GUSTS) ** 2 * math.sin(2 * math.pi * 0.9 * time)
            rows = turned(frame, width, height, left, top, angle, larger)
            if gains:
                part = (1 + math.sin(2 * math.pi * time / EXPOSURES)) / 2
                gain = gains[0] * (gains[1] / gains[0]) ** part
                rows = [exposed(row, gain) for row in rows]
            write_png(out / (file.stem + ".png"), rows)


arguments, turn, zoom = sys.argv[1:], 0., 0.
if "--turn" in arguments[:-1]:
    at = arguments.index("--turn")
    turn = float(arguments[at + 1])
    del arguments[at:at + 2]
if "--zoom" in arguments[:-1]:
    at = arguments.index("--zoom")
    zoom = float(arguments[at + 1])
    del arguments[at:at + 2]
if len(arguments) not in (2, 3, 5):
    sys.exit(__doc__)
source, folder, pixels = pathlib.Path(arguments[0]), pathlib.Path(arguments[1]), float((*arguments[2:], 2)[0])
gains = [float(v) for v in arguments[3:]]
if not 0 <= turn <= 2:
    sys.exit(f"shake.py: it may turn by 0 to 2 degrees, not {turn}")
if not 0 <= zoom <= 4:
    sys.exit(f"shake.py: it may grow by 0 to 4 percent, not {zoom}")
if any(not 0 < g <= 10 for g in gains):
    sys.exit(f"shake.py: gains are more than 0 and at most 10, not {gains}")
truth = sorted((source / "groundtruth").glob("gt*.png"))
if not truth:
    sys.exit(f"shake.py: {source} has no groundtruth/gtNNNNNN.png")
width, height = struct.unpack(">II", truth[0].read_bytes()[16:24])
reach = math.ceil((math.radians(turn) + zoom / 100) * max(width, height) / 2)
if not 0 <= pixels <= BORDER - reach:
    sys.exit(f"shake.py: the swing must be 0 to {BORDER - reach} pixels, not {pixels}")
shake(sorted((source / "input").glob("in*.jpg")), "jpegdec", folder / "input", width, height, pixels, turn, zoom, gains)
shake(truth, "pngdec", folder / "groundtruth", width, height, pixels, turn, zoom, None)
shutil.copy(source / "temporalROI.txt", folder)
