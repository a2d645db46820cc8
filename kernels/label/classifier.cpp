// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/label/classifier.h"

#include "kernels/fisher/model_file.h"
#include "kernels/label/appearance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace vigil::label {
namespace {

// An example may be wrong in this share of all cases, and the fit takes no single one for certain.
constexpr double wrong = 0.15;
// Up to so many examples of a name, all of them are left out one by one; the first order does above.
constexpr std::size_t few = 60;

// Yes and no weigh the same in total, whichever is rarer: a score of 0.5 is the boundary between them.
void balance(LogisticExamples &e) {
  const auto yes = static_cast<double>(std::count(e.yes.begin(), e.yes.end(), 1));
  const double no = static_cast<double>(e.count()) - yes;
  e.importance.assign(e.count(), 1);
  if (yes == 0 || no == 0) return;
  const double half = std::min(yes, no);
  // The larger half still counts for somewhat more in all: it says more.
  const double larger = std::sqrt(std::max(yes, no) * half);
  for (std::size_t i = 0; i < e.count(); i++) {
    const bool rarer = (e.yes[i] != 0) == (yes <= no);
    e.importance[i] = (rarer ? larger / half : larger / std::max(yes, no));
  }
}

// Of each shape's examples, the share with the name, towards one half.
ShapeScores shares(const LogisticExamples &e, std::span<const ShapeScores> shapes, std::size_t without) {
  ShapeScores yes{}, all{}, likeliest_of{};
  double yes_count = 0, count = 0;
  for (std::size_t i = 0; i < e.count(); i++) {
    if (i == without) continue;
    count++;
    yes_count += e.yes[i];
    likeliest_of[static_cast<std::size_t>(likeliest(shapes[i]))]++;
    for (std::size_t s = 0; s < shape_count; s++) {
      all[s] += e.importance[i] * shapes[i][s];
      if (e.yes[i]) yes[s] += e.importance[i] * shapes[i][s];
    }
  }
  constexpr double prior = 1; // example
  ShapeScores out{};
  if (yes_count == count) {
    // Without counterexamples: seldom, and often for the shape that most of the examples have.
    constexpr double seldom = 0.2, often = 0.95;
    const double most = std::max(1., *std::max_element(likeliest_of.begin(), likeliest_of.end()));
    for (std::size_t s = 0; s < shape_count; s++)
      out[s] = seldom + (often - seldom) * likeliest_of[s] / most * count / (count + prior);
    return out;
  }
  for (std::size_t s = 0; s < shape_count; s++) out[s] = (yes[s] + prior / 2) / (all[s] + prior);
  return out;
}

double offset_of(const ShapeScores &share, const ShapeScores &shape) {
  double p = 0;
  for (std::size_t s = 0; s < shape_count; s++) p += share[s] * shape[s];
  constexpr double most = 3;
  return std::clamp(logit(p), -most, most);
}

void set_offsets(LogisticExamples &e, const ShapeScores &share, std::span<const ShapeScores> shapes) {
  e.offsets.clear();
  for (const ShapeScores &s : shapes) e.offsets.push_back(offset_of(share, s));
}

// Without a counterexample nothing says what else there is: the more examples, the more of everything would
// be called so. The shape alone counts then.
LogisticSettings settings_for(const LogisticExamples &e) {
  constexpr double nothing_is_learnt = 1e9;
  const bool one_sided = std::find(e.yes.begin(), e.yes.end(), 0) == e.yes.end();
  const double shrinkage = one_sided ? nothing_is_learnt : 1;
  return {.shrinkage = shrinkage, .bias_shrinkage = shrinkage, .wrong = wrong};
}

struct Calibration {
  double slope = 1, shift = 0;
};
// Platt's (1999), its slope and shift shrunk towards 1 and 0, on logits of examples that were left out.
Calibration calibrate(const LogisticExamples &e, std::span<const double> left_out) {
  Calibration c;
  constexpr double shrinkage = 4;
  for (int step = 0; step < 20; step++) {
    double ga = -shrinkage * (c.slope - 1), gb = -shrinkage * c.shift, aa = shrinkage, ab = 0, bb = shrinkage;
    for (std::size_t i = 0; i < e.count(); i++) {
      const double z = left_out[i], p = sigmoid(c.slope * z + c.shift);
      const double target = e.yes[i] ? 1 - wrong / 2 : wrong / 2;
      const double g = e.importance[i] * (target - p), h = e.importance[i] * std::max(p * (1 - p), 0.02);
      ga += g * z;
      gb += g;
      aa += h * z * z;
      ab += h * z;
      bb += h;
    }
    const double det = aa * bb - ab * ab, da = (bb * ga - ab * gb) / det, db = (aa * gb - ab * ga) / det;
    c.slope += da;
    c.shift += db;
    if (std::abs(da) + std::abs(db) < 1e-6) break;
  }
  c.slope = std::max(c.slope, 0.05); // a higher score never means less
  return c;
}

// Of the examples of `place`, or of all where it is null.
PlaceReport count(const LogisticExamples &e, std::span<const double> left_out,
                  std::span<const std::string_view> places, const std::string_view *place) {
  double right[2] = {}, all[2] = {};
  for (std::size_t i = 0; i < e.count(); i++) {
    if (place && places[i] != *place) continue;
    all[e.yes[i] ? 1 : 0]++;
    if ((left_out[i] > 0) == (e.yes[i] != 0)) right[e.yes[i] ? 1 : 0]++;
  }
  PlaceReport r{static_cast<std::size_t>(all[1]), static_cast<std::size_t>(all[0]),
                std::numeric_limits<double>::quiet_NaN(), 0};
  if (all[0] > 0 && all[1] >= 2) r.accuracy = (right[0] / all[0] + right[1] / all[1]) / 2;
  const std::size_t enough = place ? Classifier::more : Classifier::enough;
  if (r.examples < enough)
    r.needs = enough - r.examples;
  else if (r.accuracy < Classifier::good)
    r.needs = Classifier::more;
  return r;
}

NameReport report_of(const std::string &name, const LogisticExamples &e, std::span<const double> left_out,
                     std::span<const std::string_view> places) {
  const PlaceReport all = count(e, left_out, places, nullptr);
  NameReport out{name, all.examples, all.counterexamples, all.accuracy, all.needs};
  std::set<std::string_view> with_examples;
  for (std::size_t i = 0; i < e.count(); i++)
    if (e.yes[i] && !places[i].empty()) with_examples.insert(places[i]);
  for (const std::string_view place : with_examples)
    out.places.emplace(place, count(e, left_out, places, &place));
  return out;
}

} // namespace

bool is_name(std::string_view s) {
  return s.size() <= longest_name && s.find_first_not_of(' ') != s.npos && fisher::is_class_name(s);
}

Features Subject::unknown_features() {
  Features f;
  f.fill(std::numeric_limits<float>::quiet_NaN());
  return f;
}

std::vector<float> Classifier::row_of(const Subject &s) const {
  std::vector<float> row;
  row.reserve(feature_count + usual_appearance_.size());
  // `sideways` says how a road lies in the picture: on another camera it would speak against what is taught.
  for (std::size_t i = 0; i < feature_count; i++)
    if (const auto f = static_cast<Feature>(i); f != Feature::sideways)
      row.push_back(standardised(s.shape, f));
  if (usual_appearance_.empty()) return row;
  constexpr float weight = 2; // against the features, whose deviations are 1 each
  const bool known = s.appearance.size() == usual_appearance_.size() &&
                     std::all_of(s.appearance.begin(), s.appearance.end(),
                                 [](float v) { return std::isfinite(v) && std::abs(v) <= 1.001f; });
  for (std::size_t i = 0; i < usual_appearance_.size(); i++)
    row.push_back(known ? weight * (s.appearance[i] - usual_appearance_[i]) : 0.f);
  return row;
}

Classifier::Classifier(std::span<const Example> examples, bool use_appearance) {
  examples = examples.first(std::min(examples.size(), most_examples));
  std::set<std::string> positive;
  std::map<std::string, std::size_t> negative_only;
  std::vector<double> sum(appearance_length);
  double with_appearance = 0;
  for (const Example &e : examples) {
    if (e.is)
      positive.insert(e.name);
    else
      negative_only[e.name]++;
    if (e.subject.appearance.size() != appearance_length) continue;
    with_appearance++;
    for (std::size_t i = 0; i < appearance_length; i++)
      if (std::isfinite(e.subject.appearance[i])) sum[i] += double{e.subject.appearance[i]};
  }
  if (use_appearance && with_appearance >= 4 && 2 * with_appearance >= double(examples.size()))
    for (const double s : sum) usual_appearance_.push_back(static_cast<float>(s / with_appearance));
  for (const std::string &name : positive) learn(examples, name);
  find_alike(examples);
  for (const auto &[name, count] : negative_only)
    if (!positive.count(name))
      report_.push_back({name, 0, count, std::numeric_limits<double>::quiet_NaN(), enough});
  std::sort(report_.begin(), report_.end(),
            [](const NameReport &a, const NameReport &b) { return a.name < b.name; });
}

void Classifier::learn(std::span<const Example> examples, const std::string &name) {
  LogisticExamples rows;
  std::vector<ShapeScores> shapes;
  std::vector<std::string_view> places;
  std::vector<std::size_t> taken; // their numbers among the examples
  for (std::size_t i = 0; i < examples.size(); i++) {
    const Example &e = examples[i];
    const bool of_this = e.name == name;
    if (!of_this && !e.is) continue; // "not another" says nothing of this one
    taken.push_back(i);
    places.push_back(e.place);
    const auto row = row_of(e.subject);
    rows.length = row.size();
    rows.rows.insert(rows.rows.end(), row.begin(), row.end());
    rows.yes.push_back(of_this && e.is);
    shapes.push_back(shape_scores(e.subject.shape));
  }
  balance(rows);
  Name n{.name = name};
  n.share = shares(rows, shapes, none_left_out);
  set_offsets(rows, n.share, shapes);
  const LogisticSettings settings = settings_for(rows);
  LogisticFit fitted = fit(rows, settings, none_left_out, true);
  n.model = fitted.model;
  const auto yes = static_cast<std::size_t>(std::count(rows.yes.begin(), rows.yes.end(), 1));
  if (rows.count() <= few) { // truly left out, the shares of shapes as well
    LogisticExamples others = rows;
    for (std::size_t i = 0; i < rows.count(); i++) {
      set_offsets(others, shares(rows, shapes, i), shapes);
      fitted.left_out[i] = fit(others, settings, i).model.logit(rows.row(i), others.offsets[i]);
    }
  }
  if (yes >= 3 && rows.count() - yes >= 3) {
    const Calibration c = calibrate(rows, fitted.left_out);
    n.slope = c.slope;
    n.shift = c.shift;
  }
  n.claims.assign(examples.size(), 0);
  for (std::size_t i = 0; i < taken.size(); i++) n.claims[taken[i]] = fitted.left_out[i] > 0;
  report_.push_back(report_of(name, rows, fitted.left_out, places));
  names_.push_back(std::move(n));
}

void Classifier::find_alike(std::span<const Example> examples) {
  constexpr double many = 0.3;
  for (NameReport &r : report_) {
    std::size_t most = 0;
    for (const Name &other : names_) {
      if (other.name == r.name) continue;
      std::size_t claimed = 0;
      for (std::size_t i = 0; i < examples.size(); i++)
        claimed += examples[i].is && examples[i].name == r.name && other.claims[i];
      if (claimed <= most || double(claimed) < many * double(r.examples)) continue;
      most = claimed;
      r.alike = other.name;
    }
  }
  for (Name &n : names_) n.claims = {};
}

std::vector<NameScore> Classifier::scores(const Subject &s) const {
  std::vector<NameScore> out;
  if (names_.empty()) return out;
  const std::vector<float> row = row_of(s);
  const ShapeScores shape = shape_scores(s.shape);
  for (const Name &n : names_)
    out.push_back({n.name, sigmoid(n.slope * n.model.logit(row, offset_of(n.share, shape)) + n.shift)});
  std::stable_sort(out.begin(), out.end(),
                   [](const NameScore &a, const NameScore &b) { return a.score > b.score; });
  return out;
}

} // namespace vigil::label
