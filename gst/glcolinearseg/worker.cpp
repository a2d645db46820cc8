// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/glcolinearseg/worker.h"

#include "common/error.h"

#include <algorithm>

namespace vigil::gst::glcolinearseg {
namespace {

using colinearseg::GlResults, colinearseg::Show;

constexpr std::size_t timers = 8; // frames that may be under way before one goes untimed

Show show_for(Output o) {
  switch (o) {
  case Output::overlay:
    return Show::overlay;
  case Output::cutout:
    return Show::cutout;
  case Output::background:
    return Show::background;
  default:
    return Show::mask;
  }
}

} // namespace

Worker::Worker(const GlLoader &loader, int width, int height, const Settings &s)
    : device_(std::make_unique<GlDevice>(loader)), queue_(device_->make_queue()) {
  device_->forget_errors();
  const colinearseg::Config config{width, height};
  segmenter_ =
      std::make_unique<colinearseg::GlSegmenter>(*device_, config, s.learning.background_frames, s.path);
  results_ = std::make_unique<GlResults>(*device_, config);
  style_ = {.tint = {{255, 48, 32}, 144}, .box = {48, 255, 64}, .line = std::max(1, height / 360)};
  if (device_->has_timer())
    for (std::size_t i = 0; i < timers; i++) idle_.push_back(device_->make_timer());
  stats_.shaders = name_of(segmenter_->path());
  stats_.device = device_->name();
}

Worker::~Worker() = default;

void Worker::learn(int frames) {
  device_->forget_errors();
  kept_.reset();
  segmenter_->learn(frames);
  device_->check("beginning to learn the background");
}

void Worker::set_background(const Picture &p, int learn_frames) {
  if (p.width != width() || p.height != height())
    fail(Error::Kind::bad_data, "the background image is of ", p.width, "x", p.height,
         " pixels, but the frames are of ", width(), "x", height(), "; give one of the frames' size");
  device_->forget_errors();
  kept_.reset();
  segmenter_->set_background(
      {PixelFormat::rgba, p.width, p.height, {p.rgba.data()}, {4 * std::ptrdiff_t(p.width)}}, learn_frames);
  device_->check("setting the background");
}

void Worker::load(const colinearseg::State &s) {
  device_->forget_errors();
  segmenter_->load(s);
  device_->check("loading the background");
}

void Worker::collect_times() {
  while (!running_.empty() && running_.front()->ready()) {
    stats_.gpu_ms += stats_.gpu_last_ms = running_.front()->milliseconds();
    stats_.timed_frames++;
    idle_.push_back(std::move(running_.front()));
    running_.pop_front();
  }
}

void Worker::keep() {
  kept_ = segmenter_->save();
  kept_->frames = 0;
  kept_->exact.clear();
  std::fill(kept_->mask.begin(), kept_->mask.end(), std::uint8_t{0});
}

Found Worker::process(GLuint frame, GLuint target, const Settings &s) {
  device_->forget_errors();
  collect_times();
  Timer *timer = idle_.empty() ? nullptr : idle_.back().get();
  if (timer) timer->start(*queue_);
  const bool learning = segmenter_->progress().learning();
  segmenter_->segment(frame, s.params);
  if (s.params.adapt_rate > 0)
    kept_.reset(); // it would be of another light one day: to learn anew is better then
  else if (!kept_ && segmenter_->progress().settled())
    keep();
  stats_.constants = colinearseg::resolve(s.params, segmenter_->progress().noise);

  const Show show = show_for(s.output);
  if (target && show != Show::overlay) results_->draw(show, frame, *segmenter_, {}, style_, target);
  if (timer) {
    timer->stop(*queue_);
    running_.push_back(std::move(idle_.back()));
    idle_.pop_back();
  }

  Found found;
  if (s.tuning.report && !learning) {
    const auto cells = results_->count(segmenter_->mask());
    const auto blobs =
        activity::find_blobs(cells, results_->grid(), static_cast<std::uint32_t>(s.motion.min_area)).blobs;
    std::uint64_t area = 0;
    for (const activity::Blob &b : blobs) {
      found.boxes.push_back({b.x, b.y, b.width, b.height, b.area});
      area += b.area;
    }
    found.changed_fraction = double(area) / (double(width()) * height());
  }
  if (target && show == Show::overlay) {
    std::vector<compose::Box> boxes;
    for (const Box &b : found.boxes) boxes.push_back({b.x, b.y, b.width, b.height});
    results_->draw(show, frame, *segmenter_, boxes, style_, target);
  }
  stats_.frames++;
  return found;
}

Stats Worker::stats() const {
  Stats s = stats_;
  s.bytes_results = segmenter_->bytes_read() + results_->bytes_read();
  s.learnt = segmenter_->progress().learnt;
  s.learning = segmenter_->progress().learning();
  s.noise = segmenter_->progress().noise;
  return s;
}

} // namespace vigil::gst::glcolinearseg
