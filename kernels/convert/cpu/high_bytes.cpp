// SPDX-License-Identifier: LGPL-2.1-or-later
// high_bytes.h in loops, and rows of them on all threads.
#include "kernels/convert/high_bytes.h"

#include "common/cpu/device.h"
#include "common/device_cast.h"
#include "common/error.h"
#include "kernels/of_backend.h"

#include <algorithm>

namespace vigil::convert {
namespace {

constexpr int grain = 1 << 17; // samples that are worth a thread

void rows(const ConstImage &from, const Image &to, int plane, int first, int last) {
  const auto n = row_bytes(to.format, plane, to.width);
  for (int y = first; y < last; y++) {
    const std::uint8_t *in = from.plane(plane).row(y);
    std::uint8_t *out = to.plane(plane).row(y);
    for (std::ptrdiff_t x = 0; x < n; x++) out[x] = in[2 * x + 1];
  }
}

class ReferenceHighBytes final : public HighBytes {
 public:
  void apply(ConstImage from, Image to, Queue &) override {
    check_high_bytes(from, to);
    for (int i = 0; i < plane_count(to.format); i++) rows(from, to, i, 0, plane_rows(i, to.height));
  }
};

class CpuHighBytes final : public HighBytes {
 public:
  explicit CpuHighBytes(CpuDevice &device) : device_(device) {}
  void apply(ConstImage from, Image to, Queue &) override {
    check_high_bytes(from, to);
    for (int i = 0; i < plane_count(to.format); i++)
      device_.parallel(plane_rows(i, to.height), std::max(grain / to.width, 1),
                       [&](int first, int last) { rows(from, to, i, first, last); });
  }

 private:
  CpuDevice &device_;
};

} // namespace

void check_high_bytes(const ConstImage &from, const Image &to) {
  if (from.format != PixelFormat::p010 || to.format != PixelFormat::nv12)
    fail(Error::Kind::bad_setting, "only p010 is made into nv12");
  if (from.width < 1 || from.height < 1 || from.width != to.width || from.height != to.height)
    fail(Error::Kind::bad_setting, "a picture of ", from.width, "x", from.height,
         " pixels does not become one of ", to.width, "x", to.height);
}

std::unique_ptr<HighBytes> make_high_bytes_reference() {
  return std::make_unique<ReferenceHighBytes>();
}

std::unique_ptr<HighBytes> make_high_bytes_cpu(Device &device) {
  return std::make_unique<CpuHighBytes>(device_cast<CpuDevice>(device));
}

std::unique_ptr<HighBytes> make_high_bytes(Device &device) {
  return of_backend(device, make_high_bytes_cpu, make_high_bytes_cuda, make_high_bytes_gl)(device);
}

} // namespace vigil::convert
