// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/transform/transform_stats.h"

namespace vigil::gst {

void TransformStats::set_device(const Device &device) {
  const std::lock_guard lock(lock_);
  backend_ = name_of(device.backend());
  device_ = device.name();
}

GstStructure *TransformStats::structure() const {
  const std::lock_guard lock(lock_);
  const Counts &s = counts_;
  const double mean_ms = s.worked ? s.kernel_ms / double(s.worked) : 0;
  return gst_structure_new("stats", "frames", G_TYPE_UINT64, s.frames, "kernel-time-us", G_TYPE_DOUBLE,
                           mean_ms * 1000, "kernel-time-last-us", G_TYPE_DOUBLE, s.kernel_last_ms * 1000,
                           "bytes-host-to-device", G_TYPE_UINT64, s.pictures.to_device,
                           "bytes-device-to-host", G_TYPE_UINT64, s.pictures.to_host, "bytes-results",
                           G_TYPE_UINT64, s.result_bytes, "backend", G_TYPE_STRING, backend_.c_str(),
                           "device", G_TYPE_STRING, device_.c_str(), nullptr);
}

} // namespace vigil::gst
