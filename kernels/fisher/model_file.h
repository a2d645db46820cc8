// SPDX-License-Identifier: LGPL-2.1-or-later
// What vigil-train makes and gpufisher uses, in one file: how descriptors are taken, the codebook, and, once
// one was trained, the classifier. The layout is common/array_file.h's with the magic word "VIGILFIS",
// version 1, or 2 with motion, and these arrays (P = dimensions the projection keeps, M = P + 2, N =
// components, C = classes; fisher.h defines them):
//
//   sift_scales, sift_bin_size, sift_step             <i4  single values
//   sift_largest_scale, sift_contrast_threshold       <f8  single values
//   mean          <f4  128           projection    <f4  P x 128
//   priors        <f4  N             means         <f4  N x M         covariances   <f4  N x M (variances)
//   classes       |u1  names of the classes, each ended by a newline; with it:
//   weights       <f4  C x 2MN       bias          <f4  C            (with motion: C x (2MN + 2M'N'))
//   begin         <f4  C             end           <f4  C
//   baseline      <i4  single value
//   motion_lag    <i4  single value, version 2 only; with it the codebook of difference pictures (motion.h):
//   motion_mean, motion_projection, motion_priors, motion_means, motion_covariances, as those without
//   "motion_", of sizes P', M', N'
//   note          |u1  optional: how the model was made, lines of "name: value"
//
// Other arrays are not read. docs/reference/model-format.md shows how to read and write it in Python.
#pragma once

#include "kernels/fisher/fisher.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vigil::fisher {

// The codebook of difference pictures over `lag` frames.
struct Motion {
  int lag = 0;
  Codebook codebook;
};
struct Model {
  SiftParams sift; // of pictures and of difference pictures
  Codebook codebook;
  Classifier classifier; // no class: only vectors can be had
  std::string note;      // lines of "name: value"
  std::optional<Motion> motion;
  int vector_length() const {
    return codebook.vector_length() + (motion ? motion->codebook.vector_length() : 0);
  }
};

// A name of a class: 1 to 256 bytes, UTF-8, no control characters.
bool is_class_name(std::string_view);
// The same. Throws Error::bad_data.
void validate_class_name(const std::string &);
// Throws Error::bad_data or bad_setting as fisher.h's checks do, for names of classes too.
void validate(const Model &);
// A classifier of vectors of this length, as fisher.h checks one of a single codebook.
void validate(const Classifier &, int vector_length);

std::vector<std::uint8_t> serialize(const Model &);
// Any bytes at all are safe to read. Throws Error::bad_data, saying what is wrong, unless they are one whole
// undamaged model of this version with possible values. Allocates no more than about twice their size.
Model parse_model(std::span<const std::uint8_t> bytes);

// Writes so that there is a whole model under that name at any time. Throws Error::write.
void write_model(const std::string &path, const Model &);
// Throws Error::io when the file cannot be read, otherwise as parse_model(), with the path.
Model read_model(const std::string &path);

} // namespace vigil::fisher
