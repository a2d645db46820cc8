// SPDX-License-Identifier: LGPL-2.1-or-later
// A labelled sequence as the head of a pipeline: it gives frames, and knows the truth of each by its PTS.
#pragma once

#include "image.h"
#include "tools/base/pipeline.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace vigil::eval {

struct FrameRate {
  int numerator = 25, denominator = 1;
};

struct Truth {
  std::uint64_t index;               // of the frame in the sequence, from 0
  std::string frame;                 // its number as the set writes it
  GrayImage labels;                  // as in score.h
  const GrayImage *region = nullptr; // zeros are left out; null: everywhere
};

class Source {
 public:
  explicit Source(std::string name) : name_(std::move(name)) {}
  virtual ~Source() = default;
  const std::string &name() const { return name_; }
  virtual std::uint64_t frames() const = 0; // that it is to give; 0 when not known beforehand

  // Adds the elements that give the frames, once each and in order, to a new pipeline, and returns the last.
  // Begins again each time. The source must outlive the pipeline.
  virtual GstElement *build(tools::Pipeline &) = 0;
  // The truth of the frame with this PTS; nothing when it has none. Asked for with rising times.
  virtual std::optional<Truth> truth_at(GstClockTime pts) = 0;
  // How many frames from `first` on have truth; to be asked after the end of stream.
  virtual std::uint64_t labelled(std::uint64_t first) = 0;

 private:
  std::string name_;
};

// What a user names: a folder (see folder.h), or "scene:NAME,property=value,..." for scenetestsrc. The rate
// is that of the frames. Throws vigil::Error when there is no such thing.
std::unique_ptr<Source> open_source(const std::string &dataset, FrameRate);
std::unique_ptr<Source> open_folder_source(const std::string &path, FrameRate);
std::unique_ptr<Source> open_scene_source(const std::string &description, FrameRate);

} // namespace vigil::eval
