// SPDX-License-Identifier: LGPL-2.1-or-later
// Learns names of tracks from examples that a person named. One linear classifier for each name against all
// other examples (logistic.h), which begins as the shape rule says: an offset says how often what has this
// shape has this name, and the more examples there are, the more the classifier departs from it, if some of
// them are counterexamples. Scores are calibrated on what the classifier says of each example without having
// seen it.
#pragma once

#include "kernels/label/logistic.h"
#include "kernels/label/shape_rule.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vigil::label {

inline constexpr std::size_t most_examples = 10000, longest_name = 64; // bytes
// 1 to longest_name bytes of UTF-8 without control characters, not all of them spaces.
bool is_name(std::string_view);

// What is to be named.
struct Subject {
  Features shape = unknown_features();
  std::vector<float> appearance; // appearance_of(); empty: not known
  static Features unknown_features();
};

struct Example {
  std::string name;
  bool is = true; // false: it is not that
  Subject subject;
  std::string place; // the camera that it is from, for the report; empty: not known
};

struct NameScore {
  std::string name;
  double score = 0; // 0..1; above 0.5: rather this than not
};

// What is known of a name at one place.
struct PlaceReport {
  std::size_t examples = 0, counterexamples = 0;
  double accuracy = 0; // as below
  std::size_t needs = 0;
};

// What is known of a name.
struct NameReport {
  std::string name;
  std::size_t examples = 0, counterexamples = 0; // "not that" and those of other names
  // Of its examples and of its counterexamples, each called without having been learnt from, the mean of the
  // shares that were called right; NaN as long as it cannot be said.
  double accuracy = 0;
  std::size_t needs = 0;                       // more examples, before it is to be relied on
  std::map<std::string, PlaceReport> places{}; // of those that have examples of the name
  // Another name that at least 3 in 10 of its examples would be given as well: perhaps one thing has two
  // names. Empty: none.
  std::string alike{};
};

class Classifier {
 public:
  static constexpr std::size_t enough = 10; // examples of a name
  static constexpr std::size_t more = 5;    // at each place, and where the accuracy is not good
  static constexpr double good = 0.9;       // accuracy

  Classifier() = default; // knows no name
  // The same examples give the same classifier. `use_appearance`: false where subjects will have none.
  explicit Classifier(std::span<const Example>, bool use_appearance = true);

  bool empty() const { return names_.empty(); }
  const std::vector<NameReport> &report() const { return report_; } // by name
  // All names that have examples, the highest score first.
  std::vector<NameScore> scores(const Subject &) const;

 private:
  struct Name {
    std::string name;
    ShapeScores share{}; // of the examples of a shape, how many have this name
    Logistic model;
    double slope = 1, shift = 0; // calibrated logit = slope * logit + shift
    std::vector<char> claims{};  // of each example, whether it is called so without having been learnt from
  };
  std::vector<float> row_of(const Subject &) const;
  void learn(std::span<const Example>, const std::string &name);
  void find_alike(std::span<const Example>);

  std::vector<Name> names_;
  std::vector<NameReport> report_;
  std::vector<float> usual_appearance_; // the mean, which says what the camera always shows; empty: not used
};

} // namespace vigil::label
