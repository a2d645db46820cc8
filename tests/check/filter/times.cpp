// SPDX-License-Identifier: LGPL-2.1-or-later
// Times of the stages that do not fuse: regions, blocks, over time. Only with --bench.
#include "common/device_cast.h"
#include "kernels/filter/chain.h"
#include "tests/check/checker.h"
#include "tests/check/filter/compare.h"

namespace vigil::filter {
namespace {

using check::Checker;
using check::Picture;

void run_times(Checker &c) {
  if (!c.benching()) throw check::Skip{"only with --bench"};
  auto &device = device_cast<ClDevice>(c.device);
  constexpr int width = 1920, height = 1080;
  for (const PixelFormat format : {PixelFormat::rgba, PixelFormat::gray8, PixelFormat::rgba64}) {
    Picture in(c, format, width, height), out(c, format, width, height);
    in.bytes = c.noise(in.bytes.size());
    in.send();
    for (const char *chain : {"tonemap", "tonemap sigma=4", "deblock", "denoise", "recursive"}) {
      ClChain stages(device, parse(chain), format);
      c.time(
          text(name_of(format), " ", chain), double(width) * height,
          [&] { stages.apply(in.device(), out.device(), c.queue()); }, {}, device.is_cpu() ? 1 : 20);
    }
  }
}

check::Register times_case{{"filter/times", run_times, {Backend::opencl}}};

} // namespace
} // namespace vigil::filter
