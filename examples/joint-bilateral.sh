#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A noisy infra-red camera cleaned up by the colour camera next to it: cljointbilateral with a guide. Both cameras are drawn here;
# they show the same scene, the first one in grey and with much noise, the other one in colour, at another size and frame rate.
#
# Usage: joint-bilateral.sh [FOLDER]     run it by  ./run shell examples/joint-bilateral.sh
# FOLDER/before.png and FOLDER/after.png are the last picture as it came and as it went out.
set -euo pipefail
folder=${1:-build/joint-bilateral}
mkdir -p "$folder"
infrared="scenetestsrc scene=indoor seed=1 noise=25 num-buffers=50 ! video/x-raw,format=GRAY8,width=320,height=240,framerate=25/1"
colour="scenetestsrc scene=indoor seed=1 noise=2 num-buffers=30 ! video/x-raw,format=RGBA,width=640,height=480,framerate=15/1"
# shellcheck disable=SC2086 # pipelines in words
gst-launch-1.0 -q -e cljointbilateral name=joint spatial-sigma=3 range-sigma=0.04 ! videoconvert ! pngenc ! multifilesink location="$folder/after.png" \
  $infrared ! tee name=before ! queue ! joint.sink  before. ! queue ! videoconvert ! pngenc ! multifilesink location="$folder/before.png" \
  $colour ! queue ! joint.guide
echo "before.png and after.png are in $folder"
