// SPDX-License-Identifier: LGPL-2.1-or-later
// Insects and the threads of a web near a lens by which an infra-red lamp shines.
#include "common/scene/effect.h"
#include "common/scene/hash.h"
#include "common/scene/veil.h"

#include <cmath>

namespace vigil::scene {
namespace {

constexpr double slot = 0.9, lives = 1.8, blurred_for = 1 / 50.; // seconds
constexpr int swarms = 3, threads = 7;
constexpr Rgb insect_colour{228, 228, 228}, thread_colour{205, 205, 205};

class Insects final : public Effect {
 public:
  Insects(const Settings &s, const Camera &camera)
      : s_(s), key_(mix(s.seed, 0x696e7365u)), lamp_(s, camera) {}

  class Frame final : public Effect::Frame {
   public:
    Frame(Veil veil, const Insects &all) : veil_(std::move(veil)), all_(all) {}
    void row(const ColourRow &row, int y) const override {
      all_.lamp_.row(row, y);
      veil_.row(row, all_.s_.width, y);
    }
    float noise() const override { return 1.5f; }
    bool colourless() const override { return true; }

   private:
    Veil veil_;
    const Insects &all_;
  };
  std::unique_ptr<Effect::Frame> frame(const Moment &m, const std::vector<Actor> &) const override {
    Veil veil;
    web(m.time, veil);
    const auto newest = std::int64_t(m.time / slot);
    for (std::int64_t n = newest; n >= 0 && double(n) * slot + lives > m.time; n--)
      for (std::uint32_t k = 0; k < swarms; k++) fly(m.time - double(n) * slot, k, std::uint32_t(n), veil);
    return std::make_unique<Frame>(std::move(veil), *this);
  }

 private:
  // One insect crosses the picture in curves, `t` seconds after it came.
  void fly(double t, std::uint32_t swarm, std::uint32_t n, Veil &veil) const {
    Random random(mix(key_, swarm, n));
    if (random.between(0, 1) > 0.55f) return;
    const auto w = float(s_.width), h = float(s_.height);
    const float pixels = h / 240, angle = random.between(0, 6.2832f);
    const ScenePoint heading{std::cos(angle), std::sin(angle)};
    const float speed = random.between(130, 420) * pixels, radius = random.between(1.2f, 5) * pixels,
                bend = random.between(4, 25) * pixels, quick = random.between(5, 14),
                dense = random.between(0.35f, 0.8f), half = 0.5f * speed * float(lives);
    const ScenePoint middle{w * random.between(0.15f, 0.85f), h * random.between(0.15f, 0.85f)};
    const auto at = [&](double time) {
      const float way = speed * float(time) - half, aside = bend * float(std::sin(double(quick) * time));
      return ScenePoint{middle.x + way * heading.x - aside * heading.y,
                        middle.y + way * heading.y + aside * heading.x};
    };
    const ScenePoint from = at(t), to = at(t + blurred_for);
    veil.add(from, to, radius, insect_colour, 0.5f * dense); // its soft edge, and its middle
    veil.add(from, to, 0.6f * radius, insect_colour, dense);
  }
  // Threads across the upper left corner, which sway.
  void web(double time, Veil &veil) const {
    const float pixels = float(s_.height) / 240;
    for (int i = 0; i < threads; i++) {
      Random random(mix(key_, 0x776562u, std::uint32_t(i)));
      const float reach = (20 + 16 * float(i)) * pixels;
      const ScenePoint a{reach * random.between(0.9f, 1.3f), -2}, b{-2, reach * random.between(0.9f, 1.3f)};
      const float swing = random.between(1.5f, 4) * pixels *
                          value_noise(key_ + std::uint32_t(i), float(std::fmod(1.3 * time, 4096.)), 0.5f);
      const float sag = 0.12f * reach + swing;
      const auto at = [&](float s) {
        const float bow = 4 * s * (1 - s) * sag;
        return ScenePoint{a.x + s * (b.x - a.x) - 0.7f * bow, a.y + s * (b.y - a.y) - 0.7f * bow};
      };
      constexpr int parts = 5;
      for (int p = 0; p < parts; p++)
        veil.add(at(float(p) / parts), at(float(p + 1) / parts), 0.7f * pixels, thread_colour, 0.5f);
    }
  }
  Settings s_;
  std::uint32_t key_;
  InfraredLamp lamp_;
};

} // namespace

std::unique_ptr<Effect> make_insects(const Settings &s, const Camera &camera) {
  return std::make_unique<Insects>(s, camera);
}

} // namespace vigil::scene
