// SPDX-License-Identifier: LGPL-2.1-or-later
// An ONVIF device as a camera: its profiles, and which of them would be recorded and looked at.
#pragma once

#include "address.h"
#include "soap.h"

#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace vigil::monitor {

struct OnvifProfile {
  std::string token, name, codec; // codec: H264, H265, JPEG, as the device writes it
  int width = 0, height = 0;
  double fps = 0;
};

struct OnvifDevice {
  std::string host, manufacturer, model;
  double clock_offset = 0; // seconds by which its clock is ahead
  std::vector<OnvifProfile> profiles;
  // Positions in `profiles`; the same one where there is no smaller stream.
  std::size_t record = 0, detect = 0;
  std::string record_uri, detect_uri; // without user and password
};

struct ProfileChoice { // tokens
  std::string record, detect;
};

// Throws as OnvifClient does, and Error::bad_data when it has no video. `wanted`: else they are chosen.
OnvifDevice read_device(const std::string &address, const OnvifLogin &,
                        const std::optional<ProfileChoice> &wanted, const std::atomic<bool> &ended);

// The largest picture is recorded. The smallest that shows enough, and has at most half as many pixels, is
// looked at.
struct ChosenProfiles {
  std::size_t record, detect;
};
ChosenProfiles choose_profiles(const std::vector<OnvifProfile> &); // at least one

} // namespace vigil::monitor
