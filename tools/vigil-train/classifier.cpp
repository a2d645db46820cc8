// SPDX-License-Identifier: LGPL-2.1-or-later
// vigil-train classifier: linear machines over Fisher vectors, and the scores at which events begin and end.
// C and thresholds come from cross-validation within the training frames, whose scores are those of machines
// that did not see them.
#include "commands.h"
#include "common/error.h"
#include "common/file.h"
#include "kernels/fisher/smoothing.h"
#include "measures.h"
#include "svm.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

namespace vigil::train {

namespace {

Features only_labelled(const Features &all) {
  Features out{all.length, {}, {}};
  for (std::size_t i = 0; i < all.samples.size(); i++) {
    if (!all.samples[i].labelled()) continue;
    out.samples.push_back(all.samples[i]);
    const auto row = all.row(i);
    out.values.insert(out.values.end(), row.begin(), row.end());
  }
  return out;
}

std::vector<char> positives(const Features &f, std::size_t name) {
  std::vector<char> out;
  for (const Sample &s : f.samples) out.push_back(s.has(name));
  return out;
}

// As the element smooths them; frames without a label are left out.
std::vector<double> smoothed(const Features &f, std::span<const double> scores, const ClassifierOptions &o) {
  std::vector<double> out;
  fisher::Smoother smoother;
  for (std::size_t i = 0; i < scores.size(); i++) {
    if (i > 0 && f.samples[i].file != f.samples[i - 1].file)
      smoother.forget();
    else if (i > 0 && f.samples[i].frame != f.samples[i - 1].frame + static_cast<unsigned>(o.features.every))
      smoother.gap();
    out.push_back(double{smoother.step(static_cast<float>(scores[i]), o.window, o.baseline)});
  }
  return out;
}

// The score that `part` of the negatives reach or pass, at most.
double threshold_for(std::span<const double> scores, std::span<const char> positive, double part) {
  std::vector<double> negatives;
  for (std::size_t i = 0; i < scores.size(); i++)
    if (!positive[i]) negatives.push_back(scores[i]);
  std::sort(negatives.begin(), negatives.end());
  const auto allowed = static_cast<std::size_t>(part * static_cast<double>(negatives.size()));
  if (allowed >= negatives.size()) return negatives.front();
  return std::nextafter(negatives[negatives.size() - 1 - allowed], std::numeric_limits<double>::infinity());
}

class ClassifierTrainer {
 public:
  ClassifierTrainer(const ClassifierOptions &o, const Labels &labels, const Features &f)
      : o_(o), labels_(labels), f_(f), examples_(f.values, f.samples.size(), f.length) {
    for (std::size_t c = 0; c < labels.names.size(); c++)
      if (labels.names[c] != o.normal) classes_.push_back(c);
    all_.resize(f.samples.size());
    std::iota(all_.begin(), all_.end(), std::size_t{0});
  }
  fisher::Classifier run();
  double c() const { return c_; }
  double auc() const { return auc_; }

 private:
  // Each class has its own, so that its positive frames, whatever other classes they have, are in all of
  // them, and so are the others by their first class.
  std::vector<int> folds_of(std::size_t name) const {
    std::vector<int> kinds;
    for (const Sample &s : f_.samples) kinds.push_back(s.has(name) ? -1 : static_cast<int>(s.names.front()));
    return fold_of(kinds, o_.folds);
  }
  std::vector<std::vector<double>> all_cross_scores(double c) const {
    std::vector<std::vector<double>> out;
    for (const std::size_t name : classes_)
      out.push_back(cross_scores(examples_, folds_of(name), o_.folds, positives(f_, name), c));
    return out;
  }
  const ClassifierOptions &o_;
  const Labels &labels_;
  const Features &f_;
  Examples examples_;
  std::vector<std::size_t> classes_, all_;
  double c_ = 0, auc_ = 0;
};

fisher::Classifier ClassifierTrainer::run() {
  std::vector<std::vector<double>> scores;
  std::vector<double> candidates{1, 10, 100};
  if (o_.c > 0) candidates = {o_.c};
  double best = -1;
  for (const double c : candidates) {
    auto tried = all_cross_scores(c);
    double mean = 0;
    for (std::size_t k = 0; k < classes_.size(); k++)
      mean += measure(tried[k], positives(f_, classes_[k])).auc / static_cast<double>(classes_.size());
    std::printf("C = %g: AUC %.4f in cross-validation\n", c, mean);
    if (mean <= best + 1e-4) continue; // no better: the simpler machine
    best = mean;
    c_ = c;
    scores = std::move(tried);
  }
  auc_ = best;
  fisher::Classifier out;
  out.baseline = o_.baseline;
  constexpr double end_factor = 5; // an event ends where five times as many false alarms would begin
  std::printf("%-20s %9s %9s %9s %9s %9s\n", "class", "frames", "AUC", "begin", "end", "recall");
  for (std::size_t k = 0; k < classes_.size(); k++) {
    const std::size_t name = classes_[k];
    const auto positive = positives(f_, name);
    const auto smooth = smoothed(f_, scores[k], o_);
    const double begin = threshold_for(smooth, positive, o_.false_alarms);
    const double end = threshold_for(smooth, positive, std::min(1., end_factor * o_.false_alarms));
    const Machine machine = examples_.train(all_, positive, c_);
    const auto weights = examples_.weights_of(machine);
    out.classes.push_back(labels_.names[name]);
    out.weights.insert(out.weights.end(), weights.begin(), weights.end());
    out.bias.push_back(static_cast<float>(machine.bias));
    out.begin.push_back(static_cast<float>(begin));
    out.end.push_back(std::min(static_cast<float>(end), out.begin.back()));
    double found = 0, count = 0;
    for (std::size_t i = 0; i < positive.size(); i++)
      if (positive[i]) {
        count++;
        found += smooth[i] >= begin;
      }
    std::printf("%-20s %9.0f %9.4f %9.4f %9.4f %9.4f\n", labels_.names[name].c_str(), count,
                measure(scores[k], positive).auc, begin, end, found / count);
  }
  return out;
}

} // namespace

void train_classifier(const ClassifierOptions &o) {
  check_writable(o.out);
  fisher::Model model = fisher::read_model(o.model);
  const Labels labels = read_labels(o.labels, o.normal);
  if (labels.names.size() < 2)
    fail(Error::Kind::bad_data, o.labels, " has frames of one class only, '", labels.names.front(),
         "'; what is not an event must be labelled too, as '", o.normal, "'");
  const auto device = open_backend(o.backend, o.threads);
  const Features f = only_labelled(compute_features(*device, model, labels, o.features));
  for (std::size_t c = 0; c < labels.names.size(); c++) {
    const auto p = positives(f, c);
    if (std::count(p.begin(), p.end(), char{1}) < o.folds)
      fail(Error::Kind::bad_data, "class '", labels.names[c], "' has fewer frames than the ", o.folds,
           " folds of the cross-validation");
    if (labels.names[c] != o.normal && std::count(p.begin(), p.end(), char{0}) < o.folds)
      fail(Error::Kind::bad_data, "nearly every labelled frame has the class '", labels.names[c],
           "': a machine needs frames without it too, at least as many as the ", o.folds,
           " folds of the cross-validation");
  }
  ClassifierTrainer trainer(o, labels, f);
  model.classifier = trainer.run();
  model.note +=
      text("classifier: ", o.how, "\nframes: ", f.samples.size(), "\nC: ", trainer.c(),
           "\nAUC in cross-validation: ", trainer.auc(), "\nfalse alarms at the threshold: ", o.false_alarms,
           "\nwindow: ", o.window, "\nbaseline: ", o.baseline, "\nevery: ", o.features.every,
           "\nfilter: ", o.features.filter, "\n");
  fisher::write_model(o.out, model);
  std::printf("wrote %s\n", o.out.c_str());
}

} // namespace vigil::train
