// SPDX-License-Identifier: LGPL-2.1-or-later
// What gpucheck's cases for the segmentation have in common: a backend that is given frames in host memory,
// and what every backend must pass.
#pragma once

#include "common/error.h"
#include "kernels/colinearseg/colinearseg.h"
#include "kernels/compose/compose.h"
#include "tests/check/checker.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vigil::colinearseg {

class Rig {
 public:
  virtual ~Rig() = default;
  virtual void learn(int learn_frames) = 0;
  virtual void set_background(ConstImage, int learn_frames) = 0;
  virtual void segment(ConstImage frame, const Params &) = 0;
  virtual State save() const = 0;
  virtual void load(const State &) = 0;
  // Of the last mask: a picture in rgba without padding, and a byte a pixel, 0 or 255.
  virtual std::vector<std::uint8_t> draw(Show, ConstImage frame, std::span<const compose::DrawnBox>,
                                         const compose::Style &) = 0;
  virtual std::vector<std::uint8_t> mask() = 0;
};
struct MakeRig {
  std::string name;
  std::function<std::unique_ptr<Rig>(const Config &, int learn_frames)> make;
  std::unique_ptr<Rig> operator()(const Config &c, int learn_frames) const { return make(c, learn_frames); }
};

// A frame in host memory.
struct HostFrame {
  explicit HostFrame(const Config &c) : config(c), bytes(std::size_t(4) * c.width * c.height) {}
  ConstImage image() const {
    return {
        PixelFormat::rgba, config.width, config.height, {bytes.data()}, {4 * std::ptrdiff_t(config.width)}};
  }
  Config config;
  std::vector<std::uint8_t> bytes;
};
// A scene: a background with texture, noise, changes of brightness, objects that move, and areas of 0 and of
// 255.
void paint(HostFrame &, check::Checker &, int number);

void check_segmentation(check::Checker &, const MakeRig &);
void check_large(check::Checker &, const MakeRig &);   // one 4K frame
void check_results(check::Checker &, const MakeRig &); // pictures and masks
void check_errors(check::Checker &, const MakeRig &);  // wrong input
// Fails unless the call throws such an error with this in its text.
void check_throws(check::Checker &, const char *what, Error::Kind, const std::string &part,
                  const std::function<void()> &call);

} // namespace vigil::colinearseg
