// SPDX-License-Identifier: LGPL-2.1-or-later
// The CPU backend: rows on all threads. Chroma is interpolated in two steps, between rows and then along
// them, which gives the weights 9, 3, 3, 1 of rgba.h without rounding between.
#include "common/cpu/device.h"
#include "common/device_cast.h"
#include "kernels/convert/rgba.h"
#include "kernels/of_backend.h"

#include <algorithm>
#include <cstring>

namespace vigil::convert {
namespace {

constexpr int grain = 1 << 14; // pixels that are worth a thread
constexpr int strip = 512;     // pixels whose chroma is interpolated at once; even

using Chroma = std::int16_t[strip / 2 + 2]; // less 128, in quarters; the first one lies left of the strip

std::uint8_t rounded(int value) { // in 1/8192 and sixteenths
  return static_cast<std::uint8_t>(std::clamp((value + (1 << 16)) >> 17, 0, 255));
}

// Between the rows `near` and `far`: of every `step`-th byte from the chroma value `first` on.
void mix_rows(const std::uint8_t *near, const std::uint8_t *far, int step, int first, int count, int width,
              Chroma &out) {
  for (int i = 0; i < count; i++) {
    const int at = step * std::clamp(first + i, 0, width - 1);
    out[i] = static_cast<std::int16_t>(3 * near[at] + far[at] - 4 * 128);
  }
}

void yuv_row(const ConstImage &from, const Matrix &m, int y, std::uint8_t *to) {
  const bool pairs = from.format == PixelFormat::nv12;
  const Plane<const std::uint8_t> planes[2] = {from.plane(1), from.plane(pairs ? 1 : 2)};
  const std::uint8_t *luma = from.plane(0).row(y);
  const int width = planes[0].width, v = y / 2,
            neighbour = std::clamp(y % 2 ? v + 1 : v - 1, 0, planes[0].height - 1);
  Chroma chroma[2];
  for (int x0 = 0; x0 < from.width; x0 += strip) {
    const int n = std::min(strip, from.width - x0), count = (n + 1) / 2 + 2;
    for (int c = 0; c < 2; c++) {
      const int skip = pairs ? c : 0;
      mix_rows(planes[c].row(v) + skip, planes[c].row(neighbour) + skip, pairs ? 2 : 1, x0 / 2 - 1, count,
               width, chroma[c]);
    }
    const auto put = [&](int x, int side) {
      const int i = x / 2 + 1, u = 3 * chroma[0][i] + chroma[0][i + side],
                w = 3 * chroma[1][i] + chroma[1][i + side], l = 16 * m.y * (luma[x0 + x] - m.black);
      std::uint8_t *out = to + 4 * (x0 + x);
      out[0] = rounded(l + m.rv * w);
      out[1] = rounded(l - m.gu * u - m.gv * w);
      out[2] = rounded(l + m.bu * u);
      out[3] = 255;
    };
    for (int x = 0; x + 1 < n; x += 2) {
      put(x, -1);
      put(x + 1, 1);
    }
    if (n % 2) put(n - 1, -1);
  }
}

void row(const ConstImage &from, const Conversion &c, int y, std::uint8_t *to) {
  const std::uint8_t *in = from.plane(0).row(y);
  const auto alpha = [&](int x) { return c.opaque ? std::uint8_t{255} : in[4 * x + 3]; };
  switch (from.format) {
  case PixelFormat::rgba:
    std::memcpy(to, in, 4 * std::size_t(from.width));
    for (int x = 0; c.opaque && x < from.width; x++) to[4 * x + 3] = 255;
    return;
  case PixelFormat::bgra:
    for (int x = 0; x < from.width; x++) {
      to[4 * x] = in[4 * x + 2];
      to[4 * x + 1] = in[4 * x + 1];
      to[4 * x + 2] = in[4 * x];
      to[4 * x + 3] = alpha(x);
    }
    return;
  case PixelFormat::gray8:
    for (int x = 0; x < from.width; x++) {
      to[4 * x] = to[4 * x + 1] = to[4 * x + 2] = in[x];
      to[4 * x + 3] = 255;
    }
    return;
  default:
    yuv_row(from, c.matrix, y, to);
  }
}

class CpuConverter final : public Converter {
 public:
  explicit CpuConverter(CpuDevice &device) : device_(device) {}
  void apply(ConstImage from, const Conversion &c, Image to, Queue &) override {
    check_pictures(from, to);
    device_.parallel(from.height, std::max(grain / from.width, 1), [&](int first, int last) {
      for (int y = first; y < last; y++) row(from, c, y, to.plane(0).row(y));
    });
  }

 private:
  CpuDevice &device_;
};

} // namespace

std::unique_ptr<Converter> make_cpu(Device &device) {
  return std::make_unique<CpuConverter>(device_cast<CpuDevice>(device));
}

std::unique_ptr<Converter> make(Device &device) {
  return of_backend(device, make_cpu, make_cuda, make_gl)(device);
}

} // namespace vigil::convert
