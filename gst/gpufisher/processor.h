// SPDX-License-Identifier: LGPL-2.1-or-later
// What gpufisher does with frames: descriptors, encoding and scores; a few bytes are fetched, and the vector
// when it is wanted.
#pragma once

#include "gst/gpufisher/element.h"
#include "gst/transform/frame_processor.h"
#include "kernels/fisher/scorer.h"

#include <optional>

namespace vigil::gst::gpufisher {

class FisherProcessor final : public FrameProcessor {
 public:
  FisherProcessor(Device &, FisherElement &, std::shared_ptr<const fisher::Model>);

  // Both throw Error::bad_setting when a frame has no room for one of the model's descriptors, and change
  // nothing then. After set_model() frames need other results.
  void set_format(const FrameKind &in, const FrameKind &out) override;
  void set_model(std::shared_ptr<const fisher::Model>);

  std::unique_ptr<PerFrameData> make_frame_data() override;
  Plan plan(const FrameTime &, PerFrameData *) override;
  void run(std::span<FrameTask *const>, Queue &) override;
  void fetch(FrameTask &, Queue &) override;
  void complete(FrameTask &, Queue &) override;
  void publish(BufferPtr &, const FrameTask &) override;
  void flushed() override;
  std::uint64_t result_bytes() const override { return result_bytes_; }

 private:
  struct Scored;
  void build(std::shared_ptr<const fisher::Model>, const FrameKind &);

  Device &device_;
  FisherElement &element_;
  std::shared_ptr<const fisher::Model> model_;
  std::optional<FrameKind> kind_;
  std::unique_ptr<fisher::Scorer> scorer_;
  std::uint64_t result_bytes_ = 0; // scores and vectors that were read back
};

} // namespace vigil::gst::gpufisher
