// SPDX-License-Identifier: LGPL-2.1-or-later
// What cudamog does with frames:
//
//   run()       model, clean-up, blobs, the picture to put out
//   fetch()     what is to be known of blobs
//   complete()  takes the blobs of the oldest frame; draws an overlay, which needs the boxes
//
// What results do to later frames (foreground-rate, light-jump) they do to those that are run after the frame
// came out.
#pragma once

#include "common/error.h"
#include "gst/cudamog/beside.h"
#include "gst/cudamog/element.h"
#include "gst/cudamog/lights.h"
#include "gst/cudamog/scene.h"
#include "gst/observe/mask_blobs.h"
#include "gst/observe/mask_meta.h"
#include "gst/transform/work.h"
#include "kernels/compose/compose.h"
#include "kernels/view/spots.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vigil::gst::cudamog {

class MogWork final : public Work {
 public:
  MogWork(Device &, MogElement &);

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
  std::uint64_t result_bytes() const override { return result_bytes_; }

  // The model. Frames that are not run yet do not belong to it. load() throws Error::bad_data and changes
  // nothing when the model does not fit; before the first frame it waits for that one, see take_refusal().
  void reset();
  mog::SavedModel save();
  void load(mog::SavedModel);
  // Why a model that waited for the first frame did not fit it and was dropped, once.
  std::optional<Error> take_refusal() { return std::exchange(refused_, {}); }
  // The model, unless there is none or it was taken from here before and has not changed since.
  std::optional<mog::SavedModel> save_if_changed();

 private:
  struct Analysis;
  struct Known;
  void forget();
  Output output_for(Output wanted);
  void prepare_model(const Settings &, Queue &);
  void prepare_watch(const std::string &location, Queue &);
  mog::RateMap upload_rates(Analysis &, double learning_rate, Queue &);
  void analyse(Job &, const Settings &, Queue &);
  void find_blobs(Analysis &);
  void sample_view(Job &, Queue &);
  void watch_camera(Analysis &);
  void attach_mask(GstBuffer *, Analysis &);
  void follow_light(const ConstImage &frame, const Settings &, Queue &);
  mog::Config wanted_config(const Settings &) const;

  Device &device_;
  MogElement &element_;
  Queue *queue_ = nullptr; // of the frames that were run; there is none before there is a model
  FrameKind in_, out_;
  activity::Grid grid_;
  std::unique_ptr<MaskBlobs> blobs_;
  std::unique_ptr<MaskCopies> masks_;
  compose::Style style_;
  std::unique_ptr<cleanup::Cleanup> cleanup_;
  std::unique_ptr<compose::Composer> composer_;

  std::unique_ptr<mog::Model> model_;
  mog::Samples samples_{};
  std::optional<mog::SavedModel> to_load_; // before there is a model
  std::optional<Error> refused_;
  bool changed_ = true; // since save_if_changed()
  Learning learning_;
  Scene scene_;
  Lights lights_;
  // Of frames that came out: the light jumped; most has changed since, so another known light may fit.
  bool light_jumped_ = false, light_unknown_ = false;
  std::unique_ptr<view::Sampler> sampler_;
  Beside beside_;
  view::Layout view_;
  bool camera_moved_ = false; // said of a frame that came out

  std::optional<std::string> watch_location_; // of what is in watch_
  DeviceBuffer watch_;                        // ignore mask; none: all pixels are watched
  std::uint64_t watched_pixels_ = 0;

  std::vector<std::uint8_t> blob_cells_; // of the frame that came out last

  Settings current_; // of the frame that came last
  std::vector<mog::Step> steps_;
  std::uint64_t result_bytes_ = 0; // counts and rate maps
};

} // namespace vigil::gst::cudamog
