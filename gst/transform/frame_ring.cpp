// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/transform/frame_ring.h"

#include <utility>

namespace vigil::gst {

FrameInFlight::FrameInFlight(Device &device, std::unique_ptr<FrameMapping> slot, FrameProcessor &work)
    : reader(std::move(slot)), result(work.make_frame_data()), uploaded(device.make_event()),
      done(device.make_event()), timer(device.make_timer()) {
  task.result = result.get();
}

void FrameRing::set_format(const FrameKind &in, const FrameKind &out, MakeMapping make_mapping) {
  forget();
  work_.set_format(in, out);
  in_ = in;
  out_ = out;
  make_mapping_ = std::move(make_mapping);
}

void FrameRing::forget() {
  free_.clear();
  frames_.clear();
}

FrameInFlight &FrameRing::next() {
  if (free_.empty()) {
    frames_.push_back(std::make_unique<FrameInFlight>(device_, make_mapping_(in_), work_));
    free_.push_back(frames_.back().get());
  }
  return *free_.back();
}

FrameMapping &FrameRing::writer_of(FrameInFlight &f) {
  if (!f.writer) f.writer = make_mapping_(out_);
  return *f.writer;
}

} // namespace vigil::gst
