// SPDX-License-Identifier: LGPL-2.1-or-later
// The element cudamog: caps, properties, signals, and the file that the model is kept in. Where to look:
//   stage_list.*  the list of all that is done with a frame; stages/: a file for each of these rules
//   processor.*   brings frames to the stages
//   publisher.*   metadata and messages
//   session.h     what lasts while processors come and go with their device
//   settings.h    all that can be set; properties.*: the properties made of it
//   model_file.*  the file that model-location names
#pragma once

#include "gst/cudamog/model_file.h"
#include "gst/cudamog/session.h"
#include "gst/transform/compute_selector.h"
#include "gst/transform/element.h"
#include "kernels/mog/state_file.h"

#include <memory>
#include <optional>

namespace vigil::gst::cudamog {

class MogElement final : public ElementWith<Settings> {
 public:
  explicit MogElement(GstElement *);

  bool set_property(guint id, const GValue *) override;
  void add_stats(GstStructure *) const override;
  PipelineDepth flow() const override;
  bool passes_buffers() const override;
  bool learns() const override { return true; }
  DeviceSelector &device_selector() override { return selector_; }
  std::unique_ptr<FrameProcessor> make_processor(Device &) override;
  void start() override;
  void after_frame() override;
  void stop(FrameProcessor *) override;
  void stopped() override;
  void end_of_stream() override;

 private:
  void update_model_file(bool at_the_end);

  GstElement *gst_;
  ComputeSelector selector_;
  Session session_;
  ModelFile model_file_;
  std::optional<mog::SavedModel> to_load_; // read at the start, for the first processor
  std::optional<mog::SavedModel> to_save_; // taken at the stop
};

} // namespace vigil::gst::cudamog
