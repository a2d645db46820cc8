// SPDX-License-Identifier: LGPL-2.1-or-later
// What one iteration of expectation maximisation needs of a share of the descriptors: an array file
// (common/array_file.h, magic "VIGILSTA") with
//   mixture     text               SHA-256 of the model's codebook and descriptors' parameters
//   how         text               filter and step of frames
//   files       text               a line for each file, its path and its number of frames that were used
//   rows        <f8                descriptors
//   sums        <i4 {n, 2 d, 4}    of q x^2 and of q x, q a component's posterior, as exact_sum.h writes them
//   mass        <i4 {n, 4}         of q
//   likelihood  <i4 {1, 4}         of the descriptors' log-likelihoods
// n components, d dimensions of what they see: the projection's and two of the position.
#pragma once

#include "common/exact_sum.h"
#include "kernels/fisher/model_file.h"

#include <set>
#include <string>

namespace vigil::train {

struct SharedStatistics {
  std::string mixture, how;
  std::set<std::string> files; // lines
  double rows = 0;
  ExactSums sums, mass, likelihood;
};

std::string fingerprint(const fisher::Model &);
SharedStatistics no_statistics(const fisher::Model &, const std::string &how);
void write_statistics(const std::string &path, const SharedStatistics &);
// Throws Error::io, Error::bad_data when it is none, and Error::bad_setting when it is of another mixture.
SharedStatistics read_statistics(const std::string &path, const fisher::Model &,
                                 const std::string &model_path);
// Throws Error::bad_setting when they were made in different ways, or share a file; `path` is of `more`.
void add(SharedStatistics &, const SharedStatistics &more, const std::string &path);

} // namespace vigil::train
