// SPDX-License-Identifier: LGPL-2.1-or-later
// The life of the model: made with the first frame, kept as long as the frames are of its kind, saved and
// loaded, taken along to another device.
#include "gst/cudamog/work.h"

#include "common/error.h"
#include "gst/frames/formats.h"

namespace vigil::gst::cudamog {

struct MogWork::Known final : Work::State {
  std::optional<mog::SavedModel> model;
};

// How the model's channels are ordered, which a saved model tells.
static mog::Samples samples_of(const GstVideoInfo &info, int channels) {
  const mog::Samples samples = mog::samples_of(pixel_format(info), channels);
  return samples == mog::Samples::yuv && has_v_first(info) ? mog::Samples::yvu : samples;
}

mog::Config MogWork::wanted_config(const Settings &s) const {
  const bool grey = pixel_format(in_.info) == PixelFormat::gray8;
  const bool three = !grey && s.shape.color && s.method == mog::Method::zivkovic;
  return {.width = grid_.width,
          .height = grid_.height,
          .channels = three ? 3 : 1,
          .method = s.method,
          .precision = s.precision,
          .components = s.shape.components};
}

void MogWork::prepare_model(const Settings &settings, Queue &queue) {
  const mog::Config config = wanted_config(settings);
  const mog::Samples samples = samples_of(in_.info, config.channels);
  if (model_ && model_->config() == config && samples_ == samples) return;
  if (model_ && samples_ == samples) {
    mog::Config same_but_precision = model_->config();
    same_but_precision.precision = config.precision;
    if (same_but_precision == config) to_load_ = save();
  }
  try {
    if (to_load_) mog::check_fits(*to_load_, config, samples);
  } catch (const Error &e) { // learnt again; the element tells
    refused_ = e;
    to_load_.reset();
  }
  std::unique_ptr<mog::Model> model = mog::make(device_, config);
  if (to_load_) model->load(to_load_->state, queue);
  if (to_load_) lights_.load(to_load_->lights, queue);
  to_load_.reset(); // not before all went well: it may be the only copy
  model_ = std::move(model);
  samples_ = samples;
  forget();
}

// Another model: what was found with the one before holds no longer.
void MogWork::forget() {
  learning_ = {};
  scene_.forget();
  lights_.model_changed();
  light_jumped_ = light_unknown_ = false;
}

void MogWork::reset() {
  forget();
  element_.camera.forget();
  camera_moved_ = false;
  to_load_.reset();
  changed_ = true;
  if (!model_) return;
  lights_.forget(*queue_);
  model_->load(mog::empty_state(model_->config()), *queue_);
  element_.model_frames = model_->frames;
}

mog::SavedModel MogWork::save() {
  if (!model_) fail(Error::Kind::bad_setting, "there is no model to save before the first frame");
  return {model_->save(*queue_), samples_, lights_.save(*queue_)};
}

std::optional<mog::SavedModel> MogWork::save_if_changed() {
  if (!model_ || !changed_) return {};
  mog::SavedModel model = save();
  changed_ = false;
  return model;
}

void MogWork::load(mog::SavedModel saved) {
  if (!model_) {
    to_load_ = std::move(saved);
    return;
  }
  mog::check_fits(saved, model_->config(), samples_);
  model_->load(saved.state, *queue_);
  lights_.load(saved.lights, *queue_);
  changed_ = true;
  element_.model_frames = model_->frames;
  forget();
}

// A model that waits for the first frame goes along as well.
std::unique_ptr<Work::State> MogWork::leave() {
  auto known = std::make_unique<Known>();
  if (model_)
    known->model = save();
  else
    known->model = std::move(to_load_);
  return known;
}

void MogWork::enter(std::unique_ptr<State> state) {
  to_load_ = std::move(static_cast<Known &>(*state).model);
}

} // namespace vigil::gst::cudamog
