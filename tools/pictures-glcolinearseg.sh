#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes the pictures of docs/reference/elements/glcolinearseg.md: ./run shell tools/pictures-glcolinearseg.sh
set -euo pipefail
cd "$(dirname "$0")/../docs/images"
export GST_GL_PLATFORM=${GST_GL_PLATFORM:-egl} GST_GL_WINDOW=${GST_GL_WINDOW:-egl-device}

# row NAME SCENE SETTINGS...: the frame, then a mask for each of the settings, side by side
row() {
  local name=$1 scene=$2 x=320 branches="" panes="sink_0::xpos=0 sink_0::width=320 sink_0::height=240"
  shift 2
  local i=1
  for settings in "$@"; do
    branches+=" t. ! queue ! glcolinearseg report=false $settings ! m.sink_$i"
    panes+=" sink_$i::xpos=$x sink_$i::width=320 sink_$i::height=240"
    x=$((x + 320)) i=$((i + 1))
  done
  # shellcheck disable=SC2086
  gst-launch-1.0 -q scenetestsrc $scene ! video/x-raw,width=320,height=240 ! videoconvert ! video/x-raw,format=RGBA ! \
    tee name=t compositor name=m $panes ! video/x-raw,width=$x,height=240 ! videoconvert ! pngenc ! \
    multifilesink location="$name-%d.png" max-files=1 t. ! queue ! m.sink_0 $branches
  mv "$name"-[0-9]*.png "$name.png"
}

row colinearseg-iterations "seed=1 noise=6 num-buffers=206" \
  "static-threshold=2500 temporal-compactness=2 compactness=500 iterations=0" \
  "static-threshold=2500 temporal-compactness=2 compactness=500 iterations=2" \
  "static-threshold=2500 temporal-compactness=2 compactness=500 iterations=4" \
  "static-threshold=2500 temporal-compactness=2 compactness=500 iterations=6"
row colinearseg-darkness "seed=1 num-buffers=206" "static-threshold=3000 darkness-offset=0" "static-threshold=3000 darkness-offset=15000" \
  "static-threshold=3000 darkness-offset=300000"
row colinearseg-outdoor "seed=3 num-buffers=261" "output=mask" "output=overlay" "output=cutout" "output=background"
row colinearseg-indoor "scene=indoor num-buffers=181" "output=mask" "output=overlay" "output=cutout" "output=background"
