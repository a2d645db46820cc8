// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/background_model.h"

#include "common/on_device_thread.h"
#include "gst/cudamog/stages/learning_rate.h"

namespace vigil::gst::cudamog {
namespace {

// The order of the model's channels, which a saved model holds.
mog::Samples samples_of(const Format &format, int channels) {
  const mog::Samples samples = mog::samples_of(format.pixels, channels);
  return samples == mog::Samples::yuv && format.v_first ? mog::Samples::yvu : samples;
}

} // namespace

void BackgroundModel::set_format(const Format &format) {
  format_ = format;
  snapshots_.set_format(format.pixels, format.grid.width, format.grid.height, format.colours);
}

// Where auto is set, the precision that the slowest cells of the picture can do with. A model that is frozen
// meanwhile keeps the one that it has. R G B stays in single, since compact loses .008 of the F-measure on
// Wallflower's TimeOfDay; so does method mog, whose compact form is coarser.
mog::Precision BackgroundModel::wanted_precision(const Settings &s) const {
  if (s.precision != PrecisionChoice::automatic) return static_cast<mog::Precision>(s.precision);
  const bool rgb = format_.pixels == PixelFormat::rgba || format_.pixels == PixelFormat::bgra;
  if (s.method == mog::Method::mog || (rgb && s.shape.color)) return mog::Precision::single;
  constexpr double short_frame = 1. / 60; // seconds, where the caps do not say
  const double seconds = format_.frame_seconds > 0 ? format_.frame_seconds : short_frame;
  const double rate = steady_rate(s.mog, s.tuning, seconds);
  if (rate <= 0 && model_ && model_->config().precision != mog::Precision::double_)
    return model_->config().precision;
  const float slow = s.tuning.foreground_rate; // 0: nothing is learnt in such cells
  return mog::precision_for(slow > 0 ? rate * double(slow) : rate, double(s.mog.min_variance));
}

mog::Config BackgroundModel::wanted_config(const Settings &s) const {
  const bool grey = format_.pixels == PixelFormat::gray8;
  const bool three = !grey && s.shape.color && s.method == mog::Method::zivkovic;
  return {.width = format_.grid.width,
          .height = format_.grid.height,
          .channels = three ? 3 : 1,
          .method = s.method,
          .precision = wanted_precision(s),
          .components = s.shape.components,
          .range = format_.full_range ? mog::ColourRange::full : mog::ColourRange::video};
}

bool BackgroundModel::prepare(const Settings &settings, Queue &queue) {
  const mog::Config config = wanted_config(settings);
  const mog::Samples samples = samples_of(format_, config.channels);
  if (model_ && model_->config() == config && samples_ == samples) {
    queue_ = &queue;
    return false;
  }
  if (model_ && samples_ == samples) { // of another precision or range: what was learnt is taken over
    mog::Config same = model_->config();
    same.precision = config.precision;
    same.range = config.range;
    if (same == config) to_load_ = save();
  }
  try {
    if (to_load_) mog::check_fits(*to_load_, config, samples);
  } catch (const Error &e) { // learnt again; the element reports it
    refused_ = e;
    to_load_.reset();
  }
  std::unique_ptr<mog::Model> model;
  on_device_thread(device_, [&] { model = mog::make(device_, config); });
  if (to_load_) model->load(to_load_->state, queue);
  if (to_load_) snapshots_.load(to_load_->lights, queue);
  to_load_.reset(); // not before all went well: it may be the only copy
  model_ = std::move(model);
  samples_ = samples;
  snapshots_.model_changed();
  queue_ = &queue;
  return true;
}

void BackgroundModel::clear() {
  snapshots_.model_changed();
  to_load_.reset();
  changed_ = true;
  if (!model_) return;
  snapshots_.forget(*queue_);
  model_->load(mog::empty_state(model_->config()), *queue_);
}

mog::SavedModel BackgroundModel::save() {
  if (!model_) fail(Error::Kind::bad_setting, "there is no model to save before the first frame");
  return {model_->save(*queue_), samples_, snapshots_.save(*queue_)};
}

std::optional<mog::SavedModel> BackgroundModel::save_if_changed() {
  if (!model_ || !changed_) return {};
  mog::SavedModel model = save();
  changed_ = false;
  return model;
}

bool BackgroundModel::load(mog::SavedModel saved) {
  if (!model_) {
    to_load_ = std::move(saved);
    return false;
  }
  mog::check_fits(saved, model_->config(), samples_);
  model_->load(saved.state, *queue_);
  snapshots_.load(saved.lights, *queue_);
  snapshots_.model_changed();
  changed_ = true;
  return true;
}

std::optional<mog::SavedModel> BackgroundModel::hand_over() {
  if (model_) return save();
  return std::exchange(to_load_, {});
}

} // namespace vigil::gst::cudamog
