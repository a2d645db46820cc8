// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/memory/opencl_devices.h"

#include <map>
#include <mutex>

namespace vigil::gst {

// Elements that share a device share its context, and with it memory and page-locked buffers of the driver: a
// context of its own for each of them costs some hundred MB on a GPU. The first one that wants a device opens
// it, the last one closes it.
std::shared_ptr<ClDevice> share_cl_device(const std::string &selector) {
  static std::mutex mutex;
  static std::map<cl_device_id, std::weak_ptr<ClDevice>> opened;
  const std::lock_guard lock(mutex);
  const std::vector<ClCandidate> all = cl_candidates();
  const ClCandidate &chosen = all[choose(all, selector)];
  std::weak_ptr<ClDevice> &known = opened[chosen.id];
  std::shared_ptr<ClDevice> device = known.lock();
  if (!device) known = device = std::make_shared<ClDevice>(chosen);
  return device;
}

} // namespace vigil::gst
