// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/tamper/known_views.h"

#include "kernels/tamper/tamper_detector.h"

#include <algorithm>
#include <utility>

namespace vigil::tamper {

// The first sketches share alike.
void KnownViews::learn(View &v, const Sketch &shown, double seconds) {
  v.current_at = looks_;
  if (v.seconds == 0) v.mean = shown;
  v.seconds = std::min(v.seconds + seconds, view_memory);
  if (v.seconds > 0) blend(v.mean, shown, static_cast<float>(std::min(seconds / v.seconds, 1.)));
}

std::optional<std::size_t> KnownViews::recognise(const Sketch &shown) const {
  std::optional<std::size_t> best;
  float most_agreeing = known_from;
  for (std::size_t i = 0; i < views_.size(); i++) {
    if (i == current_) continue;
    const Comparison c = compare(shown, views_[i].mean);
    if (!c.says_anything() || c.agreement < most_agreeing) continue;
    most_agreeing = c.agreement;
    best = i;
  }
  return best;
}

std::size_t KnownViews::place_for_new() const {
  if (views_.size() < most) return views_.size();
  std::size_t oldest = current_ == 0 ? 1 : 0;
  for (std::size_t i = 0; i < views_.size(); i++)
    if (i != current_ && views_[i].current_at < views_[oldest].current_at) oldest = i;
  return oldest;
}

KnownViews::Change KnownViews::change_to(std::size_t to, bool known) {
  current_ = to;
  away_for_ = 0;
  return {to, known};
}

std::optional<KnownViews::Change> KnownViews::look(const Sketch &shown, const Sketch &before, double seconds,
                                                   bool explained) {
  if (!views_.empty() && views_[0].mean.layout != shown.layout) forget();
  looks_++;
  const bool was_elsewhere = std::exchange(elsewhere_, false);
  if (views_.empty()) {
    learn(views_.emplace_back(), shown, seconds);
    return {};
  }
  const Comparison c = compare(shown, views_[current_].mean);
  if ((explained && !was_elsewhere) || !c.says_anything() || c.agreement > lost_below) {
    learn(views_[current_], shown, seconds);
    away_for_ = 0;
    return {};
  }
  elsewhere_ = true;
  if (const std::optional<std::size_t> known = recognise(shown)) {
    const Change change = change_to(*known, true);
    learn(views_[current_], shown, seconds);
    return change;
  }
  const bool stands = c.structure >= empty_below && before.layout == shown.layout &&
                      compare(shown, before).agreement >= steady_from;
  away_for_ = stands ? away_for_ + seconds : 0;
  if (away_for_ < new_after) return {};
  const std::size_t place = place_for_new();
  if (place == views_.size()) views_.emplace_back();
  views_[place] = {};
  const Change change = change_to(place, false);
  learn(views_[place], shown, seconds);
  return change;
}

} // namespace vigil::tamper
