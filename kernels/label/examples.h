// SPDX-License-Identifier: LGPL-2.1-or-later
// Examples of names as a file, JSON. The file is the model as well: the same examples give the same
// classifier within a second, so the two never disagree, and an example that was removed has left no trace.
//
//   {"format": "vigil-labels", "version": 1,
//    "examples": [{"label": "cat", "is": true, "event": "...", "camera": "door", "time": 1764130000.5,
//                  "shape": {"aspect": -0.3, ...},  features that are not known are missing
//                  "appearance": [0.1, ...],        appearance_length numbers, or none
//                  "codebook": "...",               that these were made with; missing: not known
//                  "picture": "..."}]}              base64url of picture_side^2 bytes of luma, or missing
#pragma once

#include "kernels/label/classifier.h"
#include "kernels/label/picture.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vigil::label {

struct TaughtExample {
  Example example;
  std::string event, camera; // where it comes from; may be empty
  double time = 0;           // when it was named, seconds since 1970 UTC
  std::string codebook{};    // of the appearance
  Picture picture{};         // that the appearance can be made of again, with another codebook
};

inline constexpr std::size_t largest_examples_file = std::size_t{32} << 20;

std::string write_examples(std::span<const TaughtExample>);
// Any bytes are safe to read. Throws Error::bad_data, and says where, unless all of it is right.
std::vector<TaughtExample> read_examples(std::string_view);
// The classifier's part of them.
std::vector<Example> examples_of(std::span<const TaughtExample>);
// The same, without the appearance of those that were made with another codebook than this one: numbers of
// two codebooks have nothing in common. `set_aside`, where not null, becomes how many these are.
std::vector<Example> examples_of(std::span<const TaughtExample>, std::string_view codebook,
                                 std::size_t *set_aside = nullptr);

} // namespace vigil::label
