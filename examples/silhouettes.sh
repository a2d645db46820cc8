#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Silhouettes of several cameras at the same moments, as a visual hull or a motion capture takes them: the use that the paper
# behind glcolinearseg was written for. Every picture FOLDER/silhouettes-00000.png holds the masks of all cameras for one moment,
# side by side from left to right, 320x240 pixels each; compositor brings frames together by their times.
#
# Usage: silhouettes.sh [FOLDER [SOURCE ...]]     run it by  ./run shell examples/silhouettes.sh
# A SOURCE is the beginning of a pipeline, which makes video. Without one, three drawn cameras are shown. The first 25 frames must be
# empty: they are the background. Cameras must have one clock: give rtspsrc ntp-sync=true, or cameras a common trigger.
#   examples/silhouettes.sh hulls "rtspsrc location=rtsp://A/stream ntp-sync=true ! decodebin" "rtspsrc location=rtsp://B/stream ntp-sync=true ! decodebin"
set -euo pipefail
folder=${1:-build/silhouettes}
shift || true
if [ $# -eq 0 ]; then
  for seed in 1 2 3; do set -- "$@" "scenetestsrc scene=indoor quiet=2 seed=$seed num-buffers=75"; done
fi
mkdir -p "$folder"
width=320 height=240
cameras='' places=''
n=0
for source in "$@"; do
  cameras+=" $source ! videoconvert ! videoscale ! videorate
    ! video/x-raw,format=RGBA,width=$width,height=$height,framerate=15/1
    ! glcolinearseg output=mask ! queue ! videoconvert ! video/x-raw,format=GRAY8 ! together.sink_$n"
  places+=" sink_$n::xpos=$((n * width))"
  n=$((n + 1))
done
# shellcheck disable=SC2086 # a pipeline in words
gst-launch-1.0 -q -e compositor name=together background=black $places ! videoconvert ! video/x-raw,format=GRAY8 \
  ! pngenc ! multifilesink location="$folder/silhouettes-%05d.png" $cameras
echo "$(find "$folder" -name 'silhouettes-*.png' | wc -l) moments of $n cameras in $folder"
