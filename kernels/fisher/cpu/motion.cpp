// SPDX-License-Identifier: LGPL-2.1-or-later
// Difference pictures on the CPU, a band of rows for each thread.
#include "kernels/fisher/motion.h"

#include "common/cpu/device.h"
#include "common/device_cast.h"

#include <cstring>

namespace vigil::fisher {
namespace {

// Y of one row.
void luma_row(const ConstImage &frame, int y, std::uint8_t *out) {
  const std::uint8_t *p = frame.plane(0).row(y);
  if (frame.format != PixelFormat::rgba && frame.format != PixelFormat::bgra) {
    std::memcpy(out, p, static_cast<std::size_t>(frame.width));
    return;
  }
  const int red = frame.format == PixelFormat::rgba ? 0 : 2;
  for (int x = 0; x < frame.width; x++, p += 4) out[x] = motion_luma(p[red], p[1], p[2 - red]);
}

class CpuDifference final : public Difference {
 public:
  CpuDifference(CpuDevice &device, int width, int height, int lag)
      : Difference(device, width, height, lag), device_(device) {}

 private:
  void work(const ConstImage &frame, std::uint8_t *kept, bool known, std::uint8_t *difference,
            Queue &) override {
    device_.parallel(height(), 16, [&](int first, int last) {
      std::vector<std::uint8_t> own; // of a row, where the one before is still needed
      if (difference && known) own.resize(static_cast<std::size_t>(width()));
      for (int y = first; y < last; y++) {
        const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(width());
        std::uint8_t *const before = kept + at;
        if (difference && known) {
          luma_row(frame, y, own.data());
          for (int x = 0; x < width(); x++)
            difference[at + std::size_t(x)] = motion_difference(own[std::size_t(x)], before[x]);
          std::memcpy(before, own.data(), own.size());
          continue;
        }
        luma_row(frame, y, before);
        if (difference) std::memset(difference + at, 128, static_cast<std::size_t>(width()));
      }
    });
  }
  CpuDevice &device_;
};

} // namespace

std::unique_ptr<Difference> make_cpu_difference(Device &device, int width, int height, int lag) {
  return std::make_unique<CpuDifference>(device_cast<CpuDevice>(device), width, height, lag);
}

} // namespace vigil::fisher
