// SPDX-License-Identifier: LGPL-2.1-or-later
// Where the services of an ONVIF device are. Old devices say it by GetCapabilities, which knows no Media2;
// some new ones only by GetServices.
#pragma once

#include "client.h"

#include <exception>
#include <optional>

namespace vigil::monitor {

struct OnvifService {
  const char *capability; // its name in GetCapabilities; empty: it is not there
  const char *space;      // its namespace
  const char *words;
};

inline constexpr OnvifService media_service = {"Media", "http://www.onvif.org/ver10/media/wsdl",
                                               "its media service"},
                              media2_service = {"", "http://www.onvif.org/ver20/media/wsdl",
                                                "its media service (Media2)"},
                              ptz_service = {"PTZ", "http://www.onvif.org/ver20/ptz/wsdl", "its PTZ service"},
                              event_service = {"Events", "http://www.onvif.org/ver10/events/wsdl",
                                               "its event service"};

class OnvifServices {
 public:
  // Throws as OnvifClient does. An answer that is a fault, or cannot be read, is no error: the other one may
  // be good.
  OnvifServices(OnvifClient &, const ServiceAddress &device);

  // Nothing: the device has none. Throws as OnvifClient does, and Error::bad_data when it is on another host.
  std::optional<ServiceAddress> find(const OnvifService &);

 private:
  XmlElement ask(const std::string &body, bool needed);
  std::string listed(const OnvifService &);

  OnvifClient &client_;
  const ServiceAddress device_;
  std::exception_ptr why_not_; // no answer to GetCapabilities can be used
  XmlElement capabilities_;
  std::optional<XmlElement> services_; // asked for when they are needed
};

} // namespace vigil::monitor
