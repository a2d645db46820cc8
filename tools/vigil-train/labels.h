// SPDX-License-Identifier: LGPL-2.1-or-later
// What is to be learnt: frames and their classes.
//
// A CSV file has the header "video,first,last,class" and a line for each range of frames, numbers from 1,
// both included; paths are relative to the file's folder. Frames in no line are left out. A folder has one
// folder of pictures or videos for each class, named like it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vigil::train {

struct Range {
  std::uint64_t first, last;
  std::size_t name;  // index of the class
  std::string where; // for errors: "labels.csv:7"
};
struct LabelledFile {
  std::string path;
  std::vector<Range> ranges; // by rising frame, none overlaps another
};
struct Labels {
  std::vector<std::string> names; // of classes, sorted
  std::vector<LabelledFile> files;
};

// A CSV file or a folder. Throws Error::io or bad_data, with the line, when it cannot be read, when ranges
// overlap, and when a class has no frames.
Labels read_labels(const std::string &path);
inline constexpr std::uint64_t whole_file = ~std::uint64_t{0};
// The class of a frame, or nothing (-1).
int class_of(const LabelledFile &, std::uint64_t frame);

} // namespace vigil::train
