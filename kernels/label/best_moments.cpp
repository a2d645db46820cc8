// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/label/best_moments.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vigil::label {

bool BestMoments::wants(double seconds, double size, std::size_t most) const {
  if (most == 0 || !(size > 0) || !std::isfinite(size) || (began_ && seconds < next_)) return false;
  if (kept_.size() < most) return true;
  constexpr double larger = 1.2;
  const auto by_size = [](const Moment &a, const Moment &b) { return a.size < b.size; };
  return size > larger * std::min_element(kept_.begin(), kept_.end(), by_size)->size;
}

void BestMoments::add(double seconds, double size, double sharpness, std::vector<float> appearance,
                      std::size_t most) {
  began_ = true;
  next_ = seconds + spacing;
  if (appearance.empty()) return;
  kept_.push_back({size, size * sharpness, std::move(appearance)});
  const auto by_quality = [](const Moment &a, const Moment &b) { return a.quality < b.quality; };
  while (kept_.size() > most) kept_.erase(std::min_element(kept_.begin(), kept_.end(), by_quality));
}

std::vector<float> BestMoments::appearance() const {
  if (kept_.empty()) return {};
  std::vector<float> out(kept_.front().appearance.size());
  for (const Moment &m : kept_)
    for (std::size_t i = 0; i < std::min(out.size(), m.appearance.size()); i++) out[i] += m.appearance[i];
  double power = 0;
  for (const float v : out) power += double{v} * v;
  if (!(power > 0)) return {};
  for (float &v : out) v = static_cast<float>(v / std::sqrt(power));
  return out;
}

} // namespace vigil::label
