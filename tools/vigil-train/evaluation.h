// SPDX-License-Identifier: LGPL-2.1-or-later
// What a model's classifier says of labelled frames: each class by itself, whatever other classes a frame
// has.
#pragma once

#include "kernels/fisher/model_file.h"
#include "measures.h"
#include "vectors.h"

#include <string>
#include <vector>

namespace vigil::train {

struct SampleRun {
  std::size_t first, end; // samples first .. end-1
};

struct ClassResult {
  std::string name;
  int label = -1; // the class's index in the labels; -1: they have no frame of it
  // Of each sample.
  std::vector<double> raw, smooth;        // smooth: what the element compares with thresholds
  std::vector<std::vector<Event>> events; // of each file; indices of samples
  // Of the labelled samples.
  Curve frames, smoothed;                           // by raw scores, by smoothed ones
  double positives = 0, recall = 0, false_rate = 0; // rates at the threshold of an event's begin
};

struct Evaluation {
  const fisher::Model &model;
  const Labels &labels;
  const Features &features;
  std::vector<SampleRun> files; // the samples of each file that has any
  std::vector<ClassResult> classes;

  const std::string &path_of(const SampleRun &run) const {
    return labels.files[features.samples[run.first].file].path;
  }
};

// The three must outlive the result. `window`: frames of the median.
Evaluation evaluate_classes(const fisher::Model &, const Labels &, const Features &, int window);

// PREFIX-classes.csv, PREFIX-frames.csv, PREFIX-roc.csv, PREFIX.svg (the ROC) and, of videos,
// PREFIX-time.svg. `what`: the note below the pictures. Throws Error::io.
void write_evaluation(const Evaluation &, const std::string &prefix, const std::string &what);

} // namespace vigil::train
