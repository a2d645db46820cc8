// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/tamper/tamper_detector.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace vigil::tamper {
namespace {

constexpr double search_every = 5; // seconds

bool far_enough(const ViewShift &s, const Layout &l) {
  return std::hypot(s.x, s.y) >= least_shift * float(l.cell);
}

} // namespace

std::optional<double> TamperDetector::due(double seconds, bool at_once) {
  since_ += std::max(seconds, 0.);
  if (looks_ > 0 && since_ < look_every && !at_once) return {};
  return std::exchange(since_, 0);
}

void TamperDetector::start_over() {
  looks_ = 0;
  seconds_ = lost_for_ = said_for_ = next_search_ = 0;
  said_ = Says::nothing;
}

void TamperDetector::recognise(const Sketch &view) {
  start_over();
  known_ = view;
  looks_ = least_looks;
  seconds_ = settled;
}

void TamperDetector::learn() {
  seconds_ += took_;
  looks_++;
  const auto share = float(std::min(1., std::max(1. / looks_, took_ / memory)));
  if (looks_ == 1) known_ = frame_;
  blend(known_, frame_, share);
}

TamperDetector::Says TamperDetector::judge(const Comparison &c) const {
  if (!c.says_anything()) return Says::nothing;
  if (c.agreement <= lost_below) {
    if (c.structure < empty_below) return Says::covered;
    return compare(frame_, before_).agreement >= steady_from ? Says::elsewhere : Says::lost;
  }
  if (c.sharpness && *c.sharpness < blurred_below) return Says::blurred;
  const bool sharp = !c.sharpness || *c.sharpness >= sharp_from;
  return c.agreement >= found_from && sharp ? Says::normal : Says::doubtful;
}

std::optional<Event> TamperDetector::begin(TamperKind t, const Comparison &c) {
  now_ = t;
  return Event{t, true, said_for_, c, {}};
}

std::optional<Event> TamperDetector::end(const Comparison &c) {
  const TamperKind t = *std::exchange(now_, {});
  return Event{t, false, said_for_, c, {}};
}

std::optional<Event> TamperDetector::look(const Layout &layout, std::span<const Spot> spots, double seconds) {
  took_ = seconds;
  std::swap(before_, frame_);
  sketch(layout, spots, before_, frame_);
  if (looks_ > 0 && known_.layout != frame_.layout) start_over();
  if (looks_ < least_looks || seconds_ < settled) {
    learn();
    if (now_ == TamperKind::moved && looks_ >= least_looks && seconds_ >= settled) {
      said_for_ = 0;
      return end({});
    }
    return {};
  }
  const Comparison c = compare(frame_, known_);
  const Says says = judge(c);
  if (says != said_) said_for_ = next_search_ = 0;
  said_ = says;
  said_for_ += took_;
  const bool away = says == Says::elsewhere || says == Says::lost;
  lost_for_ = away ? lost_for_ + took_ : 0;
  if (says == Says::nothing || says == Says::normal || says == Says::doubtful) learn();

  if (now_ && (says == Says::normal || says == Says::nothing) && said_for_ >= back_after) return end(c);
  if (now_ != TamperKind::covered && says == Says::covered && said_for_ >= covered_after)
    return now_ ? end(c) : begin(TamperKind::covered, c); // the next look begins it
  if (!now_ && says == Says::blurred && said_for_ >= blurred_after) return begin(TamperKind::blurred, c);
  if (says == Says::elsewhere && said_for_ >= std::max(moved_after, next_search_)) {
    if (now_) return end(c); // the next look begins it
    const std::optional<ViewShift> shift = find_shift(frame_, known_);
    next_search_ = said_for_ + search_every;
    if ((shift && far_enough(*shift, frame_.layout)) || (!shift && said_for_ >= turned_after)) {
      std::optional<Event> e = begin(TamperKind::moved, c);
      e->shift = shift;
      start_over();
      return e;
    }
  }
  if (lost_for_ >= forgotten_after) start_over();
  return {};
}

std::optional<Event> TamperDetector::stop() {
  start_over();
  if (!now_) return {};
  return end({});
}

} // namespace vigil::tamper
