// SPDX-License-Identifier: LGPL-2.1-or-later
// Where the services of an ONVIF device are.
#pragma once

#include "client.h"

#include <optional>

namespace vigil::monitor {

struct OnvifServices {
  std::optional<ServiceAddress> media, ptz, events; // nothing: the device has none
};

// Throws as OnvifClient does, and Error::bad_data when one of them is on another host.
OnvifServices read_services(OnvifClient &, const ServiceAddress &device);

} // namespace vigil::monitor
