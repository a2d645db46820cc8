// SPDX-License-Identifier: LGPL-2.1-or-later
// What tests of cudamog's stages share: pictures, a model, and frames for one stage on the CPU. No GStreamer.
#pragma once

#include "gst/cudamog/background_model.h"
#include "gst/cudamog/stage.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace vigil::test {

using namespace vigil::gst;
using namespace vigil::gst::cudamog;

inline constexpr int width = 160, height = 120;

// A GRAY8 picture in host memory, which is the CPU's.
struct Picture {
  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(std::size_t(width) * height);
  std::uint8_t &at(int x, int y) { return bytes[std::size_t(y) * width + std::size_t(x)]; }
  Image image() { return {PixelFormat::gray8, width, height, {bytes.data()}, {width}}; }
  void fill(int x, int y, int w, int h, std::uint8_t value) {
    for (int row = y; row < y + h; row++) std::fill_n(&at(x, row), w, value);
  }
};
// Patches of all sizes, moved to the right and down by a shift, under another light.
inline Picture ground(int dx = 0, int dy = 0, double gain = 1, double offset = 0) {
  std::mt19937 random(7);
  const auto below = [&](int n) { return int(random() % unsigned(n)); };
  constexpr int room = 64, columns = width + 2 * room, rows = height + 2 * room;
  std::vector<std::uint8_t> large(std::size_t(columns) * rows, 120);
  for (int i = 0; i < 900; i++) {
    const int w = 3 + below(30), h = 3 + below(30), left = below(columns), top = below(rows);
    const auto v = std::uint8_t(50 + below(140));
    for (int y = top; y < std::min(top + h, rows); y++)
      for (int x = left; x < std::min(left + w, columns); x++)
        large[std::size_t(y) * columns + std::size_t(x)] = v;
  }
  Picture p;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const double v = large[std::size_t(y - dy + room) * columns + std::size_t(x - dx + room)];
      p.at(x, y) = std::uint8_t(std::clamp(v * gain + offset, 0., 255.));
    }
  return p;
}

struct Rig {
  std::unique_ptr<Device> device = open_cpu(1);
  std::unique_ptr<Queue> queue = device->make_queue();
  Format format;
  BackgroundModel model{*device};
  Settings settings;
  Feedback feedback;

  Rig() {
    format.grid = cell_grid::grid_for(width, height);
    format.full_range = true;
    format.colours = exposure::colours_for(0.299, 0.114, true, false);
    model.set_format(format);
    model.prepare(settings, *queue);
  }
  // The stage, as the only one of a list.
  template <class S>
  S &start(S &stage) {
    stage.index = 0;
    stage.set_format(format);
    stage.configure(settings, *queue);
    return stage;
  }
  FrameContext frame(Stage &stage, Picture *input = nullptr, double seconds = 0.04) {
    FrameContext f;
    f.settings = settings;
    f.seconds = seconds;
    f.data.push_back(stage.make_data());
    f.detections.cells.resize(std::size_t(format.grid.cells()));
    f.roi.pixels = std::uint64_t(width) * height;
    f.learning.first = false;
    if (input) f.input = f.compensated = input->image();
    return f;
  }
  FrameGroup submit(Stage &stage, FrameContext &f) {
    FrameContext *const one = &f;
    FrameGroup group{{&one, 1}};
    stage.prepare(group, feedback, *queue);
    stage.submit(group, feedback, *queue);
    stage.fetch(f, *queue);
    group.frames = {};
    return group;
  }
  void run(Stage &stage, FrameContext &f) {
    submit(stage, f);
    stage.finish(f, feedback, *queue);
  }
  void learn(Picture &p, int frames, double rate = 0.2) {
    Picture mask;
    for (int i = 0; i < frames; i++) {
      const mog::Step step{p.image(), mask.image().plane(0), rate};
      model.mixture().apply({&step, 1}, settings.mog, {}, *queue);
    }
  }
};

} // namespace vigil::test
