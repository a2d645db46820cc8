// SPDX-License-Identifier: LGPL-2.1-or-later
#include "track_labels.h"

#include "kernels/label/shape_rule.h"

namespace vigil::monitor {

std::set<std::string> TrackLabels::set(std::uint64_t track, const std::string &label, bool ended) {
  const std::string before = of(track), now = ended ? "" : label;
  if (now.empty())
    tracks_.erase(track);
  else
    tracks_[track] = now;
  if (before == now) return {};
  std::set<std::string> changed;
  if (!before.empty()) {
    if (--counts_[before] == 0) counts_.erase(before);
    changed.insert(before);
  }
  if (!now.empty()) {
    counts_[now]++;
    changed.insert(now);
    constexpr std::size_t most_seen = 64;
    if (seen_.size() < most_seen && seen_.insert(now).second) new_ = true;
  }
  return changed;
}

bool TrackLabels::set_names(const std::vector<std::string> &names) {
  std::set<std::string> now(names.begin(), names.end());
  if (now == names_) return false;
  names_ = std::move(now);
  return true;
}

void TrackLabels::forget() {
  tracks_.clear();
  counts_.clear();
}

std::string TrackLabels::of(std::uint64_t track) const {
  const auto found = tracks_.find(track);
  return found == tracks_.end() ? "" : found->second;
}

int TrackLabels::count(const std::string &label) const {
  const auto found = counts_.find(label);
  return found == counts_.end() ? 0 : found->second;
}

nlohmann::json TrackLabels::describe(bool by_shape) const {
  nlohmann::json out = nlohmann::json::object();
  for (const std::string &name : names_) out[name] = 0;
  for (const std::string &name : seen_) out[name] = 0;
  for (std::size_t s = 0; by_shape && s < label::shape_count; s++)
    out[label::name_of(static_cast<label::Shape>(s))] = 0;
  for (const auto &[name, n] : counts_) out[name] = n;
  return out;
}

} // namespace vigil::monitor
