// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/track/tracker.h"

#include "kernels/track/groups.h"
#include "kernels/track/pair_splitter.h"
#include "kernels/track/part_merger.h"
#include "kernels/track/single_update.h"

#include <algorithm>
#include <cmath>

namespace vigil::track {

void Tracker::step(std::span<const Detection> detections, double seconds, double width, double height) {
  begin_frame(detections, seconds, width, height);
  predict();
  assignment_.assign(params_, frame_, tracks_, true);
  if (params_.groups) Groups(params_, frame_, tracks_).join();
  PartMerger(params_, frame_, tracks_).merge();
  assignment_.assign(params_, frame_, tracks_, false);
  update();
  lifecycle_.begin(params_, frame_, tracks_);
  if (params_.groups && params_.pairs) PairSplitter(frame_, tracks_, lifecycle_).split();
  lifecycle_.end_lost(params_, frame_, tracks_);
  if (params_.groups) back_trace_.trace(frame_, tracks_);
  back_trace_.remember(frame_);
  report();
}

void Tracker::begin_frame(std::span<const Detection> detections, double seconds, double width,
                          double height) {
  lifecycle_.forget_ended();
  if (!std::isfinite(seconds)) seconds = frame_.seconds;
  if (started_ && seconds < frame_.seconds) reset();
  if (started_) lifecycle_.end_after_gap(params_, seconds - frame_.seconds, seconds, tracks_);
  frame_.since = started_ ? seconds - frame_.seconds : 0;
  frame_.seconds = seconds;
  frame_.width = width;
  frame_.height = height;
  frame_.take(detections);
  started_ = true;
}

void Tracker::predict() {
  for (Track &t : tracks_) {
    t.sighting.begin_frame();
    t.confirmation.frames++;
    if (frame_.since <= 0) continue;
    if (t.object.stationary && t.object.state == State::predicted) t.motion.x.v = t.motion.y.v = 0;
    t.motion.predict(frame_.since, params_.agility);
  }
}

void Tracker::update() {
  Groups(params_, frame_, tracks_).update();
  const SingleUpdate single(params_, frame_);
  for (Track &t : tracks_)
    if (t.sighting.box >= 0 && !t.sighting.in_group) single.update(t);
  lifecycle_.age(params_, frame_, tracks_);
}

void Tracker::report() {
  objects_.clear();
  for (Track &t : tracks_) {
    if (!t.confirmation.confirmed) continue;
    Object &o = t.object;
    o.box = o.state == State::tracked && !t.sighting.partial ? t.sighting.measured : t.motion.predicted();
    o.vx = t.motion.x.v;
    o.vy = t.motion.y.v;
    const ObservedBox *const box = box_of(t, frame_);
    o.detection = box ? box->index : -1;
    objects_.push_back(o);
  }
  std::sort(objects_.begin(), objects_.end(), [](const Object &a, const Object &b) { return a.id < b.id; });
}

void Tracker::reset() {
  lifecycle_.forget_ended();
  lifecycle_.end_all(tracks_);
  objects_.clear();
  back_trace_.forget();
  started_ = false;
}

} // namespace vigil::track
