// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures, masks and counts made on a device against the references of compose and cell_grid.
#include "tests/check/colinearseg/rig.h"

#include "common/error.h"

namespace vigil::colinearseg {
namespace {

using check::Checker;

struct Size {
  int width, height;
};
constexpr Size sizes[] = {{1, 1},    {7, 5},     {31, 40},    {64, 48},
                          {131, 97}, {640, 361}, {1500, 800}, {4160, 1030}};

void check_size(Checker &c, const MakeRig &make, const Size &s) {
  const Config config{s.width, s.height};
  const std::size_t n = std::size_t(s.width) * s.height;
  const auto host = open_cpu(1);
  const auto queue = host->make_queue();
  const std::string where = text(s.width, "x", s.height);

  // a mask with lonely pixels and with areas
  State state = empty_state(config, 1);
  state.learnt = 1;
  state.exact.clear();
  state.background = c.noise(3 * n);
  for (int y = 0; y < s.height; y++)
    for (int x = 0; x < s.width; x++)
      if (c.rng() % 50 == 0 || (x / 37 + y / 23) % 5 == 0) state.mask[std::size_t(y) * s.width + x] = 255;
  const auto rig = make(config, 1);
  rig->load(state);
  const Plane<const std::uint8_t> mask{state.mask.data(), s.width, s.height, s.width};

  c.expect(rig->mask() == state.mask, where + ": the mask's bytes differ from what was loaded");

  HostFrame host_frame(config);
  host_frame.bytes = c.noise(4 * n);
  const std::vector<std::uint8_t> &frame = host_frame.bytes;
  const auto at = [&](int range) { return int(c.rng() % unsigned(range + 40)) - 20; };
  std::vector<compose::DrawnBox> boxes;
  for (int i = 0; i < 70; i++)
    boxes.push_back({at(s.width), at(s.height), int(c.rng() % 60), int(c.rng() % 60)});
  const compose::Style style{
      .tint = {{255, 48, 32}, int(c.rng() % 257)}, .box = {48, 255, 64}, .line = int(c.rng() % 4)};
  const auto picture = [&](Show show) { return rig->draw(show, host_frame.image(), boxes, style); };

  std::vector<std::uint8_t> wanted(4 * n);
  const std::ptrdiff_t stride = 4 * s.width;
  compose::make_reference()->overlay(
      {PixelFormat::rgba, s.width, s.height, {frame.data()}, {stride}}, mask, boxes, style,
      {PixelFormat::rgba, s.width, s.height, {wanted.data()}, {stride}}, *queue);
  c.expect(picture(Show::overlay) == wanted, where + ": the overlay differs from the reference");
  const auto expect = [&](const char *what, Show show, auto &&colour) {
    for (std::size_t i = 0; i < n; i++)
      for (std::size_t k = 0; k < 4; k++) wanted[4 * i + k] = std::uint8_t(colour(i, k));
    c.expect(picture(show) == wanted, where + ": the " + what + " is wrong");
  };
  expect("mask", Show::mask, [&](std::size_t i, std::size_t k) { return k == 3 ? 255 : state.mask[i]; });
  expect("cutout", Show::cutout,
         [&](std::size_t i, std::size_t k) { return k == 3 ? state.mask[i] : frame[4 * i + k]; });
  expect("background", Show::background,
         [&](std::size_t i, std::size_t k) { return k == 3 ? 255 : state.background[3 * i + k]; });
}

} // namespace

void check_results(Checker &c, const MakeRig &make) {
  for (const Size &s : sizes) check_size(c, make, s);
}

} // namespace vigil::colinearseg
