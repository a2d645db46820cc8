// SPDX-License-Identifier: LGPL-2.1-or-later
// Which of a camera's pictures are analysed, by the rate of the analysis, and which frames need not even be
// decoded.
#pragma once

#include "../config/config.h"
#include "decoded_times.h"
#include "rate_gate.h"
#include "tiles.h"

#include <atomic>
#include <gst/gst.h>
#include <memory>

namespace vigil::monitor {

class PictureSelection {
 public:
  PictureSelection(const CameraConfig &, std::shared_ptr<TilePlan>);

  // Pictures are encoded for the recorder, which needs all of them. On any thread.
  void encode() { encodes_ = true; }
  bool encodes() const { return encodes_; }

  // On the thread of the pictures, for each in the order in which they are shown:
  bool is_due(GstPad *, GstBuffer *picture); // to be analysed
  // Decides for a picture that goes both to the chain and to tiles; analysed() keeps it.
  bool decide(GstPad *, GstBuffer *picture);
  bool analysed() const { return analysed_; }

  // Whether a compressed frame may stay out of the decoder. On the thread before it, for each frame.
  bool is_needless(GstPad *, GstBuffer *frame);

 private:
  const CameraConfig &config_;
  const std::shared_ptr<TilePlan> plan_;
  RateGate gate_; // behind the decoder, or before the chain where pictures are encoded for the recorder
  DecodedTimes decoded_; // the thread's before the decoder
  std::atomic<bool> encodes_ = false;
  bool analysed_ = true; // the picture that goes to the chain and to the plain tiles; its thread's
};

} // namespace vigil::monitor
