// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs a pipeline description over one labelled sequence and scores every mask that has truth.
#pragma once

#include "description.h"
#include "score.h"
#include "source.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vigil::eval {

struct Job {
  std::string description;        // of a bin: video in, GRAY8 masks out
  std::string format;             // of the video that it gets, e.g. "RGBA"; empty: what is negotiated
  std::uint64_t warmup = 0;       // so many first frames are not scored
  int patience_seconds = 60;      // without a mask before the run is given up
  std::optional<Setting> setting; // for a sweep
};

struct FrameResult {
  std::string frame;
  Counts counts;
};

struct SequenceResult {
  std::string name;
  std::uint64_t frames = 0;  // that went in
  std::uint64_t missing = 0; // with truth, but no mask came out for them
  double seconds = 0;        // from the first frame in to the end of stream, decoding included
  Counts counts;
  std::vector<FrameResult> scored;
  double frames_per_second() const { return seconds > 0 ? static_cast<double>(frames) / seconds : 0; }
};

// The counts of one mask. Throws Error::bad_data when it is not in readable memory or not of the truth's
// size.
Counts score_sample(GstSample *mask, const Truth &);

// Frames and masks are matched by PTS, so that a description may delay or drop frames. `progress` is called
// after each mask.
// Throws Error: bad_setting when the description cannot be built or linked, device when the pipeline reports
// an error or gives nothing for the patience, bad_data when masks and truth do not fit or no mask had truth.
SequenceResult run(const Job &, Source &, const std::function<void()> &progress = {});

} // namespace vigil::eval
