// SPDX-License-Identifier: LGPL-2.1-or-later
// Registration: shifts that were drawn on are found again, by the search as by the reference, with a part of
// the picture covered and the exposure changed; nothing is found where nothing is to be found.
#include "kernels/registration/handover.h"

#include "common/error.h"
#include "tests/check/checker.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace vigil::registration {
namespace {

using check::Checker;
using check::Picture;
using enum PixelFormat;

constexpr PixelFormat formats[] = {gray8, rgba, bgra, nv12, i420};
struct Size {
  int width, height, padding;
};
constexpr Size sizes[] = {{161, 120, 3}, {320, 240, 0}, {640, 361, 1}};

void only_on_host(const Checker &c) {
  if (c.device.backend() != Backend::cpu) throw check::Skip{"there is no backend but the CPU's"};
}

// A scene without an end: blocks of several sizes, each of one grey. Place (x, y) may be negative.
struct World {
  explicit World(Checker &c) : seed(static_cast<std::uint32_t>(c.rng())) {}
  int grey(int x, int y) const {
    const auto block = [&](int size, int levels) {
      const auto bx = static_cast<std::uint32_t>((x + 4096) / size),
                 by = static_cast<std::uint32_t>((y + 4096) / size);
      std::uint32_t h = (bx * 0x9E3779B9u) ^ (by * 0x85EBCA6Bu) ^ (seed + static_cast<std::uint32_t>(size));
      h ^= h >> 15;
      h *= 0x2C1B3C6Du;
      h ^= h >> 13;
      return static_cast<int>(h % static_cast<std::uint32_t>(levels));
    };
    return 30 + block(9, 50) + block(23, 70) + block(57, 60);
  }
  std::uint32_t seed;
};

// What a camera shifted by `s` sees, with this gain and +-2 levels of noise; `covered` (0..1) of the columns
// show another world, which stands still.
void paint(Checker &c, const World &world, Picture &p, Shift s, double gain = 1, double covered = 0) {
  const World other(c);
  const Image image = p.host();
  const int bytes = image.format == rgba || image.format == bgra ? 4 : 1;
  for (int i = 1; i < plane_count(image.format); i++)
    for (int y = 0; y < plane_rows(i, image.height); y++)
      std::fill_n(image.plane(i).row(y), row_bytes(image.format, i, image.width), std::uint8_t{128});
  for (int y = 0; y < image.height; y++)
    for (int x = 0; x < image.width; x++) {
      const bool hidden = x < covered * image.width;
      const int grey = hidden ? other.grey(x, y) : world.grey(x - s.x, y - s.y);
      const double v = gain * grey + double(c.rng() % 5) - 2;
      const auto level = static_cast<std::uint8_t>(std::clamp(std::lround(v), 0L, 255L));
      std::fill_n(image.plane(0).row(y) + std::ptrdiff_t(bytes) * x, bytes, level);
    }
}

std::string said(const Found &f) {
  return text(f.shift.x, ",", f.shift.y, " with score ", f.score, " (", f.at_rest, " at rest, ", f.points,
              " points)");
}

void run_find(Checker &c) {
  only_on_host(c);
  for (const Size &size : sizes)
    for (const PixelFormat f : formats) {
      const World world(c);
      Picture background(c, f, size.width, size.height, size.padding),
          frame(c, f, size.width, size.height, size.padding);
      paint(c, world, background, {});
      const auto search = make_cpu(), reference = make_reference();
      search->know(background.host());
      reference->know(background.host());
      const int range = range_of(std::max(size.width, size.height));
      const auto any = [&] { return static_cast<int>(c.rng() % std::uint64_t(2 * range + 1)) - range; };
      for (int n = 0; n < 8; n++) {
        const Shift s = n == 0   ? Shift{}
                        : n == 1 ? Shift{1, 0}
                        : n == 2 ? Shift{range, -range}
                                 : Shift{any(), any()};
        paint(c, world, frame, s, 0.75 + 0.1 * (n % 6), n % 2 ? 0.4 : 0.);
        const Found got = search->find(frame.host());
        const std::string what =
            text(size.width, "x", size.height, ", format ", int(f), ", shift ", s.x, ",", s.y);
        c.expect(got.shift == s, text(what, ": found ", said(got)));
        if (n > 2 || size.width > 320) continue; // it takes its time
        const Found want = reference->find(frame.host());
        c.expect(want.shift == got.shift && want.points == got.points &&
                     std::abs(want.score - got.score) < 1e-4 && std::abs(want.at_rest - got.at_rest) < 1e-4,
                 text(what, ": found ", said(got), ", the reference ", said(want)));
      }
    }
}

// No shift is found in noise, in a picture without edges, in another world, and beyond the range.
void run_nothing(Checker &c) {
  only_on_host(c);
  const Size size{320, 240, 0};
  const World world(c), elsewhere(c);
  Picture background(c, gray8, size.width, size.height), frame(c, gray8, size.width, size.height);
  const auto search = make_cpu();
  const auto expect_none = [&](const char *what) {
    const Found got = search->find(frame.host());
    c.expect(got.shift == Shift{}, text(what, ": found ", said(got)));
  };
  paint(c, world, background, {});
  search->know(background.host());
  paint(c, elsewhere, frame, {});
  expect_none("another world");
  paint(c, world, frame, {80, 0});
  expect_none("a shift beyond the range");
  frame.bytes = c.noise(frame.bytes.size());
  expect_none("noise");
  std::fill(frame.bytes.begin(), frame.bytes.end(), std::uint8_t{0});
  expect_none("black");
  search->know(frame.host());
  paint(c, world, frame, {5, 5});
  expect_none("a background without edges");
  try {
    Picture other(c, gray8, 321, 240);
    search->find(other.host());
    c.fail("a frame of another size was taken");
  } catch (const Error &e) {
    c.expect(std::string(e.what()).find("321x240") != std::string::npos, e.what());
  }
}

// A sway stays what it is, a drift is handed over a pixel at a time, and what is not certain is the mean of
// before, which fades.
void run_handover(Checker &c) {
  only_on_host(c);
  const auto found = [](int x, double score = 1) { return Found{{x, 0}, 500, score, 0}; };
  Handover sway;
  for (int n = 0; n < 1000; n++) {
    const auto x = static_cast<int>(std::lround(8 * std::sin(0.4 * n)));
    const int got = sway.step(found(x)).x;
    c.expect(got == x, text("a sway of ", x, " became ", got));
  }
  Handover drift;
  int behind = 0; // what the model has not learnt yet
  for (int n = 0; n < 1000; n++) {
    if (n % 20 == 0) behind++;
    const int ahead = behind - drift.step(found(behind)).x;
    c.expect(ahead >= 0 && ahead <= 1, text("compared ", ahead, " pixels ahead"));
    if (ahead > 0 && n % 30 == 0) behind--;
  }
  c.expect(behind < 30, text(behind, " of 50 pixels were not handed over"));
  const int kept = drift.step(found(0, 0)).x;
  c.expect(kept > behind / 2, text("an uncertain frame was compared at ", kept, ", not near ", behind));
  for (int n = 0; n < 2000; n++) drift.step(found(0, 0));
  c.expect(drift.step(found(0, 0)) == Shift{}, "the mean does not fade");
}

void run_times(Checker &c) {
  only_on_host(c);
  if (!c.benching()) throw check::Skip{"only with --bench"};
  for (const Size &size : {Size{320, 240, 0}, Size{640, 360, 0}, Size{1920, 1080, 0}})
    for (const PixelFormat f : {gray8, rgba}) {
      const World world(c);
      Picture background(c, f, size.width, size.height), frame(c, f, size.width, size.height);
      paint(c, world, background, {});
      const auto search = make_cpu();
      const std::string label = text(size.width, "x", size.height, ", format ", int(f));
      const double pixels = double(size.width) * size.height;
      c.time(label + ", know", pixels, [&] { search->know(background.host()); });
      paint(c, world, frame, {});
      c.time(label + ", at rest", pixels, [&] { search->find(frame.host()); });
      paint(c, world, frame, {size.width / 20, -size.width / 40});
      c.time(label + ", shifted, from the last frame's", pixels, [&] { search->find(frame.host()); });
      c.time(label + ", shifted, from none", pixels, [&] {
        search->forget();
        search->find(frame.host());
      });
    }
}

const check::Register cases[] = {
    check::Register{{"registration/find", run_find}},
    check::Register{{"registration/nothing", run_nothing}},
    check::Register{{"registration/handover", run_handover}},
    check::Register{{"registration/times", run_times}},
};

} // namespace
} // namespace vigil::registration
