#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures of tracks, to be looked at: one row for each track, from its first frame to its last.

    strips.py VIDEO OUT.png CHAIN    VIDEO and CHAIN as for tracks_of.py, e.g. "cudamog output=passthrough ! boxtrack"

A row has --columns cut-outs (default 8) at even times, with the track's box in yellow, those of others in grey, ids next to them, and
the seconds. Tracks shorter than --least seconds (default 0.5) are left out; --from and --to (seconds) choose those that are there then,
--ids 3,5,9 these alone. Pages of --rows rows (default 24): OUT.png, OUT-2.png, ...

Prints for each track its id, first and last second, and where it began and ended: at the border of the picture (within --border pixels,
default 4) or inside of it. An object that came in over the border and whose number changed shows as a track that ends inside and another
that begins inside.
"""
import argparse
import pathlib
import sys

import cairo
import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
from gi.repository import Gst, GstApp  # noqa: E402  pylint: disable=wrong-import-position

from tracks_of import rois  # noqa: E402  pylint: disable=wrong-import-position

assert GstApp
LABEL, GAP, TEXT = 84, 3, 11  # pixels: the column of ids, the space between cut-outs, the text


def head_of(options):
    if "%" in options.input:
        first = next(n for n in range(100000) if pathlib.Path(options.input % n).exists())
        return (f"multifilesrc location={options.input} start-index={first} caps=image/jpeg,framerate={options.fps}/1 "
                "! jpegdec ! videoconvert")
    return f"filesrc location={options.input} ! decodebin ! videoconvert"


def wait(pipeline):
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, Gst.MessageType.ERROR | Gst.MessageType.EOS)
    pipeline.set_state(Gst.State.NULL)
    if message.type == Gst.MessageType.ERROR:
        sys.exit(message.parse_error()[0].message)


def find_tracks(options):
    """Time of each frame in seconds, and for each the tracks' boxes by id."""
    times, frames = [], []

    def take(_pad, info):
        boxes = {}
        for meta in rois(info.get_buffer()):
            track = meta.get_param("track")
            if track:
                boxes[track.get_uint64("id")[1]] = (meta.x, meta.y, meta.w, meta.h, track.get_string("state"))
        times.append(info.get_buffer().pts / 1e9)
        frames.append(boxes)
        return Gst.PadProbeReturn.OK

    pipeline = Gst.parse_launch(f"{head_of(options)} ! {options.chain} ! fakesink name=out sync=false")
    pipeline.get_by_name("out").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, take)
    wait(pipeline)
    return times, frames


def pictures(options, wanted):
    """Number of a frame and its picture, for the numbers wanted."""
    pipeline = Gst.parse_launch(f"{head_of(options)} ! video/x-raw,format=BGRx ! appsink name=out sync=false max-buffers=4")
    pipeline.set_state(Gst.State.PLAYING)
    sink, number = pipeline.get_by_name("out"), 0
    while sample := sink.emit("pull-sample"):
        if number in wanted:
            caps = sample.get_caps().get_structure(0)
            width, height = caps.get_value("width"), caps.get_value("height")
            data = bytearray(sample.get_buffer().extract_dup(0, sample.get_buffer().get_size()))
            yield number, cairo.ImageSurface.create_for_data(data, cairo.FORMAT_RGB24, width, height, 4 * width)
        number += 1
    pipeline.set_state(Gst.State.NULL)


class Row:
    """A track, its cut-outs and their place in the page."""

    def __init__(self, ident, numbers, frames, columns):
        self.ident, self.numbers = ident, numbers
        steps = min(columns, len(numbers))
        self.shown = [numbers[round(i * (len(numbers) - 1) / max(1, steps - 1))] for i in range(steps)]
        largest = max(max(frames[n][ident][2:4]) for n in numbers)
        self.side = max(24, 1.5 * largest)

    def where(self, box, width, height, border):
        left, top, w, h = box[:4]
        return "border" if min(left, top, width - left - w, height - top - h) < border else "inside"


def draw_cut(page, picture, row, number, frames, place, cell):
    x, y, w, h = frames[number][row.ident][:4]
    left, top, scale = x + w / 2 - row.side / 2, y + h / 2 - row.side / 2, cell / row.side
    page.save()
    page.rectangle(*place, cell, cell)
    page.clip()
    page.set_source_rgb(0.15, 0.15, 0.15)
    page.paint()
    page.translate(*place)
    page.scale(scale, scale)
    page.set_source_surface(picture, -left, -top)
    page.paint()
    page.set_font_size(TEXT / scale)
    for ident, (bx, by, bw, bh, state) in frames[number].items():
        own = ident == row.ident
        page.set_source_rgb(*((1, 0.9, 0) if own else (0.75, 0.75, 0.75)))
        page.set_line_width((2 if own else 1) / scale)
        page.set_dash([] if state == "tracked" else [4 / scale, 3 / scale])
        page.rectangle(bx - left, by - top, bw, bh)
        page.stroke()
        page.move_to(bx - left + 2 / scale, by - top + (TEXT if own else bh * scale - 3) / scale)
        page.show_text(str(ident))
    page.restore()


def draw(options, rows, times, frames, path):
    cell = options.cell
    width, height = LABEL + options.columns * (cell + GAP), len(rows) * (cell + GAP)
    surface = cairo.ImageSurface(cairo.FORMAT_RGB24, width, height)
    page = cairo.Context(surface)
    page.set_source_rgb(1, 1, 1)
    page.paint()
    page.select_font_face("sans-serif")
    page.set_font_size(TEXT)
    wanted = {}
    for index, row in enumerate(rows):
        page.set_source_rgb(0, 0, 0)
        top = index * (cell + GAP)
        for line, words in enumerate((f"track {row.ident}", f"{times[row.numbers[0]]:.1f} to", f"{times[row.numbers[-1]]:.1f} s")):
            page.move_to(3, top + (line + 1) * (TEXT + 3))
            page.show_text(words)
        for column, number in enumerate(row.shown):
            wanted.setdefault(number, []).append((row, (LABEL + column * (cell + GAP), top)))
    for number, picture in pictures(options, wanted):
        for row, place in wanted[number]:
            draw_cut(page, picture, row, number, frames, place, cell)
    surface.write_to_png(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("input")
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("chain")
    parser.add_argument("--fps", type=int, default=25)
    parser.add_argument("--columns", type=int, default=8)
    parser.add_argument("--cell", type=int, default=96, help="pixels of a cut-out")
    parser.add_argument("--rows", type=int, default=24)
    parser.add_argument("--least", type=float, default=0.5)
    parser.add_argument("--border", type=int, default=4)
    parser.add_argument("--from", type=float, default=0, dest="first")
    parser.add_argument("--to", type=float, default=1e9, dest="last")
    parser.add_argument("--ids", type=lambda words: set(map(int, words.split(","))))
    parser.add_argument("--size", required=True, help="WIDTHxHEIGHT of the video")
    options = parser.parse_args()
    Gst.init(None)
    width, height = map(int, options.size.split("x"))
    times, frames = find_tracks(options)
    numbers = {}
    for number, boxes in enumerate(frames):
        for ident in boxes:
            numbers.setdefault(ident, []).append(number)
    rows = []
    for ident, its in sorted(numbers.items()):
        begin, end = times[its[0]], times[its[-1]]
        if end - begin < options.least or end < options.first or begin > options.last or (options.ids and ident not in options.ids):
            continue
        row = Row(ident, its, frames, options.columns)
        rows.append(row)
        ends = [row.where(frames[n][ident], width, height, options.border) for n in (its[0], its[-1])]
        print(f"track {ident:4} {begin:7.2f} to {end:7.2f} s  began {ends[0]}, ended {ends[1]}")
    for page, start in enumerate(range(0, len(rows), options.rows)):
        path = options.output if page == 0 else options.output.with_name(f"{options.output.stem}-{page + 1}.png")
        draw(options, rows[start:start + options.rows], times, frames, path)


if __name__ == "__main__":
    main()
