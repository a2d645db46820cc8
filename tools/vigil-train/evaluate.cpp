// SPDX-License-Identifier: LGPL-2.1-or-later
// vigil-train evaluate: a model's classifier on labelled frames.
#include "commands.h"
#include "common/error.h"
#include "evaluation.h"

#include <algorithm>
#include <cstdio>

namespace vigil::train {

namespace {

void print_measures(const Evaluation &e) {
  std::printf("%-20s %8s %8s %8s %8s %8s %10s %10s\n", "class", "frames", "AUC", "smoothed", "AP 11",
              "AP area", "recall", "false");
  std::vector<double> eleven, area;
  for (const ClassResult &r : e.classes) {
    eleven.push_back(r.smoothed.average_precision_11);
    area.push_back(r.smoothed.average_precision);
    std::printf("%-20s %8.0f %8.4f %8.4f %8.4f %8.4f %10.4f %10.4f\n", r.name.c_str(), r.positives,
                r.frames.auc, r.smoothed.auc, eleven.back(), area.back(), r.recall, r.false_rate);
  }
  if (e.classes.size() > 1)
    std::printf("%-20s %8s %8s %8s %8.4f %8.4f\n", "mAP", "", "", "", mean_of(eleven), mean_of(area));
}

// One class's labelled runs in one file, against what the thresholds find in the smoothed scores.
class EventReport {
 public:
  EventReport(const Evaluation &e, const ClassResult &r) : e_(e), r_(r) {}
  void print();

 private:
  void print_labelled(const SampleRun &run, const std::string &path, const std::vector<Event> &events);
  void print_false(const std::string &path, const std::vector<Event> &events);
  bool positive(std::size_t i) const {
    return r_.label >= 0 && e_.features.samples[i].has(static_cast<std::size_t>(r_.label));
  }
  long long frame(std::size_t i) const { return static_cast<long long>(e_.features.samples[i].frame); }
  const Evaluation &e_;
  const ClassResult &r_;
  std::vector<char> used_; // events that belong to a labelled run
  int found_ = 0, all_ = 0, wrong_ = 0;
};

void EventReport::print() {
  for (std::size_t f = 0; f < e_.files.size(); f++) {
    const SampleRun &file = e_.files[f];
    const std::vector<Event> &events = r_.events[f];
    used_.assign(events.size(), 0);
    for (std::size_t i = file.first, end = 0; i < file.end; i = end) {
      for (end = i + 1; end < file.end && positive(end) == positive(i);) end++;
      if (positive(i)) print_labelled({i, end}, e_.path_of(file), events);
    }
    print_false(e_.path_of(file), events);
  }
  std::printf("%s: %d of %d events found, %d false\n", r_.name.c_str(), found_, all_, wrong_);
}

void EventReport::print_labelled(const SampleRun &run, const std::string &path,
                                 const std::vector<Event> &events) {
  all_++;
  const Event *hit = nullptr;
  for (std::size_t n = 0; n < events.size(); n++)
    if (events[n].begin < run.end && events[n].end > run.first) {
      if (!hit) hit = &events[n];
      used_[n] = 1;
    }
  std::printf("event of %s in %s, frames %lld to %lld: ", r_.name.c_str(), path.c_str(), frame(run.first),
              frame(run.end - 1));
  if (!hit) return (void)std::printf("missed\n");
  found_++;
  std::printf("found at frame %lld (%+lld)\n", frame(hit->begin), frame(hit->begin) - frame(run.first));
}

// Wrong only where it lies on frames that are labelled, without the class.
void EventReport::print_false(const std::string &path, const std::vector<Event> &events) {
  for (std::size_t n = 0; n < events.size(); n++) {
    bool labelled = false;
    for (std::size_t i = events[n].begin; i < events[n].end; i++)
      labelled |= e_.features.samples[i].labelled() && !positive(i);
    if (used_[n] || !labelled) continue;
    wrong_++;
    std::printf("false event of %s in %s, frames %lld to %lld\n", r_.name.c_str(), path.c_str(),
                frame(events[n].begin), frame(events[n].end - 1));
  }
}

// The class with the highest score, where no frame has several.
void print_confusion(const Evaluation &e) {
  const std::size_t n = e.classes.size();
  const auto &samples = e.features.samples;
  if (n < 2) return;
  if (std::any_of(samples.begin(), samples.end(), [](const Sample &s) { return s.names.size() > 1; }))
    return (void)std::printf("no confusion matrix: frames have several classes\n");
  const auto &names = e.labels.names;
  std::vector<std::vector<int>> table(names.size(), std::vector<int>(n));
  double right = 0, all = 0;
  for (std::size_t i = 0; i < samples.size(); i++) {
    if (!samples[i].labelled()) continue;
    std::size_t best = 0;
    for (std::size_t k = 1; k < n; k++)
      if (e.classes[k].smooth[i] > e.classes[best].smooth[i]) best = k;
    const std::size_t truth = samples[i].names.front();
    table[truth][best]++;
    right += e.classes[best].label == static_cast<int>(truth);
    all++;
  }
  std::printf("%-20s", "truth / found");
  for (const ClassResult &r : e.classes) std::printf(" %10.10s", r.name.c_str());
  std::printf("\n");
  double mean = 0;
  for (std::size_t t = 0; t < table.size(); t++) {
    std::printf("%-20s", names[t].c_str());
    double sum = 0, hits = 0;
    for (std::size_t k = 0; k < n; k++) {
      std::printf(" %10d", table[t][k]);
      sum += table[t][k];
      if (e.classes[k].label == static_cast<int>(t)) hits += table[t][k];
    }
    std::printf("\n");
    mean += hits / sum / static_cast<double>(table.size());
  }
  std::printf("accuracy %.4f, mean over classes %.4f, of %.0f\n", right / all, mean, all);
}

} // namespace

void evaluate(const EvaluateOptions &o) {
  const fisher::Model model = fisher::read_model(o.model);
  if (model.classifier.count() == 0)
    fail(Error::Kind::bad_data, o.model, " has no classifier; make one with vigil-train classifier");
  const Labels labels = read_labels(o.labels, o.normal);
  for (const std::string &c : model.classifier.classes)
    if (std::find(labels.names.begin(), labels.names.end(), c) == labels.names.end())
      std::fprintf(stderr, "note: the labels have no frame of class '%s'\n", c.c_str());
  const auto device = open_backend(o.backend, o.threads);
  const Features f = compute_features(*device, model, labels, o.features);
  const Evaluation e = evaluate_classes(model, labels, f, o.window);
  print_measures(e);
  print_confusion(e);
  for (const ClassResult &r : e.classes) EventReport(e, r).print();
  if (!o.out.empty()) write_evaluation(e, o.out, text(o.model, " on ", o.labels));
}

} // namespace vigil::train
