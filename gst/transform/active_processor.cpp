// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/transform/active_processor.h"

#include <utility>

namespace vigil::gst {

void ActiveProcessor::start(Element &element, Device &on) {
  processor = element.make_processor(on);
  if (state_) processor->import_state(std::exchange(state_, {}));
  stats_.set_device(on);
  frames = std::make_unique<FramesInFlight>(on, *processor, stats_.counts(), &gone_);
  device_ = &on;
}

void ActiveProcessor::stop() {
  if (frames) {
    frames->discard();
    count();
  }
  std::unique_ptr<FrameProcessor::PortableState> left;
  if (processor) left = processor->export_state();
  frames.reset();
  processor.reset();
  device_ = nullptr;
  if (left) state_ = std::move(left);
}

void ActiveProcessor::end() noexcept {
  frames.reset();
  processor.reset();
  state_.reset();
  device_ = nullptr;
}

void ActiveProcessor::give_back() {
  while (!gone_.empty()) {
    const BufferPtr last = std::move(gone_.back());
    gone_.pop_back();
  }
}

} // namespace vigil::gst
