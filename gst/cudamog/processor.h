// SPDX-License-Identifier: LGPL-2.1-or-later
// The work of the element (gst/transform/frame_processor.h): turns frames into FrameContexts, runs the stages
// (stage_list.h) and reports to the Session. All rules about pictures are in the stages.
#pragma once

#include "gst/cudamog/session.h"
#include "gst/cudamog/stage_list.h"
#include "gst/metadata/mask_meta.h"
#include "gst/transform/frame_processor.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace vigil::gst::cudamog {

class MogProcessor final : public FrameProcessor {
 public:
  MogProcessor(Device &, Session &);

  void set_format(const FrameKind &in, const FrameKind &out) override;
  std::unique_ptr<PerFrameData> make_frame_data() override;
  Plan plan(const FrameTime &, PerFrameData *) override;
  void run(std::span<FrameTask *const>, Queue &) override;
  void fetch(FrameTask &, Queue &) override;
  void complete(FrameTask &, Queue &) override;
  void publish(BufferPtr &, const FrameTask &) override;
  void pass_by(FrameTask &, Queue &) override;
  std::unique_ptr<PortableState> export_state() override;
  void import_state(std::unique_ptr<PortableState>) override;
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
