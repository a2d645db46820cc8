// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/bilateral/background.h"

namespace vigil::bilateral {
namespace {

filter::Temporal temporal_for(PixelFormat format, const GuideParams &p) {
  filter::Stage stage = filter::parse("denoise")[0];
  stage.values = {p.weight, p.motion}; // in the order of its parameters
  return filter::temporal_of(stage, filter::full_scale(format));
}

} // namespace

ClBackground::ClBackground(ClDevice &device, const Config &c) : config_(c) {
  check_config(c);
  const bool packed = c.format == PixelFormat::rgba || c.format == PixelFormat::bgra;
  for (int i = 0; i < plane_count(c.format); i++) {
    const PixelFormat format = packed                ? c.format
                               : is_16_bit(c.format) ? PixelFormat::gray16
                                                     : PixelFormat::gray8;
    const int bytes = int(row_bytes(c.format, i, c.width)), height = plane_rows(i, c.height);
    const int stride = (bytes + 3) / 4 * 4;
    planes_.push_back({format, bytes / int(row_bytes(format, 0, 1)), height,
                       filter::ClTemporal(device, temporal_for(format, {}), format),
                       DeviceBuffer(device, std::size_t(stride) * std::size_t(height)), stride});
  }
}

ConstImage ClBackground::update(const ConstImage &in, const GuideParams &params, Queue &queue) {
  check_images(config_, in, {}, [&] {
    Image result{config_.format, config_.width, config_.height, {}, {}};
    for (std::size_t i = 0; i < planes_.size(); i++) {
      result.data[i] = planes_[i].memory.as<std::uint8_t>();
      result.stride[i] = planes_[i].stride;
    }
    return result;
  }());
  ConstImage guide{config_.format, config_.width, config_.height, {}, {}};
  for (std::size_t i = 0; i < planes_.size(); i++) {
    PlaneMean &p = planes_[i];
    p.mean.set(temporal_for(p.format, params));
    const Image out{p.format, p.width, p.height, {p.memory.as<std::uint8_t>()}, {p.stride}};
    p.mean.apply({p.format, p.width, p.height, {in.data[i]}, {in.stride[i]}}, out, queue);
    guide.data[i] = out.data[0];
    guide.stride[i] = p.stride;
  }
  return guide;
}

void ClBackground::forget() {
  for (PlaneMean &p : planes_) p.mean.forget();
}

} // namespace vigil::bilateral
