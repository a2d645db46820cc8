// SPDX-License-Identifier: LGPL-2.1-or-later
// One device under measurement: its memory, its queue, and the receiver of what is found.
#pragma once

#include "micro.h"

#include "common/opencl/program.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <span>
#include <string>

namespace vigil::tune {

class Bench {
 public:
  Bench(ClDevice &d, const Listener &);
  // The groups from the number `first` on, each as far as it goes.
  void run(std::size_t first);
  struct Group {
    const char *name;
    void (Bench::*run)();
  };
  static std::span<const Group> groups();

 private:
  void missing(const std::string &name, const std::exception &why) {
    listener_.measured({group_, name, 0, "", why.what()});
  }
  void add(const std::string &name, double value, const char *unit) {
    listener_.measured({group_, name, value, unit, {}});
  }
  // Adds what `value` gives, or why it throws.
  void attempt(const std::string &name, const char *unit, const std::function<double()> &value);

  // Milliseconds of one call by the device's clock: the median of several measurements of `calls` in a row.
  double time(const std::function<void()> &call, int calls);
  int calls() const { return device_.is_cpu() ? 1 : 10; }
  static double gigabytes(std::size_t bytes, double ms) { return double(bytes) / 1e6 / ms; }
  cl_mem in() const { return device_.range_of(in_.as()).memory; }
  cl_mem out() const { return device_.range_of(out_.as()).memory; }
  // One work-item an element on GPUs; processors loop.
  std::size_t items(std::size_t count) const {
    return device_.is_cpu() ? std::min<std::size_t>(count, 65536) : count;
  }
  std::size_t group_size() const { return device_.is_cpu() ? 64 : 256; }
  struct Size {
    int width, height;
    double megapixels() const { return width * height / 1e6; }
  };
  Size picture() const { return device_.is_cpu() ? Size{320, 180} : Size{1280, 720}; }

  // micro.cpp
  void copies();
  void widths();
  void functions();
  void launches();
  void transfers();
  // micro_memory.cpp
  void local_copies();
  void prefetches();
  void patterns();
  // micro_pictures.cpp
  void images();
  void shapes();
  void build_options();
  void concurrency();
  void effective_bandwidth();
  double from_buffer_speed(const std::string &options, int rows, int step);
  double from_image_speed(const std::string &options, int step);
  double into_image_speed();
  double histogram_time(bool of_image, int pixels);
  ClMemHandle make_image(cl_channel_type);

  ClDevice &device_;
  ClQueue queue_;
  std::size_t bytes_;
  DeviceBuffer in_, out_;
  const Listener &listener_;
  std::string group_;
};

} // namespace vigil::tune
