// SPDX-License-Identifier: LGPL-2.1-or-later
// How fast the model learns from each frame: learning-time and light-jump on top of mog's own learning rate.
#pragma once

#include "gst/cudamog/settings.h"

#include <cstdint>

namespace vigil::gst::cudamog {

class Learning {
 public:
  // The learning rate of the next frame. `frame_number`: 1 for a model's first. `seconds`: that the frame
  // lasts.
  double next_rate(const mog::Params &, const Tuning &, std::uint64_t frame_number, double seconds);

  bool relearning() const { return relearn_ > 0; }

  enum class Light { steady, jumped, relearning };
  // What a finished frame's changed fraction says about the light, in the order of the frames. After `jumped`
  // the next frames learn as a new model would, and count as `relearning`.
  Light observe(double changed_fraction, const Tuning &);
  // The camera was moved: what the model knows is of another place, so the next frames learn as a new model's
  // would.
  void relearn();
  // The model knows this light: no frame has to be learnt fast. The frames that `relearning` lasts still say
  // nothing, since cameras need some to find their exposure.
  void recalled() { relearn_ = 0; }

 private:
  int relearn_ = 0;   // frames to go that learn fast
  int suspend_ = 0;   // finished frames to go that say nothing
  bool armed_ = true; // a new jump would be one
};

} // namespace vigil::gst::cudamog
