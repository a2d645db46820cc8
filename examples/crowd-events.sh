#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# From nothing to events, as docs/tutorials/crowd-events.md explains it: draws videos of a crowd that starts to run, trains on two of
# them, tests on a third, and watches a fourth. About a minute on two cores. Run it by  ./run shell examples/crowd-events.sh [FOLDER]
set -euo pipefail
folder=${1:-build/crowd-events}
mkdir -p "$folder"
cd "$folder"

# 1. Videos. Each crowd strolls from 1 s on and runs away from 9 s on; a second one comes at 17 s.
draw() {
  gst-launch-1.0 -q scenetestsrc scene=crowd quiet=1 seed="$1" num-buffers=400 \
    ! video/x-raw,format=I420,width=320,height=240,framerate=15/1 ! jpegenc quality=95 ! avimux ! filesink location="crowd$1.avi"
}
for seed in 1 2 3; do draw "$seed"; done

# 2. Labels: frames of 1/15 s, counted from 1. Some react half a second late, and after 11.5 s nobody is left to see.
label() {
  echo "video,first,last,class"
  for seed in "$@"; do
    echo "crowd$seed.avi,16,135,normal"
    echo "crowd$seed.avi,143,172,running"
    echo "crowd$seed.avi,210,375,normal"
    echo "crowd$seed.avi,383,400,running"
  done
}
label 1 2 > train.csv
label 3 > test.csv

# 3. Train, and test on a crowd that the model never saw.
vigil-train codebook --seed 1 --every 4 --samples 100000 --components 64 --scales 7 --largest-scale 1 -o crowd.model crowd1.avi crowd2.avi
vigil-train classifier --every 2 -l train.csv -o crowd.model crowd.model
vigil-train describe crowd.model
vigil-train evaluate --every 2 -l test.csv --out test crowd.model | tee test.txt

# 4. Watch: the messages that gpufisher posts.
gst-launch-1.0 -m scenetestsrc scene=crowd quiet=1 seed=4 num-buffers=270 ! video/x-raw,width=320,height=240,framerate=15/1 \
  ! gpufisher backend=cpu model-location=crowd.model every=2 ! fakesink 2>&1 | grep -o 'event-[a-z]*, .*' | tee events.txt
