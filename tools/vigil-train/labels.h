// SPDX-License-Identifier: LGPL-2.1-or-later
// What is to be learnt: frames and their classes.
//
// A CSV file has the header "video,first,last,class" and a line for each range of frames, numbers from 1,
// both included; paths are relative to the file's folder. Frames in no line are left out. A frame in several
// lines has all of their classes. A folder has one folder of pictures or videos for each class, named like
// it.
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
  std::vector<Range> ranges; // by rising first frame; those that overlap are of different classes
};
struct Labels {
  std::vector<std::string> names; // of classes, sorted
  std::vector<LabelledFile> files;
};

// A CSV file or a folder. `normal` is the class of the ordinary scene: a frame that has it has no other.
// Throws Error::io or bad_data, with the line, when it cannot be read, when a frame has one class twice, or
// another in addition to `normal`, and when a class has no frames.
Labels read_labels(const std::string &path, const std::string &normal);
inline constexpr std::uint64_t whole_file = ~std::uint64_t{0};
// The classes of a frame, by rising index. None: the frame is not used.
std::vector<std::size_t> classes_of(const LabelledFile &, std::uint64_t frame);

} // namespace vigil::train
