// SPDX-License-Identifier: LGPL-2.1-or-later
// The serial base of the papers' steps, and the choice of a step.
#include "tests/bench/mog/ladder.h"

#include "common/error.h"
#include "tests/bench/mog/ladder_steps.h"

namespace vigil::mog {
namespace {

using namespace ladder;

// Step A in one thread: an array of structures, branches, components sorted.
template <class T, int K>
class SerialLuma final : public Ladder {
 public:
  explicit SerialLuma(int pixels) : state_(pixels) {}
  void run(std::span<const std::uint8_t *const> frames, std::span<std::uint8_t *const> masks,
           const Params &params) override {
    const Constants c = resolve(params, Method::mog, PixelFormat::gray8, 1);
    for (std::size_t f = 0; f < frames.size(); f++) {
      const Settings<T> settings(c, learning_rate(params, ++learnt_));
      for (std::size_t i = 0; i < state_.size(); i++)
        masks[f][i] = learn<Rung::serial, T, K>(state_[i], T(frames[f][i]), settings) ? 0 : 255;
    }
  }
  double kernel_milliseconds(std::span<const std::uint8_t *const>, const Params &) override { return 0; }
  std::vector<std::uint8_t> background() override {
    std::vector<std::uint8_t> out;
    for (const auto &g : state_) out.push_back(static_cast<std::uint8_t>(heaviest(g) + T(0.5)));
    return out;
  }

 private:
  std::vector<Luma<T, K>> state_;
  std::uint64_t learnt_ = 0;
};

class SerialColour final : public Ladder {
 public:
  explicit SerialColour(int pixels) : state_(pixels) {}
  void run(std::span<const std::uint8_t *const> frames, std::span<std::uint8_t *const> masks,
           const Params &params) override {
    const Constants c = resolve(params, Method::zivkovic, PixelFormat::rgba, 3);
    for (std::size_t f = 0; f < frames.size(); f++) {
      const Settings<float> settings(c, learning_rate(params, ++learnt_));
      for (std::size_t i = 0; i < state_.size(); i++) {
        const std::uint8_t *p = frames[f] + 3 * i;
        masks[f][i] = learn<5>(state_[i], {float(p[0]), float(p[1]), float(p[2])}, settings) ? 0 : 255;
      }
    }
  }
  double kernel_milliseconds(std::span<const std::uint8_t *const>, const Params &) override { return 0; }
  std::vector<std::uint8_t> background() override {
    std::vector<std::uint8_t> out;
    for (const auto &p : state_)
      for (const float m : p.mean[0]) out.push_back(static_cast<std::uint8_t>(m + 0.5f));
    return out;
  }

 private:
  std::vector<Colour<5>> state_;
  std::uint64_t learnt_ = 0;
};

} // namespace

std::unique_ptr<Ladder> make_ladder(Device &device, const LadderConfig &c) {
  check_config({c.width, c.height, is_paper_a(c.rung) ? 1 : 3,
                is_paper_a(c.rung) ? Method::mog : Method::zivkovic, Precision::single, c.components});
  if (is_paper_a(c.rung) ? c.components != 3 && c.components != 5 : c.components != 5 || c.in_double)
    fail(Error::Kind::bad_setting, "a step of ", is_paper_a(c.rung) ? "paper A has 3 or 5" : "paper B has 5",
         " components, not ", c.components, ", and B's are in single precision");
  const int pixels = c.width * c.height;
  switch (c.rung) {
  case Rung::serial:
    if (c.in_double)
      return c.components == 3 ? std::unique_ptr<Ladder>(std::make_unique<SerialLuma<double, 3>>(pixels))
                               : std::make_unique<SerialLuma<double, 5>>(pixels);
    return c.components == 3 ? std::unique_ptr<Ladder>(std::make_unique<SerialLuma<float, 3>>(pixels))
                             : std::make_unique<SerialLuma<float, 5>>(pixels);
  case Rung::serial_b:
    return std::make_unique<SerialColour>(pixels);
  default:
    return make_on_device(device, c);
  }
}

} // namespace vigil::mog
