// SPDX-License-Identifier: LGPL-2.1-or-later
// Spots of every backend against plain loops from the definition in spots.h, to the byte.
#include "kernels/tamper/spots.h"

#include "common/error.h"
#include "tests/check/checker.h"

#include <algorithm>
#include <string>
#include <vector>

namespace vigil::tamper {
namespace {

using check::Checker;
using check::Picture;

int luma(const ConstImage &p, int x, int y) {
  x = std::clamp(x, 0, p.width - 1);
  y = std::clamp(y, 0, p.height - 1);
  const std::uint8_t *row = p.data[0] + y * p.stride[0];
  if (p.format != PixelFormat::rgba && p.format != PixelFormat::bgra) return row[x];
  const int red = p.format == PixelFormat::rgba ? 0 : 2;
  return (77 * row[4 * x + red] + 150 * row[4 * x + 1] + 29 * row[4 * x + 2 - red] + 128) >> 8;
}

std::vector<Spot> expected(const ConstImage &p) {
  const int c = std::max(4, (std::max(p.width, p.height) + 79) / 80);
  const int step = std::max(1, c / 4), reach = std::max(1, c / 12);
  std::vector<Spot> spots;
  for (int top = 0; top + c <= p.height; top += c)
    for (int left = 0; left + c <= p.width; left += c) {
      Spot s;
      for (int y = 0; y < c; y += step)
        for (int x = 0; x < c; x += step) s.sum += luma(p, left + x, top + y);
      const int x = left + c / 2, y = top + c / 2;
      s.across = std::int16_t(luma(p, x + reach, y) - luma(p, x - reach, y));
      s.down = std::int16_t(luma(p, x, y + reach) - luma(p, x, y - reach));
      spots.push_back(s);
    }
  return spots;
}

struct Size {
  int width, height, padding;
};
constexpr Size sizes[] = {{1, 1, 0},     {3, 90, 0},      {7, 5, 3},        {320, 240, 0},
                          {641, 137, 7}, {1003, 701, 16}, {1921, 1079, 15}, {4097, 31, 1}};

void run_random(Checker &c) {
  for (const Size &s : sizes)
    for (const PixelFormat f :
         {PixelFormat::gray8, PixelFormat::rgba, PixelFormat::bgra, PixelFormat::nv12, PixelFormat::i420}) {
      Picture picture(c, f, s.width, s.height, s.padding);
      picture.bytes = c.noise(picture.bytes.size());
      picture.send();
      const std::vector<Spot> want = expected(picture.host());
      c.expect(int(want.size()) == layout_for(s.width, s.height).cells(),
               text(s.width, "x", s.height, ": ", want.size(), " cells"));
      const std::size_t bytes = want.size() * sizeof(Spot);
      std::vector<Spot> got(want.size());
      const DeviceBuffer memory(c.device, std::max<std::size_t>(bytes, 1));
      c.device.fill(memory.as(), 0xa5, memory.bytes(), c.queue()); // every spot must be written
      make(c.device)->apply(picture.device(), memory.as<Spot>(), c.queue());
      if (bytes > 0) c.device.download(got.data(), memory.as(), bytes, c.queue());
      c.queue().wait();
      c.expect(got == want, text(s.width, "x", s.height, ", format ", int(f), ": other spots"));
    }
}

void run_errors(Checker &c) {
  Picture picture(c, PixelFormat::gray16, 16, 16);
  const DeviceBuffer spots(c.device, 16 * sizeof(Spot));
  try {
    make(c.device)->apply(picture.device(), spots.as<Spot>(), c.queue());
    c.fail("a picture with 16 bits a sample was not refused");
  } catch (const Error &e) {
    c.expect(e.kind() == Error::Kind::bad_setting, e.what());
  }
}

void run_times(Checker &c) {
  if (!c.benching()) throw check::Skip{"only with --bench"};
  Picture picture(c, PixelFormat::rgba, 1920, 1080);
  picture.bytes = c.noise(picture.bytes.size());
  picture.send();
  const DeviceBuffer spots(c.device, std::size_t(layout_for(1920, 1080).cells()) * sizeof(Spot));
  const auto sampler = make(c.device);
  c.time(
      "1080p RGBA", 1920. * 1080, [&] { sampler->apply(picture.device(), spots.as<Spot>(), c.queue()); }, {},
      10);
}

const check::Register cases[] = {
    check::Register{{"tamper/random", run_random, {Backend::cpu, Backend::cuda, Backend::gl}}},
    check::Register{{"tamper/errors", run_errors, {Backend::cpu, Backend::cuda, Backend::gl}}},
    check::Register{{"tamper/times", run_times, {Backend::cpu, Backend::cuda, Backend::gl}}},
};

} // namespace
} // namespace vigil::tamper
