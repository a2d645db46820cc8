#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes the pictures of docs/elements/clbilateral.md and clhistogram.md: ./run shell tools/pictures-cl.sh
set -euo pipefail
cd "$(dirname "$0")/../docs/pictures"
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
