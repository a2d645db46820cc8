// SPDX-License-Identifier: LGPL-2.1-or-later
#include "track_score.h"

#include "kernels/track/assignment.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace vigil::eval {
namespace {

constexpr double forbidden = std::numeric_limits<double>::infinity();
constexpr std::size_t alphas = 19;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

double divide(double a, double b) {
  return b > 0 ? a / b : std::numeric_limits<double>::quiet_NaN();
}

// Ids as indices in the order of their numbers.
class Ids {
 public:
  explicit Ids(const MotTracks &tracks) {
    for (const auto &[frame, boxes] : tracks)
      for (const MotBox &b : boxes) sorted_.push_back(b.id);
    std::sort(sorted_.begin(), sorted_.end());
    sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
  }
  std::size_t of(long id) const {
    return static_cast<std::size_t>(std::lower_bound(sorted_.begin(), sorted_.end(), id) - sorted_.begin());
  }
  std::size_t count() const { return sorted_.size(); }

 private:
  std::vector<long> sorted_;
};

// One frame: ids and how much the boxes overlap.
struct Frame {
  int number = 0;
  std::vector<std::size_t> truth, found;
  std::vector<double> overlap; // truth x found
  double at(std::size_t i, std::size_t j) const { return overlap[i * found.size() + j]; }
};

std::vector<Frame> frames_of(const MotTracks &truth, const MotTracks &found, const Ids &true_ids,
                             const Ids &found_ids) {
  std::map<int, Frame> frames;
  for (const auto &[number, boxes] : truth)
    for (const MotBox &b : boxes) frames[number].truth.push_back(true_ids.of(b.id));
  for (const auto &[number, boxes] : found)
    for (const MotBox &b : boxes) frames[number].found.push_back(found_ids.of(b.id));
  std::vector<Frame> list;
  for (auto &[number, frame] : frames) {
    frame.number = number;
    if (!frame.truth.empty() && !frame.found.empty())
      for (const MotBox &t : truth.at(number))
        for (const MotBox &f : found.at(number)) frame.overlap.push_back(track::iou(t.box, f.box));
    list.push_back(std::move(frame));
  }
  return list;
}

void count_clear(TrackScore &s, const std::vector<Frame> &frames, double threshold) {
  std::unordered_map<std::size_t, std::size_t> last; // of a true id, the found one
  track::Assignment assignment;
  std::vector<double> cost;
  std::vector<char> has_found, has_truth;
  for (const Frame &f : frames) {
    has_truth.assign(f.truth.size(), 0);
    has_found.assign(f.found.size(), 0);
    for (std::size_t i = 0; i < f.truth.size(); i++) {
      const auto before = last.find(f.truth[i]);
      if (before == last.end()) continue;
      for (std::size_t j = 0; j < f.found.size(); j++)
        if (f.found[j] == before->second && !has_found[j] && f.at(i, j) >= threshold) {
          has_truth[i] = has_found[j] = 1;
          s.matches++;
        }
    }
    cost.clear();
    for (std::size_t i = 0; i < f.truth.size(); i++)
      for (std::size_t j = 0; j < f.found.size(); j++) {
        const bool allowed = !has_truth[i] && !has_found[j] && f.at(i, j) >= threshold;
        cost.push_back(allowed ? 1 - f.at(i, j) : forbidden);
      }
    const auto pairs = assignment.solve(cost, f.truth.size(), f.found.size());
    for (std::size_t i = 0; i < f.truth.size(); i++) {
      if (pairs[i] < 0) continue;
      const auto j = static_cast<std::size_t>(pairs[i]);
      const auto before = last.find(f.truth[i]);
      (before != last.end() && before->second != f.found[j] ? s.switches : s.matches)++;
      last[f.truth[i]] = f.found[j];
      has_truth[i] = has_found[j] = 1;
    }
    s.misses += static_cast<std::uint64_t>(std::count(has_truth.begin(), has_truth.end(), 0));
    s.false_positives += static_cast<std::uint64_t>(std::count(has_found.begin(), has_found.end(), 0));
  }
}

void count_identities(TrackScore &s, const std::vector<Frame> &frames, std::size_t true_ids,
                      std::size_t found_ids, double threshold) {
  std::vector<double> cost(true_ids * found_ids);
  for (const Frame &f : frames)
    for (std::size_t i = 0; i < f.truth.size(); i++)
      for (std::size_t j = 0; j < f.found.size(); j++)
        if (f.at(i, j) >= threshold) cost[f.truth[i] * found_ids + f.found[j]] -= 1;
  track::Assignment assignment;
  const auto pairs = assignment.solve(cost, true_ids, found_ids);
  double common = 0;
  for (std::size_t i = 0; i < true_ids; i++)
    if (pairs[i] >= 0) common -= cost[i * found_ids + static_cast<std::size_t>(pairs[i])];
  s.idtp = static_cast<std::uint64_t>(common);
}

// How well ids agree over all frames: the Jaccard index of their boxes, each weighted by its overlap.
std::vector<double> alignment(const std::vector<Frame> &frames, const std::vector<double> &true_count,
                              const std::vector<double> &found_count) {
  std::vector<double> common(true_count.size() * found_count.size()), of_truth, of_found;
  for (const Frame &f : frames) {
    of_truth.assign(f.truth.size(), 0);
    of_found.assign(f.found.size(), 0);
    for (std::size_t i = 0; i < f.truth.size(); i++)
      for (std::size_t j = 0; j < f.found.size(); j++) {
        of_truth[i] += f.at(i, j);
        of_found[j] += f.at(i, j);
      }
    for (std::size_t i = 0; i < f.truth.size(); i++)
      for (std::size_t j = 0; j < f.found.size(); j++) {
        const double all = of_truth[i] + of_found[j] - f.at(i, j);
        if (all > epsilon) common[f.truth[i] * found_count.size() + f.found[j]] += f.at(i, j) / all;
      }
  }
  for (std::size_t i = 0; i < true_count.size(); i++)
    for (std::size_t j = 0; j < found_count.size(); j++) {
      double &c = common[i * found_count.size() + j];
      c /= true_count[i] + found_count[j] - c;
    }
  return common;
}

struct Hota {
  std::array<double, alphas> tp{};
  std::vector<std::uint32_t> together; // alphas x true ids x found ids
};

Hota count_hota(const std::vector<Frame> &frames, const std::vector<double> &aligned, std::size_t true_ids,
                std::size_t found_ids) {
  Hota h;
  h.together.resize(alphas * true_ids * found_ids);
  track::Assignment assignment;
  std::vector<double> cost;
  for (const Frame &f : frames) {
    cost.clear();
    for (std::size_t i = 0; i < f.truth.size(); i++)
      for (std::size_t j = 0; j < f.found.size(); j++)
        cost.push_back(-aligned[f.truth[i] * found_ids + f.found[j]] * f.at(i, j));
    const auto pairs = assignment.solve(cost, f.truth.size(), f.found.size());
    for (std::size_t i = 0; i < f.truth.size(); i++) {
      if (pairs[i] < 0) continue;
      const auto j = static_cast<std::size_t>(pairs[i]);
      for (std::size_t a = 0; a < alphas; a++) {
        if (f.at(i, j) < 0.05 + 0.05 * double(a) - epsilon) continue;
        h.tp[a] += 1;
        h.together[(a * true_ids + f.truth[i]) * found_ids + f.found[j]]++;
      }
    }
  }
  return h;
}

void score_hota(TrackScore &s, const std::vector<Frame> &frames, std::size_t true_ids,
                std::size_t found_ids) {
  std::vector<double> true_count(true_ids), found_count(found_ids);
  for (const Frame &f : frames) {
    for (const std::size_t i : f.truth) true_count[i] += 1;
    for (const std::size_t j : f.found) found_count[j] += 1;
  }
  const Hota h = count_hota(frames, alignment(frames, true_count, found_count), true_ids, found_ids);
  for (std::size_t a = 0; a < alphas; a++) {
    const double fn = double(s.truth) - h.tp[a], fp = double(s.found) - h.tp[a];
    const double deta = h.tp[a] / std::max(1., h.tp[a] + fn + fp);
    double assa = 0;
    for (std::size_t i = 0; i < true_ids; i++)
      for (std::size_t j = 0; j < found_ids; j++) {
        const double n = h.together[(a * true_ids + i) * found_ids + j];
        if (n > 0) assa += n * n / std::max(1., true_count[i] + found_count[j] - n);
      }
    assa /= std::max(1., h.tp[a]);
    s.deta += deta / alphas;
    s.assa += assa / alphas;
    s.hota += std::sqrt(deta * assa) / alphas;
  }
}

} // namespace

TrackScore score_tracks(const MotTracks &truth, const MotTracks &found, double threshold) {
  const Ids true_ids(truth), found_ids(found);
  const std::vector<Frame> frames = frames_of(truth, found, true_ids, found_ids);
  TrackScore s;
  s.frames = frames.size();
  for (const Frame &f : frames) {
    s.truth += f.truth.size();
    s.found += f.found.size();
  }
  count_clear(s, frames, threshold);
  count_identities(s, frames, true_ids.count(), found_ids.count(), threshold);
  score_hota(s, frames, true_ids.count(), found_ids.count());
  const double truths = double(s.truth), founds = double(s.found);
  const double hits = double(s.matches + s.switches);
  s.mota = s.truth ? 1 - double(s.misses + s.false_positives + s.switches) / truths : divide(0, 0);
  s.idf1 = divide(2 * double(s.idtp), truths + founds);
  s.recall = divide(hits, truths);
  s.precision = divide(hits, founds);
  return s;
}

} // namespace vigil::eval
