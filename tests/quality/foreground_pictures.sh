#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Draws docs/images/cudamog-scenes.jpg: a frame of each scene, what moves in it, and the masks of OpenCV's MOG2 (its
# settings and a 5x5 median, as in table.py) and of cudamog with default settings.
# Usage: GST_PLUGIN_PATH=build foreground_pictures.sh OUT.jpg SCENE FRAME [SCENE FRAME]...
set -eu
out=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mog2="cudamog backend=cpu background-sigma=4 shadow-threshold=0.5 shadow-sigma=0 deep-shadow-distance=0 median=5 exposure=off foreground-rate=1 light-jump=0 output=mask"
small="queue ! videoconvert ! videoscale ! video/x-raw,format=I420,width=200,height=150 ! mix."
rows="" place="" row=0
while [ $# -ge 2 ]; do
    gst-launch-1.0 -q compositor name=mix sink_1::xpos=200 sink_2::xpos=400 sink_3::xpos=600 ! video/x-raw,width=800,height=150 \
        ! jpegenc quality=90 ! multifilesink location="$work/$row-%05d.jpg" \
        scenetestsrc name=s scene="$1" num-buffers=$(($2 + 1)) \
        s.src ! video/x-raw,format=RGBA,width=320,height=240,framerate=25/1 ! tee name=t \
        t. ! $small"sink_0" s.truth ! $small"sink_1" \
        t. ! queue ! $mog2 ! $small"sink_2" t. ! queue ! cudamog backend=cpu output=mask ! $small"sink_3"
    rows="$rows filesrc location=$work/$row-$(printf %05d "$2").jpg ! jpegdec ! imagefreeze num-buffers=1 ! all.sink_$row"
    place="$place sink_$row::ypos=$((150 * row))"
    row=$((row + 1))
    shift 2
done
gst-launch-1.0 -q compositor name=all $place ! video/x-raw,width=800,height=$((150 * row)) ! videoconvert ! jpegenc quality=85 \
    ! filesink location="$out" $rows
