// SPDX-License-Identifier: LGPL-2.1-or-later
// The life of the mixture model (kernels/mog) and of the pictures of the background in other lights that
// belong to it: made with the first frame, kept as long as the frames are of its kind, saved and loaded,
// taken along to another device.
#pragma once

#include "common/error.h"
#include "gst/cudamog/background_snapshots.h"
#include "gst/cudamog/stage.h"
#include "kernels/mog/state_file.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace vigil::gst::cudamog {

class BackgroundModel {
 public:
  explicit BackgroundModel(Device &device) : device_(device), snapshots_(device) {}

  void set_format(const Format &);
  // Makes the model that these settings and the format need, unless it is there. True: the model is another
  // one. Frames are submitted to this queue from now on.
  bool prepare(const Settings &, Queue &);

  bool exists() const { return model_ != nullptr; }
  // After prepare().
  mog::Model &mixture() { return *model_; }
  BackgroundSnapshots &snapshots() { return snapshots_; }
  std::uint64_t frames() const { return model_ ? model_->frames : 0; } // learnt
  std::optional<mog::Precision> precision() const {
    return model_ ? std::optional(model_->config().precision) : std::nullopt;
  }
  void has_learnt() { changed_ = true; }

  // The following wait for the device.
  // Everything is learnt anew.
  void clear();
  mog::SavedModel save();
  // The model, unless there is none or it was taken from here before and has not changed since.
  std::optional<mog::SavedModel> save_if_changed();
  // Throws Error::bad_data and changes nothing when the model does not fit. Before the first frame the model
  // waits for that one (see take_refusal()), and false is returned.
  bool load(mog::SavedModel);
  // The model, or the one that waits for the first frame.
  std::optional<mog::SavedModel> hand_over();
  // Why a model that waited for the first frame did not fit it and was dropped, once.
  std::optional<Error> take_refusal() { return std::exchange(refused_, {}); }

 private:
  mog::Config wanted_config(const Settings &) const;
  mog::Precision wanted_precision(const Settings &) const;

  Device &device_;
  Queue *queue_ = nullptr; // of the frames that were submitted; there is none before there is a model
  Format format_;
  std::unique_ptr<mog::Model> model_;
  mog::Samples samples_{};
  BackgroundSnapshots snapshots_;
  std::optional<mog::SavedModel> to_load_; // before there is a model
  std::optional<Error> refused_;
  bool changed_ = true; // since save_if_changed()
};

} // namespace vigil::gst::cudamog
