// SPDX-License-Identifier: LGPL-2.1-or-later
#include "services.h"

#include "common/error.h"

namespace vigil::monitor {

OnvifServices read_services(OnvifClient &client, const ServiceAddress &device) {
  const XmlElement answer =
      client.ask(device, "<GetCapabilities xmlns=\"http://www.onvif.org/ver10/device/wsdl\">"
                         "<Category>All</Category></GetCapabilities>");
  const auto service = [&](std::string_view name, const char *of_what) -> std::optional<ServiceAddress> {
    const std::string named = answer.text_of({"Capabilities", name, "XAddr"});
    if (named.empty()) return std::nullopt;
    const ServiceAddress at = client.own_address(named, of_what);
    if (at.scheme != "http" && at.scheme != "https")
      fail(Error::Kind::bad_data, of_what, " of the device at ", device.host,
           " is no http:// or https:// address");
    return at;
  };
  return {service("Media", "its media service"), service("PTZ", "its PTZ service"),
          service("Events", "its event service")};
}

} // namespace vigil::monitor
