// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/background_snapshots.h"

#include "common/on_device_thread.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace vigil::gst::cudamog {
namespace {

// fn(data, stride, bytes of a row, rows)
template <class Fn>
void for_each_plane(const Image &image, Fn fn) {
  for (int i = 0; i < plane_count(image.format); i++)
    fn(image.data[i], image.stride[i], row_bytes(image.format, i, image.width), plane_rows(i, image.height));
}

} // namespace

void BackgroundSnapshots::set_format(PixelFormat format, int width, int height,
                                     const exposure::Colours &colours) {
  colours_ = colours;
  if (format == format_ && width == width_ && height == height_) return;
  format_ = format;
  width_ = width;
  height_ = height;
  kept_.clear();
  scratch_ = {};
  mask_ = {};
  changed_at_ = 0;
}

void BackgroundSnapshots::keep(mog::Model &model, Queue &queue) {
  if (settled(model)) {
    if (kept_.size() == most) kept_.erase(kept_.begin());
    on_device_thread(device_, [&] {
      kept_.emplace_back(device_, format_, width_, height_);
      model.background(kept_.back().image(), queue);
    });
  }
  changed_at_ = model.frames;
}

float BackgroundSnapshots::agreement(const ConstImage &frame, const ConstImage &background, float most_moved,
                                     int channels, Queue &queue) {
  compare_->set({}, queue);
  compare_->set_colours(colours_);
  on_device_thread(device_, [&] { compare_->apply(frame, background, channels, scratch_.image(), queue); });
  exposure::Lines lines;
  device_.download(&lines, compare_->lines(), sizeof lines, queue);
  queue.wait();
  float least = 1;
  for (int c = 0; c < channels; c++) {
    exposure::Line &l = lines.channel[c];
    l.weight = 1;
    for (int anchor = 0; anchor < 2; anchor++)
      if (std::abs(exposure::deviation(l, anchor)) > most_moved) return 0;
    least = std::min(least, l.agreeing);
  }
  return least;
}

void BackgroundSnapshots::start_from(const ConstImage &background, const Plane<std::uint8_t> &mask,
                                     mog::Model &model, const mog::Params &params, Queue &queue) {
  // A frame that is learnt at the rate 1 is all that the model knows afterwards. Method mog keeps old
  // components even so.
  const std::uint64_t learnt = model.frames;
  if (model.config().method == mog::Method::mog) model.load(mog::empty_state(model.config()), queue);
  // Where a component matches already, its variance becomes that of a new one, not the least.
  const mog::Config &c = model.config();
  mog::Params fresh = params;
  fresh.match_sigma = 1;
  fresh.min_variance = static_cast<float>(
      mog::resolve(params, c.method, background.format, c.channels, c.range).initial_variance);
  const mog::Step step{background, mask, 1.};
  on_device_thread(device_, [&] { model.apply({&step, 1}, fresh, {}, queue); });
  model.frames = learnt;
}

bool BackgroundSnapshots::recall(const ConstImage &frame, float most_moved, mog::Model &model,
                                 const mog::Params &params, Queue &queue) {
  if (kept_.empty()) return false;
  if (!compare_) on_device_thread(device_, [&] { compare_ = exposure::make(device_); });
  if (!mask_) {
    scratch_ = DevicePicture(device_, format_, width_, height_);
    mask_ = DeviceBuffer(device_, std::size_t(width_) * std::size_t(height_));
  }
  float most_agreeing = 0;
  auto best = kept_.end();
  for (auto k = kept_.begin(); k != kept_.end(); ++k) {
    const float a = agreement(frame, k->image(), most_moved, model.config().channels, queue);
    if (a > most_agreeing) {
      most_agreeing = a;
      best = k;
    }
  }
  if (best == kept_.end()) return false;
  const DevicePicture known = std::move(*best);
  kept_.erase(best);
  keep(model, queue);
  start_from(known.image(), {mask_.as<std::uint8_t>(), width_, height_, width_}, model, params, queue);
  queue.wait(); // the picture goes
  return true;
}

mog::Pictures BackgroundSnapshots::save(Queue &queue) const {
  mog::Pictures saved{format_, {}};
  for (const DevicePicture &k : kept_) {
    std::uint8_t *to = saved.bytes.emplace_back(mog::picture_bytes(format_, width_, height_)).data();
    for_each_plane(k.image(), [&](std::uint8_t *data, std::ptrdiff_t stride, std::ptrdiff_t row, int rows) {
      device_.download(to, row, data, stride, std::size_t(row), rows, queue);
      to += row * rows;
    });
  }
  queue.wait();
  return saved;
}

void BackgroundSnapshots::forget(Queue &queue) {
  queue.wait(); // for what looks at the pictures
  kept_.clear();
  changed_at_ = 0;
}

void BackgroundSnapshots::load(const mog::Pictures &saved, Queue &queue) {
  forget(queue);
  if (saved.format != format_) return;
  for (const std::vector<std::uint8_t> &bytes : saved.bytes) {
    const Image to = kept_.emplace_back(device_, format_, width_, height_).image();
    const std::uint8_t *from = bytes.data();
    for_each_plane(to, [&](std::uint8_t *data, std::ptrdiff_t stride, std::ptrdiff_t row, int rows) {
      device_.upload(data, stride, from, row, std::size_t(row), rows, queue);
      from += row * rows;
    });
  }
  queue.wait();
}

} // namespace vigil::gst::cudamog
