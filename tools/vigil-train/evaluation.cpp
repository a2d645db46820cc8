// SPDX-License-Identifier: LGPL-2.1-or-later
#include "evaluation.h"

#include "kernels/fisher/smoothing.h"

#include <algorithm>

namespace vigil::train {

namespace {

std::vector<SampleRun> runs_of_files(const Features &f) {
  std::vector<SampleRun> runs;
  for (std::size_t i = 0; i < f.samples.size(); i++)
    if (i == 0 || f.samples[i].file != f.samples[i - 1].file)
      runs.push_back({i, i + 1});
    else
      runs.back().end = i + 1;
  return runs;
}

void add_scores(ClassResult &r, const Evaluation &e, std::size_t k, int window) {
  const fisher::Classifier &c = e.model.classifier;
  const Features &f = e.features;
  for (std::size_t i = 0; i < f.samples.size(); i++) {
    double sum = double{c.bias[k]};
    const auto row = f.row(i);
    for (std::size_t d = 0; d < f.length; d++) sum += double{row[d]} * double{c.weights[k * f.length + d]};
    r.raw.push_back(sum);
  }
  for (const SampleRun &run : e.files) {
    fisher::Smoother smoother;
    for (std::size_t i = run.first; i < run.end; i++)
      r.smooth.push_back(double{smoother.step(static_cast<float>(r.raw[i]), window, c.baseline)});
    auto events = find_events(std::span(r.smooth).subspan(run.first, run.end - run.first), double{c.begin[k]},
                              double{c.end[k]});
    for (Event &event : events) {
      event.begin += run.first;
      event.end += run.first;
    }
    r.events.push_back(std::move(events));
  }
}

void add_measures(ClassResult &r, const Features &f, double begin) {
  std::vector<double> raw, smooth;
  std::vector<char> positive;
  double counts[2][2] = {}; // truth, found
  for (std::size_t i = 0; i < f.samples.size(); i++) {
    if (!f.samples[i].labelled()) continue;
    raw.push_back(r.raw[i]);
    smooth.push_back(r.smooth[i]);
    positive.push_back(r.label >= 0 && f.samples[i].has(static_cast<std::size_t>(r.label)));
    counts[int{positive.back()}][smooth.back() >= begin]++;
  }
  r.frames = measure(raw, positive);
  r.smoothed = measure(smooth, positive);
  r.positives = counts[1][0] + counts[1][1];
  r.recall = counts[1][1] / r.positives;
  r.false_rate = counts[0][1] / (counts[0][0] + counts[0][1]);
}

} // namespace

Evaluation evaluate_classes(const fisher::Model &m, const Labels &l, const Features &f, int window) {
  Evaluation e{m, l, f, runs_of_files(f), {}};
  for (std::size_t k = 0; k < m.classifier.classes.size(); k++) {
    ClassResult r;
    r.name = m.classifier.classes[k];
    const auto found = std::find(l.names.begin(), l.names.end(), r.name);
    if (found != l.names.end()) r.label = static_cast<int>(found - l.names.begin());
    add_scores(r, e, k, window);
    add_measures(r, f, double{m.classifier.begin[k]});
    e.classes.push_back(std::move(r));
  }
  return e;
}

} // namespace vigil::train
