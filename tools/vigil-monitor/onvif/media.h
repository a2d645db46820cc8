// SPDX-License-Identifier: LGPL-2.1-or-later
// The media service of an ONVIF device, in either version: Media2 (ver20), which alone knows H.265, or else
// Media (ver10).
#pragma once

#include "services.h"

#include <optional>
#include <string>

namespace vigil::monitor {

class OnvifMedia {
 public:
  // Throws as OnvifServices does.
  OnvifMedia(OnvifClient &, OnvifServices &);

  bool there() const { return media_ || media2_; }
  // The answer to GetProfiles, of which the functions below read. A Media2 that lists nothing makes room for
  // Media. Throws as OnvifClient does. Only where it is there.
  XmlElement profiles();
  // The address that the device says, not checked. After profiles().
  std::string stream_uri(const std::string &token);

 private:
  OnvifClient &client_;
  std::optional<ServiceAddress> media_, media2_;
};

// Of a child Profiles; null: it has none.
const XmlElement *video_of_profile(const XmlElement &profile);
const XmlElement *ptz_of_profile(const XmlElement &profile);

} // namespace vigil::monitor
