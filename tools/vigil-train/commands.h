// SPDX-License-Identifier: LGPL-2.1-or-later
// What vigil-train does, a function a subcommand. All throw vigil::Error, and Interrupted.
#pragma once

#include "kernels/fisher/model_file.h"
#include "tools/base/share.h"
#include "vectors.h"

#include <string>
#include <vector>

namespace vigil::train {

struct CodebookOptions {
  std::vector<std::string> videos;
  std::string labels;                             // instead of videos: the labelled frames of this
  std::string out, filter, backend = "auto", how; // how: the command, for the note
  fisher::SiftParams sift;
  // A codebook of difference pictures is added to the model `base`, whose sift is used; empty: a new model.
  std::string base;
  int lag = 0;
  int samples = 1000000, components = 256, projected = 80, iterations = 60, every = 1, threads = 0;
  double floor = 1e-4, tolerance = 1e-4;
  int seed = 1;
  bool skip_bad = false, resume = false;
};
void train_codebook(const CodebookOptions &);

struct ClassifierOptions {
  std::string model, labels, out, backend = "auto", how;
  std::string normal = "normal"; // the class that is no event, and gets no machine of its own
  FeatureOptions features;
  double c = 0;                                         // 0: found by cross-validation
  double false_alarms = 0.01;                           // part of the frames without event
  int folds = 5, window = 5, baseline = 0, threads = 0; // baseline: see kernels/fisher/smoothing.h
};
void train_classifier(const ClassifierOptions &);

struct EvaluateOptions {
  std::string model, labels, out, backend = "auto";
  std::string normal = "normal"; // as above
  FeatureOptions features;
  int window = 5, threads = 0;
};
void evaluate(const EvaluateOptions &);

struct StatisticsOptions {
  std::string model, out, filter, backend = "auto";
  std::vector<std::string> files; // videos, pictures and folders of them
  tools::Share share;             // of the files
  int every = 1, threads = 0;
  bool skip_bad = false;
};
void collect_statistics(const StatisticsOptions &);

struct MaximiseOptions {
  std::string model, out;
  std::vector<std::string> statistics; // what collect_statistics() wrote
  double floor = 1e-4;
};
void maximise(const MaximiseOptions &);

void describe(const std::string &model);
// A codebook from numpy's .npz with arrays means, covariances, priors, projection and, if the data were
// centred, mean.
void import_npz(const std::string &npz, const fisher::SiftParams &, const std::string &out);

} // namespace vigil::train
