// SPDX-License-Identifier: LGPL-2.1-or-later
// The life of the model: made with the first frame, kept as long as the frames are of its kind, saved and loaded.
#include "gst/cudamog/pipeline.h"

#include "common/error.h"
#include "gst/base/video.h"

namespace vigil::gst::cudamog {

mog::Config Pipeline::wanted_config() const {
  const bool grey = pixel_format(in_.info) == PixelFormat::gray8;
  const bool three = !grey && group_.shape.color && group_.method == mog::Method::zivkovic;
  return {.width = grid_.width,
          .height = grid_.height,
          .channels = three ? 3 : 1,
          .method = group_.method,
          .precision = group_.precision,
          .components = group_.shape.components};
}

void Pipeline::prepare_model() {
  const mog::Config config = wanted_config();
  const mog::Samples samples = mog::samples_of(pixel_format(in_.info), config.channels);
  if (model_ && model_->config() == config && samples_ == samples) return;
  if (model_ && samples_ == samples) {
    mog::Config same_but_precision = model_->config();
    same_but_precision.precision = config.precision;
    if (same_but_precision == config) to_load_ = save();
  }
  try {
    if (to_load_) mog::check_fits(*to_load_, config, samples);
  } catch (const Error &e) { // learnt anew; the element tells
    refused_ = e;
    to_load_.reset();
  }
  std::unique_ptr<mog::Model> model = mog::make(device_, config);
  if (to_load_) model->load(to_load_->state, *compute_);
  to_load_.reset(); // not before all went well: it may be the only copy
  model_ = std::move(model);
  samples_ = samples;
  learning_ = {};
}

void Pipeline::reset() {
  learning_ = {};
  to_load_.reset();
  if (model_) model_->load(mog::empty_state(model_->config()), *compute_);
}

mog::SavedModel Pipeline::save() {
  if (!model_) fail(Error::Kind::bad_setting, "there is no model to save before the first frame");
  return {model_->save(*compute_), samples_};
}

void Pipeline::load(mog::SavedModel saved) {
  if (!model_) {
    to_load_ = std::move(saved);
    return;
  }
  mog::check_fits(saved, model_->config(), samples_);
  model_->load(saved.state, *compute_);
  learning_ = {};
}

} // namespace vigil::gst::cudamog
