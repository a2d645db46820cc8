// SPDX-License-Identifier: LGPL-2.1-or-later
// What a camera finds by itself, in the messages of ONVIF's event service.
#pragma once

#include "xml.h"

#include <string>
#include <vector>

namespace vigil::monitor {

struct DeviceNotice {
  enum class State { off, on, moment };
  std::string label;  // of the event: device-motion, device-tamper, device-input, device-line
  std::string source; // which rule or input of the camera
  State state = State::moment;
};

constexpr int most_notices = 64; // of one answer

// Of PullMessages: those that are known here, at most most_notices.
std::vector<DeviceNotice> notices_of(const XmlElement &answer);
// Elements of the answer's subscription that a device wants back with each request, as headers of SOAP.
std::string reference_headers(const XmlElement &reference);

} // namespace vigil::monitor
