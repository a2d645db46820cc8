// SPDX-License-Identifier: LGPL-2.1-or-later
// Results as a table, as JSON and as CSV.
#pragma once

#include "run.h"

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace vigil::eval {

// All sequences with one set of values.
struct Evaluation {
  std::optional<Setting> setting; // of a sweep
  std::vector<SequenceResult> sequences;
};

Counts pooled(const Evaluation &);
// The mean over the sequences whose F-measure is defined; NaN when there is none.
double mean_f_measure(const Evaluation &);

void print_table(std::FILE *, const Evaluation &);
// F-measures, or for a sequence without foreground in its truth the false positive rate, of several
// descriptions side by side.
void print_comparison(std::FILE *, const std::vector<std::string> &descriptions,
                      const std::vector<Evaluation> &);

// The functions below throw Error::write when the file cannot be written.
// One object: {"vigil-eval": version, "description": ..., "runs": [{"sequences": [...], "pooled": {...}}]};
// docs/reference/tools/vigil-eval.md has all fields. A measure that is not defined is null.
void write_json(const std::string &path, const std::string &description, const std::vector<Evaluation> &);
// A line a scored frame: sequence,frame,tp,fp,fn,tn,recall,precision,f_measure
void write_frames_csv(const std::string &path, const Evaluation &);
// A line a value and sequence, and one for the pooled counts, named "pooled":
// PROPERTY,sequence,tp,fp,fn,tn,true_positive_rate,false_positive_rate,precision,f_measure
void write_roc_csv(const std::string &path, const std::vector<Evaluation> &);

// Writes a whole file; the file is complete or absent.
void write_file(const std::string &path, const std::string &content);

} // namespace vigil::eval
