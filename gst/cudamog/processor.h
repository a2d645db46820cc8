// SPDX-License-Identifier: LGPL-2.1-or-later
// The work of the element (gst/transform/work.h): turns frames into FrameContexts, runs the stages
// (stage_list.h) and reports to the Session. All rules about pictures are in the stages.
#pragma once

#include "gst/cudamog/session.h"
#include "gst/cudamog/stage_list.h"
#include "gst/observe/mask_meta.h"
#include "gst/transform/work.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace vigil::gst::cudamog {

class MogProcessor final : public Work {
 public:
  MogProcessor(Device &, Session &);

  void set_format(const FrameKind &in, const FrameKind &out) override;
  std::unique_ptr<Result> make_result() override;
  Plan plan(const FrameTime &, Result *) override;
  void run(std::span<Job *const>, Queue &) override;
  void fetch(Job &, Queue &) override;
  void complete(Job &, Queue &) override;
  void publish(BufferPtr &, const Job &) override;
  void pass_by(Job &, Queue &) override;
  std::unique_ptr<State> leave() override;
  void enter(std::unique_ptr<State>) override;
  std::uint64_t result_bytes() const override { return stages_.bytes() + mask_bytes_; }

  // The model; see BackgroundModel. Frames that are not run yet do not belong to it.
  void reset();
  void load(mog::SavedModel);
  BackgroundModel &model() { return model_; }

 private:
  Output output_for(Output wanted);

  Device &device_;
  Session &session_;
  FrameKind in_, out_;
  BackgroundModel model_;
  StageList stages_;
  std::unique_ptr<MaskCopies> masks_;
  Settings current_;                  // of the frame that came last
  unsigned settings_number_ = 1;      // counts changes of current_
  std::vector<FrameContext *> group_; // of run(); keeps its memory
  std::uint64_t mask_bytes_ = 0;
};

} // namespace vigil::gst::cudamog
