// SPDX-License-Identifier: LGPL-2.1-or-later
// Requests and answers of ONVIF's PTZ service: the parts that need no network.
#pragma once

#include "xml.h"

#include <optional>
#include <string>
#include <vector>

namespace vigil::monitor {

struct PtzAbilities {
  bool pan_tilt = false, zoom = false, home = false;
  int presets = 0; // that it can have
  bool any() const { return pan_tilt || zoom || home || presets > 0; }
  bool operator==(const PtzAbilities &) const = default;
};
struct PtzSpeed { // -1 to 1: to the right, up, nearer
  double pan = 0, tilt = 0, zoom = 0;
};
struct PtzPreset {
  std::string token, name;
};
struct PtzProfile {
  std::string token, node; // of the media profile; of what turns
  PtzAbilities abilities;  // as far as the profile says
};

// Whether a token can be a part of an address of ours, as it must be to be offered.
bool is_ptz_token(const std::string &);

std::optional<PtzProfile> ptz_profile(const XmlElement &answer);    // of GetProfiles: the first that turns
std::optional<PtzAbilities> abilities_of(const XmlElement &answer); // of GetNode
std::vector<PtzPreset> presets_of(const XmlElement &answer);        // of GetPresets
// The body of a request NAME with this profile and further elements.
std::string ptz_request(const char *name, const std::string &profile, const std::string &more = "");
// Of ContinuousMove; the camera stops by itself after so many seconds.
std::string move_request(const std::string &profile, const PtzAbilities &, const PtzSpeed &, int seconds);

} // namespace vigil::monitor
