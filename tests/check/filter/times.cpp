// SPDX-License-Identifier: LGPL-2.1-or-later
// Times of the stages that do not fuse (regions, blocks, over time) and of the largest matrices. Only with
// --bench.
#include "common/device_cast.h"
#include "kernels/filter/chain.h"
#include "tests/check/checker.h"
#include "tests/check/filter/compare.h"

#include <cmath>

namespace vigil::filter {
namespace {

using check::Checker;
using check::Picture;

// Of 15x15 weights: a product of a column and a row, or (with less in the middle) none.
std::string matrix(bool separable) {
  std::string m = "correlate divide=4096 matrix=";
  for (int y = 0; y < 15; y++)
    for (int x = 0; x < 15; x++) {
      const int weight = (8 - std::abs(x - 7)) * (8 - std::abs(y - 7));
      m += text(x > 0 ? "," : y > 0 ? ";" : "", separable || x != 7 || y != 7 ? weight : weight / 4);
    }
  return m;
}

void run_times(Checker &c) {
  if (!c.benching()) throw check::Skip{"only with --bench"};
  auto &device = device_cast<ClDevice>(c.device);
  constexpr int width = 1920, height = 1080;
  for (const PixelFormat format : {PixelFormat::rgba, PixelFormat::gray8, PixelFormat::rgba64}) {
    Picture in(c, format, width, height), out(c, format, width, height);
    in.bytes = c.noise(in.bytes.size());
    in.send();
    const auto time = [&](const char *name, const std::string &chain) {
      ClChain stages(device, parse(chain), format);
      c.time(
          text(name_of(format), " ", name), double(width) * height,
          [&] { stages.apply(in.device(), out.device(), c.queue()); }, {}, device.is_cpu() ? 1 : 20);
    };
    for (const char *chain : {"tonemap", "tonemap sigma=4", "deblock", "denoise", "recursive"})
      time(chain, chain);
    time("15x15, of rank one", matrix(true));
    time("15x15, not of rank one", matrix(false));
  }
}

check::Register times_case{{"filter/times", run_times, {Backend::opencl}}};

} // namespace
} // namespace vigil::filter
