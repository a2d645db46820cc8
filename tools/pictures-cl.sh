#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes the pictures of docs/reference/elements/clbilateral.md, clhistogram.md and clfilter.md: ./run shell tools/pictures-cl.sh
set -euo pipefail
cd "$(dirname "$0")/../docs/images"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# noisy, filtered and clean, a part of each, side by side
vigil-demo --element clbilateral --frames 60 --out "$work" >/dev/null 2>&1
part() { echo "filesrc location=$work/$1-000060.png ! pngdec ! videoconvert ! videocrop left=200 top=90 right=160 bottom=110 ! m.sink_$2"; }
# shellcheck disable=SC2046
gst-launch-1.0 -q compositor name=m sink_0::xpos=0 sink_1::xpos=284 sink_2::xpos=568 ! video/x-raw,width=848,height=280 ! \
  videoconvert ! jpegenc quality=85 ! filesink location=clbilateral-noise.jpg \
  $(part noisy 0) $(part filtered 1) $(part clean 2)

gst-launch-1.0 -q scenetestsrc num-buffers=100 ! video/x-raw,format=RGBA ! clhistogram overlay=true ! videoconvert ! \
  jpegenc quality=75 ! multifilesink location="$work/h-%d.jpg" max-files=1
mv "$work"/h-99.jpg clhistogram-overlay.jpg

# A street whose left half lies in deep shadow, and below what the stage tonemap makes of it
gst-launch-1.0 -q compositor name=m background=black sink_1::alpha=0.86 ! video/x-raw,format=RGBA,width=640,height=360,framerate=25/1 ! tee name=t \
  scenetestsrc num-buffers=100 noise=1 ! video/x-raw,format=RGBA,width=640,height=360,framerate=25/1 ! m.sink_0 \
  videotestsrc num-buffers=100 pattern=black ! video/x-raw,format=RGBA,width=320,height=360,framerate=25/1 ! m.sink_1 \
  compositor name=both sink_1::ypos=360 ! videoconvert ! jpegenc quality=70 ! multifilesink location="$work/tone.jpg" \
  t. ! queue ! both.sink_0 t. ! queue ! clfilter chain="tonemap compression=0.6" ! both.sink_1
mv "$work/tone.jpg" clfilter-tonemap.jpg
