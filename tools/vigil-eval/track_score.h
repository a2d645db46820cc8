// SPDX-License-Identifier: LGPL-2.1-or-later
// How good tracks are. A found box can stand for a true one when their IoU is at least `threshold`.
//
//   MOTA = 1 - (misses + false positives + switches) / true boxes
//          each frame: pairs of the frame before stay as long as they may; the others are assigned with the
//          most pairs, then the least sum of 1 - IoU; a true id that goes to another found id than it had
//          last is a switch (K. Bernardin, R. Stiefelhagen, EURASIP J. on Image and Video Processing 2008)
//   IDF1 = 2 IDTP / (true boxes + found boxes), IDTP: boxes in common of the one-to-one assignment of ids
//          that has most (E. Ristani et al., ECCV workshops 2016)
//   HOTA = mean over alpha = 0.05 .. 0.95 of sqrt(DetA AssA), at the IoU threshold alpha; boxes of a frame
//          are assigned by IoU times how well their ids agree over all frames
//          DetA = TP / (TP + FN + FP),  AssA = mean over TP of TPA / (TPA + FNA + FPA)
//          (J. Luiten et al., Int. J. of Computer Vision 2021)
//
// The numbers are those of motmetrics 1.4 and trackeval 1.3; tests/tools/track_score.py compares them.
#pragma once

#include "mot_file.h"

#include <cstdint>

namespace vigil::eval {

struct TrackScore {
  std::uint64_t frames = 0, truth = 0, found = 0; // boxes
  std::uint64_t matches = 0, switches = 0, misses = 0, false_positives = 0, idtp = 0;
  // Not a number where nothing is there to divide by.
  double mota = 0, idf1 = 0, recall = 0, precision = 0, hota = 0, deta = 0, assa = 0;
};

TrackScore score_tracks(const MotTracks &truth, const MotTracks &found, double threshold);

} // namespace vigil::eval
