// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/glcolinearseg/gl_worker.h"

#include <algorithm>

namespace vigil::gst::glcolinearseg {

using colinearseg::Show;

GlWorker::GlWorker(const GlLoader &loader, const GstVideoInfo &out, const Settings &s)
    : device_(std::make_unique<GlDevice>(loader)), queue_(device_->make_queue()), style_(overlay_style(out)),
      times_(device_->has_timer() ? device_.get() : nullptr) {
  device_->forget_errors();
  const colinearseg::Config config{GST_VIDEO_INFO_WIDTH(&out), GST_VIDEO_INFO_HEIGHT(&out)};
  segmenter_ =
      std::make_unique<colinearseg::GlSegmenter>(*device_, config, s.learning.background_frames, s.path);
  results_ = std::make_unique<colinearseg::GlResults>(*device_, config);
  stats_.backend = "opengl";
  stats_.shaders = name_of(segmenter_->path());
  stats_.device = device_->name();
}

void GlWorker::learn(int frames) {
  device_->forget_errors();
  kept_.reset();
  segmenter_->learn(frames);
  device_->check("beginning to learn the background");
}

void GlWorker::set_background(const Picture &p, int learn_frames) {
  check_size(p);
  device_->forget_errors();
  kept_.reset();
  segmenter_->set_background(p.image(), learn_frames);
  device_->check("setting the background");
}

void GlWorker::load(const colinearseg::State &s) {
  device_->forget_errors();
  segmenter_->load(s);
  device_->check("loading the background");
}

void GlWorker::keep() {
  kept_ = segmenter_->save();
  kept_->frames = 0;
  kept_->exact.clear();
  std::fill(kept_->mask.begin(), kept_->mask.end(), std::uint8_t{0});
}

Found GlWorker::process(GLuint frame, GLuint target, const Settings &s) {
  device_->forget_errors();
  times_.start(*queue_, stats_);
  const bool learning = segmenter_->progress().learning();
  segmenter_->segment(frame, s.params);
  if (s.params.adapt_rate > 0)
    kept_.reset(); // it would be of another light one day: to learn anew is better then
  else if (!kept_ && segmenter_->progress().settled())
    keep();
  stats_.constants = colinearseg::resolve(s.params, segmenter_->progress().noise);

  const Show show = show_for(s.output);
  if (target && show != Show::overlay) results_->draw(show, frame, *segmenter_, {}, style_, target);
  times_.stop(*queue_);

  Found found;
  if (s.tuning.report && !learning)
    found = found_in(results_->count(segmenter_->mask()), results_->grid(), s.motion);
  if (target && show == Show::overlay)
    results_->draw(show, frame, *segmenter_, boxes_to_draw(found.boxes), style_, target);
  stats_.frames++;
  return found;
}

Stats GlWorker::stats() const {
  Stats s = stats_;
  s.bytes_results = segmenter_->bytes_read() + results_->bytes_read();
  s.progress = segmenter_->progress();
  return s;
}

} // namespace vigil::gst::glcolinearseg
