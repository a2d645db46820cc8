// SPDX-License-Identifier: LGPL-2.1-or-later
#include "guesses.h"

#include <algorithm>
#include <map>
#include <optional>

namespace vigil::monitor {
namespace {

double score_of(const label::Classifier &c, const label::Subject &s, const std::string &name) {
  for (const label::NameScore &n : c.scores(s))
    if (n.name == name) return n.score;
  return 0;
}

// Of fewer examples nothing is known: after one, every second event of a street would be called so.
constexpr std::size_t least_examples = 3;

// The name that fits best, of those with enough examples; null: none fits.
std::optional<label::NameScore> taught_name(const label::Classifier &c, const label::Subject &s) {
  for (const label::NameScore &n : c.scores(s)) {
    if (n.score < least_score) break;
    const auto known = std::find_if(c.report().begin(), c.report().end(),
                                    [&](const label::NameReport &r) { return r.name == n.name; });
    if (known != c.report().end() && known->examples >= least_examples) return n;
  }
  return std::nullopt;
}

} // namespace

EventLabels guesses_of(const label::Classifier &classifier, std::span<const EventTrack> tracks,
                       const std::vector<float> &looks) {
  std::map<std::string, EventLabel> best;
  const auto offer = [&](const EventLabel &l) {
    const auto [at, is_new] = best.try_emplace(l.label, l);
    if (!is_new && l.score > at->second.score) at->second = l;
  };
  const auto offer_taught = [&](const label::Subject &s) {
    const auto n = taught_name(classifier, s);
    if (n) offer({n->name, n->score, EventLabel::By::examples});
    return n.has_value();
  };
  for (const EventTrack &t : tracks)
    if (!offer_taught({t.shape, looks}) && !t.guess.empty() && t.guess_score >= least_score)
      offer({t.guess, t.guess_score, t.guess_by});
  if (tracks.empty() && !looks.empty()) offer_taught({label::Subject::unknown_features(), looks});
  EventLabels out;
  for (const auto &[name, l] : best) out.push_back(l);
  std::stable_sort(out.begin(), out.end(), [](const auto &a, const auto &b) { return a.score > b.score; });
  return out;
}

const EventTrack *track_of(const label::Classifier &classifier, std::span<const EventTrack> tracks,
                           const std::string &label) {
  const EventTrack *best = nullptr;
  double most = 0;
  for (const EventTrack &t : tracks) {
    double score = score_of(classifier, {t.shape, {}}, label);
    if (t.guess == label) score = std::max(score, t.guess_score);
    constexpr double clearly = 0.2;
    if (best && score < most + clearly) continue;
    best = &t;
    most = score;
  }
  return best;
}

} // namespace vigil::monitor
